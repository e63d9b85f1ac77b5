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

/* Used like enum vpmu_reg. */
#define PE_MDCR_EL2 VPMU_REG_COUNT
#define PE_ISB (VPMU_REG_COUNT + 1)

struct pe_write {
    unsigned reg;
    uint64_t val;
};

/* All registers that can be read at EL2, and MDCR_EL2. */
struct pe_registers {
    uint64_t reg[VPMU_REG_COUNT];
    uint64_t mdcr;
};

/* Makes a PE at Non-secure EL2 in its reset state, with HPMN as the switch expects it. */
void pe_start(unsigned counters);

/* Runs @n instructions and @n cycles in @ctx. The PE is at EL2 afterwards. */
void pe_run(unsigned ctx, uint64_t n);

/* Fails the test if a register has changed, except values and types of the counters in @but. */
struct pe_registers pe_registers(void);
void pe_expect_same(const char *what, const struct pe_registers *was, uint64_t but);

/*
 * Logs register writes from now on. Fails the test if other registers are written, or in another
 * order.
 */
void pe_log(void);
void pe_expect_log(const char *what, const struct pe_write *want, size_t count);

#endif
