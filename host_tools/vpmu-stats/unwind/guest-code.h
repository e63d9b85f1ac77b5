/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_GUEST_CODE_H
#define VPMU_STATS_GUEST_CODE_H

#include "perfdata/filesymbols.h"
#include "record/kept-maps.h"
#include "symbols/guest-files.h"

/**
 * struct guest_code - files that only the guest's memory has, and which functions samples need; all
 *     0 at first
 * @files: these, and all others whose contents are needed. The caller may set its symfs.
 *
 * The other fields are private.
 */
struct guest_code {
    struct guest_files files;
    bool **used; /* for each of the first @n files, and each of its functions; or NULL */
    size_t n;
    size_t given;
};

/** guest_code_give() - add a file; see guest_files_give() */
int guest_code_give(struct guest_code *c, const char *name, const void *contents, size_t size,
                    struct error *t);

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
