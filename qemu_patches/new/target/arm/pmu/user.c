/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * In user mode there is no PMU, but ID registers that announce one
 */

#include "qemu/osdep.h"
#include "qapi/error.h"
#include "cpu.h"
#include "cpregs.h"
#include "internals.h"

/*
 * There is no PMU.  What programs look at to find out whether they may use
 * it says no.
 */
static const ARMCPRegInfo user_pmu_cp_reginfo[] = {
    { .name = "PMUSERENR", .cp = 15, .crn = 9, .crm = 14, .opc1 = 0, .opc2 = 0,
      .access = PL0U_R, .type = ARM_CP_CONST, .resetvalue = 0 },
    { .name = "PMUSERENR_EL0", .state = ARM_CP_STATE_AA64,
      .opc0 = 3, .opc1 = 3, .crn = 9, .crm = 14, .opc2 = 0,
      .access = PL0U_R, .type = ARM_CP_CONST, .resetvalue = 0 },
};

void arm_vpmu_define_regs(ARMCPU *cpu)
{
    define_arm_cp_regs(cpu, user_pmu_cp_reginfo);
}

bool arm_pmu_available(void)
{
    return true;
}

void arm_pmu_add_properties(Object *obj)
{
}

bool arm_vpmu_realize(ARMCPU *cpu, Error **errp)
{
    return true;
}
