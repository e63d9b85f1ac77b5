/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_CREW_H
#define VPMU_STATS_CREW_H

#include <pthread.h>
#include <stdbool.h>

#include "fleet/probe.h"

struct worker;

/**
 * struct crew - threads that sample machines, one for each, so that none waits for another
 * @done_fd: an eventfd, which is readable when a worker has a result or has ended.
 *
 * The other fields are private.
 */
struct crew {
    int done_fd;
    pthread_mutex_t lock;
    pthread_cond_t work;
    struct worker *leaving;
};

/** crew_open() - begin without workers. Return: 0, or -1 with an error and nothing to close. */
int crew_open(struct crew *c, struct error *t);

/**
 * crew_hire() - start a worker
 * @plan: is copied; what it points to must stay valid.
 * @target: the machine.
 *
 * Return: the worker, or NULL without memory or threads.
 */
struct worker *crew_hire(struct crew *c, const struct plan *plan, const struct target *target);

/** crew_ask() - let a worker take a sample; it need not have ended the last one. */
void crew_ask(struct crew *c, struct worker *w);

/** crew_asked() - whether a sample is being taken. @w may be NULL: false. */
bool crew_asked(struct crew *c, const struct worker *w);

/**
 * crew_take() - take the worker's last result
 * @sample: is empty, and belongs to the caller afterwards.
 * @err: 0, or -1 with @t: why there is no sample.
 *
 * Return: false if there is no new one.
 */
bool crew_take(struct crew *c, struct worker *w, struct sample *sample, int *err, struct error *t);

/** crew_dismiss() - let a worker end, which takes as long as its machine. @w may be NULL. */
void crew_dismiss(struct crew *c, struct worker *w);

/** crew_reap() - free the workers that have ended. */
void crew_reap(struct crew *c);

/** crew_wait() - wait for a ring until @until. Return: false if @stop_fd, unless -1, is ready. */
bool crew_wait(const struct crew *c, int stop_fd, int64_t until);

/** crew_unring() - make @done_fd unreadable until the next ring. */
void crew_unring(struct crew *c);

/**
 * crew_close() - wait for the dismissed workers
 *
 * Return: false if some have not ended at @until. These go on until the process ends, and use @c.
 */
bool crew_close(struct crew *c, int64_t until);

#endif
