/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The page tables of an Arm CPU's kernels
 */

#include "qemu/osdep.h"
#include "cpu.h"
#include "system/hw_accel.h"
#include "system/vpmu_target.h"

/* Returns TTBR1_EL1, and TTBR1_EL2 of a VHE host. */
static void arm_tables(CPUState *cs, VPMUTables *tables)
{
    CPUARMState *env = &ARM_CPU(cs)->env;
    uint64List **tail = &tables->tables;

    cpu_synchronize_state(cs);
    if (arm_feature(env, ARM_FEATURE_AARCH64)) {
        QAPI_LIST_APPEND(tail, env->cp15.ttbr1_el[1]);
        if (env->cp15.hcr_el2 & HCR_E2H) {
            QAPI_LIST_APPEND(tail, env->cp15.ttbr1_el[2]);
        }
    }
}

static void register_tables(void)
{
    vpmu_register_tables(arm_tables);
}

type_init(register_tables);
