/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#ifndef VPMU_TESTS_CHOOSER_H
#define VPMU_TESTS_CHOOSER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

/**
 * struct chooser - the source of a test's random choices
 * @state: the state of the pseudo-random sequence (splitmix64); any value is a seed.
 * @bytes: a fuzzer's input; NULL to use the sequence.
 * @left: the bytes of it that are not used yet. When none are left, every choice is 0.
 */
struct chooser {
    uint64_t state;
    const uint8_t *bytes;
    size_t left;
};

/* Returns a seed that differs from run to run. */
static inline uint64_t choose_seed(void)
{
    struct timespec now;

    timespec_get(&now, TIME_UTC);
    return (uint64_t)now.tv_sec << 20 ^ (uint64_t)now.tv_nsec;
}

static inline uint64_t choose_bytes(struct chooser *c, unsigned count)
{
    uint64_t value = 0;

    for (; count > 0 && c->left > 0; count--) {
        value = value << 8 | *c->bytes++;
        c->left--;
    }
    return value;
}

/* Returns 64 independent bits. */
static inline uint64_t choose_bits(struct chooser *c)
{
    uint64_t z;

    if (c->bytes != NULL) {
        return choose_bytes(c, 8);
    }
    z = c->state += 0x9e3779b97f4a7c15ull;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ z >> 27) * 0x94d049bb133111ebull;
    return z ^ z >> 31;
}

/* Returns 0 to n - 1. n is at least 1. */
static inline uint64_t choose_below(struct chooser *c, uint64_t n)
{
    if (c->bytes != NULL && n <= 256) {
        return choose_bytes(c, 1) % n;
    }
    return choose_bits(c) % n;
}

/* Returns true once in n times. */
static inline bool choose_one_in(struct chooser *c, uint64_t n)
{
    return choose_below(c, n) == n - 1;
}

#endif
