/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* Counters that only the machine's owner sees: the sum of totals while somebody runs. */
#include "vpmu/observer.h"

#include "watch_internal.h"

static uint64_t total_of(const struct vpmu *v, const struct vpmu_observer *o)
{
    const struct vpmu_counter c = {.sources = o->sources & v->config.sources, .ctx_mask = o->mask};

    return vpmu_total_(v, &c);
}

/* Has the host's kernel switched the counter on that this observer depends on? */
static bool gate_open(const struct vpmu_watch *w, const struct vpmu_observer *o)
{
    return o->gate == VPMU_UNGATED ||
           (o->gate < VPMU_COUNTER_COUNT && w->settled && vpmu_enabled_(&w->host, o->gate));
}

static uint16_t mask_now(const struct vpmu_watch *w, const struct vpmu_observer *o)
{
    return gate_open(w, o) ? o->ctx_mask[w->world] & VPMU_ALL_CONTEXTS : 0;
}

static void settle(struct vpmu *v, struct vpmu_observer *o)
{
    uint64_t before = total_of(v, o);

    o->value += vpmu_take_(&o->base, before);
    o->mask = mask_now(v->watch, o);
    vpmu_move_mark_(&o->base, before, total_of(v, o));
}

void vpmu_observers_settle_(struct vpmu *v)
{
    for (struct vpmu_observer *o = v->watch->observers; o; o = o->next) {
        settle(v, o);
    }
}

/* Where the list has it, or its end. */
static struct vpmu_observer **find(struct vpmu *v, const struct vpmu_observer *o)
{
    struct vpmu_observer **link = &v->watch->observers;

    while (*link && *link != o) {
        link = &(*link)->next;
    }
    return link;
}

int vpmu_observer_add(struct vpmu *v, struct vpmu_observer *o)
{
    if (!v->watch || *find(v, o)) {
        return -VPMU_ERR_WATCH;
    }
    vpmu_clocks_settle_(v);
    o->value = 0;
    o->mask = mask_now(v->watch, o);
    o->base = total_of(v, o);
    o->next = v->watch->observers;
    v->watch->observers = o;
    vpmu_watch_rearm_(v);
    return 0;
}

void vpmu_observer_remove(struct vpmu *v, struct vpmu_observer *o)
{
    struct vpmu_observer **link = v->watch ? find(v, o) : NULL;

    if (link && *link) {
        *link = o->next;
        vpmu_watch_rearm_(v);
    }
}

uint64_t vpmu_observer_read(struct vpmu *v, const struct vpmu_observer *o)
{
    uint64_t units = o->sources & VPMU_SRC_BIT(VPMU_SRC_CPU_CYCLES) ? v->config.cycle_units : 1;

    vpmu_clocks_settle_(v);
    return (o->value + vpmu_since_(total_of(v, o), o->base)) / units;
}
