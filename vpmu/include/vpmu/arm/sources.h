/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#ifndef VPMU_ARM_SOURCES_H
#define VPMU_ARM_SOURCES_H

#include "vpmu/decls.h"
#include "vpmu/sources.h"

VPMU_DECLS_BEGIN

/* The sources that only Arm has. The others are those of enum vpmu_source. */
enum vpmu_arm_source {
    /*
     * With VPMU_SRC_INST_RETIRED, _LD_RETIRED and _ST_RETIRED, what vpmu_insn_a64(),
     * vpmu_insn_a32() and vpmu_insn_t32() return. The machine can tally a block of instructions at
     * once.
     */
    VPMU_SRC_DP = VPMU_SRC_INSN_OWN, /* integer data processing */
    VPMU_SRC_ASE,                    /* Advanced SIMD data processing */
    VPMU_SRC_VFP,                    /* scalar floating point */
    VPMU_SRC_BR_IMMED,
    VPMU_SRC_BR_RETURN,
    VPMU_SRC_BR_INDIRECT, /* neither immediate nor a return */
    VPMU_SRC_ISB,
    VPMU_SRC_DSB,
    VPMU_SRC_DMB,
    VPMU_SRC_CID_WRITE,
    VPMU_SRC_TTBR_WRITE,
    VPMU_SRC_EXC_RETURN,
    VPMU_SRC_PC_WRITE, /* a taken branch; the machine adds it for conditional ones */
    VPMU_SRC_INSN_END,

    /* A load or store is unaligned. */
    VPMU_SRC_UNALIGNED = VPMU_SRC_INSN_END,

    /* Exceptions, in the context from which they are taken. */
    VPMU_SRC_EXC_UNDEF = VPMU_SRC_OWN,
    VPMU_SRC_EXC_SVC,
    VPMU_SRC_EXC_PABORT,
    VPMU_SRC_EXC_DABORT,
    VPMU_SRC_EXC_IRQ,
    VPMU_SRC_EXC_FIQ,
    VPMU_SRC_EXC_SMC,
    VPMU_SRC_EXC_HVC,
    VPMU_SRC_EXC_TRAP_PABORT,
    VPMU_SRC_EXC_TRAP_DABORT,
    VPMU_SRC_EXC_TRAP_OTHER,
    VPMU_SRC_EXC_TRAP_IRQ,
    VPMU_SRC_EXC_TRAP_FIQ,

    /* AArch32 loads, stores and returns whose condition fails: see vpmu_insn_cond_failed(). */
    VPMU_SRC_DETAIL,
    VPMU_SRC_LD_SKIPPED = VPMU_SRC_DETAIL,
    VPMU_SRC_ST_SKIPPED,
    VPMU_SRC_BR_RETURN_SKIPPED,
    /*
     * What instructions do in detail: what vpmu_insn_a64_detail() and the like return. The ones up
     * to VPMU_SRC_OPS count instructions.
     */
    VPMU_SRC_EFFECTIVE, /* all but MOVPRFX */
    VPMU_SRC_LDREX,     /* load-exclusive */
    VPMU_SRC_RC_LD,     /* load-acquire */
    VPMU_SRC_RC_ST,     /* store-release */
    VPMU_SRC_CRYPTO,
    VPMU_SRC_DCZVA,
    VPMU_SRC_PRE_INDEX,
    VPMU_SRC_POST_INDEX,
    VPMU_SRC_PRF_BASE,   /* PRFM, PRFUM */
    VPMU_SRC_PRF_CONTIG, /* SVE's prefetches: of adjacent elements, of others */
    VPMU_SRC_PRF_GATHER,
    VPMU_SRC_BASE_LD_REG, /* loads and stores of general-purpose registers */
    VPMU_SRC_BASE_ST_REG,
    VPMU_SRC_FP_LD, /* loads and stores of SIMD&FP registers that are not of structures */
    VPMU_SRC_FP_ST,
    VPMU_SRC_ASE_SVE_LD, /* loads and stores of SVE and of Advanced SIMD structures */
    VPMU_SRC_ASE_SVE_ST,
    VPMU_SRC_LD_MULTI, /* of these: structures of two to four elements */
    VPMU_SRC_ST_MULTI,
    VPMU_SRC_LD_BROADCAST, /* of these: one element or quadword to all of a vector */
    VPMU_SRC_SVE_LDR_REG,  /* LDR and STR of a vector and of a predicate */
    VPMU_SRC_SVE_STR_REG,
    VPMU_SRC_SVE_LDR_PREG,
    VPMU_SRC_SVE_STR_PREG,
    VPMU_SRC_SVE_LD_GATHER,
    VPMU_SRC_SVE_ST_SCATTER,
    VPMU_SRC_SVE_LDFF,   /* first-fault and non-fault loads */
    VPMU_SRC_ASE_VECTOR, /* Advanced SIMD: data processing; loads and stores of structures and Q
                            registers */
    VPMU_SRC_ASE_SCALAR, /* Advanced SIMD: data processing of scalars */
    VPMU_SRC_SVE_SIMD,   /* SVE with a vector or predicate register */
    VPMU_SRC_SVE_SCALAR, /* SVE without either: not SIMD */
    VPMU_SRC_SVE_PREG,   /* SVE without a governing predicate, but with another predicate */
    VPMU_SRC_SVE_MATH,   /* FTSMUL, FTMAD, FTSSEL, FEXPA */
    VPMU_SRC_MOVPRFX,
    VPMU_SRC_FP_MV,
    /* Floating-point data processing by precision: that of the source for a conversion. */
    VPMU_SRC_FP_HP,
    VPMU_SRC_FP_SP,
    VPMU_SRC_FP_DP,
    VPMU_SRC_FP_FMA,
    VPMU_SRC_FP_RECPE,
    VPMU_SRC_FP_CVT,
    /* Integer data processing of Advanced SIMD and SVE by the size of an element, in bits. */
    VPMU_SRC_VEC_INT8,
    VPMU_SRC_VEC_INT16,
    VPMU_SRC_VEC_INT32,
    VPMU_SRC_VEC_INT64,
    /*
     * Floating-point operations, up to 16 for an instruction: of Advanced SIMD and scalar
     * instructions, then of SVE for each 128 bits of a vector.
     */
    VPMU_SRC_OPS,
    VPMU_SRC_FP_HP_FIXED_OPS = VPMU_SRC_OPS,
    VPMU_SRC_FP_SP_FIXED_OPS,
    VPMU_SRC_FP_DP_FIXED_OPS,
    VPMU_SRC_FP_HP_SCALE_OPS,
    VPMU_SRC_FP_SP_SCALE_OPS,
    VPMU_SRC_FP_DP_SCALE_OPS,
    VPMU_SRC_DETAIL_END,

    /* Store-exclusives by their outcome. */
    VPMU_SRC_STREX_PASS = VPMU_SRC_DETAIL_END,
    VPMU_SRC_STREX_FAIL,
    /* SVE with a governing predicate, by its active elements: none, all, some but not all. */
    VPMU_SRC_SVE_PRED_EMPTY,
    VPMU_SRC_SVE_PRED_FULL,
    VPMU_SRC_SVE_PRED_PARTIAL,
    VPMU_SRC_SVE_LDFF_FAULT, /* a subset of SVE_LDFF: those that write 0 to a bit of FFR */
    /* Subsets of LD_RETIRED and ST_RETIRED: those that compare an allocation tag. */
    VPMU_SRC_MEM_ACCESS_CHECKED_RD,
    VPMU_SRC_MEM_ACCESS_CHECKED_WR,
    /* Subsets of UNALIGNED; an atomic is in both. */
    VPMU_SRC_UNALIGNED_LD,
    VPMU_SRC_UNALIGNED_ST,
    /* L1D_CACHE_REFILL_RD and _WR, from another cache or from memory. */
    VPMU_SRC_L1D_CACHE_REFILL_INNER,
    VPMU_SRC_L1D_CACHE_REFILL_OUTER,
    VPMU_SRC_COUNT,
};

VPMU_STATIC_ASSERT((int)VPMU_SRC_UNALIGNED < (int)VPMU_SRC_CPU_CYCLES, "numbers of instructions");
VPMU_STATIC_ASSERT((int)VPMU_SRC_COUNT <= (int)VPMU_SRC_LIMIT, "sources fit in a mask");

/* All sources of Arm. */
#define VPMU_SRC_ALL VPMU_SRC_FROM_TO(0, VPMU_SRC_COUNT - 1)
/* The sources that an instruction's encoding shows. */
#define VPMU_SRC_INSNS (VPMU_SRC_BIT(VPMU_SRC_INSN_END) - 1)
/* What vpmu_insn_a64_detail() and the like return. */
#define VPMU_SRCS_DETAIL VPMU_SRC_FROM_TO(VPMU_SRC_EFFECTIVE, VPMU_SRC_DETAIL_END - 1)
/* The sources that vpmu_insn_cond_failed() adds. */
#define VPMU_SRCS_SKIPPED VPMU_SRC_FROM_TO(VPMU_SRC_LD_SKIPPED, VPMU_SRC_BR_RETURN_SKIPPED)
/* Those of VPMU_SRCS_DETAIL that count operations. */
#define VPMU_SRCS_OPS VPMU_SRC_FROM_TO(VPMU_SRC_OPS, VPMU_SRC_DETAIL_END - 1)
/* Subsets of results of models, which the machine tallies in addition. */
#define VPMU_SRCS_MEMORY_DETAIL                                                                    \
    VPMU_SRC_FROM_TO(VPMU_SRC_L1D_CACHE_REFILL_INNER, VPMU_SRC_L1D_CACHE_REFILL_OUTER)
#define VPMU_SRCS_EXCEPTIONS VPMU_SRC_FROM_TO(VPMU_SRC_EXC_UNDEF, VPMU_SRC_EXC_TRAP_FIQ)

/**
 * vpmu_arm_source_name() - the name of a source
 * @source: enum vpmu_source or enum vpmu_arm_source, any value.
 *
 * Return: a constant: the name of the enumerator in lower case, such as "inst-retired"; NULL if Arm
 * has no such source.
 */
const char *vpmu_arm_source_name(unsigned source);

VPMU_DECLS_END

#endif
