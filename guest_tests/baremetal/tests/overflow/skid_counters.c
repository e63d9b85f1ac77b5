/* SPDX-License-Identifier: GPL-2.0-or-later */

/* Overflow interrupts of more than one counter, and across levels. */
#include "registers/pmu.h"
#include "runtime/gic.h"
#include "runtime/pmu_setup.h"
#include "runtime/test.h"
#include "tests/levels/faults.h"
#include "tests/overflow/overflow.h"
#include "tests/overflow/skid.h"

/* Every interrupt, in order. */
static struct {
    uint64_t elr, overflows, x1;
} taken[8];

static unsigned taken_count;

static bool note_interrupt(struct frame *frame, unsigned el)
{
    unsigned intid = gic_acknowledge();

    (void)el;
    if (intid == INTID_PMU && taken_count < sizeof(taken) / sizeof(taken[0])) {
        taken[taken_count].elr = frame->elr;
        taken[taken_count].x1 = frame->x[1];
        taken[taken_count].overflows = read_sysreg(pmovsset_el0);
        taken_count++;
    }
    write_sysreg(pmovsclr_el0, pmu_mask());
    isb();
    if (intid < INTID_SPURIOUS) {
        gic_end(intid);
    }
    return true;
}

static void watch(void)
{
    pmu_irq_watch(0);
    this_cpu()->on_irq = note_interrupt;
    taken_count = 0;
}

/*
 * Three counters overflow at instructions a, b and c of the loop at EL0. There are as many
 * interrupts as different instructions, each in its place. All counters count the branch to the
 * loop; the first two also count the writes that follow their own.
 */
static void check_several(unsigned a, unsigned b, unsigned c)
{
    uint64_t values[3] = {BIT(32) - (a + 3), BIT(32) - (b + 2), BIT(32) - (c + 1)};
    const unsigned positions[3] = {a, b, c};
    unsigned n = 0;

    watch();
    call_at_with_irqs(EL0, skid_several, (uintptr_t)values);
    for (unsigned p = 1; p <= SKID_LENGTH * SKID_ITERATIONS; p++) {
        uint64_t overflows = 0;

        for (unsigned i = 0; i < 3; i++) {
            overflows |= positions[i] == p ? BIT(i) : 0;
        }
        if (overflows && n < taken_count) {
            expect_eq("ELR", p, skid_return_address(p), taken[n].elr);
            expect_eq("PMOVSSET", p, overflows, taken[n].overflows);
        }
        n += overflows != 0;
    }
    expect_eq("interrupts", a * 10000 + b * 100 + c, n, taken_count);
}

void test_skid_several(void)
{
    write_sysreg(pmuserenr_el0, PMUSERENR_EN);
    for (unsigned n = 0; n < 3; n++) {
        pmu_count(n, EVENT_INST_RETIRED | PMEVTYPER_P);
    }
    write_sysreg(pmintenset_el1, UINT64_C(7));
    for (unsigned p = 1; p + 9 <= SKID_LENGTH * SKID_ITERATIONS; p++) {
        check_several(p, p + 1, p + 2);
        check_several(p + 2, p + 1, p);
        check_several(p + 9, p, p + 4);
        check_several(p, p, p);
        check_several(p + 1, p, p + 1);
    }
}

static void start_svc_loop(uint64_t filter, uint64_t events)
{
    write_sysreg(pmuserenr_el0, PMUSERENR_EN);
    pmu_count(0, EVENT_INST_RETIRED | filter);
    watch();
    write_sysreg(pmintenset_el1, BIT(0));
    use_fast_handler(&fast_eret);
    call_at_with_irqs(EL0, skid_svc, BIT(32) - events);
    write_sysreg(pmintenclr_el1, BIT(0));
}

/*
 * A counter of EL0 only, with a system call in the loop. The interrupt that the SVC causes waits
 * until EL1, which masks it, has returned.
 */
void test_skid_user_only(void)
{
    for (unsigned p = 1; p <= SKID_SVC_LENGTH * SKID_ITERATIONS; p++) {
        unsigned next =
            p == SKID_SVC_LENGTH * SKID_ITERATIONS ? SKID_SVC_LENGTH : p % SKID_SVC_LENGTH;

        start_svc_loop(PMEVTYPER_P, p);
        expect_eq("interrupts", p, 1, taken_count);
        expect_eq("ELR", p, (uintptr_t)skid_svc_first + UINT64_C(4) * next, taken[0].elr);
    }
}

/*
 * A counter of EL1 only. Whichever instruction of the handler overflows it, the interrupt is taken
 * when EL0 runs again, at the instruction after that SVC.
 */
void test_skid_kernel_only(void)
{
    for (unsigned p = 1; p <= fast_eret.instructions * SKID_ITERATIONS; p++) {
        unsigned call = (p - 1) / fast_eret.instructions;

        start_svc_loop(PMEVTYPER_U, p);
        expect_eq("interrupts", p, 1, taken_count);
        expect_eq("ELR", p, (uintptr_t)skid_svc_first + 2 * 4, taken[0].elr);
        expect_eq("iteration", p, SKID_ITERATIONS - call, taken[0].x1);
    }
}

/*
 * A counter of both levels: the interrupt is taken in the loop if EL0 overflowed it, and after the
 * SVC if the handler did.
 */
void test_skid_both_levels(void)
{
    unsigned around = SKID_SVC_LENGTH + fast_eret.instructions;

    for (unsigned p = 1; p <= around * SKID_ITERATIONS; p++) {
        unsigned in = (p - 1) % around + 1;
        /* The nop is 1; the svc and the handler are 2 to 2 + its length. */
        unsigned next = in == 1 ? 1 : in <= 2 + fast_eret.instructions ? 2 : in < around ? 3 : 0;

        if (p == around * SKID_ITERATIONS) {
            next = SKID_SVC_LENGTH;
        }
        start_svc_loop(0, p);
        expect_eq("interrupts", p, 1, taken_count);
        expect_eq("ELR", p, (uintptr_t)skid_svc_first + UINT64_C(4) * next, taken[0].elr);
    }
}
