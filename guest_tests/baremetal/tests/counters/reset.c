/* SPDX-License-Identifier: GPL-2.0-or-later */

/*
 * The state of the PMU after a reset of the machine. The image boots twice. It records what it
 * finds, leaves the PMU in as much disorder as it can, resets the machine, and checks again.
 */
#include "registers/pmu.h"
#include "runtime/gic.h"
#include "runtime/pmu_setup.h"
#include "runtime/psci.h"
#include "runtime/smp.h"
#include "runtime/test.h"
#include "tests/counters/loops.h"

#define MAGIC UINT64_C(0x766d707572657365)
#define EVENT_BR_MIS_PRED 0x10u

struct findings {
    uint64_t pmcr, pmcntenset, pmintenset, pmovsset, pmuserenr, pmccntr, pmevcntr0;
    uint64_t mdcr_el2, mdcr_el3;
};

/* This lies where no image is loaded, so it survives the reset. */
struct kept {
    uint64_t magic;
    struct findings cold;
    uint64_t mispredicted;
};

static struct kept *const kept = (struct kept *)KEEP_BASE;
static struct findings warm, secondary;
static uint64_t mispredicted;

static void look(struct findings *f)
{
    f->pmcr = read_sysreg(pmcr_el0);
    f->pmcntenset = read_sysreg(pmcntenset_el0);
    f->pmintenset = read_sysreg(pmintenset_el1);
    f->pmovsset = read_sysreg(pmovsset_el0);
    f->pmuserenr = read_sysreg(pmuserenr_el0);
    f->pmccntr = read_sysreg(pmccntr_el0);
    f->pmevcntr0 = PMCR_N(f->pmcr) > 0 ? read_pmevcntr(0) : 0;
    f->mdcr_el2 = home >= EL2 && has_el(EL2) ? read_sysreg(mdcr_el2) : 0;
    f->mdcr_el3 = home == EL3 ? read_sysreg(mdcr_el3) : 0;
}

/* How often the branch of a loop is mispredicted, which depends on what the model has seen. */
static uint64_t count_mispredicted(void)
{
    if (pmu_counters() == 0) {
        return 0;
    }
    if (home == EL3) {
        write_sysreg(mdcr_el3, MDCR_EL3_SPME);
    }
    pmu_count(0, EVENT_BR_MIS_PRED | filter_everywhere());
    loop_countdown(100);
    write_sysreg(pmcntenclr_el0, BIT(0));
    isb();
    return read_pmevcntr(0);
}

/* All counters count and have overflowed, and the interrupt line is high. */
static void make_disorder(void)
{
    for (unsigned n = 0; n < pmu_counters(); n++) {
        write_pmevtyper(n, EVENT_INST_RETIRED | filter_everywhere());
        write_pmevcntr(n, 12345);
    }
    write_sysreg(pmccfiltr_el0, filter_everywhere());
    write_sysreg(pmuserenr_el0, 0xf);
    write_sysreg(pmovsset_el0, pmu_mask());
    write_sysreg(pmintenset_el1, pmu_mask());
    write_sysreg(pmcntenset_el0, pmu_mask());
    write_sysreg(pmcr_el0, PMCR_E | PMCR_DP | PMCR_LC | PMCR_LP | PMCR_D);
    if (home >= EL2 && has_el(EL2)) {
        write_sysreg(mdcr_el2, MDCR_EL2_HPME | MDCR_EL2_HPMD | MDCR_EL2_TPM | 1);
    }
    if (home == EL3) {
        write_sysreg(mdcr_el3, MDCR_EL3_SPME | MDCR_EL3_SCCD | MDCR_EL3_TPM);
    }
    isb();
}

void before_setup(void)
{
    if (kept->magic == MAGIC) {
        look(&warm);
        mispredicted = count_mispredicted();
        kept->magic = 0;
        return;
    }
    look(&kept->cold);
    kept->mispredicted = count_mispredicted();
    make_disorder();
    kept->magic = MAGIC;
    dsb();
    psci_system_reset();
}

/*
 * The architecture defines the reset values of PMCR.E and of the fields of MDCR. It leaves the
 * others open. This PMU guarantees zero, because existing software relies on it.
 */
static void check(const struct findings *f)
{
    expect_eq("PMCR.E", 0, 0, f->pmcr & PMCR_E);
    expect_eq("PMCNTENSET", 0, 0, f->pmcntenset);
    expect_eq("PMINTENSET", 0, 0, f->pmintenset);
    expect_eq("PMOVSSET", 0, 0, f->pmovsset);
    expect_eq("PMUSERENR", 0, 0, f->pmuserenr);
    expect_eq("PMCCNTR", 0, 0, f->pmccntr);
    expect_eq("PMEVCNTR0", 0, 0, f->pmevcntr0);
    if (home >= EL2 && has_el(EL2)) {
        expect_eq("MDCR_EL2.HPMN", 0, PMCR_N(f->pmcr), f->mdcr_el2 & 0x1f);
        expect_eq("MDCR_EL2", 0, 0,
                  f->mdcr_el2 & (MDCR_EL2_HPME | MDCR_EL2_HPMD | MDCR_EL2_TPM | MDCR_EL2_TPMCR));
    }
    expect_eq("MDCR_EL3", 0, 0, f->mdcr_el3 & (MDCR_EL3_SPME | MDCR_EL3_SCCD | MDCR_EL3_TPM));
}

static void test_cold(void)
{
    check(&kept->cold);
}

static void test_warm(void)
{
    check(&warm);
}

/* The reset also lowered the interrupt line. */
static void test_line(void)
{
    expect_eq("line", 0, 0, pmu_irq_line());
}

/* The models have forgotten what was executed before. */
static void test_models(void)
{
    expect_eq("BR_MIS_PRED", 0, kept->mispredicted, mispredicted);
}

/* A CPU that PSCI starts has been reset, too. */
static void look_at_secondary(unsigned cpu)
{
    if (cpu == 1) {
        look(&secondary);
    }
}

static void test_secondary(void)
{
    if (smp_start() < 2) {
        skip_test("one CPU");
        return;
    }
    smp_run(look_at_secondary);
    /* The runtime has set this one in the meantime. */
    secondary.mdcr_el2 &= 0x1f;
    check(&secondary);
}

/* Nothing survives CPU_OFF and CPU_ON, least of all the interrupt line. */
static bool line;

static void disorder_here(unsigned cpu)
{
    (void)cpu;
    make_disorder();
}

static void look_at_line(unsigned cpu)
{
    if (cpu == 1) {
        look(&secondary);
        line = pmu_irq_line();
    }
}

static void test_off_and_on(void)
{
    if (smp_count() < 2) {
        skip_test("one CPU");
        return;
    }
    smp_restart(disorder_here);
    smp_run(look_at_line);
    secondary.mdcr_el2 &= 0x1f;
    check(&secondary);
    expect_eq("line", 0, 0, line);
}

const struct test test_table[] = {
    TEST("reset.cold", test_cold, .counters = 0),
    TEST("reset.warm", test_warm, .counters = 0),
    TEST("reset.line", test_line, .counters = 0),
    TEST("reset.models", test_models),
    TEST("reset.secondary", test_secondary, .home = HOME_EL1 | HOME_EL2),
    TEST("reset.off-and-on", test_off_and_on, .home = HOME_EL1 | HOME_EL2),
    {0},
};
