/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_RUN_RESULT_H
#define VPMU_RUN_RESULT_H

#include <stdbool.h>
#include <stdint.h>

#include "protocol.h"
#include "report/events.h"

/**
 * struct count - of an event
 * @counted: false if the machine could not count it; @error is errno.
 * @enabled, @running: nanoseconds. They differ if events had to share counters.
 */
struct count {
    bool counted;
    int error;
    uint64_t value, enabled, running;
};

/* Numbers of system calls that are counted. Larger ones do not exist. */
#define RESULT_SYSCALLS_MAX 1024u

/* Each event has a number on each CPU. */
#define RESULT_SAMPLED_MAX (EVENTS_MAX * 64u)

/** struct sampled - samples with the number @id are of @event */
struct sampled {
    uint64_t id;
    size_t event;
};

/**
 * struct region - a part of the program that vpmu_run.h marks
 * @entries: how often it was entered.
 */
struct region {
    char name[RUN_REGION_NAME_MAX + 1];
    uint64_t entries;
    struct count count[EVENTS_MAX];
};

/**
 * struct result - what init reported
 * @syscall: counts of system calls by number.
 * @region: @regions of them, allocated; in the order of their first begin.
 * @sampled: @n_sampled of them, allocated; only of a run that is recorded.
 * @status: of waitpid().
 * @failed: errno if the program could not be executed.
 * @killed: so many processes were killed because the machine had no memory left.
 */
struct result {
    char kernel[96];
    struct count count[EVENTS_MAX];
    uint64_t syscall[RESULT_SYSCALLS_MAX];
    struct region *region;
    size_t regions;
    struct sampled *sampled;
    size_t n_sampled;
    int status;
    int failed;
    unsigned killed;
};

/**
 * result_parse() - reads the lines of protocol.h
 * @text: @size bytes, followed by a 0.
 * @events: the number of events in the job.
 *
 * Return: 0, or -1 with an error: also if the last line is missing. result_free() is needed either
 * way.
 */
int result_parse(struct result *r, char *text, size_t events, struct failure *f);

/** result_free() - frees what is allocated */
void result_free(struct result *r);

/** result_region() - finds a region by its name; returns NULL if there is none */
const struct region *result_region(const struct result *r, const char *name);

/** result_worst() - of @n runs, the first one that failed, or the last one */
const struct result *result_worst(const struct result *results, size_t n);

/** result_exit_status() - the status to exit with: the program's, or 128 and its signal */
int result_exit_status(const struct result *r);

#endif
