/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#include "host_run.h"

#include <string.h>

#define VMID(n) ((uint64_t)(n) << 48)

/* Observers that count everything. */
static const struct {
    const char *text;
    const char *levels;
    const char *sides;
} ungated[] = {
    {"instructions", "ukh", "GH"}, {"instructions:u", "u", "GH"},  {"instructions:k", "k", "GH"},
    {"instructions:h", "h", "GH"}, {"instructions:G", "ukh", "G"}, {"instructions:H", "ukh", "H"},
    {"instructions:kG", "k", "G"}, {"instructions:hH", "h", "H"},  {"instructions:ukH", "uk", "H"},
};

_Static_assert(COUNT_OF(ungated) == UNGATED_OBSERVERS, "one text for each");

bool one_in(struct host_run *t, uint64_t n)
{
    return choose_one_in(&t->c, n);
}

/* The record */

static char side_of(enum place place)
{
    return place == G_EL0 || place == G_EL1 ? 'G' : 'H';
}

static char level_of(enum place place)
{
    static const char levels[] = {[N_EL0] = 'u', [N_EL1] = 'k', [N_EL2] = 'h', [V_EL0] = 'u',
                                  [V_EL2] = 'k', [G_EL0] = 'u', [G_EL1] = 'k', [FIRMWARE] = 'h'};

    return levels[place];
}

bool lets_in(const struct event *e, enum place place, bool moved)
{
    switch (place) {
    case N_EL0:
        return !e->u;
    case N_EL1:
        return !e->k;
    case N_EL2:
        return e->nsh || (!e->hv && !e->xh);
    case V_EL0:
        return moved ? e->xh : !e->u && !e->xh;
    case V_EL2:
        return !e->k && !e->xh;
    default:
        return false;
    }
}

static bool lets_guest_in(const struct host_run *t, const struct event *e, enum place place)
{
    if (!t->mode->vhe) {
        return place == G_EL0 ? !e->u : !e->k;
    }
    return place == G_EL0 ? lets_in(e, V_EL0, e->moved) : !e->k && !e->xg;
}

static bool counts(const struct host_run *t, const struct event *e)
{
    enum place place = t->s.place;

    return t->e && e->hw &&
           (side_of(place) == 'G' ? lets_guest_in(t, e, place) : lets_in(e, place, e->moved));
}

/* The kernel of an nVHE host lets the switch start guest counters. */
static bool kernel_has_on(const struct host_run *t, const struct event *e)
{
    return t->e && e->on && (t->mode->vhe || !e->xh);
}

/* The host executes, and the counter would count this if the switch had not stopped it. */
static bool is_dark(const struct host_run *t, const struct event *e)
{
    return side_of(t->s.place) == 'H' && kernel_has_on(t, e) && lets_in(e, t->s.place, false) &&
           !counts(t, e);
}

/* The host executes, and the counter counts this because the switch has started it. */
static bool is_leak(const struct host_run *t, const struct event *e)
{
    return side_of(t->s.place) == 'H' && counts(t, e) &&
           !(kernel_has_on(t, e) && lets_in(e, t->s.place, false));
}

static bool is_seen(const struct host_run *t, const struct event *e)
{
    char level = level_of(t->s.place);
    bool excluded = level == 'u' ? e->u : level == 'k' ? e->k : e->hv;

    return kernel_has_on(t, e) && !excluded && !(side_of(t->s.place) == 'G' ? e->xg : e->xh);
}

static void record(struct host_run *t, uint64_t n)
{
    bool stopped = false;
    bool leak = false;

    for (unsigned i = 0; i < EVENTS; i++) {
        struct event *e = &t->ev[i];

        e->counted += counts(t, e) ? n : 0;
        e->seen += is_seen(t, e) ? n : 0;
        e->firmware += is_seen(t, e) && t->s.place == FIRMWARE ? n : 0;
        stopped |= is_dark(t, e);
        leak |= is_leak(t, e);
    }
    for (size_t i = 0; i < UNGATED_OBSERVERS; i++) {
        t->ran[i] += strchr(ungated[i].levels, level_of(t->s.place)) &&
                             strchr(ungated[i].sides, side_of(t->s.place))
                         ? n
                         : 0;
    }
    t->stopped += stopped ? n : 0;
    t->leak += leak ? n : 0;
}

/* Stops the PE exactly where the library requires it. */
static void run_on(struct host_run *t, uint64_t n)
{
    while (n > 0) {
        uint64_t room = vpmu_arm_headroom(&t->s.m.v, INST_SRC, t->s.m.v.count.ctx);
        uint64_t step = room < n ? room : n;

        record(t, step);
        run(&t->s, step);
        n -= step;
        if (step == room) {
            machine_settle(&t->s.m);
        }
    }
}

/*
 * The checks
 */

/* libcheck writes each assertion to a file, which takes longer than everything else here. */
static void agree(const char *what, uint64_t want, uint64_t got)
{
    if (want != got) {
        expect(what, want, got);
    }
}

uint64_t metered(const struct host_run *t, bool leaks, unsigned unit)
{
    const struct vpmu_blackout *b = &t->s.b;
    uint64_t sum = leaks ? b->leak.size[unit] : b->blackout.size[unit];

    for (unsigned kind = 0; kind < VPMU_SPAN_COUNT; kind++) {
        sum += (kind >= VPMU_SPAN_LEAK_HOST) == leaks ? b->spread[kind][unit].sum : 0;
    }
    return sum;
}

/*
 * Checks an identity: what a counter of an nVHE host that includes EL2 misses of what its observer
 * counts is what the meter found, except EL3, which no counter counts here.
 */
static void check_identity(struct host_run *t, unsigned i)
{
    const struct event *e = &t->ev[i];

    if (!t->mode->vhe && e->on && e->xg && !e->hv) {
        uint64_t observed = machine_observer_read(&t->s.m, &e->o);
        uint64_t counter = value_of(&t->s, i) - e->start;
        uint64_t windows = metered(t, false, VPMU_UNIT_INSTRUCTIONS) - e->windows;

        agree("observer = counter + windows", observed - e->firmware, counter + windows);
    }
}

static void check_events(struct host_run *t)
{
    for (unsigned i = 0; i < EVENTS; i++) {
        const struct event *e = &t->ev[i];

        agree("counter", e->start + e->counted, value_of(&t->s, i));
        if (e->on) {
            agree("gated observer", e->seen, machine_observer_read(&t->s.m, &e->o));
        }
        check_identity(t, i);
    }
    for (size_t i = 0; i < UNGATED_OBSERVERS; i++) {
        agree(ungated[i].text, t->ran[i], machine_observer_read(&t->s.m, &t->o[i]));
        agree("a sample is missing", false,
              t->o[i].period && t->ran[i] - t->sampled[i] >= t->o[i].period);
    }
}

/* The meter is updated only by moves and writes, so it is checked only after these. */
void check(struct host_run *t)
{
    static const unsigned each[VPMU_UNIT_COUNT] = {1, CYCLES_EACH, NANOSECONDS_EACH};

    check_events(t);
    for (unsigned unit = 0; unit < VPMU_UNIT_COUNT; unit++) {
        agree("windows in all", t->stopped * each[unit], metered(t, false, unit));
        agree("leaks in all", t->leak * each[unit], metered(t, true, unit));
    }
    for (unsigned kind = 0; kind < VPMU_SPAN_COUNT && !t->mode->careless_host; kind++) {
        agree("spans of a kind", t->windows[kind], t->s.b.windows[kind]);
    }
}

/* The steps of a PE */

void move_because(struct host_run *t, enum place place, unsigned reason)
{
    static const unsigned level[] = {[N_EL0] = 0, [N_EL1] = 1, [N_EL2] = 2, [V_EL0] = 0,
                                     [V_EL2] = 2, [G_EL0] = 0, [G_EL1] = 1, [FIRMWARE] = 3};
    bool of_guest = side_of(place) == 'G' || (level[place] == 2 && t->switching);
    uint64_t hcr = of_guest ? (t->mode->hcr & ~HCR_TGE) | HCR_VM : t->mode->hcr;
    enum vpmu_world world =
        vpmu_arm_watch_world(&t->s.w, level[place], hcr, of_guest ? VMID(t->vmid) : 0);

    go_because(&t->s, place, reason);
    agree("vpmu_arm_watch_world()", world, t->s.w.world);
    check(t);
}

void move(struct host_run *t, enum place place)
{
    move_because(t, place, VPMU_EXIT_IRQ);
}

void stay(struct host_run *t)
{
    enum place place = t->s.place;

    run_on(t, choose_below(&t->c, 100));
    if (one_in(t, 8)) {
        /* The machine reports its place without having moved. */
        move(t, place);
        run_on(t, choose_below(&t->c, 100));
    }
    if (one_in(t, 8)) {
        move(t, FIRMWARE);
        run_on(t, choose_below(&t->c, 100));
        move(t, place);
        run_on(t, choose_below(&t->c, 100));
    }
}

void write_reg(struct host_run *t, unsigned reg, uint64_t val)
{
    stay(t);
    put(&t->s, reg, val);
}

/* Checks that a sample is due exactly at the last instruction of a period. */
static void record_sample(struct machine *m, const struct vpmu_sample *sample)
{
    struct host_run *t = (struct host_run *)m;
    struct vpmu_observer *o = sample->observer;
    size_t i = (size_t)(o - t->o);

    agree("periods at a time", 1, sample->periods);
    t->sampled[i] += o->period;
    agree("instructions at the sample", t->sampled[i], t->ran[i]);
    if (one_in(t, 3)) {
        machine_service(m, vpmu_observer_set_period(&m->v.count, o, 1 + choose_below(&t->c, 500)));
    }
}

/* Half of the observers have a period, a different half each time. */
static void observe_all(struct host_run *t)
{
    for (size_t i = 0; i < UNGATED_OBSERVERS; i++) {
        struct vpmu_observer *o = &t->o[i];

        observe(&t->s, o, ungated[i].text, VPMU_UNGATED);
        machine_observer_remove(&t->s.m, o);
        o->period = one_in(t, 2) ? 1 + choose_below(&t->c, 500) : 0;
        t->s.m.sample = record_sample;
        machine_observer_add(&t->s.m, o);
    }
}

void host_run_begin(struct host_run *t, const struct mode *mode, enum place place, uint64_t seed)
{
    const struct vpmu_arm_config config = config_watched();

    memset(t, 0, sizeof(*t));
    t->mode = mode;
    t->c.state = seed;
    watched_start(&t->s, &config, place);
    machine_blackout_start(&t->s.m, &t->s.b);
    observe_all(t);
}
