/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The registers of a guest's PMU, and how KVM calls them. */
#include <stdio.h>
#include <string.h>

#include "internal.h"
#include "kvm_arm64.h"
#include "kvm_glue/state.h"
#include "vpmu/regs.h"

#define CYCLE_COUNTER 31
#define NO_COUNTER 255

/* Source: Arm ARM D24.5; Linux, arch/arm64/kvm/sys_regs.c. PMCR_EL0 is first, also to restore;
 * the SET form of a register comes right after its CLR form. state.c counts on both. */
static const struct {
    const char *name;
    uint16_t enc;
    uint8_t restore;
    uint8_t counter;
} singles[] = {
    {"PMCR_EL0", VPMU_ENC64(3, 3, 9, 12, 0), KVM_GLUE_PMCR, NO_COUNTER},
    {"PMCNTENCLR_EL0", VPMU_ENC64(3, 3, 9, 12, 2), KVM_GLUE_CLR, NO_COUNTER},
    {"PMCNTENSET_EL0", VPMU_ENC64(3, 3, 9, 12, 1), KVM_GLUE_SET, NO_COUNTER},
    {"PMOVSCLR_EL0", VPMU_ENC64(3, 3, 9, 12, 3), KVM_GLUE_CLR, NO_COUNTER},
    {"PMOVSSET_EL0", VPMU_ENC64(3, 3, 9, 14, 3), KVM_GLUE_SET, NO_COUNTER},
    {"PMINTENCLR_EL1", VPMU_ENC64(3, 0, 9, 14, 2), KVM_GLUE_CLR, NO_COUNTER},
    {"PMINTENSET_EL1", VPMU_ENC64(3, 0, 9, 14, 1), KVM_GLUE_SET, NO_COUNTER},
    {"PMSWINC_EL0", VPMU_ENC64(3, 3, 9, 12, 4), KVM_GLUE_NEVER, NO_COUNTER},
    {"PMSELR_EL0", VPMU_ENC64(3, 3, 9, 12, 5), KVM_GLUE_PLAIN, NO_COUNTER},
    {"PMUSERENR_EL0", VPMU_ENC64(3, 3, 9, 14, 0), KVM_GLUE_PLAIN, NO_COUNTER},
    {"PMCCNTR_EL0", VPMU_ENC64(3, 3, 9, 13, 0), KVM_GLUE_COUNTER, CYCLE_COUNTER},
    {"PMCCFILTR_EL0", VPMU_ENC64(3, 3, 14, 15, 7), KVM_GLUE_TYPE, CYCLE_COUNTER},
};
#define SINGLES KVM_GLUE_COUNT_OF(singles)
_Static_assert(SINGLES + 2 * KVM_GLUE_COUNTERS == KVM_GLUE_REGISTERS, "all registers");

/* Families of 31: PMEVCNTR<n> at CRm 8 to 11, PMEVTYPER<n> at CRm 12 to 15. */
static void fill_family(const char *name, unsigned crm, uint8_t restore, unsigned n,
                        struct kvm_glue_register *reg)
{
    snprintf(reg->name, sizeof(reg->name), "%s%u_EL0", name, n % KVM_GLUE_COUNTERS);
    reg->id = GLUE_SYSREG(VPMU_ENC64(3, 3, 14, crm | n >> 3, n & 7));
    reg->restore = restore;
    reg->counter = (uint8_t)n;
}

static void fill_single(unsigned index, struct kvm_glue_register *reg)
{
    snprintf(reg->name, sizeof(reg->name), "%s", singles[index].name);
    reg->id = GLUE_SYSREG(singles[index].enc);
    reg->restore = singles[index].restore;
    reg->counter = singles[index].counter;
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
        fill_family("PMEVCNTR", 8, KVM_GLUE_COUNTER, index - (unsigned)SINGLES, reg);
    } else {
        fill_family("PMEVTYPER", 12, KVM_GLUE_TYPE, index - (unsigned)SINGLES - KVM_GLUE_COUNTERS,
                    reg);
    }
    return true;
}
