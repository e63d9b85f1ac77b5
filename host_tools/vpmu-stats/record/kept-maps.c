/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/kept-maps.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static void clear(struct kept_maps *k)
{
    for (size_t i = 0; i < k->n; i++) {
        free(k->map[i].path);
    }
    k->n = 0;
}

static bool has(const struct kept_maps *k, const struct vpmu_record_map *map, const char *path)
{
    for (size_t i = 0; i < k->n; i++) {
        if (k->map[i].map.start == map->start && k->map[i].map.end == map->end &&
            k->map[i].map.offset == map->offset && strcmp(k->map[i].path, path) == 0) {
            return true;
        }
    }
    return false;
}

/* Removes the areas that the new one overlaps: they are no longer there. */
static void remove_others(struct kept_maps *k, const struct vpmu_record_map *map)
{
    size_t n = 0;

    for (size_t i = 0; i < k->n; i++) {
        if (k->map[i].map.start < map->end && k->map[i].map.end > map->start) {
            free(k->map[i].path);
        } else {
            k->map[n++] = k->map[i];
        }
    }
    k->n = n;
}

/* The oldest area goes if there are too many: a guest can make any number of them. */
static int make_room(struct kept_maps *k, struct error *t)
{
    size_t room = k->room ? 2 * k->room : 16;
    struct kept_map *map;

    if (k->n == KEPT_MAPS_MAX) {
        free(k->map[0].path);
        memmove(k->map, k->map + 1, --k->n * sizeof(*k->map));
    }
    if (k->n < k->room) {
        return 0;
    }
    map = reallocarray(k->map, room, sizeof(*map));
    if (!map) {
        return error_memory(t);
    }
    k->map = map;
    k->room = room;
    return 0;
}

int kept_maps_add(struct kept_maps *k, const struct vpmu_record_map *map, const char *path,
                  struct error *t)
{
    if (k->n && (k->map[0].map.pid != map->pid || k->map[0].map.space != map->space)) {
        clear(k);
    }
    if (has(k, map, path)) {
        return 0;
    }
    remove_others(k, map);
    if (make_room(k, t)) {
        return -1;
    }
    k->map[k->n] = (struct kept_map){.map = *map, .path = strdup(path)};
    if (!k->map[k->n].path) {
        return error_memory(t);
    }
    k->n++;
    return 0;
}

void kept_maps_free(struct kept_maps *k)
{
    clear(k);
    free(k->map);
    *k = (struct kept_maps){0};
}
