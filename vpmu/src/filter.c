/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/*
 * Where a counter counts: enables, prohibitions, freezes and filters, as CountPMUEvents() of the
 * Arm ARM (J1.3.1) decides them, for all contexts at once.
 */
#include "internal.h"

#define SECURE_CONTEXTS 0x007u
#define NONSECURE_CONTEXTS 0x038u
#define REALM_CONTEXTS 0x1c0u
#define EL3_CONTEXT (1u << VPMU_CTX_EL3)
#define EL2_CONTEXTS 0x124u
#define SECURE_EL2_CONTEXT 0x004u
#define SECURE_EL0_CONTEXT 0x001u

/* Which bit takes a context out, and which bit inverts that. NSH lets EL2 in instead. */
static const struct {
    uint64_t bit;
    uint64_t inverted_by;
} filters[VPMU_CTX_COUNT] = {
    {VPMU_TYPER_U, 0},
    {VPMU_TYPER_P, 0},
    {VPMU_TYPER_NSH, VPMU_TYPER_SH},
    {VPMU_TYPER_U, VPMU_TYPER_NSU},
    {VPMU_TYPER_P, VPMU_TYPER_NSK},
    {VPMU_TYPER_NSH, 0},
    {VPMU_TYPER_U, VPMU_TYPER_RLU},
    {VPMU_TYPER_P, VPMU_TYPER_RLK},
    {VPMU_TYPER_NSH, VPMU_TYPER_RLH},
    {VPMU_TYPER_P, VPMU_TYPER_M},
};

static unsigned existing(const struct vpmu *v)
{
    unsigned contexts = NONSECURE_CONTEXTS;

    if (vpmu_has_(v, VPMU_HAS_EL3)) {
        contexts |= SECURE_CONTEXTS | EL3_CONTEXT;
    }
    if (!vpmu_has_(v, VPMU_HAS_EL2)) {
        contexts &= ~EL2_CONTEXTS;
    } else if (!vpmu_has_(v, VPMU_HAS_SECURE_EL2)) {
        contexts &= ~SECURE_EL2_CONTEXT;
    }
    if (vpmu_has_(v, VPMU_HAS_REALM)) {
        contexts |= REALM_CONTEXTS;
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

/* Contexts in which event counting is prohibited. */
static unsigned prohibited(const struct vpmu *v, bool second_range)
{
    uint64_t el2 = v->controls.mdcr_el2;
    uint64_t el3 = v->controls.mdcr_el3;
    bool p7 = v->config.version >= VPMU_V3P7 && !vpmu_has_(v, VPMU_HAS_NO_AARCH64);
    bool spme = el3 & VPMU_MDCR_EL3_SPME;
    bool mpmx = p7 && (el3 & VPMU_MDCR_EL3_MPMX);
    unsigned contexts = 0;

    if (vpmu_has_(v, VPMU_HAS_EL3) && !spme && !mpmx) {
        contexts |= SECURE_CONTEXTS | EL3_CONTEXT;
        if (v->controls.secure_el0_allowed) {
            contexts &= ~SECURE_EL0_CONTEXT;
        }
    }
    if (mpmx && (!spme || !second_range)) {
        contexts |= EL3_CONTEXT;
    }
    if (v->config.version >= VPMU_V3P1 && !second_range && (el2 & VPMU_MDCR_EL2_HPMD)) {
        contexts |= EL2_CONTEXTS;
    }
    return contexts;
}

/* Contexts in which cycle counting is prohibited, whatever PMCR.DP says. */
static unsigned cycles_prohibited(const struct vpmu *v)
{
    uint64_t el3 = v->controls.mdcr_el3;
    unsigned contexts = 0;

    if (v->config.version >= VPMU_V3P5 && (el3 & VPMU_MDCR_EL3_SCCD)) {
        contexts |= SECURE_CONTEXTS | EL3_CONTEXT;
    }
    if (v->config.version >= VPMU_V3P5 && (v->controls.mdcr_el2 & VPMU_MDCR_EL2_HCCD)) {
        contexts |= EL2_CONTEXTS;
    }
    if (v->config.version >= VPMU_V3P7 && !vpmu_has_(v, VPMU_HAS_NO_AARCH64) &&
        (el3 & VPMU_MDCR_EL3_MCCD)) {
        contexts |= EL3_CONTEXT;
    }
    return contexts;
}

bool vpmu_freezes_(const struct vpmu *v, bool second_range)
{
    return v->config.version >= VPMU_V3P7 &&
           (second_range ? (v->controls.mdcr_el2 & VPMU_MDCR_EL2_HPMFZO) != 0
                         : (v->pmcr & VPMU_PMCR_FZO) != 0);
}

static bool frozen_on_overflow(const struct vpmu *v, bool second_range)
{
    uint64_t second = vpmu_second_range_(v);
    uint64_t range = second_range ? second : ~second & ~VPMU_BIT(VPMU_CYCLE_COUNTER);

    return vpmu_freezes_(v, second_range) && (v->ovs & range);
}

static bool frozen_by_spe(const struct vpmu *v, bool second_range)
{
    if (!vpmu_has_(v, VPMU_HAS_SPE) || !v->controls.spe_stopped) {
        return false;
    }
    return second_range ? (v->controls.mdcr_el2 & VPMU_MDCR_EL2_HPMFZS) != 0
                        : (v->pmcr & VPMU_PMCR_FZS) != 0;
}

bool vpmu_enabled_(const struct vpmu *v, unsigned idx)
{
    bool second_range = vpmu_second_range_(v) & VPMU_BIT(idx);
    bool global = second_range ? (v->controls.mdcr_el2 & VPMU_MDCR_EL2_HPME) != 0
                               : (v->pmcr & VPMU_PMCR_E) != 0;

    return global && (v->cnten & VPMU_BIT(idx)) && !v->controls.halted;
}

uint16_t vpmu_ctx_mask_(const struct vpmu *v, unsigned idx)
{
    bool second_range = vpmu_second_range_(v) & VPMU_BIT(idx);
    unsigned contexts = existing(v);

    if (!vpmu_enabled_(v, idx)) {
        return 0;
    }
    if (idx != VPMU_CYCLE_COUNTER) {
        if (frozen_on_overflow(v, second_range) || frozen_by_spe(v, second_range)) {
            return 0;
        }
        contexts &= ~prohibited(v, second_range);
    } else {
        /* Without FEAT_SPE_DPFZS a stop of SPE does not touch the cycle counter. */
        if (v->pmcr & VPMU_PMCR_DP) {
            contexts &= frozen_on_overflow(v, false) ? 0 : ~prohibited(v, false);
        }
        contexts &= ~cycles_prohibited(v);
    }
    return (uint16_t)(contexts & passed_by_filter(v->counter[idx].type));
}
