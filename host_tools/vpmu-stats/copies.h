/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_COPIES_H
#define VPMU_STATS_COPIES_H

#include "functions.h"
#include "image.h"

/**
 * struct copy - a file that a guest has, and a copy of it
 * @path: of the copy, without links of the guest's; NULL if there is none, or it is another file.
 * @functions: its own.
 */
struct copy {
    char *name; /* the guest's */
    char *path;
    bool tried;
    struct image image; /* before it is tried: the build ID that is wanted */
    struct functions functions;
};

/**
 * struct copies - @n of them, by number; 0 at first
 * @symfs: the directory where they are, or NULL: then only files whose build ID is known are looked
 * at.
 */
struct copies {
    const char *symfs;
    struct copy *copy;
    size_t n;
    size_t room;
    void *numbers;
};

/**
 * copies_number() - the number of a file of the guest's
 * @build_id: @size bytes of it, 0 if it is not known.
 */
int copies_number(struct copies *copies, const char *name, const unsigned char *build_id,
                  size_t size, uint32_t *number, struct trouble *t);

/** copies_find() - what is in a file at @offset; *@address: what the file calls it */
const struct function *copies_find(struct copies *copies, uint32_t number, uint64_t offset,
                                   const char **path, uint64_t *address);

void copies_free(struct copies *copies);

#endif
