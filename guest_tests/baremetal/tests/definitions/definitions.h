/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TESTS_DEFINITIONS_H
#define TESTS_DEFINITIONS_H

/*
 * The tables of this folder are written from the definitions of the Arm ARM alone (DDI 0487 D14.1
 * to D14.3), without our own event table. This file has the events' numbers; an event's definition
 * stands under its number in D14.3.1 or D14.3.2.
 */
#define SW_INCR 0x0000
#define L1D_CACHE 0x0004
#define LD_RETIRED 0x0006
#define ST_RETIRED 0x0007
#define INST_RETIRED 0x0008
#define EXC_TAKEN 0x0009
#define EXC_RETURN 0x000a
#define CID_WRITE_RETIRED 0x000b
#define PC_WRITE_RETIRED 0x000c
#define BR_IMMED_RETIRED 0x000d
#define BR_RETURN_RETIRED 0x000e
#define UNALIGNED_LDST_RETIRED 0x000f
#define MEM_ACCESS 0x0013
#define INST_SPEC 0x001b
#define TTBR_WRITE_RETIRED 0x001c
#define BR_RETIRED 0x0021
#define L1D_TLB 0x0025
#define L1D_CACHE_RD 0x0040
#define L1D_CACHE_WR 0x0041
#define MEM_ACCESS_RD 0x0066
#define MEM_ACCESS_WR 0x0067
#define UNALIGNED_LD_SPEC 0x0068
#define UNALIGNED_ST_SPEC 0x0069
#define UNALIGNED_LDST_SPEC 0x006a
#define LDREX_SPEC 0x006c
#define STREX_PASS_SPEC 0x006d
#define STREX_FAIL_SPEC 0x006e
#define STREX_SPEC 0x006f
#define LD_SPEC 0x0070
#define ST_SPEC 0x0071
#define LDST_SPEC 0x0072
#define DP_SPEC 0x0073
#define ASE_SPEC 0x0074
#define VFP_SPEC 0x0075
#define PC_WRITE_SPEC 0x0076
#define CRYPTO_SPEC 0x0077
#define BR_IMMED_SPEC 0x0078
#define BR_RETURN_SPEC 0x0079
#define BR_INDIRECT_SPEC 0x007a
#define ISB_SPEC 0x007c
#define DSB_SPEC 0x007d
#define DMB_SPEC 0x007e
#define EXC_UNDEF 0x0081
#define EXC_SVC 0x0082
#define EXC_PABORT 0x0083
#define EXC_DABORT 0x0084
#define EXC_IRQ 0x0086
#define EXC_FIQ 0x0087
#define EXC_SMC 0x0088
#define EXC_HVC 0x008a
#define EXC_TRAP_PABORT 0x008b
#define EXC_TRAP_DABORT 0x008c
#define EXC_TRAP_OTHER 0x008d
#define EXC_TRAP_IRQ 0x008e
#define EXC_TRAP_FIQ 0x008f
#define RC_LD_SPEC 0x0090
#define RC_ST_SPEC 0x0091
#define SIMD_INST_RETIRED 0x8000
#define SVE_INST_RETIRED 0x8002
#define ASE_INST_SPEC 0x8005
#define SVE_INST_SPEC 0x8006
#define SVE_MATH_SPEC 0x800e
#define FP_SPEC 0x8010
#define FP_HP_SPEC 0x8014
#define FP_SP_SPEC 0x8018
#define FP_DP_SPEC 0x801c
#define FP_FMA_SPEC 0x8028
#define FP_RECPE_SPEC 0x8034
#define FP_CVT_SPEC 0x8038
#define ASE_SVE_INT_SPEC 0x8043
#define SVE_PRED_SPEC 0x8074
#define SVE_PRED_EMPTY_SPEC 0x8075
#define SVE_PRED_FULL_SPEC 0x8076
#define SVE_PRED_PARTIAL_SPEC 0x8077
#define SVE_PRED_NOT_FULL_SPEC 0x8079
#define SVE_MOVPRFX_SPEC 0x807c
#define ASE_SVE_LD_SPEC 0x8085
#define ASE_SVE_ST_SPEC 0x8086
#define PRF_SPEC 0x8087
#define BASE_LD_REG_SPEC 0x8089
#define BASE_ST_REG_SPEC 0x808a
#define SVE_LDR_REG_SPEC 0x8091
#define SVE_STR_REG_SPEC 0x8092
#define SVE_LDR_PREG_SPEC 0x8095
#define SVE_STR_PREG_SPEC 0x8096
#define SVE_PRF_CONTIG_SPEC 0x809f
#define ASE_SVE_LD_MULTI_SPEC 0x80a5
#define ASE_SVE_ST_MULTI_SPEC 0x80a6
#define SVE_LD_GATHER_SPEC 0x80ad
#define SVE_ST_SCATTER_SPEC 0x80ae
#define SVE_PRF_GATHER_SPEC 0x80af
#define SVE_LDFF_SPEC 0x80bc
#define SVE_LDFF_FAULT_SPEC 0x80bd
#define FP_SCALE_OPS_SPEC 0x80c0
#define FP_FIXED_OPS_SPEC 0x80c1
#define FP_HP_SCALE_OPS_SPEC 0x80c2
#define FP_HP_FIXED_OPS_SPEC 0x80c3
#define FP_SP_SCALE_OPS_SPEC 0x80c4
#define FP_SP_FIXED_OPS_SPEC 0x80c5
#define FP_DP_SCALE_OPS_SPEC 0x80c6
#define FP_DP_FIXED_OPS_SPEC 0x80c7
#define ASE_SVE_INT8_SPEC 0x80e3
#define ASE_SVE_INT16_SPEC 0x80e7
#define ASE_SVE_INT32_SPEC 0x80eb
#define ASE_SVE_INT64_SPEC 0x80ef

/* How often a row's code is executed. */
#define REPETITIONS 10

/*
 * Marks of a count: the manual leaves it to the implementation; or does so before FEAT_PMUv3p8, or
 * before FEAT_PMUv3p9. Such a count is not checked.
 */
#define COUNT_ANY 0x8000
#define COUNT_FROM_P8 0x4000
#define COUNT_FROM_P9 0x2000
#define COUNT_NUMBER 0x1fff

/* Features that a row may need. */
#define HAS_LSE 1
#define HAS_RCPC 2
#define HAS_RCPC2 3
#define HAS_FP16 4
#define HAS_CRYPTO 5
#define HAS_SVE 6
#define HAS_SVE2 7
#define HAS_BF16 8
#define HAS_FHM 9
#define HAS_FCMA 10
#define HAS_MTE 11
#define HAS_MOPS 12
#define HAS_HBC 13
#define HAS_PAUTH 14
#define HAS_JSCVT 15
#define HAS_SB 16
#define HAS_LOR 17
#define HAS_SME 18
#define HAS_NV2 19
#define HAS_VHE 20
#define HAS_SHA3 21
#define HAS_SM4 22
#define HAS_HYP 23 /* EL2 */
#define HAS_EL3 24
#define HAS_AARCH32 25 /* EL0 */

/* Where a row runs. The first four are the levels, everything else is as the runtime leaves it. */
#define AT_EL0 0
#define AT_EL1 1
#define AT_EL2 2
#define AT_EL3 3
#define AT_EL2_E2H 4  /* HCR_EL2.E2H */
#define AT_EL1_NV2 5  /* HCR_EL2.{NV2,NV1,NV} = {1,1,1}; VNCR_EL2 has a page */
#define AT_EL0_TGE 6  /* HCR_EL2.{E2H,TGE} = {0,1} */
#define AT_EL0_HOST 7 /* HCR_EL2.{E2H,TGE} = {1,1} */
#define AT_EL0_TDE 8  /* MDCR_EL2.TDE */
#define AT_EL1_TDE 9
#define AT_EL1_HCR 10       /* HCR_EL2.{TWI,TSC,TVM} */
#define AT_EL1_S2 11        /* stage 2 does not map the playground, whose first page stage 1 maps */
#define AT_EL1_NO_HVC 12    /* SCR_EL3.HCE = 0 */
#define AT_EL1_NO_FP 13     /* CPACR_EL1.{FPEN,ZEN,SMEN} = 0 */
#define AT_EL1_TFP 14       /* CPTR_EL2.TFP */
#define AT_EL0_TRAPS 15     /* SCTLR_EL1.{UCT,nTWI} = 0 */
#define AT_EL0_DEBUG 16     /* a breakpoint at definition_break, a watchpoint at the buffer */
#define AT_EL0_DEBUG_TDE 17 /* the same, with MDCR_EL2.TDE */
#define AT_EL0_STEP 18      /* MDSCR_EL1.SS */
#define AT_EL0_STEP_TDE 19
#define AT_EL1_VIRQ 20 /* HCR_EL2.{IMO,VI} */
#define AT_EL1_VFIQ 21 /* HCR_EL2.{FMO,VF} */
#define AT_EL1_SGI 22  /* the GIC forwards software-generated interrupts to EL1 */
#define AT_EL1_IMO 23  /* the same, to EL2: HCR_EL2.IMO */
#define AT_EL1_AARCH32 24
#define AT_COUNT 25

#ifndef __ASSEMBLER__
#include <stdint.h>

struct definition_count {
    uint16_t event;
    uint16_t count; /* of one repetition, and marks */
};

/**
 * struct definition - instructions, and every event that they count
 * @counts: events that are not in it must not count. A zero count ends it.
 */
struct definition {
    const char *name;
    const char *code;
    const struct definition_count *counts;
    uint32_t needs;
    uint32_t at;
};

/* A row without a name ends each table. */
extern const struct definition memory_rows[], access_rows[], branch_rows[], data_rows[],
    vector_rows[], sve_rows[], exception_rows[];

/* Rows without CODE: what is between the start of the counters and their stop. */
extern const struct definition empty_rows[];

extern const char definition_break[];
#endif
#endif
