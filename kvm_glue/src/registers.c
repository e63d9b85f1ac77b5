/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The registers of a guest's PMU and their ids in KVM. */
#include <stdio.h>
#include <string.h>

#include "internal.h"
#include "kvm_arm64.h"
#include "kvm_glue/state.h"
#include "vpmu/arm/regs.h"

#define NO_COUNTER 255

/*
 * Source: Linux, arch/arm64/kvm/sys_regs.c. PMCR_EL0 must be first, because it is restored first.
 * The SET form of a register must directly follow its CLR form. state.c relies on both.
 */
static const struct {
    uint8_t reg; /* enum vpmu_reg; its name and encoding are vpmu's */
    uint8_t restore;
    uint8_t counter;
} singles[] = {
    {VPMU_PMCR, KVM_GLUE_PMCR, NO_COUNTER},
    {VPMU_PMCNTENCLR, KVM_GLUE_CLR, NO_COUNTER},
    {VPMU_PMCNTENSET, KVM_GLUE_SET, NO_COUNTER},
    {VPMU_PMOVSCLR, KVM_GLUE_CLR, NO_COUNTER},
    {VPMU_PMOVSSET, KVM_GLUE_SET, NO_COUNTER},
    {VPMU_PMINTENCLR, KVM_GLUE_CLR, NO_COUNTER},
    {VPMU_PMINTENSET, KVM_GLUE_SET, NO_COUNTER},
    {VPMU_PMSWINC, KVM_GLUE_NEVER, NO_COUNTER},
    {VPMU_PMSELR, KVM_GLUE_PLAIN, NO_COUNTER},
    {VPMU_PMUSERENR, KVM_GLUE_PLAIN, NO_COUNTER},
    {VPMU_PMCCNTR, KVM_GLUE_COUNTER, VPMU_CYCLE_COUNTER},
    {VPMU_PMCCFILTR, KVM_GLUE_TYPE, VPMU_CYCLE_COUNTER},
};
#define SINGLES KVM_GLUE_COUNT_OF(singles)
_Static_assert(SINGLES + 2 * KVM_GLUE_COUNTERS == KVM_GLUE_REGISTERS, "all registers");

static void fill_single(unsigned index, struct kvm_glue_register *reg)
{
    const struct vpmu_reg_info *info = vpmu_arm_reg_info(singles[index].reg);

    snprintf(reg->name, sizeof(reg->name), "%s", info->name64);
    reg->id = GLUE_SYSREG(info->enc64);
    reg->restore = singles[index].restore;
    reg->counter = singles[index].counter;
}

/* Fills in a member of a family NAME<n>_EL0. The members have consecutive encodings. */
static void fill_member(enum vpmu_reg first, uint8_t restore, unsigned n,
                        struct kvm_glue_register *reg)
{
    const struct vpmu_reg_info *info = vpmu_arm_reg_info(first);
    size_t stem = strcspn(info->name64, "<");

    snprintf(reg->name, sizeof(reg->name), "%.*s%u%s", (int)stem, info->name64, n,
             info->name64 + stem + strlen("<n>"));
    reg->id = GLUE_SYSREG(info->enc64 + n);
    reg->restore = restore;
    reg->counter = (uint8_t)n;
}

bool kvm_glue_register(unsigned index, struct kvm_glue_register *reg)
{
    if (index >= KVM_GLUE_REGISTERS) {
        return false;
    }
    memset(reg, 0, sizeof(*reg));
    if (index < SINGLES) {
        fill_single(index, reg);
    } else if (index < SINGLES + KVM_GLUE_COUNTERS) {
        fill_member(VPMU_PMEVCNTR0, KVM_GLUE_COUNTER, index - (unsigned)SINGLES, reg);
    } else {
        fill_member(VPMU_PMEVTYPER0, KVM_GLUE_TYPE, index - (unsigned)SINGLES - KVM_GLUE_COUNTERS,
                    reg);
    }
    return true;
}
