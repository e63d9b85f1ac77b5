/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_WRITTEN_MAPS_H
#define VPMU_STATS_WRITTEN_MAPS_H

#include <stdbool.h>
#include <stdint.h>

#define WRITTEN_MAPS_SLOTS 1024u

/**
 * struct written_map - a mapping of a process
 * @pid: process.
 * @space: number of its address space. It changes when the process executes another program.
 * @time: when the mapping was seen, in nanoseconds.
 * @start: virtual address.
 * @length: size in bytes.
 * @offset: offset in the file.
 * @path: path of the file.
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
 * struct written_maps - the mappings that the file has already; all 0 at first
 *
 * All fields are private. The size is fixed, because a guest has any number of processes. A mapping
 * that was dropped from the table is written again.
 */
struct written_maps {
    uint64_t spaces;
    uint64_t order;
    struct {
        uint64_t space;
        uint64_t number; /* counts address spaces, from 1 */
        uint32_t pid;
    } process[WRITTEN_MAPS_SLOTS];
    struct {
        uint64_t number;
        uint64_t time;
        uint64_t start;
        uint64_t end;
        uint64_t order; /* counts written mappings, from 1 */
        uint64_t what;
        uint32_t pid;
    } code[WRITTEN_MAPS_SLOTS];
};

/**
 * written_maps_is_new() - test whether a mapping must be written, and mark it as written
 *
 * Records of one vCPU can arrive after later records of another vCPU. A mapping that was written
 * for a later time is therefore new. So is one that was replaced meanwhile, even in part.
 *
 * Return: true if the mapping must be written.
 */
bool written_maps_is_new(struct written_maps *written, const struct written_map *code);

#endif
