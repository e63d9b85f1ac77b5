/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which functions the addresses of a recording belong to. */
#ifndef VPMU_RUN_NAMES_H
#define VPMU_RUN_NAMES_H

#include <limits.h>

#include "files/job.h"
#include "perfdata/perfdata.h"
#include "profile/code-maps.h"
#include "record/raw.h"
#include "symbols/guest-files.h"
#include "symbols/symbols.h"

/**
 * struct names - functions of the kernel and of programs; all 0 at first
 * @symbols: addresses of the kernel.
 * @kernel: functions of the kernel; @used: whether the recording has an address of each.
 * @files: all files; the first @n_lists are lists of functions made at run time.
 * @program: @n_programs files, with the functions that the recording has addresses of.
 */
struct names {
    const struct job *job;
    struct symbols symbols;
    struct functions kernel;
    bool *used;
    struct filesymbols *program;
    size_t n_programs;
    struct guest_files files;
    char debug_dir[PATH_MAX];
    struct code_maps maps;
    bool **of_file;
    size_t n_files;
    size_t n_lists;
};

/**
 * struct names_map - a mapping with code, of PERF_RECORD_MMAP2
 * @path: where this computer has the file, or its name in the machine.
 * @build_id: @build_id_size bytes.
 */
struct names_map {
    uint64_t start, length, offset;
    char path[PATH_MAX];
    const unsigned char *build_id;
    size_t build_id_size;
};

/** names_map() - decodes a mapping. Return: false if @record is none with code. */
bool names_map(const struct job *job, const struct raw_record *record, struct names_map *map);

/** names_fork() - Return: false if @record is not about a new process or thread */
bool names_fork(const struct raw_record *record, uint32_t *pid, uint32_t *tid, uint32_t *parent_pid,
                uint32_t *parent_tid);

/**
 * names_find() - finds all of them, and the call chains of samples that have the stack
 * @machine: e_machine.
 *
 * names_free() is needed either way.
 */
int names_find(struct names *n, const struct job *job, struct raw *raw, unsigned machine,
               struct failure *f);
void names_free(struct names *n);

#endif
