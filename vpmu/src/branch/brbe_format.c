/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* Format 0 of branch records: BRBINF<n>_EL1, and exceptions as types. */
#include "brbe_internal.h"

/* CC: an exponent of 6 bits and a mantissa of 8, whose highest bit is implied above exponent 0. */
#define MANTISSA_BITS 8
#define EXPONENT_SHIFT (VPMU_BRBINF_CC_SHIFT + MANTISSA_BITS)
/* More cycles than fit into 20 bits have all bits of CC set. */
#define CYCLES_BITS 20

static uint64_t encode_cycles(uint32_t cycles)
{
    uint64_t exponent = 0;

    if (cycles >= 1u << CYCLES_BITS) {
        return VPMU_BRBINF_CC;
    }
    if (cycles >= 1u << MANTISSA_BITS) {
        for (exponent = 1; cycles >= 2u << MANTISSA_BITS; exponent++) {
            cycles /= 2;
        }
    }
    return exponent << EXPONENT_SHIFT | (uint64_t)(cycles & ((1u << MANTISSA_BITS) - 1))
                                            << VPMU_BRBINF_CC_SHIFT;
}

/* An exponent that no count of 20 bits has means more than that. */
static uint32_t decode_cycles(uint64_t inf)
{
    uint64_t exponent = (inf & VPMU_BRBINF_CC) >> EXPONENT_SHIFT;
    uint32_t mantissa = inf >> VPMU_BRBINF_CC_SHIFT & ((1u << MANTISSA_BITS) - 1);

    if (exponent > CYCLES_BITS - MANTISSA_BITS) {
        return UINT32_MAX;
    }
    return exponent ? (mantissa | 1u << MANTISSA_BITS) << (exponent - 1) : mantissa;
}

uint64_t vpmu_brbe_inf_(const struct vpmu_branch *branch)
{
    uint64_t inf = 0;

    if (!(branch->flags & (VPMU_BRANCH_HAS_FROM | VPMU_BRANCH_HAS_TO))) {
        return 0;
    }
    inf |= branch->flags & VPMU_BRANCH_HAS_FROM ? VPMU_BRBINF_SOURCE : 0;
    inf |= branch->flags & VPMU_BRANCH_HAS_TO ? VPMU_BRBINF_TARGET : 0;
    inf |= branch->flags & VPMU_BRANCH_MISPREDICTED ? VPMU_BRBINF_MPRED : 0;
    inf |= branch->flags & VPMU_BRANCH_HAS_CYCLES ? encode_cycles(branch->cycles) : VPMU_BRBINF_CCU;
    return inf | (uint64_t)branch->level << VPMU_BRBINF_EL_SHIFT |
           (uint64_t)branch->type << VPMU_BRBINF_TYPE_SHIFT;
}

/* Fields that VALID, CCU or TYPE make RES0 are not recorded. */
struct vpmu_branch vpmu_brbe_injected_(uint64_t inf, uint64_t src, uint64_t tgt)
{
    struct vpmu_branch branch = {0};

    if (!(inf & (VPMU_BRBINF_SOURCE | VPMU_BRBINF_TARGET))) {
        return branch;
    }
    branch.type = (uint8_t)((inf & VPMU_BRBINF_TYPE) >> VPMU_BRBINF_TYPE_SHIFT);
    if (inf & VPMU_BRBINF_SOURCE) {
        branch.flags |= VPMU_BRANCH_HAS_FROM;
        branch.from = src;
        if ((inf & VPMU_BRBINF_MPRED) && !(branch.type & 0x20)) {
            branch.flags |= VPMU_BRANCH_MISPREDICTED;
        }
    }
    if (inf & VPMU_BRBINF_TARGET) {
        branch.flags |= VPMU_BRANCH_HAS_TO;
        branch.to = tgt;
        branch.level = (uint8_t)((inf & VPMU_BRBINF_EL) >> VPMU_BRBINF_EL_SHIFT);
    }
    if (!(inf & VPMU_BRBINF_CCU)) {
        branch.flags |= VPMU_BRANCH_HAS_CYCLES;
        branch.cycles = decode_cycles(inf);
    }
    return branch;
}

/* Types by ESR_ELx.EC; classes that are not here are traps. */
static const uint8_t types[] = {
    [0x0d] = VPMU_BRTYPE_INSN_FAULT,  /* branch target */
    [0x11] = VPMU_BRTYPE_SYSTEM_CALL, /* SVC, AArch32 */
    [0x12] = VPMU_BRTYPE_SYSTEM_CALL, /* HVC, AArch32 */
    [0x13] = VPMU_BRTYPE_SYSTEM_CALL, /* SMC, AArch32 */
    [0x15] = VPMU_BRTYPE_SYSTEM_CALL, /* SVC */
    [0x16] = VPMU_BRTYPE_SYSTEM_CALL, /* HVC */
    [0x17] = VPMU_BRTYPE_SYSTEM_CALL, /* SMC */
    [0x1c] = VPMU_BRTYPE_DATA_FAULT,  /* pointer authentication */
    [0x1e] = VPMU_BRTYPE_DATA_FAULT,  /* granule protection check, see below */
    [0x20] = VPMU_BRTYPE_INSN_FAULT,  /* instruction abort, lower EL */
    [0x21] = VPMU_BRTYPE_INSN_FAULT,  /* instruction abort */
    [0x22] = VPMU_BRTYPE_ALIGNMENT,   /* PC alignment */
    [0x24] = VPMU_BRTYPE_DATA_FAULT,  /* data abort, lower EL */
    [0x25] = VPMU_BRTYPE_DATA_FAULT,  /* data abort */
    [0x26] = VPMU_BRTYPE_ALIGNMENT,   /* SP alignment */
    [0x2d] = VPMU_BRTYPE_DATA_FAULT,  /* guarded control stack, see below */
    [0x2f] = VPMU_BRTYPE_SERROR,      /* SError */
    [0x30] = VPMU_BRTYPE_INSN_DEBUG,  /* breakpoint, lower EL */
    [0x31] = VPMU_BRTYPE_INSN_DEBUG,  /* breakpoint */
    [0x32] = VPMU_BRTYPE_INSN_DEBUG,  /* software step, lower EL */
    [0x33] = VPMU_BRTYPE_INSN_DEBUG,  /* software step */
    [0x34] = VPMU_BRTYPE_DATA_DEBUG,  /* watchpoint, lower EL */
    [0x35] = VPMU_BRTYPE_DATA_DEBUG,  /* watchpoint */
    [0x38] = VPMU_BRTYPE_INSN_DEBUG,  /* BKPT, AArch32 */
    [0x3a] = VPMU_BRTYPE_INSN_DEBUG,  /* vector catch, AArch32 */
    [0x3c] = VPMU_BRTYPE_INSN_DEBUG,  /* BRK */
};

#define EC_SHIFT 26
#define EC_MASK 0x3f
#define EC_SVC32 0x11
#define EC_SVC 0x15
#define EC_SMC32 0x13
#define EC_SMC 0x17
#define EC_GPC 0x1e
#define EC_GCS 0x2d
/* ISS of a granule protection check: it was a fetch. */
#define GPC_IND (1u << 20)
#define GCS_EXTYPE(syndrome) ((syndrome) >> 20 & 0xf)

/* Tells whether a system call is trapped to another level than its usual one. */
static bool call_traps(unsigned ec, unsigned source_el, unsigned target_el, bool tge)
{
    if (ec == EC_SMC || ec == EC_SMC32) {
        return target_el != 3;
    }
    if (ec == EC_SVC || ec == EC_SVC32) {
        return target_el == 2 && source_el < 2 && !(source_el == 0 && tge);
    }
    return false;
}

enum vpmu_branch_type vpmu_brbe_exception_type(uint64_t syndrome, unsigned source_el,
                                               unsigned target_el, bool tge)
{
    unsigned ec = syndrome >> EC_SHIFT & EC_MASK;

    if (call_traps(ec, source_el, target_el, tge)) {
        return VPMU_BRTYPE_TRAP;
    }
    if (ec == EC_GPC && (syndrome & GPC_IND)) {
        return VPMU_BRTYPE_INSN_FAULT;
    }
    if (ec == EC_GCS && GCS_EXTYPE(syndrome)) {
        return GCS_EXTYPE(syndrome) == 1 ? VPMU_BRTYPE_INSN_FAULT : VPMU_BRTYPE_TRAP;
    }
    return ec < sizeof(types) && types[ec] ? types[ec] : VPMU_BRTYPE_TRAP;
}
