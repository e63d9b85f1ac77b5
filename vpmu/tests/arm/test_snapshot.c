/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* Snapshots are exact if the PE is stopped, never ahead of it, and never go back. */
#include <stdlib.h>
#include <string.h>

#include "vpmu/arm/snapshot.h"
#include "watched_machine.h"

#define LAST_32 0xffffffffull
#define PAST_32 0x100000000ull
#define BLOCK 100

/* What may be subtracted for a block of BLOCK instructions. */
static const uint64_t ahead[VPMU_SRC_COUNT] = {[VPMU_SRC_INST_RETIRED] = BLOCK};

static const struct vpmu_snapshot nothing;

static uint64_t counter_of(const struct vpmu_snapshot *s, unsigned idx)
{
    return s->pmu.count.counter[idx].value;
}

/*
 * If the PE is stopped, a snapshot has the values that reads would return, and the PMU is not
 * changed.
 */
START_TEST(at_rest)
{
    struct vpmu_snapshot s = nothing;
    struct machine before;
    struct machine m;

    machine_start_as(&m, VPMU_V3P4, 4, VPMU_HAS_EL2);
    counter_start(&m, 0, INST_EVERYWHERE, LAST_32 - 1);
    counter_start(&m, 1, EVERYWHERE | VPMU_EVENT_CHAIN, 5);
    counter_start(&m, 2, INST_EVERYWHERE | VPMU_TYPER_P, 7);
    counter_start(&m, VPMU_CYCLE_COUNTER, EVERYWHERE, 1000);
    pmcr_enable(&m);
    machine_instructions(&m, 4);
    machine_cycles(&m, 30);
    before = m;
    vpmu_snapshot_take(&s, &m.v, NULL);
    expect("an even counter", 2, counter_of(&s, 0));
    expect("its chain", 6, counter_of(&s, 1));
    expect("one that does not count here", 7, counter_of(&s, 2));
    expect("cycles", 1030, counter_of(&s, VPMU_CYCLE_COUNTER));
    expect("flags", BIT(0), s.pmu.regs.ovs);
    expect("overflows", 1, s.pmu.count.overflows[0]);
    expect("a total", 4, s.totals.n[NS_EL1][VPMU_SRC_INST_RETIRED] - (uint64_t)TOTALS_START);
    before.clock_calls = m.clock_calls;
    expect("the machine is as it was", 0, (uint64_t)abs(memcmp(&before, &m, sizeof(m))));
    expect("and finds the same", 2, get(&m, PMEVCNTR(0)));
    expect("and finds the same", 6, get(&m, PMEVCNTR(1)));
}
END_TEST

/* An interrupt that becomes due in the snapshot is not reported to the machine. */
START_TEST(asks_nothing)
{
    struct vpmu_snapshot s = nothing;
    struct machine m;

    machine_start_as(&m, VPMU_V3P5, 2, 0);
    counter_start(&m, 0, INST_EVERYWHERE, LAST_32);
    set(&m, VPMU_PMINTENSET, BIT(0));
    pmcr_enable(&m);
    machine_instructions(&m, 1);
    m.rearms = 0;
    vpmu_snapshot_take(&s, &m.v, NULL);
    expect("its line", true, vpmu_irq_level(&s.pmu));
    expect("interrupts", 1, s.pmu.interrupts[0]);
    expect("the machine's line", false, m.irq);
    expect("vpmu_ops.rearm", 0, m.rearms);
    vpmu_settle(&m.v);
    expect("the machine's line, when it looks", true, m.irq);
}
END_TEST

/* A block is tallied when it begins, so its tallies are not certain while the PE executes. */
START_TEST(not_ahead)
{
    static const struct {
        const char *name;
        uint64_t tallied;
        bool rests;
        uint64_t want;
    } steps[] = {
        {"the first block has begun", BLOCK, false, 0},
        {"the second has", BLOCK, false, BLOCK},
        {"most of it is taken back", (uint64_t)-90, false, BLOCK},
        {"it rests", 0, true, 110},
        {"nothing is certain beyond that", 30, false, 110},
        {"so it goes on", 80, false, 120},
    };
    struct vpmu_snapshot s = nothing;
    struct machine m;

    machine_start_as(&m, VPMU_V3P5, 2, 0);
    memset(&m.totals, 0, sizeof(m.totals));
    counter_start(&m, 0, INST_EVERYWHERE, 0);
    pmcr_enable(&m);
    for (size_t i = 0; i < COUNT_OF(steps); i++) {
        machine_instructions(&m, steps[i].tallied);
        vpmu_snapshot_take(&s, &m.v, steps[i].rests ? NULL : ahead);
        expect_in(steps[i].name, "counter", steps[i].want, counter_of(&s, 0));
        expect_in(steps[i].name, "total", steps[i].want, s.totals.n[NS_EL1][VPMU_SRC_INST_RETIRED]);
    }
}
END_TEST

/* Only tallies in the PE's context, of sources that are tallied in advance, can be ahead. */
START_TEST(certain_elsewhere)
{
    struct vpmu_snapshot s = nothing;
    struct machine m;

    machine_start_as(&m, VPMU_V3P5, 2, 0);
    machine_instructions(&m, 7);
    machine_events(&m, VPMU_SRC_EXC_SVC, 3);
    vpmu_snapshot_take(&s, &m.v, NULL);
    machine_instructions(&m, 10);
    machine_events(&m, VPMU_SRC_EXC_SVC, 1);
    machine_enter(&m, NS_EL0);
    machine_instructions(&m, 10);
    vpmu_snapshot_take(&s, &m.v, ahead);
    expect("EL1", TOTALS_START + 17, s.totals.n[NS_EL1][VPMU_SRC_INST_RETIRED]);
    expect("EL0", TOTALS_START, s.totals.n[NS_EL0][VPMU_SRC_INST_RETIRED]);
    expect("exceptions", TOTALS_START + 4, s.totals.n[NS_EL1][VPMU_SRC_EXC_SVC]);
}
END_TEST

/* Time advances until the snapshot is taken and then stands still in it. */
START_TEST(time)
{
    const struct vpmu_config config = config_watched();
    struct vpmu_snapshot snap = nothing;
    struct vpmu_observer o;
    struct watched s;

    watched_start(&s, &config, N_EL1);
    observe(&s, &o, "cycles:k", VPMU_UNGATED);
    machine_cycles(&s.m, 50);
    vpmu_snapshot_take(&snap, &s.m.v, ahead);
    expect("until now", 50, vpmu_observer_read(&snap.pmu, &o));
    machine_cycles(&s.m, 7);
    expect("still", 50, vpmu_observer_read(&snap.pmu, &o));
    go(&s, N_EL0);
    machine_cycles(&s.m, 1000);
    vpmu_snapshot_take(&snap, &s.m.v, ahead);
    expect("where it was", 57, vpmu_observer_read(&snap.pmu, &o));
}
END_TEST

/*
 * A PE executes blocks, leaves some of them early, changes context, and is read at any moment. The
 * values never go back, never exceed what was executed, and are exact when it is stopped.
 */
#define STEPS 20000

enum {
    EVERYWHERE_SEEN,
    USER_SEEN,
    COUNTED,
    VALUES
};

struct walk {
    struct watched s;
    struct vpmu_observer all;
    struct vpmu_observer user;
    struct vpmu_snapshot snap;
    uint64_t executed[VALUES];
    uint64_t shown[VALUES];
};

/* The value of each register after the PE executes @n instructions. */
static void add_executed(const struct walk *w, uint64_t n, uint64_t executed[VALUES])
{
    memcpy(executed, w->executed, sizeof(w->executed));
    executed[EVERYWHERE_SEEN] += n;
    executed[USER_SEEN] += w->s.place == N_EL0 || w->s.place == G_EL0 ? n : 0;
    executed[COUNTED] += n;
}

static void look(struct walk *w, bool rests, const uint64_t limit[VALUES])
{
    uint64_t got[VALUES];

    vpmu_snapshot_take(&w->snap, &w->s.m.v, rests ? NULL : ahead);
    got[EVERYWHERE_SEEN] = vpmu_observer_read(&w->snap.pmu, &w->all);
    got[USER_SEEN] = vpmu_observer_read(&w->snap.pmu, &w->user);
    got[COUNTED] = counter_of(&w->snap, 0);
    for (unsigned i = 0; i < VALUES; i++) {
        uint64_t least = rests ? limit[i] : w->shown[i];

        ck_assert_msg(got[i] >= least && got[i] <= limit[i],
                      "value %u: expected %llu to %llu got %llu", i, (unsigned long long)least,
                      (unsigned long long)limit[i], (unsigned long long)got[i]);
        ck_assert_msg(limit[i] - got[i] <= 2 * BLOCK, "value %u: expected about %llu got %llu", i,
                      (unsigned long long)limit[i], (unsigned long long)got[i]);
        w->shown[i] = got[i];
    }
}

static void step(struct walk *w)
{
    static const enum place places[] = {N_EL0, N_EL1, G_EL0, G_EL1, N_EL2, FIRMWARE};
    uint64_t tallied = 1 + (uint64_t)rand() % BLOCK;
    uint64_t executed = rand() % 3 ? tallied : (uint64_t)rand() % tallied;
    uint64_t limit[VALUES];

    add_executed(w, executed, limit);
    machine_instructions(&w->s.m, tallied);
    if (rand() % 2) {
        look(w, false, limit);
    }
    machine_instructions(&w->s.m, executed - tallied);
    memcpy(w->executed, limit, sizeof(limit));
    if (rand() % 8 == 0) {
        look(w, rand() % 2, limit);
    }
    if (rand() % 4 == 0) {
        go(&w->s, places[rand() % (int)COUNT_OF(places)]);
    }
    if (rand() % 16 == 0) {
        vpmu_settle(&w->s.m.v);
    }
}

START_TEST(any_moment)
{
    const struct vpmu_config config = config_watched();
    struct walk *w = calloc(1, sizeof(*w));

    srand(1);
    watched_start(&w->s, &config, N_EL1);
    machine_control(&w->s.m, config.counters, VPMU_MDCR_EL3_SPME);
    observe(&w->s, &w->all, "instructions", VPMU_UNGATED);
    observe(&w->s, &w->user, "instructions:u", VPMU_UNGATED);
    put(&w->s, PMEVTYPER(0), INST_EVERYWHERE);
    put(&w->s, VPMU_PMCNTENSET, BIT(0));
    put(&w->s, VPMU_PMCR, VPMU_PMCR_E);
    vpmu_snapshot_take(&w->snap, &w->s.m.v, NULL);
    for (unsigned i = 0; i < STEPS; i++) {
        step(w);
    }
    look(w, true, w->executed);
    free(w);
}
END_TEST

Suite *snapshot_suite(void)
{
    const TTest *const tests[] = {
        at_rest, asks_nothing, not_ahead, certain_elsewhere, time, any_moment,
    };

    return suite_of("snapshot", tests, COUNT_OF(tests));
}
