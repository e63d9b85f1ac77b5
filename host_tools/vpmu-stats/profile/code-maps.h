/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_CODE_MAPS_H
#define VPMU_STATS_CODE_MAPS_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/**
 * struct code_map - what a process has in memory from @time on: @length bytes at @start are those
 * of
 * @file from @offset on
 * @file: a number of the caller's.
 */
struct code_map {
    uint32_t pid;
    uint64_t time;
    uint64_t start;
    uint64_t length;
    uint64_t offset;
    uint32_t file;
};

/**
 * struct code_maps - which process had what from when on; 0 at first
 *
 * Private.
 */
struct code_maps {
    struct code_change *change;
    size_t n;
    size_t room;
    struct code_level *level;
    unsigned levels;
};

/** code_maps_add() - from then on it has this, and nothing else there */
int code_maps_add(struct code_maps *maps, const struct code_map *code, struct error *t);

/** code_maps_fork() - from @time on it has what @parent had then, and nothing else */
int code_maps_fork(struct code_maps *maps, uint32_t pid, uint64_t time, uint32_t parent,
                   struct error *t);

/** code_maps_settle() - no more is added, whatever comes of it; code can be found now */
int code_maps_settle(struct code_maps *maps, struct error *t);

/** code_maps_find() - what a process had at an address then, or NULL */
const struct code_map *code_maps_find(const struct code_maps *maps, uint32_t pid, uint64_t time,
                                      uint64_t address);

void code_maps_free(struct code_maps *maps);

#endif
