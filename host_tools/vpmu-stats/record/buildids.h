/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_BUILDIDS_H
#define VPMU_STATS_BUILDIDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symbols/image.h"

#define BUILDIDS_SLOTS 256u

/** struct buildid - @size bytes of it; 0 if it is not known */
struct buildid {
    unsigned char byte[IMAGE_BUILD_ID];
    size_t size;
};

/**
 * struct buildids - build IDs of a guest's files, by where they were seen last; 0 at first
 * @symfs: a directory with copies of these, or NULL.
 *
 * The rest is private. It has a size, since a guest has any number of files.
 */
struct buildids {
    const char *symfs;
    struct {
        bool used;
        uint64_t what;
        struct buildid id;
    } slot[BUILDIDS_SLOTS];
};

/**
 * buildids_find() - a file's build ID
 * @path: from the root on; it may be anything.
 * @file: another number for another file of that path.
 * @seen: what is said of it now. One that is not known may be known from before, or from the
 * directory.
 */
const struct buildid *buildids_find(struct buildids *b, const char *path, uint64_t file,
                                    const struct buildid *seen);

#endif
