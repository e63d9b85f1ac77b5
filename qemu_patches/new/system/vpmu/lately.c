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

void vpmu_forget(VPMULately *s)
{
    s->lately = s->recently;
    s->recently = s->now;
}
