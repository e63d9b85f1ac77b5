/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CACHES_H
#define CACHES_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Linux's numbers of caches, operations and results. */
#define L1D_READ_MISS (PERF_COUNT_HW_CACHE_L1D | PERF_COUNT_HW_CACHE_RESULT_MISS << 16)

struct cache {
    uint64_t ways;
    uint64_t line;
    uint64_t sets;
};

/**
 * cache_text() - reads a file of the first CPU's cache
 * @index: Linux numbers L1D, L1I, L2 and the last level from 0. lscpu -C prints these files.
 * @name: of the file.
 * @text: what is in it, without the end of the line; empty if there is none.
 * @size: of @text.
 */
void cache_text(unsigned index, const char *name, char *text, size_t size);

/* The number in such a file; 0: there is none. */
uint64_t cache_number(unsigned index, const char *name);

/**
 * cache_expect() - expects that a cache has this geometry
 * @cache: the geometry.
 * @type, @config: perf's event of its misses.
 *
 * As many lines of one set as the cache has ways stay in it, and one more line makes all of them
 * miss, with FIFO and with LRU. The caches before it must have no more ways and sets.
 */
void cache_expect(const struct cache *cache, uint32_t type, uint64_t config);

/* Stays on the first CPU: each has caches of its own. */
void cache_stay(void);

#endif
