/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_IMAGE_H
#define VPMU_STATS_IMAGE_H

#include <libelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#define IMAGE_PARTS 8u
#define IMAGE_BUILD_ID 20u

/**
 * struct image_part - a part of a program that contains code
 * @address: its address, relative to where the program is loaded.
 * @size: its size in bytes.
 * @offset: its offset in the file.
 */
struct image_part {
    uint64_t address;
    uint64_t size;
    uint64_t offset;
};

/**
 * struct image - what perf needs to know of an ELF file
 * @build_id: the build ID.
 * @build_id_size: the size of the build ID in bytes; 0 if the file has none.
 * @part: the parts that contain code.
 * @parts: the number of parts.
 */
struct image {
    unsigned char build_id[IMAGE_BUILD_ID];
    size_t build_id_size;
    struct image_part part[IMAGE_PARTS];
    size_t parts;
};

/**
 * image_open() - open a file for reading, although a guest may control its name and contents
 * @root: the directory that @path is relative to. No symbolic link can lead out of it (Linux 5.6
 *     and later). NULL for a path on the host.
 * @path: the path of the file.
 *
 * Return: the descriptor; or -1: ERROR_USAGE if it cannot be read or is not a regular file.
 */
int image_open(const char *root, const char *path, struct error *t);

/**
 * image_path() - get the path of an open file, without symbolic links
 *
 * Return: the path, which the caller frees; NULL if it cannot be determined.
 */
char *image_path(int fd);

/**
 * image_take() - read the build ID and the parts of an open ELF file
 * @image: is filled in.
 * @fd: the file.
 * @path: what error messages call the file.
 *
 * Return: 0; or -1: ERROR_USAGE if it is not an ELF file with code.
 */
int image_take(struct image *image, int fd, const char *path, struct error *t);

/**
 * image_take_beginning() - image_take() for the first bytes of a file, which contain its notes
 * @bytes: @size bytes, which may be anything. libelf may convert them.
 */
int image_take_beginning(struct image *image, void *bytes, size_t size);

/** image_read() - open a file as image_open(), read it as image_take(), and close it */
int image_read(struct image *image, const char *root, const char *path, struct error *t);

/**
 * image_is_object() - check whether an ELF file is an object file, such as a kernel module
 *
 * The sections of an object file have no addresses yet: whoever loads it chooses them.
 */
bool image_is_object(Elf *elf);

/**
 * image_address() - get an address for a section of an object file
 * @elf: any ELF file.
 * @section: the number of the section.
 *
 * Sections of an object file that are loaded get addresses one after another, from 0 on. These are
 * the same in the file with its debug information, which has the same sections.
 *
 * Return: the address to add to the values of symbols in this section: 0 if the file is not an
 * object file, or the section is not loaded.
 */
uint64_t image_address(Elf *elf, size_t section);

#endif
