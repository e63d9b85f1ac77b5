/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* Overflow: the overflow bit of counters, flags, chains, the interrupt line, headroom. */
#include "fixture.h"

#define HPME VPMU_MDCR_EL2_HPME
#define LAST_32 0xffffffffull
#define PAST_32 0x100000000ull

static uint64_t cycles_value(struct machine *m)
{
    return get(m, VPMU_PMCCNTR);
}

/*
 * Where an event counter overflows. Before PMUv3p5 it has 32 bits. From then on it has 64 bits, and
 * LP, or HLP in the second range, selects overflow at 32 or 64 bits (Arm ARM D24.5 PMCR_EL0.LP,
 * D24.3 MDCR_EL2.HLP).
 */
START_TEST(event_counter_ends)
{
    static const struct {
        const char *name;
        enum vpmu_version version;
        unsigned idx;
        uint64_t pmcr;
        uint64_t mdcr_el2;
        uint64_t start;
        uint64_t add;
        uint64_t value;
        bool overflows;
    } rows[] = {
        {"v3, short of the end", VPMU_V3, 0, 0, 0, LAST_32 - 1, 1, LAST_32, false},
        {"v3, the end", VPMU_V3, 0, 0, 0, LAST_32, 1, 0, true},
        {"v3, beyond", VPMU_V3, 0, 0, 0, LAST_32, 6, 5, true},
        {"v3, upper half of a write is lost", VPMU_V3, 0, 0, 0, PAST_32 | 7, 1, 8, false},
        {"v3p4: LP is RES0", VPMU_V3P4, 0, VPMU_PMCR_LP, 0, LAST_32, 1, 0, true},
        {"v3p4: HLP is RES0", VPMU_V3P4, 3, 0, VPMU_MDCR_EL2_HLP, LAST_32, 1, 0, true},
        {"v3p5, LP = 0: overflows at 32 bits, keeps 64", VPMU_V3P5, 0, 0, 0, LAST_32, 1, PAST_32,
         true},
        {"LP = 0, upper half in use", VPMU_V3P5, 0, 0, 0, 0x5ffffffff, 2, 0x600000001, true},
        {"LP = 0, all ones", VPMU_V3P5, 0, 0, 0, ALL_ONES, 1, 0, true},
        {"LP = 0, a whole round at once", VPMU_V3P5, 0, 0, 0, 5, PAST_32, PAST_32 | 5, true},
        {"LP = 1: not at 32 bits", VPMU_V3P5, 0, VPMU_PMCR_LP, 0, LAST_32, 1, PAST_32, false},
        {"LP = 1: at 64 bits", VPMU_V3P5, 0, VPMU_PMCR_LP, 0, ALL_ONES, 1, 0, true},
        {"LP is not for the second range", VPMU_V3P5, 3, VPMU_PMCR_LP, 0, LAST_32, 1, PAST_32,
         true},
        {"HLP is", VPMU_V3P5, 3, 0, VPMU_MDCR_EL2_HLP, LAST_32, 1, PAST_32, false},
        {"HLP: at 64 bits", VPMU_V3P9, 3, 0, VPMU_MDCR_EL2_HLP, ALL_ONES - 2, 5, 2, true},
        {"HLP is not for the first range", VPMU_V3P9, 1, 0, VPMU_MDCR_EL2_HLP, LAST_32, 1, PAST_32,
         true},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct machine m;

        machine_start_as(&m, rows[i].version, 4, VPMU_HAS_EL2);
        machine_control(&m, 2 | HPME | rows[i].mdcr_el2, 0);
        counter_start(&m, rows[i].idx, VPMU_EVENT_INST_RETIRED, rows[i].start);
        set(&m, VPMU_PMCR, VPMU_PMCR_E | rows[i].pmcr);
        machine_instructions(&m, rows[i].add);
        expect_in(rows[i].name, "value", rows[i].value, get(&m, PMEVCNTR(rows[i].idx)));
        expect_in(rows[i].name, "PMOVSSET", rows[i].overflows ? BIT(rows[i].idx) : 0,
                  get(&m, VPMU_PMOVSSET));
        expect_in(rows[i].name, "PMOVSCLR reads the same", rows[i].overflows ? BIT(rows[i].idx) : 0,
                  get(&m, VPMU_PMOVSCLR));
    }
}
END_TEST

/*
 * PMCCNTR has 64 bits in every version. LC selects where it overflows. With D it counts each 64th
 * cycle, unless LC is 1 (Arm ARM D24.5 PMCR_EL0.LC, D).
 */
START_TEST(cycle_counter_ends)
{
    static const struct {
        const char *name;
        unsigned features;
        uint64_t pmcr;
        uint64_t start;
        uint64_t add;
        uint64_t value;
        bool overflows;
    } rows[] = {
        {"LC = 0: at 32 bits, keeps 64", 0, 0, LAST_32, 1, PAST_32, true},
        {"LC = 0: not before", 0, 0, LAST_32 - 1, 1, LAST_32, false},
        {"LC = 1: not at 32 bits", 0, VPMU_PMCR_LC, LAST_32, 1, PAST_32, false},
        {"LC = 1: at 64 bits", 0, VPMU_PMCR_LC, ALL_ONES, 1, 0, true},
        {"no AArch32: LC is always 1", VPMU_HAS_NO_AARCH32, 0, LAST_32, 1, PAST_32, false},
        {"LP is for event counters", 0, VPMU_PMCR_LP, LAST_32, 1, PAST_32, true},
        {"D: 63 cycles are none", 0, VPMU_PMCR_D, 10, 63, 10, false},
        {"D: 64 cycles are one", 0, VPMU_PMCR_D, 10, 64, 11, false},
        {"D: 6400 + 63 cycles are 100", 0, VPMU_PMCR_D, 0, 6463, 100, false},
        {"D: overflow", 0, VPMU_PMCR_D, LAST_32, 64, PAST_32, true},
        {"D is of no account with LC", 0, VPMU_PMCR_D | VPMU_PMCR_LC, 10, 64, 74, false},
        {"no AArch32: D is RES0", VPMU_HAS_NO_AARCH32, VPMU_PMCR_D, 10, 64, 74, false},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct machine m;

        machine_start_as(&m, VPMU_V3P5, 0, rows[i].features);
        counter_start(&m, VPMU_CYCLE_COUNTER, 0, rows[i].start);
        set(&m, VPMU_PMCR, VPMU_PMCR_E | rows[i].pmcr);
        machine_cycles(&m, rows[i].add);
        expect_in(rows[i].name, "value", rows[i].value, cycles_value(&m));
        expect_in(rows[i].name, "PMOVSSET", rows[i].overflows ? CYCLES : 0, get(&m, VPMU_PMOVSSET));
    }
}
END_TEST

/* PMICNTR always overflows at 64 bits. */
START_TEST(fixed_counter_ends)
{
    struct machine m;

    machine_start_as(&m, VPMU_V3P9, 0, VPMU_HAS_ICNTR);
    counter_start(&m, VPMU_INST_COUNTER, 0, LAST_32);
    pmcr_enable(&m);
    machine_instructions(&m, 1);
    expect("passes 32 bits", PAST_32, get(&m, VPMU_PMICNTR));
    expect("without a flag", 0, get(&m, VPMU_PMOVSSET));
    set(&m, VPMU_PMICNTR, ALL_ONES);
    machine_instructions(&m, 3);
    expect("passes 64 bits", 2, get(&m, VPMU_PMICNTR));
    expect("PMOVSSET.F0", INSTS, get(&m, VPMU_PMOVSSET));
}
END_TEST

/* Reading the flags through either register shows an overflow. */
START_TEST(flags_by_reading)
{
    static const unsigned regs[] = {VPMU_PMOVSSET, VPMU_PMOVSCLR};

    for (size_t i = 0; i < COUNT_OF(regs); i++) {
        struct machine m;

        machine_start_as(&m, VPMU_V3P5, 1, 0);
        counter_start(&m, 0, VPMU_EVENT_INST_RETIRED, LAST_32);
        pmcr_enable(&m);
        expect("before", 0, get(&m, regs[i]));
        machine_instructions(&m, 1);
        expect("after", BIT(0), get(&m, regs[i]));
    }
}
END_TEST

/* The cycles that D has not counted yet are kept between reads. */
START_TEST(divider)
{
    struct machine m;

    machine_start_as(&m, VPMU_V3P5, 0, 0);
    counter_start(&m, VPMU_CYCLE_COUNTER, 0, 0);
    set(&m, VPMU_PMCR, VPMU_PMCR_E | VPMU_PMCR_D);
    machine_cycles(&m, 40);
    expect("40 cycles", 0, cycles_value(&m));
    machine_cycles(&m, 24);
    expect("64 cycles, read twice", 1, cycles_value(&m));
    for (unsigned i = 0; i < 64; i++) {
        machine_cycles(&m, 1);
        cycles_value(&m);
    }
    expect("128 cycles, the last 64 read one by one", 2, cycles_value(&m));
}
END_TEST

/* PMCR.C, PMZR, a write of the counter, and D off and on start a new group of 64 cycles. */
START_TEST(divider_starts_anew)
{
    static const struct {
        const char *name;
        unsigned reg;
        uint64_t val;
        uint64_t then_val;
    } rows[] = {
        {"PMCR.C", VPMU_PMCR, VPMU_PMCR_E | VPMU_PMCR_D | VPMU_PMCR_C, 0},
        {"PMZR.C", VPMU_PMZR, CYCLES, 0},
        {"PMCCNTR", VPMU_PMCCNTR, 0, 0},
        {"D off and on", VPMU_PMCR, VPMU_PMCR_E, VPMU_PMCR_E | VPMU_PMCR_D},
        {"LC on and off", VPMU_PMCR, VPMU_PMCR_E | VPMU_PMCR_D | VPMU_PMCR_LC,
         VPMU_PMCR_E | VPMU_PMCR_D},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct machine m;

        machine_start_as(&m, VPMU_V3P9, 0, 0);
        counter_start(&m, VPMU_CYCLE_COUNTER, 0, 0);
        set(&m, VPMU_PMCR, VPMU_PMCR_E | VPMU_PMCR_D);
        machine_cycles(&m, 63);
        set(&m, rows[i].reg, rows[i].val);
        if (rows[i].then_val) {
            set(&m, rows[i].reg, rows[i].then_val);
        }
        machine_cycles(&m, 63);
        expect_in(rows[i].name, "63 and 63 cycles", 0, cycles_value(&m));
        machine_cycles(&m, 1);
        expect_in(rows[i].name, "the 64th", 1, cycles_value(&m));
    }
}
END_TEST

/*
 * CHAIN (Arm ARM D14.12, 0x001E): an odd counter counts the overflows of the even one below it, if
 * that overflows at 32 bits.
 */
START_TEST(chains)
{
    static const struct {
        const char *name;
        unsigned even;
        uint64_t pmcr;
        uint64_t start;
        uint64_t add;
        uint64_t odd_start;
        uint64_t odd_type;
        bool odd_enabled;
        uint64_t odd_value;
        uint64_t overflows;
    } rows[] = {
        {"no overflow", 0, 0, 0, LAST_32, 7, VPMU_EVENT_CHAIN, true, 7, 0},
        {"one", 0, 0, LAST_32, 1, 7, VPMU_EVENT_CHAIN, true, 8, 1},
        {"another pair", 2, 0, LAST_32, 1, 7, VPMU_EVENT_CHAIN, true, 8, 1},
        {"three at once", 0, 0, LAST_32, 1 + 2 * PAST_32, 7, VPMU_EVENT_CHAIN, true, 10, 1},
        {"the odd one overflows", 0, 0, LAST_32, 1, LAST_32, VPMU_EVENT_CHAIN, true, 0, 3},
        {"the odd one is not enabled", 0, 0, LAST_32, 1, 7, VPMU_EVENT_CHAIN, false, 7, 1},
        {"the odd one is filtered here", 0, 0, LAST_32, 1, 7, VPMU_EVENT_CHAIN | VPMU_TYPER_P, true,
         7, 1},
        {"the odd one counts something else", 0, 0, LAST_32, 1, 7, VPMU_EVENT_SW_INCR, true, 7, 1},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        unsigned even = rows[i].even;
        struct machine m;

        machine_start_as(&m, VPMU_V3P4, 4, 0);
        counter_start(&m, even, VPMU_EVENT_INST_RETIRED, rows[i].start);
        counter_start(&m, even + 1, rows[i].odd_type, rows[i].odd_start);
        if (!rows[i].odd_enabled) {
            set(&m, VPMU_PMCNTENCLR, BIT(even + 1));
        }
        set(&m, VPMU_PMCR, VPMU_PMCR_E | rows[i].pmcr);
        machine_instructions(&m, rows[i].add);
        expect_in(rows[i].name, "odd", rows[i].odd_value, get(&m, PMEVCNTR(even + 1)));
        expect_in(rows[i].name, "PMOVSSET", rows[i].overflows << even, get(&m, VPMU_PMOVSSET));
    }
}
END_TEST

/* With LP, the even counter overflows at 64 bits, and CHAIN counts nothing. */
START_TEST(chain_of_long_counter)
{
    struct machine m;

    machine_start_as(&m, VPMU_V3P5, 2, 0);
    counter_start(&m, 0, VPMU_EVENT_INST_RETIRED, ALL_ONES);
    counter_start(&m, 1, VPMU_EVENT_CHAIN, 7);
    set(&m, VPMU_PMCR, VPMU_PMCR_E | VPMU_PMCR_LP);
    machine_instructions(&m, 1);
    expect("odd", 7, get(&m, PMEVCNTR(1)));
    expect("PMOVSSET", BIT(0), get(&m, VPMU_PMOVSSET));
}
END_TEST

/*
 * Only an odd counter can chain, and only to the even counter below it. The last even counter may
 * have no odd one.
 */
START_TEST(chain_needs_a_pair)
{
    struct machine m;

    machine_start_as(&m, VPMU_V3P4, 31, 0);
    counter_start(&m, 1, VPMU_EVENT_INST_RETIRED, LAST_32);
    counter_start(&m, 2, VPMU_EVENT_CHAIN, 7);
    counter_start(&m, 30, VPMU_EVENT_INST_RETIRED, LAST_32);
    counter_start(&m, VPMU_CYCLE_COUNTER, VPMU_TYPER_P, 7);
    pmcr_enable(&m);
    machine_instructions(&m, 1);
    expect("an even counter set to CHAIN", 7, get(&m, PMEVCNTR(2)));
    expect("the cycle counter is not the pair of 30", 7, cycles_value(&m));
    expect("PMOVSSET", BIT(1) | BIT(30), get(&m, VPMU_PMOVSSET));
}
END_TEST

/* A software increment that overflows increments the chained counter at once. */
START_TEST(chain_of_software_increments)
{
    struct machine m;

    machine_start_as(&m, VPMU_V3P4, 2, 0);
    counter_start(&m, 0, VPMU_EVENT_SW_INCR, LAST_32);
    counter_start(&m, 1, VPMU_EVENT_CHAIN, 0);
    set(&m, VPMU_PMINTENSET, BIT(0));
    pmcr_enable(&m);
    set(&m, VPMU_PMSWINC, BIT(0));
    expect("interrupt", 1, m.irq);
    expect("even", 0, get(&m, PMEVCNTR(0)));
    expect("odd", 1, get(&m, PMEVCNTR(1)));
}
END_TEST

/*
 * The line is high while a counter has its PMOVS and PMINTEN bits set and its range is enabled: by
 * PMCR.E, or by HPME for counters from HPMN up (Arm ARM D24.5 PMOVSSET_EL0, CheckForPMUOverflow()).
 */
START_TEST(interrupt_line)
{
    static const struct {
        const char *name;
        uint64_t overflows;
        uint64_t enables;
        bool e;
        bool hpme;
        bool level;
    } rows[] = {
        {"first range, E", BIT(0), BIT(0), true, false, true},
        {"first range, E = 0", BIT(0), BIT(0), false, false, false},
        {"first range, HPME is not for it", BIT(1), BIT(1), false, true, false},
        {"second range, HPME", BIT(2), BIT(2), false, true, true},
        {"second range, E is not for it", BIT(3), BIT(3), true, false, false},
        {"cycles, E", CYCLES, CYCLES, true, false, true},
        {"cycles, HPME is not for them", CYCLES, CYCLES, false, true, false},
        {"fixed counter, E", INSTS, INSTS, true, false, true},
        {"fixed counter, E = 0", INSTS, INSTS, false, true, false},
        {"not asked for", BIT(0), 0, true, true, false},
        {"another one asked for", BIT(0), BIT(1), true, true, false},
        {"no overflow", 0, BIT(0), true, true, false},
        {"one of many", BIT(0) | BIT(1) | BIT(3), BIT(1) | BIT(2), true, true, true},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct machine m;

        machine_start_as(&m, VPMU_V3P9, 4, VPMU_HAS_EL2 | VPMU_HAS_ICNTR);
        machine_control(&m, 2 | (rows[i].hpme ? HPME : 0), 0);
        set(&m, VPMU_PMCR, rows[i].e ? VPMU_PMCR_E : 0);
        set(&m, VPMU_PMINTENSET, rows[i].enables);
        set(&m, VPMU_PMOVSSET, rows[i].overflows);
        expect_in(rows[i].name, "level told", rows[i].level, m.irq);
        expect_in(rows[i].name, "level asked", rows[i].level, vpmu_irq_level(&m.v));
        expect_in(rows[i].name, "edges", rows[i].level, m.irq_edges);
    }
}
END_TEST

/* What lowers the line, and what raises it again. Each step is one edge, which is reported once. */
START_TEST(interrupt_edges)
{
    static const struct {
        const char *name;
        unsigned reg;
        uint64_t val;
        bool level;
    } steps[] = {
        {"overflow set", VPMU_PMOVSSET, BIT(0), true},
        {"PMINTENCLR", VPMU_PMINTENCLR, BIT(0), false},
        {"PMINTENSET", VPMU_PMINTENSET, BIT(0), true},
        {"PMCR.E = 0", VPMU_PMCR, 0, false},
        {"PMCR.E = 1", VPMU_PMCR, VPMU_PMCR_E, true},
        {"PMOVSCLR", VPMU_PMOVSCLR, BIT(0), false},
    };
    struct machine m;

    machine_start_as(&m, VPMU_V3P5, 2, 0);
    set(&m, VPMU_PMINTENSET, BIT(0));
    pmcr_enable(&m);
    expect("edges before", 0, m.irq_edges);
    for (unsigned i = 0; i < COUNT_OF(steps); i++) {
        set(&m, steps[i].reg, steps[i].val);
        expect_in(steps[i].name, "level", steps[i].level, m.irq);
        expect_in(steps[i].name, "edges so far", i + 1, m.irq_edges);
    }
    set(&m, VPMU_PMOVSCLR, ALL_ONES);
    expect("no edge without a change", COUNT_OF(steps), m.irq_edges);
}
END_TEST

/* The line does not depend on whether the counter still counts. */
START_TEST(interrupt_of_disabled_counter)
{
    struct machine m;

    machine_start_as(&m, VPMU_V3P5, 1, 0);
    counter_start(&m, 0, VPMU_EVENT_INST_RETIRED, LAST_32);
    set(&m, VPMU_PMINTENSET, BIT(0));
    pmcr_enable(&m);
    machine_instructions(&m, 1);
    set(&m, VPMU_PMCNTENCLR, BIT(0));
    expect("what was counted before the write overflowed", 1, m.irq);
}
END_TEST

/*
 * The headroom of counter 0, the only enabled one: the events until its overflow must be handled.
 * LP = 0 unless stated.
 */
START_TEST(headroom_of_one_counter)
{
    static const struct {
        const char *name;
        uint64_t value;
        uint64_t pmcr;
        uint64_t enables;
        uint64_t overflows;
        uint64_t room;
    } rows[] = {
        {"from 0: 2^32", 0, 0, BIT(0), 0, PAST_32},
        {"the next one overflows", LAST_32, 0, BIT(0), 0, 1},
        {"16 short", 0xfffffff0, 0, BIT(0), 0, 16},
        {"the upper half is of no account", 0x7fffffff0, 0, BIT(0), 0, 16},
        {"LP: 2^32 + 16 short", ALL_ONES - LAST_32 - 16, VPMU_PMCR_LP, BIT(0), 0, PAST_32 + 16},
        {"LP, from 0: 2^64 is no limit", 0, VPMU_PMCR_LP, BIT(0), 0, UINT64_MAX},
        {"LP, from 1: 2^64 - 1", 1, VPMU_PMCR_LP, BIT(0), 0, UINT64_MAX},
        {"no interrupt: who reads the flag settles", LAST_32, 0, 0, 0, UINT64_MAX},
        {"interrupt of another counter", LAST_32, 0, BIT(1), 0, UINT64_MAX},
        {"its flag is set already: nothing new", LAST_32, 0, BIT(0), BIT(0), UINT64_MAX},
        {"freeze, no interrupt", LAST_32 - 3, VPMU_PMCR_FZO, 0, 0, 4},
        {"frozen: counts nothing", LAST_32, VPMU_PMCR_FZO, BIT(0), BIT(1), UINT64_MAX},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct machine m;

        machine_start_as(&m, VPMU_V3P7, 2, 0);
        counter_start(&m, 0, VPMU_EVENT_INST_RETIRED, rows[i].value);
        set(&m, VPMU_PMINTENSET, rows[i].enables);
        set(&m, VPMU_PMCR, VPMU_PMCR_E | rows[i].pmcr);
        set(&m, VPMU_PMOVSSET, rows[i].overflows);
        expect_in(rows[i].name, "headroom", rows[i].room, vpmu_headroom(&m.v, INST_SRC, NS_EL1));
        expect_in(rows[i].name, "of another source", UINT64_MAX,
                  vpmu_headroom(&m.v, CPU_SRC, NS_EL1));
    }
}
END_TEST

/* For cycles with D, each count needs 64 cycles, less those that have passed already. */
START_TEST(headroom_of_cycles)
{
    struct machine m;

    machine_start_as(&m, VPMU_V3P5, 0, 0);
    counter_start(&m, VPMU_CYCLE_COUNTER, 0, LAST_32 - 1);
    set(&m, VPMU_PMINTENSET, CYCLES);
    pmcr_enable(&m);
    expect("2 counts", 2, vpmu_headroom(&m.v, CPU_SRC, NS_EL1));
    set(&m, VPMU_PMCR, VPMU_PMCR_E | VPMU_PMCR_D);
    expect("2 counts of 64", 128, vpmu_headroom(&m.v, CPU_SRC, NS_EL1));
    machine_cycles(&m, 5);
    vpmu_settle(&m.v);
    expect("5 of them passed", 123, vpmu_headroom(&m.v, CPU_SRC, NS_EL1));
    machine_cycles(&m, 123);
    vpmu_settle(&m.v);
    expect("interrupt", 1, m.irq);
    set(&m, VPMU_PMCR, VPMU_PMCR_E | VPMU_PMCR_D | VPMU_PMCR_LC);
    set(&m, VPMU_PMOVSCLR, CYCLES);
    set(&m, VPMU_PMCCNTR, ALL_ONES - 9);
    expect("LC: no divider, 64 bits", 10, vpmu_headroom(&m.v, CPU_SRC, NS_EL1));
}
END_TEST

/* The counter that is closest to overflow decides, except in contexts where it does not count. */
START_TEST(headroom_of_many)
{
    struct machine m;

    machine_start_as(&m, VPMU_V3P5, 4, 0);
    counter_start(&m, 0, VPMU_EVENT_INST_RETIRED, LAST_32 - 99);
    counter_start(&m, 1, VPMU_EVENT_INST_RETIRED | VPMU_TYPER_U, LAST_32 - 9);
    counter_start(&m, 2, VPMU_EVENT_INST_RETIRED | VPMU_TYPER_P, LAST_32 - 49);
    counter_start(&m, 3, VPMU_EVENT_INST_RETIRED, LAST_32 - 1);
    set(&m, VPMU_PMINTENSET, BIT(0) | BIT(1) | BIT(2));
    pmcr_enable(&m);
    expect("EL1: counter 1", 10, vpmu_headroom(&m.v, INST_SRC, NS_EL1));
    expect("EL0: counter 2", 50, vpmu_headroom(&m.v, INST_SRC, NS_EL0));
    expect("EL2 counts nothing", UINT64_MAX, vpmu_headroom(&m.v, INST_SRC, NS_EL2));
    machine_instructions(&m, 4);
    expect("EL1, 4 later", 6, vpmu_headroom(&m.v, INST_SRC, NS_EL1));
    machine_enter(&m, NS_EL0);
    machine_instructions(&m, 1);
    expect("EL0, 1 later", 49, vpmu_headroom(&m.v, INST_SRC, NS_EL0));
    expect("EL1 is as it was", 6, vpmu_headroom(&m.v, INST_SRC, NS_EL1));
}
END_TEST

/*
 * A chained overflow must be handled when it happens, whether or not the flag is set already, and
 * in every context. If it were settled later in another context, it would be attributed to that
 * context.
 */
START_TEST(headroom_of_chain)
{
    struct machine m;

    machine_start_as(&m, VPMU_V3P4, 2, 0);
    counter_start(&m, 0, VPMU_EVENT_INST_RETIRED, LAST_32 - 6);
    counter_start(&m, 1, VPMU_EVENT_CHAIN, 0);
    pmcr_enable(&m);
    set(&m, VPMU_PMOVSSET, BIT(0));
    expect("7 to go", 7, vpmu_headroom(&m.v, INST_SRC, NS_EL1));
    set(&m, PMEVTYPER(1), VPMU_EVENT_CHAIN | VPMU_TYPER_P);
    expect("the odd one counts at EL0", 7, vpmu_headroom(&m.v, INST_SRC, NS_EL1));
    set(&m, PMEVTYPER(1), VPMU_EVENT_CHAIN | VPMU_TYPER_P | VPMU_TYPER_U);
    expect("the odd one counts nowhere", UINT64_MAX, vpmu_headroom(&m.v, INST_SRC, NS_EL1));
    set(&m, PMEVTYPER(1), VPMU_EVENT_CHAIN);
    set(&m, VPMU_PMCNTENCLR, BIT(1));
    expect("the odd one is off", UINT64_MAX, vpmu_headroom(&m.v, INST_SRC, NS_EL1));
}
END_TEST

/*
 * The headroom of an event that is a sum: for each source, for all at once, and for a mask that
 * contains one of them. An event of any source reduces that of all. Counter 0 counts MEM_ACCESS,
 * counter 1 ST_RETIRED.
 */
START_TEST(headroom_of_sum)
{
    const uint64_t loads = SRC(LD_RETIRED);
    const uint64_t stores = SRC(ST_RETIRED);
    struct machine m;

    machine_start_as(&m, VPMU_V3P5, 2, 0);
    counter_start(&m, 0, 0x13, PAST_32 - 100);
    counter_start(&m, 1, 0x07, PAST_32 - 30);
    set(&m, VPMU_PMINTENSET, BIT(0) | BIT(1));
    pmcr_enable(&m);
    expect("loads: the sum", 100, vpmu_headroom(&m.v, loads, NS_EL1));
    expect("stores: their own counter", 30, vpmu_headroom(&m.v, stores, NS_EL1));
    expect("both", 30, vpmu_headroom(&m.v, loads | stores, NS_EL1));
    expect("loads and instructions", 100, vpmu_headroom(&m.v, loads | INST_SRC, NS_EL1));
    expect("all there are", 30, vpmu_headroom(&m.v, VPMU_SRC_ALL, NS_EL1));
    expect("all others", UINT64_MAX, vpmu_headroom(&m.v, VPMU_SRC_ALL & ~(loads | stores), NS_EL1));
    expect("none", UINT64_MAX, vpmu_headroom(&m.v, 0, NS_EL1));
    machine_events(&m, VPMU_SRC_LD_RETIRED, 80);
    expect("80 loads later, loads", 20, vpmu_headroom(&m.v, loads, NS_EL1));
    expect("80 loads later, stores: now the sum", 20, vpmu_headroom(&m.v, stores, NS_EL1));
    machine_events(&m, VPMU_SRC_ST_RETIRED, 19);
    vpmu_settle(&m.v);
    expect("no interrupt at 99", 0, m.irq);
    expect("1 to go", 1, vpmu_headroom(&m.v, loads, NS_EL1));
    machine_events(&m, VPMU_SRC_ST_RETIRED, 1);
    expect("due", 0, vpmu_headroom(&m.v, loads, NS_EL1));
    vpmu_settle(&m.v);
    expect("interrupt at 100", 1, m.irq);
    expect("of the sum", BIT(0), get(&m, VPMU_PMOVSSET));
    expect("stores, 20 later", 10, vpmu_headroom(&m.v, stores, NS_EL1));
    expect("loads: the flag is set", UINT64_MAX, vpmu_headroom(&m.v, loads, NS_EL1));
}
END_TEST

/*
 * With units, the headroom is exact as well: after one unit less nothing has overflowed, after that
 * many the counter has just overflowed. Counter 0 counts cycles and is 3 counts before its
 * overflow. Some units have passed before.
 */
static void check_headroom_of_units(unsigned idx, unsigned units, uint64_t pmcr, unsigned passed)
{
    struct vpmu_config config = config_units(VPMU_V3P5, 1, units);
    uint64_t each = units * (idx == VPMU_CYCLE_COUNTER && pmcr == VPMU_PMCR_D ? 64u : 1u);
    uint64_t end = pmcr & (VPMU_PMCR_LC | VPMU_PMCR_LP) ? 0 : PAST_32;
    struct machine m;

    machine_start(&m, &config);
    set(&m, VPMU_PMCR, pmcr);
    counter_start(&m, idx, idx == 0 ? VPMU_EVENT_CPU_CYCLES : 0, end - 3);
    set(&m, VPMU_PMINTENSET, BIT(idx));
    set(&m, VPMU_PMCR, VPMU_PMCR_E | pmcr);
    machine_cycles(&m, passed);
    expect("before settling", 3 * each - passed, vpmu_headroom(&m.v, CPU_SRC, NS_EL1));
    vpmu_settle(&m.v);
    expect("after it", 3 * each - passed, vpmu_headroom(&m.v, CPU_SRC, NS_EL1));
    machine_cycles(&m, 3 * each - passed - 1);
    vpmu_settle(&m.v);
    expect("one less: interrupt", 0, m.irq);
    expect("one less: to go", 1, vpmu_headroom(&m.v, CPU_SRC, NS_EL1));
    machine_cycles(&m, 1);
    expect("due", 0, vpmu_headroom(&m.v, CPU_SRC, NS_EL1));
    vpmu_settle(&m.v);
    expect("interrupt", 1, m.irq);
    expect("value", end, get(&m, idx == 0 ? (unsigned)PMEVCNTR(0) : VPMU_PMCCNTR));
}

START_TEST(headroom_of_units)
{
    static const struct {
        unsigned idx;
        uint64_t pmcr;
    } rows[] = {
        {0, 0},
        {0, VPMU_PMCR_LP},
        {0, VPMU_PMCR_D},
        {VPMU_CYCLE_COUNTER, 0},
        {VPMU_CYCLE_COUNTER, VPMU_PMCR_LC},
        {VPMU_CYCLE_COUNTER, VPMU_PMCR_LC | VPMU_PMCR_D},
        {VPMU_CYCLE_COUNTER, VPMU_PMCR_D},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        for (unsigned units = 1; units <= 8; units++) {
            for (unsigned passed = 0; passed < 3 * units; passed++) {
                check_headroom_of_units(rows[i].idx, units, rows[i].pmcr, passed);
            }
        }
    }
}
END_TEST

/* A headroom above 64 bits of units means no limit; a smaller one is exact. PMCCNTR, LC = 1. */
START_TEST(headroom_of_many_units)
{
    static const struct {
        const char *name;
        unsigned units;
        uint64_t left; /* counts before the overflow; 0 is 2^64 */
        unsigned passed;
        uint64_t room;
    } rows[] = {
        {"2^64 cycles", 1, 0, 0, UINT64_MAX},
        {"2^64 - 1 cycles", 1, ALL_ONES, 0, UINT64_MAX},
        {"2^64 cycles of 8", 8, 0, 7, UINT64_MAX},
        {"2^61 of 8 are 2^64", 8, BIT(61), 0, UINT64_MAX},
        {"2^64 less 1", 8, BIT(61), 1, UINT64_MAX},
        {"2^64 less 2", 8, BIT(61), 2, UINT64_MAX - 1},
        {"2^64 less 7", 8, BIT(61), 7, UINT64_MAX - 6},
        {"(2^61 - 1) of 8", 8, BIT(61) - 1, 0, UINT64_MAX - 7},
        {"a third of 2^64 - 1, of 3", 3, 0x5555555555555555, 0, UINT64_MAX},
        {"the same less 2", 3, 0x5555555555555555, 2, UINT64_MAX - 2},
        {"one more, less 2: 2^64", 3, 0x5555555555555556, 2, UINT64_MAX},
        {"a fifth of 2^64 - 1, of 5, less 4", 5, 0x3333333333333333, 4, UINT64_MAX - 4},
        {"one more, less 4: 2^64", 5, 0x3333333333333334, 4, UINT64_MAX},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct vpmu_config config = config_units(VPMU_V3P5, 0, rows[i].units);
        struct machine m;

        machine_start(&m, &config);
        set(&m, VPMU_PMCR, VPMU_PMCR_LC | VPMU_PMCR_E);
        counter_start(&m, VPMU_CYCLE_COUNTER, 0, 0 - rows[i].left);
        set(&m, VPMU_PMINTENSET, CYCLES);
        machine_cycles(&m, rows[i].passed);
        vpmu_settle(&m.v);
        expect_in(rows[i].name, "headroom", rows[i].room, vpmu_headroom(&m.v, CPU_SRC, NS_EL1));
    }
}
END_TEST

/* Each cycle that overflows increments the chained counter once. */
START_TEST(chain_of_units)
{
    struct vpmu_config config = config_units(VPMU_V3P4, 2, 7);
    struct machine m;

    machine_start(&m, &config);
    counter_start(&m, 0, VPMU_EVENT_CPU_CYCLES, LAST_32);
    counter_start(&m, 1, VPMU_EVENT_CHAIN, 0);
    pmcr_enable(&m);
    expect("headroom", 7, vpmu_headroom(&m.v, CPU_SRC, NS_EL1));
    machine_cycles(&m, 6);
    expect("6 units", 0, get(&m, PMEVCNTR(1)));
    machine_cycles(&m, 1);
    expect("7 units: odd", 1, get(&m, PMEVCNTR(1)));
    expect("7 units: even", 0, get(&m, PMEVCNTR(0)));
    machine_cycles(&m, 7 * PAST_32 - 1);
    expect("2^32 cycles less a unit: odd", 1, get(&m, PMEVCNTR(1)));
    machine_cycles(&m, 1);
    expect("2^32 cycles: odd", 2, get(&m, PMEVCNTR(1)));
}
END_TEST

/*
 * A counter of a clock overflows, and the PE leaves the context before it is settled. The overflow
 * belongs to the context that is left. Neither counter counts in the new context.
 */
START_TEST(clock_overflows_before_leaving)
{
    struct machine m;

    machine_start_as(&m, VPMU_V3P5, 4, VPMU_HAS_EL2);
    pmcr_enable(&m);
    machine_enter(&m, NS_EL0);
    counter_start(&m, 1, VPMU_TYPER_P | VPMU_EVENT_CHAIN, 0);
    counter_start(&m, 0, VPMU_TYPER_P | VPMU_EVENT_CPU_CYCLES, BIT(32) - 10);
    counter_start(&m, 2, VPMU_TYPER_P | EVENT_CNT_CYCLES, BIT(32) - 10);
    set(&m, VPMU_PMINTENSET, BIT(2));
    machine_cycles(&m, 11);
    machine_events(&m, VPMU_SRC_CNT_CYCLES, 9);
    machine_enter(&m, NS_EL1);
    expect("the line", 0, m.irq);
    expect("PMEVCNTR1", 1, get(&m, PMEVCNTR(1)));
    machine_enter(&m, NS_EL0);
    machine_events(&m, VPMU_SRC_CNT_CYCLES, 1);
    machine_enter(&m, NS_EL1);
    expect("the line", 1, m.irq);
}
END_TEST

/* After settling, each of the two clocks has its own headroom. */
START_TEST(headroom_of_clocks)
{
    struct machine m;

    machine_start_as(&m, VPMU_V3P5, 1, 0);
    counter_start(&m, 0, EVENT_CNT_CYCLES, PAST_32 - 10);
    counter_start(&m, VPMU_CYCLE_COUNTER, 0, PAST_32 - 1000);
    set(&m, VPMU_PMINTENSET, BIT(0) | CYCLES);
    pmcr_enable(&m);
    machine_cycles(&m, 300);
    machine_events(&m, VPMU_SRC_CNT_CYCLES, 4);
    vpmu_settle(&m.v);
    expect("CNT_CYCLES", 6, vpmu_headroom(&m.v, CNT_SRC, NS_EL1));
    expect("CPU_CYCLES", 700, vpmu_headroom(&m.v, CPU_SRC, NS_EL1));
    machine_events(&m, VPMU_SRC_CNT_CYCLES, 6);
    vpmu_settle(&m.v);
    expect("PMOVSSET", BIT(0), get(&m, VPMU_PMOVSSET));
    expect("interrupt", 1, m.irq);
    expect("CPU_CYCLES still", 700, vpmu_headroom(&m.v, CPU_SRC, NS_EL1));
}
END_TEST

/*
 * Sampling without skid: a counter set to -1000 interrupts at instruction 1000 and not at 999. The
 * machine needs to settle only when the headroom is used up.
 */
START_TEST(interrupt_is_exact)
{
    struct machine m;

    machine_start_as(&m, VPMU_V3P5, 1, 0);
    counter_start(&m, 0, VPMU_EVENT_INST_RETIRED, PAST_32 - 1000);
    set(&m, VPMU_PMINTENSET, BIT(0));
    pmcr_enable(&m);
    expect("headroom", 1000, vpmu_headroom(&m.v, INST_SRC, NS_EL1));
    machine_instructions(&m, 999);
    vpmu_settle(&m.v);
    expect("no interrupt at 999", 0, m.irq);
    expect("one to go", 1, vpmu_headroom(&m.v, INST_SRC, NS_EL1));
    machine_instructions(&m, 1);
    expect("due", 0, vpmu_headroom(&m.v, INST_SRC, NS_EL1));
    expect("not seen until settled", 0, m.irq);
    vpmu_settle(&m.v);
    expect("interrupt at 1000", 1, m.irq);
    expect("once", 1, m.irq_edges);
}
END_TEST

/* A machine that exceeded its headroom gets 0, and is correct again after settling. */
START_TEST(headroom_overrun)
{
    struct machine m;

    machine_start_as(&m, VPMU_V3P5, 1, 0);
    counter_start(&m, 0, VPMU_EVENT_INST_RETIRED, LAST_32 - 9);
    set(&m, VPMU_PMINTENSET, BIT(0));
    pmcr_enable(&m);
    machine_instructions(&m, 15);
    expect("due", 0, vpmu_headroom(&m.v, INST_SRC, NS_EL1));
    vpmu_settle(&m.v);
    expect("5 past the end", PAST_32 + 5, get(&m, PMEVCNTR(0)));
    set(&m, VPMU_PMOVSCLR, BIT(0));
    expect("the next round", PAST_32 - 5, vpmu_headroom(&m.v, INST_SRC, NS_EL1));
}
END_TEST

/*
 * With FZO, the counter that overflows and the others of its range stop there and do not count
 * later events.
 */
/*
 * After a subtraction that follows a settling, the headroom is larger by as much, and nothing is
 * due.
 */
START_TEST(headroom_of_subtracted)
{
    struct machine m;

    machine_start_as(&m, VPMU_V3P5, 1, 0);
    counter_start(&m, 0, VPMU_EVENT_INST_RETIRED, UINT32_MAX - 9);
    set(&m, VPMU_PMINTENSET, BIT(0));
    pmcr_enable(&m);
    machine_instructions(&m, 6);
    vpmu_settle(&m.v);
    expect("6 of 10 passed", 4, vpmu_headroom(&m.v, INST_SRC, NS_EL1));
    machine_take_back(&m, VPMU_SRC_INST_RETIRED, 5);
    expect("1 of 10", 9, vpmu_headroom(&m.v, INST_SRC, NS_EL1));
    machine_instructions(&m, 8);
    vpmu_settle(&m.v);
    expect("9 of 10", 1, vpmu_headroom(&m.v, INST_SRC, NS_EL1));
    expect("not yet", 0, m.irq);
    machine_instructions(&m, 1);
    expect("due", 0, vpmu_headroom(&m.v, INST_SRC, NS_EL1));
    vpmu_settle(&m.v);
    expect("interrupt", 1, m.irq);
    /* The distance to 64 bits plus the surplus exceeds 64 bits. */
    set(&m, VPMU_PMCR, VPMU_PMCR_E | VPMU_PMCR_LP);
    set(&m, VPMU_PMOVSCLR, BIT(0));
    set(&m, PMEVCNTR(0), 0);
    machine_instructions(&m, 3);
    vpmu_settle(&m.v);
    machine_take_back(&m, VPMU_SRC_INST_RETIRED, 5);
    expect("no limit", UINT64_MAX, vpmu_headroom(&m.v, INST_SRC, NS_EL1));
}
END_TEST

START_TEST(freeze_at_the_overflow)
{
    struct machine m;

    machine_start_as(&m, VPMU_V3P7, 2, 0);
    counter_start(&m, 0, VPMU_EVENT_INST_RETIRED, LAST_32 - 9);
    counter_start(&m, 1, VPMU_EVENT_INST_RETIRED, 0);
    set(&m, VPMU_PMCR, VPMU_PMCR_E | VPMU_PMCR_FZO);
    expect("headroom", 10, vpmu_headroom(&m.v, INST_SRC, NS_EL1));
    machine_instructions(&m, 10);
    vpmu_settle(&m.v);
    expect("nothing armed", 0, vpmu_armed(&m.v, NS_EL1));
    machine_instructions(&m, 1000);
    expect("the one that overflowed", PAST_32, get(&m, PMEVCNTR(0)));
    expect("its neighbour", 10, get(&m, PMEVCNTR(1)));
}
END_TEST

/*
 * Statistics: how often a counter overflowed, and how often an overflow asserted the interrupt,
 * because its flag was clear and its interrupt and range were enabled. A reset does not clear them.
 */
START_TEST(history)
{
    struct machine m;

    machine_start_as(&m, VPMU_V3, 3, 0);
    counter_start(&m, 0, VPMU_EVENT_INST_RETIRED, LAST_32);
    counter_start(&m, 1, VPMU_EVENT_CHAIN, LAST_32);
    counter_start(&m, 2, VPMU_EVENT_INST_RETIRED, LAST_32 - 1);
    set(&m, VPMU_PMINTENSET, BIT(1) | BIT(2));
    pmcr_enable(&m);
    machine_instructions(&m, 1);
    vpmu_settle(&m.v);
    expect("overflows of 0", 1, m.v.count.overflows[0]);
    expect("its interrupt is off", 0, m.v.interrupts[0]);
    expect("its chain overflows", 1, m.v.count.overflows[1]);
    expect("and interrupts", 1, m.v.interrupts[1]);
    expect("overflows of 2", 0, m.v.count.overflows[2]);
    machine_instructions(&m, 1 + 2 * PAST_32);
    vpmu_settle(&m.v);
    expect("two rounds at once", 3, m.v.count.overflows[0]);
    expect("three, with the end it was close to", 3, m.v.count.overflows[2]);
    expect("three overflows at once are one interrupt", 1, m.v.interrupts[2]);
    machine_instructions(&m, PAST_32);
    vpmu_settle(&m.v);
    expect("the flag is set already", 1, m.v.interrupts[2]);
    set(&m, VPMU_PMOVSCLR, BIT(2));
    set(&m, VPMU_PMOVSSET, BIT(2));
    expect("software sets a flag: no overflow", 4, m.v.count.overflows[2]);
    expect("and no interrupt of the counter's", 1, m.v.interrupts[2]);
    set(&m, VPMU_PMOVSCLR, BIT(2));
    machine_instructions(&m, PAST_32);
    vpmu_reset(&m.v);
    expect("reset", 5, m.v.count.overflows[2]);
    expect("reset", 2, m.v.interrupts[2]);
}
END_TEST

Suite *overflow_suite(void)
{
    const TTest *const tests[] = {
        event_counter_ends,
        cycle_counter_ends,
        fixed_counter_ends,
        flags_by_reading,
        divider,
        divider_starts_anew,
        chains,
        chain_of_long_counter,
        chain_needs_a_pair,
        chain_of_software_increments,
        interrupt_line,
        interrupt_edges,
        interrupt_of_disabled_counter,
        headroom_of_one_counter,
        headroom_of_cycles,
        headroom_of_many,
        headroom_of_chain,
        headroom_of_sum,
        headroom_of_units,
        headroom_of_many_units,
        headroom_of_clocks,
        clock_overflows_before_leaving,
        chain_of_units,
        interrupt_is_exact,
        headroom_overrun,
        headroom_of_subtracted,
        freeze_at_the_overflow,
        history,
    };

    return suite_of("overflow", tests, COUNT_OF(tests));
}
