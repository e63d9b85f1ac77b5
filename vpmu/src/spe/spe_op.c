/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* The Operation Type packet of an A64 instruction: Arm ARM D17.4, SPEConstructClass(). */
#include "../bits.h"
#include "spe_internal.h"
#include "vpmu/arm/insn.h"

/* Classes. */
enum {
    OTHER = 0,
    LOAD_STORE = 1,
    BRANCH = 2,
};

/* Subclasses of loads and stores; bit 0 is set for a store. */
#define STORE 0x01
#define GENERAL 0x00
#define EXTENDED 0x02
#define SIMD_FP 0x04
#define ATOMIC 0x04 /* the following three with EXTENDED */
#define EXCLUSIVE 0x08
#define ORDERED 0x10
#define UNSPECIFIED 0x10
#define TAGS 0x14
#define COPY 0x20
#define SET 0x24
#define SVE 0x08
#define SVE_PREDICATED 0x04
#define SVE_GATHER 0x80

/* Subclasses of branches. */
#define CONDITIONAL 0x01
#define INDIRECT 0x02
#define CRR_LINK 0x08
#define CRR_RETURN 0x10
#define CRR_NEITHER 0x18

/* Subclasses of others; those of SVE have SVE and SVE_PREDICATED, too. */
#define OTHER_FP 0x02
#define OTHER_SIMD 0x04

#define SOURCE(name) VPMU_SRC_BIT(VPMU_SRC_##name)
#define SIMD_ACCESSES                                                                              \
    (SOURCE(FP_LD) | SOURCE(FP_ST) | SOURCE(ASE_SVE_LD) | SOURCE(ASE_SVE_ST) | SOURCE(LD_MULTI) |  \
     SOURCE(ST_MULTI))
#define FP_OPERATIONS                                                                              \
    (SOURCE(FP_HP) | SOURCE(FP_SP) | SOURCE(FP_DP) | SOURCE(FP_MV) | SOURCE(FP_CVT))

static bool matches(uint32_t insn, uint32_t mask, uint32_t value)
{
    return (insn & mask) == value;
}

/* FEAT_LSE atomics that only write: the STADD family, which is LDADD with XZR. */
static bool has_no_result(uint32_t insn)
{
    return matches(insn, 0x3fa08c1f, 0x3820001f);
}

static bool is_sve(uint32_t insn)
{
    return matches(insn, 0x1e000000, 0x04000000);
}

bool vpmu_spe_copy_loads(const struct vpmu_spe *s)
{
    uint64_t types = VPMU_PMSFCR_FT | VPMU_PMSFCR_LD | VPMU_PMSFCR_ST;

    return (s->reg[VPMU_PMSFCR] & types) == (VPMU_PMSFCR_FT | VPMU_PMSFCR_LD);
}

/* evl: 32, 64, 128, ... bits. */
static unsigned encoded_vector(unsigned bits)
{
    unsigned code = 0;

    while (code < 6 && 32u << code < bits) {
        code++;
    }
    return code;
}

/* All of SVE's instructions with bits [31:29] = 3 are floating point, whatever their precision. */
static bool is_fp(uint32_t insn, struct vpmu_insn_detail detail)
{
    return detail.sources & FP_OPERATIONS || matches(insn, 0xfe000000, 0x64000000);
}

static unsigned sve_subclass(struct vpmu_insn_detail detail, unsigned vector)
{
    bool gathers = detail.sources & (SOURCE(SVE_LD_GATHER) | SOURCE(SVE_ST_SCATTER));

    return SVE | encoded_vector(vector) << 4 | (gathers ? SVE_GATHER : 0) |
           (detail.predicated ? SVE_PREDICATED : 0);
}

/* CPY* and SET*, from FEAT_SPEv1p3 on. */
static unsigned memory_subclass(const struct vpmu_spe *s, uint32_t insn)
{
    if (s->config.version < VPMU_SPE_V1P3) {
        return UNSPECIFIED;
    }
    return matches(insn, 0x00c00000, 0x00c00000) ? SET : COPY;
}

static unsigned access_subclass(const struct vpmu_spe *s, const struct vpmu_spe_sample *sample,
                                bool atomic)
{
    uint32_t insn = sample->insn;
    struct vpmu_insn_detail decoded = vpmu_insn_a64_detail(insn);
    vpmu_sources detail = decoded.sources;
    unsigned extended = 0;

    if (is_sve(insn)) {
        return sve_subclass(decoded, sample->vector);
    }
    if (matches(insn, 0x3b200c00, 0x19000400)) {
        return memory_subclass(s, insn);
    }
    if (matches(insn, 0xff200000, 0xd9200000)) {
        return TAGS;
    }
    if (detail & SIMD_ACCESSES) {
        return SIMD_FP;
    }
    if (detail & (SOURCE(RC_LD) | SOURCE(RC_ST))) {
        extended |= ORDERED;
    }
    if (atomic) {
        extended |= ATOMIC;
    } else if (matches(insn, 0x3f800000, 0x08000000)) {
        extended |= EXCLUSIVE;
    }
    if (extended) {
        return extended | EXTENDED;
    }
    return detail & (SOURCE(BASE_LD_REG) | SOURCE(BASE_ST_REG)) ? GENERAL : UNSPECIFIED;
}

static struct vpmu_spe_op_ access_op(const struct vpmu_spe *s, const struct vpmu_spe_sample *sample,
                                     unsigned types)
{
    bool copies = matches(sample->insn, 0x3b200c00, 0x19000400) && types & VPMU_SPE_LOADS_;
    bool atomic = types == (VPMU_SPE_LOADS_ | VPMU_SPE_STORES_) && !copies;

    if (copies) {
        types = vpmu_spe_copy_loads(s) ? VPMU_SPE_LOADS_ : VPMU_SPE_STORES_;
    } else if (matches(sample->insn, 0x3f200c1f, 0x3820001f)) {
        /* To SPE, only those of the STADD family have no result. */
        atomic = true;
        types = has_no_result(sample->insn) ? VPMU_SPE_STORES_ : VPMU_SPE_LOADS_ | VPMU_SPE_STORES_;
    }
    return (struct vpmu_spe_op_){
        .types = (uint8_t)types,
        .class = LOAD_STORE,
        .subclass =
            (uint8_t)(access_subclass(s, sample, atomic) | (types == VPMU_SPE_STORES_ ? STORE : 0)),
    };
}

static struct vpmu_spe_op_ branch_op(const struct vpmu_spe *s, uint32_t insn, vpmu_sources sources)
{
    bool direct = sources & SOURCE(BR_IMMED);
    bool conditional =
        direct && (!(sources & SOURCE(PC_WRITE)) || matches(insn, 0xff000000, 0x54000000));
    bool link = direct ? matches(insn, 0xfc000000, 0x94000000)
                       : sources & SOURCE(BR_INDIRECT) && matches(insn, 0x00e00000, 0x00200000);
    unsigned subclass = (conditional ? CONDITIONAL : 0) | (direct ? 0 : INDIRECT);

    if (s->config.version >= VPMU_SPE_V1P4) {
        subclass |= link ? CRR_LINK : sources & SOURCE(BR_RETURN) ? CRR_RETURN : CRR_NEITHER;
    }
    return (struct vpmu_spe_op_){VPMU_SPE_BRANCHES_, BRANCH, (uint8_t)subclass, conditional};
}

static unsigned other_subclass(const struct vpmu_spe_sample *sample, vpmu_sources sources)
{
    struct vpmu_insn_detail detail = vpmu_insn_a64_detail(sample->insn);
    unsigned fp = is_fp(sample->insn, detail) || sources & SOURCE(VFP) ? OTHER_FP : 0;

    if (is_sve(sample->insn)) {
        return fp | sve_subclass(detail, sample->vector);
    }
    return fp | (sources & SOURCE(ASE) ? OTHER_SIMD : 0);
}

struct vpmu_spe_op_ vpmu_spe_op_(const struct vpmu_spe *s, const struct vpmu_spe_sample *sample)
{
    vpmu_sources sources = vpmu_insn_a64(sample->insn);
    unsigned types = (sources & SOURCE(LD_RETIRED) ? VPMU_SPE_LOADS_ : 0) |
                     (sources & SOURCE(ST_RETIRED) ? VPMU_SPE_STORES_ : 0);

    if (types) {
        return access_op(s, sample, types);
    }
    if (sources &
        (SOURCE(BR_IMMED) | SOURCE(BR_INDIRECT) | SOURCE(BR_RETURN) | SOURCE(EXC_RETURN))) {
        return branch_op(s, sample->insn, sources);
    }
    return (struct vpmu_spe_op_){.class = OTHER,
                                 .subclass = (uint8_t)other_subclass(sample, sources)};
}
