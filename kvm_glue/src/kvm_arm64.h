/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KVM_GLUE_KVM_ARM64_H
#define KVM_GLUE_KVM_ARM64_H

#include <linux/kvm.h>
#include <stdint.h>

/*
 * Definitions of KVM/arm64, for hosts whose headers lack them because they are not arm64 or are
 * older. Source: Linux, arch/arm64/include/uapi/asm/kvm.h and include/uapi/linux/kvm.h.
 */
#define GLUE_PMU_V3_CTRL 0u

/* The kernel's numbers are in the table of attr.c. */
enum glue_attr {
    GLUE_ATTR_IRQ,
    GLUE_ATTR_INIT,
    GLUE_ATTR_FILTER,
    GLUE_ATTR_SET_PMU,
    GLUE_ATTR_SET_NR_COUNTERS,
    GLUE_ATTR_FIXED_COUNTERS_ONLY,
    GLUE_ATTR_ENABLE_PARTITION,
    GLUE_ATTRS,
};

/* struct kvm_pmu_event_filter */
struct glue_event_filter {
    uint16_t base_event;
    uint16_t nevents;
    uint8_t action;
    uint8_t pad[3];
};
_Static_assert(sizeof(struct glue_event_filter) == 8, "the kernel's layout");

/* ARM64_SYS_REG(): the encoding has the layout of VPMU_ENC64(). */
#define GLUE_SYSREG(enc) (0x6030000000130000ull | (enc))

/* ID_AA64DFR0_EL1, PMUVer. */
#define GLUE_ENC_ID_AA64DFR0 ((uint16_t)0xc028)
#define GLUE_PMUVER(dfr0) ((unsigned)((dfr0) >> 8 & 0xf))
#define GLUE_PMUVER_IMPDEF 15u

/* PMMIR_EL1. KVM shows only SLOTS, if anything. */
#define GLUE_ENC_PMMIR ((uint16_t)0xc4f6)
#define GLUE_PMMIR_SLOTS 0xffull

#define GLUE_CAP_ARM_VM_IPA_SIZE 165ul
#define GLUE_CAP_ARM_EL2 240ul
#define GLUE_CAP_ARM_PMU_V3_STRICT 251ul

/* struct kvm_vcpu_init */
struct glue_vcpu_init {
    uint32_t target;
    uint32_t features[7];
};
_Static_assert(sizeof(struct glue_vcpu_init) == 32, "the kernel's layout");
#define GLUE_ARM_VCPU_INIT _IOW(KVMIO, 0xae, struct glue_vcpu_init)

/* kvm_vcpu_init.features[0] */
#define GLUE_FEATURE_PMU_V3 (1u << 3)
#define GLUE_FEATURE_PMU_V3_STRICT (1u << 9)

#endif
