/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What has been counted lately: that of this second, and of the one before. */

#include "qemu/osdep.h"
#include "system/vpmu_lately.h"

/* In nanoseconds; up to twice as long. */
#define LATELY NANOSECONDS_PER_SECOND

static void tallied_add(VPMUTallied *t, VPMUTallied more)
{
    t->events |= more.events;
    t->contexts |= more.contexts;
}

VPMUTallied vpmu_lately(VPMULately *s, VPMUTallied now)
{
    s->now = now;
    tallied_add(&s->recently, now);
    tallied_add(&s->lately, now);
    if ((now.events != s->lately.events ||
         now.contexts != s->lately.contexts) && !timer_pending(s->timer)) {
        timer_mod(s->timer, qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL) + LATELY);
    }
    return s->lately;
}

/* What nobody has wanted for a second is forgotten. */
static void lately_forget(CPUState *cs, run_on_cpu_data data)
{
    VPMULately *s = data.host_ptr;

    s->lately = s->recently;
    s->recently = s->now;
    s->forgotten(cs);
}

static void lately_timer_cb(void *opaque)
{
    VPMULately *s = opaque;

    async_run_on_cpu(s->cs, lately_forget, RUN_ON_CPU_HOST_PTR(s));
}

void vpmu_lately_init(VPMULately *s, CPUState *cs,
                      void (*forgotten)(CPUState *cs))
{
    s->cs = cs;
    s->forgotten = forgotten;
    s->timer = timer_new_ns(QEMU_CLOCK_VIRTUAL, lately_timer_cb, s);
}

void vpmu_lately_free(VPMULately *s)
{
    timer_free(s->timer);
}
