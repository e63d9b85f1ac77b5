/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "runtime.h"

/* What has happened to a program: the first entries as they are, all of them as a hash. */
static uint64_t hash;
static unsigned entries;

#define HASH_FACTOR UINT64_C(0x9e3779b97f4a7c15)
/* So many exceptions, and a program has had enough: it goes round and round. */
#define EXCEPTION_LIMIT 2000

void log_start(void)
{
    hash = 0;
    entries = 0;
}

static uint64_t mix(uint64_t h, uint64_t value)
{
    h = (h ^ value) * HASH_FACTOR;
    return h ^ h >> 29;
}

uint64_t hash_words(const uint64_t *words, unsigned count)
{
    uint64_t h = 0;

    for (unsigned i = 0; i < count; i++) {
        h = mix(h, words[i]);
    }
    return h;
}

/* False if there have been too many. */
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
    hash = mix(mix(mix(mix(hash, a), b), c), d);
    return ++entries <= EXCEPTION_LIMIT;
}

void log_end(void)
{
    result->log_hash = hash;
    result->exceptions = entries;
}
