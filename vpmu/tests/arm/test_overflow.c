/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* Overflow: the overflow bit of counters, flags, chains, the interrupt line, headroom. */
#include "steps.h"

#define HPME VPMU_MDCR_EL2_HPME
#define HLP VPMU_MDCR_EL2_HLP
#define LP VPMU_PMCR_LP
#define LC VPMU_PMCR_LC
#define D VPMU_PMCR_D
#define FZO VPMU_PMCR_FZO
#define CNT EVENT_CNT_CYCLES
#define LAST_32 0xffffffffull
#define PAST_32 0x100000000ull
#define NO_LIMIT UINT64_MAX
#define LOADS SRC(LD_RETIRED)
#define STORES SRC(ST_RETIRED)

/*
 * Where an event counter overflows. Before PMUv3p5 it has 32 bits. From then on it has 64 bits, and
 * LP, or HLP in the second range, selects overflow at 32 or 64 bits (Arm ARM D24.5 PMCR_EL0.LP,
 * D24.3 MDCR_EL2.HLP).
 */
#define ENDS(idx, value, flags)                                                                    \
    COUNTS("value", idx, value), FLAGS("PMOVSSET", flags),                                         \
        READS("PMOVSCLR reads the same", VPMU_PMOVSCLR, flags)
#define FOUR(version) PMU(version, 4, VPMU_HAS_EL2)

static const struct row event_counter_ends[] = {
    ROW_OF("v3, short of the end", FOUR(V3), COUNTER(0, INST, LAST_32 - 1), PMCR(E), RUN(1),
           ENDS(0, LAST_32, 0)),
    ROW_OF("v3, the end", FOUR(V3), COUNTER(0, INST, LAST_32), PMCR(E), RUN(1), ENDS(0, 0, BIT(0))),
    ROW_OF("v3, beyond", FOUR(V3), COUNTER(0, INST, LAST_32), PMCR(E), RUN(6), ENDS(0, 5, BIT(0))),
    ROW_OF("v3, upper half of a write is lost", FOUR(V3), COUNTER(0, INST, PAST_32 | 7), PMCR(E),
           RUN(1), ENDS(0, 8, 0)),
    ROW_OF("v3p4: LP is RES0", FOUR(V3P4), COUNTER(0, INST, LAST_32), PMCR(E | LP), RUN(1),
           ENDS(0, 0, BIT(0))),
    ROW_OF("v3p4: HLP is RES0", FOUR(V3P4), CONTROL(2 | HPME | HLP), COUNTER(3, INST, LAST_32),
           PMCR(E), RUN(1), ENDS(3, 0, BIT(3))),
    ROW("v3p5, LP = 0: overflows at 32 bits, keeps 64", COUNTER(0, INST, LAST_32), PMCR(E), RUN(1),
        ENDS(0, PAST_32, BIT(0))),
    ROW("LP = 0, upper half in use", COUNTER(0, INST, 0x5ffffffff), PMCR(E), RUN(2),
        ENDS(0, 0x600000001, BIT(0))),
    ROW("LP = 0, all ones", COUNTER(0, INST, ALL_ONES), PMCR(E), RUN(1), ENDS(0, 0, BIT(0))),
    ROW("LP = 0, a whole round at once", COUNTER(0, INST, 5), PMCR(E), RUN(PAST_32),
        ENDS(0, PAST_32 | 5, BIT(0))),
    ROW("LP = 1: not at 32 bits", COUNTER(0, INST, LAST_32), PMCR(E | LP), RUN(1),
        ENDS(0, PAST_32, 0)),
    ROW("LP = 1: at 64 bits", COUNTER(0, INST, ALL_ONES), PMCR(E | LP), RUN(1), ENDS(0, 0, BIT(0))),
    ROW("LP is not for the second range", COUNTER(3, INST, LAST_32), PMCR(E | LP), RUN(1),
        ENDS(3, PAST_32, BIT(3))),
    ROW("HLP is", CONTROL(2 | HPME | HLP), COUNTER(3, INST, LAST_32), PMCR(E), RUN(1),
        ENDS(3, PAST_32, 0)),
    ROW_OF("HLP: at 64 bits", FOUR(V3P9), CONTROL(2 | HPME | HLP), COUNTER(3, INST, ALL_ONES - 2),
           PMCR(E), RUN(5), ENDS(3, 2, BIT(3))),
    ROW_OF("HLP is not for the first range", FOUR(V3P9), CONTROL(2 | HPME | HLP),
           COUNTER(1, INST, LAST_32), PMCR(E), RUN(1), ENDS(1, PAST_32, BIT(1))),
    {0},
};

/*
 * PMCCNTR has 64 bits in every version. LC selects where it overflows. With D it counts each 64th
 * cycle, unless LC is 1 (Arm ARM D24.5 PMCR_EL0.LC, D).
 */
static const struct row cycle_counter_ends[] = {
    ROW("LC = 0: at 32 bits, keeps 64", COUNTER(31, 0, LAST_32), PMCR(E), PASS(1),
        COUNTS("value", 31, PAST_32), FLAGS("PMOVSSET", CYCLES)),
    ROW("LC = 0: not before", COUNTER(31, 0, LAST_32 - 1), PMCR(E), PASS(1),
        COUNTS("value", 31, LAST_32), FLAGS("PMOVSSET", 0)),
    ROW("LC = 1: not at 32 bits", COUNTER(31, 0, LAST_32), PMCR(E | LC), PASS(1),
        COUNTS("value", 31, PAST_32), FLAGS("PMOVSSET", 0)),
    ROW("LC = 1: at 64 bits", COUNTER(31, 0, ALL_ONES), PMCR(E | LC), PASS(1),
        COUNTS("value", 31, 0), FLAGS("PMOVSSET", CYCLES)),
    ROW_OF("no AArch32: LC is always 1", PMU(V3P5, 0, VPMU_HAS_NO_AARCH32), COUNTER(31, 0, LAST_32),
           PMCR(E), PASS(1), COUNTS("value", 31, PAST_32), FLAGS("PMOVSSET", 0)),
    ROW("LP is for event counters", COUNTER(31, 0, LAST_32), PMCR(E | LP), PASS(1),
        COUNTS("value", 31, PAST_32), FLAGS("PMOVSSET", CYCLES)),
    ROW("D: 63 cycles are none", COUNTER(31, 0, 10), PMCR(E | D), PASS(63), COUNTS("value", 31, 10),
        FLAGS("PMOVSSET", 0)),
    ROW("D: 64 cycles are one", COUNTER(31, 0, 10), PMCR(E | D), PASS(64), COUNTS("value", 31, 11),
        FLAGS("PMOVSSET", 0)),
    ROW("D: 6400 + 63 cycles are 100", COUNTER(31, 0, 0), PMCR(E | D), PASS(6463),
        COUNTS("value", 31, 100), FLAGS("PMOVSSET", 0)),
    ROW("D: overflow", COUNTER(31, 0, LAST_32), PMCR(E | D), PASS(64), COUNTS("value", 31, PAST_32),
        FLAGS("PMOVSSET", CYCLES)),
    ROW("D is of no account with LC", COUNTER(31, 0, 10), PMCR(E | D | LC), PASS(64),
        COUNTS("value", 31, 74), FLAGS("PMOVSSET", 0)),
    ROW_OF("no AArch32: D is RES0", PMU(V3P5, 0, VPMU_HAS_NO_AARCH32), COUNTER(31, 0, 10),
           PMCR(E | D), PASS(64), COUNTS("value", 31, 74), FLAGS("PMOVSSET", 0)),
    {0},
};

/* PMCR.C, PMZR, a write of the counter, and D off and on start a new group of 64 cycles. */
static const struct row divider_starts_anew[] = {
    ROW("PMCR.C", PMCR(E | D | VPMU_PMCR_C)),
    ROW("PMZR.C", WRITE(VPMU_PMZR, CYCLES)),
    ROW("PMCCNTR", WRITE(VPMU_PMCCNTR, 0)),
    ROW("D off and on", PMCR(E), PMCR(E | D)),
    ROW("LC on and off", PMCR(E | D | LC), PMCR(E | D)),
    {0},
};

/*
 * CHAIN (Arm ARM D14.12, 0x001E): an odd counter counts the overflows of the even one below it, if
 * that overflows at 32 bits.
 */
static const struct row chains[] = {
    ROW("no overflow", COUNTER(0, INST, 0), COUNTER(1, CHAIN, 7), ENABLE, RUN(LAST_32),
        COUNTS("odd", 1, 7), FLAGS("PMOVSSET", 0)),
    ROW("one", COUNTER(0, INST, LAST_32), COUNTER(1, CHAIN, 7), ENABLE, RUN(1), COUNTS("odd", 1, 8),
        FLAGS("PMOVSSET", BIT(0))),
    ROW("another pair", COUNTER(2, INST, LAST_32), COUNTER(3, CHAIN, 7), ENABLE, RUN(1),
        COUNTS("odd", 3, 8), FLAGS("PMOVSSET", BIT(2))),
    ROW("three at once", COUNTER(0, INST, LAST_32), COUNTER(1, CHAIN, 7), ENABLE,
        RUN(1 + 2 * PAST_32), COUNTS("odd", 1, 10), FLAGS("PMOVSSET", BIT(0))),
    ROW("the odd one overflows", COUNTER(0, INST, LAST_32), COUNTER(1, CHAIN, LAST_32), ENABLE,
        RUN(1), COUNTS("odd", 1, 0), FLAGS("PMOVSSET", BIT(0) | BIT(1))),
    ROW("the odd one is not enabled", COUNTER(0, INST, LAST_32), COUNTER(1, CHAIN, 7), CLR(BIT(1)),
        ENABLE, RUN(1), COUNTS("odd", 1, 7), FLAGS("PMOVSSET", BIT(0))),
    ROW("the odd one is filtered here", COUNTER(0, INST, LAST_32), COUNTER(1, CHAIN | P, 7), ENABLE,
        RUN(1), COUNTS("odd", 1, 7), FLAGS("PMOVSSET", BIT(0))),
    ROW("the odd one counts something else", COUNTER(0, INST, LAST_32), COUNTER(1, SW_INCR, 7),
        ENABLE, RUN(1), COUNTS("odd", 1, 7), FLAGS("PMOVSSET", BIT(0))),
    {0},
};

/*
 * The line is high while a counter has its PMOVS and PMINTEN bits set and its range is enabled: by
 * PMCR.E, or by HPME for counters from HPMN up (Arm ARM D24.5 PMOVSSET_EL0, CheckForPMUOverflow()).
 */
#define OVERFLOW(mask) WRITE(VPMU_PMOVSSET, mask)
#define IS_LOW LINE("level told", 0), LEVEL("level asked", 0), EDGES("edges", 0)
#define IS_HIGH LINE("level told", 1), LEVEL("level asked", 1), EDGES("edges", 1)
#define WITH_HPME CONTROL(2 | HPME)

static const struct row interrupt_line[] = {
    ROW("first range, E", PMCR(E), INTERRUPT(BIT(0)), OVERFLOW(BIT(0)), IS_HIGH),
    ROW("first range, E = 0", INTERRUPT(BIT(0)), OVERFLOW(BIT(0)), IS_LOW),
    ROW("first range, HPME is not for it", WITH_HPME, INTERRUPT(BIT(1)), OVERFLOW(BIT(1)), IS_LOW),
    ROW("second range, HPME", WITH_HPME, INTERRUPT(BIT(2)), OVERFLOW(BIT(2)), IS_HIGH),
    ROW("second range, E is not for it", PMCR(E), INTERRUPT(BIT(3)), OVERFLOW(BIT(3)), IS_LOW),
    ROW("cycles, E", PMCR(E), INTERRUPT(CYCLES), OVERFLOW(CYCLES), IS_HIGH),
    ROW("cycles, HPME is not for them", WITH_HPME, INTERRUPT(CYCLES), OVERFLOW(CYCLES), IS_LOW),
    ROW("fixed counter, E", PMCR(E), INTERRUPT(INSTS), OVERFLOW(INSTS), IS_HIGH),
    ROW("fixed counter, E = 0", WITH_HPME, INTERRUPT(INSTS), OVERFLOW(INSTS), IS_LOW),
    ROW("not asked for", WITH_HPME, PMCR(E), OVERFLOW(BIT(0)), IS_LOW),
    ROW("another one asked for", WITH_HPME, PMCR(E), INTERRUPT(BIT(1)), OVERFLOW(BIT(0)), IS_LOW),
    ROW("no overflow", WITH_HPME, PMCR(E), INTERRUPT(BIT(0)), IS_LOW),
    ROW("one of many", WITH_HPME, PMCR(E), INTERRUPT(BIT(1) | BIT(2)),
        OVERFLOW(BIT(0) | BIT(1) | BIT(3)), IS_HIGH),
    {0},
};

/*
 * The headroom of counter 0, the only enabled one: the events until its overflow must be handled.
 * LP = 0 unless stated. The overflow flags are set last.
 */
static const struct row headroom_of_one_counter[] = {
    ROW("from 0: 2^32", COUNTER(0, INST, 0), INTERRUPT(BIT(0)), PMCR(E),
        ROOM("headroom", INST_SRC, NS_EL1, PAST_32)),
    ROW("the next one overflows", COUNTER(0, INST, LAST_32), INTERRUPT(BIT(0)), PMCR(E),
        ROOM("headroom", INST_SRC, NS_EL1, 1)),
    ROW("16 short", COUNTER(0, INST, 0xfffffff0), INTERRUPT(BIT(0)), PMCR(E),
        ROOM("headroom", INST_SRC, NS_EL1, 16)),
    ROW("the upper half is of no account", COUNTER(0, INST, 0x7fffffff0), INTERRUPT(BIT(0)),
        PMCR(E), ROOM("headroom", INST_SRC, NS_EL1, 16)),
    ROW("LP: 2^32 + 16 short", COUNTER(0, INST, ALL_ONES - LAST_32 - 16), INTERRUPT(BIT(0)),
        PMCR(E | LP), ROOM("headroom", INST_SRC, NS_EL1, PAST_32 + 16)),
    ROW("LP, from 0: 2^64 is no limit", COUNTER(0, INST, 0), INTERRUPT(BIT(0)), PMCR(E | LP),
        ROOM("headroom", INST_SRC, NS_EL1, NO_LIMIT)),
    ROW("LP, from 1: 2^64 - 1", COUNTER(0, INST, 1), INTERRUPT(BIT(0)), PMCR(E | LP),
        ROOM("headroom", INST_SRC, NS_EL1, NO_LIMIT)),
    ROW("no interrupt: reading the flag settles", COUNTER(0, INST, LAST_32), PMCR(E),
        ROOM("headroom", INST_SRC, NS_EL1, NO_LIMIT)),
    ROW("interrupt of another counter", COUNTER(0, INST, LAST_32), INTERRUPT(BIT(1)), PMCR(E),
        ROOM("headroom", INST_SRC, NS_EL1, NO_LIMIT)),
    ROW("its flag is set already: nothing new", COUNTER(0, INST, LAST_32), INTERRUPT(BIT(0)),
        PMCR(E), WRITE(VPMU_PMOVSSET, BIT(0)), ROOM("headroom", INST_SRC, NS_EL1, NO_LIMIT)),
    ROW("freeze, no interrupt", COUNTER(0, INST, LAST_32 - 3), PMCR(E | FZO),
        ROOM("headroom", INST_SRC, NS_EL1, 4)),
    ROW("frozen: counts nothing", COUNTER(0, INST, LAST_32), INTERRUPT(BIT(0)), PMCR(E | FZO),
        WRITE(VPMU_PMOVSSET, BIT(1)), ROOM("headroom", INST_SRC, NS_EL1, NO_LIMIT)),
    {0},
};

/*
 * With units, the headroom is exact as well: after one unit less nothing has overflowed, after that
 * many the counter has just overflowed. Counter 0 counts cycles and is 3 counts before its
 * overflow. Some units have passed before.
 */
static void check_headroom_of_units(unsigned idx, unsigned units, uint64_t pmcr, unsigned passed)
{
    struct vpmu_arm_config config = config_units(VPMU_V3P5, 1, units);
    uint64_t each = units * (idx == VPMU_CYCLE_COUNTER && pmcr == D ? 64u : 1u);
    uint64_t end = pmcr & (LC | LP) ? 0 : PAST_32;
    struct machine m;

    machine_start(&m, &config);
    set(&m, VPMU_PMCR, pmcr);
    counter_start(&m, idx, idx == 0 ? CPU : 0, end - 3);
    set(&m, VPMU_PMINTENSET, BIT(idx));
    set(&m, VPMU_PMCR, E | pmcr);
    machine_cycles(&m, passed);
    expect("before settling", 3 * each - passed, vpmu_arm_headroom(&m.v, CPU_SRC, NS_EL1));
    machine_settle(&m);
    expect("after it", 3 * each - passed, vpmu_arm_headroom(&m.v, CPU_SRC, NS_EL1));
    machine_cycles(&m, 3 * each - passed - 1);
    machine_settle(&m);
    expect("one less: interrupt", 0, m.irq);
    expect("one less: to go", 1, vpmu_arm_headroom(&m.v, CPU_SRC, NS_EL1));
    machine_cycles(&m, 1);
    expect("due", 0, vpmu_arm_headroom(&m.v, CPU_SRC, NS_EL1));
    machine_settle(&m);
    expect("interrupt", 1, m.irq);
    expect("value", end, get(&m, idx == 0 ? (unsigned)PMEVCNTR(0) : VPMU_PMCCNTR));
}

START_TEST(headroom_of_units)
{
    static const struct {
        unsigned idx;
        uint64_t pmcr;
    } rows[] = {{0, 0}, {0, LP}, {0, D}, {31, 0}, {31, LC}, {31, LC | D}, {31, D}};

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        for (unsigned units = 1; units <= 8; units++) {
            for (unsigned passed = 0; passed < 3 * units; passed++) {
                check_headroom_of_units(rows[i].idx, units, rows[i].pmcr, passed);
            }
        }
    }
}
END_TEST

/*
 * A headroom above 64 bits of units means no limit; a smaller one is exact. PMCCNTR is @left counts
 * before its overflow; 0 is 2^64. LC = 1.
 */
#define LEFT(called, units, left, ...)                                                             \
    ROW_OF(called, UNITS(V3P5, 0, units), PMCR(LC | E), INTERRUPT(CYCLES),                         \
           COUNTER(31, 0, 0ull - (left)), __VA_ARGS__)
#define HEADROOM(room) SETTLE, ROOM("headroom", CPU_SRC, NS_EL1, room)

static const struct row headroom_of_many_units[] = {
    LEFT("2^64 cycles", 1, 0, HEADROOM(NO_LIMIT)),
    LEFT("2^64 - 1 cycles", 1, ALL_ONES, HEADROOM(NO_LIMIT)),
    LEFT("2^64 cycles of 8", 8, 0, PASS(7), HEADROOM(NO_LIMIT)),
    LEFT("2^61 of 8 are 2^64", 8, BIT(61), HEADROOM(NO_LIMIT)),
    LEFT("2^64 less 1", 8, BIT(61), PASS(1), HEADROOM(NO_LIMIT)),
    LEFT("2^64 less 2", 8, BIT(61), PASS(2), HEADROOM(UINT64_MAX - 1)),
    LEFT("2^64 less 7", 8, BIT(61), PASS(7), HEADROOM(UINT64_MAX - 6)),
    LEFT("(2^61 - 1) of 8", 8, BIT(61) - 1, HEADROOM(UINT64_MAX - 7)),
    LEFT("a third of 2^64 - 1, of 3", 3, 0x5555555555555555, HEADROOM(NO_LIMIT)),
    LEFT("the same less 2", 3, 0x5555555555555555, PASS(2), HEADROOM(UINT64_MAX - 2)),
    LEFT("one more, less 2: 2^64", 3, 0x5555555555555556, PASS(2), HEADROOM(NO_LIMIT)),
    LEFT("a fifth of 2^64 - 1, of 5, less 4", 5, 0x3333333333333333, PASS(4),
         HEADROOM(UINT64_MAX - 4)),
    LEFT("one more, less 4: 2^64", 5, 0x3333333333333334, PASS(4), HEADROOM(NO_LIMIT)),
    {0},
};

static const struct scenario scenarios[] = {
    {.name = "event_counter_ends",
     .setup = FOUR(V3P5),
     .steps = {CONTROL(2 | HPME)},
     .rows = event_counter_ends},
    {.name = "interrupt_line",
     .setup = PMU(V3P9, 4, VPMU_HAS_EL2 | VPMU_HAS_ICNTR),
     .steps = {CONTROL(2)},
     .rows = interrupt_line},
    {.name = "headroom_of_many_units", .rows = headroom_of_many_units},
    {.name = "cycle_counter_ends", .setup = PMU(V3P5, 0, 0), .rows = cycle_counter_ends},
    /* PMICNTR always overflows at 64 bits. */
    CASE("fixed_counter_ends", PMU(V3P9, 0, VPMU_HAS_ICNTR), COUNTER(32, 0, LAST_32), ENABLE,
         RUN(1), COUNTS("passes 32 bits", 32, PAST_32), FLAGS("without a flag", 0),
         WRITE(VPMU_PMICNTR, ALL_ONES), RUN(3), COUNTS("passes 64 bits", 32, 2),
         FLAGS("PMOVSSET.F0", INSTS)),
    /* Reading the flags through either register shows an overflow. */
    {.name = "flags_by_reading",
     .setup = PMU(V3P5, 1, 0),
     .steps = {COUNTER(0, INST, LAST_32), ENABLE},
     .rows =
         (const struct row[]){ROW("PMOVSSET", FLAGS("before", 0), RUN(1), FLAGS("after", BIT(0))),
                              ROW("PMOVSCLR", READS("before", VPMU_PMOVSCLR, 0), RUN(1),
                                  READS("after", VPMU_PMOVSCLR, BIT(0))),
                              {0}}},
    /* The cycles that D has not counted yet are kept between reads. */
    CASE("divider", PMU(V3P5, 0, 0), COUNTER(31, 0, 0), PMCR(E | D), PASS(40),
         COUNTS("40 cycles", 31, 0), PASS(24), COUNTS("64 cycles, read twice", 31, 1), REPEAT(63),
         PASS(1), COUNTS("one by one", 31, 1), AGAIN, PASS(1),
         COUNTS("128 cycles, the last 64 read one by one", 31, 2)),
    {.name = "divider_starts_anew",
     .setup = PMU(V3P9, 0, 0),
     .steps = {COUNTER(31, 0, 0), PMCR(E | D), PASS(63)},
     .rows = divider_starts_anew,
     .then = {PASS(63), COUNTS("63 and 63 cycles", 31, 0), PASS(1), COUNTS("the 64th", 31, 1)}},
    {.name = "chains", .setup = PMU(V3P4, 4, 0), .rows = chains},
    /* With LP, the even counter overflows at 64 bits, and CHAIN counts nothing. */
    CASE("chain_of_long_counter", PMU(V3P5, 2, 0), COUNTER(0, INST, ALL_ONES), COUNTER(1, CHAIN, 7),
         PMCR(E | LP), RUN(1), COUNTS("odd", 1, 7), FLAGS("PMOVSSET", BIT(0))),
    /*
     * Only an odd counter can chain, and only to the even counter below it. The last even counter
     * may have no odd one.
     */
    CASE("chain_needs_a_pair", PMU(V3P4, 31, 0), COUNTER(1, INST, LAST_32), COUNTER(2, CHAIN, 7),
         COUNTER(30, INST, LAST_32), COUNTER(31, P, 7), ENABLE, RUN(1),
         COUNTS("an even counter set to CHAIN", 2, 7),
         COUNTS("the cycle counter is not the pair of 30", 31, 7),
         FLAGS("PMOVSSET", BIT(1) | BIT(30))),
    /* A software increment that overflows increments the chained counter at once. */
    CASE("chain_of_software_increments", PMU(V3P4, 2, 0), COUNTER(0, SW_INCR, LAST_32),
         COUNTER(1, CHAIN, 0), INTERRUPT(BIT(0)), ENABLE, WRITE(VPMU_PMSWINC, BIT(0)),
         LINE("interrupt", 1), COUNTS("even", 0, 0), COUNTS("odd", 1, 1)),
    /* The write of PMSWINC settles the other counters. */
    CASE("software_increment_settles", PMU(V3P4, 2, 0), COUNTER(0, SW_INCR, 0),
         COUNTER(1, INST, LAST_32), INTERRUPT(BIT(1)), ENABLE, RUN(1), LINE("not settled", 0),
         WRITE(VPMU_PMSWINC, BIT(0)), LINE("settled", 1)),
    /* What lowers the line, and what raises it again. Each step is one edge, reported once. */
    CASE("interrupt_edges", PMU(V3P5, 2, 0), INTERRUPT(BIT(0)), ENABLE, EDGES("edges before", 0),
         WRITE(VPMU_PMOVSSET, BIT(0)), LINE("overflow set", 1), EDGES("overflow set", 1),
         WRITE(VPMU_PMINTENCLR, BIT(0)), LINE("PMINTENCLR", 0), EDGES("PMINTENCLR", 2),
         INTERRUPT(BIT(0)), LINE("PMINTENSET", 1), EDGES("PMINTENSET", 3), PMCR(0),
         LINE("PMCR.E = 0", 0), EDGES("PMCR.E = 0", 4), PMCR(E), LINE("PMCR.E = 1", 1),
         EDGES("PMCR.E = 1", 5), CLEAR(BIT(0)), LINE("PMOVSCLR", 0), EDGES("PMOVSCLR", 6),
         CLEAR(ALL_ONES), EDGES("no edge without a change", 6)),
    /* The line does not depend on whether the counter still counts. */
    CASE("interrupt_of_disabled_counter", PMU(V3P5, 1, 0), COUNTER(0, INST, LAST_32),
         INTERRUPT(BIT(0)), ENABLE, RUN(1), CLR(BIT(0)),
         LINE("what was counted before the write overflowed", 1)),
    {.name = "headroom_of_one_counter",
     .setup = PMU(V3P7, 2, 0),
     .rows = headroom_of_one_counter,
     .then = {ROOM("of another source", CPU_SRC, NS_EL1, NO_LIMIT)}},
    /* For cycles with D, each count needs 64 cycles, less those that have passed already. */
    CASE("headroom_of_cycles", PMU(V3P5, 0, 0), COUNTER(31, 0, LAST_32 - 1), INTERRUPT(CYCLES),
         ENABLE, ROOM("2 counts", CPU_SRC, NS_EL1, 2), PMCR(E | D),
         ROOM("2 counts of 64", CPU_SRC, NS_EL1, 128), PASS(5), SETTLE,
         ROOM("5 of them passed", CPU_SRC, NS_EL1, 123), PASS(123), SETTLE, LINE("interrupt", 1),
         PMCR(E | D | LC), CLEAR(CYCLES), WRITE(VPMU_PMCCNTR, ALL_ONES - 9),
         ROOM("LC: no divider, 64 bits", CPU_SRC, NS_EL1, 10)),
    /* The counter that is closest to overflow decides, except where it does not count. */
    CASE("headroom_of_many", PMU(V3P5, 4, 0), COUNTER(0, INST, LAST_32 - 99),
         COUNTER(1, INST | U, LAST_32 - 9), COUNTER(2, INST | P, LAST_32 - 49),
         COUNTER(3, INST, LAST_32 - 1), INTERRUPT(BIT(0) | BIT(1) | BIT(2)), ENABLE,
         ROOM("EL1: counter 1", INST_SRC, NS_EL1, 10), ROOM("EL0: counter 2", INST_SRC, NS_EL0, 50),
         ROOM("EL2 counts nothing", INST_SRC, NS_EL2, NO_LIMIT), RUN(4),
         ROOM("EL1, 4 later", INST_SRC, NS_EL1, 6), IN(NS_EL0), RUN(1),
         ROOM("EL0, 1 later", INST_SRC, NS_EL0, 49), ROOM("EL1 is as it was", INST_SRC, NS_EL1, 6)),
    /*
     * A chained overflow must be handled when it happens, whether or not the flag is set already,
     * and in every context. If it were settled later in another context, it would be attributed to
     * that context.
     */
    CASE("headroom_of_chain", PMU(V3P4, 2, 0), COUNTER(0, INST, LAST_32 - 6), COUNTER(1, CHAIN, 0),
         ENABLE, WRITE(VPMU_PMOVSSET, BIT(0)), ROOM("7 to go", INST_SRC, NS_EL1, 7),
         TYPE(1, CHAIN | P), ROOM("the odd one counts at EL0", INST_SRC, NS_EL1, 7),
         TYPE(1, CHAIN | P | U), ROOM("the odd one counts nowhere", INST_SRC, NS_EL1, NO_LIMIT),
         TYPE(1, CHAIN), CLR(BIT(1)), ROOM("the odd one is off", INST_SRC, NS_EL1, NO_LIMIT)),
    /*
     * The headroom of an event that is a sum: for each source, for all at once, and for a mask that
     * contains one of them. An event of any source reduces that of all. Counter 0 counts
     * MEM_ACCESS, counter 1 ST_RETIRED.
     */
    CASE("headroom_of_sum", PMU(V3P5, 2, 0), COUNTER(0, 0x13, PAST_32 - 100),
         COUNTER(1, 0x07, PAST_32 - 30), INTERRUPT(BIT(0) | BIT(1)), ENABLE,
         ROOM("loads: the sum", LOADS, NS_EL1, 100),
         ROOM("stores: their own counter", STORES, NS_EL1, 30),
         ROOM("both", LOADS | STORES, NS_EL1, 30),
         ROOM("loads and instructions", LOADS | INST_SRC, NS_EL1, 100),
         ROOM("all there are", VPMU_SRC_ALL, NS_EL1, 30),
         ROOM("all others", VPMU_SRC_ALL & ~(LOADS | STORES), NS_EL1, NO_LIMIT),
         ROOM("none", 0, NS_EL1, NO_LIMIT), HAPPEN(LD_RETIRED, 80),
         ROOM("80 loads later, loads", LOADS, NS_EL1, 20),
         ROOM("80 loads later, stores: now the sum", STORES, NS_EL1, 20), HAPPEN(ST_RETIRED, 19),
         SETTLE, LINE("no interrupt at 99", 0), ROOM("1 to go", LOADS, NS_EL1, 1),
         HAPPEN(ST_RETIRED, 1), ROOM("due", LOADS, NS_EL1, 0), SETTLE, LINE("interrupt at 100", 1),
         FLAGS("of the sum", BIT(0)), ROOM("stores, 20 later", STORES, NS_EL1, 10),
         ROOM("loads: the flag is set", LOADS, NS_EL1, NO_LIMIT)),
    /* After settling, each of the two clocks has its own headroom. */
    CASE("headroom_of_clocks", PMU(V3P5, 1, 0), COUNTER(0, CNT, PAST_32 - 10),
         COUNTER(31, 0, PAST_32 - 1000), INTERRUPT(BIT(0) | CYCLES), ENABLE, PASS(300), TICK(4),
         SETTLE, ROOM("CNT_CYCLES", CNT_SRC, NS_EL1, 6), ROOM("CPU_CYCLES", CPU_SRC, NS_EL1, 700),
         TICK(6), SETTLE, FLAGS("PMOVSSET", BIT(0)), LINE("interrupt", 1),
         ROOM("CPU_CYCLES still", CPU_SRC, NS_EL1, 700)),
    /*
     * A counter of a clock overflows, and the PE leaves the context before it is settled. The
     * overflow belongs to the context that is left. Neither counter counts in the new context.
     */
    CASE("clock_overflows_before_leaving", PMU(V3P5, 4, VPMU_HAS_EL2), ENABLE, IN(NS_EL0),
         COUNTER(1, P | CHAIN, 0), COUNTER(0, P | CPU, PAST_32 - 10),
         COUNTER(2, P | CNT, PAST_32 - 10), INTERRUPT(BIT(2)), PASS(11), TICK(9), IN(NS_EL1),
         LINE("the line", 0), COUNTS("PMEVCNTR1", 1, 1), IN(NS_EL0), TICK(1), IN(NS_EL1),
         LINE("the line", 1)),
    /* Each cycle that overflows increments the chained counter once. */
    CASE("chain_of_units", UNITS(V3P4, 2, 7), COUNTER(0, CPU, LAST_32), COUNTER(1, CHAIN, 0),
         ENABLE, ROOM("headroom", CPU_SRC, NS_EL1, 7), PASS(6), COUNTS("6 units", 1, 0), PASS(1),
         COUNTS("7 units: odd", 1, 1), COUNTS("7 units: even", 0, 0), PASS(7 * PAST_32 - 1),
         COUNTS("2^32 cycles less a unit: odd", 1, 1), PASS(1), COUNTS("2^32 cycles: odd", 1, 2)),
    /*
     * Sampling without skid: a counter set to -1000 interrupts at instruction 1000 and not at 999.
     * The machine needs to settle only when the headroom is used up.
     */
    CASE("interrupt_is_exact", PMU(V3P5, 1, 0), COUNTER(0, INST, PAST_32 - 1000), INTERRUPT(BIT(0)),
         ENABLE, ROOM("headroom", INST_SRC, NS_EL1, 1000), RUN(999), SETTLE,
         LINE("no interrupt at 999", 0), ROOM("one to go", INST_SRC, NS_EL1, 1), RUN(1),
         ROOM("due", INST_SRC, NS_EL1, 0), LINE("not seen until settled", 0), SETTLE,
         LINE("interrupt at 1000", 1), EDGES("once", 1)),
    /* A machine that exceeded its headroom gets 0, and is correct again after settling. */
    CASE("headroom_overrun", PMU(V3P5, 1, 0), COUNTER(0, INST, LAST_32 - 9), INTERRUPT(BIT(0)),
         ENABLE, RUN(15), ROOM("due", INST_SRC, NS_EL1, 0), SETTLE,
         COUNTS("5 past the end", 0, PAST_32 + 5), CLEAR(BIT(0)),
         ROOM("the next round", INST_SRC, NS_EL1, PAST_32 - 5)),
    /*
     * After a subtraction that follows a settling, the headroom is larger by as much, and nothing
     * is due. At last, the distance to 64 bits plus the surplus exceeds 64 bits.
     */
    CASE("headroom_of_subtracted", PMU(V3P5, 1, 0), COUNTER(0, INST, LAST_32 - 9),
         INTERRUPT(BIT(0)), ENABLE, RUN(6), SETTLE, ROOM("6 of 10 passed", INST_SRC, NS_EL1, 4),
         TAKE_BACK(INST_RETIRED, 5), ROOM("1 of 10", INST_SRC, NS_EL1, 9), RUN(8), SETTLE,
         ROOM("9 of 10", INST_SRC, NS_EL1, 1), LINE("not yet", 0), RUN(1),
         ROOM("due", INST_SRC, NS_EL1, 0), SETTLE, LINE("interrupt", 1), PMCR(E | LP),
         CLEAR(BIT(0)), WRITE(PMEVCNTR(0), 0), RUN(3), SETTLE, TAKE_BACK(INST_RETIRED, 5),
         ROOM("no limit", INST_SRC, NS_EL1, NO_LIMIT)),
    /*
     * With FZO, the counter that overflows and the others of its range stop there and do not count
     * later events.
     */
    CASE("freeze_at_the_overflow", PMU(V3P7, 2, 0), COUNTER(0, INST, LAST_32 - 9),
         COUNTER(1, INST, 0), PMCR(E | FZO), ROOM("headroom", INST_SRC, NS_EL1, 10), RUN(10),
         SETTLE, ARMED("nothing armed", NS_EL1, 0), RUN(1000),
         COUNTS("the one that overflowed", 0, PAST_32), COUNTS("its neighbour", 1, 10)),
    /*
     * Statistics: how often a counter overflowed, and how often an overflow asserted the interrupt,
     * because its flag was clear and its interrupt and range were enabled. A reset does not clear
     * them.
     */
    CASE("history", PMU(V3, 3, 0), COUNTER(0, INST, LAST_32), COUNTER(1, CHAIN, LAST_32),
         COUNTER(2, INST, LAST_32 - 1), INTERRUPT(BIT(1) | BIT(2)), ENABLE, RUN(1), SETTLE,
         OVERFLOWS("overflows of 0", 0, 1), INTERRUPTS("its interrupt is off", 0, 0),
         OVERFLOWS("its chain overflows", 1, 1), INTERRUPTS("and interrupts", 1, 1),
         OVERFLOWS("overflows of 2", 2, 0), RUN(1 + 2 * PAST_32), SETTLE,
         OVERFLOWS("two rounds at once", 0, 3),
         OVERFLOWS("three, with the end it was close to", 2, 3),
         INTERRUPTS("three overflows at once are one interrupt", 2, 1), RUN(PAST_32), SETTLE,
         INTERRUPTS("the flag is set already", 2, 1), CLEAR(BIT(2)), WRITE(VPMU_PMOVSSET, BIT(2)),
         OVERFLOWS("software sets a flag: no overflow", 2, 4),
         INTERRUPTS("and no interrupt of the counter's", 2, 1), CLEAR(BIT(2)), RUN(PAST_32), RESET,
         OVERFLOWS("reset", 2, 5), INTERRUPTS("reset", 2, 2)),
};

Suite *overflow_suite(void)
{
    const TTest *const tests[] = {headroom_of_units};

    return scenario_suite("overflow", scenarios, COUNT_OF(scenarios), tests, COUNT_OF(tests));
}
