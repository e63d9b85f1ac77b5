/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* BRBE's registers and instructions: encodings, access, reads and writes. */
#include "../bits.h"
#include "brbe_internal.h"
#include "vpmu/errors.h"

#define BRB64(op1, crn, crm, op2) VPMU_ENC64(2, op1, crn, crm, op2)
#define SYS64(op1, crn, crm, op2) VPMU_ENC64(1, op1, crn, crm, op2)
#define SBRBE_ALL 3u
#define SBRBE_NON_SECURE_BIT 1u

static const struct vpmu_brbe_reg_info rows[] = {
    [VPMU_BRBCR_EL1] = {"BRBCR_EL1", BRB64(1, 9, 0, 0), VPMU_RW},
    [VPMU_BRBCR_EL2] = {"BRBCR_EL2", BRB64(4, 9, 0, 0), VPMU_RW},
    [VPMU_BRBCR_EL12] = {"BRBCR_EL12", BRB64(5, 9, 0, 0), VPMU_RW},
    [VPMU_BRBFCR] = {"BRBFCR_EL1", BRB64(1, 9, 0, 1), VPMU_RW},
    [VPMU_BRBTS] = {"BRBTS_EL1", BRB64(1, 9, 0, 2), VPMU_RW},
    [VPMU_BRBINFINJ] = {"BRBINFINJ_EL1", BRB64(1, 9, 1, 0), VPMU_RW},
    [VPMU_BRBSRCINJ] = {"BRBSRCINJ_EL1", BRB64(1, 9, 1, 1), VPMU_RW},
    [VPMU_BRBTGTINJ] = {"BRBTGTINJ_EL1", BRB64(1, 9, 1, 2), VPMU_RW},
    [VPMU_BRBIDR0] = {"BRBIDR0_EL1", BRB64(1, 9, 2, 0), VPMU_RO},
    [VPMU_BRB_IALL] = {"BRB_IALL", SYS64(1, 7, 2, 4), VPMU_WO},
    [VPMU_BRB_INJ] = {"BRB_INJ", SYS64(1, 7, 2, 5), VPMU_WO},
    [VPMU_BRBINF0] = {"BRBINF<n>_EL1", BRB64(1, 8, 0, 0), VPMU_RO},
    [VPMU_BRBSRC0] = {"BRBSRC<n>_EL1", BRB64(1, 8, 0, 1), VPMU_RO},
    [VPMU_BRBTGT0] = {"BRBTGT<n>_EL1", BRB64(1, 8, 0, 2), VPMU_RO},
};

/* Member 0 of a register's family; the register itself if it belongs to no family. */
static unsigned first_of(unsigned reg)
{
    return reg < VPMU_BRBINF0
               ? reg
               : VPMU_BRBINF0 + (reg - VPMU_BRBINF0) / VPMU_BRBE_BANK * VPMU_BRBE_BANK;
}

const struct vpmu_brbe_reg_info *vpmu_brbe_reg_info(unsigned reg)
{
    return reg < VPMU_BRBE_REG_COUNT ? &rows[first_of(reg)] : NULL;
}

/* A member has n[3:0] in CRm, and n[4] in the highest bit of op2. */
uint16_t vpmu_brbe_reg_encoding(unsigned reg)
{
    unsigned first = first_of(reg);
    unsigned n = reg - first;

    return (uint16_t)(rows[first].enc | VPMU_ENC64(0, 0, 0, n & 15, n >> 4 << 2));
}

static bool traps_to_el3(const struct vpmu_brbe *b)
{
    uint64_t sbrbe = (b->pe.mdcr_el3 & VPMU_MDCR_EL3_SBRBE) >> VPMU_MDCR_EL3_SBRBE_SHIFT;

    if (!b->config.has_el3 || b->pe.el == 3) {
        return false;
    }
    return b->pe.secure ? sbrbe != SBRBE_ALL : !(sbrbe & SBRBE_NON_SECURE_BIT);
}

enum vpmu_access vpmu_brbe_access(const struct vpmu_brbe *b, unsigned reg, bool write)
{
    const struct vpmu_brbe_reg_info *info = vpmu_brbe_reg_info(reg);

    if (!info || info->dir == (write ? VPMU_RO : VPMU_WO) || b->pe.el == 0 ||
        b->pe.aarch32 & VPMU_BIT(b->pe.el)) {
        return VPMU_ACCESS_UNDEFINED;
    }
    if (reg == VPMU_BRBCR_EL2 && b->pe.el < 2) {
        return VPMU_ACCESS_UNDEFINED;
    }
    if (reg == VPMU_BRBCR_EL12 && (b->pe.el < 2 || !b->config.has_el2 || !b->pe.e2h)) {
        return VPMU_ACCESS_UNDEFINED;
    }
    return traps_to_el3(b) ? VPMU_ACCESS_TRAP_EL3 : VPMU_ACCESS_OK;
}

/* Which BRBCR an access reaches: 0 for EL1, 1 for EL2. */
static unsigned cr_of(const struct vpmu_brbe *b, unsigned reg)
{
    return reg == VPMU_BRBCR_EL2 || (reg == VPMU_BRBCR_EL1 && b->pe.el == 2 && b->pe.e2h);
}

static uint64_t read_record(const struct vpmu_brbe *b, unsigned reg)
{
    unsigned bank = (b->fcr & VPMU_BRBFCR_BANK) >> VPMU_BRBFCR_BANK_SHIFT;
    unsigned first = first_of(reg);
    const struct vpmu_branch *branch =
        vpmu_branch_get(&b->ring, bank * VPMU_BRBE_BANK + reg - first);

    if (!branch) {
        return 0;
    }
    if (first == VPMU_BRBINF0) {
        return vpmu_brbe_inf_(branch);
    }
    return first == VPMU_BRBSRC0 ? branch->from : branch->to;
}

static uint64_t read(const struct vpmu_brbe *b, unsigned reg)
{
    switch (reg) {
    case VPMU_BRBCR_EL1:
    case VPMU_BRBCR_EL2:
    case VPMU_BRBCR_EL12:
        return b->cr[cr_of(b, reg)];
    case VPMU_BRBFCR:
        return b->fcr;
    case VPMU_BRBTS:
        return b->ts;
    case VPMU_BRBINFINJ:
        return b->inf_inj;
    case VPMU_BRBSRCINJ:
        return b->src_inj;
    case VPMU_BRBTGTINJ:
        return b->tgt_inj;
    case VPMU_BRBIDR0:
        return VPMU_BRBIDR0_CC_20_BITS | b->config.records;
    default:
        return read_record(b, reg);
    }
}

int vpmu_brbe_read(const struct vpmu_brbe *b, unsigned reg, uint64_t *val)
{
    const struct vpmu_brbe_reg_info *info = vpmu_brbe_reg_info(reg);

    *val = 0;
    if (!info || info->dir == VPMU_WO) {
        return -VPMU_ERR_REG;
    }
    *val = read(b, reg);
    return 0;
}

/* Without EL2, BRBCR_EL2 is RES0. */
static void write_cr(struct vpmu_brbe *b, unsigned index, uint64_t val)
{
    if (index == 0 || b->config.has_el2) {
        b->cr[index] = val & VPMU_BRBCR_KEPT_;
    }
}

static void inject(struct vpmu_brbe *b)
{
    struct vpmu_branch branch = vpmu_brbe_injected_(b->inf_inj, b->src_inj, b->tgt_inj);

    vpmu_branch_insert(&b->ring, &branch);
}

int vpmu_brbe_write(struct vpmu_brbe *b, unsigned reg, uint64_t val)
{
    switch (reg) {
    case VPMU_BRBCR_EL1:
    case VPMU_BRBCR_EL2:
    case VPMU_BRBCR_EL12:
        write_cr(b, cr_of(b, reg), val);
        break;
    case VPMU_BRBFCR:
        b->fcr = val & VPMU_BRBFCR_KEPT_;
        break;
    case VPMU_BRBTS:
        b->ts = val;
        break;
    case VPMU_BRBINFINJ:
        b->inf_inj = val & VPMU_BRBINF_KEPT_;
        break;
    case VPMU_BRBSRCINJ:
        b->src_inj = val;
        break;
    case VPMU_BRBTGTINJ:
        b->tgt_inj = val;
        break;
    case VPMU_BRB_IALL:
        vpmu_branch_clear(&b->ring);
        break;
    case VPMU_BRB_INJ:
        inject(b);
        break;
    default:
        return -VPMU_ERR_REG;
    }
    vpmu_brbe_update_(b);
    return 0;
}
