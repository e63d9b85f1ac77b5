/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/*
 * Thresholds, edges and links, on a known sequence of cycles. Accesses are MEM_ACCESS, loads and
 * stores. Each instruction takes one cycle if a cycle has one unit.
 */
#include <string.h>

#include "fixture.h"
#include "vpmu/arm/state.h"

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

static void start(struct machine *m, unsigned units)
{
    struct vpmu_config config = config_units(VPMU_V3P8, 6, units);

    config.threshold_width = 12;
    config.features = VPMU_HAS_EL2 | VPMU_HAS_EDGE | VPMU_HAS_TH2;
    machine_start(m, &config);
    pmcr_enable(m);
}

/* An instruction, with its loads, stores and the cycles for which it stalls. */
static void execute(struct machine *m, unsigned loads, unsigned stores, unsigned frontend,
                    unsigned backend)
{
    unsigned width = m->v.config.cycle_units;

    machine_events(m, VPMU_SRC_INST_RETIRED, 1);
    machine_events(m, VPMU_SRC_LD_RETIRED, loads);
    machine_events(m, VPMU_SRC_ST_RETIRED, stores);
    machine_events(m, VPMU_SRC_CPU_CYCLES, 1 + (frontend + backend) * width);
    machine_events(m, VPMU_SRC_STALL_FRONTEND, frontend);
    machine_events(m, VPMU_SRC_STALL_BACKEND, backend);
    machine_events(m, VPMU_SRC_STALL_SLOT_FRONTEND, frontend * width);
    machine_events(m, VPMU_SRC_STALL_SLOT_BACKEND, backend * width);
    vpmu_settle(&m->v);
}

/* Accesses: 1 2 0 2 2 1 0 0 1 0; loads: 1 1 0 1 1 0 0 0 1 0. */
static void run_accesses(struct machine *m)
{
    static const struct {
        unsigned loads;
        unsigned stores;
    } insns[] = {{1, 0}, {1, 1}, {0, 0}, {1, 1}, {1, 1}, {0, 1}, {0, 0}, {0, 0}, {1, 0}, {0, 0}};

    for (size_t i = 0; i < COUNT_OF(insns); i++) {
        execute(m, insns[i].loads, insns[i].stores, 0, 0);
    }
}

/* Each value of TC with each TH, on these ten cycles. TC and TH of 0 mean no threshold. */
START_TEST(conditions)
{
    static const struct {
        unsigned th;
        uint64_t counts[8];
    } rows[] = {
        {0, {9, 6, 0, 4, 9, 10, 0, 0}},
        {1, {6, 7, 3, 3, 9, 6, 0, 4}},
        {2, {3, 7, 6, 3, 6, 3, 3, 7}},
        {4095, {9, 10, 0, 0, 0, 0, 9, 10}},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        for (unsigned tc = NE; tc <= LT_COUNT; tc++) {
            struct machine m;

            start(&m, 1);
            counter_start(&m, 0, MEM_ACCESS | TH(rows[i].th) | TC(tc), 0);
            counter_start(&m, 1, MEM_ACCESS | TH(rows[i].th) | TC(tc), 0);
            run_accesses(&m);
            expect("even counter", rows[i].counts[tc], get(&m, PMEVCNTR(0)));
            expect("odd counter", rows[i].counts[tc], get(&m, PMEVCNTR(1)));
        }
    }
}
END_TEST

/*
 * Cycles of four slots: i is an instruction, f a slot of a stall of the frontend, b of the backend.
 *   i i i f  f f f f  f f f b  b b b i
 * The cycles of a stall are those in which its fourth, eighth... slot is: f in 2 and 3, b in 4.
 */
START_TEST(wide)
{
    static const struct {
        uint64_t type;
        uint64_t count;
    } rows[] = {
        {STALL_SLOT | TC(GE) | TH(1), 12},
        {STALL_SLOT | TC(GE) | TH(4), 8},
        {STALL_SLOT | TC(EQ_COUNT) | TH(3), 1},
        {STALL_SLOT | TC(LT) | TH(4), 4},
        {STALL_FRONTEND | TC(EQ_COUNT) | TH(1), 2},
        {STALL_BACKEND | TC(EQ_COUNT) | TH(1), 1},
        {STALL_FRONTEND | TE | TC(NE_COUNT), 1},
        {STALL | TC(EQ_COUNT), 1},
        {VPMU_EVENT_INST_RETIRED | TC(GE) | TH(3), 3},
        {VPMU_EVENT_INST_RETIRED | TC(EQ_COUNT) | TH(0), 2},
        {VPMU_EVENT_CPU_CYCLES | TC(GE) | TH(1), 4},
        {EVENT_BUS_CYCLES | TC(EQ_COUNT) | TH(1), 4},
        {VPMU_EVENT_CPU_CYCLES, 4},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct machine m;

        start(&m, 4);
        counter_start(&m, 3, rows[i].type, 0);
        execute(&m, 0, 0, 0, 0);
        execute(&m, 0, 0, 0, 0);
        execute(&m, 0, 0, 2, 1);
        execute(&m, 0, 0, 0, 0);
        expect("count", rows[i].count, get(&m, PMEVCNTR(3)));
        /* Three slots of the last cycle have not passed yet. */
        execute(&m, 0, 0, 0, 0);
        execute(&m, 0, 0, 0, 0);
        execute(&m, 0, 0, 0, 0);
        expect("cycle not over", rows[i].count, get(&m, PMEVCNTR(3)));
    }
}
END_TEST

/* Stalls without time are counted like other events, and so are inconsistent tallies. */
START_TEST(stalls_without_time)
{
    struct machine m;

    start(&m, 2);
    counter_start(&m, 0, STALL_SLOT | TC(EQ) | TH(7), 0);
    counter_start(&m, 1, STALL_FRONTEND | TC(EQ) | TH(3), 0);
    counter_start(&m, 2, STALL_BACKEND | TC(EQ) | TH(5), 0);
    machine_events(&m, VPMU_SRC_STALL_SLOT_BACKEND, 7);
    machine_events(&m, VPMU_SRC_STALL_FRONTEND, 3);
    machine_events(&m, VPMU_SRC_STALL_BACKEND, 5);
    vpmu_settle(&m.v);
    execute(&m, 0, 0, 0, 0);
    execute(&m, 0, 0, 0, 0);
    expect("STALL_SLOT", 7, get(&m, PMEVCNTR(0)));
    expect("STALL_FRONTEND", 3, get(&m, PMEVCNTR(1)));
    expect("STALL_BACKEND", 5, get(&m, PMEVCNTR(2)));
}
END_TEST

START_TEST(edges)
{
    static const struct {
        uint64_t type;
        uint64_t count;
    } rows[] = {
        {TE | TC(NE_COUNT), 3},         /* 1 1 0 1 1 1 0 0 1 0 */
        {TE | TC(EQ_COUNT), 3},         /* 0 0 1 0 0 0 1 1 0 1 */
        {TE | TC(EQ), 5},               /* the same, both edges */
        {TE | TC(GE_COUNT) | TH(2), 2}, /* 0 1 0 1 1 0 0 0 0 0 */
        {TE | TC(LT_COUNT) | TH(2), 3}, /* 1 0 1 0 0 1 1 1 1 1 */
        {TE | TC(LT) | TH(2), 5},       /* the same, both edges */
        {TE | TC(NE), 9},               /* reserved: no threshold */
        {TE | TC(GE) | TH(2), 9},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct machine m;

        start(&m, 1);
        counter_start(&m, 2, MEM_ACCESS | rows[i].type, 0);
        run_accesses(&m);
        expect("edges", rows[i].count, get(&m, PMEVCNTR(2)));
    }
}
END_TEST

/* A counter that does not count forgets the previous cycle, so its condition becomes true again. */
START_TEST(edges_after_a_gap)
{
    struct machine m;

    start(&m, 1);
    counter_start(&m, 0, VPMU_EVENT_INST_RETIRED | TE | TC(NE_COUNT) | VPMU_TYPER_P, 0);
    machine_enter(&m, NS_EL0);
    execute(&m, 0, 0, 0, 0);
    execute(&m, 0, 0, 0, 0);
    expect("one edge", 1, get(&m, PMEVCNTR(0)));
    machine_enter(&m, NS_EL1);
    execute(&m, 0, 0, 0, 0);
    machine_enter(&m, NS_EL0);
    execute(&m, 0, 0, 0, 0);
    expect("after another level", 2, get(&m, PMEVCNTR(0)));
    set(&m, VPMU_PMCNTENCLR, 1);
    set(&m, VPMU_PMCNTENSET, 1);
    execute(&m, 0, 0, 0, 0);
    expect("after a stop", 3, get(&m, PMEVCNTR(0)));
    set(&m, VPMU_PMSELR, 3);
    set(&m, VPMU_PMINTENSET, 1);
    machine_enter(&m, NS_EL0);
    execute(&m, 0, 0, 0, 0);
    expect("no gap", 3, get(&m, PMEVCNTR(0)));
}
END_TEST

/* The letters are those of tables D13-5 and D13-6. Counter 2 is linked to by counter 3. */
START_TEST(links)
{
    static const struct {
        uint64_t below;
        uint64_t type;
        uint64_t count_below;
        uint64_t count;
    } rows[] = {
        /* A, B: as without a link. */
        {VPMU_EVENT_INST_RETIRED, MEM_ACCESS | TC(EQ) | TH(2), 10, 6},
        {VPMU_EVENT_INST_RETIRED, MEM_ACCESS | TC(EQ_COUNT) | TH(2), 10, 3},
        /* C */
        {VPMU_EVENT_INST_RETIRED, MEM_ACCESS | TLC(1) | TC(EQ) | TH(2), 10, 13},
        /* D */
        {LD_RETIRED, MEM_ACCESS | TLC(1) | TC(EQ_COUNT) | TH(2), 5, 5},
        /* E */
        {LD_RETIRED, MEM_ACCESS | TLC(2) | TC(EQ) | TH(1), 5, 2},
        {LD_RETIRED | TC(EQ_COUNT), MEM_ACCESS | TLC(2) | TC(LT) | TH(1), 5, 4},
        /* F, G */
        {ST_RETIRED, MEM_ACCESS | TE | TC(NE_COUNT), 4, 3},
        {ST_RETIRED, MEM_ACCESS | TLC(2) | TE | TC(NE_COUNT), 4, 1},
        /* Reserved: no threshold. */
        {LD_RETIRED, MEM_ACCESS | TLC(3) | TC(EQ) | TH(2), 5, 9},
        {LD_RETIRED, MEM_ACCESS | TLC(2) | TC(EQ_COUNT) | TH(2), 5, 9},
        {LD_RETIRED, MEM_ACCESS | TLC(1) | TE | TC(EQ_COUNT), 5, 9},
        {LD_RETIRED, MEM_ACCESS | TLC(3) | TE | TC(EQ_COUNT), 5, 9},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct machine m;

        start(&m, 1);
        counter_start(&m, 2, rows[i].below, 0);
        counter_start(&m, 3, rows[i].type, 0);
        run_accesses(&m);
        expect("below", rows[i].count_below, get(&m, PMEVCNTR(2)));
        expect("linked", rows[i].count, get(&m, PMEVCNTR(3)));
    }
}
END_TEST

/*
 * A counter that does not count gives nothing to a linked one. A counter that is no longer linked
 * continues.
 */
START_TEST(unlinked)
{
    struct machine m;

    start(&m, 4);
    counter_start(&m, 0, VPMU_EVENT_CPU_CYCLES, 0);
    counter_start(&m, 1, MEM_ACCESS | TLC(1) | TC(EQ) | TH(9), 0);
    execute(&m, 0, 0, 0, 0);
    execute(&m, 0, 0, 0, 0);
    set(&m, PMEVTYPER(1), MEM_ACCESS);
    execute(&m, 0, 0, 0, 0);
    execute(&m, 0, 0, 0, 0);
    expect("four slots are a cycle", 1, get(&m, PMEVCNTR(0)));
    set(&m, PMEVTYPER(0), MEM_ACCESS);
    set(&m, PMEVTYPER(1), VPMU_EVENT_CPU_CYCLES | TLC(1) | TC(EQ) | TH(9));
    set(&m, VPMU_PMCNTENCLR, 1);
    for (unsigned i = 0; i < 8; i++) {
        execute(&m, 1, 0, 0, 0);
    }
    expect("nothing from below", 0, get(&m, PMEVCNTR(1)));
    expect("which has not counted", 1, get(&m, PMEVCNTR(0)));
}
END_TEST

START_TEST(registers)
{
    struct machine m;

    start(&m, 1);
    expect("PMMIR_EL1", 2 << 24 | 12 << 20, get(&m, VPMU_PMMIR));
    expect("PMMIR", 0, reg_get(&m, VPMU_PMMIR, &at_el1_32));
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
    struct vpmu_config config = config_units(VPMU_V3P9, 2, 1);
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
 * In contexts where the counter counts, cycles, stalls and instructions must be tallied, and each
 * instruction must be settled.
 */
START_TEST(what_the_machine_is_asked)
{
    const uint64_t pacers =
        INST_SRC | CPU_SRC | SRC(STALL_FRONTEND) | SRC(STALL_BACKEND) | VPMU_SRCS_SLOTS;
    struct machine m;

    start(&m, 1);
    counter_start(&m, 0, LD_RETIRED | TC(GE_COUNT) | TH(1) | VPMU_TYPER_P, 0);
    counter_start(&m, 1, ST_RETIRED, UINT32_MAX - 9);
    set(&m, VPMU_PMINTENSET, 3);
    expect("armed at EL0", pacers | SRC(LD_RETIRED) | SRC(ST_RETIRED), vpmu_armed(&m.v, NS_EL0));
    expect("armed at EL1", SRC(ST_RETIRED), vpmu_armed(&m.v, NS_EL1));
    expect("headroom at EL1", ALL_ONES, vpmu_headroom(&m.v, INST_SRC, NS_EL1));
    expect("headroom elsewhere", 1, vpmu_headroom(&m.v, INST_SRC, NS_EL0));
    machine_enter(&m, NS_EL0);
    expect("headroom here", 1, vpmu_headroom(&m.v, INST_SRC, NS_EL0));
    expect("of another source", ALL_ONES, vpmu_headroom(&m.v, SRC(LD_RETIRED), NS_EL0));
    expect("of another counter", 10, vpmu_headroom(&m.v, SRC(ST_RETIRED), NS_EL0));
    machine_events(&m, VPMU_SRC_INST_RETIRED, 1);
    expect("used up", 0, vpmu_headroom(&m.v, INST_SRC, NS_EL0));
    vpmu_settle(&m.v);
    expect("settled", 1, vpmu_headroom(&m.v, INST_SRC, NS_EL0));
    set(&m, VPMU_PMCNTENCLR, 1);
    expect("stopped", SRC(ST_RETIRED), vpmu_armed(&m.v, NS_EL0));
    expect("no limit", ALL_ONES, vpmu_headroom(&m.v, INST_SRC, NS_EL0));
}
END_TEST

/*
 * The interrupt is raised when the cycle ends. An odd counter with CHAIN counts, also with a
 * threshold.
 */
START_TEST(overflow)
{
    struct machine m;

    start(&m, 1);
    counter_start(&m, 0, MEM_ACCESS | TC(GE_COUNT) | TH(2), UINT32_MAX - 1);
    counter_start(&m, 1, VPMU_EVENT_CHAIN, 0);
    counter_start(&m, 2, MEM_ACCESS, UINT32_MAX);
    counter_start(&m, 3, VPMU_EVENT_CHAIN | TC(EQ_COUNT) | TH(1), 0);
    set(&m, VPMU_PMINTENSET, 1);
    execute(&m, 1, 1, 0, 0);
    execute(&m, 1, 0, 0, 0);
    expect("not yet", 0, m.irq);
    execute(&m, 1, 1, 0, 0);
    expect("line", 1, m.irq);
    expect("PMEVCNTR0", 1ull << 32, get(&m, PMEVCNTR(0)));
    expect("CHAIN", 1, get(&m, PMEVCNTR(1)));
    expect("CHAIN with a threshold", 1, get(&m, PMEVCNTR(3)));
    expect("PMOVSSET", 5, get(&m, VPMU_PMOVSSET));
}
END_TEST

/* A freeze caused by an instruction does not exclude the instruction's other events. */
START_TEST(freeze)
{
    struct machine m;

    start(&m, 1);
    counter_start(&m, 0, MEM_ACCESS | TC(GE_COUNT) | TH(1), UINT32_MAX);
    counter_start(&m, 1, VPMU_EVENT_CHAIN, 0);
    counter_start(&m, 4, VPMU_EVENT_INST_RETIRED, UINT32_MAX);
    set(&m, VPMU_PMCR, VPMU_PMCR_E | VPMU_PMCR_FZO);
    execute(&m, 1, 0, 0, 0);
    expect("both overflowed", 0x11, get(&m, VPMU_PMOVSSET));
    expect("CHAIN", 1, get(&m, PMEVCNTR(1)));
    execute(&m, 1, 0, 0, 0);
    expect("frozen", 1ull << 32, get(&m, PMEVCNTR(0)));
}
END_TEST

/* A software increment belongs to the cycle of its write, whose slot has been tallied before. */
START_TEST(software_increment)
{
    struct machine m;

    start(&m, 1);
    counter_start(&m, 0, VPMU_EVENT_SW_INCR | TC(EQ_COUNT) | TH(1), 0);
    counter_start(&m, 1, VPMU_EVENT_SW_INCR, 0);
    machine_events(&m, VPMU_SRC_INST_RETIRED, 1);
    machine_events(&m, VPMU_SRC_CPU_CYCLES, 1);
    set(&m, VPMU_PMSWINC, 7);
    expect("with a threshold", 1, get(&m, PMEVCNTR(0)));
    expect("without", 1, get(&m, PMEVCNTR(1)));
    execute(&m, 0, 0, 0, 0);
    expect("once", 1, get(&m, PMEVCNTR(0)));
}
END_TEST

/* Events of a timed source belong to the cycle in which they passed. */
START_TEST(ticks)
{
    struct machine m;

    start(&m, 1);
    counter_start(&m, 0, EVENT_CNT_CYCLES | TC(GE) | TH(3), 0);
    machine_events(&m, VPMU_SRC_CNT_CYCLES, 2);
    execute(&m, 0, 0, 0, 0);
    machine_events(&m, VPMU_SRC_CNT_CYCLES, 5);
    execute(&m, 0, 0, 0, 0);
    expect("the second", 5, get(&m, PMEVCNTR(0)));
}
END_TEST

/* A write to the counter or to its type begins a new cycle. */
START_TEST(cycle_begins)
{
    struct machine m;

    start(&m, 4);
    counter_start(&m, 0, VPMU_EVENT_INST_RETIRED | TC(EQ_COUNT) | TH(4), 0);
    execute(&m, 0, 0, 0, 0);
    set(&m, PMEVCNTR(0), 0);
    for (unsigned i = 0; i < 3; i++) {
        execute(&m, 0, 0, 0, 0);
    }
    set(&m, PMEVTYPER(0), VPMU_EVENT_INST_RETIRED | TC(GE_COUNT) | TH(4));
    for (unsigned i = 0; i < 3; i++) {
        execute(&m, 0, 0, 0, 0);
    }
    expect("none is over", 0, get(&m, PMEVCNTR(0)));
    execute(&m, 0, 0, 0, 0);
    expect("one is", 1, get(&m, PMEVCNTR(0)));
    vpmu_reset(&m.v);
    expect("reset", 0, get(&m, PMEVTYPER(0)));
}
END_TEST

static void count_elsewhere(struct machine *m)
{
    machine_enter(m, NS_EL0);
    execute(m, 0, 0, 0, 0);
    machine_enter(m, NS_EL1);
}

static void stop_and_go(struct machine *m)
{
    set(m, VPMU_PMCNTENCLR, BIT(0));
    execute(m, 0, 0, 0, 0);
    set(m, VPMU_PMCNTENSET, BIT(0));
}

static void write_another(struct machine *m)
{
    set(m, PMEVTYPER(1), VPMU_EVENT_INST_RETIRED);
}

/* A cycle that is subtracted after it was evaluated does not count twice. */
START_TEST(subtracted)
{
    static const struct {
        const char *name;
        void (*between)(struct machine *m);
        uint64_t owed; /* one, unless it is replaced in between */
    } rows[] = {
        {"nothing", NULL, 1},
        {"another counter is written", write_another, 1},
        {"another context", count_elsewhere, 0},
        {"stopped", stop_and_go, 1},
    };
    struct machine m;

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        start(&m, 1);
        counter_start(&m, 0, VPMU_EVENT_CPU_CYCLES | TC(GE_COUNT) | TH(1), 0);
        execute(&m, 0, 0, 0, 0);
        execute(&m, 0, 0, 0, 0);
        machine_take_back(&m, VPMU_SRC_INST_RETIRED, 1);
        machine_take_back(&m, VPMU_SRC_CPU_CYCLES, 1);
        vpmu_settle(&m.v);
        expect_in(rows[i].name, "two", 2, get(&m, PMEVCNTR(0)));
        if (rows[i].between) {
            rows[i].between(&m);
        }
        expect_in(rows[i].name, "still", 2, get(&m, PMEVCNTR(0)));
        execute(&m, 0, 0, 0, 0);
        expect_in(rows[i].name, "made up for", 3 - rows[i].owed, get(&m, PMEVCNTR(0)));
        execute(&m, 0, 0, 0, 0);
        expect_in(rows[i].name, "and on", 4 - rows[i].owed, get(&m, PMEVCNTR(0)));
    }
}
END_TEST

/*
 * Another machine continues from a state saved in the middle of a cycle, with a condition that was
 * true.
 */
START_TEST(saved)
{
    uint8_t state[VPMU_STATE_SIZE];
    struct machine a;
    struct machine b;

    start(&a, 4);
    start(&b, 4);
    counter_start(&a, 0, VPMU_EVENT_INST_RETIRED | TE | TC(EQ) | TH(4), 0);
    counter_start(&a, 1, STALL_SLOT | TLC(1) | TC(EQ) | TH(9), 0);
    for (unsigned i = 0; i < 6; i++) {
        execute(&a, 0, 0, 0, 0);
    }
    expect("save", 0, (uint64_t)vpmu_state_save(&a.v, state, sizeof(state)));
    expect("load", 0, (uint64_t)vpmu_state_load(&b.v, state, sizeof(state), NULL));
    execute(&b, 0, 0, 0, 0);
    expect("one edge", 1, get(&b, PMEVCNTR(0)));
    execute(&b, 0, 0, 0, 0);
    expect("the cycle was whole: no edge", 1, get(&b, PMEVCNTR(0)));
    execute(&b, 0, 0, 0, 1);
    expect("the next was not", 2, get(&b, PMEVCNTR(0)));
    expect("linked", 2, get(&b, PMEVCNTR(1)));
}
END_TEST

/*
 * Ten cycles with a load each, by vpmu_settle() and by vpmu_step(), also after five loads in
 * another context that are settled meanwhile and so belong to the first of these cycles.
 */
START_TEST(stepped)
{
    bool (*const ways[])(struct vpmu * v) = {vpmu_settle, vpmu_step};

    for (size_t way = 0; way < COUNT_OF(ways); way++) {
        for (unsigned elsewhere = 0; elsewhere <= 5; elsewhere += 5) {
            struct machine m;

            start(&m, 1);
            counter_start(&m, 0, MEM_ACCESS | TH(1) | TC(GE_COUNT), 0);
            counter_start(&m, 1, MEM_ACCESS | TH(1) | TC(GE), 0);
            m.totals.n[NS_EL0][VPMU_SRC_LD_RETIRED] += elsewhere;
            vpmu_settle(&m.v);
            for (unsigned cycle = 0; cycle < 10; cycle++) {
                m.totals.n[NS_EL1][VPMU_SRC_INST_RETIRED]++;
                m.totals.n[NS_EL1][VPMU_SRC_LD_RETIRED]++;
                m.totals.n[NS_EL1][VPMU_SRC_CPU_CYCLES]++;
                ways[way](&m.v);
            }
            expect("cycles with a load", 10, get(&m, PMEVCNTR(0)));
            expect("loads in them", 10 + elsewhere, get(&m, PMEVCNTR(1)));
        }
    }
}
END_TEST

Suite *threshold_suite(void)
{
    const TTest *const tests[] = {
        conditions,
        wide,
        stalls_without_time,
        edges,
        edges_after_a_gap,
        links,
        unlinked,
        registers,
        narrower,
        what_the_machine_is_asked,
        overflow,
        freeze,
        software_increment,
        ticks,
        cycle_begins,
        stepped,
        subtracted,
        saved,
    };

    return suite_of("threshold", tests, COUNT_OF(tests));
}
