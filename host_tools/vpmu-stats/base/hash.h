/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_HASH_H
#define VPMU_STATS_HASH_H

#include <stddef.h>
#include <stdint.h>

/* FNV-1a. It does not withstand collisions made on purpose: a guest can only mix up its own data.
 */
#define HASH_SEED 0xcbf29ce484222325ull

/** hash_more() - the hash of what @hash is of, and of @n bytes behind it */
static inline uint64_t hash_more(uint64_t hash, const void *data, size_t n)
{
    const unsigned char *bytes = data;

    for (size_t i = 0; i < n; i++) {
        hash = (hash ^ bytes[i]) * 0x100000001b3ull;
    }
    return hash;
}

/** hash_slot() - one of @n slots */
static inline size_t hash_slot(uint64_t hash, size_t n)
{
    return (hash ^ hash >> 32) % n;
}

#endif
