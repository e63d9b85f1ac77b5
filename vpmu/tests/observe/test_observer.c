/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* Observers: what they count, in which contexts, and their gates. */
#include "watched_machine.h"

/* Each place adds to its own digit, so that the sum shows which places were counted. */
static const struct {
    enum place place;
    uint64_t instructions;
} tour[] = {
    {N_EL0, 1},        {N_EL1, 10},     {N_EL2, 100},      {FIRMWARE, 1000},
    {V_EL0, 10000},    {V_EL2, 100000}, {FIRMWARE, 1000},  {G_EL0, 1000000},
    {G_EL1, 10000000}, {FIRMWARE, 1},   {G_EL1, 10000000}, {N_EL2, 100},
};

static void go_round(struct watched *s)
{
    for (size_t i = 0; i < COUNT_OF(tour); i++) {
        go(s, tour[i].place);
        run(s, tour[i].instructions);
    }
}

START_TEST(who_and_where)
{
    static const struct {
        const char *text;
        uint64_t want;
    } rows[] = {
        {"instructions", 21112212},
        {"instructions:u", 1010001},
        {"instructions:k", 20100010},
        {"instructions:h", 2201},
        {"instructions:G", 21000000},
        {"instructions:H", 112212},
        {"instructions:uG", 1000000},
        {"instructions:kG", 20000000},
        {"instructions:hG", 0},
        {"instructions:uH", 10001},
        {"instructions:kH", 100010},
        {"instructions:hH", 2201},
        {"instructions:ukHG", 21110011},
        /* Three cycles for each instruction. */
        {"cycles", 3 * 21112212},
        {"cycles:kG", 3 * 20000000},
        {"cycles:hH", 3 * 2201},
        /* These events do not happen. */
        {"branches", 0},
    };
    const struct vpmu_config config = config_watched();
    struct vpmu_observer o[COUNT_OF(rows)];
    struct watched s;

    watched_start(&s, &config, N_EL2);
    run(&s, 12345);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        observe(&s, &o[i], rows[i].text, VPMU_UNGATED);
    }
    for (uint64_t round = 1; round <= 2; round++) {
        go_round(&s);
        for (size_t i = 0; i < COUNT_OF(rows); i++) {
            expect_in(rows[i].text, "value", round * rows[i].want,
                      vpmu_observer_read(&s.m.v, &o[i]));
        }
    }
}
END_TEST

/* An event with several sources is their sum, also if totals wrap. */
START_TEST(sum_of_sources)
{
    const struct vpmu_config config = config_watched();
    struct vpmu_observer o;
    struct watched s;

    watched_start(&s, &config, N_EL1);
    observe(&s, &o, "branches", VPMU_UNGATED);
    machine_events(&s.m, VPMU_SRC_BR_IMMED, 5);
    machine_events(&s.m, VPMU_SRC_BR_RETURN, 70);
    machine_events(&s.m, VPMU_SRC_BR_INDIRECT, 1);
    go(&s, N_EL2);
    machine_events(&s.m, VPMU_SRC_EXC_RETURN, 300);
    machine_events(&s.m, VPMU_SRC_BR_MIS_PRED, 1000);
    expect("branches", 376, vpmu_observer_read(&s.m.v, &o));
}
END_TEST

/* Modelled cycles are tallied in units. An observer returns whole cycles and loses no units. */
START_TEST(modelled_cycles)
{
    struct vpmu_config config = config_watched();
    struct vpmu_observer cycles;
    struct vpmu_observer bus;
    struct watched s;

    config.timed = CNT_SRC;
    config.cycle_units = 4;
    watched_start(&s, &config, N_EL1);
    observe(&s, &cycles, "cycles", VPMU_UNGATED);
    observe(&s, &bus, "bus-cycles:u", VPMU_UNGATED);
    machine_cycles(&s.m, 7);
    expect("7 units", 1, vpmu_observer_read(&s.m.v, &cycles));
    go(&s, N_EL0);
    machine_cycles(&s.m, 1);
    expect("8 units", 2, vpmu_observer_read(&s.m.v, &cycles));
    expect("one of them at EL0", 0, vpmu_observer_read(&s.m.v, &bus));
    machine_cycles(&s.m, 11);
    expect("19 units", 4, vpmu_observer_read(&s.m.v, &cycles));
    expect("12 of them at EL0", 3, vpmu_observer_read(&s.m.v, &bus));
}
END_TEST

/*
 * Time belongs to the context in which it passed, even without reads. CNT_CYCLES has its own clock.
 */
START_TEST(timed)
{
    const struct vpmu_config config = config_watched();
    struct vpmu_observer kernel;
    struct vpmu_observer user;
    struct vpmu_observer ticks;
    struct watched s;

    watched_start(&s, &config, N_EL0);
    machine_cycles(&s.m, 1000);
    observe(&s, &kernel, "cycles:k", VPMU_UNGATED);
    observe(&s, &user, "cycles:u", VPMU_UNGATED);
    observe(&s, &ticks, "cnt_cycles:u", VPMU_UNGATED);
    for (unsigned i = 0; i < 5; i++) {
        machine_cycles(&s.m, 10);
        machine_events(&s.m, VPMU_SRC_CNT_CYCLES, 3);
        go(&s, N_EL1);
        machine_cycles(&s.m, 200);
        machine_events(&s.m, VPMU_SRC_CNT_CYCLES, 40);
        go(&s, N_EL0);
    }
    expect("EL1", 1000, vpmu_observer_read(&s.m.v, &kernel));
    expect("EL0", 50, vpmu_observer_read(&s.m.v, &user));
    expect("ticks at EL0", 15, vpmu_observer_read(&s.m.v, &ticks));
}
END_TEST

START_TEST(add_and_remove)
{
    const struct vpmu_config config = config_watched();
    struct vpmu_observer o[40];
    struct watched s;

    watched_start(&s, &config, N_EL1);
    for (unsigned i = 0; i < COUNT_OF(o); i++) {
        observe(&s, &o[i], i % 2 ? "instructions:k" : "instructions:u", VPMU_UNGATED);
        run(&s, 1);
    }
    put(&s, VPMU_PMSELR, 0);
    /*
     * Removes the first, the last and one between, and one that was not added, which has no effect.
     */
    vpmu_observer_remove(&s.m.v, &o[0]);
    vpmu_observer_remove(&s.m.v, &o[39]);
    vpmu_observer_remove(&s.m.v, &o[20]);
    s.m.rearms = 0;
    vpmu_observer_remove(&s.m.v, &o[20]);
    expect("vpmu_ops.rearm", 0, s.m.rearms);
    run(&s, 100);
    for (unsigned i = 1; i < 39; i++) {
        if (i != 20) {
            expect("instructions since it was added", i % 2 ? 140 - i : 0,
                   vpmu_observer_read(&s.m.v, &o[i]));
        }
    }
    /* An observer that was removed can be added again and starts at 0. */
    vpmu_observer_add(&s.m.v, &o[39]);
    run(&s, 7);
    expect("anew", 7, vpmu_observer_read(&s.m.v, &o[39]));
}
END_TEST

/* The machine must tally the sources in all contexts in which an observer counts in any world. */
START_TEST(armed)
{
    const struct vpmu_config config = config_watched();
    struct vpmu_observer user;
    struct vpmu_observer misses;
    struct watched s;

    watched_start(&s, &config, N_EL1);
    put(&s, PMEVTYPER(0), VPMU_EVENT_INST_RETIRED | VPMU_TYPER_U);
    put(&s, VPMU_PMCNTENSET, BIT(0));
    put(&s, VPMU_PMCR, VPMU_PMCR_E);
    s.m.rearms = 0;
    observe(&s, &user, "cycles:uG", VPMU_UNGATED);
    expect("vpmu_ops.rearm", 1, s.m.rearms);
    observe(&s, &misses, "branch-misses:kH", 5);
    expect("vpmu_ops.rearm", 2, s.m.rearms);
    expect("EL0", CPU_SRC, vpmu_armed(&s.m.v, NS_EL0));
    expect("EL1, with the counter", INST_SRC | SRC(BR_MIS_PRED), vpmu_armed(&s.m.v, NS_EL1));
    expect("EL2, of a VHE host", SRC(BR_MIS_PRED), vpmu_armed(&s.m.v, NS_EL2));
    expect("EL3", 0, vpmu_armed(&s.m.v, CTX_EL3));
    vpmu_observer_remove(&s.m.v, &misses);
    expect("vpmu_ops.rearm", 3, s.m.rearms);
    expect("EL0 still", CPU_SRC, vpmu_armed(&s.m.v, NS_EL0));
    expect("EL1, the counter alone", INST_SRC, vpmu_armed(&s.m.v, NS_EL1));
    expect("EL2, nothing", 0, vpmu_armed(&s.m.v, NS_EL2));
    vpmu_watch_detach(&s.m.v);
    expect("vpmu_ops.rearm", 4, s.m.rearms);
    expect("EL0, nothing", 0, vpmu_armed(&s.m.v, NS_EL0));
}
END_TEST

/* While only tallied events are observed, a change of level reads no clock. */
START_TEST(clock_only_if_timed)
{
    const struct vpmu_config config = config_watched();
    struct vpmu_observer cycles;
    struct vpmu_observer insns;
    struct watched s;

    watched_start(&s, &config, N_EL1);
    observe(&s, &insns, "instructions", VPMU_UNGATED);
    observe(&s, &cycles, "cycles", VPMU_UNGATED);
    vpmu_observer_remove(&s.m.v, &cycles);
    s.m.clock_calls = 0;
    go_round(&s);
    expect("instructions alone", 0, s.m.clock_calls);
    vpmu_observer_add(&s.m.v, &cycles);
    s.m.clock_calls = 0;
    go(&s, N_EL1);
    ck_assert_msg(s.m.clock_calls > 0, "expected vpmu_ops.clock to be asked got 0 calls");
}
END_TEST

/*
 * A gate is open while the host's kernel has the counter enabled by both enable bits, and at no
 * other time.
 */
START_TEST(gate_follows_the_host)
{
    const struct vpmu_config config = config_watched();
    struct vpmu_observer o;
    struct vpmu_observer cycles;
    struct watched s;

    watched_start(&s, &config, N_EL1);
    observe(&s, &o, "instructions", 2);
    observe(&s, &cycles, "cycles", VPMU_CYCLE_COUNTER);
    expect("neither enable", 0, seen_of(&s, &o, 10));
    put(&s, VPMU_PMCNTENSET, BIT(2));
    expect("PMCNTENSET alone", 0, seen_of(&s, &o, 10));
    put(&s, VPMU_PMCR, VPMU_PMCR_E);
    expect("both", 10, seen_of(&s, &o, 10));
    expect("of another counter", 0, seen_of(&s, &cycles, 10));
    put(&s, PMEVTYPER(2), VPMU_TYPER_P | VPMU_TYPER_U);
    expect("though its own filter lets nothing in", 10, seen_of(&s, &o, 10));
    put(&s, VPMU_PMCNTENCLR, BIT(1));
    expect("another counter is stopped", 10, seen_of(&s, &o, 10));
    put(&s, VPMU_PMCR, 0);
    expect("PMCR.E = 0", 0, seen_of(&s, &o, 10));
    put(&s, VPMU_PMCR, VPMU_PMCR_E);
    put(&s, VPMU_PMCNTENCLR, ALL_ONES);
    expect("PMCNTENCLR", 0, seen_of(&s, &o, 10));
    put(&s, VPMU_PMCNTENSET, CYCLES);
    expect("the cycle counter", 10 * CYCLES_EACH, seen_of(&s, &cycles, 10));
    expect("not this", 0, seen_of(&s, &o, 10));
}
END_TEST

/* What was counted before a gate closed is kept, including the time until then. */
START_TEST(gate_and_time)
{
    const struct vpmu_config config = config_watched();
    struct vpmu_observer o;
    struct watched s;

    watched_start(&s, &config, N_EL1);
    observe(&s, &o, "cycles", 0);
    put(&s, VPMU_PMCR, VPMU_PMCR_E);
    for (unsigned i = 0; i < 4; i++) {
        machine_cycles(&s.m, 1000);
        put(&s, VPMU_PMCNTENSET, BIT(0));
        machine_cycles(&s.m, 7);
        put(&s, VPMU_PMCNTENCLR, BIT(0));
    }
    machine_cycles(&s.m, 1000);
    expect("value", 28, vpmu_observer_read(&s.m.v, &o));
}
END_TEST

/* A switch at EL2 of an nVHE host does not change the gate; a later write by the host does. */
START_TEST(gate_while_switched)
{
    const struct vpmu_config config = config_watched();
    struct vpmu_observer o;
    struct watched s;

    watched_start(&s, &config, N_EL1);
    observe(&s, &o, "instructions", 0);
    put(&s, PMEVTYPER(0), INST_EVERYWHERE);
    put(&s, VPMU_PMCNTENSET, BIT(0));
    put(&s, VPMU_PMCR, VPMU_PMCR_E);
    go(&s, N_EL2);
    put(&s, VPMU_PMCNTENCLR, BIT(0));
    expect("stopped at EL2", 10, seen_of(&s, &o, 10));
    expect("the counter itself", 0, value_of(&s, 0));
    go(&s, G_EL1);
    expect("in the guest, of which it is not told to be without", 10, seen_of(&s, &o, 10));
    go(&s, N_EL2);
    put(&s, VPMU_PMCNTENSET, BIT(0));
    expect("started at EL2", 10, seen_of(&s, &o, 10));
    go(&s, N_EL1);
    put(&s, VPMU_PMCNTENCLR, BIT(0));
    expect("stopped at EL1", 0, seen_of(&s, &o, 10));
    go(&s, N_EL2);
    put(&s, VPMU_PMCNTENSET, BIT(0));
    expect("started by the switch, not by the host", 0, seen_of(&s, &o, 10));
    expect("the counter itself", 10 + 10, value_of(&s, 0));
}
END_TEST

/* On a VHE host the kernel runs at EL2, so its writes there change the gate. */
START_TEST(gate_of_vhe_host)
{
    const struct vpmu_config config = config_watched();
    struct vpmu_observer o;
    struct watched s;

    watched_start(&s, &config, V_EL0);
    observe(&s, &o, "instructions:H", 0);
    go(&s, V_EL2);
    put(&s, PMEVTYPER(0), INST_EVERYWHERE | VPMU_TYPER_P);
    put(&s, VPMU_PMCR, VPMU_PMCR_E);
    put(&s, VPMU_PMCNTENSET, BIT(0));
    expect("on", 10, seen_of(&s, &o, 10));
    put(&s, PMEVTYPER(0), INST_EVERYWHERE | VPMU_TYPER_P | VPMU_TYPER_U);
    expect("load took EL0 from its filter", 10, seen_of(&s, &o, 10));
    go(&s, G_EL0);
    expect("a guest, which :H leaves out", 0, seen_of(&s, &o, 10));
    go(&s, V_EL2);
    put(&s, VPMU_PMCNTENCLR, BIT(0));
    expect("off", 0, seen_of(&s, &o, 10));
}
END_TEST

/*
 * The gate stays closed until the host has been at rest, because the switch may have written
 * PMCNTENSET before.
 */
START_TEST(gate_before_host_is_known)
{
    const struct vpmu_config config = config_watched();
    struct vpmu_observer o;
    struct watched s;

    watched_start(&s, &config, N_EL2);
    observe(&s, &o, "instructions", 0);
    put(&s, VPMU_PMCR, VPMU_PMCR_E);
    put(&s, VPMU_PMCNTENSET, BIT(0));
    expect("at EL2", 0, seen_of(&s, &o, 10));
    go(&s, G_EL1);
    expect("in a guest", 0, seen_of(&s, &o, 10));
    go(&s, N_EL2);
    expect("at EL2 again", 0, seen_of(&s, &o, 10));
    go(&s, N_EL1);
    expect("at EL1", 10, seen_of(&s, &o, 10));
    go(&s, N_EL2);
    expect("and from now on at EL2", 10, seen_of(&s, &o, 10));
}
END_TEST

/* A guest's writes do not affect observers without a gate, and the guest cannot see them. */
START_TEST(guest_cannot_disturb)
{
    static const uint64_t values[] = {ALL_ONES, 0, BIT(0) | BIT(31), 0x5a5a5a5a5a5a5a5a};
    const struct vpmu_config config = config_watched();
    struct vpmu_observer insns;
    struct vpmu_observer cycles;
    struct watched s;
    uint64_t writes = 0;

    watched_start(&s, &config, G_EL1);
    observe(&s, &insns, "instructions:G", VPMU_UNGATED);
    observe(&s, &cycles, "cycles", VPMU_UNGATED);
    for (unsigned reg = 0; reg < VPMU_REG_COUNT; reg++) {
        for (size_t i = 0; i < COUNT_OF(values); i++) {
            run(&s, 1);
            writes++;
            if (vpmu_reg_access(&s.m.v, reg, &at_el1, true) == VPMU_ACCESS_OK) {
                put(&s, reg, values[i]);
            }
        }
    }
    expect("instructions", writes, vpmu_observer_read(&s.m.v, &insns));
    expect("cycles", writes * CYCLES_EACH, vpmu_observer_read(&s.m.v, &cycles));
    put(&s, VPMU_PMCR, VPMU_PMCR_P | VPMU_PMCR_C);
    put(&s, VPMU_PMCNTENCLR, ALL_ONES);
    run(&s, 100);
    for (unsigned idx = 0; idx < config.counters; idx++) {
        expect("a counter that is off", 0, value_of(&s, idx));
    }
}
END_TEST

/* Counters of the PMU count the same with and without observers, cycles and instructions. */
START_TEST(counters_are_not_disturbed)
{
    const struct vpmu_config config = config_watched();
    struct vpmu_observer o[2];
    uint64_t value[2][2];
    struct watched s;

    for (unsigned watched = 0; watched < 2; watched++) {
        watched_start(&s, &config, N_EL1);
        if (watched) {
            observe(&s, &o[0], "cycles", 31);
            observe(&s, &o[1], "instructions:k", 0);
        }
        put(&s, PMEVTYPER(0), VPMU_EVENT_INST_RETIRED | VPMU_TYPER_U);
        put(&s, VPMU_PMCCFILTR, VPMU_TYPER_U);
        put(&s, VPMU_PMCNTENSET, BIT(0) | CYCLES);
        put(&s, VPMU_PMCR, VPMU_PMCR_E | VPMU_PMCR_DP);
        for (unsigned i = 0; i < 5; i++) {
            run(&s, 10);
            go(&s, N_EL0);
            run(&s, 1000);
            go(&s, N_EL1);
        }
        value[watched][0] = value_of(&s, 0);
        value[watched][1] = value_of(&s, VPMU_CYCLE_COUNTER);
    }
    for (unsigned watched = 0; watched < 2; watched++) {
        expect("instructions at EL1", 50, value[watched][0]);
        expect("cycles at EL1", 50 * CYCLES_EACH, value[watched][1]);
    }
}
END_TEST

/*
 * If tallies are subtracted after an observer was read, it does not go back and counts nothing
 * twice.
 */
START_TEST(subtracted)
{
    const struct vpmu_config config = config_watched();
    struct vpmu_observer all;
    struct vpmu_observer guests;
    struct watched s;

    watched_start(&s, &config, N_EL1);
    observe(&s, &all, "instructions", VPMU_UNGATED);
    observe(&s, &guests, "instructions:G", VPMU_UNGATED);
    run(&s, 100);
    go(&s, G_EL1);
    run(&s, 10);
    go(&s, N_EL2);
    s.m.totals.n[NS_EL1][VPMU_SRC_INST_RETIRED] -= 5;
    expect("not back", 110, vpmu_observer_read(&s.m.v, &all));
    go(&s, G_EL1);
    expect("not back after settling either", 110, vpmu_observer_read(&s.m.v, &all));
    run(&s, 5);
    expect("made up for", 110, vpmu_observer_read(&s.m.v, &all));
    run(&s, 7);
    expect("goes on", 117, vpmu_observer_read(&s.m.v, &all));
    expect("guests: nothing was taken back while it looked", 22,
           vpmu_observer_read(&s.m.v, &guests));
}
END_TEST

Suite *observer_suite(void)
{
    const TTest *const tests[] = {
        who_and_where,        sum_of_sources,
        modelled_cycles,      timed,
        add_and_remove,       armed,
        clock_only_if_timed,  gate_follows_the_host,
        gate_and_time,        gate_while_switched,
        gate_of_vhe_host,     gate_before_host_is_known,
        guest_cannot_disturb, counters_are_not_disturbed,
        subtracted,
    };

    return suite_of("observer", tests, COUNT_OF(tests));
}
