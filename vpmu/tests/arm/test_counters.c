/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* Counters and the machine's totals: from when to when a counter counts, and what is armed. */
#include "steps.h"

#define CNT EVENT_CNT_CYCLES
#define BUS EVENT_BUS_CYCLES
#define D VPMU_PMCR_D
#define EVENT_LD_RETIRED 0x06
#define EVENT_ST_RETIRED 0x07
#define EVENT_MEM_ACCESS 0x13
#define EVENT_MEM_ACCESS_RD 0x66
#define MEM_SRC (SRC(LD_RETIRED) | SRC(ST_RETIRED))

/* Counters of the same event agree, and each counts independently. */
START_TEST(counters_of_one_event)
{
    struct machine m;

    machine_start_as(&m, VPMU_V3P5, 31, 0);
    for (unsigned idx = 0; idx < 31; idx++) {
        counter_start(&m, idx, INST, idx);
    }
    pmcr_enable(&m);
    machine_instructions(&m, 1000);
    for (unsigned idx = 0; idx < 31; idx++) {
        expect("PMEVCNTR<n> = n + 1000", idx + 1000, get(&m, PMEVCNTR(idx)));
    }
}
END_TEST

/* Only one of the two is timed; the machine tallies the other. */
#define NOT_TIMED(called, sources, calls)                                                          \
    ROW_OF(called, TALLIED(1, sources), COUNTER(0, CNT, 0), COUNTER(31, 0, 0), ENABLE,             \
           CLEAR_CALLS, PASS(70), TICK(9), SETTLE, CLOCKS("reads of the clocks", calls))

static const struct row one_clock[] = {
    NOT_TIMED("both are tallied", CPU_SRC | CNT_SRC, 0),
    NOT_TIMED("cycles are timed", CNT_SRC, 1),
    NOT_TIMED("ticks are timed", CPU_SRC, 1),
    NOT_TIMED("both are timed", 0, 1),
    {0},
};

/* Starts a PMU with two event counters of cycles and the cycle counter. All count. */
static void start_units(struct machine *m, unsigned units, uint64_t pmcr)
{
    struct vpmu_arm_config config = config_units(VPMU_V3P9, 3, units);

    machine_start(m, &config);
    counter_start(m, 0, CPU, 0);
    counter_start(m, 1, BUS, 0);
    counter_start(m, 2, INST, 0);
    counter_start(m, VPMU_CYCLE_COUNTER, 0, 0);
    set(m, VPMU_PMCR, E | pmcr);
}

/* Checks what was counted after @units_passed units. Other events have no units. */
static void expect_cycles(struct machine *m, const char *when, uint64_t units_passed)
{
    unsigned units = m->v.config.cycle_units;
    uint64_t divider = m->v.regs.pmcr & D ? 64 : 1;

    expect_in(when, "CPU_CYCLES", units_passed / units, get(m, PMEVCNTR(0)));
    expect_in(when, "BUS_CYCLES", units_passed / units, get(m, PMEVCNTR(1)));
    expect_in(when, "PMCCNTR", units_passed / (units * divider), get(m, VPMU_PMCCNTR));
}

/*
 * After k units, the counters are at k / units, whether they are read after each unit or once.
 * PMCR.D affects PMCCNTR only.
 */
START_TEST(units_of_cycles)
{
    for (unsigned i = 0; i < 16; i++) {
        unsigned units = 1 + i % 8;
        uint64_t pmcr = i < 8 ? 0 : D;
        struct machine m;

        start_units(&m, units, pmcr);
        for (unsigned k = 1; k <= 2 * 64 * 8 + 5; k++) {
            machine_cycles(&m, 1);
            machine_instructions(&m, 1);
            expect_cycles(&m, "read at each unit", k);
            expect("INST_RETIRED", k, get(&m, PMEVCNTR(2)));
        }
        start_units(&m, units, pmcr);
        machine_cycles(&m, 1000003);
        expect_cycles(&m, "read once", 1000003);
        machine_cycles(&m, 1000003);
        expect_cycles(&m, "read twice", 2000006);
    }
}
END_TEST

static void check_units_wait(unsigned units, uint64_t pmcr)
{
    uint64_t left = (uint64_t)units * (pmcr ? 64 : 1) - 1;
    struct machine m;

    start_units(&m, units, pmcr);
    machine_cycles(&m, left);
    set(&m, VPMU_PMCR, pmcr);
    machine_cycles(&m, 1000);
    set(&m, VPMU_PMCR, E | pmcr);
    expect_cycles(&m, "PMCR.E", left);
    set(&m, VPMU_PMCNTENCLR, CYCLES | BIT(0) | BIT(1));
    machine_cycles(&m, 1000);
    set(&m, VPMU_PMCNTENSET, CYCLES | BIT(0) | BIT(1));
    expect_cycles(&m, "PMCNTEN", left);
    set(&m, PMEVTYPER(0), P | CPU);
    set(&m, PMEVTYPER(1), P | BUS);
    set(&m, VPMU_PMCCFILTR, P);
    machine_cycles(&m, 1000);
    machine_enter(&m, NS_EL0);
    expect_cycles(&m, "filters, other counters' registers", left);
    set(&m, PMEVCNTR(2), 0);
    set(&m, PMEVTYPER(2), CNT);
    machine_cycles(&m, 1);
    expect_cycles(&m, "the last unit", left + 1);
}

/*
 * A partial cycle is kept while its counter does not count: because the counters are disabled or
 * filtered, or the PE is in another context.
 */
START_TEST(units_wait)
{
    for (unsigned units = 2; units <= 8; units++) {
        check_units_wait(units, 0);
        check_units_wait(units, D);
    }
}
END_TEST

/*
 * Software that writes back what it has read, or a filter, does not move the end of a cycle: the
 * counters have seen 4 of its 5 units and count at the fifth. So an operating system loses nothing
 * when it switches tasks. Another value and another event begin a new cycle.
 */
#define AT_UNIT_5(cpu, bus, cycles)                                                                \
    PASS(1), COUNTS("CPU_CYCLES", 0, cpu), COUNTS("BUS_CYCLES", 1, bus),                           \
        COUNTS("PMCCNTR", 31, cycles)

static const struct row units_continue[] = {
    ROW("PMEVCNTR0", WRITE(PMEVCNTR(0), 0), AT_UNIT_5(1, 1, 1)),
    ROW("PMEVTYPER0, another event, and back", TYPE(0, BUS), TYPE(0, CPU), AT_UNIT_5(0, 1, 1)),
    ROW("PMCNTENCLR", CLR(BIT(0) | CYCLES), SET(BIT(0) | CYCLES), AT_UNIT_5(1, 1, 1)),
    ROW("PMEVTYPER1, another event of cycles", TYPE(1, CPU), AT_UNIT_5(1, 0, 1)),
    ROW("PMEVTYPER1, another filter", TYPE(1, BUS | U), AT_UNIT_5(1, 1, 1)),
    ROW("PMCCNTR", WRITE(VPMU_PMCCNTR, 0), AT_UNIT_5(1, 1, 1)),
    ROW("PMCR.P", PMCR(E | VPMU_PMCR_P), AT_UNIT_5(1, 1, 1)),
    ROW("PMCR.C", PMCR(E | VPMU_PMCR_C), AT_UNIT_5(1, 1, 1)),
    ROW("PMCR.D", PMCR(E | D), PMCR(E), AT_UNIT_5(1, 1, 1)),
    ROW("PMZR", WRITE(VPMU_PMZR, BIT(1) | CYCLES), AT_UNIT_5(1, 1, 1)),
    ROW("PMOVSCLR", CLEAR(ALL_ONES), AT_UNIT_5(1, 1, 1)),
    {0},
};

/*
 * A counter whose event the library or the machine does not count keeps its value and arms nothing.
 */
#define KEEPS(event) COUNTER(0, event, 5), ENABLE, READS("PMEVTYPER0", PMEVTYPER(0), event)

static const struct row unsupported_events[] = {
    ROW_OF("BR_RETIRED", WITHOUT(2, VPMU_SRC_ALL & ~(INST_SRC | CPU_SRC)), KEEPS(0x21)),
    ROW("an event of no number", KEEPS(0xffff)),
    ROW("SW_INCR, no write of PMSWINC", KEEPS(SW_INCR)),
    ROW("CHAIN in an even counter", KEEPS(CHAIN)),
    ROW_OF("INST_RETIRED without instructions", WITHOUT(2, ~CPU_SRC), KEEPS(INST)),
    ROW_OF("CNT_CYCLES without ticks", WITHOUT(2, ~CPU_SRC), KEEPS(CNT)),
    ROW_OF("MEM_ACCESS without stores", WITHOUT(2, SRC(ST_RETIRED)), KEEPS(EVENT_MEM_ACCESS)),
    ROW_OF("MEM_ACCESS without loads", WITHOUT(2, SRC(LD_RETIRED)), KEEPS(EVENT_MEM_ACCESS)),
    {0},
};

static void let_all_happen(struct watched *s)
{
    for (unsigned source = 0; source < VPMU_SRC_COUNT; source++) {
        machine_events(&s->m, source, 100);
    }
}

/* The sources that are armed in each context. */
#define ARMED_AT(el0, el1, el2)                                                                    \
    ARMED("EL0", NS_EL0, el0), ARMED("EL1", NS_EL1, el1), ARMED("EL2", NS_EL2, el2)

static const struct row armed[] = {
    ROW("instructions", COUNTER(0, INST, 0), ENABLE, ARMED_AT(INST_SRC, INST_SRC, 0)),
    ROW("instructions at EL0", COUNTER(0, INST | P, 0), ENABLE, ARMED_AT(INST_SRC, 0, 0)),
    ROW("instructions at EL1", COUNTER(0, INST | U, 0), ENABLE, ARMED_AT(0, INST_SRC, 0)),
    ROW("instructions everywhere", COUNTER(0, INST_EVERYWHERE, 0), ENABLE,
        ARMED_AT(INST_SRC, INST_SRC, INST_SRC)),
    ROW("cycles as an event", COUNTER(0, CPU, 0), ENABLE, ARMED_AT(CPU_SRC, CPU_SRC, 0)),
    ROW("both", COUNTER(0, INST | P, 0), COUNTER(31, 0, 0), ENABLE,
        ARMED_AT(INST_SRC | CPU_SRC, CPU_SRC, 0)),
    ROW("ticks", COUNTER(0, CNT, 0), ENABLE, ARMED_AT(CNT_SRC, CNT_SRC, 0)),
    ROW("a sum", COUNTER(0, EVENT_MEM_ACCESS, 0), ENABLE, ARMED_AT(MEM_SRC, MEM_SRC, 0)),
    ROW("a sum at EL0, and cycles", COUNTER(0, EVENT_MEM_ACCESS | P, 0), COUNTER(31, 0, 0), ENABLE,
        ARMED_AT(MEM_SRC | CPU_SRC, CPU_SRC, 0)),
    ROW("software increments", COUNTER(0, SW_INCR, 0), ENABLE, ARMED_AT(0, 0, 0)),
    ROW("nowhere", COUNTER(0, INST | P | U, 0), ENABLE, ARMED_AT(0, 0, 0)),
    {0},
};

/*
 * A change of context reads the clocks of both timed sources only if a counter of one of them
 * counts in only one of the two contexts.
 */
#define MOVES(from, to, clock_reads)                                                               \
    IN(from), CLEAR_CALLS, DIFFERS("vpmu_arm_time_differs()", to, (clock_reads) != 0), IN(to),     \
        CLOCKS("reads of the clocks", clock_reads), HERE("context", to)

static const struct row cost_of_a_context[] = {
    ROW("cycles on both sides", COUNTER(0, CPU, 0), MOVES(NS_EL1, NS_EL0, 0)),
    ROW("cycles on neither side", COUNTER(0, CPU, 0), MOVES(NS_EL2, S_EL2, 0)),
    ROW("cycles at EL0 only, leaving it", COUNTER(0, CPU | P, 0), MOVES(NS_EL0, NS_EL1, 1)),
    ROW("cycles at EL0 only, entering it", COUNTER(0, CPU | P, 0), MOVES(NS_EL1, NS_EL0, 1)),
    ROW("ticks at EL0 only, leaving it", COUNTER(0, CNT | P, 0), MOVES(NS_EL0, NS_EL1, 1)),
    ROW("instructions at EL0 only", COUNTER(0, INST | P, 0), MOVES(NS_EL1, NS_EL0, 0)),
    {0},
};

/*
 * Writes that may change what is armed, or the headroom, call rearm. Reads and writes of PMSELR do
 * not.
 */
#define WRITTEN(reg) ROW(#reg, WRITE(VPMU_##reg, 1))

static const struct row rearm_after_writes[] = {
    WRITTEN(PMCR),
    WRITTEN(PMCNTENSET),
    WRITTEN(PMCNTENCLR),
    WRITTEN(PMINTENSET),
    WRITTEN(PMINTENCLR),
    WRITTEN(PMOVSSET),
    WRITTEN(PMOVSCLR),
    WRITTEN(PMSWINC),
    WRITTEN(PMXEVTYPER),
    WRITTEN(PMXEVCNTR),
    WRITTEN(PMCCNTR),
    WRITTEN(PMCCFILTR),
    WRITTEN(PMICNTR),
    WRITTEN(PMICFILTR),
    WRITTEN(PMZR),
    ROW("PMEVCNTR3", WRITE(PMEVCNTR(3), 1)),
    ROW("PMEVTYPER3", TYPE(3, 1)),
    {0},
};

static const struct row no_rearm[] = {
    WRITTEN(PMSELR),
    WRITTEN(PMUSERENR),
    WRITTEN(PMUACR),
    ROW("reads", READS("PMCR", VPMU_PMCR, 0xf800), COUNTS("PMEVCNTR0", 0, 0)),
    {0},
};

/* The PMUs of two PEs are independent. */
START_TEST(two_pmus)
{
    struct machine a;
    struct machine b;

    machine_start_as(&a, VPMU_V3P5, 1, 0);
    machine_start_as(&b, VPMU_V3P5, 1, 0);
    counter_start(&a, 0, INST, 0);
    counter_start(&b, 0, INST, 0);
    pmcr_enable(&a);
    machine_instructions(&a, 5);
    machine_instructions(&b, 9);
    expect("the enabled one", 5, get(&a, PMEVCNTR(0)));
    expect("the other one", 0, get(&b, PMEVCNTR(0)));
}
END_TEST

/*
 * A counter that was settled before a subtraction of 5 of 100 does not go back, and counts nothing
 * twice. The write follows the subtraction.
 */
#define NEXT_5_AND_3(next)                                                                         \
    RUN(5), COUNTS("made up for", 0, next), RUN(3), COUNTS("goes on", 0, (next) + 3)

static const struct row subtracted[] = {
    ROW("nothing", WRITE(VPMU_PMSELR, 0), NEXT_5_AND_3(100)),
    ROW("counting goes on", SET(BIT(0)), NEXT_5_AND_3(100)),
    ROW("another counter", TYPE(1, INST), NEXT_5_AND_3(100)),
    ROW("other contexts", TYPE(0, INST | U), NEXT_5_AND_3(100)),
    ROW("a new value owes nothing", WRITE(PMEVCNTR(0), 95), NEXT_5_AND_3(100)),
    ROW("reset", PMCR(E | VPMU_PMCR_P), NEXT_5_AND_3(5)),
    ROW("another event", TYPE(0, 0x003b), NEXT_5_AND_3(105)),
    {0},
};

static const struct scenario scenarios[] = {
    /* Reading has no side effect: with 1000 reads or none, the sum is the same. */
    CASE("reads_do_not_disturb", PMU(V3P5, 2, 0), COUNTER(0, INST, 0), COUNTER(1, INST, 0),
         COUNTER(31, 0, 0), ENABLE, REPEAT(1000), RUN(3), PASS(2),
         CHECK_EACH(COUNTS, "read at each step", 0, 3), AGAIN, COUNTS("read once", 1, 3000),
         COUNTS("cycles", 31, 2000)),
    {.name = "one_clock",
     .rows = one_clock,
     .then = {COUNTS("CNT_CYCLES", 0, 9), COUNTS("PMCCNTR", 31, 70)}},
    {.name = "unsupported_events",
     .setup = PMU(V3P5, 2, 0),
     .rows = unsupported_events,
     .then = {ARMED("nothing", NS_EL1, 0), CALL(let_all_happen), COUNTS("value", 0, 5)}},
    {.name = "cost_of_a_context",
     .setup = PMU(V3P5, 1, ALL_LEVELS),
     .steps = {ENABLE},
     .rows = cost_of_a_context,
     .then = {REARMS("VPMU_DUE_REARM", 0)}},
    {.name = "rearm_after_writes",
     .setup = FULL,
     .rows = rearm_after_writes,
     .then = {REARMS("VPMU_DUE_REARM", 1)}},
    {.name = "no_rearm", .setup = FULL, .rows = no_rearm, .then = {REARMS("VPMU_DUE_REARM", 0)}},
    /* If no guest uses the PMU, nothing is armed, no clock is read and nothing is counted. */
    CASE("idle", PMU(V3P5, 6, VPMU_HAS_EL2), CLEAR_CALLS, IN(NS_EL0), RUN(100), PASS(100), SETTLE,
         ARMED("armed", NS_EL0, 0), IN(NS_EL1), RUN(100), PASS(100), SETTLE,
         ARMED("armed", NS_EL1, 0), IN(NS_EL2), RUN(100), PASS(100), SETTLE,
         ARMED("armed", NS_EL2, 0), CLOCKS("reads of the clocks", 0), REARMS("VPMU_DUE_REARM", 0),
         COUNTS("PMEVCNTR0", 0, 0), COUNTS("PMCCNTR", 31, 0)),
    /* Counting begins and ends with the enable bit, also if the totals wrap. */
    CASE("from_enable_to_disable", PMU(V3P5, 1, 0), TYPE(0, INST), WRITE(PMEVCNTR(0), 100), RUN(1),
         COUNTS("neither enable", 0, 100), ENABLE, RUN(1), COUNTS("PMCR.E alone", 0, 100),
         SET(BIT(0)), RUN(7), COUNTS("both", 0, 107), RUN(1), PMCR(0), RUN(50),
         COUNTS("PMCR.E = 0", 0, 108), ENABLE, RUN(2), CLR(BIT(0)), RUN(50),
         COUNTS("PMCNTENCLR", 0, 110)),
    /* A counter continues from the value that is written. */
    CASE("write_while_counting", PMU(V3P5, 1, 0), COUNTER(0, INST, 0), COUNTER(31, 0, 0), ENABLE,
         RUN(10), PASS(10), WRITE(PMEVCNTR(0), 1000), WRITE(VPMU_PMCCNTR, 2000), RUN(5), PASS(6),
         COUNTS("PMEVCNTR0", 0, 1005), COUNTS("PMCCNTR", 31, 2006)),
    /* A new event counts from the write on; the value is kept. */
    CASE("change_of_event", PMU(V3P5, 1, 0), COUNTER(0, INST, 0), ENABLE, RUN(10), PASS(1000),
         TYPE(0, CPU), RUN(20), PASS(7), COUNTS("10 instructions and 7 cycles", 0, 17)),
    /* The CPU_CYCLES event, BUS_CYCLES and the cycle counter count the same cycles. */
    CASE("cycles_agree", PMU(V3P5, 2, 0), COUNTER(0, CPU, 0), COUNTER(1, BUS, 0), COUNTER(31, 0, 0),
         ENABLE, PASS(12345), COUNTS("CPU_CYCLES", 0, 12345), COUNTS("BUS_CYCLES", 1, 12345),
         COUNTS("PMCCNTR", 31, 12345)),
    /*
     * CNT_CYCLES has its own rate: 3 ticks to 100 cycles. The time of each source belongs to the
     * context in which it passed, also while only the other source is counted there.
     */
    CASE("two_clocks", PMU(V3P5, 4, 0), COUNTER(0, CNT, 0), COUNTER(1, CNT | P, 0),
         COUNTER(2, CPU | P, 0), COUNTER(31, U, 0), ENABLE, REPEAT(10), IN(NS_EL1), PASS(100),
         TICK(3), IN(NS_EL0), PASS(200), TICK(6), AGAIN, COUNTS("CNT_CYCLES", 0, 90),
         COUNTS("CNT_CYCLES at EL0", 1, 60), COUNTS("CPU_CYCLES at EL0", 2, 2000),
         COUNTS("PMCCNTR at EL1", 31, 1000), TOTAL("ticks of EL0", NS_EL0, CNT_CYCLES, 60),
         TOTAL("ticks of EL1", NS_EL1, CNT_CYCLES, 30)),
    /*
     * MEM_ACCESS is the sum of its parts, which other counters count at the same time. At EL0 and
     * EL1, 10 and 1000 loads and 3 and 500 stores happen.
     */
    CASE("sum_and_parts", PMU(V3P5, 5, 0), COUNTER(0, EVENT_MEM_ACCESS, 0),
         COUNTER(1, EVENT_LD_RETIRED, 0), COUNTER(2, EVENT_ST_RETIRED, 0),
         COUNTER(3, EVENT_MEM_ACCESS | P, 0), COUNTER(4, EVENT_MEM_ACCESS_RD, 0), ENABLE,
         IN(NS_EL0), HAPPEN(LD_RETIRED, 10), HAPPEN(ST_RETIRED, 3), RUN(100), IN(NS_EL1),
         HAPPEN(LD_RETIRED, 1000), HAPPEN(ST_RETIRED, 500), RUN(7000),
         COUNTS("MEM_ACCESS", 0, 1513), COUNTS("LD_RETIRED", 1, 1010), COUNTS("ST_RETIRED", 2, 503),
         COUNTS("MEM_ACCESS at EL0", 3, 13), COUNTS("MEM_ACCESS_RD", 4, 1010),
         /* The event changes to a sum and back. Each counts from its own write on. */
         TYPE(1, EVENT_MEM_ACCESS), HAPPEN(ST_RETIRED, 2), TYPE(1, EVENT_LD_RETIRED),
         HAPPEN(ST_RETIRED, 4), HAPPEN(LD_RETIRED, 8), COUNTS("1010, 2 stores, 8 loads", 1, 1020)),
    {.name = "units_continue",
     .setup = UNITS(V3P9, 3, 5),
     .steps = {COUNTER(0, CPU, 0), COUNTER(1, BUS, 0), COUNTER(2, INST, 0), COUNTER(31, 0, 0),
               ENABLE, PASS(4)},
     .rows = units_continue,
     .then = {PASS(4), COUNTS("CPU_CYCLES at 9 units", 0, 1), COUNTS("BUS_CYCLES at 9 units", 1, 1),
              COUNTS("PMCCNTR at 9 units", 31, 1)}},
    CASE("units_of_another_value", UNITS(V3P9, 1, 5), COUNTER(0, CPU, 0), COUNTER(31, 0, 0), ENABLE,
         PASS(4), WRITE(PMEVCNTR(0), 7), WRITE(VPMU_PMCCNTR, 7), PASS(4), COUNTS("PMEVCNTR0", 0, 7),
         COUNTS("PMCCNTR", 31, 7), PASS(1), COUNTS("PMEVCNTR0 of a cycle", 0, 8),
         COUNTS("PMCCNTR of a cycle", 31, 8)),
    /* A reset begins a new cycle. */
    CASE("units_after_reset", UNITS(V3P9, 3, 8), COUNTER(0, CPU, 0), COUNTER(31, 0, 0), ENABLE,
         PASS(7), RESET, COUNTER(0, CPU, 0), COUNTER(31, 0, 0), ENABLE, PASS(7),
         COUNTS("7 units: CPU_CYCLES", 0, 0), COUNTS("7 units: PMCCNTR", 31, 0), PASS(1),
         COUNTS("8 units: CPU_CYCLES", 0, 1), COUNTS("8 units: PMCCNTR", 31, 1)),
    {.name = "armed",
     .setup = PMU(V3P5, 1, VPMU_HAS_EL2),
     .rows = armed,
     .then = {PMCR(0), ARMED("disabled", NS_EL0, 0), ARMED("disabled", NS_EL1, 0),
              ARMED("disabled", NS_EL2, 0)}},
    /* A machine may tally what is not armed; no counter counts it. */
    CASE("unarmed_totals", PMU(V3P5, 1, 0), COUNTER(0, INST | P, 0), ENABLE, RUN(500), IN(NS_EL0),
         RUN(3), COUNTS("only EL0", 0, 3)),
    /* Cycles belong to the context in which they passed, even if they are not tallied. */
    CASE("cycles_by_context", PMU(V3P5, 2, 0), COUNTER(0, CPU | P, 0), COUNTER(1, CPU | U, 0),
         COUNTER(31, 0, 0), ENABLE, REPEAT(10), IN(NS_EL0), PASS(100), IN(NS_EL1), PASS(7), AGAIN,
         COUNTS("EL0", 0, 1000), COUNTS("EL1", 1, 70), COUNTS("both", 31, 1070),
         TOTAL("EL0's total", NS_EL0, CPU_CYCLES, 1000),
         TOTAL("EL1's total", NS_EL1, CPU_CYCLES, 70)),
    /* vpmu_arm_settle() tells whether a counter overflowed, and only then VPMU_DUE_REARM is due. */
    CASE("settle_and_rearm", PMU(V3P5, 1, 0), COUNTER(0, INST, 0xfffffff0), ENABLE, CLEAR_CALLS,
         RUN(15), SETTLES("no overflow", 0), REARMS("no overflow", 0), RUN(1),
         SETTLES("overflow", 1), REARMS("overflow", 1), SETTLES("nothing new", 0),
         REARMS("nothing new", 1)),
    /* If no counter is settled in between, a subtraction is invisible. */
    CASE("subtracted_unseen", PMU(V3P5, 1, 0), COUNTER(0, INST, 0), ENABLE, RUN(100),
         TAKE_BACK(INST_RETIRED, 5), COUNTS("as if they had not been tallied", 0, 95), RUN(5),
         COUNTS("tallied again", 0, 100)),
    {.name = "subtracted",
     .setup = PMU(V3P5, 2, 0),
     .steps = {COUNTER(0, INST, 0), ENABLE, RUN(100), COUNTS("settled", 0, 100),
               TAKE_BACK(INST_RETIRED, 5), COUNTS("not back", 0, 100)},
     .rows = subtracted},
    /* A counter that is stopped keeps its surplus when it continues, also in another context. */
    CASE("subtracted_and_stopped", PMU(V3P5, 1, VPMU_HAS_EL2), COUNTER(0, INST_EVERYWHERE, 0),
         ENABLE, RUN(100), SETTLE, TAKE_BACK(INST_RETIRED, 5), CLR(BIT(0)), IN(NS_EL2), RUN(1000),
         SET(BIT(0)), RUN(4), COUNTS("owes one", 0, 100), RUN(2), COUNTS("counts", 0, 101)),
    /* A saved state does not include the surplus, so everything counts after it is loaded. */
    CASE("subtracted_and_loaded", PMU(V3P5, 1, 0), COUNTER(0, INST, 0), ENABLE, RUN(100), SETTLE,
         TAKE_BACK(INST_RETIRED, 5), SAVE_STATE("save"), LOAD_STATE("load"), RUN(3),
         COUNTS("all three", 0, 103)),
};

Suite *counters_suite(void)
{
    const TTest *const tests[] = {counters_of_one_event, units_of_cycles, units_wait, two_pmus};

    return scenario_suite("counters", scenarios, COUNT_OF(scenarios), tests, COUNT_OF(tests));
}
