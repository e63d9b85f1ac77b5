/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_BYTES_H
#define VPMU_STATS_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/**
 * struct bytes - numbers to take out of a record, in this machine's byte order
 * @at, @left: what has not been taken.
 * @ended: more was asked for than there is; what was taken then is 0.
 */
struct bytes {
    const unsigned char *at;
    size_t left;
    bool ended;
};

/** bytes_skip() - the next @n bytes. Return: where they are; NULL if there are fewer. */
static inline const unsigned char *bytes_skip(struct bytes *b, uint64_t n)
{
    const unsigned char *at = b->at;

    if (n > b->left) {
        b->ended = true;
        b->left = 0;
        return NULL;
    }
    b->at += n;
    b->left -= (size_t)n;
    return at;
}

static inline uint32_t bytes_u32(struct bytes *b)
{
    const unsigned char *at = bytes_skip(b, sizeof(uint32_t));
    uint32_t value = 0;

    if (at) {
        memcpy(&value, at, sizeof(value));
    }
    return value;
}

static inline uint64_t bytes_u64(struct bytes *b)
{
    const unsigned char *at = bytes_skip(b, sizeof(uint64_t));
    uint64_t value = 0;

    if (at) {
        memcpy(&value, at, sizeof(value));
    }
    return value;
}

#endif
