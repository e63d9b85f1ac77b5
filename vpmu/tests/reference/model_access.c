/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#include "model.h"

#define EVENT_COUNTERS ((1ull << VPMU_CYCLE_COUNTER) - 1)
#define CYCLE_BIT (1ull << VPMU_CYCLE_COUNTER)
#define INST_BIT (1ull << VPMU_INST_COUNTER)

/* The bits of PMUSERENR that allow an access at EL0. One of them is enough. */
#define EN VPMU_USERENR_EN
#define SW VPMU_USERENR_SW
#define CR VPMU_USERENR_CR
#define ER VPMU_USERENR_ER
#define UEN VPMU_USERENR_UEN

enum views {
    VIEW64 = 1,
    VIEW32 = 2,
    BOTH = VIEW64 | VIEW32,
};

/* Accessors that differ from the common pattern. */
enum special {
    TRAPPED_BY_TPMCR = 1,
    TRAPPED_BY_ENPM2 = 2,
    TRAPPED_BY_TID = 4,
    ALWAYS_READ_AT_EL0 = 8,
    NO_READ = 16,
    NO_WRITE = 32,
    UEN_FORBIDS = 64,
};

struct rule {
    uint8_t views;
    uint8_t version;
    uint8_t el0_read;
    uint8_t el0_write;
    uint8_t special;
};

/* Arm ARM D24.5 and G8.4, the accessor pseudocode of each register. */
static const struct rule rules[] = {
    [VPMU_PMCR] = {BOTH, VPMU_V3, EN, EN, TRAPPED_BY_TPMCR | UEN_FORBIDS},
    [VPMU_PMCNTENSET] = {BOTH, VPMU_V3, EN | UEN, EN | UEN, 0},
    [VPMU_PMCNTENCLR] = {BOTH, VPMU_V3, EN | UEN, EN | UEN, 0},
    [VPMU_PMOVSCLR] = {BOTH, VPMU_V3, EN | UEN, EN | UEN, 0},
    [VPMU_PMOVSSET] = {BOTH, VPMU_V3, EN | UEN, EN | UEN, 0},
    [VPMU_PMSWINC] = {BOTH, VPMU_V3, 0, EN | UEN | SW, NO_READ},
    [VPMU_PMSELR] = {BOTH, VPMU_V3, EN | UEN | ER, EN | UEN | ER, 0},
    [VPMU_PMXEVTYPER] = {BOTH, VPMU_V3, EN | UEN, EN | UEN, 0},
    [VPMU_PMXEVCNTR] = {BOTH, VPMU_V3, EN | UEN | ER, EN | UEN, 0},
    [VPMU_PMCCNTR] = {BOTH, VPMU_V3, EN | UEN | CR, EN | UEN, 0},
    [VPMU_PMCCNTR_WIDE] = {VIEW32, VPMU_V3, EN | UEN | CR, EN | UEN, 0},
    [VPMU_PMCCFILTR] = {BOTH, VPMU_V3, EN | UEN, EN | UEN, 0},
    [VPMU_PMCEID0] = {BOTH, VPMU_V3, EN | UEN, 0, NO_WRITE | TRAPPED_BY_TID},
    [VPMU_PMCEID1] = {BOTH, VPMU_V3, EN | UEN, 0, NO_WRITE | TRAPPED_BY_TID},
    [VPMU_PMCEID2] = {VIEW32, VPMU_V3P1, EN | UEN, 0, NO_WRITE | TRAPPED_BY_TID},
    [VPMU_PMCEID3] = {VIEW32, VPMU_V3P1, EN | UEN, 0, NO_WRITE | TRAPPED_BY_TID},
    [VPMU_PMUSERENR] = {BOTH, VPMU_V3, 0, 0, ALWAYS_READ_AT_EL0},
    [VPMU_PMINTENSET] = {BOTH, VPMU_V3, 0, 0, 0},
    [VPMU_PMINTENCLR] = {BOTH, VPMU_V3, 0, 0, 0},
    [VPMU_PMMIR] = {BOTH, VPMU_V3P4, 0, 0, NO_WRITE},
    [VPMU_PMUACR] = {VIEW64, VPMU_V3P9, 0, 0, TRAPPED_BY_ENPM2},
    [VPMU_PMICNTR] = {VIEW64, VPMU_V3P9, UEN, UEN, TRAPPED_BY_ENPM2},
    [VPMU_PMICFILTR] = {VIEW64, VPMU_V3P9, UEN, UEN, TRAPPED_BY_ENPM2},
    [VPMU_PMZR] = {VIEW64, VPMU_V3P9, 0, EN | UEN, NO_READ},
};

static const struct rule event_counter_rule = {BOTH, VPMU_V3, EN | UEN | ER, EN | UEN, 0};
static const struct rule event_type_rule = {BOTH, VPMU_V3, EN | UEN, EN | UEN, 0};

/* The encodings of registers: op1, CRn, CRm, op2. AArch32 has no op1. */
static const uint8_t names[][4] = {
    [VPMU_PMCR] = {3, 9, 12, 0},        [VPMU_PMCNTENSET] = {3, 9, 12, 1},
    [VPMU_PMCNTENCLR] = {3, 9, 12, 2},  [VPMU_PMOVSCLR] = {3, 9, 12, 3},
    [VPMU_PMOVSSET] = {3, 9, 14, 3},    [VPMU_PMSWINC] = {3, 9, 12, 4},
    [VPMU_PMSELR] = {3, 9, 12, 5},      [VPMU_PMXEVTYPER] = {3, 9, 13, 1},
    [VPMU_PMXEVCNTR] = {3, 9, 13, 2},   [VPMU_PMCCNTR] = {3, 9, 13, 0},
    [VPMU_PMCCNTR_WIDE] = {0, 0, 9, 0}, [VPMU_PMCCFILTR] = {3, 14, 15, 7},
    [VPMU_PMCEID0] = {3, 9, 12, 6},     [VPMU_PMCEID1] = {3, 9, 12, 7},
    [VPMU_PMCEID2] = {3, 9, 14, 4},     [VPMU_PMCEID3] = {3, 9, 14, 5},
    [VPMU_PMUSERENR] = {3, 9, 14, 0},   [VPMU_PMINTENSET] = {0, 9, 14, 1},
    [VPMU_PMINTENCLR] = {0, 9, 14, 2},  [VPMU_PMMIR] = {0, 9, 14, 6},
    [VPMU_PMUACR] = {0, 9, 14, 4},      [VPMU_PMICNTR] = {3, 9, 4, 0},
    [VPMU_PMICFILTR] = {3, 9, 6, 0},    [VPMU_PMZR] = {3, 9, 13, 4},
};

static const struct rule *rule_of(unsigned reg)
{
    if (reg >= VPMU_REG_COUNT) {
        return NULL;
    }
    if (reg >= VPMU_PMEVTYPER0) {
        return &event_type_rule;
    }
    return reg >= VPMU_PMEVCNTR0 ? &event_counter_rule : &rules[reg];
}

int model_event_counter(const struct model *m, unsigned reg)
{
    unsigned sel = (unsigned)m->selr;

    if (reg >= VPMU_PMEVTYPER0) {
        return (int)(reg - VPMU_PMEVTYPER0);
    }
    if (reg >= VPMU_PMEVCNTR0) {
        return (int)(reg - VPMU_PMEVCNTR0);
    }
    if (reg == VPMU_PMXEVCNTR || (reg == VPMU_PMXEVTYPER && sel != VPMU_CYCLE_COUNTER)) {
        return (int)sel;
    }
    return -1;
}

bool model_exists(const struct model *m, unsigned reg, bool aarch32)
{
    const struct rule *rule = rule_of(reg);
    unsigned missing = aarch32 ? VPMU_HAS_NO_AARCH32 : VPMU_HAS_NO_AARCH64;

    if (rule == NULL || (rule->views & (aarch32 ? VIEW32 : VIEW64)) == 0 || model_has(m, missing) ||
        m->config.version < rule->version) {
        return false;
    }
    if (reg == VPMU_PMICNTR || reg == VPMU_PMICFILTR) {
        return model_has(m, VPMU_HAS_ICNTR);
    }
    return reg < VPMU_PMEVCNTR0 || model_event_counter(m, reg) < m->config.counters;
}

bool model_is_impossible(const struct model *m, unsigned reg, bool aarch32, bool write)
{
    return !model_exists(m, reg, aarch32) ||
           (rule_of(reg)->special & (write ? NO_WRITE : NO_READ)) != 0;
}

uint16_t model_encoding(unsigned reg, bool aarch32)
{
    bool is_type = reg >= VPMU_PMEVTYPER0;
    unsigned n = reg - (is_type ? VPMU_PMEVTYPER0 : VPMU_PMEVCNTR0);
    uint8_t name[4] = {3, 14, (uint8_t)((is_type ? 12 : 8) + n / 8 % 4), (uint8_t)(n % 8)};

    if ((rule_of(reg)->views & (aarch32 ? VIEW32 : VIEW64)) == 0) {
        return VPMU_ENC_NONE;
    }
    for (unsigned i = 0; i < 4 && reg < VPMU_PMEVCNTR0; i++) {
        name[i] = names[reg][i];
    }
    if (reg == VPMU_PMCCNTR_WIDE) {
        return VPMU_ENC32_WIDE(0, name[2]);
    }
    if (aarch32) {
        return VPMU_ENC32(0, name[1], name[2], name[3]);
    }
    return VPMU_ENC64(3, name[0], name[1], name[2], name[3]);
}

bool model_uen(const struct model *m, const struct vpmu_pe *pe)
{
    return m->config.version >= VPMU_V3P9 && pe->el == 0 && !pe->el1_aarch32 &&
           (m->userenr & VPMU_USERENR_UEN) != 0;
}

/* GetNumEventCountersAccessible */
static unsigned accessible_counters(const struct model *m, const struct vpmu_pe *pe)
{
    return pe->el < 2 && pe->el2_enabled ? model_hpmn(m) : m->config.counters;
}

static bool el0_may(const struct model *m, const struct rule *rule, const struct vpmu_pe *pe,
                    bool write)
{
    uint64_t userenr =
        m->userenr & (VPMU_USERENR_EN | VPMU_USERENR_SW | VPMU_USERENR_CR | VPMU_USERENR_ER);

    if (model_uen(m, pe)) {
        if ((rule->special & UEN_FORBIDS) != 0) {
            return false;
        }
        userenr |= VPMU_USERENR_UEN;
    }
    return (userenr & (write ? rule->el0_write : rule->el0_read)) != 0;
}

/* The target of an access at EL0 that PMUSERENR does not allow. */
static enum vpmu_access el0_trap(const struct vpmu_pe *pe)
{
    if (pe->tge) {
        return VPMU_ACCESS_TRAP_EL2;
    }
    return pe->el1_aarch32 ? VPMU_ACCESS_UNDEFINED : VPMU_ACCESS_TRAP_EL1;
}

/* The checks that apply only to accesses at EL0. */
static enum vpmu_access el0_access(const struct model *m, const struct rule *rule,
                                   const struct vpmu_pe *pe, bool write)
{
    if ((rule->special & ALWAYS_READ_AT_EL0) != 0) {
        return write ? VPMU_ACCESS_UNDEFINED : VPMU_ACCESS_OK;
    }
    if ((write ? rule->el0_write : rule->el0_read) == 0) {
        return VPMU_ACCESS_UNDEFINED;
    }
    if (!el0_may(m, rule, pe, write)) {
        return el0_trap(pe);
    }
    if ((rule->special & TRAPPED_BY_TID) != 0 && m->config.version >= VPMU_V3P9 &&
        (m->userenr & VPMU_USERENR_TID) != 0) {
        return el0_trap(pe);
    }
    return VPMU_ACCESS_OK;
}

/* MDCR_EL2's traps of EL0 and EL1. */
static bool el2_traps(const struct model *m, const struct rule *rule, unsigned reg,
                      const struct vpmu_pe *pe)
{
    uint64_t mdcr = m->controls.mdcr_el2;
    int counter = model_event_counter(m, reg);

    if (pe->el >= 2 || !pe->el2_enabled) {
        return false;
    }
    if ((mdcr & VPMU_MDCR_EL2_TPM) != 0) {
        return true;
    }
    if ((rule->special & TRAPPED_BY_TPMCR) != 0 && (mdcr & VPMU_MDCR_EL2_TPMCR) != 0) {
        return true;
    }
    return counter >= 0 && (unsigned)counter >= accessible_counters(m, pe);
}

/* The traps of MDCR_EL3. SDCR has none. */
static bool el3_traps(const struct model *m, const struct rule *rule, const struct vpmu_pe *pe)
{
    uint64_t mdcr = m->controls.mdcr_el3;

    if (pe->el == 3 || !model_has(m, VPMU_HAS_EL3) || model_has(m, VPMU_HAS_NO_AARCH64)) {
        return false;
    }
    if ((rule->special & TRAPPED_BY_ENPM2) != 0 && (mdcr & VPMU_MDCR_EL3_ENPM2) == 0) {
        return true;
    }
    return (mdcr & VPMU_MDCR_EL3_TPM) != 0;
}

enum vpmu_access model_access(const struct model *m, unsigned reg, const struct vpmu_pe *pe,
                              bool write)
{
    const struct rule *rule = rule_of(reg);

    if (model_is_impossible(m, reg, pe->aarch32, write) ||
        model_event_counter(m, reg) >= m->config.counters) {
        return VPMU_ACCESS_UNDEFINED;
    }
    /* EL3SDDUndefPriority is IMPLEMENTATION DEFINED. In the library, this check comes first. */
    if (pe->el3_undef && el3_traps(m, rule, pe)) {
        return VPMU_ACCESS_UNDEFINED;
    }
    if (pe->el == 0) {
        enum vpmu_access access = el0_access(m, rule, pe, write);

        if (access != VPMU_ACCESS_OK) {
            return access;
        }
    }
    if (el2_traps(m, rule, reg, pe)) {
        return VPMU_ACCESS_TRAP_EL2;
    }
    return el3_traps(m, rule, pe) ? VPMU_ACCESS_TRAP_EL3 : VPMU_ACCESS_OK;
}

uint64_t model_access_mask(const struct model *m, const struct vpmu_pe *pe)
{
    uint64_t mask = CYCLE_BIT | ((1ull << accessible_counters(m, pe)) - 1);

    if (model_has(m, VPMU_HAS_ICNTR) && !pe->aarch32 && (pe->el != 0 || model_uen(m, pe))) {
        mask |= INST_BIT;
    }
    return model_uen(m, pe) ? mask & m->uacr : mask;
}

/* Bit F0, if an access to PMICFILTR would trap to EL3 or EL2. */
static uint64_t trapped_f0(const struct model *m, const struct vpmu_pe *pe, bool trapped_by_el2)
{
    if (model_has(m, VPMU_HAS_EL3) && pe->el != 3 &&
        (m->controls.mdcr_el3 & VPMU_MDCR_EL3_ENPM2) == 0) {
        return INST_BIT;
    }
    return trapped_by_el2 ? INST_BIT : 0;
}

uint64_t model_read_mask(const struct model *m, const struct vpmu_pe *pe)
{
    return model_access_mask(m, pe) & ~trapped_f0(m, pe, pe->f0_read_trapped);
}

uint64_t model_write_mask(const struct model *m, const struct vpmu_pe *pe)
{
    uint64_t mask = model_access_mask(m, pe);

    if (model_uen(m, pe)) {
        mask &= (m->userenr & VPMU_USERENR_IR) != 0 ? ~INST_BIT : UINT64_MAX;
        mask &= (m->userenr & VPMU_USERENR_CR) != 0 ? ~CYCLE_BIT : UINT64_MAX;
        mask &= (m->userenr & VPMU_USERENR_ER) != 0 ? ~EVENT_COUNTERS : UINT64_MAX;
    }
    return mask & ~trapped_f0(m, pe, pe->f0_write_trapped);
}
