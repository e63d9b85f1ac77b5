/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_RUN_RESULT_H
#define VPMU_RUN_RESULT_H

#include <stdbool.h>
#include <stdint.h>

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

/**
 * struct result - what init reported
 * @syscall: counts of system calls by number.
 * @status: of waitpid().
 * @failed: errno if the program could not be executed.
 */
struct result {
    char kernel[96];
    struct count count[EVENTS_MAX];
    uint64_t syscall[RESULT_SYSCALLS_MAX];
    int status;
    int failed;
};

/**
 * result_parse() - reads the lines of protocol.h
 * @text: @size bytes, followed by a 0.
 * @events: the number of events in the job.
 *
 * Return: 0, or -1 with an error: also if the last line is missing.
 */
int result_parse(struct result *r, char *text, size_t events, struct failure *f);

/** result_exit_status() - the status to exit with: the program's, or 128 and its signal */
int result_exit_status(const struct result *r);

#endif
