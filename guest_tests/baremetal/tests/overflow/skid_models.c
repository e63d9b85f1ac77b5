/* SPDX-License-Identifier: GPL-2.0-or-later */

/*
 * The overflow of an event that a model produces is taken just after the instruction that caused
 * the event.
 */
#include "registers/pmu.h"
#include "runtime/bootargs.h"
#include "runtime/layout.h"
#include "runtime/mmu.h"
#include "runtime/pmu_setup.h"
#include "runtime/test.h"
#include "tests/models/models.h"
#include "tests/overflow/skids.h"
#include "tests/models/steps.h"

#define NEAR 60u
#define FAR 100000u
#define LINE 64u

/* The list of runs names the predictor, by the numbers of models.c, and the width. */
static bool is_static(void)
{
    uint64_t branch = 0;

    if (bootarg("branch", &branch) && branch == 0) {
        return true;
    }
    skip_test("branches are not predicted statically");
    return false;
}

/*
 * Runs a loop in which each iteration has one event. The interrupt comes at one place, in iteration
 * k. x15 is decremented after it.
 */
static void check_loop(level_fn code, uint16_t event, uint64_t address, uint64_t stride, uint64_t k,
                       const char *next)
{
    struct model_arg arg = {
        .address = address, .iterations = k + 20, .mask = BIT(0), .stride = stride};

    skids_set(0, event | PMEVTYPER_P, k);
    expect_eq("interrupts", event << 20 | k, 1, skids_run(code, EL0, &arg));
    expect_eq("ELR", event << 20 | k, (uintptr_t)next, skids_elr(0));
    expect_eq("iteration", event << 20 | k, k, k + 20 - skids_x15(0) + 1);
}

static void check_fresh(level_fn code, uint16_t event, uint64_t stride, const char *next)
{
    skids_prepare(BIT(0));
    for (unsigned k = 1; k <= NEAR; k++) {
        check_loop(code, event, model_fresh((k + 20) * stride), stride, k, next);
    }
}

/* Lines that no cache holds. */
void test_skid_refills(void)
{
    check_fresh(model_load, 0x03, LINE, model_load_next);   /* L1D_CACHE_REFILL */
    check_fresh(model_load, 0x42, LINE, model_load_next);   /* L1D_CACHE_REFILL_RD */
    check_fresh(model_load, 0x17, LINE, model_load_next);   /* L2D_CACHE_REFILL */
    check_fresh(model_load, 0x37, LINE, model_load_next);   /* LL_CACHE_MISS_RD */
    check_fresh(model_store, 0x43, LINE, model_store_next); /* L1D_CACHE_REFILL_WR */
}

/* More than any cache holds, so it is not cached the next time either. */
void test_skid_refills_far(void)
{
    skids_prepare(BIT(0));
    for (unsigned k = FAR; k < FAR + 3; k++) {
        check_loop(model_load, 0x03, SCRATCH_BASE, LINE, k, model_load_next);
        check_loop(model_load, 0x33, SCRATCH_BASE, LINE, k, model_load_next); /* LL_CACHE_MISS */
    }
}

/* When all lines are dirty, each new line replaces one. */
void test_skid_write_backs(void)
{
    struct model_arg fill = {
        .address = SCRATCH_BASE, .iterations = 1024, .mask = BIT(0), .stride = LINE};

    skids_prepare(BIT(0));
    for (unsigned k = 1; k <= NEAR; k++) {
        skids_set(0, 0x15 | PMEVTYPER_P, BIT(20));
        call_at(EL0, model_store, (uintptr_t)&fill);
        check_loop(model_store, 0x15, model_fresh(LINE), LINE, k, model_store_next);
    }
}

/* New pages. */
void test_skid_tlb(void)
{
    uint64_t page = PAGE_SIZE, pages = model_fresh(3 * NEAR * page);

    skids_prepare(BIT(0));
    for (unsigned k = 1; k <= NEAR; k += 3) {
        /* With more than 48 pages in turns, none is ever in a TLB of 48 pages. */
        check_loop(model_load, 0x05, pages, page, k + NEAR, model_load_next);
    }
    check_loop(model_load, 0x34, model_fresh(30 * page), page, 7, model_load_next); /* DTLB_WALK */
    check_loop(model_load, 0x2f, model_fresh(30 * page), page, 8, model_load_next); /* L2D_TLB */
}

/* Each line is a branch to the next. The first line has the write that starts the counter. */
void test_skid_fetches(void)
{
    static const uint16_t events[] = {0x01, 0x14, 0x26}; /* L1I_CACHE_REFILL, L1I_CACHE, L1I_TLB */
    struct model_arg arg = {.mask = BIT(0)};

    skids_prepare(BIT(0));
    for (unsigned i = 0; i < 3; i++) {
        for (unsigned k = 1; k <= CHAIN_LONG; k += k < NEAR ? 1 : 37) {
            /*
             * All of the code, which is twice the cache, so the cache does not hold the beginning.
             */
            skids_set(0, events[i] | PMEVTYPER_P, BIT(20));
            call_at(EL0, model_chain_long, (uintptr_t)&arg);
            skids_set(0, events[i] | PMEVTYPER_P, k);
            expect_eq("interrupts", events[i] << 20 | k, 1, skids_run(model_chain_long, EL0, &arg));
            expect_eq("ELR", events[i] << 20 | k, (uintptr_t)model_chain_long + k * LINE,
                      skids_elr(0));
        }
    }
}

/* A forward branch that is taken is always mispredicted. */
void test_skid_branches(void)
{
    if (!is_static()) {
        return;
    }
    skids_prepare(BIT(0));
    for (unsigned k = 1; k <= NEAR; k++) {
        check_loop(model_forward, 0x10, 0, 0, k, model_forward_next);
        check_loop(model_forward, 0x22, 0, 0, k, model_forward_next);
    }
    check_loop(model_forward, 0x10, 0, 0, FAR, model_forward_next);
}

/**
 * struct cycle_event - how an event follows from instructions and their stalls
 * @per_insn: the amount for an instruction, and @per_stall for each cycle that it stalls.
 * @unit: the amount that is one event.
 */
struct cycle_event {
    uint16_t number;
    unsigned per_insn, per_stall, unit;
};

static unsigned weight(const struct step *step, const struct cycle_event *event)
{
    return event->per_insn + (step->counts[CYCLES] - 1u) * event->per_stall;
}

/* The address after the instruction that causes the k-th event. */
static uint64_t find_cycle(const struct cycle_event *event, uint64_t k)
{
    const struct step *steps = steps_cycles.steps;
    uint64_t total = 0, each = 0, wanted = k * event->unit;

    for (unsigned n = 0; steps[n].counts[INST]; n++) {
        each += weight(&steps[n], event);
    }
    total = (wanted - 1) / each * each;
    for (unsigned n = 0;; n++) {
        total += weight(&steps[n], event);
        if (total >= wanted) {
            return steps[steps[n + 1].counts[INST] ? n + 1 : 0].address;
        }
    }
}

static void check_cycle(const struct cycle_event *event, uint64_t k, uint64_t iterations)
{
    struct event_arg arg = {.iterations = iterations, .mask = BIT(0)};

    skids_set(0, event->number | PMEVTYPER_P, k);
    expect_eq("interrupts", event->number << 20 | k, 1, skids_run(steps_cycles.code, EL0, &arg));
    expect_eq("ELR", event->number << 20 | k, find_cycle(event, k), skids_elr(0));
}

/* Tests each event, starting with one of the next 120. */
static void check_cycles(uint64_t first, uint64_t step, uint64_t iterations)
{
    uint64_t width = 1;
    struct event_arg warm = {.iterations = 1, .mask = BIT(0)};

    if (!bootarg("width", &width)) {
        skip_test("cycles are those of a clock");
        return;
    }
    if (is_static()) {
        const struct cycle_event events[] = {
            {0x11, 1, (unsigned)width, (unsigned)width}, /* CPU_CYCLES */
            {0x1d, 1, (unsigned)width, (unsigned)width}, /* BUS_CYCLES */
            {0x24, 0, 1, 1},                             /* STALL_BACKEND */
            {0x3c, 0, 1, 1},                             /* STALL */
            {0x3f, 0, (unsigned)width, 1},               /* STALL_SLOT */
        };

        skids_prepare(BIT(0));
        for (unsigned i = 0; i < sizeof(events) / sizeof(events[0]); i++) {
            /* After this the instruction cache has the code. */
            skids_set(0, events[i].number | PMEVTYPER_P, BIT(20));
            call_at(EL0, steps_cycles.code, (uintptr_t)&warm);
            for (uint64_t k = first; k < first + 120; k += step) {
                check_cycle(&events[i], k, iterations);
            }
        }
    }
}

/* There are 54 stalls in an iteration. */
void test_skid_cycles(void)
{
    check_cycles(1, 1, 10);
}

void test_skid_cycles_far(void)
{
    check_cycles(FAR, 11, FAR / 50 + 10);
}
