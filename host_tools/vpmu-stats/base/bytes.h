/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_BYTES_H
#define VPMU_STATS_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/**
 * struct bytes - a position in a record, for reading integers in the byte order of the host
 * @at: the next byte to read.
 * @left: the number of bytes that are left.
 * @ended: true after an attempt to read past the end. Integers are then read as 0.
 */
struct bytes {
    const unsigned char *at;
    size_t left;
    bool ended;
};

/**
 * bytes_skip() - skip bytes of a record
 * @b: the position. If fewer than @n bytes are left, nothing is left afterwards.
 * @n: the number of bytes to skip.
 *
 * Return: a pointer to the first skipped byte; NULL if fewer than @n bytes are left.
 */
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

/** bytes_u32() - read a 32-bit integer. Return: the integer; 0 if fewer than 4 bytes are left. */
static inline uint32_t bytes_u32(struct bytes *b)
{
    const unsigned char *at = bytes_skip(b, sizeof(uint32_t));
    uint32_t value = 0;

    if (at) {
        memcpy(&value, at, sizeof(value));
    }
    return value;
}

/** bytes_u64() - read a 64-bit integer. Return: the integer; 0 if fewer than 8 bytes are left. */
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
