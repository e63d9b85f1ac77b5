/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* Observers of an x86 PMU: names, contexts, samples and snapshots; and the view of its counters. */
#include <string.h>

#include "fixture.h"
#include "naive_x86.h"
#include "pc.h"
#include "vpmu/x86/observer.h"
#include "vpmu/x86/snapshot.h"
#include "vpmu/x86/view.h"

#define EVTSEL0 0x186
#define PMC0 0xc1
#define EN_OS_USR_INT 0x530000ull

#define TIMED (VPMU_SRC_BIT(VPMU_X86_SRC_CYCLES) | VPMU_SRC_BIT(VPMU_X86_SRC_REF_CYCLES))

#define STALLS                                                                                     \
    (VPMU_SRC_BIT(VPMU_X86_SRC_STALL_FRONTEND) | VPMU_SRC_BIT(VPMU_X86_SRC_STALL_BACKEND))

static const struct vpmu_x86_config intel =
    CONFIG(VPMU_X86_INTEL, 2, 4, 3, 48, 0, 1, VPMU_X86_SRC_ALL, TIMED, 0, VPMU_X86_SKYLAKEX);
static const struct vpmu_x86_config zen =
    CONFIG(VPMU_X86_AMD, VPMU_X86_AMD_CORE, 6, 0, 48, VPMU_X86_HAS_SVM, 1, VPMU_X86_SRC_ALL, TIMED,
           0, VPMU_X86_ZEN1);

static void observe(struct pc *s, struct vpmu_observer *o, const char *text)
{
    ck_assert_msg(vpmu_x86_observer_parse(&s->v.config, text, o, NULL) == 0,
                  "%s: expected 0 got an error", text);
    ck_assert_int_eq(pc_service(s, vpmu_x86_observer_add(&s->v, o, &s->clock)), 0);
}

/* Removes an observer. Returns its count. */
static uint64_t removed(struct pc *s, struct vpmu_observer *o)
{
    uint64_t count;

    pc_service(s, vpmu_x86_observer_remove(&s->v, o, &s->clock, &count));
    return count;
}

static void tick(struct pc *s, uint64_t n)
{
    s->clock.ticks[0] += n;
    s->clock.ticks[1] += n;
}

static void run(struct pc *s, enum vpmu_x86_ctx ctx, uint64_t instructions)
{
    pc_service(s, vpmu_x86_set_context(&s->v, ctx, &s->clock));
    s->totals.n[ctx][VPMU_X86_SRC_INST] += instructions;
}

START_TEST(names)
{
    static const struct {
        const struct vpmu_x86_config *config;
        const char *text;
        vpmu_sources sources;
    } rows[] = {
        {&intel, "cycles", VPMU_SRC_BIT(VPMU_X86_SRC_CYCLES)},
        {&intel, "cpu-cycles", VPMU_SRC_BIT(VPMU_X86_SRC_CYCLES)},
        {&intel, "ref-cycles", VPMU_SRC_BIT(VPMU_X86_SRC_REF_CYCLES)},
        {&intel, "bus-cycles", VPMU_SRC_BIT(VPMU_X86_SRC_REF_CYCLES)},
        {&intel, "instructions", VPMU_SRC_BIT(VPMU_X86_SRC_INST)},
        {&intel, "Instructions", VPMU_SRC_BIT(VPMU_X86_SRC_INST)},
        {&intel, "branches", VPMU_X86_BRANCHES},
        {&zen, "branch-instructions", VPMU_X86_BRANCHES},
        {&zen, "branch-misses", VPMU_SRC_BIT(VPMU_X86_SRC_BR_MISS)},
        {&intel, "inst_retired.any", VPMU_SRC_BIT(VPMU_X86_SRC_INST)},
        {&intel, "BR_INST_RETIRED.CONDITIONAL", VPMU_SRC_BIT(VPMU_X86_SRC_BR_COND)},
        {&intel, "rc0", VPMU_SRC_BIT(VPMU_X86_SRC_INST)},
        {&intel, "r01C4", VPMU_SRC_BIT(VPMU_X86_SRC_BR_COND)},
        {&zen, "rd1", VPMU_SRC_BIT(VPMU_X86_SRC_BR_COND)},
        {&intel, "r40004a3", STALLS},
        {&intel, "CYCLE_ACTIVITY.STALLS_TOTAL", STALLS},
        {&zen, "r03cb", VPMU_SRC_BIT(VPMU_X86_SRC_X87) | VPMU_SRC_BIT(VPMU_X86_SRC_MMX)},
        {&zen, "L1-dcache-loads", VPMU_SRC_BIT(VPMU_X86_SRC_LOAD)},
        {&zen, "L1-dcache-stores", VPMU_SRC_BIT(VPMU_X86_SRC_STORE)},
        {&zen, "L1-dcache-load-misses", VPMU_SRC_BIT(VPMU_X86_SRC_L1D_MISS_RD)},
        {&zen, "L1-icache-loads", VPMU_SRC_BIT(VPMU_X86_SRC_L1I)},
        {&zen, "L1-icache-load-misses", VPMU_SRC_BIT(VPMU_X86_SRC_L1I_MISS)},
        {&intel, "LLC-loads", VPMU_SRC_BIT(VPMU_X86_SRC_LL_LOAD)},
        {&intel, "LLC-load-misses", VPMU_SRC_BIT(VPMU_X86_SRC_LL_LOAD_MISS)},
        {&intel, "dTLB-load-misses", VPMU_SRC_BIT(VPMU_X86_SRC_DTLB_WALK_RD)},
        {&intel, "iTLB-load-misses", VPMU_SRC_BIT(VPMU_X86_SRC_ITLB_WALK)},
        {&intel, "mem-loads", VPMU_SRC_BIT(VPMU_X86_SRC_LOAD)},
        {&zen, "mem-stores", VPMU_SRC_BIT(VPMU_X86_SRC_STORE)},
        {&intel, "cache-references", VPMU_X86_LL_REFERENCES},
        {&intel, "cache-misses", VPMU_X86_LL_MISSES},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct vpmu_observer o = {0};
        int err = vpmu_x86_observer_parse(rows[i].config, rows[i].text, &o, NULL);

        expect_in(rows[i].text, "error", 0, (uint64_t)-err);
        expect_sources(rows[i].text, rows[i].sources, o.sources);
        expect_in(rows[i].text, "contexts", 0x1f, o.ctx_mask[0]);
    }
}
END_TEST

START_TEST(refused)
{
    static const char *const rows[] = {
        "",
        ":u",
        "r",
        "rxyz",
        "r100000000c0",
        "r30004a3",           /* STALLS_TOTAL has another CMASK */
        "r1000000c0",         /* a part of AMD's events */
        "rc0000000000000000", /* reserved bits; more than 64 */
        "r5100c0",
        "instruction",
        "instructionss",
        "instructions:",
        "instructions:x",
        "instructions:u:k",
        "inst_retired",
        "rd1", /* AMD's, and there is no such event of Intel's */
        "l1d_cache_refill",
        "mem_trans_retired.load_latency", /* the guest sets its threshold */
        "r1cd",
        "Retired Instructions",
    };
    struct vpmu_x86_config few = intel;
    struct vpmu_observer o;
    const char *why;

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        why = NULL;
        expect_in(rows[i], "error", VPMU_ERR_EVENT,
                  (uint64_t)-vpmu_x86_observer_parse(&intel, rows[i], &o, &why));
        ck_assert_msg(why && strlen(why) > 20, "%s: expected a reason", rows[i]);
    }
    few.sources &= ~VPMU_X86_LL_MISSES;
    expect("a machine without caches", VPMU_ERR_EVENT,
           (uint64_t)-vpmu_x86_observer_parse(&few, "cache-misses", &o, &why));
}
END_TEST

START_TEST(who_and_where)
{
    static const struct {
        const char *text;
        uint64_t want;
    } rows[] = {
        {"instructions", 11111},    {"instructions:u", 101},   {"instructions:k", 11010},
        {"instructions:h", 0},      {"instructions:G", 1100},  {"instructions:H", 10011},
        {"instructions:uG", 100},   {"instructions:kG", 1000}, {"instructions:uH", 1},
        {"instructions:kH", 10010}, {"branches", 0},
    };
    struct vpmu_observer o[COUNT_OF(rows)];
    struct pc s;

    start_pc(&s, &zen);
    run(&s, VPMU_X86_CTX_USER, 77777);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        observe(&s, &o[i], rows[i].text);
    }
    run(&s, VPMU_X86_CTX_USER, 1);
    run(&s, VPMU_X86_CTX_KERNEL, 10);
    run(&s, VPMU_X86_CTX_GUEST_USER, 100);
    run(&s, VPMU_X86_CTX_GUEST_KERNEL, 1000);
    run(&s, VPMU_X86_CTX_SMM, 10000);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        expect_in(rows[i].text, "value", rows[i].want,
                  vpmu_x86_observer_read(&s.v, &o[i], &s.clock));
        expect_in(rows[i].text, "in the end", rows[i].want, removed(&s, &o[i]));
        expect_in(rows[i].text, "once more", 0, removed(&s, &o[i]));
    }
    expect_sources("nothing is armed", 0, vpmu_x86_armed(&s.v, VPMU_X86_CTX_USER));
}
END_TEST

/* Only the sources that are counted must be tallied, and only in the contexts where they are. */
START_TEST(arming)
{
    struct vpmu_observer o;
    struct pc s;

    start_pc(&s, &intel);
    s.rearms = 0;
    observe(&s, &o, "branch-misses:u");
    expect("rearmed", 1, s.rearms);
    expect_sources("of a program", VPMU_SRC_BIT(VPMU_X86_SRC_BR_MISS),
                   vpmu_x86_armed(&s.v, VPMU_X86_CTX_USER));
    expect_sources("of the kernel", 0, vpmu_x86_armed(&s.v, VPMU_X86_CTX_KERNEL));
    expect("twice", VPMU_ERR_WATCH,
           (uint64_t)-pc_service(&s, vpmu_x86_observer_add(&s.v, &o, &s.clock)));
    pc_service(&s, vpmu_x86_reset(&s.v, &s.clock));
    expect_sources("after a reset", VPMU_SRC_BIT(VPMU_X86_SRC_BR_MISS),
                   vpmu_x86_armed(&s.v, VPMU_X86_CTX_USER));
    removed(&s, &o);
    expect_sources("after its end", 0, vpmu_x86_armed(&s.v, VPMU_X86_CTX_USER));
}
END_TEST

/* Time belongs to the context in which it passed, even if no counter counts it. */
START_TEST(timed)
{
    struct vpmu_observer user, kernel;
    struct pc s;

    start_pc(&s, &intel);
    observe(&s, &user, "cycles:u");
    observe(&s, &kernel, "cycles:k");
    tick(&s, 5);
    pc_service(&s, vpmu_x86_set_context(&s.v, VPMU_X86_CTX_USER, &s.clock));
    tick(&s, 70);
    pc_service(&s, vpmu_x86_set_context(&s.v, VPMU_X86_CTX_KERNEL, &s.clock));
    tick(&s, 600);
    expect("in the program", 70, vpmu_x86_observer_read(&s.v, &user, &s.clock));
    expect("in the kernel", 605, vpmu_x86_observer_read(&s.v, &kernel, &s.clock));
}
END_TEST

/* A period limits the headroom. The count is a number of periods and a remainder. */
START_TEST(sampling)
{
    const uint64_t insns = VPMU_SRC_BIT(VPMU_X86_SRC_INST);
    struct vpmu_observer o = {0};
    struct pc s;

    start_pc(&s, &intel);
    ck_assert_int_eq(vpmu_x86_observer_parse(&intel, "instructions:u", &o, NULL), 0);
    o.period = 1000;
    ck_assert_int_eq(pc_service(&s, vpmu_x86_observer_add(&s.v, &o, &s.clock)), 0);
    expect("room in the kernel", UINT64_MAX, vpmu_x86_headroom(&s.v, insns, VPMU_X86_CTX_KERNEL));
    run(&s, VPMU_X86_CTX_USER, 400);
    expect("room", 600, vpmu_x86_headroom(&s.v, insns, VPMU_X86_CTX_USER));
    run(&s, VPMU_X86_CTX_USER, 599);
    pc_service(&s, vpmu_x86_settle(&s.v, &s.clock));
    expect("one less", 0, s.periods);
    run(&s, VPMU_X86_CTX_USER, 1);
    s.rearms = 0;
    pc_service(&s, vpmu_x86_settle(&s.v, &s.clock));
    expect("at the period", 1, s.periods);
    expect("rearmed", 1, s.rearms);
    run(&s, VPMU_X86_CTX_USER, 2500);
    pc_service(&s, vpmu_x86_settle(&s.v, &s.clock));
    expect("two at once", 3, s.periods);
    run(&s, VPMU_X86_CTX_USER, 500);
    pc_service(&s, vpmu_x86_set_context(&s.v, VPMU_X86_CTX_KERNEL, &s.clock));
    expect("before it is elsewhere", 4, s.periods);
    expect("count", 4000, removed(&s, &o));
}
END_TEST

/*
 * A guest cannot notice an observer: a counter of time that counts in both contexts is not settled
 * when the context changes, whether or not somebody takes samples.
 */
START_TEST(unnoticed)
{
    for (unsigned observed = 0; observed < 2; observed++) {
        struct vpmu_observer o = {0};
        struct pc s;

        start_pc(&s, &intel);
        pc_access(&s, vpmu_x86_wrmsr(&s.v, 0x38f, 1, &s.clock));
        pc_access(&s, vpmu_x86_wrmsr(&s.v, PMC0, UINT32_MAX, &s.clock));
        pc_access(&s, vpmu_x86_wrmsr(&s.v, EVTSEL0, EN_OS_USR_INT | 0x3c, &s.clock));
        if (observed) {
            ck_assert_int_eq(vpmu_x86_observer_parse(&intel, "instructions", &o, NULL), 0);
            o.period = 1000;
            ck_assert_int_eq(pc_service(&s, vpmu_x86_observer_add(&s.v, &o, &s.clock)), 0);
        }
        tick(&s, 2);
        pc_service(&s, vpmu_x86_set_context(&s.v, VPMU_X86_CTX_USER, &s.clock));
        expect("PMIs before the counter is settled", 0, s.pmis);
        pc_service(&s, vpmu_x86_settle(&s.v, &s.clock));
        expect("PMIs after", 1, s.pmis);
    }
}
END_TEST

/* A snapshot does not affect observers or the guest. */
START_TEST(snapshot)
{
    struct vpmu_x86_snapshot look;
    struct vpmu_observer o;
    struct pc s;

    start_pc(&s, &zen);
    observe(&s, &o, "instructions");
    run(&s, VPMU_X86_CTX_USER, 1000);
    vpmu_x86_snapshot_take(&look, &s.v, &s.clock);
    run(&s, VPMU_X86_CTX_USER, 7);
    expect("the copy", 1000, vpmu_x86_observer_read(&look.pmu, &o, NULL));
    expect("itself", 1007, vpmu_x86_observer_read(&s.v, &o, &s.clock));
}
END_TEST

/* The counters as a user sees them. */
START_TEST(view)
{
    struct vpmu_x86_counter c;
    struct pc s;

    start_pc(&s, &intel);
    ck_assert(!vpmu_x86_view(&s.v, 0, &c));
    ck_assert(!vpmu_x86_view(&s.v, 4, &c));
    ck_assert(!vpmu_x86_view(&s.v, VPMU_X86_COUNTER_COUNT, &c));
    pc_access(&s, vpmu_x86_wrmsr(&s.v, EVTSEL0, EN_OS_USR_INT | 0xc4, &s.clock));
    pc_access(&s, vpmu_x86_wrmsr(&s.v, 0x38f, 1, &s.clock));
    pc_access(&s, vpmu_x86_wrmsr(&s.v, 0x38d, 0x30, &s.clock));
    ck_assert(vpmu_x86_view(&s.v, 0, &c));
    ck_assert_str_eq(c.event->name, "BR_INST_RETIRED.ALL_BRANCHES");
    expect("select", EN_OS_USR_INT | 0xc4, c.select);
    ck_assert(c.enabled && c.counting && c.interrupts && !c.overflowed);
    pc_access(&s, vpmu_x86_wrmsr(&s.v, PMC0, UINT32_MAX, &s.clock));
    s.totals.n[VPMU_X86_CTX_KERNEL][VPMU_X86_SRC_BR_COND] += 3;
    pc_service(&s, vpmu_x86_settle(&s.v, &s.clock));
    ck_assert(vpmu_x86_view(&s.v, 0, &c));
    expect("value", 2, c.value);
    expect("overflows", 1, c.overflows);
    ck_assert(c.overflowed);
    ck_assert(vpmu_x86_view(&s.v, VPMU_X86_FIXED + 1, &c));
    ck_assert_str_eq(c.event->name, "CPU_CLK_UNHALTED.THREAD");
    expect("field", 3, c.select);
    ck_assert(!c.enabled && !c.counting && !c.interrupts);
}
END_TEST

Suite *x86_observe_suite(void)
{
    const TTest *const tests[] = {
        names, refused, who_and_where, arming, timed, sampling, unnoticed, snapshot, view,
    };

    return suite_of("x86_observe", tests, COUNT_OF(tests));
}
