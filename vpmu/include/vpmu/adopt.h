/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#ifndef VPMU_ADOPT_H
#define VPMU_ADOPT_H

#include <stddef.h>
#include <stdint.h>

#include "vpmu/pmu.h"

/**
 * struct vpmu_register - a register of another implementation's PMU, as software saw it
 * @reg: enum vpmu_reg. PMOVSCLR and PMOVSSET are one, so are the set and clear registers of enables
 *     and interrupts: either has the bits that are 1.
 * @val: its value.
 */
struct vpmu_register {
    unsigned reg;
    uint64_t val;
};

/**
 * vpmu_adopt() - go on where another implementation's PMU was saved
 * @v: a PMU of the same version and number of counters. vpmu_set_controls() and vpmu_set_context()
 *     must be called for the state of the PE that goes with it, before or after.
 * @regs: its registers, from whomever: nothing in them is trusted. Those that are not there are as
 *     after a reset. Bits that are RES0 in this PMU are dropped.
 * @count: how many there are.
 * @why: if not NULL and the registers are refused, is set to a sentence that says why.
 *
 * What software may have read once must not change under it: if PMCEID0 and PMCEID1 are among the
 * registers, this PMU announces from now on, through resets, what they say: an implementation that
 * counts cycles, or cycles and instructions, and of stalls, which its version demands, none.
 * vpmu_state_save() saves that as well. All other registers that cannot be written must be equal.
 *
 * Calls vpmu_ops.irq if the line differs, and vpmu_ops.rearm.
 *
 * Return: 0, or -VPMU_ERR_STATE with @v as it was.
 */
int vpmu_adopt(struct vpmu *v, const struct vpmu_register *regs, size_t count, const char **why);

#endif
