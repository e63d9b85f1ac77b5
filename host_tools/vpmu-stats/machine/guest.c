/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Observes how a guest's perf uses its event counters, from the state of the PMU at several times.
 */
#include "machine/guest.h"

static void take_counter(struct guest_use *u, const struct counter *c)
{
    u->on |= UINT32_C(1) << c->index;
    u->type[c->index] = c->type;
    u->enabled++;
    u->uncounted += !c->name;
}

/* Only event counters are examined. The other counters always count the same event. */
static void take_counters(struct guest_use *u, const struct pmu *p)
{
    for (size_t i = 0; i < p->n; i++) {
        if (p->counters[i].enabled && p->counters[i].index < MACHINE_CYCLE_COUNTER) {
            take_counter(u, &p->counters[i]);
        }
    }
}

static bool is_changed(const struct guest_use *now, const struct guest_use *before)
{
    for (unsigned i = 0; i < MACHINE_CYCLE_COUNTER; i++) {
        if ((now->on & before->on) >> i & 1 && now->type[i] != before->type[i]) {
            return true;
        }
    }
    return false;
}

void guest_look(struct guest_use *u, const struct pmu *p)
{
    const struct guest_use before = *u;

    *u = (struct guest_use){
        .counters = p->event_counters, .looks = before.looks, .changed = before.changed};
    take_counters(u, p);
    if (u->on & before.on) {
        u->looks++;
        u->changed += is_changed(u, &before);
    }
}
