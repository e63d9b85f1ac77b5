/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* Observers: what they count, in which contexts, and their gates. */
#include "steps.h"

#define TEN_CYCLES (10 * CYCLES_EACH)

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
    const struct vpmu_arm_config config = config_watched();
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
                      machine_observer_read(&s.m, &o[i]));
        }
    }
}
END_TEST

START_TEST(add_and_remove)
{
    const struct vpmu_arm_config config = config_watched();
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
    machine_observer_remove(&s.m, &o[0]);
    machine_observer_remove(&s.m, &o[39]);
    machine_observer_remove(&s.m, &o[20]);
    s.m.rearms = 0;
    machine_observer_remove(&s.m, &o[20]);
    expect("VPMU_DUE_REARM", 0, s.m.rearms);
    run(&s, 100);
    for (unsigned i = 1; i < 39; i++) {
        if (i != 20) {
            expect("instructions since it was added", i % 2 ? 140 - i : 0,
                   machine_observer_read(&s.m, &o[i]));
        }
    }
    /* An observer that was removed can be added again and starts at 0. */
    machine_observer_add(&s.m, &o[39]);
    run(&s, 7);
    expect("anew", 7, machine_observer_read(&s.m, &o[39]));
}
END_TEST

/* A guest's writes do not affect observers without a gate, and the guest cannot see them. */
START_TEST(guest_cannot_disturb)
{
    static const uint64_t values[] = {ALL_ONES, 0, BIT(0) | BIT(31), 0x5a5a5a5a5a5a5a5a};
    const struct vpmu_arm_config config = config_watched();
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
            if (vpmu_arm_reg_access(&s.m.v, reg, &at_el1, true) == VPMU_ACCESS_OK) {
                put(&s, reg, values[i]);
            }
        }
    }
    expect("instructions", writes, machine_observer_read(&s.m, &insns));
    expect("cycles", writes * CYCLES_EACH, machine_observer_read(&s.m, &cycles));
    put(&s, VPMU_PMCR, VPMU_PMCR_P | VPMU_PMCR_C);
    put(&s, VPMU_PMCNTENCLR, ALL_ONES);
    run(&s, 100);
    for (unsigned idx = 0; idx < config.counters; idx++) {
        expect("a counter that is off", 0, value_of(&s, idx));
    }
}
END_TEST

/* Counters of the PMU count the same with and without observers, cycles and instructions. */
static const struct row counters_are_not_disturbed[] = {
    ROW("not observed", CLEAR_CALLS),
    ROW("observed", OBSERVE_GATED(0, "cycles", 31, 0), OBSERVE_GATED(1, "instructions:k", 0, 0)),
    {0},
};

static const struct scenario scenarios[] = {
    {.name = "counters_are_not_disturbed",
     .setup = WATCHED(N_EL1),
     .rows = counters_are_not_disturbed,
     .then = {COUNTER(0, INST | U, 0), COUNTER(31, U, 0), PMCR(E | VPMU_PMCR_DP), REPEAT(5),
              RUN(10), GO(N_EL0), RUN(1000), GO(N_EL1), AGAIN, COUNTS("at EL1", 0, 50),
              COUNTS("cycles at EL1", 31, 50 * CYCLES_EACH)}},
    /* While only tallied events are observed, a change of level reads no clock. */
    CASE("clock_only_if_timed", WATCHED(N_EL1), OBSERVE(0, "instructions"), OBSERVE(1, "cycles"),
         REMOVE(1), CLEAR_CALLS, CALL(go_round), CLOCKS("instructions alone", 0),
         OBSERVE(1, "cycles"), CLEAR_CALLS, GO(N_EL1), CLOCKS("with cycles", 1)),
    /* An event with several sources is their sum, also if totals wrap. */
    CASE("sum_of_sources", WATCHED(N_EL1), OBSERVE(0, "branches"), HAPPEN(BR_IMMED, 5),
         HAPPEN(BR_RETURN, 70), HAPPEN(BR_INDIRECT, 1), GO(N_EL2), HAPPEN(EXC_RETURN, 300),
         HAPPEN(BR_MIS_PRED, 1000), OBSERVED("branches", 0, 376)),
    /* Modelled cycles are tallied in units. An observer returns whole cycles and loses no units. */
    CASE("modelled_cycles", WATCHED_UNITS(N_EL1, 4), OBSERVE(0, "cycles"),
         OBSERVE(1, "bus-cycles:u"), PASS(7), OBSERVED("7 units", 0, 1), GO(N_EL0), PASS(1),
         OBSERVED("8 units", 0, 2), OBSERVED("one of them at EL0", 1, 0), PASS(11),
         OBSERVED("19 units", 0, 4), OBSERVED("12 of them at EL0", 1, 3)),
    /*
     * Time belongs to the context in which it passed, even without reads. CNT_CYCLES has its own
     * clock.
     */
    CASE("timed", WATCHED(N_EL0), PASS(1000), OBSERVE(0, "cycles:k"), OBSERVE(1, "cycles:u"),
         OBSERVE(2, "cnt_cycles:u"), REPEAT(5), PASS(10), TICK(3), GO(N_EL1), PASS(200), TICK(40),
         GO(N_EL0), AGAIN, OBSERVED("EL1", 0, 1000), OBSERVED("EL0", 1, 50),
         OBSERVED("ticks at EL0", 2, 15)),
    /* The machine must tally the sources in all contexts in which an observer counts in any world.
     */
    CASE("armed", WATCHED(N_EL1), TYPE(0, INST | U), SET(BIT(0)), PMCR(E), CLEAR_CALLS,
         OBSERVE(0, "cycles:uG"), REARMS("the first", 1),
         OBSERVE_GATED(1, "branch-misses:kH", 5, 0), REARMS("the second", 2),
         ARMED("EL0", NS_EL0, CPU_SRC),
         ARMED("EL1, with the counter", NS_EL1, INST_SRC | SRC(BR_MIS_PRED)),
         ARMED("EL2, of a VHE host", NS_EL2, SRC(BR_MIS_PRED)), ARMED("EL3", CTX_EL3, 0),
         ARMED("Secure EL0", S_EL0, CPU_SRC), REMOVE(1), REARMS("one is removed", 3),
         ARMED("EL0 still", NS_EL0, CPU_SRC), ARMED("EL1, the counter alone", NS_EL1, INST_SRC),
         ARMED("EL2, nothing", NS_EL2, 0), DETACH, REARMS("both are", 4),
         ARMED("EL0, nothing", NS_EL0, 0), ARMED("Secure EL0, nothing", S_EL0, 0)),
    /*
     * A gate is open while the host's kernel has the counter enabled by both enable bits, and at no
     * other time.
     */
    CASE("gate_follows_the_host", WATCHED(N_EL1), OBSERVE_GATED(0, "instructions", 2, 0),
         OBSERVE_GATED(1, "cycles", 31, 0), SEEN("neither enable", 0, 0), SET(BIT(2)),
         SEEN("PMCNTENSET alone", 0, 0), PMCR(E), SEEN("both", 0, 10),
         SEEN("of another counter", 1, 0), TYPE(2, P | U),
         SEEN("though its own filter lets nothing in", 0, 10), CLR(BIT(1)),
         SEEN("another counter is stopped", 0, 10), PMCR(0), SEEN("PMCR.E = 0", 0, 0), PMCR(E),
         CLR(ALL_ONES), SEEN("PMCNTENCLR", 0, 0), SET(CYCLES),
         SEEN("the cycle counter", 1, TEN_CYCLES), SEEN("not this", 0, 0)),
    /* What was counted before a gate closed is kept, including the time until then. */
    CASE("gate_and_time", WATCHED(N_EL1), OBSERVE_GATED(0, "cycles", 0, 0), PMCR(E), REPEAT(4),
         PASS(1000), SET(BIT(0)), PASS(7), CLR(BIT(0)), AGAIN, PASS(1000),
         OBSERVED("value", 0, 28)),
    /* A switch at EL2 of an nVHE host does not change the gate; a later write by the host does. */
    CASE("gate_while_switched", WATCHED(N_EL1), OBSERVE_GATED(0, "instructions", 0, 0),
         TYPE(0, INST_EVERYWHERE), SET(BIT(0)), PMCR(E), GO(N_EL2), CLR(BIT(0)),
         SEEN("stopped at EL2", 0, 10), COUNTS("the counter itself", 0, 0), GO(G_EL1),
         SEEN("in the guest, which its text includes", 0, 10), GO(N_EL2), SET(BIT(0)),
         SEEN("started at EL2", 0, 10), GO(N_EL1), CLR(BIT(0)), SEEN("stopped at EL1", 0, 0),
         GO(N_EL2), SET(BIT(0)), SEEN("started by the switch, not by the host", 0, 0),
         COUNTS("the counter itself", 0, 10 + 10)),
    /* On a VHE host the kernel runs at EL2, so its writes there change the gate. */
    CASE("gate_of_vhe_host", WATCHED(V_EL0), OBSERVE_GATED(0, "instructions:H", 0, 0), GO(V_EL2),
         TYPE(0, INST_EVERYWHERE | P), PMCR(E), SET(BIT(0)), SEEN("on", 0, 10),
         TYPE(0, INST_EVERYWHERE | P | U), SEEN("load took EL0 from its filter", 0, 10), GO(G_EL0),
         SEEN("a guest, which :H leaves out", 0, 0), GO(V_EL2), CLR(BIT(0)), SEEN("off", 0, 0)),
    /*
     * The gate stays closed until the host has been at rest, because the switch may have written
     * PMCNTENSET before.
     */
    CASE("gate_before_host_is_known", WATCHED(N_EL2), OBSERVE_GATED(0, "instructions", 0, 0),
         PMCR(E), SET(BIT(0)), SEEN("at EL2", 0, 0), GO(G_EL1), SEEN("in a guest", 0, 0), GO(N_EL2),
         SEEN("at EL2 again", 0, 0), GO(N_EL1), SEEN("at EL1", 0, 10), GO(N_EL2),
         SEEN("and from now on at EL2", 0, 10)),
    /*
     * If tallies are subtracted after an observer was read, it does not go back and counts nothing
     * twice. Nothing is subtracted of guests.
     */
    CASE("subtracted", WATCHED(N_EL1), OBSERVE(0, "instructions"), OBSERVE(1, "instructions:G"),
         RUN(100), GO(G_EL1), RUN(10), GO(N_EL2), TAKE_BACK_IN(NS_EL1, INST_RETIRED, 5),
         OBSERVED("not back", 0, 110), GO(G_EL1),
         OBSERVED("not back after settling either", 0, 110), RUN(5),
         OBSERVED("made up for", 0, 110), RUN(7), OBSERVED("goes on", 0, 117),
         OBSERVED("guests", 1, 22)),
};

Suite *observer_suite(void)
{
    const TTest *const tests[] = {who_and_where, add_and_remove, guest_cannot_disturb};

    return scenario_suite("observer", scenarios, COUNT_OF(scenarios), tests, COUNT_OF(tests));
}
