/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* The writable bits of registers, which depend on the configuration. All others are RES0. */
#include "arm_internal.h"

/* Before PMUv3p7, PMCR.DP exists only if EL3, or from PMUv3p1 on EL2, can prohibit counting. */
static bool has_dp(const struct vpmu_arm_config *config)
{
    return config->version >= VPMU_V3P7 || vpmu_has_(config, VPMU_HAS_EL3) ||
           (config->version >= VPMU_V3P1 && vpmu_has_(config, VPMU_HAS_EL2));
}

uint64_t vpmu_pmcr_kept_(const struct vpmu_arm_config *config)
{
    uint64_t bits = VPMU_PMCR_E | (has_dp(config) ? VPMU_PMCR_DP : 0);

    if (!vpmu_has_(config, VPMU_HAS_NO_AARCH32)) {
        bits |= VPMU_PMCR_LC | VPMU_PMCR_D;
    }
    if (config->version >= VPMU_V3P5) {
        bits |= VPMU_PMCR_LP;
    }
    if (config->version >= VPMU_V3P7) {
        bits |= VPMU_PMCR_FZO;
    }
    if (vpmu_has_(config, VPMU_HAS_SPE)) {
        bits |= VPMU_PMCR_FZS;
    }
    return bits;
}

/* Bits of PMCR that are always 1. */
uint64_t vpmu_pmcr_fixed_(const struct vpmu_arm_config *config)
{
    return vpmu_has_(config, VPMU_HAS_NO_AARCH32) ? VPMU_PMCR_LC : 0;
}

static uint64_t threshold_kept(const struct vpmu_arm_config *config, unsigned idx)
{
    uint64_t bits = 0;

    if (!config->threshold_width || idx >= config->counters) {
        return 0;
    }
    bits |= VPMU_TYPER_TC | vpmu_below_(config->threshold_width) << VPMU_TYPER_TH_SHIFT;
    if (config->features & VPMU_HAS_EDGE) {
        bits |= VPMU_TYPER_TE;
    }
    if ((config->features & VPMU_HAS_TH2) && idx % 2) {
        bits |= VPMU_TYPER_TLC;
    }
    return bits;
}

uint64_t vpmu_typer_kept_(const struct vpmu_arm_config *config, unsigned idx)
{
    uint64_t bits = VPMU_TYPER_P | VPMU_TYPER_U;

    if (vpmu_has_(config, VPMU_HAS_EL3)) {
        bits |= VPMU_TYPER_NSK | VPMU_TYPER_NSU;
        if (!vpmu_has_(config, VPMU_HAS_NO_AARCH64)) {
            bits |= VPMU_TYPER_M;
        }
    }
    if (vpmu_has_(config, VPMU_HAS_EL2)) {
        bits |= VPMU_TYPER_NSH;
    }
    if (vpmu_has_(config, VPMU_HAS_SECURE_EL2)) {
        bits |= VPMU_TYPER_SH;
    }
    if (vpmu_has_(config, VPMU_HAS_REALM)) {
        bits |= VPMU_TYPER_RLK | VPMU_TYPER_RLU | VPMU_TYPER_RLH;
    }
    if (idx < config->counters) {
        bits |= config->version >= VPMU_V3P1 ? VPMU_TYPER_EVENT : VPMU_TYPER_EVENT_V3;
    }
    return bits | threshold_kept(config, idx);
}

uint64_t vpmu_userenr_kept_(const struct vpmu_arm_config *config)
{
    uint64_t bits = VPMU_USERENR_EN | VPMU_USERENR_SW | VPMU_USERENR_CR | VPMU_USERENR_ER;

    if (config->version >= VPMU_V3P9) {
        bits |= VPMU_USERENR_UEN | VPMU_USERENR_TID;
    }
    if (vpmu_has_(config, VPMU_HAS_ICNTR)) {
        bits |= VPMU_USERENR_IR;
    }
    return bits;
}

struct vpmu_arm_regs vpmu_regs_reset_(const struct vpmu_arm_config *config)
{
    return (struct vpmu_arm_regs){.pmcr = vpmu_pmcr_fixed_(config)};
}
