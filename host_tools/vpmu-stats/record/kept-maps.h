/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_KEPT_MAPS_H
#define VPMU_STATS_KEPT_MAPS_H

#include <stddef.h>

#include "base/error.h"
#include "vpmu/record.h"

/* The most areas that are kept. Programs with many libraries have some hundred areas of code. */
#define KEPT_MAPS_MAX 1024u

/** struct kept_map - a mapping as the machine has sent it, with a path that is safe to print */
struct kept_map {
    struct vpmu_record_map map;
    char *path;
};

/**
 * struct kept_maps - the mappings of the process that a vCPU runs; all 0 at first
 *
 * The machine sends the mappings of a process again after the vCPU has run another one, so these
 * are all that a new file needs.
 */
struct kept_maps {
    struct kept_map *map;
    size_t n;
    size_t room;
};

/**
 * kept_maps_add() - add a mapping, and drop those of another process, and those that it overlaps
 *
 * Return: 0 or -1.
 */
int kept_maps_add(struct kept_maps *k, const struct vpmu_record_map *map, const char *path,
                  struct error *t);

void kept_maps_free(struct kept_maps *k);

#endif
