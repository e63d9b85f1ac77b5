/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "../hash.h"
#include "runtime.h"

/*
 * What has happened to a program: the first entries in full, all of them as a hash. Samples have a
 * log of their own, because an NMI may also come while an exception is logged.
 */
struct log {
    uint64_t hash;
    unsigned entries;
};

static struct log exceptions;
static struct log samples;

/* A program with this many exceptions is in an endless loop and is ended. */
#define EXCEPTION_LIMIT 2000

void log_start(void)
{
    exceptions = samples = (struct log){0};
}

static void add(struct log *log, uint64_t (*to)[LOG_WORDS], const uint64_t entry[LOG_WORDS])
{
    unsigned n = log->entries;

    if (n >= LOG_FIRST) {
        n = LOG_FIRST + (n - LOG_FIRST) % (LOG_ENTRIES - LOG_FIRST);
    }
    for (unsigned i = 0; i < LOG_WORDS; i++) {
        to[n][i] = entry[i];
        log->hash = hash_mix(log->hash, entry[i]);
    }
    log->entries++;
}

/* Returns false if there have been too many. */
bool log_exception(uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
    add(&exceptions, result->log, (const uint64_t[LOG_WORDS]){a, b, c, d});
    return exceptions.entries <= EXCEPTION_LIMIT;
}

void log_sample(uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
    add(&samples, result->samples, (const uint64_t[LOG_WORDS]){a, b, c, d});
}

void log_end(void)
{
    result->log_hash = exceptions.hash;
    result->exceptions = exceptions.entries;
    result->samples_hash = samples.hash;
}
