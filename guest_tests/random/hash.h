/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RANDOM_HASH_H
#define RANDOM_HASH_H

#include <stdint.h>

/* How the runtimes fill memory, and reduce a lot of it to one word. */

#define HASH_FACTOR UINT64_C(0x9e3779b97f4a7c15)

static inline uint64_t hash_mix(uint64_t h, uint64_t value)
{
    h = (h ^ value) * HASH_FACTOR;
    return h ^ h >> 29;
}

static inline uint64_t hash_words(const uint64_t *words, unsigned count)
{
    uint64_t h = 0;

    for (unsigned i = 0; i < count; i++) {
        h = hash_mix(h, words[i]);
    }
    return h;
}

/* Returns the seed for the next fill. */
static inline uint64_t fill_words(uint64_t *words, unsigned count, uint64_t seed)
{
    for (unsigned i = 0; i < count; i++) {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        words[i] = seed;
    }
    return seed;
}

#endif
