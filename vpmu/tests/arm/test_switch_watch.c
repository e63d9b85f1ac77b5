/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/*
 * The switch and the watch together, although neither knows the other: the watch finds only what
 * the switch does.
 */
#include "fake_pe.h"
#include "vpmu/arm/switch.h"
#include "vpmu/arm/watch.h"

#define COUNTERS 8
#define GUESTS 3
#define ENTRIES 4
/* Instructions from enter to the guest's first, and from its last to exit. */
#define BEFORE 3
#define AFTER 4

/* The host's counters: for itself, for its guests, and for both. */
#define HOST 5
#define GUEST 6
#define ALL 7

static struct vpmu_switch sw;
static struct vpmu_watch watch;
static struct vpmu_blackout meter;

static void ok(const char *what, int err)
{
    expect(what, 0, (uint64_t)-err);
}

static void go(unsigned ctx, enum vpmu_world world)
{
    machine_watch_moved(&pe, ctx, world, VPMU_EXIT_IRQ);
    machine_instructions(&pe, 50);
}

static void go_home(bool vhe)
{
    go(vhe ? NS_EL2 : NS_EL1, vhe ? VPMU_WORLD_VHE : VPMU_WORLD_NVHE);
}

static void go_to_el2(bool vhe)
{
    go(NS_EL2, vhe ? VPMU_WORLD_VHE : VPMU_WORLD_NVHE);
}

static void observe(struct vpmu_observer *o, const char *text, uint8_t gate)
{
    ok(text, vpmu_arm_observer_parse(&pe.v.config, text, o, NULL));
    o->gate = gate;
    machine_observer_add(&pe, o);
}

/*
 * The kernel sets up its counters like perf. On an nVHE host, the switch starts those for guests.
 */
static void start(bool vhe)
{
    const struct vpmu_pe *kernel = vhe ? &at_el2 : &at_el1;
    uint64_t nsh = VPMU_TYPER_NSH | VPMU_EVENT_INST_RETIRED;

    pe_start(COUNTERS);
    machine_enter(&pe, vhe ? NS_EL0 : NS_EL1);
    vpmu_arm_watch_attach(&pe.v, &watch, vhe ? VPMU_WORLD_VHE : VPMU_WORLD_NVHE);
    machine_blackout_start(&pe, &meter);
    go_home(vhe);
    reg_set(&pe, PMEVTYPER(HOST), kernel, nsh | (vhe ? VPMU_TYPER_P : 0));
    reg_set(&pe, PMEVTYPER(GUEST), kernel, VPMU_EVENT_INST_RETIRED | (vhe ? VPMU_TYPER_U : 0));
    reg_set(&pe, PMEVTYPER(ALL), kernel, nsh);
    reg_set(&pe, VPMU_PMCNTENSET, kernel, BIT(HOST) | BIT(ALL) | (vhe ? BIT(GUEST) : 0));
    reg_set(&pe, VPMU_PMCR, kernel, VPMU_PMCR_E);
    ok("init", vpmu_arm_switch_init(&sw, vhe ? VPMU_HOST_VHE : VPMU_HOST_NVHE, COUNTERS, NULL));
    ok("set", vpmu_arm_switch_set(&sw, BIT(HOST), BIT(GUEST), NULL));
}

/* What Linux does in a guest. Its counters count EL2 unless a bit prohibits it. */
static void guest_uses_its_own(unsigned entry)
{
    reg_set(&pe, VPMU_PMCR, &at_el1, 0);
    reg_set(&pe, VPMU_PMCNTENCLR, &at_el1, ALL_ONES);
    reg_set(&pe, PMEVTYPER(0), &at_el1, INST_EVERYWHERE);
    reg_set(&pe, PMEVTYPER(1), &at_el1, INST_EVERYWHERE | VPMU_TYPER_U);
    reg_set(&pe, VPMU_PMCCFILTR, &at_el1, VPMU_TYPER_NSH);
    reg_set(&pe, VPMU_PMCNTENSET, &at_el1, entry % 3 == 0 ? ALL_ONES : BIT(entry % 3));
    reg_set(&pe, VPMU_PMCR, &at_el1, entry % 2 ? 0 : VPMU_PMCR_E | VPMU_PMCR_DP);
    machine_instructions(&pe, 50);
}

static void run_guest(bool vhe, const struct vpmu_guest *g, unsigned entry)
{
    go_to_el2(vhe);
    ok("enter", vpmu_arm_guest_enter(&sw));
    machine_instructions(&pe, BEFORE);
    go(NS_EL1, VPMU_WORLD_GUEST);
    go(NS_EL0, VPMU_WORLD_GUEST);
    go(NS_EL1, VPMU_WORLD_GUEST);
    if (g->counters) {
        guest_uses_its_own(entry);
    }
    machine_watch_moved(&pe, NS_EL2, vhe ? VPMU_WORLD_VHE : VPMU_WORLD_NVHE, VPMU_EXIT_IRQ);
    machine_instructions(&pe, AFTER);
    ok("exit", vpmu_arm_guest_exit(&sw));
    machine_instructions(&pe, 50);
    go_home(vhe);
}

static void expect_meter(const char *row, bool vhe)
{
    static const struct {
        enum vpmu_span kind;
        unsigned size;
    } spans[] = {{VPMU_SPAN_ENTRY, BEFORE}, {VPMU_SPAN_EXIT, AFTER}};

    for (unsigned i = 0; i < COUNT_OF(spans); i++) {
        uint64_t windows = vhe ? 0 : GUESTS * ENTRIES;

        expect_in(row, "windows", windows, meter.windows[spans[i].kind]);
        expect_in(row, "instructions in windows", windows * spans[i].size,
                  meter.spread[spans[i].kind][VPMU_UNIT_INSTRUCTIONS].sum);
    }
    for (unsigned kind = VPMU_SPAN_INSIDE; kind < VPMU_SPAN_COUNT; kind++) {
        expect_in(row, "other spans", 0, meter.windows[kind]);
    }
}

static void play(const char *row, bool vhe, unsigned own, bool cycles)
{
    struct vpmu_guest g[GUESTS];
    struct vpmu_observer host;
    struct vpmu_observer all;
    uint64_t lost = vhe ? 0 : GUESTS * ENTRIES * (BEFORE + AFTER);

    start(vhe);
    observe(&host, "instructions:H", HOST);
    observe(&all, "instructions", ALL);
    for (unsigned i = 0; i < GUESTS; i++) {
        g[i] = (struct vpmu_guest){.counters = (uint8_t)own, .cycles = cycles};
        go_to_el2(vhe);
        ok("load", vpmu_arm_guest_load(&sw, &g[i]));
        go_home(vhe);
        for (unsigned entry = 0; entry < ENTRIES; entry++) {
            run_guest(vhe, &g[i], entry);
        }
        go_to_el2(vhe);
        ok("put", vpmu_arm_guest_put(&sw));
        go_home(vhe);
        go(NS_EL0, vhe ? VPMU_WORLD_VHE : VPMU_WORLD_NVHE);
        go_home(vhe);
    }
    expect_meter(row, vhe);
    expect_in(row, "the host's counter and the windows", machine_observer_read(&pe, &host),
              get(&pe, PMEVCNTR(HOST)) + lost);
    expect_in(row, "the counter of all", machine_observer_read(&pe, &all), get(&pe, PMEVCNTR(ALL)));
    machine_watch_detach(&pe);
}

START_TEST(nothing_but_windows)
{
    static const struct {
        const char *name;
        unsigned own;
        bool cycles;
    } rows[] = {
        {"nothing lent", 0, false}, {"two counters", 2, false}, {"two and cycles", 2, true}};

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        play(rows[i].name, true, rows[i].own, rows[i].cycles);
        play(rows[i].name, false, rows[i].own, rows[i].cycles);
    }
}
END_TEST

Suite *switch_watch_suite(void)
{
    const TTest *const tests[] = {nothing_but_windows};

    return suite_of("switch_watch", tests, COUNT_OF(tests));
}
