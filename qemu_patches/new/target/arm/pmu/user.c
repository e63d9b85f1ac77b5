/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * User mode: ID registers announce a PMU, but there is none
 */

#include "qemu/osdep.h"
#include "qapi/error.h"
#include "cpu.h"
#include "cpregs.h"
#include "internals.h"

/*
 * Programs read PMUSERENR to find out whether they may use the PMU.  It reads
 * 0, so they may not.
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
