/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Events stay tallied for a while after their last counter stops. */

#include "qemu/osdep.h"
#include "system/vpmu_recent_tally.h"

/* An event stays tallied for one to two of these intervals. */
#define TICK_NS NANOSECONDS_PER_SECOND
/*
 * If counting resumes so often in an interval, events stay tallied while
 * nothing is counted.
 */
#define MANY_RETURNS 32

static void tallied_add(VPMUTallied *t, VPMUTallied more)
{
    t->events |= more.events;
    t->contexts |= more.contexts;
}

VPMUTallied vpmu_recent_tally(VPMURecentTally *s, VPMUTallied now)
{
    s->returns += now.contexts && !s->now.contexts && s->recent.contexts;
    s->now = now;
    tallied_add(&s->since_tick, now);
    tallied_add(&s->recent, now);
    if ((now.events != s->recent.events ||
         now.contexts != s->recent.contexts) && !timer_pending(s->timer)) {
        timer_mod(s->timer, qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL) + TICK_NS);
    }
    s->often |= s->returns >= MANY_RETURNS;
    return now.contexts || s->often ? s->recent : now;
}

static void recent_tally_tick(CPUState *cs, run_on_cpu_data data)
{
    VPMURecentTally *s = data.host_ptr;

    s->recent = s->since_tick;
    s->since_tick = s->now;
    s->often = s->returns >= MANY_RETURNS;
    s->returns = 0;
    s->forgotten(cs);
}

static void recent_tally_timer_cb(void *opaque)
{
    VPMURecentTally *s = opaque;

    async_run_on_cpu(s->cs, recent_tally_tick, RUN_ON_CPU_HOST_PTR(s));
}

void vpmu_recent_tally_init(VPMURecentTally *s, CPUState *cs,
                            void (*forgotten)(CPUState *cs))
{
    s->cs = cs;
    s->forgotten = forgotten;
    s->timer = timer_new_ns(QEMU_CLOCK_VIRTUAL, recent_tally_timer_cb, s);
}

void vpmu_recent_tally_free(VPMURecentTally *s)
{
    timer_free(s->timer);
}
