/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* Counters and the machine's totals: from when to when a counter counts, and what is armed. */
#include "fixture.h"
#include "vpmu/arm/state.h"

#define MEM_SRC (SRC(LD_RETIRED) | SRC(ST_RETIRED))

/* If no guest uses the PMU, nothing is armed, no clock is read and nothing is counted. */
START_TEST(idle)
{
    struct machine m;

    machine_start_as(&m, VPMU_V3P5, 6, VPMU_HAS_EL2);
    m.clock_calls = 0;
    for (unsigned ctx = NS_EL0; ctx <= NS_EL2; ctx++) {
        machine_enter(&m, ctx);
        machine_instructions(&m, 100);
        machine_cycles(&m, 100);
        vpmu_settle(&m.v);
        expect("armed", 0, vpmu_armed(&m.v, ctx));
    }
    expect("vpmu_ops.clock", 0, m.clock_calls);
    expect("vpmu_ops.rearm", 0, m.rearms);
    expect("PMEVCNTR0", 0, get(&m, PMEVCNTR(0)));
    expect("PMCCNTR", 0, get(&m, VPMU_PMCCNTR));
}
END_TEST

/* Counting begins and ends with the enable bit, also if the totals wrap. */
START_TEST(from_enable_to_disable)
{
    struct machine m;

    machine_start_as(&m, VPMU_V3P5, 1, 0);
    set(&m, PMEVTYPER(0), VPMU_EVENT_INST_RETIRED);
    set(&m, PMEVCNTR(0), 100);
    machine_instructions(&m, 1);
    expect("neither enable", 100, get(&m, PMEVCNTR(0)));
    pmcr_enable(&m);
    machine_instructions(&m, 1);
    expect("PMCR.E alone", 100, get(&m, PMEVCNTR(0)));
    set(&m, VPMU_PMCNTENSET, BIT(0));
    machine_instructions(&m, 7);
    expect("both", 107, get(&m, PMEVCNTR(0)));
    machine_instructions(&m, 1);
    set(&m, VPMU_PMCR, 0);
    machine_instructions(&m, 50);
    expect("PMCR.E = 0", 108, get(&m, PMEVCNTR(0)));
    pmcr_enable(&m);
    machine_instructions(&m, 2);
    set(&m, VPMU_PMCNTENCLR, BIT(0));
    machine_instructions(&m, 50);
    expect("PMCNTENCLR", 110, get(&m, PMEVCNTR(0)));
}
END_TEST

/* Reading has no side effect: with 1000 reads or none, the sum is the same. */
START_TEST(reads_do_not_disturb)
{
    struct machine m;

    machine_start_as(&m, VPMU_V3P5, 2, 0);
    counter_start(&m, 0, VPMU_EVENT_INST_RETIRED, 0);
    counter_start(&m, 1, VPMU_EVENT_INST_RETIRED, 0);
    counter_start(&m, VPMU_CYCLE_COUNTER, 0, 0);
    pmcr_enable(&m);
    for (unsigned i = 1; i <= 1000; i++) {
        machine_instructions(&m, 3);
        machine_cycles(&m, 2);
        expect("read at each step", 3 * i, get(&m, PMEVCNTR(0)));
    }
    expect("read once", 3000, get(&m, PMEVCNTR(1)));
    expect("cycles", 2000, get(&m, VPMU_PMCCNTR));
}
END_TEST

/* A counter continues from the value that is written. */
START_TEST(write_while_counting)
{
    struct machine m;

    machine_start_as(&m, VPMU_V3P5, 1, 0);
    counter_start(&m, 0, VPMU_EVENT_INST_RETIRED, 0);
    counter_start(&m, VPMU_CYCLE_COUNTER, 0, 0);
    pmcr_enable(&m);
    machine_instructions(&m, 10);
    machine_cycles(&m, 10);
    set(&m, PMEVCNTR(0), 1000);
    set(&m, VPMU_PMCCNTR, 2000);
    machine_instructions(&m, 5);
    machine_cycles(&m, 6);
    expect("PMEVCNTR0", 1005, get(&m, PMEVCNTR(0)));
    expect("PMCCNTR", 2006, get(&m, VPMU_PMCCNTR));
}
END_TEST

/* A new event counts from the write on; the value is kept. */
START_TEST(change_of_event)
{
    struct machine m;

    machine_start_as(&m, VPMU_V3P5, 1, 0);
    counter_start(&m, 0, VPMU_EVENT_INST_RETIRED, 0);
    pmcr_enable(&m);
    machine_instructions(&m, 10);
    machine_cycles(&m, 1000);
    set(&m, PMEVTYPER(0), VPMU_EVENT_CPU_CYCLES);
    machine_instructions(&m, 20);
    machine_cycles(&m, 7);
    expect("10 instructions and 7 cycles", 17, get(&m, PMEVCNTR(0)));
}
END_TEST

/* Counters of the same event agree, and each counts independently. */
START_TEST(counters_of_one_event)
{
    struct machine m;

    machine_start_as(&m, VPMU_V3P5, 31, 0);
    for (unsigned idx = 0; idx < 31; idx++) {
        counter_start(&m, idx, VPMU_EVENT_INST_RETIRED, idx);
    }
    pmcr_enable(&m);
    machine_instructions(&m, 1000);
    for (unsigned idx = 0; idx < 31; idx++) {
        expect("PMEVCNTR<n> = n + 1000", idx + 1000, get(&m, PMEVCNTR(idx)));
    }
}
END_TEST

/* The CPU_CYCLES event, BUS_CYCLES and the cycle counter count the same cycles. */
START_TEST(cycles_agree)
{
    struct machine m;

    machine_start_as(&m, VPMU_V3P5, 2, 0);
    counter_start(&m, 0, VPMU_EVENT_CPU_CYCLES, 0);
    counter_start(&m, 1, EVENT_BUS_CYCLES, 0);
    counter_start(&m, VPMU_CYCLE_COUNTER, 0, 0);
    pmcr_enable(&m);
    machine_cycles(&m, 12345);
    expect("CPU_CYCLES", 12345, get(&m, PMEVCNTR(0)));
    expect("BUS_CYCLES", 12345, get(&m, PMEVCNTR(1)));
    expect("PMCCNTR", 12345, get(&m, VPMU_PMCCNTR));
}
END_TEST

/*
 * CNT_CYCLES has its own rate: 3 ticks to 100 cycles. The time of each source belongs to the
 * context in which it passed, also while only the other source is counted there.
 */
START_TEST(two_clocks)
{
    struct machine m;

    machine_start_as(&m, VPMU_V3P5, 4, 0);
    counter_start(&m, 0, EVENT_CNT_CYCLES, 0);
    counter_start(&m, 1, EVENT_CNT_CYCLES | VPMU_TYPER_P, 0);
    counter_start(&m, 2, VPMU_EVENT_CPU_CYCLES | VPMU_TYPER_P, 0);
    counter_start(&m, VPMU_CYCLE_COUNTER, VPMU_TYPER_U, 0);
    pmcr_enable(&m);
    for (unsigned i = 0; i < 10; i++) {
        machine_enter(&m, NS_EL1);
        machine_cycles(&m, 100);
        machine_events(&m, VPMU_SRC_CNT_CYCLES, 3);
        machine_enter(&m, NS_EL0);
        machine_cycles(&m, 200);
        machine_events(&m, VPMU_SRC_CNT_CYCLES, 6);
    }
    expect("CNT_CYCLES", 90, get(&m, PMEVCNTR(0)));
    expect("CNT_CYCLES at EL0", 60, get(&m, PMEVCNTR(1)));
    expect("CPU_CYCLES at EL0", 2000, get(&m, PMEVCNTR(2)));
    expect("PMCCNTR at EL1", 1000, get(&m, VPMU_PMCCNTR));
    expect("ticks of EL0", 60, m.totals.n[NS_EL0][VPMU_SRC_CNT_CYCLES] - TOTALS_START);
    expect("ticks of EL1", 30, m.totals.n[NS_EL1][VPMU_SRC_CNT_CYCLES] - TOTALS_START);
}
END_TEST

/* Only one of the two is timed; the machine tallies the other. */
START_TEST(one_clock)
{
    static const uint64_t timed[] = {0, CPU_SRC, CNT_SRC, CPU_SRC | CNT_SRC};

    for (size_t i = 0; i < COUNT_OF(timed); i++) {
        struct vpmu_config config = config_of(VPMU_V3P5, 1, 0);
        struct machine m;

        config.timed = timed[i];
        machine_start(&m, &config);
        counter_start(&m, 0, EVENT_CNT_CYCLES, 0);
        counter_start(&m, VPMU_CYCLE_COUNTER, 0, 0);
        pmcr_enable(&m);
        m.clock_calls = 0;
        machine_cycles(&m, 70);
        machine_events(&m, VPMU_SRC_CNT_CYCLES, 9);
        vpmu_settle(&m.v);
        expect("vpmu_ops.clock", (timed[i] & CPU_SRC ? 1 : 0) + (timed[i] & CNT_SRC ? 1 : 0),
               m.clock_calls);
        expect("CNT_CYCLES", 9, get(&m, PMEVCNTR(0)));
        expect("PMCCNTR", 70, get(&m, VPMU_PMCCNTR));
    }
}
END_TEST

/*
 * MEM_ACCESS is the sum of its parts, which other counters count at the same time. At EL0 and EL1,
 * 10 and 1000 loads and 3 and 500 stores happen.
 */
START_TEST(sum_and_parts)
{
    struct machine m;

    machine_start_as(&m, VPMU_V3P5, 5, 0);
    counter_start(&m, 0, 0x13, 0);
    counter_start(&m, 1, 0x06, 0);
    counter_start(&m, 2, 0x07, 0);
    counter_start(&m, 3, 0x13 | VPMU_TYPER_P, 0);
    counter_start(&m, 4, 0x66, 0);
    pmcr_enable(&m);
    machine_enter(&m, NS_EL0);
    machine_events(&m, VPMU_SRC_LD_RETIRED, 10);
    machine_events(&m, VPMU_SRC_ST_RETIRED, 3);
    machine_instructions(&m, 100);
    machine_enter(&m, NS_EL1);
    machine_events(&m, VPMU_SRC_LD_RETIRED, 1000);
    machine_events(&m, VPMU_SRC_ST_RETIRED, 500);
    machine_instructions(&m, 7000);
    expect("MEM_ACCESS", 1513, get(&m, PMEVCNTR(0)));
    expect("LD_RETIRED", 1010, get(&m, PMEVCNTR(1)));
    expect("ST_RETIRED", 503, get(&m, PMEVCNTR(2)));
    expect("MEM_ACCESS at EL0", 13, get(&m, PMEVCNTR(3)));
    expect("MEM_ACCESS_RD", 1010, get(&m, PMEVCNTR(4)));
    /* The event changes to a sum and back. Each counts from its own write on. */
    set(&m, PMEVTYPER(1), 0x13);
    machine_events(&m, VPMU_SRC_ST_RETIRED, 2);
    set(&m, PMEVTYPER(1), 0x06);
    machine_events(&m, VPMU_SRC_ST_RETIRED, 4);
    machine_events(&m, VPMU_SRC_LD_RETIRED, 8);
    expect("1010, 2 stores, 8 loads", 1020, get(&m, PMEVCNTR(1)));
}
END_TEST

/* Starts a PMU with two event counters of cycles and the cycle counter. All count. */
static void start_units(struct machine *m, unsigned units, uint64_t pmcr)
{
    struct vpmu_config config = config_units(VPMU_V3P9, 3, units);

    machine_start(m, &config);
    counter_start(m, 0, VPMU_EVENT_CPU_CYCLES, 0);
    counter_start(m, 1, EVENT_BUS_CYCLES, 0);
    counter_start(m, 2, VPMU_EVENT_INST_RETIRED, 0);
    counter_start(m, VPMU_CYCLE_COUNTER, 0, 0);
    set(m, VPMU_PMCR, VPMU_PMCR_E | pmcr);
}

/* Checks what was counted after @units_passed units. Other events have no units. */
static void expect_cycles(struct machine *m, const char *when, uint64_t units_passed)
{
    unsigned units = m->v.config.cycle_units;
    uint64_t divider = m->v.regs.pmcr & VPMU_PMCR_D ? 64 : 1;

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
        uint64_t pmcr = i < 8 ? 0 : VPMU_PMCR_D;
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

/*
 * A partial cycle is kept while its counter does not count: because the counters are disabled or
 * filtered, or the PE is in another context.
 */
START_TEST(units_wait)
{
    for (unsigned units = 2; units <= 8; units++) {
        for (unsigned d = 0; d < 2; d++) {
            uint64_t pmcr = d ? VPMU_PMCR_D : 0;
            uint64_t left = (uint64_t)units * (d ? 64 : 1) - 1;
            struct machine m;

            start_units(&m, units, pmcr);
            machine_cycles(&m, left);
            set(&m, VPMU_PMCR, pmcr);
            machine_cycles(&m, 1000);
            set(&m, VPMU_PMCR, VPMU_PMCR_E | pmcr);
            expect_cycles(&m, "PMCR.E", left);
            set(&m, VPMU_PMCNTENCLR, CYCLES | BIT(0) | BIT(1));
            machine_cycles(&m, 1000);
            set(&m, VPMU_PMCNTENSET, CYCLES | BIT(0) | BIT(1));
            expect_cycles(&m, "PMCNTEN", left);
            set(&m, PMEVTYPER(0), VPMU_TYPER_P | VPMU_EVENT_CPU_CYCLES);
            set(&m, PMEVTYPER(1), VPMU_TYPER_P | EVENT_BUS_CYCLES);
            set(&m, VPMU_PMCCFILTR, VPMU_TYPER_P);
            machine_cycles(&m, 1000);
            machine_enter(&m, NS_EL0);
            expect_cycles(&m, "filters, other counters' registers", left);
            set(&m, PMEVCNTR(2), 0);
            set(&m, PMEVTYPER(2), EVENT_CNT_CYCLES);
            machine_cycles(&m, 1);
            expect_cycles(&m, "the last unit", left + 1);
        }
    }
}
END_TEST

/* Restarting a counter begins a new cycle for this counter only. */
START_TEST(units_start_anew)
{
    static const struct {
        const char *name;
        unsigned reg;
        uint64_t val;
        uint64_t then_val;
        uint64_t anew; /* counters that drop 4 of 5 units */
    } rows[] = {
        {"PMEVCNTR0", PMEVCNTR(0), 0, ALL_ONES, BIT(0)},
        {"PMEVTYPER0, another event, and back", PMEVTYPER(0), EVENT_BUS_CYCLES,
         VPMU_EVENT_CPU_CYCLES, BIT(0)},
        {"PMEVTYPER1, another event of cycles", PMEVTYPER(1), VPMU_EVENT_CPU_CYCLES, ALL_ONES,
         BIT(1)},
        {"PMEVTYPER1, another filter", PMEVTYPER(1), EVENT_BUS_CYCLES | VPMU_TYPER_U, ALL_ONES, 0},
        {"PMCCNTR", VPMU_PMCCNTR, 0, ALL_ONES, CYCLES},
        {"PMCR.P", VPMU_PMCR, VPMU_PMCR_E | VPMU_PMCR_P, ALL_ONES, BIT(0) | BIT(1)},
        {"PMCR.C", VPMU_PMCR, VPMU_PMCR_E | VPMU_PMCR_C, ALL_ONES, CYCLES},
        {"PMCR.D", VPMU_PMCR, VPMU_PMCR_E | VPMU_PMCR_D, VPMU_PMCR_E, CYCLES},
        {"PMZR", VPMU_PMZR, BIT(1) | CYCLES, ALL_ONES, BIT(1) | CYCLES},
        {"PMOVSCLR", VPMU_PMOVSCLR, ALL_ONES, ALL_ONES, 0},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct machine m;

        start_units(&m, 5, 0);
        machine_cycles(&m, 4);
        set(&m, rows[i].reg, rows[i].val);
        if (rows[i].then_val != ALL_ONES) {
            set(&m, rows[i].reg, rows[i].then_val);
        }
        machine_cycles(&m, 1);
        expect_in(rows[i].name, "CPU_CYCLES", !(rows[i].anew & BIT(0)), get(&m, PMEVCNTR(0)));
        expect_in(rows[i].name, "BUS_CYCLES", !(rows[i].anew & BIT(1)), get(&m, PMEVCNTR(1)));
        expect_in(rows[i].name, "PMCCNTR", !(rows[i].anew & CYCLES), get(&m, VPMU_PMCCNTR));
        machine_cycles(&m, 4);
        expect_in(rows[i].name, "CPU_CYCLES at 9 units", 1, get(&m, PMEVCNTR(0)));
        expect_in(rows[i].name, "BUS_CYCLES at 9 units", 1, get(&m, PMEVCNTR(1)));
        expect_in(rows[i].name, "PMCCNTR at 9 units", 1, get(&m, VPMU_PMCCNTR));
    }
}
END_TEST

/* A reset begins a new cycle as well. */
START_TEST(units_after_reset)
{
    struct machine m;

    start_units(&m, 8, 0);
    machine_cycles(&m, 7);
    vpmu_reset(&m.v);
    counter_start(&m, 0, VPMU_EVENT_CPU_CYCLES, 0);
    counter_start(&m, VPMU_CYCLE_COUNTER, 0, 0);
    pmcr_enable(&m);
    machine_cycles(&m, 7);
    expect("7 units: CPU_CYCLES", 0, get(&m, PMEVCNTR(0)));
    expect("7 units: PMCCNTR", 0, get(&m, VPMU_PMCCNTR));
    machine_cycles(&m, 1);
    expect("8 units: CPU_CYCLES", 1, get(&m, PMEVCNTR(0)));
    expect("8 units: PMCCNTR", 1, get(&m, VPMU_PMCCNTR));
}
END_TEST

/*
 * A counter whose event the library or the machine does not count keeps its value and arms nothing.
 */
START_TEST(unsupported_events)
{
    static const struct {
        const char *name;
        uint64_t sources;
        uint64_t event;
    } rows[] = {
        {"BR_RETIRED", INST_SRC | CPU_SRC, 0x21},
        {"an event of no number", VPMU_SRC_ALL, 0xffff},
        {"SW_INCR, no write of PMSWINC", VPMU_SRC_ALL, VPMU_EVENT_SW_INCR},
        {"CHAIN in an even counter", VPMU_SRC_ALL, VPMU_EVENT_CHAIN},
        {"INST_RETIRED without instructions", CPU_SRC, VPMU_EVENT_INST_RETIRED},
        {"CNT_CYCLES without ticks", CPU_SRC, EVENT_CNT_CYCLES},
        {"MEM_ACCESS without stores", VPMU_SRC_ALL & ~SRC(ST_RETIRED), 0x13},
        {"MEM_ACCESS without loads", VPMU_SRC_ALL & ~SRC(LD_RETIRED), 0x13},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct vpmu_config config = config_of(VPMU_V3P5, 2, 0);
        struct machine m;

        config.sources = rows[i].sources;
        config.timed &= config.sources;
        machine_start(&m, &config);
        counter_start(&m, 0, rows[i].event, 5);
        pmcr_enable(&m);
        expect_in(rows[i].name, "armed", 0, vpmu_armed(&m.v, NS_EL1));
        for (unsigned source = 0; source < VPMU_SRC_COUNT; source++) {
            machine_events(&m, source, 100);
        }
        expect_in(rows[i].name, "value", 5, get(&m, PMEVCNTR(0)));
        expect_in(rows[i].name, "PMEVTYPER0", rows[i].event, get(&m, PMEVTYPER(0)));
    }
}
END_TEST

/* The sources that are armed in each context. */
START_TEST(armed)
{
    static const struct {
        const char *name;
        uint64_t type0;
        bool cycles;
        uint64_t el0;
        uint64_t el1;
        uint64_t el2;
    } rows[] = {
        {"instructions", VPMU_EVENT_INST_RETIRED, false, INST_SRC, INST_SRC, 0},
        {"instructions at EL0", VPMU_EVENT_INST_RETIRED | VPMU_TYPER_P, false, INST_SRC, 0, 0},
        {"instructions at EL1", VPMU_EVENT_INST_RETIRED | VPMU_TYPER_U, false, 0, INST_SRC, 0},
        {"instructions everywhere", INST_EVERYWHERE, false, INST_SRC, INST_SRC, INST_SRC},
        {"cycles as an event", VPMU_EVENT_CPU_CYCLES, false, CPU_SRC, CPU_SRC, 0},
        {"both", VPMU_EVENT_INST_RETIRED | VPMU_TYPER_P, true, INST_SRC | CPU_SRC, CPU_SRC, 0},
        {"ticks", EVENT_CNT_CYCLES, false, CNT_SRC, CNT_SRC, 0},
        {"a sum", 0x13, false, MEM_SRC, MEM_SRC, 0},
        {"a sum at EL0, and cycles", 0x13 | VPMU_TYPER_P, true, MEM_SRC | CPU_SRC, CPU_SRC, 0},
        {"software increments", VPMU_EVENT_SW_INCR, false, 0, 0, 0},
        {"nowhere", VPMU_EVENT_INST_RETIRED | VPMU_TYPER_P | VPMU_TYPER_U, false, 0, 0, 0},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct machine m;

        machine_start_as(&m, VPMU_V3P5, 1, VPMU_HAS_EL2);
        counter_start(&m, 0, rows[i].type0, 0);
        if (rows[i].cycles) {
            counter_start(&m, VPMU_CYCLE_COUNTER, 0, 0);
        }
        pmcr_enable(&m);
        expect_in(rows[i].name, "EL0", rows[i].el0, vpmu_armed(&m.v, NS_EL0));
        expect_in(rows[i].name, "EL1", rows[i].el1, vpmu_armed(&m.v, NS_EL1));
        expect_in(rows[i].name, "EL2", rows[i].el2, vpmu_armed(&m.v, NS_EL2));
        set(&m, VPMU_PMCR, 0);
        expect_in(rows[i].name, "disabled", 0,
                  vpmu_armed(&m.v, NS_EL0) | vpmu_armed(&m.v, NS_EL1) | vpmu_armed(&m.v, NS_EL2));
    }
}
END_TEST

/* A machine may tally what is not armed; no counter counts it. */
START_TEST(unarmed_totals)
{
    struct machine m;

    machine_start_as(&m, VPMU_V3P5, 1, 0);
    counter_start(&m, 0, VPMU_EVENT_INST_RETIRED | VPMU_TYPER_P, 0);
    pmcr_enable(&m);
    machine_instructions(&m, 500);
    machine_enter(&m, NS_EL0);
    machine_instructions(&m, 3);
    expect("only EL0", 3, get(&m, PMEVCNTR(0)));
}
END_TEST

/* Cycles belong to the context in which they passed, although the machine does not tally them. */
START_TEST(cycles_by_context)
{
    struct machine m;

    machine_start_as(&m, VPMU_V3P5, 2, 0);
    counter_start(&m, 0, VPMU_EVENT_CPU_CYCLES | VPMU_TYPER_P, 0);
    counter_start(&m, 1, VPMU_EVENT_CPU_CYCLES | VPMU_TYPER_U, 0);
    counter_start(&m, VPMU_CYCLE_COUNTER, 0, 0);
    pmcr_enable(&m);
    for (unsigned i = 0; i < 10; i++) {
        machine_enter(&m, NS_EL0);
        machine_cycles(&m, 100);
        machine_enter(&m, NS_EL1);
        machine_cycles(&m, 7);
    }
    expect("EL0", 1000, get(&m, PMEVCNTR(0)));
    expect("EL1", 70, get(&m, PMEVCNTR(1)));
    expect("both", 1070, get(&m, VPMU_PMCCNTR));
    expect("EL0's total", 1000, m.totals.n[NS_EL0][VPMU_SRC_CPU_CYCLES] - TOTALS_START);
    expect("EL1's total", 70, m.totals.n[NS_EL1][VPMU_SRC_CPU_CYCLES] - TOTALS_START);
}
END_TEST

/*
 * A change of context reads the clocks of both timed sources only if a counter of one of them
 * counts in only one of the two contexts.
 */
START_TEST(cost_of_a_context)
{
    static const struct {
        const char *name;
        uint64_t type0;
        unsigned from;
        unsigned to;
        unsigned clock_calls;
    } rows[] = {
        {"cycles on both sides", VPMU_EVENT_CPU_CYCLES, NS_EL1, NS_EL0, 0},
        {"cycles on neither side", VPMU_EVENT_CPU_CYCLES, NS_EL2, S_EL2, 0},
        {"cycles at EL0 only, leaving it", VPMU_EVENT_CPU_CYCLES | VPMU_TYPER_P, NS_EL0, NS_EL1, 2},
        {"cycles at EL0 only, entering it", VPMU_EVENT_CPU_CYCLES | VPMU_TYPER_P, NS_EL1, NS_EL0,
         2},
        {"ticks at EL0 only, leaving it", EVENT_CNT_CYCLES | VPMU_TYPER_P, NS_EL0, NS_EL1, 2},
        {"instructions at EL0 only", VPMU_EVENT_INST_RETIRED | VPMU_TYPER_P, NS_EL1, NS_EL0, 0},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct machine m;

        machine_start_as(&m, VPMU_V3P5, 1, ALL_LEVELS);
        counter_start(&m, 0, rows[i].type0, 0);
        pmcr_enable(&m);
        machine_enter(&m, rows[i].from);
        m.clock_calls = 0;
        m.rearms = 0;
        expect_in(rows[i].name, "vpmu_time_differs()", rows[i].clock_calls != 0,
                  vpmu_time_differs(&m.v, rows[i].from, rows[i].to));
        machine_enter(&m, rows[i].to);
        expect_in(rows[i].name, "vpmu_ops.clock", rows[i].clock_calls, m.clock_calls);
        expect_in(rows[i].name, "vpmu_ops.rearm", 0, m.rearms);
        expect_in(rows[i].name, "context", rows[i].to, m.v.count.ctx);
    }
}
END_TEST

/* vpmu_settle() returns true if a counter overflowed, and calls rearm only then. */
START_TEST(settle_and_rearm)
{
    struct machine m;

    machine_start_as(&m, VPMU_V3P5, 1, 0);
    counter_start(&m, 0, VPMU_EVENT_INST_RETIRED, 0xfffffff0);
    pmcr_enable(&m);
    m.rearms = 0;
    machine_instructions(&m, 15);
    expect("no overflow", 0, vpmu_settle(&m.v));
    expect("no overflow", 0, m.rearms);
    machine_instructions(&m, 1);
    expect("overflow", 1, vpmu_settle(&m.v));
    expect("overflow", 1, m.rearms);
    expect("nothing new", 0, vpmu_settle(&m.v));
    expect("nothing new", 1, m.rearms);
}
END_TEST

/*
 * Writes that may change what is armed, or the headroom, call rearm. Reads and writes of PMSELR do
 * not.
 */
START_TEST(rearm_after_writes)
{
    static const struct {
        const char *name;
        unsigned reg;
        bool rearms;
    } rows[] = {
        {"PMCR", VPMU_PMCR, true},
        {"PMCNTENSET", VPMU_PMCNTENSET, true},
        {"PMCNTENCLR", VPMU_PMCNTENCLR, true},
        {"PMINTENSET", VPMU_PMINTENSET, true},
        {"PMINTENCLR", VPMU_PMINTENCLR, true},
        {"PMOVSSET", VPMU_PMOVSSET, true},
        {"PMOVSCLR", VPMU_PMOVSCLR, true},
        {"PMSWINC", VPMU_PMSWINC, true},
        {"PMXEVTYPER", VPMU_PMXEVTYPER, true},
        {"PMXEVCNTR", VPMU_PMXEVCNTR, true},
        {"PMCCNTR", VPMU_PMCCNTR, true},
        {"PMCCFILTR", VPMU_PMCCFILTR, true},
        {"PMICNTR", VPMU_PMICNTR, true},
        {"PMICFILTR", VPMU_PMICFILTR, true},
        {"PMZR", VPMU_PMZR, true},
        {"PMEVCNTR3", PMEVCNTR(3), true},
        {"PMEVTYPER3", PMEVTYPER(3), true},
        {"PMSELR", VPMU_PMSELR, false},
        {"PMUSERENR", VPMU_PMUSERENR, false},
        {"PMUACR", VPMU_PMUACR, false},
    };
    struct vpmu_config config = config_full();
    struct machine m;

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        machine_start(&m, &config);
        set(&m, rows[i].reg, 1);
        expect_in(rows[i].name, "vpmu_ops.rearm called", rows[i].rearms, m.rearms > 0);
    }
    m.rearms = 0;
    get(&m, VPMU_PMCR);
    get(&m, PMEVCNTR(0));
    expect("reads", 0, m.rearms);
}
END_TEST

/* The PMUs of two PEs are independent. */
START_TEST(two_pmus)
{
    struct machine a;
    struct machine b;

    machine_start_as(&a, VPMU_V3P5, 1, 0);
    machine_start_as(&b, VPMU_V3P5, 1, 0);
    counter_start(&a, 0, VPMU_EVENT_INST_RETIRED, 0);
    counter_start(&b, 0, VPMU_EVENT_INST_RETIRED, 0);
    pmcr_enable(&a);
    machine_instructions(&a, 5);
    machine_instructions(&b, 9);
    expect("the enabled one", 5, get(&a, PMEVCNTR(0)));
    expect("the other one", 0, get(&b, PMEVCNTR(0)));
}
END_TEST

/* If no counter is settled in between, a subtraction is invisible. */
START_TEST(subtracted_unseen)
{
    struct machine m;

    machine_start_as(&m, VPMU_V3P5, 1, 0);
    counter_start(&m, 0, VPMU_EVENT_INST_RETIRED, 0);
    pmcr_enable(&m);
    machine_instructions(&m, 100);
    machine_take_back(&m, VPMU_SRC_INST_RETIRED, 5);
    expect("as if they had not been tallied", 95, get(&m, PMEVCNTR(0)));
    machine_instructions(&m, 5);
    expect("tallied again", 100, get(&m, PMEVCNTR(0)));
}
END_TEST

/* A counter that was settled before a subtraction does not go back, and counts nothing twice. */
START_TEST(subtracted)
{
    static const struct {
        const char *name;
        unsigned reg; /* written after the subtraction */
        uint64_t val;
        uint64_t want;
    } rows[] = {
        {"nothing", VPMU_PMSELR, 0, 100},
        {"counting goes on", VPMU_PMCNTENSET, BIT(0), 100},
        {"another counter", PMEVTYPER(1), VPMU_EVENT_INST_RETIRED, 100},
        {"other contexts", PMEVTYPER(0), VPMU_EVENT_INST_RETIRED | VPMU_TYPER_U, 100},
        {"a new value owes nothing", PMEVCNTR(0), 95, 100},
        {"reset", VPMU_PMCR, VPMU_PMCR_E | VPMU_PMCR_P, 5},
        {"another event", PMEVTYPER(0), 0x003b, 105},
    };
    struct machine m;

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        machine_start_as(&m, VPMU_V3P5, 2, 0);
        counter_start(&m, 0, VPMU_EVENT_INST_RETIRED, 0);
        pmcr_enable(&m);
        machine_instructions(&m, 100);
        expect_in(rows[i].name, "settled", 100, get(&m, PMEVCNTR(0)));
        machine_take_back(&m, VPMU_SRC_INST_RETIRED, 5);
        expect_in(rows[i].name, "not back", 100, get(&m, PMEVCNTR(0)));
        set(&m, rows[i].reg, rows[i].val);
        machine_instructions(&m, 5);
        expect_in(rows[i].name, "made up for", rows[i].want, get(&m, PMEVCNTR(0)));
        machine_instructions(&m, 3);
        expect_in(rows[i].name, "goes on", rows[i].want + 3, get(&m, PMEVCNTR(0)));
    }
}
END_TEST

/* A counter that is stopped keeps its surplus when it continues, also in another context. */
START_TEST(subtracted_and_stopped)
{
    struct machine m;

    machine_start_as(&m, VPMU_V3P5, 1, VPMU_HAS_EL2);
    counter_start(&m, 0, INST_EVERYWHERE, 0);
    pmcr_enable(&m);
    machine_instructions(&m, 100);
    vpmu_settle(&m.v);
    machine_take_back(&m, VPMU_SRC_INST_RETIRED, 5);
    set(&m, VPMU_PMCNTENCLR, BIT(0));
    machine_enter(&m, NS_EL2);
    machine_instructions(&m, 1000);
    set(&m, VPMU_PMCNTENSET, BIT(0));
    machine_instructions(&m, 4);
    expect("owes one", 100, get(&m, PMEVCNTR(0)));
    machine_instructions(&m, 2);
    expect("counts", 101, get(&m, PMEVCNTR(0)));
}
END_TEST

/* A saved state does not include the surplus, so everything counts after it is loaded. */
START_TEST(subtracted_and_loaded)
{
    uint8_t state[VPMU_STATE_SIZE];
    struct machine m;

    machine_start_as(&m, VPMU_V3P5, 1, 0);
    counter_start(&m, 0, VPMU_EVENT_INST_RETIRED, 0);
    pmcr_enable(&m);
    machine_instructions(&m, 100);
    vpmu_settle(&m.v);
    machine_take_back(&m, VPMU_SRC_INST_RETIRED, 5);
    expect("save", 0, (uint64_t)vpmu_state_save(&m.v, state, sizeof(state)));
    expect("load", 0, (uint64_t)vpmu_state_load(&m.v, state, sizeof(state), NULL));
    machine_instructions(&m, 3);
    expect("all three", 103, get(&m, PMEVCNTR(0)));
}
END_TEST

Suite *counters_suite(void)
{
    const TTest *const tests[] = {
        idle,
        from_enable_to_disable,
        reads_do_not_disturb,
        write_while_counting,
        change_of_event,
        counters_of_one_event,
        cycles_agree,
        two_clocks,
        one_clock,
        sum_and_parts,
        units_of_cycles,
        units_wait,
        units_start_anew,
        units_after_reset,
        unsupported_events,
        armed,
        unarmed_totals,
        cycles_by_context,
        cost_of_a_context,
        settle_and_rearm,
        rearm_after_writes,
        two_pmus,
        subtracted_unseen,
        subtracted,
        subtracted_and_stopped,
        subtracted_and_loaded,
    };

    return suite_of("counters", tests, COUNT_OF(tests));
}
