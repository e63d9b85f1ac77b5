/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_FLEET_H
#define VPMU_STATS_FLEET_H

#include <pthread.h>

#include "fleet/probe.h"

struct worker;

/**
 * struct member - a machine of a fleet, as it was when it was looked at last
 * @target: how it is reached.
 * @name: what it is called: its own name, or where that is another's already, or not known, the
 *     target's. No other member has it. Tame, and valid UTF-8.
 * @up: it answered.
 * @hidden: not shown: the user did not name it, and it has no virtual PMU.
 * @why: it is not up.
 * @now: what it said last, also if it is not up any more.
 * @before: what it said before that, if the same counts have gone on since; else there is none.
 *
 * The rest is private.
 */
struct member {
    struct target target;
    char *name;
    bool up;
    bool hidden;
    struct error why;
    struct sample now;
    struct sample before;
    char *own; /* what it calls itself */
    struct worker *worker;
    bool waited;
    bool reported_up;
    unsigned told;
    int64_t reported_at;
};

/**
 * struct fleet - all machines that are to be looked at, as they come and go
 * @plan: what is to be known of them.
 * @member: @n of them, in no order.
 * @first: the first error of any machine, or of finding them.
 * @finding: why it is not known which machines there are; those known are kept then.
 *
 * The rest is private.
 */
struct fleet {
    struct plan plan;
    size_t n;
    struct member *member[TARGETS_MAX];
    struct error first;
    struct error finding;
    bool reported_finding;
    struct targets named;
    bool found[OPTIONS_MAX_ARGUMENTS];
    struct worker *leaving;
    pthread_mutex_t lock;
    pthread_cond_t work;
    int done_fd;
};

/**
 * fleet_open() - makes a fleet of no machines yet
 * Return: 0, after which fleet_close() is needed; or -1.
 */
int fleet_open(struct fleet *f, const struct plan *plan, struct error *t);

/**
 * fleet_look() - finds out which machines there are, and asks all of them at once
 *
 * It takes no longer than plan.options->patience. A machine that is new, or was up, is waited for
 * that long and is then down; one that was down is asked, but not waited for.
 *
 * Return: 0, also if machines are down, or none is there; or -1 with ERROR_STOPPED.
 */
int fleet_look(struct fleet *f, struct error *t);

/**
 * fleet_tell() - one line on standard error for each machine that is no longer up, or is again, and
 * if it is no longer known which there are
 *
 * A machine that keeps changing is reported at most once a minute.
 */
void fleet_tell(struct fleet *f);

/**
 * fleet_close() - switches off what was switched on, in all machines that answer within seconds
 *
 * Return: false if some did not: then threads may still use @f and what is in its plan.
 */
bool fleet_close(struct fleet *f);

#endif
