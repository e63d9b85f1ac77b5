/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The code that the program's processes have mapped. */
#ifndef VPMU_RUN_MAPPED_H
#define VPMU_RUN_MAPPED_H

#include "files/job.h"
#include "profile/code-maps.h"
#include "record/raw.h"

/**
 * struct mapped - a mapping with code
 * @file: a number that stands for its path.
 * @content: @size bytes of its file; NULL if it is no file of this computer.
 * @anonymous: it has no file, so only its own process has the code.
 * @same: the first mapping of the same part of the same file at the same addresses, in the order
 *     of time. @next: the one that follows this one; NULL behind the last.
 */
struct mapped {
    uint64_t start, length, offset, time;
    uint32_t pid, tid, file;
    const unsigned char *content;
    size_t size;
    bool anonymous;
    const struct mapped *same, *next;
};

struct mapped_file {
    const unsigned char *content;
    size_t size;
};

/**
 * struct mappings - all of them; all 0 at first
 * @map: @n mappings, in the order of time.
 * @place: the @places of them that are @same.
 * @file: @files, by their numbers.
 */
struct mappings {
    struct mapped *map;
    size_t n;
    const struct mapped **place;
    size_t places;
    struct mapped_file *file;
    size_t files;
    struct code_maps at; /* the number of a file is the index of a mapping */
};

/**
 * mappings_read() - read them from the kernel's records
 *
 * Return: 0, or -1 with an error. mappings_free() is needed either way.
 */
int mappings_read(struct mappings *m, const struct raw *raw, const struct job *job,
                  struct failure *f);

/**
 * mappings_both() - find a process that has two mappings at the same time
 * @a, @b: any mappings; each stands for all that are the same, unless it is anonymous.
 * @in_a, @in_b: an address in each.
 *
 * Return: the mapping whose process and time these are, or NULL.
 */
const struct mapped *mappings_both(const struct mappings *m, const struct mapped *a, uint64_t in_a,
                                   const struct mapped *b, uint64_t in_b);

/** mapped_contains() - is the address in the mapping? */
bool mapped_contains(const struct mapped *map, uint64_t address);

void mappings_free(struct mappings *m);

#endif
