/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* Counters that only the machine's owner sees: sums of totals while host or guest runs. */
#include "vpmu/observer.h"

#include "watch_internal.h"

static uint64_t total_of(const struct vpmu *v, const struct vpmu_observer *o)
{
    return vpmu_total_(v->count.totals, o->sources & v->config.sources, o->mask);
}

/* Has the host's kernel switched the counter on that this observer depends on? */
static bool gate_open(const struct vpmu *v, const struct vpmu_observer *o)
{
    struct vpmu_setup_ host = vpmu_host_(v);

    return o->gate == VPMU_UNGATED ||
           (o->gate < VPMU_COUNTER_COUNT && v->watch->host_known && vpmu_enabled_(&host, o->gate));
}

static uint16_t mask_now(const struct vpmu *v, const struct vpmu_observer *o)
{
    return gate_open(v, o) ? o->ctx_mask[v->watch->world] & VPMU_CTXS_ALL : 0;
}

/* What its totals move by for each count. */
static uint64_t unit_of(const struct vpmu *v, const struct vpmu_observer *o)
{
    return o->sources & VPMU_SRC_BIT(VPMU_SRC_CPU_CYCLES) ? v->config.cycle_units : 1;
}

/*
 * The totals of an observer with a period moved by @n. Each time a period ends its owner may choose
 * another one. Returns whether one did.
 */
static bool pass(const struct vpmu *v, struct vpmu_observer *o, uint64_t n)
{
    bool ended = n >= o->left;

    while (o->period && n >= o->left) {
        uint64_t units = o->period * unit_of(v, o);
        uint64_t periods = 1 + (n - o->left) / units;

        n = (n - o->left) % units;
        o->sample(v->count.opaque, o, periods);
        o->left = o->period * unit_of(v, o);
    }
    o->left -= n;
    return ended;
}

/* Returns whether samples were due. */
static bool settle(struct vpmu *v, struct vpmu_observer *o)
{
    uint64_t before = total_of(v, o);
    uint64_t n = vpmu_take_(&o->base, before);
    uint16_t mask = mask_now(v, o);

    o->value += n;
    if (mask != o->mask) {
        o->mask = mask;
        vpmu_move_mark_(&o->base, before, total_of(v, o));
    }
    return o->period && pass(v, o, n);
}

void vpmu_observers_settle_(struct vpmu *v)
{
    for (struct vpmu_observer *o = v->watch->observers; o; o = o->next) {
        settle(v, o);
    }
}

bool vpmu_observers_sample_(struct vpmu *v)
{
    bool sampled = false;

    if (v->watch->wants_time) {
        vpmu_clocks_settle_(&v->count);
    }
    for (struct vpmu_observer *o = v->watch->observers; o; o = o->next) {
        sampled |= o->period && settle(v, o);
    }
    return sampled;
}

void vpmu_sample(struct vpmu *v)
{
    if (vpmu_watch_samples(v) && vpmu_observers_sample_(v)) {
        v->count.ops->rearm(v->count.opaque);
    }
}

uint64_t vpmu_observers_headroom_(const struct vpmu *v, uint64_t sources, unsigned ctx)
{
    uint64_t least = UINT64_MAX;

    for (const struct vpmu_observer *o = v->watch->observers; o; o = o->next) {
        if (o->period && (o->sources & sources) && (o->mask >> ctx & 1)) {
            uint64_t left = vpmu_room_left_(o->left, total_of(v, o), o->base);

            least = left < least ? left : least;
        }
    }
    return least;
}

void vpmu_watch_rearm_(struct vpmu *v)
{
    struct vpmu_watch *w = v->watch;
    uint64_t own = VPMU_SRC_BIT(VPMU_SRC_INST_RETIRED) | VPMU_SRC_BIT(VPMU_SRC_CPU_CYCLES);

    w->wants_time = w->blackout;
    w->sampling = false;
    for (unsigned ctx = 0; ctx < VPMU_CTX_COUNT; ctx++) {
        v->count.wanted[ctx] = w->blackout ? own & v->config.sources : 0;
    }
    for (const struct vpmu_observer *o = w->observers; o; o = o->next) {
        unsigned contexts = 0;
        unsigned ctx;

        for (unsigned world = 0; world < VPMU_WORLD_COUNT; world++) {
            contexts |= o->ctx_mask[world];
        }
        VPMU_FOR_EACH_BIT (ctx, contexts & VPMU_CTXS_ALL) {
            v->count.wanted[ctx] |= o->sources & v->config.sources;
        }
        w->wants_time |= (o->sources & v->config.timed) != 0;
        w->sampling |= o->period != 0;
    }
    v->count.ops->rearm(v->count.opaque);
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
    if (o->period > VPMU_PERIOD_MAX || (o->period && !o->sample)) {
        return -VPMU_ERR_EVENT;
    }
    vpmu_clocks_settle_(&v->count);
    o->value = 0;
    o->left = o->period * unit_of(v, o);
    o->mask = mask_now(v, o);
    o->base = total_of(v, o);
    o->next = v->watch->observers;
    v->watch->observers = o;
    vpmu_watch_rearm_(v);
    return 0;
}

uint64_t vpmu_observer_remove(struct vpmu *v, struct vpmu_observer *o)
{
    struct vpmu_observer **link = v->watch ? find(v, o) : NULL;

    if (!link || !*link) {
        return 0;
    }
    vpmu_clocks_settle_(&v->count);
    settle(v, o);
    *link = o->next;
    vpmu_watch_rearm_(v);
    return o->value / unit_of(v, o);
}

uint64_t vpmu_observer_read(struct vpmu *v, const struct vpmu_observer *o)
{
    vpmu_clocks_settle_(&v->count);
    return (o->value + vpmu_since_(total_of(v, o), o->base)) / unit_of(v, o);
}
