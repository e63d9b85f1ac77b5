/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_PROGRESS_H
#define VPMU_STATS_PROGRESS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/**
 * struct progress - a line on standard error that says what the program is doing
 *
 * Nothing is shown in the first second, or if standard error is not a terminal. All members are
 * private.
 */
struct progress {
    const char *what;
    atomic_uint percent; /* 0: not known */
    bool runs;
    bool ends;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t change;
};

/**
 * progress_start() - start a step that can take long
 * @what: a phrase such as "reading perf.data". The caller keeps it until progress_stop(). Control
 *     characters are replaced.
 *
 * Until progress_stop(), nothing else should be printed on the terminal.
 */
void progress_start(struct progress *p, const char *what);

/** progress_at() - @done of @all is done. @p may be NULL. */
void progress_at(struct progress *p, uint64_t done, uint64_t all);

/** progress_stop() - remove the line. Does nothing if @p is all 0 or was stopped before. */
void progress_stop(struct progress *p);

#endif
