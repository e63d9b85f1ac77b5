/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "../hash.h"
#include "runtime.h"

/* What has happened to a program: the first entries in full, all of them as a hash. */
static uint64_t hash;
static unsigned entries;

/* A program with this many exceptions is in an endless loop and is ended. */
#define EXCEPTION_LIMIT 2000

void log_start(void)
{
    hash = 0;
    entries = 0;
}

/* Returns false if there have been too many. */
bool log_add(uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
    unsigned n = entries;
    uint64_t *to;

    if (n >= LOG_FIRST) {
        n = LOG_FIRST + (n - LOG_FIRST) % (LOG_ENTRIES - LOG_FIRST);
    }
    to = result->log[n];
    to[0] = a;
    to[1] = b;
    to[2] = c;
    to[3] = d;
    hash = hash_mix(hash_mix(hash_mix(hash_mix(hash, a), b), c), d);
    return ++entries <= EXCEPTION_LIMIT;
}

void log_end(void)
{
    result->log_hash = hash;
    result->exceptions = entries;
}
