/* SPDX-License-Identifier: GPL-2.0-or-later */

/* A CPU without a PMU: the ID registers say so, and accesses to PMU registers are UNDEFINED. */
#include "registers/pmu.h"
#include "runtime/pmu_setup.h"
#include "runtime/test.h"

#define DEFINE_READ(name)                                                                          \
    static uint64_t get_##name(uint64_t arg)                                                       \
    {                                                                                              \
        (void)arg;                                                                                 \
        return read_sysreg(name);                                                                  \
    }

DEFINE_READ(pmcr_el0)
DEFINE_READ(pmcntenset_el0)
DEFINE_READ(pmcntenclr_el0)
DEFINE_READ(pmovsset_el0)
DEFINE_READ(pmovsclr_el0)
DEFINE_READ(pmselr_el0)
DEFINE_READ(pmceid0_el0)
DEFINE_READ(pmceid1_el0)
DEFINE_READ(pmccntr_el0)
DEFINE_READ(pmccfiltr_el0)
DEFINE_READ(pmxevtyper_el0)
DEFINE_READ(pmxevcntr_el0)
DEFINE_READ(pmuserenr_el0)
DEFINE_READ(pmintenset_el1)
DEFINE_READ(pmintenclr_el1)
DEFINE_READ(PMMIR_EL1)
DEFINE_READ(PMUACR_EL1)
DEFINE_READ(PMICNTR_EL0)
DEFINE_READ(PMICFILTR_EL0)
DEFINE_READ(pmevcntr0_el0)
DEFINE_READ(pmevcntr30_el0)
DEFINE_READ(pmevtyper0_el0)
DEFINE_READ(pmevtyper30_el0)

static uint64_t set_pmswinc(uint64_t value)
{
    write_sysreg(pmswinc_el0, value);
    return 0;
}

static uint64_t set_pmzr(uint64_t value)
{
    write_sysreg(PMZR_EL0, value);
    return 0;
}

static const level_fn accesses[] = {
    get_pmcr_el0,       get_pmcntenset_el0, get_pmcntenclr_el0,  get_pmovsset_el0,
    get_pmovsclr_el0,   get_pmselr_el0,     get_pmceid0_el0,     get_pmceid1_el0,
    get_pmccntr_el0,    get_pmccfiltr_el0,  get_pmxevtyper_el0,  get_pmxevcntr_el0,
    get_pmuserenr_el0,  get_pmintenset_el1, get_pmintenclr_el1,  get_PMMIR_EL1,
    get_PMUACR_EL1,     get_PMICNTR_EL0,    get_PMICFILTR_EL0,   get_pmevcntr0_el0,
    get_pmevcntr30_el0, get_pmevtyper0_el0, get_pmevtyper30_el0, set_pmswinc,
    set_pmzr,
};

static void test_identification(void)
{
    expect_eq("PMUVer", 0, 0, pmu_version());
    if (has_aarch32(EL0)) {
        expect_eq("PerfMon", 0, 0, FIELD(read_sysreg(id_dfr0_el1), 24, 4));
    }
}

static void test_registers(void)
{
    for (unsigned i = 0; i < sizeof(accesses) / sizeof(accesses[0]); i++) {
        for (unsigned level = EL0; level <= EL1; level++) {
            struct trap trap = run_expecting_exception((enum level)level, accesses[i], 0);

            expect_eq("access", i, 1, trap.count);
            expect_eq("access", i, EL1, trap.el);
            expect_eq("access", i, EC_UNKNOWN, ESR_EC(trap.esr));
        }
    }
}

const struct test test_table[] = {
    TEST("absent.identification", test_identification, .counters = 0),
    TEST("absent.registers", test_registers, .counters = 0),
    {0},
};
