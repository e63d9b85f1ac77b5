/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_HASH_H
#define VPMU_STATS_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/*
 * The hash function is FNV-1a. A guest can construct collisions, but they affect only its own data.
 */
#define HASH_SEED 0xcbf29ce484222325ull

/**
 * hash_more() - extend a hash by more bytes
 * @hash: HASH_SEED, or the hash of the bytes before.
 * @data: the bytes to add.
 * @n: the number of bytes to add.
 *
 * Return: the hash of the bytes before and of @data together.
 */
static inline uint64_t hash_more(uint64_t hash, const void *data, size_t n)
{
    const unsigned char *bytes = data;

    for (size_t i = 0; i < n; i++) {
        hash = (hash ^ bytes[i]) * 0x100000001b3ull;
    }
    return hash;
}

/**
 * hash_words() - extend a hash by more bytes, eight at a time, for files of many MB
 * The result differs from that of hash_more(), and depends on how the bytes are divided into calls.
 */
static inline uint64_t hash_words(uint64_t hash, const void *data, size_t n)
{
    const unsigned char *bytes = data;
    uint64_t word;

    for (; n >= sizeof(word); bytes += sizeof(word), n -= sizeof(word)) {
        memcpy(&word, bytes, sizeof(word));
        hash = (hash ^ word) * 0x100000001b3ull;
        hash ^= hash >> 29;
    }
    return hash_more(hash, bytes, n);
}

/** hash_slot() - map a hash to a slot of a table. Return: 0 to @n - 1. */
static inline size_t hash_slot(uint64_t hash, size_t n)
{
    return (hash ^ hash >> 32) % n;
}

#endif
