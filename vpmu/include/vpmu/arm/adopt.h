/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#ifndef VPMU_ARM_ADOPT_H
#define VPMU_ARM_ADOPT_H

#include <stddef.h>
#include <stdint.h>

#include "vpmu/arm/pmu.h"
#include "vpmu/decls.h"

VPMU_DECLS_BEGIN

/**
 * struct vpmu_register - a PMU register of another implementation, as software reads it
 * @reg: enum vpmu_reg. VPMU_PMOVSCLR and VPMU_PMOVSSET name the same register, and so do the set
 *     and clear registers of counter enables and of interrupt enables. Each holds the bits that are
 *     1.
 * @val: the register's value.
 */
struct vpmu_register {
    unsigned reg;
    uint64_t val;
};

/**
 * vpmu_arm_adopt() - continue from the registers of another implementation's PMU
 * @v: a PMU with the same version and the same number of counters. Before or after this call, the
 *     caller also calls vpmu_arm_set_controls() and vpmu_arm_set_context() for the PE's state.
 * @regs: the registers, in any order. They are not trusted. A register that is missing gets its
 *     reset value. Bits that are RES0 in this PMU are dropped.
 * @count: the number of elements of @regs.
 * @now: as for vpmu_arm_reset().
 * @why: is set to the reason if the registers are refused; may be NULL.
 *
 * A value that software may have read once must not change later. If @regs contains PMCEID0 and
 * PMCEID1, this PMU announces exactly those events from now on, also after a reset. They must
 * announce cycles, or cycles and instructions, and the stall events that the PMU's version
 * requires, which count 0. vpmu_arm_state_save() saves this. All other read-only registers must be
 * equal.
 *
 * Return: a mask of enum vpmu_due, or -VPMU_ERR_STATE with @v unchanged.
 */
int vpmu_arm_adopt(struct vpmu_arm *v, const struct vpmu_register *regs, size_t count,
                   const struct vpmu_now *now, const char **why);

VPMU_DECLS_END

#endif
