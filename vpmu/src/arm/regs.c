/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* The table of registers: names, encodings, and what each register requires to exist. */
#include "vpmu/arm/regs.h"

#include "arm_internal.h"

#define NONE VPMU_ENC_NONE
#define PM64(op1, crn, crm, op2) VPMU_ENC64(3, op1, crn, crm, op2)
#define PM32(crn, crm, opc2) VPMU_ENC32(0, crn, crm, opc2)

/*
 * PMEVCNTR<n> and PMEVTYPER<n> have n[4:3] in CRm and n[2:0] in op2, so their encodings are
 * consecutive.
 */
static const struct vpmu_reg_info rows[] = {
    [VPMU_PMCR] = {"PMCR_EL0", "PMCR", PM64(3, 9, 12, 0), PM32(9, 12, 0), VPMU_RW, VPMU_EL0_PMCR,
                   VPMU_V3, 0, false},
    [VPMU_PMCNTENSET] = {"PMCNTENSET_EL0", "PMCNTENSET", PM64(3, 9, 12, 1), PM32(9, 12, 1), VPMU_RW,
                         VPMU_EL0_EN, VPMU_V3, 0, false},
    [VPMU_PMCNTENCLR] = {"PMCNTENCLR_EL0", "PMCNTENCLR", PM64(3, 9, 12, 2), PM32(9, 12, 2), VPMU_RW,
                         VPMU_EL0_EN, VPMU_V3, 0, false},
    [VPMU_PMOVSCLR] = {"PMOVSCLR_EL0", "PMOVSR", PM64(3, 9, 12, 3), PM32(9, 12, 3), VPMU_RW,
                       VPMU_EL0_EN, VPMU_V3, 0, false},
    [VPMU_PMOVSSET] = {"PMOVSSET_EL0", "PMOVSSET", PM64(3, 9, 14, 3), PM32(9, 14, 3), VPMU_RW,
                       VPMU_EL0_EN, VPMU_V3, 0, false},
    [VPMU_PMSWINC] = {"PMSWINC_EL0", "PMSWINC", PM64(3, 9, 12, 4), PM32(9, 12, 4), VPMU_WO,
                      VPMU_EL0_EN_SW, VPMU_V3, 0, false},
    [VPMU_PMSELR] = {"PMSELR_EL0", "PMSELR", PM64(3, 9, 12, 5), PM32(9, 12, 5), VPMU_RW,
                     VPMU_EL0_SELR, VPMU_V3, 0, false},
    [VPMU_PMXEVTYPER] = {"PMXEVTYPER_EL0", "PMXEVTYPER", PM64(3, 9, 13, 1), PM32(9, 13, 1), VPMU_RW,
                         VPMU_EL0_EN, VPMU_V3, 0, false},
    [VPMU_PMXEVCNTR] = {"PMXEVCNTR_EL0", "PMXEVCNTR", PM64(3, 9, 13, 2), PM32(9, 13, 2), VPMU_RW,
                        VPMU_EL0_EN_ER, VPMU_V3, 0, false},
    [VPMU_PMCCNTR] = {"PMCCNTR_EL0", "PMCCNTR", PM64(3, 9, 13, 0), PM32(9, 13, 0), VPMU_RW,
                      VPMU_EL0_EN_CR, VPMU_V3, 0, false},
    [VPMU_PMCCNTR_WIDE] = {NULL, "PMCCNTR", NONE, VPMU_ENC32_WIDE(0, 9), VPMU_RW, VPMU_EL0_EN_CR,
                           VPMU_V3, 0, false},
    [VPMU_PMCCFILTR] = {"PMCCFILTR_EL0", "PMCCFILTR", PM64(3, 14, 15, 7), PM32(14, 15, 7), VPMU_RW,
                        VPMU_EL0_EN, VPMU_V3, 0, false},
    [VPMU_PMCEID0] = {"PMCEID0_EL0", "PMCEID0", PM64(3, 9, 12, 6), PM32(9, 12, 6), VPMU_RO,
                      VPMU_EL0_ID, VPMU_V3, 0, false},
    [VPMU_PMCEID1] = {"PMCEID1_EL0", "PMCEID1", PM64(3, 9, 12, 7), PM32(9, 12, 7), VPMU_RO,
                      VPMU_EL0_ID, VPMU_V3, 0, false},
    [VPMU_PMCEID2] = {NULL, "PMCEID2", NONE, PM32(9, 14, 4), VPMU_RO, VPMU_EL0_ID, VPMU_V3P1, 0,
                      false},
    [VPMU_PMCEID3] = {NULL, "PMCEID3", NONE, PM32(9, 14, 5), VPMU_RO, VPMU_EL0_ID, VPMU_V3P1, 0,
                      false},
    [VPMU_PMUSERENR] = {"PMUSERENR_EL0", "PMUSERENR", PM64(3, 9, 14, 0), PM32(9, 14, 0), VPMU_RW,
                        VPMU_EL0_RO, VPMU_V3, 0, false},
    [VPMU_PMINTENSET] = {"PMINTENSET_EL1", "PMINTENSET", PM64(0, 9, 14, 1), PM32(9, 14, 1), VPMU_RW,
                         VPMU_EL0_NEVER, VPMU_V3, 0, false},
    [VPMU_PMINTENCLR] = {"PMINTENCLR_EL1", "PMINTENCLR", PM64(0, 9, 14, 2), PM32(9, 14, 2), VPMU_RW,
                         VPMU_EL0_NEVER, VPMU_V3, 0, false},
    [VPMU_PMMIR] = {"PMMIR_EL1", "PMMIR", PM64(0, 9, 14, 6), PM32(9, 14, 6), VPMU_RO,
                    VPMU_EL0_NEVER, VPMU_V3P4, 0, false},
    [VPMU_PMUACR] = {"PMUACR_EL1", NULL, PM64(0, 9, 14, 4), NONE, VPMU_RW, VPMU_EL0_NEVER,
                     VPMU_V3P9, 0, true},
    [VPMU_PMICNTR] = {"PMICNTR_EL0", NULL, PM64(3, 9, 4, 0), NONE, VPMU_RW, VPMU_EL0_UEN, VPMU_V3P9,
                      VPMU_HAS_ICNTR, true},
    [VPMU_PMICFILTR] = {"PMICFILTR_EL0", NULL, PM64(3, 9, 6, 0), NONE, VPMU_RW, VPMU_EL0_UEN,
                        VPMU_V3P9, VPMU_HAS_ICNTR, true},
    [VPMU_PMZR] = {"PMZR_EL0", NULL, PM64(3, 9, 13, 4), NONE, VPMU_WO, VPMU_EL0_EN, VPMU_V3P9, 0,
                   false},
    [VPMU_PMEVCNTR0] = {"PMEVCNTR<n>_EL0", "PMEVCNTR<n>", PM64(3, 14, 8, 0), PM32(14, 8, 0),
                        VPMU_RW, VPMU_EL0_EN_ER, VPMU_V3, 0, false},
    [VPMU_PMEVTYPER0] = {"PMEVTYPER<n>_EL0", "PMEVTYPER<n>", PM64(3, 14, 12, 0), PM32(14, 12, 0),
                         VPMU_RW, VPMU_EL0_EN, VPMU_V3, 0, false},
};

/* Member 0 of a register's family; the register itself if it belongs to no family. */
static unsigned first_of(unsigned reg)
{
    if (reg >= VPMU_PMEVTYPER0) {
        return VPMU_PMEVTYPER0;
    }
    return reg >= VPMU_PMEVCNTR0 ? VPMU_PMEVCNTR0 : reg;
}

const struct vpmu_reg_info *vpmu_arm_reg_info(unsigned reg)
{
    return reg < VPMU_REG_COUNT ? &rows[first_of(reg)] : NULL;
}

int vpmu_arm_reg_find(uint16_t enc, bool aarch32)
{
    for (unsigned reg = 0; reg < VPMU_REG_COUNT; reg++) {
        unsigned first = first_of(reg);
        uint16_t base = aarch32 ? rows[first].enc32 : rows[first].enc64;

        if (base != NONE && base + (reg - first) == enc) {
            return (int)reg;
        }
    }
    return -VPMU_ERR_REG;
}

bool vpmu_exists_(const struct vpmu_arm_config *config, unsigned reg, bool aarch32)
{
    const struct vpmu_reg_info *info = vpmu_arm_reg_info(reg);

    if (!info || (aarch32 ? info->enc32 : info->enc64) == NONE) {
        return false;
    }
    if (vpmu_has_(config, aarch32 ? VPMU_HAS_NO_AARCH32 : VPMU_HAS_NO_AARCH64)) {
        return false;
    }
    if (first_of(reg) == VPMU_PMEVCNTR0 || first_of(reg) == VPMU_PMEVTYPER0) {
        return reg - first_of(reg) < config->counters;
    }
    return config->version >= info->version && vpmu_has_(config, info->features);
}
