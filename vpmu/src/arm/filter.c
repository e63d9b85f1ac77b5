/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/*
 * The contexts in which a counter counts. Evaluates enables, prohibitions, freezes and filters like
 * CountPMUEvents() of the Arm ARM (J1.3.1), but for all contexts at once.
 */
#include "arm_internal.h"

#define SECURE_CONTEXTS VPMU_CTXS_OF(VPMU_SECURE)
#define EL3_CONTEXT VPMU_CTXS_AT(3)
#define EL2_CONTEXTS VPMU_CTXS_AT(2)

/* The bit that excludes each context, and the bit that inverts it. NSH includes EL2 instead. */
static const struct {
    uint64_t bit;
    uint64_t inverted_by;
} filters[VPMU_CTX_COUNT] = {
    [VPMU_CTX(0, VPMU_SECURE)] = {VPMU_TYPER_U, 0},
    [VPMU_CTX(1, VPMU_SECURE)] = {VPMU_TYPER_P, 0},
    [VPMU_CTX(2, VPMU_SECURE)] = {VPMU_TYPER_NSH, VPMU_TYPER_SH},
    [VPMU_CTX(0, VPMU_NONSECURE)] = {VPMU_TYPER_U, VPMU_TYPER_NSU},
    [VPMU_CTX(1, VPMU_NONSECURE)] = {VPMU_TYPER_P, VPMU_TYPER_NSK},
    [VPMU_CTX(2, VPMU_NONSECURE)] = {VPMU_TYPER_NSH, 0},
    [VPMU_CTX(0, VPMU_REALM)] = {VPMU_TYPER_U, VPMU_TYPER_RLU},
    [VPMU_CTX(1, VPMU_REALM)] = {VPMU_TYPER_P, VPMU_TYPER_RLK},
    [VPMU_CTX(2, VPMU_REALM)] = {VPMU_TYPER_NSH, VPMU_TYPER_RLH},
    [VPMU_CTX_EL3] = {VPMU_TYPER_P, VPMU_TYPER_M},
};

static unsigned existing(const struct vpmu_arm_config *config)
{
    unsigned contexts = VPMU_CTXS_OF(VPMU_NONSECURE);

    if (vpmu_has_(config, VPMU_HAS_EL3)) {
        contexts |= SECURE_CONTEXTS | EL3_CONTEXT;
    }
    if (!vpmu_has_(config, VPMU_HAS_EL2)) {
        contexts &= ~EL2_CONTEXTS;
    } else if (!vpmu_has_(config, VPMU_HAS_SECURE_EL2)) {
        contexts &= ~(SECURE_CONTEXTS & EL2_CONTEXTS);
    }
    if (vpmu_has_(config, VPMU_HAS_REALM)) {
        contexts |= VPMU_CTXS_OF(VPMU_REALM);
    }
    return contexts;
}

static unsigned passed_by_filter(uint64_t typer)
{
    unsigned contexts = 0;

    for (unsigned ctx = 0; ctx < VPMU_CTX_COUNT; ctx++) {
        bool out = !(typer & filters[ctx].bit) != !(typer & filters[ctx].inverted_by);

        if (filters[ctx].bit == VPMU_TYPER_NSH) {
            out = !out;
        }
        contexts |= (unsigned)!out << ctx;
    }
    return contexts;
}

/* The contexts in which event counting is prohibited. */
static unsigned prohibited(const struct vpmu_setup_ *s, bool second_range)
{
    uint64_t el2 = s->controls->mdcr_el2;
    uint64_t el3 = s->controls->mdcr_el3;
    bool p7 = s->config->version >= VPMU_V3P7 && !vpmu_has_(s->config, VPMU_HAS_NO_AARCH64);
    bool spme = el3 & VPMU_MDCR_EL3_SPME;
    bool mpmx = p7 && (el3 & VPMU_MDCR_EL3_MPMX);
    unsigned contexts = 0;

    if (vpmu_has_(s->config, VPMU_HAS_EL3) && !spme && !mpmx && !s->controls->secure_allowed) {
        contexts |= SECURE_CONTEXTS | EL3_CONTEXT;
        if (s->controls->secure_el0_allowed) {
            contexts &= ~(SECURE_CONTEXTS & VPMU_CTXS_AT(0));
        }
    }
    if (mpmx && (!spme || !second_range)) {
        contexts |= EL3_CONTEXT;
    }
    if (s->config->version >= VPMU_V3P1 && !second_range && (el2 & VPMU_MDCR_EL2_HPMD)) {
        contexts |= EL2_CONTEXTS;
    }
    return contexts;
}

/* The contexts in which cycle counting is prohibited, regardless of PMCR.DP. */
static unsigned cycles_prohibited(const struct vpmu_setup_ *s)
{
    uint64_t el3 = s->controls->mdcr_el3;
    unsigned contexts = 0;

    if (s->config->version >= VPMU_V3P5 && (el3 & VPMU_MDCR_EL3_SCCD)) {
        contexts |= SECURE_CONTEXTS | EL3_CONTEXT;
    }
    if (s->config->version >= VPMU_V3P5 && (s->controls->mdcr_el2 & VPMU_MDCR_EL2_HCCD)) {
        contexts |= EL2_CONTEXTS;
    }
    if (s->config->version >= VPMU_V3P7 && !vpmu_has_(s->config, VPMU_HAS_NO_AARCH64) &&
        (el3 & VPMU_MDCR_EL3_MCCD)) {
        contexts |= EL3_CONTEXT;
    }
    return contexts;
}

static bool frozen_on_overflow(const struct vpmu_setup_ *s, bool second_range)
{
    uint64_t range = second_range ? s->second : ~s->second & ~VPMU_BIT(VPMU_CYCLE_COUNTER);

    return vpmu_freezers_(s) & s->regs->ovs & range;
}

/* Without FEAT_SPE_DPFZS, a stop of SPE does not freeze the cycle counter. */
static bool frozen_by_spe(const struct vpmu_setup_ *s, unsigned idx)
{
    return vpmu_has_(s->config, VPMU_HAS_SPE) && s->controls->spe_stopped &&
           (vpmu_ranges_(s, VPMU_PMCR_FZS, VPMU_MDCR_EL2_HPMFZS) & VPMU_BIT(idx));
}

bool vpmu_enabled_(const struct vpmu_setup_ *s, unsigned idx)
{
    return (vpmu_global_(s) & s->regs->cnten & VPMU_BIT(idx)) && !s->controls->halted;
}

uint16_t vpmu_ctx_mask_(const struct vpmu_setup_ *s, unsigned idx)
{
    bool second_range = s->second & VPMU_BIT(idx);
    unsigned contexts;

    if (!vpmu_enabled_(s, idx)) {
        return 0;
    }
    contexts = existing(s->config);
    if (idx != VPMU_CYCLE_COUNTER) {
        if (frozen_on_overflow(s, second_range) || frozen_by_spe(s, idx)) {
            return 0;
        }
        contexts &= ~prohibited(s, second_range);
    } else {
        if (s->regs->pmcr & VPMU_PMCR_DP) {
            contexts &= frozen_on_overflow(s, false) ? 0 : ~prohibited(s, false);
        }
        contexts &= ~cycles_prohibited(s);
    }
    if (vpmu_is_population_(s, idx)) {
        contexts &= s->controls->spe_contexts;
    }
    return (uint16_t)(contexts & passed_by_filter(s->regs->type[idx]));
}
