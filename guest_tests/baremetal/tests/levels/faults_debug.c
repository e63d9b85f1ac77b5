/* SPDX-License-Identifier: GPL-2.0-or-later */

/* Debug exceptions in the middle of a block. Each stops before or after one instruction. */
#include "registers/pmu.h"
#include "runtime/mmu.h"
#include "runtime/pmu_setup.h"
#include "runtime/test.h"
#include "tests/levels/faults.h"

#define RUNS 1000u
#define BLOCK_INSTRUCTIONS 8u
#define PAGE 2u

#define MDSCR_EL1_SS BIT(0)
#define MDSCR_EL1_KDE BIT(13)
#define MDSCR_EL1_MDE BIT(15)
#define SPSR_SS BIT(21)
#define SPSR_D BIT(9)

/* DBGBCR: enabled, EL0 and EL1, any state, all four bytes. */
#define DBGBCR_VALUE (BIT(0) | UINT64_C(3) << 1 | UINT64_C(0xf) << 5)
/* DBGWCR: enabled, EL0 and EL1, loads, the first byte. */
#define DBGWCR_VALUE (BIT(0) | UINT64_C(3) << 1 | UINT64_C(1) << 3 | UINT64_C(1) << 5)

/* Runs the block at EL0. The handler at EL1 removes the cause, and the block continues. */
static void check_block(struct fault_arg *arg)
{
    pmu_count(0, EVENT_INST_RETIRED | PMEVTYPER_P);
    use_fast_handler(&fast_debug);
    for (unsigned i = 0; i < RUNS; i++) {
        write_sysreg(mdscr_el1, MDSCR_EL1_MDE);
        isb();
        expect_eq("EL0 alone", i, BLOCK_INSTRUCTIONS + 1, call_at(EL0, body_block, (uintptr_t)arg));
        /* The handler has run: it wrote this value. */
        expect_eq("MDSCR", i, 0, read_sysreg(mdscr_el1));
    }
    pmu_count(0, EVENT_INST_RETIRED);
    for (unsigned i = 0; i < RUNS; i++) {
        write_sysreg(mdscr_el1, MDSCR_EL1_MDE);
        isb();
        expect_eq("EL0 and its handler", i, BLOCK_INSTRUCTIONS + 1 + fast_debug.instructions,
                  call_at(EL0, body_block, (uintptr_t)arg));
    }
}

static struct fault_arg prepare(void)
{
    struct fault_arg arg = {.address = page_address(PAGE)};

    page_map(PAGE, PAGE_DATA);
    write_sysreg(pmuserenr_el0, PMUSERENR_EN);
    write_sysreg(oslar_el1, 0);
    isb();
    return arg;
}

void test_breakpoint(void)
{
    struct fault_arg arg = prepare();

    write_sysreg(dbgbvr0_el1, (uintptr_t)body_block_middle);
    write_sysreg(dbgbcr0_el1, DBGBCR_VALUE);
    check_block(&arg);
    write_sysreg(dbgbcr0_el1, 0);
}

void test_watchpoint(void)
{
    struct fault_arg arg = prepare();

    write_sysreg(dbgwvr0_el1, arg.address);
    write_sysreg(dbgwcr0_el1, DBGWCR_VALUE);
    check_block(&arg);
    write_sysreg(dbgwcr0_el1, 0);
}

/* Every step of EL0 comes here and is allowed to continue with the next one. */
static unsigned steps;

static bool step_handler(struct frame *frame, unsigned el)
{
    (void)el;
    if (ESR_EC(frame->esr) == EC_STEP_LOWER) {
        steps++;
        frame->spsr |= SPSR_SS;
        return true;
    }
    /* The first instruction asks to be single-stepped from there on. */
    if (ESR_EC(frame->esr) == EC_SVC64) {
        write_sysreg(mdscr_el1, MDSCR_EL1_SS);
        isb();
        frame->spsr = (frame->spsr & ~SPSR_D) | SPSR_SS;
        return true;
    }
    return false;
}

static uint64_t stepped_block(uint64_t arg)
{
    __asm__ volatile("svc #1" : : : "memory");
    return body_block(arg);
}

void test_single_step(void)
{
    struct fault_arg arg = prepare();

    this_cpu()->on_sync = step_handler;
    pmu_count(0, EVENT_INST_RETIRED | PMEVTYPER_P);
    for (unsigned i = 0; i < 100; i++) {
        steps = 0;
        expect_eq("EL0 alone", i, BLOCK_INSTRUCTIONS + 1,
                  call_at(EL0, stepped_block, (uintptr_t)&arg));
        expect_range("steps", i, BLOCK_INSTRUCTIONS + 2, BLOCK_INSTRUCTIONS + 20, steps);
        write_sysreg(mdscr_el1, 0);
        isb();
    }
}
