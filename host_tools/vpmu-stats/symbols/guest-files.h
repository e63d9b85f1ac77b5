/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_GUEST_FILES_H
#define VPMU_STATS_GUEST_FILES_H

#include "symbols/functions.h"
#include "symbols/image.h"

/**
 * struct guest_file - a file that a guest has, and a copy of it
 * @path: of the copy, without links of the guest's; NULL if there is none, or it is another file.
 * @functions: its own.
 */
struct guest_file {
    char *name; /* the guest's */
    char *path;
    bool tried;
    struct image image; /* before it is tried: the build ID that is wanted */
    struct functions functions;
};

/**
 * struct guest_files - @n of them, by number; 0 at first
 * @symfs: the directory where they are, or NULL: then only files whose build ID is known are looked
 * at.
 */
struct guest_files {
    const char *symfs;
    struct guest_file *file;
    size_t n;
    size_t room;
    void *numbers;
};

/**
 * guest_files_number() - the number of a file of the guest's
 * @build_id: @size bytes of it, 0 if it is not known.
 */
int guest_files_number(struct guest_files *files, const char *name, const unsigned char *build_id,
                       size_t size, uint32_t *number, struct error *t);

/** guest_files_find() - what is in a file at @offset; *@address: what the file calls it */
const struct function *guest_files_find(struct guest_files *files, uint32_t number, uint64_t offset,
                                        const char **path, uint64_t *address);

void guest_files_free(struct guest_files *files);

#endif
