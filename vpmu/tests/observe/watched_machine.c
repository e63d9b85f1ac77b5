/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#include "watched_machine.h"

#include <stdio.h>
#include <string.h>

static const struct vpmu_pe at_v_el0 = {.el = 0, .el2_enabled = true, .tge = true};
static const struct vpmu_pe at_v_el2 = {.el = 2, .el2_enabled = true, .tge = true};

static const struct {
    uint8_t ctx;
    enum vpmu_world world;
    const struct vpmu_pe *pe;
} places[] = {
    [N_EL0] = {NS_EL0, VPMU_WORLD_NVHE, &at_el0},  [N_EL1] = {NS_EL1, VPMU_WORLD_NVHE, &at_el1},
    [N_EL2] = {NS_EL2, VPMU_WORLD_NVHE, &at_el2},  [V_EL0] = {NS_EL0, VPMU_WORLD_VHE, &at_v_el0},
    [V_EL2] = {NS_EL2, VPMU_WORLD_VHE, &at_v_el2}, [G_EL0] = {NS_EL0, VPMU_WORLD_GUEST, &at_el0},
    [G_EL1] = {NS_EL1, VPMU_WORLD_GUEST, &at_el1}, [FIRMWARE] = {CTX_EL3, 0, &at_el3},
};

struct vpmu_arm_config config_watched(void)
{
    return config_of(VPMU_V3P7, 8, VPMU_HAS_EL2 | VPMU_HAS_EL3);
}

void watched_start(struct watched *s, const struct vpmu_arm_config *config, enum place place)
{
    memset(s, 0x5a, sizeof(*s));
    machine_start(&s->m, config);
    machine_enter(&s->m, places[place].ctx);
    s->m.clock.ns = UINT64_MAX - 20;
    s->place = place;
    vpmu_arm_watch_attach(&s->m.v, &s->w, places[place].world);
}

static void move(struct watched *s, enum place place, unsigned reason)
{
    enum vpmu_world world = place == FIRMWARE ? (enum vpmu_world)s->w.world : places[place].world;

    machine_watch_moved(&s->m, places[place].ctx, world, reason);
    s->place = place;
}

void go_because(struct watched *s, enum place place, unsigned reason)
{
    machine_sample(&s->m);
    move(s, place, reason);
}

void go(struct watched *s, enum place place)
{
    go_because(s, place, VPMU_EXIT_IRQ);
}

void leave(struct watched *s, enum place place)
{
    move(s, place, 0);
}

void run(struct watched *s, uint64_t n)
{
    machine_instructions(&s->m, n);
    machine_cycles(&s->m, n * CYCLES_EACH * s->m.v.config.cycle_units);
    s->m.clock.ns += n * NANOSECONDS_EACH;
}

void put(struct watched *s, unsigned reg, uint64_t val)
{
    reg_set(&s->m, reg, places[s->place].pe, val);
}

uint64_t value_of(struct watched *s, unsigned idx)
{
    return get(&s->m, idx < VPMU_CYCLE_COUNTER ? PMEVCNTR(idx) : VPMU_PMCCNTR);
}

uint64_t seen_of(struct watched *s, const struct vpmu_observer *o, uint64_t n)
{
    uint64_t before = machine_observer_read(&s->m, o);

    run(s, n);
    return machine_observer_read(&s->m, o) - before;
}

void observe(struct watched *s, struct vpmu_observer *o, const char *text, uint8_t gate)
{
    const char *why = "nothing";

    memset(o, 0x5a, sizeof(*o));
    ck_assert_msg(vpmu_arm_observer_parse(&s->m.v.config, text, o, &why) == 0,
                  "%s: expected an observer got a refusal: %s", text, why);
    o->gate = gate;
    machine_observer_add(&s->m, o);
}

static void expect_kind(const char *row, const struct vpmu_blackout *b, unsigned kind,
                        const struct want_spans *want)
{
    static const char *const names[VPMU_SPAN_COUNT] = {
        [VPMU_SPAN_ENTRY] = "entry",
        [VPMU_SPAN_EXIT] = "exit",
        [VPMU_SPAN_INSIDE] = "inside",
        [VPMU_SPAN_ABORTED] = "aborted",
        [VPMU_SPAN_LEAK_HOST] = "leak while the host runs",
        [VPMU_SPAN_LEAK_GUEST] = "leak while the guest runs",
    };
    static const unsigned each[VPMU_UNIT_COUNT] = {
        [VPMU_UNIT_INSTRUCTIONS] = 1,
        [VPMU_UNIT_CYCLES] = CYCLES_EACH,
        [VPMU_UNIT_NANOSECONDS] = NANOSECONDS_EACH,
    };
    char what[64];

    expect_in(row, names[kind], want->windows, b->windows[kind]);
    for (unsigned unit = 0; unit < VPMU_UNIT_COUNT; unit++) {
        snprintf(what, sizeof(what), "%s: sum in unit %u", names[kind], unit);
        expect_in(row, what, want->instructions * each[unit], b->spread[kind][unit].sum);
    }
}

void expect_spans(const char *row, const struct watched *s, const struct want_spans wants[])
{
    struct want_spans want[VPMU_SPAN_COUNT] = {0};

    for (unsigned i = 0; i < VPMU_SPAN_COUNT && wants[i].windows > 0; i++) {
        want[wants[i].kind] = wants[i];
    }
    for (unsigned kind = 0; kind < VPMU_SPAN_COUNT; kind++) {
        expect_kind(row, &s->b, kind, &want[kind]);
    }
}
