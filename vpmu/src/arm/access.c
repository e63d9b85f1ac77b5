/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* Which accesses are allowed, in the order of the Arm ARM's accessor pseudocode (D24.5). */
#include "arm_internal.h"

unsigned vpmu_accessible_(const struct vpmu_setup_ *s, const struct vpmu_pe *pe)
{
    return pe->el < 2 && pe->el2_enabled ? s->hpmn : s->config->counters;
}

/* PMUSERENR has no UEN under an AArch32 EL1 (Arm ARM G8.4.18). TID exists there, too. */
static uint64_t userenr(const struct vpmu_setup_ *s, const struct vpmu_pe *pe)
{
    return pe->el1_aarch32 ? s->regs->userenr & ~VPMU_USERENR_UEN : s->regs->userenr;
}

/* Tells whether PMUSERENR.UEN restricts this access. */
static bool is_restricted(const struct vpmu_setup_ *s, const struct vpmu_pe *pe)
{
    return pe->el == 0 && (userenr(s, pe) & VPMU_USERENR_UEN);
}

/* The PMUSERENR bits of each rule. Any of them allows access from EL0. */
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

static bool el0_may(const struct vpmu_setup_ *s, unsigned rule, const struct vpmu_pe *pe,
                    bool write)
{
    uint64_t bits = userenr(s, pe);

    if (rule == VPMU_EL0_RO) {
        return true;
    }
    if ((rule == VPMU_EL0_PMCR && (bits & VPMU_USERENR_UEN)) ||
        (rule == VPMU_EL0_ID && (bits & VPMU_USERENR_TID))) {
        return false;
    }
    return bits & (write ? lets_el0_in[rule].to_write : lets_el0_in[rule].to_read);
}

static bool is_undefined(const struct vpmu_setup_ *s, unsigned reg, const struct vpmu_pe *pe,
                         bool write)
{
    const struct vpmu_reg_info *info = vpmu_arm_reg_info(reg);

    if (!vpmu_exists_(s->config, reg, pe->aarch32) || info->dir == (write ? VPMU_RO : VPMU_WO)) {
        return true;
    }
    return pe->el == 0 && (info->el0 == VPMU_EL0_NEVER || (info->el0 == VPMU_EL0_RO && write));
}

unsigned vpmu_selected_(const struct vpmu_arm_regs *regs, unsigned reg)
{
    if (reg == VPMU_PMXEVTYPER) {
        return regs->selr == VPMU_CYCLE_COUNTER ? VPMU_PMCCFILTR
                                                : VPMU_PMEVTYPER0 + (unsigned)regs->selr;
    }
    if (reg == VPMU_PMXEVCNTR) {
        /*
         * PMEVCNTR31 does not exist. Selecting it is like selecting a counter that is not
         * implemented.
         */
        return regs->selr < VPMU_MAX_EVENT_COUNTERS ? VPMU_PMEVCNTR0 + (unsigned)regs->selr
                                                    : VPMU_REG_COUNT;
    }
    return reg;
}

int vpmu_event_counter_of_(unsigned reg)
{
    if (reg >= VPMU_PMEVTYPER0 && reg < VPMU_REG_COUNT) {
        return (int)(reg - VPMU_PMEVTYPER0);
    }
    return reg >= VPMU_PMEVCNTR0 && reg < VPMU_PMEVTYPER0 ? (int)(reg - VPMU_PMEVCNTR0) : -1;
}

static bool el2_traps(const struct vpmu_setup_ *s, unsigned reg, const struct vpmu_pe *pe)
{
    uint64_t mdcr = s->controls->mdcr_el2;

    if (pe->el > 1 || !pe->el2_enabled) {
        return false;
    }
    return (mdcr & VPMU_MDCR_EL2_TPM) || (reg == VPMU_PMCR && (mdcr & VPMU_MDCR_EL2_TPMCR)) ||
           vpmu_event_counter_of_(vpmu_selected_(s->regs, reg)) >= (int)vpmu_accessible_(s, pe);
}

static bool el3_traps(const struct vpmu_setup_ *s, unsigned reg, const struct vpmu_pe *pe)
{
    uint64_t mdcr = s->controls->mdcr_el3;

    if (pe->el == 3 || !vpmu_has_(s->config, VPMU_HAS_EL3) ||
        vpmu_has_(s->config, VPMU_HAS_NO_AARCH64)) {
        return false;
    }
    return (mdcr & VPMU_MDCR_EL3_TPM) ||
           (vpmu_arm_reg_info(reg)->enpm2 && !(mdcr & VPMU_MDCR_EL3_ENPM2));
}

enum vpmu_access vpmu_access_(const struct vpmu_setup_ *s, unsigned reg, const struct vpmu_pe *pe,
                              bool write)
{
    if (is_undefined(s, reg, pe, write) ||
        !vpmu_exists_(s->config, vpmu_selected_(s->regs, reg), pe->aarch32)) {
        return VPMU_ACCESS_UNDEFINED;
    }
    if (pe->el3_undef && el3_traps(s, reg, pe)) {
        return VPMU_ACCESS_UNDEFINED;
    }
    if (pe->el == 0 && !el0_may(s, vpmu_arm_reg_info(reg)->el0, pe, write)) {
        if (pe->tge) {
            return VPMU_ACCESS_TRAP_EL2;
        }
        return pe->el1_aarch32 ? VPMU_ACCESS_UNDEFINED : VPMU_ACCESS_TRAP_EL1;
    }
    if (el2_traps(s, reg, pe)) {
        return VPMU_ACCESS_TRAP_EL2;
    }
    return el3_traps(s, reg, pe) ? VPMU_ACCESS_TRAP_EL3 : VPMU_ACCESS_OK;
}

/*
 * The counters whose bits an access can see or change: GetPMUAccessMask() and the functions after
 * it (Arm ARM J1.3.1).
 */
static uint64_t access_mask(const struct vpmu_setup_ *s, const struct vpmu_pe *pe)
{
    uint64_t mask = vpmu_below_(vpmu_accessible_(s, pe)) | VPMU_BIT(VPMU_CYCLE_COUNTER);
    bool uen = is_restricted(s, pe);

    if (vpmu_has_(s->config, VPMU_HAS_ICNTR) && !pe->aarch32 && (pe->el != 0 || uen)) {
        mask |= VPMU_BIT(VPMU_INST_COUNTER);
    }
    return uen ? mask & s->regs->uacr : mask;
}

static uint64_t without_f0_if(uint64_t mask, bool condition)
{
    return condition ? mask & ~VPMU_BIT(VPMU_INST_COUNTER) : mask;
}

static bool enpm2_hides(const struct vpmu_setup_ *s, const struct vpmu_pe *pe)
{
    return vpmu_has_(s->config, VPMU_HAS_EL3) && pe->el != 3 &&
           !(s->controls->mdcr_el3 & VPMU_MDCR_EL3_ENPM2);
}

uint64_t vpmu_read_mask_(const struct vpmu_setup_ *s, const struct vpmu_pe *pe)
{
    return without_f0_if(access_mask(s, pe), enpm2_hides(s, pe) || pe->f0_read_trapped);
}

uint64_t vpmu_write_mask_(const struct vpmu_setup_ *s, const struct vpmu_pe *pe)
{
    uint64_t mask = access_mask(s, pe);

    if (is_restricted(s, pe)) {
        if (s->regs->userenr & VPMU_USERENR_IR) {
            mask &= ~VPMU_BIT(VPMU_INST_COUNTER);
        }
        if (s->regs->userenr & VPMU_USERENR_CR) {
            mask &= ~VPMU_BIT(VPMU_CYCLE_COUNTER);
        }
        if (s->regs->userenr & VPMU_USERENR_ER) {
            mask &= ~vpmu_below_(VPMU_MAX_EVENT_COUNTERS);
        }
    }
    return without_f0_if(mask, enpm2_hides(s, pe) || pe->f0_write_trapped);
}

bool vpmu_may_touch_(const struct vpmu_setup_ *s, const struct vpmu_pe *pe, unsigned idx,
                     bool write)
{
    static const uint64_t read_only_by[] = {VPMU_USERENR_ER, VPMU_USERENR_CR, VPMU_USERENR_IR};

    if (!is_restricted(s, pe)) {
        return true;
    }
    if (!(s->regs->uacr & VPMU_BIT(idx))) {
        return false;
    }
    return !write || !(s->regs->userenr & read_only_by[idx < VPMU_CYCLE_COUNTER ? 0 : idx - 30]);
}

uint64_t vpmu_swinc_mask_(const struct vpmu_setup_ *s, const struct vpmu_pe *pe)
{
    uint64_t mask = vpmu_below_(vpmu_accessible_(s, pe));
    bool some = is_restricted(s, pe) && !(s->regs->userenr & VPMU_USERENR_SW);

    return some ? mask & s->regs->uacr : mask;
}
