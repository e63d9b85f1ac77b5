/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_IMAGE_H
#define VPMU_STATS_IMAGE_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#define IMAGE_PARTS 8u
#define IMAGE_BUILD_ID 20u

/**
 * struct image_part - code of a program
 * @address: where it is, above the place that the program is loaded to.
 * @size: bytes of it.
 * @offset: where it is in the file.
 */
struct image_part {
    uint64_t address;
    uint64_t size;
    uint64_t offset;
};

/**
 * struct image - what perf has to know of an ELF file
 * @build_id: @build_id_size bytes, 0 if it has none.
 * @part: @parts of them.
 */
struct image {
    unsigned char build_id[IMAGE_BUILD_ID];
    size_t build_id_size;
    struct image_part part[IMAGE_PARTS];
    size_t parts;
};

/**
 * image_open() - opens a file that a guest may have named or made, to read it
 * @root: the directory that @path is in, and that nothing leads out of; NULL if it is the host's.
 *
 * Return: its number, or -1: ERROR_USAGE if it cannot be read, or is no file.
 */
int image_open(const char *root, const char *path, struct error *t);

/** image_path() - where the open file is, without links; to be freed, or NULL */
char *image_path(int fd);

/**
 * image_take() - reads it of an open file
 * @path: what to call it.
 *
 * Return: 0, or -1: ERROR_USAGE if it is no ELF file with code.
 */
int image_take(struct image *image, int fd, const char *path, struct error *t);

/** image_read() - image_open() and image_take() */
int image_read(struct image *image, const char *root, const char *path, struct error *t);

#endif
