/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* A host with perf, its hypervisor's switch and its guests run in random order. */
#include <stdio.h>

#include "host_run.h"

#define NONE VPMU_SPAN_COUNT

/*
 * perf: Linux, drivers/perf/arm_pmuv3.c
 */

static uint64_t type_of(const struct host_run *t, const struct event *e)
{
    bool vhe = t->mode->vhe;
    bool p = vhe ? e->k || e->xg : e->k;
    bool u = vhe ? !lets_in(e, V_EL0, e->moved) : e->u;
    bool nsh = lets_in(e, vhe ? V_EL2 : N_EL2, false);

    return VPMU_EVENT_INST_RETIRED | (p ? VPMU_TYPER_P : 0) | (u ? VPMU_TYPER_U : 0) |
           (nsh ? VPMU_TYPER_NSH : 0);
}

/* Chooses an event. perf's syntax cannot exclude all levels or both sides. */
static struct event choose_event(struct host_run *t)
{
    unsigned side = (unsigned)choose_below(&t->c, 3);
    struct event e = {.xg = side == 0, .xh = side == 1};

    do {
        e.u = one_in(t, 3);
        e.k = one_in(t, 3);
        e.hv = one_in(t, 3);
    } while (e.u && e.k && e.hv);
    e.nsh = !t->mode->vhe && e.xh && one_in(t, 4);
    e.start = choose_below(&t->c, BIT(20));
    return e;
}

static void start_event(struct host_run *t, unsigned i)
{
    struct event next = choose_event(t);
    struct event *e = &t->ev[i];
    char text[32];

    write_reg(t, PMEVTYPER(i), type_of(t, &next));
    write_reg(t, PMEVCNTR(i), next.start);
    *e = next;
    snprintf(text, sizeof(text), "instructions:%s%s%s%s%s", e->u ? "" : "u", e->k ? "" : "k",
             e->hv ? "" : "h", e->xg ? "H" : "", e->xh ? "G" : "");
    observe(&t->s, &e->o, text, (uint8_t)i);
    e->windows = metered(t, false, VPMU_UNIT_INSTRUCTIONS);
    if (t->mode->vhe || !e->xh) {
        write_reg(t, VPMU_PMCNTENSET, BIT(i));
        e->hw = true;
    }
    e->on = true;
    check(t);
}

static void stop_event(struct host_run *t, unsigned i)
{
    struct event *e = &t->ev[i];

    write_reg(t, VPMU_PMCNTENCLR, BIT(i));
    e->hw = false;
    e->on = false;
    check(t);
    machine_observer_remove(&t->s.m, &e->o);
}

static void set_e(struct host_run *t, bool e)
{
    write_reg(t, VPMU_PMCR, e ? VPMU_PMCR_E : 0);
    t->e = e;
    check(t);
}

static void perf(struct host_run *t)
{
    bool pauses = t->e && one_in(t, 2);

    if (pauses) {
        set_e(t, false);
    }
    for (uint64_t changes = choose_below(&t->c, 4); changes > 0; changes--) {
        unsigned i = (unsigned)choose_below(&t->c, EVENTS);

        if (t->ev[i].on) {
            stop_event(t, i);
        } else {
            start_event(t, i);
        }
    }
    if (pauses || one_in(t, 4)) {
        set_e(t, !one_in(t, 8));
    }
}

/*
 * The switch: Linux, arch/arm64/kvm/pmu.c and hyp/nvhe/switch.c
 */

static bool is_switched(const struct host_run *t, const struct event *e)
{
    return e->on && !(t->mode->vhe && e->u) && e->xh != e->xg;
}

/* The counters that count the host only, or guests only. */
static uint64_t switched(const struct host_run *t, bool guests)
{
    uint64_t mask = 0;

    for (unsigned i = 0; i < EVENTS; i++) {
        mask |= is_switched(t, &t->ev[i]) && t->ev[i].xh == guests ? BIT(i) : 0;
    }
    return mask;
}

/*
 * Ends the spans of an nVHE host: @kind if a counter that includes EL2 was stopped, a leak if one
 * was started.
 */
static void end_spans(struct host_run *t, enum vpmu_span kind, uint64_t host, uint64_t guest)
{
    bool stopped = false;
    bool leak = false;

    for (unsigned i = 0; i < EVENTS; i++) {
        stopped |= host >> i & 1 && !t->ev[i].hv;
        leak |= guest >> i & 1 && t->ev[i].nsh;
    }
    t->windows[kind] += stopped && t->e;
    t->windows[VPMU_SPAN_LEAK_HOST] += leak && t->e;
}

/* Enables or disables counters. Starting the host's counters or stopping the guest's ends spans. */
static void enable(struct host_run *t, uint64_t mask, bool on, enum vpmu_span ended)
{
    if (!mask) {
        return;
    }
    write_reg(t, on ? VPMU_PMCNTENSET : VPMU_PMCNTENCLR, mask);
    for (unsigned i = 0; i < EVENTS; i++) {
        t->ev[i].hw = mask >> i & 1 ? on : t->ev[i].hw;
    }
    if (ended != NONE) {
        end_spans(t, ended, on ? mask : 0, on ? 0 : mask);
    }
    check(t);
}

static void run_guest(struct host_run *t)
{
    for (uint64_t stays = choose_below(&t->c, 4); stays > 0; stays--) {
        move(t, one_in(t, 3) ? G_EL0 : G_EL1);
        stay(t);
    }
}

/* Runs a guest from EL2, with the host's counters stopped and the guest's started. */
static void run_nvhe_guest(struct host_run *t, uint64_t host, uint64_t guest)
{
    enum vpmu_span kind = VPMU_SPAN_ENTRY;

    do {
        stay(t);
        end_spans(t, kind, host, guest);
        move(t, G_EL1);
        stay(t);
        run_guest(t);
        move_because(t, N_EL2, (unsigned)choose_below(&t->c, VPMU_EXIT_REASONS));
        kind = VPMU_SPAN_INSIDE;
    } while (one_in(t, 3));
}

static void nvhe_guest(struct host_run *t)
{
    uint64_t host = switched(t, false);
    uint64_t guest = switched(t, true);
    bool aborts = one_in(t, 8);

    t->vmid = 1 + choose_below(&t->c, 3);
    move(t, N_EL2);
    stay(t);
    t->switching = true;
    enable(t, host, false, NONE);
    enable(t, guest, true, NONE);
    if (aborts) {
        stay(t);
    } else {
        run_nvhe_guest(t, host, guest);
    }
    enable(t, guest, false, VPMU_SPAN_LEAK_HOST);
    enable(t, host, true, aborts ? VPMU_SPAN_ABORTED : VPMU_SPAN_EXIT);
    t->switching = false;
    stay(t);
    move(t, N_EL1);
}

/* Does load or put, or the update at an entry after perf has changed something. */
static void move_el0(struct host_run *t, bool to_guest)
{
    uint64_t mask = switched(t, false) | switched(t, true);

    for (unsigned i = 0; i < EVENTS; i++) {
        if (mask >> i & 1) {
            t->ev[i].moved = to_guest;
            write_reg(t, PMEVTYPER(i), type_of(t, &t->ev[i]));
            check(t);
        }
    }
}

static void vhe_guest(struct host_run *t)
{
    t->vmid = 1 + choose_below(&t->c, 3);
    move_el0(t, true);
    do {
        t->switching = true;
        stay(t);
        move(t, G_EL1);
        run_guest(t);
        move_because(t, V_EL2, (unsigned)choose_below(&t->c, VPMU_EXIT_REASONS));
        stay(t);
        t->switching = false;
        if (t->mode->careless_host && one_in(t, 3)) {
            move(t, V_EL0);
            stay(t);
            move(t, V_EL2);
        }
        if (one_in(t, 3)) {
            perf(t);
            move_el0(t, true);
        }
    } while (one_in(t, 2));
    move_el0(t, false);
}

/* The random runs */

static void take_a_step(struct host_run *t)
{
    enum place kernel = t->mode->vhe ? V_EL2 : N_EL1;

    switch (choose_below(&t->c, 6)) {
    case 0:
        move(t, t->mode->vhe ? V_EL0 : N_EL0);
        break;
    case 1:
        if (!t->mode->vhe) {
            move(t, N_EL2);
        }
        break;
    case 2:
        perf(t);
        break;
    default:
        (t->mode->vhe ? vhe_guest : nvhe_guest)(t);
        break;
    }
    stay(t);
    if (t->s.place != kernel) {
        move(t, kernel);
        stay(t);
    }
}

static void tell(const struct mode *mode, uint64_t seed)
{
    static struct host_run t;

    host_run_begin(&t, mode, mode->vhe ? V_EL0 : N_EL1, seed);
    move(&t, mode->vhe ? V_EL2 : N_EL1);
    set_e(&t, true);
    for (unsigned step = 0; step < 1000; step++) {
        take_a_step(&t);
    }
    /* The run must have found windows, unless the host cannot have any. */
    ck_assert((t.stopped > 0) == (!mode->vhe || mode->careless_host));
    ck_assert((t.leak > 0) == (!mode->vhe || mode->careless_host));
}

static void tell_all(const struct mode *mode)
{
    for (uint64_t seed = 1; seed <= 8; seed++) {
        tell(mode, seed);
    }
}

START_TEST(nvhe)
{
    tell_all(&(struct mode){.hcr = 0});
}
END_TEST

START_TEST(nvhe_protected)
{
    tell_all(&(struct mode){.hcr = HCR_VM});
}
END_TEST

START_TEST(hvhe)
{
    tell_all(&(struct mode){.hcr = HCR_E2H});
}
END_TEST

START_TEST(vhe)
{
    tell_all(&(struct mode){.vhe = true, .hcr = HCR_E2H | HCR_TGE});
}
END_TEST

START_TEST(vhe_careless)
{
    tell_all(&(struct mode){.vhe = true, .hcr = HCR_E2H | HCR_TGE, .careless_host = true});
}
END_TEST

Suite *blackout_random_suite(void)
{
    const TTest *const tests[] = {nvhe, nvhe_protected, hvhe, vhe, vhe_careless};

    return suite_of("blackout_random", tests, COUNT_OF(tests));
}
