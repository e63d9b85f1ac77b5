/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "registers/pmu.h"
#include "runtime/gic.h"
#include "runtime/mmu.h"
#include "runtime/pmu_setup.h"
#include "runtime/test.h"
#include "tests/levels/faults.h"
#include "tests/overflow/overflow.h"

/*
 * An exception while an overflow of instructions is pending. The overflow happens before the
 * exception is taken, at the instruction that causes it, during its handler, or right after it. The
 * interrupt comes once, after the instruction that overflowed or as soon as interrupts are not
 * masked. What was executed is counted.
 */
#define PAGE_BEFORE 2u
#define PAGE_TRIED 3u
/* The numbers of instructions before the one that causes the exception, and after it. */
#define BEFORE 2u
#define BEHIND 2u

struct pending_arg {
    uint64_t address;
    uint64_t *descriptor;
    uint64_t value;
    uint64_t start;
};

#define BODY(name)                                                                                 \
    uint64_t pending_##name(uint64_t arg);                                                         \
    extern const char pending_##name##_first[]
BODY(load);
BODY(store);
BODY(pair);
BODY(zero);
BODY(undefined);
BODY(breakpoint);
BODY(svc);
BODY(fp);
BODY(wfi);
BODY(system);
BODY(jump);

/* The instruction is executed after the handler, before it, or not at all. */
enum fate {
    TRIED_AGAIN,
    CALLED,
    LEFT_OUT,
};

struct pending {
    const char *name;
    level_fn body;
    const char *first;
    const struct fast_handler *handler;
    enum fate fate;
    int offset;
};

#define CASE(name, ...) #name, pending_##name, pending_##name##_first, __VA_ARGS__

static const struct pending cases[] = {
    {CASE(load, &fast_map, TRIED_AGAIN, 0)},    {CASE(store, &fast_map, TRIED_AGAIN, 0)},
    {CASE(pair, &fast_map, TRIED_AGAIN, -8)},   {CASE(zero, &fast_map, TRIED_AGAIN, 0)},
    {CASE(undefined, &fast_skip, LEFT_OUT, 0)}, {CASE(breakpoint, &fast_skip, LEFT_OUT, 0)},
    {CASE(svc, &fast_eret, CALLED, 0)},         {CASE(fp, &fast_fpen, TRIED_AGAIN, 0)},
    {CASE(wfi, &fast_skip, LEFT_OUT, 0)},       {CASE(system, &fast_skip, LEFT_OUT, 0)},
};

/* The branch is executed. Its target cannot be, and the handler continues after the branch. */
static const struct pending jump = {CASE(jump, &fast_resume, CALLED, 0)};

static unsigned interrupts;
static uint64_t elr, overflows;

static bool note_interrupt(struct frame *frame, unsigned el)
{
    unsigned intid = gic_acknowledge();

    (void)el;
    if (intid == INTID_PMU) {
        interrupts++;
        elr = frame->elr;
        overflows = read_sysreg(pmovsset_el0);
    }
    write_sysreg(pmovsclr_el0, pmu_mask());
    isb();
    if (intid < INTID_SPURIOUS) {
        gic_end(intid);
    }
    return true;
}

/* The cause: a page that is not mapped, or floating point or WFI that EL0 may not use. */
static void prepare(void)
{
    page_map(PAGE_BEFORE, PAGE_DATA);
    page_map(PAGE_TRIED, PAGE_UNMAPPED);
    write_sysreg(cpacr_el1, 0);
    write_sysreg(sctlr_el1, read_sysreg(sctlr_el1) & ~SCTLR_EL1_NTWI);
    isb();
}

/*
 * Where the interrupt returns to if the instruction number `overflowing` of those that count, from
 * 1 on, caused it. The count includes this many instructions of the handler.
 */
static uint64_t return_address(const struct pending *c, unsigned overflowing, unsigned handled)
{
    unsigned again = c->fate == TRIED_AGAIN ? BEFORE : BEFORE + 1;
    unsigned until = BEFORE + handled + (c->fate == CALLED);

    if (c == &jump && overflowing == BEFORE + 1) {
        /* Before it is known that nothing can be executed there. */
        return page_address(PAGE_TRIED);
    }
    if (overflowing > BEFORE) {
        overflowing = overflowing <= until ? again : again + overflowing - until;
    }
    return (uintptr_t)c->first + UINT64_C(4) * overflowing;
}

static void check(const struct pending *c, uint64_t filter)
{
    unsigned handled = filter ? 0 : c->handler->instructions;
    unsigned executed = BEFORE + BEHIND + (c->fate != LEFT_OUT);

    for (unsigned p = 1; p <= executed + handled; p++) {
        struct pending_arg arg = {
            .address = page_address(PAGE_TRIED) + (uint64_t)(int64_t)c->offset,
            .descriptor = page_descriptor(PAGE_TRIED),
            .value = page_descriptor_value(PAGE_TRIED, PAGE_DATA),
            .start = BIT(32) - (p + 1),
        };
        uint64_t where = (filter ? 0 : BIT(16)) | p, result;

        prepare();
        pmu_irq_watch(0);
        this_cpu()->on_irq = note_interrupt;
        interrupts = 0;
        use_fast_handler(c->handler);
        result = call_at_with_irqs(EL0, c->body, (uintptr_t)&arg);
        expect_eq(c->name, where, 1, interrupts);
        expect_eq(c->name, BIT(20) | where, BIT(0), overflows);
        expect_eq(c->name, BIT(21) | where, return_address(c, p, handled), elr);
        if (filter) {
            /* Up to the read of counter 1; the read of counter 0 is one more. */
            expect_eq(c->name, BIT(22) | where, executed + 1, result & 0xffffffffu);
            expect_eq(c->name, BIT(23) | where, executed + 2 - p, result >> 32);
        }
    }
}

static void count_with(uint64_t filter)
{
    write_sysreg(pmuserenr_el0, PMUSERENR_EN);
    pmu_count(0, EVENT_INST_RETIRED | filter);
    pmu_count(1, EVENT_INST_RETIRED | filter);
    write_sysreg(pmintenset_el1, BIT(0));
}

static void check_all(uint64_t filter)
{
    count_with(filter);
    for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        check(&cases[i], filter);
    }
    check(&jump, filter);
    write_sysreg(pmintenclr_el1, BIT(0));
}

void test_skid_exceptions_user(void)
{
    check_all(PMEVTYPER_P);
}

void test_skid_exceptions_both(void)
{
    check_all(0);
}
