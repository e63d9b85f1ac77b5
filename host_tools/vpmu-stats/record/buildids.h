/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_BUILDIDS_H
#define VPMU_STATS_BUILDIDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symbols/image.h"

#define BUILDIDS_SLOTS 256u

/**
 * struct buildid - a build ID
 * @byte: the build ID.
 * @size: its size in bytes; 0 if it is unknown.
 */
struct buildid {
    unsigned char byte[IMAGE_BUILD_ID];
    size_t size;
};

/**
 * struct buildids - a cache of build IDs of a guest's files; all 0 at first
 * @symfs: a directory with copies of the guest's files, or NULL.
 *
 * The other fields are private. The size is fixed, because a guest has any number of files.
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
 * buildids_find() - find the build ID of a file
 * @path: absolute path in the guest. It is not trusted.
 * @file: a number that differs for different files of the same path.
 * @seen: the build ID that the guest's memory holds now, or one of size 0.
 *
 * If @seen is unknown, the function uses an earlier build ID of the file, or that of the copy in
 * @symfs.
 *
 * Return: the build ID. It is valid until the next call.
 */
const struct buildid *buildids_find(struct buildids *b, const char *path, uint64_t file,
                                    const struct buildid *seen);

/** buildids_has() - test whether buildids_find() was called for a file; also if it has no ID */
bool buildids_has(const struct buildids *b, const char *path, uint64_t file);

#endif
