/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* SPE's registers: encodings, access, reads and writes. */
#include "../bits.h"
#include "spe_internal.h"
#include "vpmu/errors.h"

#define PMS64(op1, crn, crm, op2) VPMU_ENC64(3, op1, crn, crm, op2)

static const struct vpmu_spe_reg_info rows[] = {
    [VPMU_PMSCR_EL1] = {"PMSCR_EL1", PMS64(0, 9, 9, 0), VPMU_RW},
    [VPMU_PMSCR_EL2] = {"PMSCR_EL2", PMS64(4, 9, 9, 0), VPMU_RW},
    [VPMU_PMSCR_EL12] = {"PMSCR_EL12", PMS64(5, 9, 9, 0), VPMU_RW},
    [VPMU_PMSNEVFR] = {"PMSNEVFR_EL1", PMS64(0, 9, 9, 1), VPMU_RW},
    [VPMU_PMSICR] = {"PMSICR_EL1", PMS64(0, 9, 9, 2), VPMU_RW},
    [VPMU_PMSIRR] = {"PMSIRR_EL1", PMS64(0, 9, 9, 3), VPMU_RW},
    [VPMU_PMSFCR] = {"PMSFCR_EL1", PMS64(0, 9, 9, 4), VPMU_RW},
    [VPMU_PMSEVFR] = {"PMSEVFR_EL1", PMS64(0, 9, 9, 5), VPMU_RW},
    [VPMU_PMSLATFR] = {"PMSLATFR_EL1", PMS64(0, 9, 9, 6), VPMU_RW},
    [VPMU_PMSIDR] = {"PMSIDR_EL1", PMS64(0, 9, 9, 7), VPMU_RO},
    [VPMU_PMBLIMITR] = {"PMBLIMITR_EL1", PMS64(0, 9, 10, 0), VPMU_RW},
    [VPMU_PMBPTR] = {"PMBPTR_EL1", PMS64(0, 9, 10, 1), VPMU_RW},
    [VPMU_PMBSR] = {"PMBSR_EL1", PMS64(0, 9, 10, 3), VPMU_RW},
    [VPMU_PMBIDR] = {"PMBIDR_EL1", PMS64(0, 9, 10, 7), VPMU_RO},
};

const struct vpmu_spe_reg_info *vpmu_spe_reg_info(unsigned reg)
{
    return reg < VPMU_SPE_REG_COUNT ? &rows[reg] : NULL;
}

bool vpmu_spe_has_reg(const struct vpmu_spe *s, unsigned reg)
{
    if (reg == VPMU_PMSNEVFR) {
        return s->config.version >= VPMU_SPE_V1P2;
    }
    return reg < VPMU_SPE_REG_COUNT;
}

static uint64_t kept_of_cr(const struct vpmu_spe_config *config)
{
    uint64_t pct = config->has_ecv ? VPMU_PMSCR_PCT : 1ull << VPMU_PMSCR_PCT_SHIFT;

    return VPMU_PMSCR_E0SPE | VPMU_PMSCR_EXSPE | VPMU_PMSCR_CX | VPMU_PMSCR_PA | VPMU_PMSCR_TS |
           pct;
}

uint64_t vpmu_spe_kept_(const struct vpmu_spe_config *config, unsigned reg)
{
    bool v1p2 = config->version >= VPMU_SPE_V1P2;

    switch (reg) {
    case VPMU_PMSCR_EL1:
    case VPMU_PMSCR_EL12:
        return kept_of_cr(config);
    case VPMU_PMSCR_EL2:
        return config->has_el2 ? kept_of_cr(config) : 0;
    case VPMU_PMSNEVFR:
        return v1p2 ? vpmu_spe_event_mask_(config) : 0;
    case VPMU_PMSICR:
        return VPMU_LOW32;
    case VPMU_PMSIRR:
        return VPMU_PMSIRR_INTERVAL | VPMU_PMSIRR_RND;
    case VPMU_PMSFCR:
        return VPMU_PMSFCR_FE | VPMU_PMSFCR_FT | VPMU_PMSFCR_FL | VPMU_PMSFCR_B | VPMU_PMSFCR_LD |
               VPMU_PMSFCR_ST | (v1p2 ? VPMU_PMSFCR_FNE : 0);
    case VPMU_PMSEVFR:
        return vpmu_spe_event_mask_(config);
    case VPMU_PMSLATFR:
        return VPMU_PMSLATFR_MINLAT;
    case VPMU_PMBLIMITR:
        return VPMU_PMBLIMITR_LIMIT | VPMU_PMBLIMITR_E | (v1p2 ? VPMU_PMBLIMITR_FM : 0) |
               (config->freezes ? VPMU_PMBLIMITR_PMFZ : 0);
    case VPMU_PMBPTR:
        return ~(uint64_t)(VPMU_SPE_RECORD_SIZE - 1);
    case VPMU_PMBSR:
        return VPMU_PMBSR_EC | VPMU_PMBSR_DL | VPMU_PMBSR_EA | VPMU_PMBSR_S | VPMU_PMBSR_COLL |
               VPMU_PMBSR_MSS;
    default:
        return 0;
    }
}

/*
 * The buffer belongs to another security state, or EL3 traps accesses of its owner, too. EL3 has a
 * trap of its own for PMSNEVFR_EL1.
 */
static bool traps_to_el3(const struct vpmu_spe *s, unsigned reg)
{
    if (!s->config.has_el3 || s->pe.el == 3) {
        return false;
    }
    return !(s->pe.mdcr_el3 & VPMU_MDCR_EL3_NSPB_OPEN) || vpmu_spe_owner(s).state != s->pe.state ||
           (reg == VPMU_PMSNEVFR && !(s->pe.mdcr_el3 & VPMU_MDCR_EL3_ENPMSN));
}

static bool traps_to_el2(const struct vpmu_spe *s, unsigned reg)
{
    if (s->pe.el != 1 || !s->pe.el2_enabled) {
        return false;
    }
    return reg >= VPMU_PMBLIMITR ? !(s->pe.mdcr_el2 & VPMU_MDCR_EL2_E2PB_OPEN)
                                 : s->pe.mdcr_el2 & VPMU_MDCR_EL2_TPMS;
}

enum vpmu_access vpmu_spe_access(const struct vpmu_spe *s, unsigned reg, bool write)
{
    if (!vpmu_spe_has_reg(s, reg) || (write && rows[reg].dir == VPMU_RO) || s->pe.el == 0 ||
        s->pe.aarch32 & VPMU_BIT(s->pe.el)) {
        return VPMU_ACCESS_UNDEFINED;
    }
    if (reg == VPMU_PMSCR_EL2 && s->pe.el < 2) {
        return VPMU_ACCESS_UNDEFINED;
    }
    if (reg == VPMU_PMSCR_EL12 && (s->pe.el < 2 || !s->config.has_el2 || !s->pe.e2h)) {
        return VPMU_ACCESS_UNDEFINED;
    }
    if (reg == VPMU_PMBIDR) {
        return VPMU_ACCESS_OK;
    }
    if (traps_to_el2(s, reg)) {
        return VPMU_ACCESS_TRAP_EL2;
    }
    return traps_to_el3(s, reg) ? VPMU_ACCESS_TRAP_EL3 : VPMU_ACCESS_OK;
}

static uint64_t pmsidr(const struct vpmu_spe *s)
{
    return VPMU_PMSIDR_FE | VPMU_PMSIDR_FT | VPMU_PMSIDR_FL | VPMU_PMSIDR_ARCH_INST |
           VPMU_PMSIDR_LDS | (s->config.version >= VPMU_SPE_V1P2 ? VPMU_PMSIDR_FNE : 0) |
           (uint64_t)VPMU_SPE_RECORD_SHIFT << VPMU_PMSIDR_MAX_SIZE_SHIFT |
           VPMU_PMSIDR_COUNT_SIZE_12 | (s->config.version >= VPMU_SPE_V1P4 ? VPMU_PMSIDR_CRR : 0);
}

static uint64_t pmbidr(const struct vpmu_spe *s)
{
    bool allowed = s->pe.el == 3 || vpmu_spe_owned_here_(s);

    return VPMU_SPE_RECORD_SHIFT | (allowed ? 0 : VPMU_PMBIDR_P) |
           (s->config.updates ? VPMU_PMBIDR_F : 0);
}

/* Which PMSCR an access reaches: 0 for EL1, 1 for EL2. */
static unsigned cr_of(const struct vpmu_spe *s, unsigned reg)
{
    return reg == VPMU_PMSCR_EL2 || (reg == VPMU_PMSCR_EL1 && s->pe.el == 2 && s->pe.e2h);
}

int vpmu_spe_read(const struct vpmu_spe *s, unsigned reg, uint64_t *val)
{
    *val = 0;
    if (!vpmu_spe_has_reg(s, reg)) {
        return -VPMU_ERR_REG;
    }
    if (reg <= VPMU_PMSCR_EL12) {
        *val = s->cr[cr_of(s, reg)];
    } else if (reg == VPMU_PMSIDR) {
        *val = pmsidr(s);
    } else if (reg == VPMU_PMBIDR) {
        *val = pmbidr(s);
    } else {
        *val = s->reg[reg];
    }
    return 0;
}

int vpmu_spe_write(struct vpmu_spe *s, unsigned reg, uint64_t val)
{
    if (!vpmu_spe_has_reg(s, reg) || rows[reg].dir == VPMU_RO) {
        return -VPMU_ERR_REG;
    }
    if (reg <= VPMU_PMSCR_EL12) {
        unsigned index = cr_of(s, reg);

        s->cr[index] = val & vpmu_spe_kept_(&s->config, index ? VPMU_PMSCR_EL2 : VPMU_PMSCR_EL1);
    } else {
        s->reg[reg] = val & vpmu_spe_kept_(&s->config, reg);
    }
    return 0;
}
