/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_KERNEL_H
#define VPMU_STATS_KERNEL_H

#include <stdbool.h>

#include "kernel/btf.h"
#include "kernel/orc-tables.h"
#include "kernel/page-cache.h"
#include "qmp/memory.h"
#include "symbols/symbols.h"
#include "kernel/vmcoreinfo.h"

/**
 * struct kernel - the Linux kernel that runs in a machine, read from memory; all 0 at first
 * @release: its version.
 * @build_id: its build ID, valid if @has_build_id is set.
 * @info: what it says about itself.
 * @symbols: its addresses.
 * @functions: its functions and those of its modules, sorted.
 * @layout: the offsets in its structures.
 * @has_layout: @layout is valid.
 * @orc: x86-64: its tables for call chains.
 * @vdso: the file that it maps into programs, @vdso_size bytes; NULL if it is not known.
 * @files: reads files from its memory; NULL if that is not possible.
 */
struct kernel {
    char release[sizeof(((struct vmcoreinfo *)0)->release)];
    unsigned char build_id[VMCOREINFO_BUILD_ID];
    bool has_build_id;
    struct vmcoreinfo info;
    struct symbols symbols;
    struct functions functions;
    struct task_layout layout;
    bool has_layout;
    struct orc_tables orc;
    unsigned char *vdso;
    size_t vdso_size;
    struct page_cache *files;
};

/**
 * kernel_find() - find the running kernel in a machine's memory, without a file
 * @k: is filled in. kernel_free() is needed in any case.
 * @m: the memory of the machine.
 *
 * Return: 0; or -1: ERROR_USAGE if there is no kernel, or it does not give the address of its
 * symbols.
 */
int kernel_find(struct kernel *k, struct memory *m, struct error *t);

void kernel_free(struct kernel *k);

#endif
