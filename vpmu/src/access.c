/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* Who may touch which register, in the order of the Arm ARM's accessor pseudocode (D24.5). */
#include "internal.h"

unsigned vpmu_accessible_(const struct vpmu *v, const struct vpmu_pe *pe)
{
    return pe->el < 2 && pe->el2_enabled ? vpmu_hpmn_(v) : v->config.counters;
}

/* PMUSERENR.UEN and TID are there only from PMUv3p9 on and only under an AArch64 EL1. */
static uint64_t userenr(const struct vpmu *v, const struct vpmu_pe *pe)
{
    return pe->el1_aarch32 ? v->userenr & ~(VPMU_USERENR_UEN | VPMU_USERENR_TID) : v->userenr;
}

bool vpmu_uen_(const struct vpmu *v, const struct vpmu_pe *pe)
{
    return pe->el == 0 && (userenr(v, pe) & VPMU_USERENR_UEN);
}

/* The PMUSERENR bits of which one lets EL0 in. */
static const struct {
    uint64_t to_read;
    uint64_t to_write;
} lets_el0_in[] = {
    [VPMU_EL0_EN] = {VPMU_USERENR_EN | VPMU_USERENR_UEN, VPMU_USERENR_EN | VPMU_USERENR_UEN},
    [VPMU_EL0_EN_ER] = {VPMU_USERENR_EN | VPMU_USERENR_UEN | VPMU_USERENR_ER,
                        VPMU_USERENR_EN | VPMU_USERENR_UEN},
    [VPMU_EL0_SELR] = {VPMU_USERENR_EN | VPMU_USERENR_UEN | VPMU_USERENR_ER,
                       VPMU_USERENR_EN | VPMU_USERENR_UEN | VPMU_USERENR_ER},
    [VPMU_EL0_EN_CR] = {VPMU_USERENR_EN | VPMU_USERENR_UEN | VPMU_USERENR_CR,
                        VPMU_USERENR_EN | VPMU_USERENR_UEN},
    [VPMU_EL0_EN_SW] = {0, VPMU_USERENR_EN | VPMU_USERENR_UEN | VPMU_USERENR_SW},
    [VPMU_EL0_PMCR] = {VPMU_USERENR_EN, VPMU_USERENR_EN},
    [VPMU_EL0_ID] = {VPMU_USERENR_EN | VPMU_USERENR_UEN, 0},
    [VPMU_EL0_UEN] = {VPMU_USERENR_UEN, VPMU_USERENR_UEN},
};

static bool el0_may(const struct vpmu *v, unsigned rule, const struct vpmu_pe *pe, bool write)
{
    uint64_t bits = userenr(v, pe);

    if (rule == VPMU_EL0_RO) {
        return true;
    }
    if ((rule == VPMU_EL0_PMCR && (bits & VPMU_USERENR_UEN)) ||
        (rule == VPMU_EL0_ID && (bits & VPMU_USERENR_TID))) {
        return false;
    }
    return bits & (write ? lets_el0_in[rule].to_write : lets_el0_in[rule].to_read);
}

static bool is_undefined(const struct vpmu *v, unsigned reg, const struct vpmu_pe *pe, bool write)
{
    const struct vpmu_reg_info *info = vpmu_reg_info(reg);

    if (!vpmu_reg_exists(v, reg, pe->aarch32) || info->dir == (write ? VPMU_RO : VPMU_WO)) {
        return true;
    }
    return pe->el == 0 && (info->el0 == VPMU_EL0_NEVER || (info->el0 == VPMU_EL0_RO && write));
}

unsigned vpmu_selected_(const struct vpmu *v, unsigned reg)
{
    if (reg == VPMU_PMXEVTYPER) {
        return v->selr == VPMU_CYCLE_COUNTER ? VPMU_PMCCFILTR : VPMU_PMEVTYPER0 + (unsigned)v->selr;
    }
    if (reg == VPMU_PMXEVCNTR) {
        /* There is no PMEVCNTR31: selecting it is like selecting one that is not implemented. */
        return v->selr < VPMU_MAX_EVENT_COUNTERS ? VPMU_PMEVCNTR0 + (unsigned)v->selr
                                                 : VPMU_REG_COUNT;
    }
    return reg;
}

/* The event counter that a register belongs to, or -1. */
static int event_counter_of(unsigned reg)
{
    if (reg >= VPMU_PMEVTYPER0 && reg < VPMU_REG_COUNT) {
        return (int)(reg - VPMU_PMEVTYPER0);
    }
    return reg >= VPMU_PMEVCNTR0 && reg < VPMU_PMEVTYPER0 ? (int)(reg - VPMU_PMEVCNTR0) : -1;
}

static bool el2_traps(const struct vpmu *v, unsigned reg, const struct vpmu_pe *pe)
{
    uint64_t mdcr = v->controls.mdcr_el2;

    if (pe->el > 1 || !pe->el2_enabled) {
        return false;
    }
    return (mdcr & VPMU_MDCR_EL2_TPM) || (reg == VPMU_PMCR && (mdcr & VPMU_MDCR_EL2_TPMCR)) ||
           event_counter_of(vpmu_selected_(v, reg)) >= (int)vpmu_accessible_(v, pe);
}

static bool el3_traps(const struct vpmu *v, unsigned reg, const struct vpmu_pe *pe)
{
    uint64_t mdcr = v->controls.mdcr_el3;

    if (pe->el == 3 || !vpmu_has_(v, VPMU_HAS_EL3) || vpmu_has_(v, VPMU_HAS_NO_AARCH64)) {
        return false;
    }
    return (mdcr & VPMU_MDCR_EL3_TPM) ||
           (vpmu_reg_info(reg)->enpm2 && !(mdcr & VPMU_MDCR_EL3_ENPM2));
}

enum vpmu_access vpmu_reg_access(const struct vpmu *v, unsigned reg, const struct vpmu_pe *pe,
                                 bool write)
{
    if (is_undefined(v, reg, pe, write) ||
        !vpmu_reg_exists(v, vpmu_selected_(v, reg), pe->aarch32)) {
        return VPMU_ACCESS_UNDEFINED;
    }
    if (pe->el3_undef && el3_traps(v, reg, pe)) {
        return VPMU_ACCESS_UNDEFINED;
    }
    if (pe->el == 0 && !el0_may(v, vpmu_reg_info(reg)->el0, pe, write)) {
        if (pe->tge) {
            return VPMU_ACCESS_TRAP_EL2;
        }
        return pe->el1_aarch32 ? VPMU_ACCESS_UNDEFINED : VPMU_ACCESS_TRAP_EL1;
    }
    if (el2_traps(v, reg, pe)) {
        return VPMU_ACCESS_TRAP_EL2;
    }
    return el3_traps(v, reg, pe) ? VPMU_ACCESS_TRAP_EL3 : VPMU_ACCESS_OK;
}
