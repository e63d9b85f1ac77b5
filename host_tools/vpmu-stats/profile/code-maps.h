/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_CODE_MAPS_H
#define VPMU_STATS_CODE_MAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/**
 * struct code_map - a mapping of a process, from @time on: @length bytes at @start are those of
 * @file at @offset
 * @file: a number that the caller chooses.
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
 * struct code_maps - which process had mapped which code at which time; all 0 at first
 *
 * All fields are private.
 */
struct code_maps {
    struct code_change *change;
    size_t n;
    size_t room;
    struct code_level *level;
    unsigned levels;
};

/** code_maps_add() - add a mapping, which replaces older ones of the process in its range */
int code_maps_add(struct code_maps *maps, const struct code_map *code, struct error *t);

/**
 * code_maps_fork() - add a fork: from @time on, a process has the mappings that @parent has then
 */
int code_maps_fork(struct code_maps *maps, uint32_t pid, uint64_t time, uint32_t parent,
                   struct error *t);

/**
 * code_maps_settle() - finish adding. code_maps_find() can be called afterwards, even after an
 * error.
 */
int code_maps_settle(struct code_maps *maps, struct error *t);

/**
 * code_maps_find() - find the mapping of a process at an address and a time; NULL if there is none
 */
const struct code_map *code_maps_find(const struct code_maps *maps, uint32_t pid, uint64_t time,
                                      uint64_t address);

void code_maps_free(struct code_maps *maps);

/** code_maps_anonymous() - check whether a name of a mapping says that it belongs to no file */
bool code_maps_anonymous(const char *name);

#endif
