/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#ifndef VPMU_TESTS_FAKE_PE_H
#define VPMU_TESTS_FAKE_PE_H

#include "fixture.h"

/*
 * The PE that vpmu/arm/sysreg.h reaches in these tests: its PMU is the library's own, accessed from
 * EL2, so registers act on one another and counters count. A test fails if an access is one that a
 * PE would not allow, if PMCR_EL0.P or C is written as 1, or if an ISB is missing: if something
 * else counted at EL2 than the order of the writes says, should one take effect late or early.
 */
extern struct machine pe;

/* In place of enum vpmu_reg. */
#define PE_MDCR_EL2 VPMU_REG_COUNT
#define PE_ISB (VPMU_REG_COUNT + 1)

struct pe_write {
    unsigned reg;
    uint64_t val;
};

/* All that can be read at EL2, and MDCR_EL2. */
struct pe_registers {
    uint64_t reg[VPMU_REG_COUNT];
    uint64_t mdcr;
};

/* A PE at Non-secure EL2, in its reset state, with HPMN as the switch expects it. */
void pe_start(unsigned counters);

/* The PE runs @n instructions and @n cycles in @ctx, and is at EL2 then. */
void pe_run(unsigned ctx, uint64_t n);

/* The test fails if a register changed. Values and types of the counters in @but may. */
struct pe_registers pe_registers(void);
void pe_expect_same(const char *what, const struct pe_registers *was, uint64_t but);

/* Registers written from now on, in this order; the test fails if others were. */
void pe_log(void);
void pe_expect_log(const char *what, const struct pe_write *want, size_t count);

#endif
