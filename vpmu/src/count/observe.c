/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/*
 * Observers: counters that only the owner of the machine sees, and their periods. The architecture
 * decides in which contexts an observer counts.
 */
#include "count_internal.h"

static uint64_t total_of(const struct vpmu_count *c, const struct vpmu_observer *o)
{
    return vpmu_total_(c, o->sources & c->sources, o->mask);
}

/* Returns by how much the totals increase per count. */
static uint64_t unit_of(const struct vpmu_count *c, const struct vpmu_observer *o)
{
    return o->sources & VPMU_SRC_BIT(VPMU_SRC_CPU_CYCLES) ? c->cycle_units : 1;
}

/* The totals of an observer with a period increased by @n. Returns what is due. */
static int pass(const struct vpmu_count *c, struct vpmu_observer *o, uint64_t n)
{
    uint64_t units = o->period * unit_of(c, o);

    if (n < o->left) {
        o->left -= n;
        return 0;
    }
    o->ended += 1 + (n - o->left) / units;
    o->ended_ctx = c->ctx;
    o->left = units - (n - o->left) % units;
    return VPMU_DUE_SAMPLES | VPMU_DUE_REARM;
}

int vpmu_observer_take_(const struct vpmu_count *c, struct vpmu_observer *o, uint16_t mask)
{
    uint64_t before = total_of(c, o);
    uint64_t n = vpmu_take_(&o->base, before);

    o->value += n;
    if (mask != o->mask) {
        o->mask = mask;
        vpmu_move_mark_(&o->base, before, total_of(c, o));
    }
    return o->period ? pass(c, o, n) : 0;
}

int vpmu_observers_sample_(struct vpmu_count *c, const struct vpmu_now *now)
{
    int due = 0;

    if (c->observes_time) {
        vpmu_clocks_settle_(c, now);
    }
    for (struct vpmu_observer *o = c->observers; o; o = o->next) {
        due |= o->period ? vpmu_observer_take_(c, o, o->mask) : 0;
    }
    return due;
}

bool vpmu_sample_next(struct vpmu_count *c, struct vpmu_sample *sample)
{
    struct vpmu_observer *o = c->observers;

    while (o && !o->ended) {
        o = o->next;
    }
    if (!o) {
        return false;
    }
    *sample = (struct vpmu_sample){.observer = o, .periods = o->ended, .ctx = o->ended_ctx};
    o->ended = 0;
    return true;
}

int vpmu_observer_set_period(struct vpmu_count *c, struct vpmu_observer *o, uint64_t period)
{
    uint64_t passed = o->period * unit_of(c, o) - o->left;

    if (!o->period || !period || period > VPMU_PERIOD_MAX) {
        return -VPMU_ERR_EVENT;
    }
    o->period = period;
    o->left = period * unit_of(c, o);
    return VPMU_DUE_REARM | pass(c, o, passed);
}

uint64_t vpmu_observers_headroom_(const struct vpmu_count *c, vpmu_sources sources, unsigned ctx)
{
    uint64_t least = UINT64_MAX;

    for (const struct vpmu_observer *o = c->observers; o; o = o->next) {
        if (o->period && (o->sources & sources) && (o->mask >> ctx & 1)) {
            uint64_t left = vpmu_room_left_(o->left, total_of(c, o), o->base);

            least = left < least ? left : least;
        }
    }
    return least;
}

int vpmu_observers_want_(struct vpmu_count *c)
{
    c->sampling = false;
    c->observes_time = false;
    for (unsigned ctx = 0; ctx < c->totals.contexts; ctx++) {
        c->wanted[ctx] = c->metered & c->sources;
    }
    for (const struct vpmu_observer *o = c->observers; o; o = o->next) {
        unsigned contexts = 0;
        unsigned ctx;

        for (unsigned world = 0; world < VPMU_WORLD_COUNT; world++) {
            contexts |= o->ctx_mask[world];
        }
        VPMU_FOR_EACH_BIT (ctx, contexts & vpmu_below_(c->totals.contexts)) {
            c->wanted[ctx] |= o->sources & c->sources;
        }
        c->observes_time |= (o->sources & c->timed) != 0;
        c->sampling |= o->period != 0;
    }
    c->watches_time = c->observes_time || c->metered;
    return VPMU_DUE_REARM;
}

/* Returns the link to the observer in the list, or the link at its end. */
static struct vpmu_observer **find(struct vpmu_count *c, const struct vpmu_observer *o)
{
    struct vpmu_observer **link = &c->observers;

    while (*link && *link != o) {
        link = &(*link)->next;
    }
    return link;
}

static uint64_t count_of(const struct vpmu_count *c, const struct vpmu_observer *o)
{
    return (o->value + vpmu_since_(total_of(c, o), o->base)) / unit_of(c, o);
}

int vpmu_observer_add_(struct vpmu_count *c, struct vpmu_observer *o, uint16_t mask,
                       const struct vpmu_now *now)
{
    if (*find(c, o)) {
        return -VPMU_ERR_WATCH;
    }
    if (o->period > VPMU_PERIOD_MAX) {
        return -VPMU_ERR_EVENT;
    }
    vpmu_clocks_settle_(c, now);
    o->value = 0;
    o->left = o->period * unit_of(c, o);
    o->ended = 0;
    o->mask = mask;
    o->base = total_of(c, o);
    o->next = c->observers;
    c->observers = o;
    return vpmu_observers_want_(c);
}

int vpmu_observer_remove_(struct vpmu_count *c, struct vpmu_observer *o, const struct vpmu_now *now,
                          uint64_t *count)
{
    struct vpmu_observer **link = find(c, o);

    *count = 0;
    if (!*link) {
        return -VPMU_ERR_WATCH;
    }
    vpmu_clocks_settle_(c, now);
    vpmu_observer_take_(c, o, o->mask);
    *link = o->next;
    *count = count_of(c, o);
    return vpmu_observers_want_(c);
}

uint64_t vpmu_observer_read_(struct vpmu_count *c, const struct vpmu_observer *o,
                             const struct vpmu_now *now)
{
    vpmu_clocks_settle_(c, now);
    return count_of(c, o);
}
