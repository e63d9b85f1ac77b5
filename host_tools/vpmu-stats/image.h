/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_IMAGE_H
#define VPMU_STATS_IMAGE_H

#include <stddef.h>
#include <stdint.h>

#include "trouble.h"

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
 * image_read() - reads it of a file
 *
 * Return: 0, or -1: TROUBLE_USAGE if it cannot be read, or is no ELF file with code.
 */
int image_read(struct image *image, const char *path, struct trouble *t);

#endif
