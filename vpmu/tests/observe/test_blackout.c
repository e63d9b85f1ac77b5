/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* The blackout meter: how it accounts for spans, and when it measures. */
#include <string.h>

#include "host_cases.h"

/* An exit of an nVHE host's guest for a reason, with instructions until the host counts. */
static void exit_for(struct watched *s, unsigned reason, uint64_t inside, uint64_t size)
{
    const struct host_step before[] = {GO(N_EL2), CLR(H0), GO(G_EL1), RUN(1), {NO_MORE, 0, 0}};

    act_all(s, before);
    go_because(s, N_EL2, reason);
    run(s, inside);
    go(s, G_EL1);
    go_because(s, N_EL2, reason);
    run(s, size);
    put(s, VPMU_PMCNTENSET, H0);
    go(s, N_EL1);
}

START_TEST(reasons)
{
    struct watched s;

    begin(&s, N_EL1, N_EL1, nvhe_types);
    put(&s, VPMU_PMCNTENSET, H0);
    for (unsigned reason = 0; reason < VPMU_EXIT_REASONS; reason++) {
        exit_for(&s, reason, 1000 + reason, 10);
        exit_for(&s, reason, 20, 3);
    }
    for (unsigned reason = 0; reason < VPMU_EXIT_REASONS; reason++) {
        const struct vpmu_reason *r = &s.b.reason[reason];
        const char *name = vpmu_arm_exit_reason_name(reason);

        expect_in(name, "windows", 4, r->windows);
        expect_in(name, "sum", 1033 + reason, r->sum);
        expect_in(name, "min", 3, r->min);
        expect_in(name, "max", 1000 + reason, r->max);
    }
}
END_TEST

/*
 * Tallies subtracted within a window make it smaller. If more is subtracted than the window has,
 * its size is 0, never 2^64.
 */
START_TEST(subtracted)
{
    static const struct {
        const char *name;
        uint64_t n;
        uint64_t want;
    } rows[] = {{"some", 5, 15}, {"all", 20, 0}, {"more", 25, 0}};

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const struct host_step before[] = {GO(N_EL2), CLR(H0), RUN(12),        GO(FIRMWARE),
                                           GO(N_EL2), RUN(8),  {NO_MORE, 0, 0}};
        struct watched s;

        begin(&s, N_EL1, N_EL1, nvhe_types);
        put(&s, VPMU_PMCNTENSET, H0);
        act_all(&s, before);
        machine_take_back(&s.m, VPMU_SRC_INST_RETIRED, rows[i].n);
        go(&s, G_EL1);
        expect_in(rows[i].name, "windows", 1, s.b.windows[VPMU_SPAN_ENTRY]);
        expect_in(rows[i].name, "instructions", rows[i].want,
                  s.b.spread[VPMU_SPAN_ENTRY][VPMU_UNIT_INSTRUCTIONS].sum);
        expect_in(rows[i].name, "max", rows[i].want,
                  s.b.spread[VPMU_SPAN_ENTRY][VPMU_UNIT_INSTRUCTIONS].max);
    }
}
END_TEST

/*
 * Entries and aborted windows have no reason, and nor has an interruption of the guest by firmware
 * only.
 */
START_TEST(no_reason)
{
    const struct host_step steps[] = {GO(N_EL2), CLR(H0),      RUN(5),    SET(H0),
                                      CLR(H0),   RUN(5),       GO(G_EL1), RUN(1),
                                      GO(G_EL0), GO(FIRMWARE), GO(G_EL1), {NO_MORE, 0, 0}};
    struct watched s;

    begin(&s, N_EL1, N_EL1, nvhe_types);
    put(&s, VPMU_PMCNTENSET, H0);
    act_all(&s, steps);
    for (unsigned reason = 0; reason < VPMU_EXIT_REASONS; reason++) {
        expect("windows", 0, s.b.reason[reason].windows);
        expect("min", UINT64_MAX, s.b.reason[reason].min);
    }
    go_because(&s, FIRMWARE, VPMU_EXIT_FIQ);
    run(&s, 3);
    go_because(&s, N_EL2, VPMU_EXIT_SERROR);
    run(&s, 2);
    put(&s, VPMU_PMCNTENSET, H0);
    expect("the reason is that of the move to the host", 1, s.b.reason[VPMU_EXIT_SERROR].windows);
    expect("its size", 2, s.b.reason[VPMU_EXIT_SERROR].sum);
}
END_TEST

/*
 * Exits are counted also if nothing is switched and before the host is known. An interruption by
 * firmware is not an exit.
 */
START_TEST(exits)
{
    const struct vpmu_arm_config config = config_watched();
    struct watched s;

    watched_start(&s, &config, G_EL1);
    go_because(&s, V_EL2, VPMU_EXIT_FIQ);
    go(&s, G_EL1);
    machine_blackout_start(&s.m, &s.b);
    go_because(&s, FIRMWARE, VPMU_EXIT_FIQ);
    go_because(&s, G_EL0, VPMU_EXIT_FIQ);
    for (unsigned reason = 0; reason < VPMU_EXIT_REASONS; reason++) {
        for (unsigned i = 0; i <= reason; i++) {
            go_because(&s, reason % 2 ? V_EL2 : N_EL2, reason);
            go_because(&s, V_EL0, VPMU_EXIT_IRQ);
            go_because(&s, i % 2 ? G_EL0 : G_EL1, VPMU_EXIT_IRQ);
        }
    }
    for (unsigned reason = 0; reason < VPMU_EXIT_REASONS; reason++) {
        expect_in(vpmu_arm_exit_reason_name(reason), "exits", reason + 1, s.b.exits[reason]);
        expect_in(vpmu_arm_exit_reason_name(reason), "windows", 0, s.b.reason[reason].windows);
    }
}
END_TEST

static const struct {
    unsigned reason;
    const char *name;
} reason_names_rows[] = {
    {0x00, "unknown"},
    {0x01, "wfx"},
    {0x02, "other"},
    {0x03, "cp15-32"},
    {0x04, "cp15-64"},
    {0x05, "cp14-mr"},
    {0x06, "cp14-ls"},
    {0x07, "fp-asimd"},
    {0x08, "cp10-id"},
    {0x09, "pac"},
    {0x0a, "other"},
    {0x0c, "cp14-64"},
    {0x0d, "bti"},
    {0x0e, "ill"},
    {0x11, "svc32"},
    {0x12, "hvc32"},
    {0x13, "smc32"},
    {0x15, "svc64"},
    {0x16, "hvc64"},
    {0x17, "smc64"},
    {0x18, "sys64"},
    {0x19, "sve"},
    {0x1a, "eret"},
    {0x1c, "fpac"},
    {0x1d, "sme"},
    {0x1f, "imp-def"},
    {0x20, "iabt-low"},
    {0x21, "iabt-cur"},
    {0x22, "pc-align"},
    {0x24, "dabt-low"},
    {0x25, "dabt-cur"},
    {0x26, "sp-align"},
    {0x27, "mops"},
    {0x28, "fp-exc32"},
    {0x2c, "fp-exc64"},
    {0x2f, "serror"},
    {0x30, "breakpt-low"},
    {0x31, "breakpt-cur"},
    {0x32, "softstp-low"},
    {0x33, "softstp-cur"},
    {0x34, "watchpt-low"},
    {0x35, "watchpt-cur"},
    {0x38, "bkpt32"},
    {0x3a, "vector32"},
    {0x3c, "brk64"},
    {0x3f, "other"},
    {VPMU_EXIT_IRQ, "irq"},
    {VPMU_EXIT_FIQ, "fiq"},
    {VPMU_EXIT_SERROR, "async-serror"},
};

START_TEST(reason_names)
{
    for (size_t i = 0; i < COUNT_OF(reason_names_rows); i++) {
        const char *name = vpmu_arm_exit_reason_name(reason_names_rows[i].reason);

        ck_assert_msg(name && strcmp(name, reason_names_rows[i].name) == 0,
                      "reason %#x: expected %s got %s", reason_names_rows[i].reason,
                      reason_names_rows[i].name, name ? name : "NULL");
    }
    ck_assert(vpmu_arm_exit_reason_name(VPMU_EXIT_REASONS) == NULL);
    ck_assert(vpmu_arm_exit_reason_name(UINT32_MAX) == NULL);
}
END_TEST

static void one_aborted(struct watched *s, uint64_t n)
{
    put(s, VPMU_PMCNTENCLR, H0);
    machine_instructions(&s->m, n);
    put(s, VPMU_PMCNTENSET, H0);
}

/* Bucket 0 holds size 0; bucket n holds 2^(n-1) to 2^n - 1. */
START_TEST(spreads)
{
    static const struct {
        uint64_t size;
        unsigned bucket;
    } rows[] = {
        {5, 3},   {0, 0},        {1, 1},
        {2, 2},   {3, 2},        {4, 3},
        {7, 3},   {8, 4},        {255, 8},
        {256, 9}, {BIT(32), 33}, {BIT(32) - 1, 32},
        {1, 1},   {BIT(62), 63}, {BIT(63) - 1, 63},
    };
    uint64_t buckets[VPMU_LOG2_BUCKETS] = {0};
    const struct vpmu_spread *spread;
    uint64_t min = UINT64_MAX;
    uint64_t max = 0;
    uint64_t sum = 0;
    struct watched s;

    begin(&s, N_EL1, N_EL1, nvhe_types);
    spread = &s.b.spread[VPMU_SPAN_ABORTED][VPMU_UNIT_INSTRUCTIONS];
    expect("min before the first", UINT64_MAX, spread->min);
    expect("max before the first", 0, spread->max);
    put(&s, VPMU_PMCNTENSET, H0);
    go(&s, N_EL2);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        one_aborted(&s, rows[i].size);
        buckets[rows[i].bucket]++;
        sum += rows[i].size;
        min = rows[i].size < min ? rows[i].size : min;
        max = rows[i].size > max ? rows[i].size : max;
        expect("windows", i + 1, s.b.windows[VPMU_SPAN_ABORTED]);
        expect("sum", sum, spread->sum);
        expect("min", min, spread->min);
        expect("max", max, spread->max);
        for (unsigned bucket = 0; bucket < VPMU_LOG2_BUCKETS; bucket++) {
            expect("bucket", buckets[bucket], spread->log2[bucket]);
        }
    }
    expect("no time has passed", COUNT_OF(rows),
           s.b.spread[VPMU_SPAN_ABORTED][VPMU_UNIT_NANOSECONDS].log2[0]);
}
END_TEST

/* Modelled cycles are reported as whole cycles. Each window is rounded down. */
START_TEST(modelled_cycles)
{
    struct vpmu_arm_config config = config_watched();
    struct watched s;

    config.timed = 0;
    config.cycle_units = 4;
    watched_start(&s, &config, N_EL1);
    machine_blackout_start(&s.m, &s.b);
    put(&s, PMEVTYPER(0), INST | NSH);
    put(&s, VPMU_PMCNTENSET, H0);
    put(&s, VPMU_PMCR, E);
    go(&s, N_EL2);
    for (unsigned units = 7; units < 10; units++) {
        put(&s, VPMU_PMCNTENCLR, H0);
        machine_cycles(&s.m, units);
        put(&s, VPMU_PMCNTENSET, H0);
    }
    expect("7, 8 and 9 units are 1, 2 and 2 cycles", 5,
           s.b.spread[VPMU_SPAN_ABORTED][VPMU_UNIT_CYCLES].sum);
}
END_TEST

/* A meter that is switched on while a guest runs cannot know what the switch has stopped. */
START_TEST(switched_on_in_mid_run)
{
    static const struct {
        const char *name;
        enum place host;
        enum place at;
        enum place rest;
    } rows[] = {
        {"nVHE, in a window", N_EL1, N_EL2, N_EL1},
        {"nVHE, in a guest", N_EL1, G_EL1, N_EL0},
        {"VHE, in the kernel", V_EL0, V_EL2, V_EL0},
        {"VHE, in a guest", V_EL0, G_EL0, V_EL0},
    };
    const struct vpmu_arm_config config = config_watched();
    const struct want_spans none[] = {{0}};

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        bool vhe = rows[i].host == V_EL0;
        struct watched s;

        watched_start(&s, &config, rows[i].host);
        go(&s, vhe ? V_EL2 : N_EL1);
        put(&s, PMEVTYPER(0), vhe ? INST | P | NSH : INST | NSH);
        put(&s, VPMU_PMCR, E);
        put(&s, VPMU_PMCNTENSET, H0);
        go(&s, vhe ? V_EL2 : N_EL2);
        put(&s, vhe ? PMEVTYPER(0) : VPMU_PMCNTENCLR, vhe ? INST | P | U | NSH : H0);
        go(&s, rows[i].at);
        machine_blackout_start(&s.m, &s.b);
        run(&s, 5);
        go(&s, G_EL1);
        run(&s, 5);
        go(&s, vhe ? V_EL2 : N_EL2);
        run(&s, 5);
        put(&s, vhe ? PMEVTYPER(0) : VPMU_PMCNTENSET, vhe ? INST | P | NSH : H0);
        go(&s, rows[i].rest);
        run(&s, 5);
        expect_spans(rows[i].name, &s, none);
        go(&s, vhe ? V_EL2 : N_EL2);
        put(&s, vhe ? PMEVTYPER(0) : VPMU_PMCNTENCLR, vhe ? INST | P | U | NSH : H0);
        go(&s, vhe ? V_EL0 : N_EL2);
        run(&s, 7);
        go(&s, G_EL1);
        expect_spans(rows[i].name, &s, (struct want_spans[]){{ENTRY, 1, 7}, {0}});
    }
}
END_TEST

/* If the watch begins while the host runs, the current setting is the host's. */
START_TEST(attached_to_a_running_host)
{
    const struct vpmu_arm_config config = config_watched();
    struct watched s;

    watched_start(&s, &config, N_EL1);
    machine_watch_detach(&s.m);
    put(&s, PMEVTYPER(0), INST | NSH);
    put(&s, VPMU_PMCR, E);
    put(&s, VPMU_PMCNTENSET, H0);
    machine_control(&s.m, 6, 0);
    vpmu_arm_watch_attach(&s.m.v, &s.w, VPMU_WORLD_NVHE);
    machine_blackout_start(&s.m, &s.b);
    go(&s, N_EL2);
    run(&s, 1000);
    put(&s, VPMU_PMCNTENCLR, H0);
    run(&s, 7);
    go(&s, G_EL1);
    expect_spans("entry", &s, (struct want_spans[]){{ENTRY, 1, 7}, {0}});
}
END_TEST

/* PMCR.FZO, not the switch, has stopped the host's counters. */
START_TEST(frozen)
{
    struct watched s;

    begin(&s, N_EL1, N_EL1, nvhe_types);
    put(&s, PMEVCNTR(0), BIT(32) - 10);
    put(&s, VPMU_PMCNTENSET, H0 | H1);
    put(&s, VPMU_PMCR, E | VPMU_PMCR_FZO);
    run(&s, 10);
    machine_settle(&s.m);
    for (unsigned i = 0; i < 2; i++) {
        put(&s, VPMU_PMSELR, 0);
        run(&s, 100);
        go(&s, N_EL2);
        run(&s, 100);
        put(&s, VPMU_PMCNTENCLR, H0 | H1);
        run(&s, 100);
        go(&s, G_EL1);
        run(&s, 100);
        go(&s, N_EL2);
        put(&s, VPMU_PMCNTENSET, H0 | H1);
        go(&s, N_EL1);
        expect("windows", i, s.b.windows[ENTRY]);
        put(&s, VPMU_PMOVSCLR, H0);
    }
    expect_spans("counting again", &s, (struct want_spans[]){{ENTRY, 1, 100}, {EXIT, 1, 0}, {0}});
}
END_TEST

/* A machine that does not tally instructions is not asked to, and the meter only measures time. */
START_TEST(no_instructions)
{
    struct vpmu_arm_config config = config_watched();
    struct watched s;

    config.sources &= ~INST_SRC;
    watched_start(&s, &config, N_EL1);
    machine_blackout_start(&s.m, &s.b);
    expect_sources("armed", CPU_SRC, vpmu_arm_armed(&s.m.v, NS_EL2));
}
END_TEST

static void one_window_of_each(struct watched *s)
{
    const struct host_step steps[] = {SET(H0),   GO(N_EL2),      CLR(H0), RUN(3),  SET(H0),
                                      CLR(H0),   RUN(5),         SET(GX), RUN(1),  GO(G_EL1),
                                      RUN(7),    GO(N_EL2),      RUN(9),  CLR(GX), SET(H0),
                                      GO(N_EL1), {NO_MORE, 0, 0}};

    act_all(s, steps);
}

/*
 * Switched off, the meter measures nothing and keeps its results. Switched on again, it starts from
 * zero, even if a span was open.
 */
START_TEST(off_and_on)
{
    const struct want_spans wants[] = {
        {ABORTED, 1, 3}, {ENTRY, 1, 6}, {EXIT, 1, 9}, {LEAK_HOST, 2, 10}, {0}};
    struct watched s;

    begin(&s, N_EL1, N_EL1, nvhe_types);
    expect_sources("armed: instructions and cycles", INST_SRC | CPU_SRC,
                   vpmu_arm_armed(&s.m.v, NS_EL2));
    one_window_of_each(&s);
    expect_spans("on", &s, wants);
    s.m.rearms = 0;
    machine_blackout_stop(&s.m);
    expect("VPMU_DUE_REARM", 1, s.m.rearms);
    expect_sources("armed: nothing more", 0, vpmu_arm_armed(&s.m.v, S_EL2));
    one_window_of_each(&s);
    expect_spans("off", &s, wants);
    machine_blackout_start(&s.m, &s.b);
    expect("VPMU_DUE_REARM", 1, s.m.rearms > 1);
    expect_spans("on again", &s, (struct want_spans[]){{0}});
    for (unsigned i = 0; i < 2; i++) {
        go(&s, N_EL2);
        go(&s, N_EL1);
    }
    one_window_of_each(&s);
    expect_spans("and measuring", &s, wants);
    go(&s, N_EL2);
    put(&s, VPMU_PMCNTENCLR, H0);
    run(&s, 1000);
    machine_blackout_start(&s.m, &s.b);
    run(&s, 1000);
    put(&s, VPMU_PMCNTENSET, H0);
    go(&s, N_EL1);
    expect_spans("the window that was open is dropped", &s, (struct want_spans[]){{0}});
}
END_TEST

/*
 * The meter is switched on while observers count time. The time until then belongs to the previous
 * setting, and none of it to the first window.
 */
START_TEST(switched_on_beside_observers)
{
    const struct vpmu_arm_config config = config_watched();
    struct vpmu_observer gated;
    struct vpmu_observer always;
    struct watched s;

    watched_start(&s, &config, N_EL1);
    put(&s, PMEVTYPER(0), INST | NSH);
    put(&s, VPMU_PMCR, E);
    put(&s, VPMU_PMCNTENSET, H0);
    observe(&s, &gated, "cycles", 0);
    observe(&s, &always, "cycles", VPMU_UNGATED);
    go(&s, N_EL2);
    machine_cycles(&s.m, 10);
    machine_blackout_start(&s.m, &s.b);
    expect("gated", 10, machine_observer_read(&s.m, &gated));
    expect("ungated", 10, machine_observer_read(&s.m, &always));
    machine_cycles(&s.m, 10);
    expect("gated, and not settled", 10, machine_observer_read(&s.m, &gated));
    machine_blackout_stop(&s.m);
    expect("ungated", 20, machine_observer_read(&s.m, &always));
}
END_TEST

/* The spans that were fetched, by their kind. */
static struct {
    uint64_t windows[VPMU_SPAN_COUNT];
    uint64_t sum[VPMU_SPAN_COUNT][VPMU_UNIT_COUNT];
} told;

static void tell(struct machine *m, const struct vpmu_ended_span *span)
{
    (void)m;
    told.windows[span->kind]++;
    for (unsigned unit = 0; unit < VPMU_UNIT_COUNT; unit++) {
        told.sum[span->kind][unit] += span->size[unit];
    }
}

/* The spans that are fetched add up to the totals. Those that nobody fetches are dropped. */
START_TEST(reported_spans)
{
    const struct host_step aborted[] = {GO(N_EL2), CLR(H0),   RUN(5),
                                        SET(H0),   GO(N_EL1), {NO_MORE, 0, 0}};
    struct watched s;

    begin(&s, N_EL1, N_EL1, nvhe_types);
    put(&s, VPMU_PMCNTENSET, H0);
    exit_for(&s, 1, 100, 10);
    memset(&told, 0, sizeof(told));
    machine_blackout_start(&s.m, &s.b);
    s.m.span = tell;
    exit_for(&s, 1, 200, 20);
    act_all(&s, aborted);
    exit_for(&s, 2, 400, 40);
    expect("exits", 2, told.windows[VPMU_SPAN_EXIT]);
    expect("instructions of exits", 60, told.sum[VPMU_SPAN_EXIT][VPMU_UNIT_INSTRUCTIONS]);
    expect("nanoseconds of exits", 60 * NANOSECONDS_EACH,
           told.sum[VPMU_SPAN_EXIT][VPMU_UNIT_NANOSECONDS]);
    expect("aborted", 1, told.windows[VPMU_SPAN_ABORTED]);
    for (unsigned kind = 0; kind < VPMU_SPAN_COUNT; kind++) {
        expect("windows", s.b.windows[kind], told.windows[kind]);
        for (unsigned unit = 0; unit < VPMU_UNIT_COUNT; unit++) {
            expect("sum", s.b.spread[kind][unit].sum, told.sum[kind][unit]);
        }
    }
}
END_TEST

Suite *blackout_suite(void)
{
    const TTest *const tests[] = {
        reasons,
        no_reason,
        exits,
        reason_names,
        spreads,
        modelled_cycles,
        switched_on_in_mid_run,
        attached_to_a_running_host,
        frozen,
        no_instructions,
        off_and_on,
        switched_on_beside_observers,
        subtracted,
        reported_spans,
    };

    return suite_of("blackout", tests, COUNT_OF(tests));
}
