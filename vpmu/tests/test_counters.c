/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* Counters and the machine's totals: what is counted from when to when, and what is asked for. */
#include "fixture.h"

/* No guest uses the PMU: nothing is armed, no clock is asked, nothing is counted. */
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

/* Counting begins with the enable and ends with it, also where the totals pass their own end. */
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

/* Reading does not disturb: 1000 reads or none, the sum is the same. */
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

/* A written value counts on from there, whatever was counted before. */
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

/* Another event begins at the write; the value stays. */
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

/* Counters of one event agree; each counts alone. */
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

/* The CPU_CYCLES event and the cycle counter count the same cycles. */
START_TEST(cycles_agree)
{
    struct machine m;

    machine_start_as(&m, VPMU_V3P5, 1, 0);
    counter_start(&m, 0, VPMU_EVENT_CPU_CYCLES, 0);
    counter_start(&m, VPMU_CYCLE_COUNTER, 0, 0);
    pmcr_enable(&m);
    machine_cycles(&m, 12345);
    expect("CPU_CYCLES", 12345, get(&m, PMEVCNTR(0)));
    expect("PMCCNTR", 12345, get(&m, VPMU_PMCCNTR));
}
END_TEST

/* An event that this library, or this machine, does not count stays where it is and arms nothing.
 */
START_TEST(unsupported_events)
{
    static const struct {
        const char *name;
        uint32_t sources;
        uint64_t event;
    } rows[] = {
        {"BR_RETIRED", 3, 0x21},
        {"an event of no number", 3, 0xffff},
        {"SW_INCR, no write of PMSWINC", 3, VPMU_EVENT_SW_INCR},
        {"CHAIN in an even counter", 3, VPMU_EVENT_CHAIN},
        {"INST_RETIRED without instructions", 1u << VPMU_SRC_CPU_CYCLES, VPMU_EVENT_INST_RETIRED},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct vpmu_config config = config_of(VPMU_V3P5, 2, 0);
        struct machine m;

        config.sources = rows[i].sources;
        machine_start(&m, &config);
        counter_start(&m, 0, rows[i].event, 5);
        pmcr_enable(&m);
        expect_in(rows[i].name, "armed", 0, vpmu_armed(&m.v, NS_EL1));
        machine_instructions(&m, 100);
        machine_cycles(&m, 100);
        expect_in(rows[i].name, "value", 5, get(&m, PMEVCNTR(0)));
        expect_in(rows[i].name, "PMEVTYPER0", rows[i].event, get(&m, PMEVTYPER(0)));
    }
}
END_TEST

/* What is armed, by context. Bit 0 is INST_RETIRED, bit 1 CPU_CYCLES. */
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
        {"instructions", VPMU_EVENT_INST_RETIRED, false, 1, 1, 0},
        {"instructions at EL0", VPMU_EVENT_INST_RETIRED | VPMU_TYPER_P, false, 1, 0, 0},
        {"instructions at EL1", VPMU_EVENT_INST_RETIRED | VPMU_TYPER_U, false, 0, 1, 0},
        {"instructions everywhere", INST_EVERYWHERE, false, 1, 1, 1},
        {"cycles as an event", VPMU_EVENT_CPU_CYCLES, false, 2, 2, 0},
        {"both", VPMU_EVENT_INST_RETIRED | VPMU_TYPER_P, true, 3, 2, 0},
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

/* A machine may go on tallying what is not armed: no counter takes it. */
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

/* Cycles go to the context in which they passed, although nobody tells the totals. */
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
    expect("EL0's total", 1000, m.totals.n[VPMU_SRC_CPU_CYCLES][NS_EL0] - TOTALS_START);
    expect("EL1's total", 70, m.totals.n[VPMU_SRC_CPU_CYCLES][NS_EL1] - TOTALS_START);
}
END_TEST

/*
 * A change of context asks for the time only if a cycle counter counts on one side of it and not on
 * the other.
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
        {"cycles at EL0 only, leaving it", VPMU_EVENT_CPU_CYCLES | VPMU_TYPER_P, NS_EL0, NS_EL1, 1},
        {"cycles at EL0 only, entering it", VPMU_EVENT_CPU_CYCLES | VPMU_TYPER_P, NS_EL1, NS_EL0,
         1},
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
        machine_enter(&m, rows[i].to);
        expect_in(rows[i].name, "vpmu_ops.clock", rows[i].clock_calls, m.clock_calls);
        expect_in(rows[i].name, "vpmu_ops.rearm", 0, m.rearms);
        expect_in(rows[i].name, "context", rows[i].to, m.v.ctx);
    }
}
END_TEST

/* vpmu_settle() tells the machine to ask again only if something overflowed. */
START_TEST(settle_and_rearm)
{
    struct machine m;

    machine_start_as(&m, VPMU_V3P5, 1, 0);
    counter_start(&m, 0, VPMU_EVENT_INST_RETIRED, 0xfffffff0);
    pmcr_enable(&m);
    m.rearms = 0;
    machine_instructions(&m, 15);
    vpmu_settle(&m.v);
    expect("no overflow", 0, m.rearms);
    machine_instructions(&m, 1);
    vpmu_settle(&m.v);
    expect("overflow", 1, m.rearms);
    vpmu_settle(&m.v);
    expect("nothing new", 1, m.rearms);
}
END_TEST

/* Writes that may change what is armed, or how far, say so; a read and PMSELR do not. */
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

/* PMUs of two PEs have nothing in common. */
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
        unsupported_events,
        armed,
        unarmed_totals,
        cycles_by_context,
        cost_of_a_context,
        settle_and_rearm,
        rearm_after_writes,
        two_pmus,
    };

    return suite_of("counters", tests, COUNT_OF(tests));
}
