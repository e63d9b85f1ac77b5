/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/*
 * Thresholds, edges and links, on a known sequence of cycles. Accesses are MEM_ACCESS, loads and
 * stores. Each instruction takes one cycle if a cycle has one unit.
 */
#include "chooser.h"
#include "steps.h"

#define LD_RETIRED 0x06u
#define ST_RETIRED 0x07u
#define MEM_ACCESS 0x13u
#define STALL_FRONTEND 0x23u
#define STALL_BACKEND 0x24u
#define STALL 0x3cu
#define STALL_SLOT 0x3fu

#define TC(tc) ((uint64_t)(tc) << VPMU_TYPER_TC_SHIFT)
#define TH(th) ((uint64_t)(th) << VPMU_TYPER_TH_SHIFT)
#define TLC(tlc) ((uint64_t)(tlc) << VPMU_TYPER_TLC_SHIFT)
#define TE VPMU_TYPER_TE

/* An instruction with a load; one with a load and a store. */
#define ONE_ACCESS INSN(1, 0, 0, 0)
#define TWO_ACCESSES INSN(1, 1, 0, 0)

/* What must be tallied for a counter with a threshold. */
#define PACERS (INST_SRC | CPU_SRC | SRC(STALL_FRONTEND) | SRC(STALL_BACKEND) | VPMU_SRCS_SLOTS)

enum {
    NE,
    NE_COUNT,
    EQ,
    EQ_COUNT,
    GE,
    GE_COUNT,
    LT,
    LT_COUNT
};

/* Accesses: 1 2 0 2 2 1 0 0 1 0; loads: 1 1 0 1 1 0 0 0 1 0. */
static void run_accesses(struct watched *s)
{
    static const struct {
        unsigned loads;
        unsigned stores;
    } insns[] = {{1, 0}, {1, 1}, {0, 0}, {1, 1}, {1, 1}, {0, 1}, {0, 0}, {0, 0}, {1, 0}, {0, 0}};

    for (size_t i = 0; i < COUNT_OF(insns); i++) {
        insn_execute(&s->m, insns[i].loads, insns[i].stores, 0, 0);
    }
}

/*
 * Each value of TC with each TH, on these ten cycles. TC and TH of 0 mean no threshold. The counter
 * is quiet, and a cycle without events takes no time, if 0 does not meet the condition.
 */
START_TEST(conditions)
{
    static const struct {
        unsigned th;
        uint64_t counts[8];
        const char *quiet;
    } rows[] = {
        {0, {9, 6, 0, 4, 9, 10, 0, 0}, "0100 0011"},
        {1, {6, 7, 3, 3, 9, 6, 0, 4}, "0011 1100"},
        {2, {3, 7, 6, 3, 6, 3, 3, 7}, "0011 1100"},
        {4095, {9, 10, 0, 0, 0, 0, 9, 10}, "0011 1100"},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        for (unsigned tc = NE; tc <= LT_COUNT; tc++) {
            struct watched s;

            paced_start(&s.m, 1);
            counter_start(&s.m, 0, MEM_ACCESS | TH(rows[i].th) | TC(tc), 0);
            counter_start(&s.m, 1, MEM_ACCESS | TH(rows[i].th) | TC(tc), 0);
            run_accesses(&s);
            expect("even counter", rows[i].counts[tc], get(&s.m, PMEVCNTR(0)));
            expect("odd counter", rows[i].counts[tc], get(&s.m, PMEVCNTR(1)));
            expect("quiet", mask_of(rows[i].quiet) >> tc & 1, s.m.v.count.pace[0].quiet);
        }
    }
}
END_TEST

/*
 * Cycles of four slots: i is an instruction, f a slot of a stall of the frontend, b of the backend.
 *   f f f f  f f f f  b b b b  i i i i
 * Three instructions are sent, and the third stalls. In the cycles of a stall nothing is sent
 * (D14.3), so the cycle of these three goes on after them: with the fourth.
 */
#define WIDE(type, count)                                                                          \
    ROW(#type, COUNTER(3, type, 0), NOP, NOP, INSN(0, 0, 2, 1), NOP, COUNTS("count", 3, count),    \
        NOP, NOP, NOP, COUNTS("cycle not over", 3, count))

static const struct row wide[] = {
    WIDE(STALL_SLOT | TC(GE) | TH(1), 12),
    WIDE(STALL_SLOT | TC(GE) | TH(4), 12),
    WIDE(STALL_SLOT | TC(EQ_COUNT) | TH(3), 0),
    WIDE(STALL_SLOT | TC(LT) | TH(4), 0),
    WIDE(STALL_FRONTEND | TC(EQ_COUNT) | TH(1), 2),
    WIDE(STALL_BACKEND | TC(EQ_COUNT) | TH(1), 1),
    WIDE(STALL_FRONTEND | TE | TC(NE_COUNT), 1),
    WIDE(STALL | TC(EQ_COUNT), 1),
    WIDE(STALL, 3),
    WIDE(INST | TC(GE) | TH(3), 4),
    WIDE(INST | TC(EQ_COUNT) | TH(0), 3),
    WIDE(INST | TC(LT_COUNT) | TH(1), 3),
    WIDE(CPU | TC(GE) | TH(1), 4),
    WIDE(EVENT_BUS_CYCLES | TC(EQ_COUNT) | TH(1), 4),
    WIDE(CPU, 4),
    {0},
};

#define EDGE(type, count)                                                                          \
    ROW(#type, COUNTER(2, MEM_ACCESS | (type), 0), CALL(run_accesses), COUNTS("edges", 2, count))

static const struct row edges[] = {
    EDGE(TE | TC(NE_COUNT), 3),         /* 1 1 0 1 1 1 0 0 1 0 */
    EDGE(TE | TC(EQ_COUNT), 3),         /* 0 0 1 0 0 0 1 1 0 1 */
    EDGE(TE | TC(EQ), 5),               /* the same, both edges */
    EDGE(TE | TC(GE_COUNT) | TH(2), 2), /* 0 1 0 1 1 0 0 0 0 0 */
    EDGE(TE | TC(LT_COUNT) | TH(2), 3), /* 1 0 1 0 0 1 1 1 1 1 */
    EDGE(TE | TC(LT) | TH(2), 5),       /* the same, both edges */
    EDGE(TE | TC(NE), 9),               /* reserved: no threshold */
    EDGE(TE | TC(GE) | TH(2), 9),
    {0},
};

/* The letters are those of tables D13-5 and D13-6. Counter 2 is linked to by counter 3. */
#define LINK(below, count_below, type, count)                                                      \
    ROW(#below ", " #type, COUNTER(2, below, 0), COUNTER(3, type, 0), CALL(run_accesses),          \
        COUNTS("below", 2, count_below), COUNTS("linked", 3, count))

static const struct row links[] = {
    /* A, B: as without a link. */
    LINK(INST, 10, MEM_ACCESS | TC(EQ) | TH(2), 6),
    LINK(INST, 10, MEM_ACCESS | TC(EQ_COUNT) | TH(2), 3),
    /* C */
    LINK(INST, 10, MEM_ACCESS | TLC(1) | TC(EQ) | TH(2), 13),
    /* D */
    LINK(LD_RETIRED, 5, MEM_ACCESS | TLC(1) | TC(EQ_COUNT) | TH(2), 5),
    /* E */
    LINK(LD_RETIRED, 5, MEM_ACCESS | TLC(2) | TC(EQ) | TH(1), 2),
    LINK(LD_RETIRED | TC(EQ_COUNT), 5, MEM_ACCESS | TLC(2) | TC(LT) | TH(1), 4),
    /* F, G */
    LINK(ST_RETIRED, 4, MEM_ACCESS | TE | TC(NE_COUNT), 3),
    LINK(ST_RETIRED, 4, MEM_ACCESS | TLC(2) | TE | TC(NE_COUNT), 1),
    /* Reserved: no threshold. */
    LINK(LD_RETIRED, 5, MEM_ACCESS | TLC(3) | TC(EQ) | TH(2), 9),
    LINK(LD_RETIRED, 5, MEM_ACCESS | TLC(2) | TC(EQ_COUNT) | TH(2), 9),
    LINK(LD_RETIRED, 5, MEM_ACCESS | TLC(1) | TE | TC(EQ_COUNT), 9),
    LINK(LD_RETIRED, 5, MEM_ACCESS | TLC(3) | TE | TC(EQ_COUNT), 9),
    {0},
};

START_TEST(registers)
{
    struct machine m;

    paced_start(&m, 1);
    expect("PMMIR_EL1", 2 << 24 | 12 << 20, get(&m, VPMU_PMMIR));
    expect("PMMIR", 2 << 24 | 12 << 20, reg_get(&m, VPMU_PMMIR, &at_el1_32));
    set(&m, PMEVTYPER(0), ALL_ONES);
    set(&m, PMEVTYPER(1), ALL_ONES);
    expect("even", 0xf0000fffc800ffff, get(&m, PMEVTYPER(0)));
    expect("odd", 0xf0c00fffc800ffff, get(&m, PMEVTYPER(1)));
    reg_set(&m, PMEVTYPER(1), &at_el1_32, LD_RETIRED);
    expect("written in AArch32", 0xf0c00fff00000006, get(&m, PMEVTYPER(1)));
    expect("read in AArch32", LD_RETIRED, reg_get(&m, PMEVTYPER(1), &at_el1_32));
    set(&m, VPMU_PMCCFILTR, ALL_ONES);
    expect("PMCCFILTR", 0xc8000000, get(&m, VPMU_PMCCFILTR));
}
END_TEST

/* Configurations: 3 bits without edges, or without links. */
START_TEST(narrower)
{
    struct vpmu_arm_config config = config_units(VPMU_V3P9, 2, 1);
    struct machine m;

    config.threshold_width = 3;
    machine_start(&m, &config);
    set(&m, PMEVTYPER(1), ALL_ONES << 32);
    expect("PMEVTYPER1", 0xe000000700000000, get(&m, PMEVTYPER(1)));
    expect("PMMIR_EL1", 3 << 20, get(&m, VPMU_PMMIR));
    config.features = VPMU_HAS_EDGE;
    machine_start(&m, &config);
    set(&m, PMEVTYPER(1), ALL_ONES << 32);
    expect("PMEVTYPER1", 0xf000000700000000, get(&m, PMEVTYPER(1)));
    expect("PMMIR_EL1", 1 << 24 | 3 << 20, get(&m, VPMU_PMMIR));
}
END_TEST

/*
 * Ten cycles with a load each, by vpmu_arm_settle() and by vpmu_arm_step(), also after five loads
 * in another context that are settled meanwhile and so belong to the first of these cycles.
 */
START_TEST(stepped)
{
    bool (*const ways[])(struct machine * m) = {machine_settle, machine_step};

    for (size_t way = 0; way < COUNT_OF(ways); way++) {
        for (unsigned elsewhere = 0; elsewhere <= 5; elsewhere += 5) {
            struct machine m;

            paced_start(&m, 1);
            counter_start(&m, 0, MEM_ACCESS | TH(1) | TC(GE_COUNT), 0);
            counter_start(&m, 1, MEM_ACCESS | TH(1) | TC(GE), 0);
            m.totals.n[NS_EL0][VPMU_SRC_LD_RETIRED] += elsewhere;
            machine_settle(&m);
            for (unsigned cycle = 0; cycle < 10; cycle++) {
                m.totals.n[NS_EL1][VPMU_SRC_INST_RETIRED]++;
                m.totals.n[NS_EL1][VPMU_SRC_LD_RETIRED]++;
                m.totals.n[NS_EL1][VPMU_SRC_CPU_CYCLES]++;
                ways[way](&m);
            }
            expect("cycles with a load", 10, get(&m, PMEVCNTR(0)));
            expect("loads in them", 10 + elsewhere, get(&m, PMEVCNTR(1)));
        }
    }
}
END_TEST

/* The backend stalls. @apart: each cycle of this is settled. */
static void stall(struct machine *m, unsigned cycles, bool apart)
{
    for (unsigned left = cycles; left > 0; left -= apart ? 1 : left) {
        unsigned n = apart ? 1 : left;

        if (apart) {
            machine_settle(m);
        }
        machine_events(m, VPMU_SRC_CPU_CYCLES, n);
        machine_events(m, VPMU_SRC_STALL_BACKEND, n);
        machine_events(m, VPMU_SRC_STALL_SLOT_BACKEND, n);
    }
}

/* Executes an instruction of one slot, mostly without events. */
static void random_insn(struct chooser *c, struct machine *m, bool apart)
{
    unsigned n = (unsigned)choose_below(c, 4);

    if (choose_one_in(c, 40)) {
        machine_events(m, VPMU_SRC_ST_RETIRED, n);
        machine_settle(m);
    }
    machine_events(m, VPMU_SRC_INST_RETIRED, 1);
    machine_events(m, VPMU_SRC_CPU_CYCLES, 1);
    switch (choose_below(c, 40)) {
    case 0:
    case 1:
        machine_events(m, VPMU_SRC_LD_RETIRED, n);
        break;
    case 2:
    case 8:
        stall(m, n * (unsigned)choose_below(c, 5), apart);
        break;
    case 3:
        machine_take_back(m, VPMU_SRC_LD_RETIRED, n);
        break;
    case 4:
        machine_take_back(m, VPMU_SRC_CPU_CYCLES, n);
        break;
    case 5:
        machine_enter(m, n % 2 ? NS_EL0 : NS_EL1);
        break;
    case 6:
        set(m, VPMU_PMSWINC, n);
        break;
    case 7:
        set(m, n % 2 ? VPMU_PMCNTENSET : VPMU_PMCNTENCLR, 1u << n);
        break;
    default:
        break;
    }
}

/* Starts counters with random functions that are close to overflow; some are chained or linked. */
static void random_start(struct chooser *c, struct machine *m)
{
    static const uint64_t events[] = {CPU,   CPU,     INST,  MEM_ACCESS, STALL_SLOT,
                                      STALL, SW_INCR, CHAIN, CHAIN,      CHAIN};

    paced_start(m, 1);
    for (unsigned idx = 0; idx < 6; idx++) {
        uint64_t type = events[choose_below(c, COUNT_OF(events))] | TC(choose_below(c, 8)) |
                        TH(choose_below(c, 3)) | (choose_one_in(c, 3) ? TE : 0) |
                        (idx % 2 ? TLC(choose_below(c, 3)) : 0);

        counter_start(m, idx, choose_one_in(c, 3) ? type & 0xffff : type,
                      UINT32_MAX - choose_below(c, 64));
    }
}

/* After each instruction, vpmu_arm_step() has counted what vpmu_arm_settle() counts by cycles. */
START_TEST(stepped_at_random)
{
    struct chooser choices = {.state = 1};

    for (unsigned round = 0; round < 1000; round++) {
        static struct machine by_step, by_settle;
        struct chooser same = choices;

        random_start(&choices, &by_step);
        random_start(&same, &by_settle);
        for (unsigned insn = 0; insn < 200; insn++) {
            same = choices;
            random_insn(&choices, &by_step, false);
            random_insn(&same, &by_settle, true);
            machine_step(&by_step);
            machine_settle(&by_settle);
            expect("overflows", by_settle.v.regs.ovs, by_step.v.regs.ovs);
            for (unsigned idx = 0; idx < 6; idx++) {
                expect("value", by_settle.v.count.counter[idx].value,
                       by_step.v.count.counter[idx].value);
            }
        }
    }
}
END_TEST

/* A cycle that is subtracted after it was evaluated does not count twice. */
static const struct row subtracted[] = {
    ROW("nothing", COUNTS("still", 0, 2), NOP, COUNTS("made up for", 0, 2), NOP,
        COUNTS("and on", 0, 3)),
    ROW("another counter is written", TYPE(1, INST), COUNTS("still", 0, 2), NOP,
        COUNTS("made up for", 0, 2), NOP, COUNTS("and on", 0, 3)),
    /* Here another cycle replaces the one that is owed. */
    ROW("another context", IN(NS_EL0), NOP, IN(NS_EL1), COUNTS("still", 0, 2), NOP,
        COUNTS("made up for", 0, 3), NOP, COUNTS("and on", 0, 4)),
    ROW("stopped", CLR(BIT(0)), NOP, SET(BIT(0)), COUNTS("still", 0, 2), NOP,
        COUNTS("made up for", 0, 2), NOP, COUNTS("and on", 0, 3)),
    {0},
};

static const struct scenario scenarios[] = {
    {.name = "wide", .setup = PACED(4), .rows = wide},
    {.name = "edges", .setup = PACED(1), .rows = edges},
    {.name = "links", .setup = PACED(1), .rows = links},
    /*
     * Another machine continues from a state saved in the middle of a cycle, with a condition that
     * was true.
     */
    CASE("saved", PACED(4), COUNTER(0, INST | TE | TC(EQ) | TH(4), 0),
         COUNTER(1, STALL_SLOT | TLC(1) | TC(EQ) | TH(9), 0), REPEAT(6), NOP, AGAIN,
         SAVE_STATE("save"), ANOTHER, LOAD_STATE("load"), NOP, COUNTS("one edge", 0, 1), NOP,
         COUNTS("the cycle was whole: no edge", 0, 1), INSN(0, 0, 0, 1),
         COUNTS("the next was not", 0, 2), COUNTS("linked", 1, 2)),
    /* Stalls without time are counted like other events, and so are inconsistent tallies. */
    CASE("stalls_without_time", PACED(2), COUNTER(0, STALL_SLOT | TC(EQ) | TH(7), 0),
         COUNTER(1, STALL_FRONTEND | TC(EQ) | TH(3), 0),
         COUNTER(2, STALL_BACKEND | TC(EQ) | TH(5), 0), HAPPEN(STALL_SLOT_BACKEND, 7),
         HAPPEN(STALL_FRONTEND, 3), HAPPEN(STALL_BACKEND, 5), SETTLE, NOP, NOP,
         COUNTS("STALL_SLOT", 0, 7), COUNTS("STALL_FRONTEND", 1, 3), COUNTS("STALL_BACKEND", 2, 5)),
    /* A counter that does not count forgets the previous cycle, so its condition becomes true
       again. */
    CASE("edges_after_a_gap", PACED(1), COUNTER(0, INST | TE | TC(NE_COUNT) | P, 0), IN(NS_EL0),
         NOP, NOP, COUNTS("one edge", 0, 1), IN(NS_EL1), NOP, IN(NS_EL0), NOP,
         COUNTS("after another level", 0, 2), CLR(BIT(0)), SET(BIT(0)), NOP,
         COUNTS("after a stop", 0, 3), WRITE(VPMU_PMSELR, 3), INTERRUPT(BIT(0)), IN(NS_EL0), NOP,
         COUNTS("no gap", 0, 3)),
    /*
     * A counter that does not count gives nothing to a linked one. A counter that is no longer
     * linked continues.
     */
    CASE("unlinked", PACED(4), COUNTER(0, CPU, 0),
         COUNTER(1, MEM_ACCESS | TLC(1) | TC(EQ) | TH(9), 0), NOP, NOP, TYPE(1, MEM_ACCESS), NOP,
         NOP, COUNTS("four slots are a cycle", 0, 1), TYPE(0, MEM_ACCESS),
         TYPE(1, CPU | TLC(1) | TC(EQ) | TH(9)), CLR(BIT(0)), REPEAT(8), ONE_ACCESS, AGAIN,
         COUNTS("nothing from below", 1, 0), COUNTS("which has not counted", 0, 1)),
    /* A task switch that reads and writes back loses nothing of a cycle; another value does. */
    CASE("written_back", PACED(4), COUNTER(0, CPU | TC(GE_COUNT) | TH(1), 0), NOP, NOP, CLR(BIT(0)),
         WRITE(PMEVCNTR(0), 0), SET(BIT(0)), NOP, NOP, COUNTS("a whole cycle", 0, 1)),
    /*
     * In contexts where the counter counts, cycles, stalls and instructions must be tallied, and
     * each instruction must be settled.
     */
    CASE("what_the_machine_is_asked", PACED(1),
         COUNTER(0, LD_RETIRED | TC(GE_COUNT) | TH(1) | P, 0),
         COUNTER(1, ST_RETIRED, UINT32_MAX - 9), INTERRUPT(BIT(0) | BIT(1)),
         ARMED("armed at EL0", NS_EL0, PACERS | SRC(LD_RETIRED) | SRC(ST_RETIRED)),
         ARMED("armed at EL1", NS_EL1, SRC(ST_RETIRED)),
         ROOM("headroom at EL1", INST_SRC, NS_EL1, ALL_ONES),
         ROOM("headroom elsewhere", INST_SRC, NS_EL0, 1), IN(NS_EL0),
         ROOM("headroom here", INST_SRC, NS_EL0, 1),
         ROOM("of another source", SRC(LD_RETIRED), NS_EL0, ALL_ONES),
         ROOM("of another counter", SRC(ST_RETIRED), NS_EL0, 10), RUN(1),
         ROOM("used up", INST_SRC, NS_EL0, 0), SETTLE, ROOM("settled", INST_SRC, NS_EL0, 1),
         CLR(BIT(0)), ARMED("stopped", NS_EL0, SRC(ST_RETIRED)),
         ROOM("no limit", INST_SRC, NS_EL0, ALL_ONES)),
    /*
     * The interrupt is raised when the cycle ends. An odd counter with CHAIN counts, also with a
     * threshold.
     */
    CASE("overflow", PACED(1), COUNTER(0, MEM_ACCESS | TC(GE_COUNT) | TH(2), UINT32_MAX - 1),
         COUNTER(1, CHAIN, 0), COUNTER(2, MEM_ACCESS, UINT32_MAX),
         COUNTER(3, CHAIN | TC(EQ_COUNT) | TH(1), 0), INTERRUPT(BIT(0)), TWO_ACCESSES, ONE_ACCESS,
         LINE("not yet", 0), TWO_ACCESSES, LINE("line", 1), COUNTS("PMEVCNTR0", 0, BIT(32)),
         COUNTS("CHAIN", 1, 1), COUNTS("CHAIN with a threshold", 3, 1),
         FLAGS("PMOVSSET", BIT(0) | BIT(2))),
    /* A freeze caused by an instruction does not exclude the instruction's other events. */
    CASE("freeze", PACED(1), COUNTER(0, MEM_ACCESS | TC(GE_COUNT) | TH(1), UINT32_MAX),
         COUNTER(1, CHAIN, 0), COUNTER(4, INST, UINT32_MAX), PMCR(E | VPMU_PMCR_FZO), ONE_ACCESS,
         FLAGS("both overflowed", BIT(0) | BIT(4)), COUNTS("CHAIN", 1, 1), ONE_ACCESS,
         COUNTS("frozen", 0, BIT(32))),
    /* vpmu_arm_step() settles the instruction, so the next one may run. */
    CASE("stepped_headroom", PACED(1), COUNTER(0, MEM_ACCESS | TC(GE_COUNT) | TH(1), 0), RUN(1),
         PASS(1), ROOM("used up", INST_SRC, NS_EL1, 0), SETTLE_INSN,
         ROOM("stepped", INST_SRC, NS_EL1, 1)),
    /* A software increment belongs to the cycle of its write, whose slot has been tallied before.
     */
    CASE("software_increment", PACED(1), COUNTER(0, SW_INCR | TC(EQ_COUNT) | TH(1), 0),
         COUNTER(1, SW_INCR, 0), RUN(1), PASS(1), WRITE(VPMU_PMSWINC, BIT(0) | BIT(1) | BIT(2)),
         COUNTS("with a threshold", 0, 1), COUNTS("without", 1, 1), NOP, COUNTS("once", 0, 1)),
    /* Events of a timed source belong to the cycle in which they passed. */
    CASE("ticks", PACED(1), COUNTER(0, EVENT_CNT_CYCLES | TC(GE) | TH(3), 0), TICK(2), NOP, TICK(5),
         NOP, COUNTS("the second", 0, 5)),
    /* Another value and another type begin a new cycle. */
    CASE("cycle_begins", PACED(4), COUNTER(0, INST | TC(EQ_COUNT) | TH(4), 0), NOP,
         WRITE(PMEVCNTR(0), 7), NOP, NOP, NOP, TYPE(0, INST | TC(GE_COUNT) | TH(4)), NOP, NOP, NOP,
         COUNTS("none is over", 0, 7), NOP, COUNTS("one is", 0, 8), RESET,
         READS("reset", PMEVTYPER(0), 0)),
    /* Without thresholds, vpmu_arm_step() reads the clocks only if a counter needs them. */
    CASE("stepped_without_threshold", PMU(V3P8, 2, 0), COUNTER(0, INST, 0), ENABLE, CLEAR_CALLS,
         RUN(1), SETTLE_INSN, CLOCKS("instructions", 0), COUNTS("instructions", 0, 1),
         COUNTER(1, CPU, 0), CLEAR_CALLS, PASS(7), SETTLE_INSN, CLOCKS("cycles", 1),
         COUNTS("cycles", 1, 7)),
    {.name = "subtracted",
     .setup = PACED(1),
     .steps = {COUNTER(0, CPU | TC(GE_COUNT) | TH(1), 0), NOP, NOP, TAKE_BACK(INST_RETIRED, 1),
               TAKE_BACK(CPU_CYCLES, 1), SETTLE, COUNTS("two", 0, 2)},
     .rows = subtracted},
};

Suite *threshold_suite(void)
{
    const TTest *const tests[] = {conditions, registers, narrower, stepped, stepped_at_random};

    return scenario_suite("threshold", scenarios, COUNT_OF(scenarios), tests, COUNT_OF(tests));
}
