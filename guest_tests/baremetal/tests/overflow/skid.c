/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/overflow/skid.h"

#include "registers/pmu.h"
#include "runtime/pmu_setup.h"
#include "runtime/test.h"
#include "tests/overflow/overflow.h"

/*
 * Each instruction of the loop overflows the counter in turn. The interrupt comes once, at the
 * level that ran, and returns to the instruction after the one that overflowed.
 */
static void check(enum level level, enum level handler, uint64_t modulus, uint64_t interrupting)
{
    for (unsigned p = 1; p <= SKID_LENGTH * SKID_ITERATIONS; p++) {
        struct pmu_irq *irq = pmu_irq_watch(pmu_mask());

        write_sysreg(pmovsclr_el0, pmu_mask());
        write_sysreg(pmintenset_el1, interrupting);
        write_sysreg(pmcntenset_el0, UINT64_C(3));
        isb();
        call_at_with_irqs(level, skid_loop, modulus - p);
        expect_eq("interrupts", p, 1, irq->count);
        expect_eq("ELR", p, skid_return_address(p), irq->elr);
        expect_eq("level", p, handler, irq->el);
        expect_eq("PMOVSSET", p, interrupting, irq->overflows & interrupting);
        expect_eq("line", p, 0, pmu_irq_line());
    }
}

static void count_with(uint64_t pmcr)
{
    pmu_count_instructions();
    write_sysreg(pmcr_el0, PMCR_E | pmcr);
}

void test_skid_el0(void)
{
    count_with(0);
    check(EL0, EL1, BIT(32), BIT(0));
}

void test_skid_el1(void)
{
    count_with(0);
    check(EL1, EL1, BIT(32), BIT(0));
}

/* EL2 takes its own interrupts, and those of EL1 and EL0 if HCR_EL2.IMO is 1. */
void test_skid_el2(void)
{
    write_sysreg(hcr_el2, HCR_EL2_RW | HCR_EL2_IMO);
    count_with(0);
    check(EL2, EL2, BIT(32), BIT(0));
    check(EL1, EL2, BIT(32), BIT(0));
    check(EL0, EL2, BIT(32), BIT(0));
}

/* FEAT_HPMN0: all counters are in the second range, where HPME enables counting and interrupts. */
void test_skid_second_range(void)
{
    if (FIELD(read_sysreg(id_aa64dfr0_el1), 60, 4) == 0) {
        skip_test("no FEAT_HPMN0");
        return;
    }
    pmu_count_instructions();
    write_sysreg(pmcr_el0, 0);
    write_sysreg(mdcr_el2, MDCR_EL2_HPMN(0) | MDCR_EL2_HPME);
    write_sysreg(hcr_el2, HCR_EL2_RW | HCR_EL2_IMO);
    check(EL2, EL2, BIT(32), BIT(0));
    if (pmu_version() >= PMUVER_V3P5) {
        write_sysreg(mdcr_el2, MDCR_EL2_HPMN(0) | MDCR_EL2_HPME | MDCR_EL2_HLP);
        check(EL2, EL2, 0, BIT(0));
    }
}

/* PMCR.LP: the overflow is the 64-bit one; 2^64 is 0 here. */
void test_skid_long(void)
{
    count_with(PMCR_LP);
    check(EL1, EL1, 0, BIT(0));
    check(EL0, EL1, 0, BIT(0));
}

/* Counter 1 counts overflows of counter 0 and is about to overflow itself. */
void test_skid_chained(void)
{
    count_with(0);
    pmu_count(1, EVENT_CHAIN | filter_everywhere());
    for (unsigned p = 1; p <= SKID_LENGTH * SKID_ITERATIONS; p++) {
        struct pmu_irq *irq = pmu_irq_watch(pmu_mask());

        write_sysreg(pmovsclr_el0, pmu_mask());
        write_sysreg(pmintenset_el1, BIT(1));
        write_pmevcntr(1, BIT(32) - 1);
        write_sysreg(pmcntenset_el0, UINT64_C(3));
        isb();
        call_at_with_irqs(EL1, skid_loop, BIT(32) - p);
        expect_eq("interrupts", p, 1, irq->count);
        expect_eq("ELR", p, skid_return_address(p), irq->elr);
        expect_eq("PMOVSSET", p, UINT64_C(3), irq->overflows);
    }
}
