/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* The writable bits of registers, and their values after RESET. */
#include "x86_internal.h"

#define CAP_PEBS_FORMAT_SHIFT 8
#define CAP_PEBS_TRAP VPMU_BIT(6)
#define CAP_PEBS_REGISTERS VPMU_BIT(7)
#define CAP_FREEZE_WHILE_SMM VPMU_BIT(12)
#define CAP_FULL_WIDTH VPMU_BIT(13)
#define CAP_PEBS_BASELINE VPMU_BIT(14)
#define CAP_METRICS VPMU_BIT(15)

/* AnyThread came with version 3 and is deprecated in 5 (SDM 3B, Architectural PerfMon 3 and 5). */
static bool has_any_thread(const struct vpmu_x86_config *config)
{
    return config->version == 3 || config->version == 4;
}

/* Intel: SDM 3B, Layout of IA32_PERFEVTSELx. AMD: APM 2, 13.2.1; PC and bit 21 are reserved. */
uint64_t vpmu_x86_select_kept_(const struct vpmu_x86_config *config)
{
    uint64_t both = vpmu_x86_event_mask_(config) | VPMU_X86_SEL_CONDITION | VPMU_X86_SEL_USR |
                    VPMU_X86_SEL_OS | VPMU_X86_SEL_INT | VPMU_X86_SEL_EN;

    if (vpmu_x86_is_intel_(config)) {
        return both | VPMU_X86_SEL_PC | (has_any_thread(config) ? VPMU_X86_SEL_ANY : 0) |
               (vpmu_x86_has_baseline_(config) ? VPMU_X86_SEL_ADAPTIVE : 0);
    }
    return both |
           (config->features & VPMU_X86_HAS_SVM ? VPMU_X86_SEL_GUEST | VPMU_X86_SEL_HOST : 0);
}

/* SDM 3B, Layout of IA32_FIXED_CTR_CTRL. */
uint64_t vpmu_x86_fixed_kept_(const struct vpmu_x86_config *config)
{
    uint64_t field = VPMU_X86_FIXED_OS | VPMU_X86_FIXED_USR | VPMU_X86_FIXED_PMI |
                     (has_any_thread(config) ? VPMU_X86_FIXED_ANY : 0) |
                     (vpmu_x86_has_baseline_(config) ? VPMU_X86_FIXED_ADAPTIVE : 0);
    uint64_t kept = 0;

    for (unsigned i = 0; i < config->fixed; i++) {
        kept |= field << i * VPMU_X86_FIXED_BITS;
    }
    return kept;
}

/*
 * A bit for each of four counters, LL_EN from 32 on (SDM 3B, Layout of IA32_PEBS_ENABLE). PS_EN is
 * of Sandy Bridge and Ivy Bridge (SDM 3B, Precise Store Facility). In format 4 all counters, and
 * nothing else (SDM 3B, Adaptive PEBS).
 */
uint64_t vpmu_x86_pebs_kept_(const struct vpmu_x86_config *config)
{
    uint64_t counters = vpmu_x86_general_(config) & vpmu_below_(VPMU_X86_PEBS_COUNTERS);

    if (vpmu_x86_has_baseline_(config)) {
        return vpmu_x86_to_global_(vpmu_x86_implemented_(config));
    }
    return counters | counters << VPMU_X86_PEBS_LL_EN |
           (vpmu_x86_has_precise_store_(config) ? VPMU_X86_PEBS_PS_EN : 0);
}

/* SDM 3B, Layout of MSR_PEBS_LD_LAT. */
uint64_t vpmu_x86_load_latency_kept_(const struct vpmu_x86_config *config)
{
    (void)config;
    return vpmu_below_(16);
}

/* SDM 3B, MSR_PEBS_DATA_CFG: the groups, and the number of LBR entries less one in [31:24]. */
uint64_t vpmu_x86_data_cfg_kept_(const struct vpmu_x86_config *config)
{
    (void)config;
    return 0xff00000full;
}

/* GLOBAL_CTRL: a bit for each counter, and one for PERF_METRICS. */
uint64_t vpmu_x86_global_kept_(const struct vpmu_x86_config *config)
{
    return vpmu_x86_to_global_(vpmu_x86_controlled_(config));
}

/* What can be cleared: SDM 3B, IA32_PERF_GLOBAL_OVF_CTRL, _STATUS_RESET from version 4 on. */
uint64_t vpmu_x86_clear_kept_(const struct vpmu_x86_config *config)
{
    uint64_t counters = vpmu_x86_global_kept_(config);

    if (!vpmu_x86_is_intel_(config)) {
        return counters | VPMU_X86_CTR_FRZ;
    }
    if (config->version >= 4) {
        return counters | VPMU_X86_FLAGS;
    }
    return counters | VPMU_X86_OVF_BUF | VPMU_X86_COND_CHGD |
           (config->version == 3 ? VPMU_X86_OVF_UNCORE : 0);
}

/* What can be set: the same, without CondChgd (SDM 3B, IA32_PERF_GLOBAL_STATUS_SET). */
uint64_t vpmu_x86_set_kept_(const struct vpmu_x86_config *config)
{
    return vpmu_x86_clear_kept_(config) & ~VPMU_X86_COND_CHGD;
}

/* SDM 4, IA32_PERF_CAPABILITIES. PEBS_TRAP: a record is of the state behind the instruction. */
uint64_t vpmu_x86_capabilities_(const struct vpmu_x86_config *config)
{
    uint64_t pebs =
        CAP_PEBS_TRAP | CAP_PEBS_REGISTERS | (uint64_t)config->pebs << CAP_PEBS_FORMAT_SHIFT;

    return CAP_FREEZE_WHILE_SMM | (config->pebs ? pebs : 0) |
           (config->features & VPMU_X86_HAS_FULL_WIDTH ? CAP_FULL_WIDTH : 0) |
           (vpmu_x86_has_baseline_(config) ? CAP_PEBS_BASELINE : 0) |
           (vpmu_x86_has_metrics_(config) ? CAP_METRICS : 0);
}

/* General counters are enabled in GLOBAL_CTRL after RESET, fixed ones are not (SDM 3A, table 9-1).
 */
struct vpmu_x86_regs vpmu_x86_regs_reset_(const struct vpmu_x86_config *config)
{
    return (struct vpmu_x86_regs){.enabled = vpmu_x86_general_(config)};
}
