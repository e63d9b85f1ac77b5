/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_CODES_H
#define VPMU_STATS_CODES_H

#include <stddef.h>
#include <stdint.h>

#include "trouble.h"

/**
 * struct code - what a process has in memory from @time on: @length bytes at @start are those of
 * @file from @offset on
 * @file: a number of the caller's.
 */
struct code {
    uint32_t pid;
    uint64_t time;
    uint64_t start;
    uint64_t length;
    uint64_t offset;
    uint32_t file;
};

/**
 * struct codes - which process had what from when on; 0 at first
 *
 * Private.
 */
struct codes {
    struct code_change *change;
    size_t n;
    size_t room;
    struct code_level *level;
    unsigned levels;
};

/** codes_add() - from then on it has this, and nothing else there */
int codes_add(struct codes *codes, const struct code *code, struct trouble *t);

/** codes_fork() - from @time on it has what @parent had then, and nothing else */
int codes_fork(struct codes *codes, uint32_t pid, uint64_t time, uint32_t parent,
               struct trouble *t);

/** codes_settle() - no more is added, whatever comes of it; code can be found now */
int codes_settle(struct codes *codes, struct trouble *t);

/** codes_find() - what a process had at an address then, or NULL */
const struct code *codes_find(const struct codes *codes, uint32_t pid, uint64_t time,
                              uint64_t address);

void codes_free(struct codes *codes);

#endif
