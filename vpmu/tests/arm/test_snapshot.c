/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* Snapshots are exact, and do not change the PMU. */
#include <stdlib.h>
#include <string.h>

#include "vpmu/arm/snapshot.h"
#include "watched_machine.h"

#define LAST_32 0xffffffffull
#define PAST_32 0x100000000ull
#define BLOCK 100

static uint64_t counter_of(const struct vpmu_arm_snapshot *s, unsigned idx)
{
    return s->pmu.count.counter[idx].value;
}

/*
 * If the PE is stopped, a snapshot has the values that reads would return, and the PMU is not
 * changed.
 */
START_TEST(at_rest)
{
    struct vpmu_arm_snapshot s;
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
    machine_snapshot_take(&s, &m);
    expect("an even counter", 2, counter_of(&s, 0));
    expect("its chain", 6, counter_of(&s, 1));
    expect("one that does not count here", 7, counter_of(&s, 2));
    expect("cycles", 1030, counter_of(&s, VPMU_CYCLE_COUNTER));
    expect("flags", BIT(0), s.pmu.regs.ovs);
    expect("overflows", 1, s.pmu.count.overflows[0]);
    expect("a total", 4, s.totals.n[NS_EL1][VPMU_SRC_INST_RETIRED] - (uint64_t)TOTALS_START);
    before.clock_reads = m.clock_reads;
    expect("the machine is as it was", 0, (uint64_t)abs(memcmp(&before, &m, sizeof(m))));
    expect("and finds the same", 2, get(&m, PMEVCNTR(0)));
    expect("and finds the same", 6, get(&m, PMEVCNTR(1)));
}
END_TEST

/* An interrupt that becomes due in the snapshot is not reported to the machine. */
START_TEST(asks_nothing)
{
    struct vpmu_arm_snapshot s;
    struct machine m;

    machine_start_as(&m, VPMU_V3P5, 2, 0);
    counter_start(&m, 0, INST_EVERYWHERE, LAST_32);
    set(&m, VPMU_PMINTENSET, BIT(0));
    pmcr_enable(&m);
    machine_instructions(&m, 1);
    m.rearms = 0;
    machine_snapshot_take(&s, &m);
    expect("its line", true, vpmu_arm_irq_level(&s.pmu));
    expect("interrupts", 1, s.pmu.interrupts[0]);
    expect("the machine's line", false, m.irq);
    expect("VPMU_DUE_REARM", 0, m.rearms);
    machine_settle(&m);
    expect("the machine's line, when it looks", true, m.irq);
}
END_TEST

/* Time advances until the snapshot is taken and then stands still in it. */
START_TEST(time)
{
    const struct vpmu_arm_config config = config_watched();
    struct vpmu_arm_snapshot snap;
    struct vpmu_observer o;
    struct watched s;

    watched_start(&s, &config, N_EL1);
    observe(&s, &o, "cycles:k", VPMU_UNGATED);
    machine_cycles(&s.m, 50);
    machine_snapshot_take(&snap, &s.m);
    expect("until now", 50, vpmu_arm_observer_read(&snap.pmu, &o, NULL));
    machine_cycles(&s.m, 7);
    expect("still", 50, vpmu_arm_observer_read(&snap.pmu, &o, NULL));
    go(&s, N_EL0);
    machine_cycles(&s.m, 1000);
    machine_snapshot_take(&snap, &s.m);
    expect("where it was", 57, vpmu_arm_observer_read(&snap.pmu, &o, NULL));
}
END_TEST

/*
 * A PE executes blocks, leaves some of them early, changes context, and is read between blocks. The
 * values are those of what was executed, and guests and hosts add up.
 */
#define STEPS 20000

enum {
    EVERYWHERE_SEEN,
    GUEST_SEEN,
    HOST_SEEN,
    USER_SEEN,
    OBSERVED,
    COUNTED = OBSERVED,
    VALUES
};

static const char *const observed[OBSERVED] = {
    [EVERYWHERE_SEEN] = "instructions",
    [GUEST_SEEN] = "instructions:G",
    [HOST_SEEN] = "instructions:H",
    [USER_SEEN] = "instructions:u",
};

struct walk {
    struct watched s;
    struct vpmu_observer observer[OBSERVED];
    uint64_t executed[VALUES];
};

static void look(struct walk *w)
{
    struct vpmu_arm_snapshot snap;

    machine_snapshot_take(&snap, &w->s.m);
    for (unsigned i = 0; i < OBSERVED; i++) {
        expect(observed[i], w->executed[i],
               vpmu_arm_observer_read(&snap.pmu, &w->observer[i], NULL));
    }
    expect("a counter", w->executed[COUNTED], counter_of(&snap, 0));
}

static void step(struct walk *w)
{
    static const enum place places[] = {N_EL0, N_EL1, G_EL0, G_EL1, N_EL2};
    uint64_t tallied = 1 + (uint64_t)rand() % BLOCK;
    uint64_t executed = rand() % 3 ? tallied : (uint64_t)rand() % tallied;
    bool guest = w->s.place == G_EL0 || w->s.place == G_EL1;

    machine_instructions(&w->s.m, tallied);
    machine_instructions(&w->s.m, executed - tallied);
    w->executed[EVERYWHERE_SEEN] += executed;
    w->executed[guest ? GUEST_SEEN : HOST_SEEN] += executed;
    w->executed[USER_SEEN] += w->s.place == N_EL0 || w->s.place == G_EL0 ? executed : 0;
    w->executed[COUNTED] += executed;
    if (rand() % 4 == 0) {
        look(w);
    }
    if (rand() % 4 == 0) {
        go(&w->s, places[rand() % (int)COUNT_OF(places)]);
    }
    if (rand() % 16 == 0) {
        machine_settle(&w->s.m);
    }
}

START_TEST(any_moment)
{
    const struct vpmu_arm_config config = config_watched();
    struct walk *w = calloc(1, sizeof(*w));

    srand(1);
    watched_start(&w->s, &config, N_EL1);
    machine_control(&w->s.m, config.counters, VPMU_MDCR_EL3_SPME);
    for (unsigned i = 0; i < OBSERVED; i++) {
        observe(&w->s, &w->observer[i], observed[i], VPMU_UNGATED);
    }
    put(&w->s, PMEVTYPER(0), INST_EVERYWHERE);
    put(&w->s, VPMU_PMCNTENSET, BIT(0));
    put(&w->s, VPMU_PMCR, VPMU_PMCR_E);
    for (unsigned i = 0; i < STEPS; i++) {
        step(w);
    }
    look(w);
    free(w);
}
END_TEST

Suite *snapshot_suite(void)
{
    const TTest *const tests[] = {
        at_rest,
        asks_nothing,
        time,
        any_moment,
    };

    return suite_of("snapshot", tests, COUNT_OF(tests));
}
