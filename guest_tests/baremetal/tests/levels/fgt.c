/* SPDX-License-Identifier: GPL-2.0-or-later */

/* FEAT_FGT: EL2 may trap each PMU register separately (HDFGRTR_EL2 and HDFGWTR_EL2). */
#include "registers/pmu.h"
#include "runtime/pmu_setup.h"
#include "runtime/test.h"

#define HDFGRTR_EL2 S3_4_C3_C1_4
#define HDFGWTR_EL2 S3_4_C3_C1_5

/* The bits of both registers for which there is something to trap. */
#define PMEVCNTRN BIT(12)
#define PMEVTYPERN BIT(13)
#define PMCCFILTR BIT(14)
#define PMCCNTR BIT(15)
#define PMCNTEN BIT(16)
#define PMINTEN BIT(17)
#define PMOVS BIT(18)
#define PMSELR BIT(19)
#define PMSWINC BIT(20)
#define PMCR BIT(21)
#define PMMIR BIT(22)
#define PMUSERENR BIT(57)
#define PMCEIDN BIT(58)

static const uint64_t all_bits[] = {
    PMEVCNTRN, PMEVTYPERN, PMCCFILTR, PMCCNTR, PMCNTEN, PMINTEN,   PMOVS,
    PMSELR,    PMSWINC,    PMCR,      PMMIR,   PMCEIDN, PMUSERENR,
};

#define DEFINE_READ(name)                                                                          \
    static uint64_t get_##name(uint64_t arg)                                                       \
    {                                                                                              \
        (void)arg;                                                                                 \
        return read_sysreg(name);                                                                  \
    }
#define DEFINE_WRITE(name)                                                                         \
    static uint64_t set_##name(uint64_t value)                                                     \
    {                                                                                              \
        write_sysreg(name, value);                                                                 \
        return 0;                                                                                  \
    }
#define DEFINE_BOTH(name) DEFINE_READ(name) DEFINE_WRITE(name)

/* clang-format off */
DEFINE_BOTH(pmevcntr0_el0)
DEFINE_BOTH(pmxevcntr_el0)
DEFINE_BOTH(pmevtyper0_el0)
DEFINE_BOTH(pmxevtyper_el0)
DEFINE_BOTH(pmccfiltr_el0)
DEFINE_BOTH(pmccntr_el0)
DEFINE_BOTH(pmcntenset_el0)
DEFINE_BOTH(pmcntenclr_el0)
DEFINE_BOTH(pmintenset_el1)
DEFINE_BOTH(pmintenclr_el1)
DEFINE_BOTH(pmovsset_el0)
DEFINE_BOTH(pmovsclr_el0)
DEFINE_BOTH(pmselr_el0)
DEFINE_WRITE(pmswinc_el0)
DEFINE_BOTH(pmcr_el0)
DEFINE_READ(PMMIR_EL1)
DEFINE_BOTH(pmuserenr_el0)
DEFINE_READ(pmceid0_el0)
DEFINE_READ(pmceid1_el0)
/* clang-format on */

static const struct {
    const char *name;
    level_fn read, write;
    uint64_t read_bit, write_bit;
    /* EL0 may read and write, with PMUSERENR.EN. */
    bool read_at_el0, write_at_el0;
} regs[] = {
    {"PMEVCNTR0", get_pmevcntr0_el0, set_pmevcntr0_el0, PMEVCNTRN, PMEVCNTRN, true, true},
    {"PMXEVCNTR", get_pmxevcntr_el0, set_pmxevcntr_el0, PMEVCNTRN, PMEVCNTRN, true, true},
    {"PMEVTYPER0", get_pmevtyper0_el0, set_pmevtyper0_el0, PMEVTYPERN, PMEVTYPERN, true, true},
    {"PMXEVTYPER", get_pmxevtyper_el0, set_pmxevtyper_el0, PMEVTYPERN, PMEVTYPERN, true, true},
    {"PMCCFILTR", get_pmccfiltr_el0, set_pmccfiltr_el0, PMCCFILTR, PMCCFILTR, true, true},
    {"PMCCNTR", get_pmccntr_el0, set_pmccntr_el0, PMCCNTR, PMCCNTR, true, true},
    {"PMCNTENSET", get_pmcntenset_el0, set_pmcntenset_el0, PMCNTEN, PMCNTEN, true, true},
    {"PMCNTENCLR", get_pmcntenclr_el0, set_pmcntenclr_el0, PMCNTEN, PMCNTEN, true, true},
    {"PMINTENSET", get_pmintenset_el1, set_pmintenset_el1, PMINTEN, PMINTEN, false, false},
    {"PMINTENCLR", get_pmintenclr_el1, set_pmintenclr_el1, PMINTEN, PMINTEN, false, false},
    {"PMOVSSET", get_pmovsset_el0, set_pmovsset_el0, PMOVS, PMOVS, true, true},
    {"PMOVSCLR", get_pmovsclr_el0, set_pmovsclr_el0, PMOVS, PMOVS, true, true},
    {"PMSELR", get_pmselr_el0, set_pmselr_el0, PMSELR, PMSELR, true, true},
    {"PMSWINC", NULL, set_pmswinc_el0, 0, PMSWINC, false, true},
    {"PMCR", get_pmcr_el0, set_pmcr_el0, 0, PMCR, true, true},
    {"PMMIR", get_PMMIR_EL1, NULL, PMMIR, 0, false, false},
    {"PMCEID0", get_pmceid0_el0, NULL, PMCEIDN, 0, true, false},
    {"PMCEID1", get_pmceid1_el0, NULL, PMCEIDN, 0, true, false},
    {"PMUSERENR", get_pmuserenr_el0, set_pmuserenr_el0, PMUSERENR, PMUSERENR, true, false},
};

#define REGS (sizeof(regs) / sizeof(regs[0]))
#define BITS (sizeof(all_bits) / sizeof(all_bits[0]))

static void expect_access(const char *name, enum level level, level_fn fn, uint64_t bit,
                          bool trapped)
{
    struct trap trap;

    /* The writes of 0 may have changed it. */
    write_sysreg(pmuserenr_el0, PMUSERENR_EN);
    trap = run_expecting_exception(level, fn, 0);
    expect_eq(name, bit, trapped, trap.count);
    if (trapped) {
        expect_eq(name, bit, EL2, trap.el);
        expect_eq(name, bit, EC_SYSREG, ESR_EC(trap.esr));
    }
}

static bool has_fgt(void)
{
    if (FIELD(read_sysreg(id_aa64mmfr0_el1), 56, 4) == 0) {
        skip_test("no FEAT_FGT");
        return false;
    }
    return true;
}

/* Each bit traps its own registers and no others. */
static void test_reads(void)
{
    for (unsigned b = 0; has_fgt() && b < BITS; b++) {
        write_sysreg(HDFGRTR_EL2, all_bits[b]);
        isb();
        for (unsigned i = 0; i < REGS; i++) {
            bool trapped = regs[i].read_bit == all_bits[b];

            if (regs[i].read) {
                expect_access(regs[i].name, EL1, regs[i].read, all_bits[b], trapped);
            }
            if (regs[i].read_at_el0) {
                expect_access(regs[i].name, EL0, regs[i].read, all_bits[b], trapped);
            }
        }
        write_sysreg(HDFGRTR_EL2, 0);
    }
}

static void test_writes(void)
{
    for (unsigned b = 0; has_fgt() && b < BITS; b++) {
        write_sysreg(HDFGWTR_EL2, all_bits[b]);
        isb();
        for (unsigned i = 0; i < REGS; i++) {
            bool trapped = regs[i].write_bit == all_bits[b];

            if (regs[i].write) {
                expect_access(regs[i].name, EL1, regs[i].write, all_bits[b], trapped);
            }
            if (regs[i].write_at_el0) {
                expect_access(regs[i].name, EL0, regs[i].write, all_bits[b], trapped);
            }
        }
        write_sysreg(HDFGWTR_EL2, 0);
    }
}

/* EL2 itself is not trapped. */
static void test_el2(void)
{
    if (!has_fgt()) {
        return;
    }
    write_sysreg(HDFGRTR_EL2, ~UINT64_C(0));
    write_sysreg(HDFGWTR_EL2, ~UINT64_C(0));
    isb();
    for (unsigned i = 0; i < REGS; i++) {
        if (regs[i].read) {
            expect_access(regs[i].name, EL2, regs[i].read, 0, false);
        }
        if (regs[i].write) {
            expect_access(regs[i].name, EL2, regs[i].write, 0, false);
        }
    }
    write_sysreg(HDFGRTR_EL2, 0);
    write_sysreg(HDFGWTR_EL2, 0);
}

const struct test test_table[] = {
    TEST("fgt.reads", test_reads, .home = HOME_EL2, .counters = 1, .version = PMUVER_V3P4),
    TEST("fgt.writes", test_writes, .home = HOME_EL2, .counters = 1, .version = PMUVER_V3P4),
    TEST("fgt.el2", test_el2, .home = HOME_EL2, .counters = 1, .version = PMUVER_V3P4),
    {0},
};
