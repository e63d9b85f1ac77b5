/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_GUEST_CODE_H
#define VPMU_STATS_GUEST_CODE_H

#include "perfdata/filesymbols.h"
#include "record/kept-maps.h"
#include "symbols/guest-files.h"

/*
 * When no more files are read: a guest can make any number of them. Each needs a descriptor, and a
 * process usually has 1024 of them.
 */
#define GUEST_CODE_FILES 512u
#define GUEST_CODE_BYTES (1ull << 30)

/**
 * struct guest_code_file - a file that only the guest's memory has
 * @used: for each of its functions, whether a sample needs it; or NULL.
 * @id: which file the guest had at that path, if @given is set.
 * @others: there may be another file of that name, of which no build ID is known.
 */
struct guest_code_file {
    bool *used;
    bool given;
    bool others;
    uint64_t id;
};

/**
 * struct guest_code - files that only the guest's memory has, and which functions samples need; all
 *     0 at first
 * @files: these, and all others whose contents are needed. The caller may set its symfs.
 * @given: how many files have been added.
 * @bytes: their size.
 *
 * The other fields are private.
 */
struct guest_code {
    struct guest_files files;
    size_t given;
    uint64_t bytes;
    struct guest_code_file *file; /* the first @n files */
    size_t n;
};

/**
 * guest_code_give() - add a file; see guest_files_give()
 * @map: a mapping of the file.
 */
int guest_code_give(struct guest_code *c, const struct kept_map *map, const void *contents,
                    size_t size, struct error *t);

/**
 * guest_code_wants() - find out whether the contents of a file are needed
 * @map: a mapping of the file.
 *
 * If another file of that name was added, functions of neither are listed from now on: a recording
 * has only the name.
 *
 * Return: true the first time that a file is named of which there is no copy, until there are
 * GUEST_CODE_FILES files, or GUEST_CODE_BYTES of them.
 */
bool guest_code_wants(struct guest_code *c, const struct kept_map *map);

/**
 * guest_code_use() - mark the function at an address of a process
 * @maps: the mappings of the process.
 */
void guest_code_use(struct guest_code *c, const struct kept_maps *maps, uint64_t address);

/**
 * guest_code_symbols() - list the files with marked functions
 * @to: room for c->given files. The list is valid until the next call of another function here.
 *
 * Return: the number of files.
 */
size_t guest_code_symbols(const struct guest_code *c, struct filesymbols *to);

/** guest_code_next() - forget the marks */
void guest_code_next(struct guest_code *c);

void guest_code_free(struct guest_code *c);

#endif
