/* SPDX-License-Identifier: GPL-2.0-or-later */

/*
 * Cycles. Those of a modelled pipeline (pmu-cycles=model) are exact. Those of the machine's clock
 * agree with each other and with the timers. If there is a model, the list of runs gives its slots
 * in a cycle as width=. Penalties are QEMU's defaults except where the list says otherwise.
 */
#include "registers/pmu.h"
#include "runtime/bootargs.h"
#include "runtime/gic.h"
#include "runtime/layout.h"
#include "runtime/pmu_setup.h"
#include "runtime/smp.h"
#include "runtime/test.h"
#include "tests/events/events.h"
#include "tests/models/models.h"
#include "tests/models/steps.h"

#define CPU_CYCLES 0x11
#define BUS_CYCLES 0x1d
#define STALL_FRONTEND 0x23
#define STALL_BACKEND 0x24
#define STALL 0x3c
#define STALL_SLOT 0x3f
#define STALL_SLOT_BACKEND 0x3d
#define STALL_SLOT_FRONTEND 0x3e
#define INST_RETIRED 0x08
#define CNT_CYCLES UINT64_C(0x4004)

static const uint16_t counted[] = {CPU_CYCLES, BUS_CYCLES, STALL_FRONTEND, STALL_BACKEND, STALL, 0};

static uint64_t from_runs(const char *name, uint64_t otherwise)
{
    uint64_t value;

    return bootarg(name, &value) ? value : otherwise;
}

static bool has_model(void)
{
    uint64_t width;

    if (!bootarg("width", &width)) {
        skip_test("cycles are those of a clock");
        return false;
    }
    enable_features();
    model_count(counted);
    write_sysreg(pmccfiltr_el0, PMEVTYPER_P);
    return true;
}

/* Counters start at 0. */
static void forget(void)
{
    for (unsigned n = 0; counted[n]; n++) {
        model_take(counted[n]);
    }
}

/* The values that counters have after a number of instructions and stalls. */
static void expect_cycles(const char *where, uint64_t insns, uint64_t frontend, uint64_t backend)
{
    uint64_t width = from_runs("width", 1);
    uint64_t cycles = (insns + (frontend + backend) * width) / width;

    expect_eq(where, CPU_CYCLES, cycles, model_take(CPU_CYCLES));
    expect_eq(where, BUS_CYCLES, cycles, model_take(BUS_CYCLES));
    expect_eq(where, STALL_FRONTEND, frontend, model_take(STALL_FRONTEND));
    expect_eq(where, STALL_BACKEND, backend, model_take(STALL_BACKEND));
    expect_eq(where, STALL, frontend + backend, model_take(STALL));
}

/*
 * steps_cycles: 13 instructions, which stall for 2 + 12 + 3 + 15 + 8 + 4 + 10 = 54 cycles. At the
 * end the branch is not taken, which costs its penalty. The write that stops follows.
 */
#define LOOP_INSNS 13u
#define LOOP_STALLS 54u

static void test_loop(void)
{
    uint64_t penalty = from_runs("branch_penalty", 11);

    if (!has_model()) {
        return;
    }
    model_run(steps_cycles.code, 0, 1, 0);
    for (unsigned n = 1; n <= 1000; n = n * 3 + 1) {
        forget();
        model_run(steps_cycles.code, 0, n, 0);
        expect_cycles("loop", n * LOOP_INSNS + 1, penalty, n * LOOP_STALLS);
    }
}

/* The rest of a cycle is not lost: 1000 runs, none of which is a whole number of cycles. */
static void test_remainder(void)
{
    uint64_t width = from_runs("width", 1), penalty = from_runs("branch_penalty", 11);
    uint64_t slots = 1000 * (LOOP_INSNS + 1 + (penalty + LOOP_STALLS) * width);

    if (!has_model()) {
        return;
    }
    model_run(steps_cycles.code, 0, 1, 0);
    model_take(CPU_CYCLES);
    for (unsigned n = 0; n < 1000; n++) {
        model_run(steps_cycles.code, 0, 1, 0);
    }
    expect_eq("CPU_CYCLES", 0, slots / width, model_take(CPU_CYCLES));
}

/* The cycle counter counts the same cycles, and STALL_SLOT counts all slots of the stalls. */
static void test_counter(void)
{
    static const uint16_t events[] = {CPU_CYCLES, STALL_SLOT, STALL, 0};
    uint64_t width = from_runs("width", 1);
    struct event_arg arg = {.iterations = 100, .mask = UINT64_C(7) | BIT(CYCLE_COUNTER)};

    if (!has_model()) {
        return;
    }
    model_count(events);
    write_sysreg(pmccntr_el0, 0);
    call_at(EL0, steps_cycles.code, (uintptr_t)&arg);
    expect_eq("PMCCNTR", 0, model_take(CPU_CYCLES), read_sysreg(pmccntr_el0));
    if (event_exists(STALL_SLOT)) {
        expect_eq("STALL_SLOT", 0, model_take(STALL) * width, model_take(STALL_SLOT));
        expect_eq("PMMIR.SLOTS", 0, width, read_sysreg(PMMIR_EL1) & 0xff);
    }
}

/* One load and its cost. There are 5 instructions: ldr, add, subs, b.ne, msr. */
static void expect_load(const char *where, uint64_t address, uint64_t backend)
{
    uint64_t penalty = from_runs("branch_penalty", 11);

    forget();
    model_run(model_load, address, 1, 0);
    expect_cycles(where, 5, penalty, backend);
}

/*
 * Caches and TLBs are as in models.c: 64 KB are twice the L1 cache and 16 pages of its 48. 1 MB is
 * twice the L2 cache and 256 pages of the L2 TLB's 1024.
 */
static void test_memory(void)
{
    uint64_t l2 = from_runs("l2", 8), llc = from_runs("llc", 30), memory = from_runs("memory", 150);
    uint64_t tlb2 = from_runs("tlb2", 5), walk = from_runs("walk", 40), address;

    if (!has_model()) {
        return;
    }
    model_flush();
    address = model_fresh(1 << 20);
    expect_load("memory", address, memory + walk);
    expect_load("L1", address, 0);
    expect_load("memory, no walk", address + 64, memory);
    expect_load("two lines", address + 64 + 124, memory * 2);
    model_run(model_load, address, 1024, 64);
    expect_load("L2", address, l2);
    model_run(model_load, address, 16384, 64);
    expect_load("last level, L2 TLB", address, llc + tlb2);
}

/*
 * 100 branches that are always mispredicted, and the end. Each has 4 instructions, of which 1 is
 * skipped.
 */
static void test_branches(void)
{
    uint64_t penalty = from_runs("branch_penalty", 11);

    if (!has_model()) {
        return;
    }
    model_run(model_forward, 0, 1, 0);
    forget();
    model_run(model_forward, 0, 100, 0);
    expect_cycles("branches", 300 + 1, 101 * penalty, 0);
}

/* The code of 1026 lines is in L2. There are as many branches, and the write that stops. */
static void test_fetches(void)
{
    if (!has_model()) {
        return;
    }
    for (unsigned i = 0; i < 2; i++) {
        model_run(model_chain_long, 0, 0, 0);
    }
    forget();
    model_run(model_chain_long, 0, 0, 0);
    expect_cycles("fetches", CHAIN_LONG + 1 + 1, (CHAIN_LONG + 2) * from_runs("l2", 8), 0);
}

static uint64_t sleep_a_while(uint64_t ticks)
{
    uint64_t before = read_sysreg(pmevcntr0_el0);

    write_sysreg(cntv_tval_el0, ticks);
    write_sysreg(cntv_ctl_el0, 1);
    isb();
    __asm__ volatile("wfi");
    before = read_sysreg(pmevcntr0_el0) - before;
    write_sysreg(cntv_ctl_el0, 0);
    return before;
}

/* A sleeping CPU executes nothing: 20 ms of sleep are 6 instructions and their stalls. */
static void test_wfi(void)
{
    if (!has_model()) {
        return;
    }
    gic_enable(INTID_VIRTUAL_TIMER);
    pmu_count(0, CPU_CYCLES | filter_everywhere());
    expect_range("cycles", 0, 5, 5000, call_at(EL1, sleep_a_while, read_sysreg(cntfrq_el0) / 50));
    gic_disable(INTID_VIRTUAL_TIMER);
}

/* A mix of everything from a known state gives the same result on every CPU and every run. */
static uint64_t sums[MAX_CPUS][3];

static void count_mix(unsigned cpu)
{
    levels_reset();
    pmu_reset();
    has_model();
    for (unsigned i = 0; i < 3; i++) {
        struct model_arg far = {SCRATCH_BASE + 0x800000, 3000, 1, 200, NULL};

        model_flush();
        call_at(EL0, model_load, (uintptr_t)&far);
        call_at(EL0, model_store, (uintptr_t)&far);
        call_at(EL0, model_forward, (uintptr_t)&far);
        call_at(EL0, model_chain_short, (uintptr_t)&far);
        sums[cpu][i] = read_pmevcntr(0);
    }
}

static void test_same(void)
{
    if (!has_model()) {
        return;
    }
    if (smp_count() == 1) {
        smp_start();
    }
    smp_run(count_mix);
    for (unsigned cpu = 0; cpu < smp_count(); cpu++) {
        /* The first time, the code is not in the caches yet. */
        expect_eq("first", cpu, sums[0][0], sums[cpu][0]);
        expect_eq("later", cpu, sums[0][1], sums[cpu][1]);
        expect_eq("again", cpu, sums[0][1], sums[cpu][2]);
    }
}

/* One write starts the counters and one stops them, so they all counted the same cycles. */
static void test_bus_cycles(void)
{
    for (unsigned i = 0; i < 100; i++) {
        pmu_reset();
        write_pmevtyper(0, CPU_CYCLES | filter_everywhere());
        write_pmevtyper(1, BUS_CYCLES | filter_everywhere());
        write_sysreg(pmccfiltr_el0, filter_everywhere());
        write_sysreg(pmcr_el0, PMCR_E);
        write_sysreg(pmcntenset_el0, UINT64_C(3) | BIT(CYCLE_COUNTER));
        for (unsigned n = 0; n < 10 * i; n++) {
            isb();
        }
        write_sysreg(pmcntenclr_el0, UINT64_C(3) | BIT(CYCLE_COUNTER));
        expect_eq("BUS_CYCLES", i, read_pmevcntr(0), read_pmevcntr(1));
        expect_eq("PMCCNTR", i, read_sysreg(pmccntr_el0), read_pmevcntr(0));
    }
}

static bool has_cnt_cycles(void)
{
    if (!event_exists(CNT_CYCLES)) {
        skip_test("no CNT_CYCLES");
        return false;
    }
    return true;
}

/* Between two readings of the timer, and around two other ones. */
static void test_cnt_cycles(void)
{
    if (!has_cnt_cycles()) {
        return;
    }
    pmu_count(0, CNT_CYCLES | filter_everywhere());
    for (unsigned i = 0; i < 100; i++) {
        uint64_t t0 = read_sysreg(cntvct_el0), c0 = read_sysreg(pmevcntr0_el0);
        uint64_t t1 = read_sysreg(cntvct_el0), t2, c1, t3;

        for (unsigned n = 0; n < 1000; n++) {
            isb();
        }
        t2 = read_sysreg(cntvct_el0);
        c1 = read_sysreg(pmevcntr0_el0);
        t3 = read_sysreg(cntvct_el0);
        expect_range("ticks", i, t2 - t1, t3 - t0, c1 - c0);
    }
}

/* The overflow is in time, also while the CPU sleeps. */
static void test_cnt_cycles_overflow(void)
{
    uint64_t ticks = read_sysreg(cntfrq_el0) / 100, start;
    struct pmu_irq *irq;

    if (!has_cnt_cycles()) {
        return;
    }
    irq = pmu_irq_watch(pmu_mask());
    write_sysreg(pmintenset_el1, BIT(0));
    pmu_count(0, CNT_CYCLES | filter_everywhere());
    start = read_sysreg(cntvct_el0);
    write_pmevcntr(0, BIT(32) - ticks);
    while (!pmu_irq_line() && read_sysreg(cntvct_el0) - start < 50 * ticks) {
        __asm__ volatile("wfi");
    }
    expect_range("ticks", 0, ticks, 50 * ticks, read_sysreg(cntvct_el0) - start);
    irq_enable();
    isb();
    irq_disable();
    expect_eq("interrupts", 0, 1, irq->count);
}

#define CYCLE_TEST(name, run) TEST(name, run, .home = HOME_EL1 | HOME_EL2, .counters = 6)

/*
 * Slots are conserved: each is an instruction's, or lost by one end of the pipeline. The loop
 * stalls in the backend, and mispredictions in the frontend.
 */
static void test_slots(void)
{
    static const uint16_t events[] = {CPU_CYCLES,         STALL_SLOT,   STALL_SLOT_FRONTEND,
                                      STALL_SLOT_BACKEND, INST_RETIRED, 0};
    uint64_t width = from_runs("width", 1), penalty = from_runs("branch_penalty", 11);
    uint64_t insns = 100 * LOOP_INSNS + 1, stalls = 100 * LOOP_STALLS;

    if (!has_model() || !event_exists(STALL_SLOT)) {
        return;
    }
    model_run(steps_cycles.code, 0, 1, 0);
    model_count(events);
    model_run(steps_cycles.code, 0, 100, 0);
    expect_eq("all", 0, (penalty + stalls) * width, model_take(STALL_SLOT));
    expect_eq("frontend", 0, penalty * width, model_take(STALL_SLOT_FRONTEND));
    expect_eq("backend", 0, stalls * width, model_take(STALL_SLOT_BACKEND));
    expect_eq("instructions", 0, insns, model_take(INST_RETIRED));
    expect_eq("cycles", 0, insns / width + penalty + stalls, model_take(CPU_CYCLES));
}

const struct test test_table[] = {
    CYCLE_TEST("cycles.loop", test_loop),
    CYCLE_TEST("cycles.remainder", test_remainder),
    CYCLE_TEST("cycles.counter", test_counter),
    CYCLE_TEST("cycles.slots", test_slots),
    CYCLE_TEST("cycles.memory", test_memory),
    CYCLE_TEST("cycles.branches", test_branches),
    CYCLE_TEST("cycles.fetches", test_fetches),
    CYCLE_TEST("cycles.wfi", test_wfi),
    CYCLE_TEST("cycles.same", test_same),
    CYCLE_TEST("cycles.bus-cycles", test_bus_cycles),
    CYCLE_TEST("cycles.cnt-cycles", test_cnt_cycles),
    TEST("cycles.cnt-cycles-overflow", test_cnt_cycles_overflow, .home = HOME_EL1, .counters = 1),
    {0},
};
