/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_WRITTEN_MAPS_H
#define VPMU_STATS_WRITTEN_MAPS_H

#include <stdbool.h>
#include <stdint.h>

#define WRITTEN_MAPS_SLOTS 1024u

/**
 * struct written_map - code of a process: what of a file is where, from @time on
 * @space: number of its address space, which is another once it executes another program.
 */
struct written_map {
    uint32_t pid;
    uint64_t space;
    uint64_t time;
    uint64_t start;
    uint64_t length;
    uint64_t offset;
    const char *path;
};

/**
 * struct written_maps - the mappings that the file already has; 0 at first
 *
 * Private. It has a fixed size, since a guest has any number of processes: a mapping that does not
 * fit is written again.
 */
struct written_maps {
    uint64_t spaces;
    struct {
        uint64_t space;
        uint64_t number; /* counted from 1: whenever it is another */
        uint32_t pid;
    } process[WRITTEN_MAPS_SLOTS];
    struct {
        uint64_t number;
        uint64_t time;
        uint64_t start;
        uint64_t what;
        uint32_t pid;
    } code[WRITTEN_MAPS_SLOTS];
};

/**
 * written_maps_is_new() - must this mapping be written? It counts as written then.
 *
 * Records of one vCPU can follow later ones of another: a mapping that was written for a later time
 * is new.
 */
bool written_maps_is_new(struct written_maps *written, const struct written_map *code);

#endif
