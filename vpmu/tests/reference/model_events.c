/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#include "model_events.h"

#define S(source) VPMU_SRC_##source
#define A53 (1u << VPMU_CORE_CORTEX_A53)
#define A55 (1u << VPMU_CORE_CORTEX_A55)
#define A57 (1u << VPMU_CORE_CORTEX_A57)
#define A72 (1u << VPMU_CORE_CORTEX_A72)
#define A64FX (1u << VPMU_CORE_A64FX)
#define SUM(...)                                                                                   \
    sizeof((uint8_t[]){__VA_ARGS__}),                                                              \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }

/*
 * Indexed by number. A PE that executes nothing speculatively has the same counts for _SPEC and
 * _RETIRED.
 */
#define L1D_WB S(L1D_CACHE_WB_VICTIM), S(L1D_CACHE_WB_CLEAN)
#define L2D_WB S(L2D_CACHE_WB_VICTIM), S(L2D_CACHE_WB_CLEAN)
/* L2 is read for each miss of L1, and written by each write-back of L1D. .cache needs an L2. */
#define L2D_READS S(L1D_CACHE_REFILL_RD), S(L1I_CACHE_REFILL)
#define L2D_WRITES S(L1D_CACHE_REFILL_WR), L1D_WB
#define OF_L2D .cache = S(L2D_CACHE_REFILL_RD)
/* The same, further out. */
#define LL_READS S(L2D_CACHE_REFILL_RD)
#define LL_WRITES S(L2D_CACHE_REFILL_WR), L2D_WB
#define OF_LL .cache = S(LL_CACHE_MISS_RD)
#define DTLB_READS S(DTLB_L2_HIT_RD), S(DTLB_WALK_RD)
#define DTLB_WRITES S(DTLB_L2_HIT_WR), S(DTLB_WALK_WR)
#define ITLB_FETCHES S(ITLB_L2_HIT), S(ITLB_WALK)

static const struct model_sum sums[] = {
    [0x00] = {"SW_INCR", 0, {0}},
    [0x01] = {"L1I_CACHE_REFILL", SUM(S(L1I_CACHE_REFILL))},
    [0x02] = {"L1I_TLB_REFILL", SUM(ITLB_FETCHES)},
    [0x03] = {"L1D_CACHE_REFILL", SUM(S(L1D_CACHE_REFILL_RD), S(L1D_CACHE_REFILL_WR))},
    [0x04] = {"L1D_CACHE", SUM(S(L1D_CACHE_RD), S(L1D_CACHE_WR))},
    [0x05] = {"L1D_TLB_REFILL", SUM(DTLB_READS, DTLB_WRITES)},
    [0x06] = {"LD_RETIRED", SUM(S(LD_RETIRED))},
    [0x07] = {"ST_RETIRED", SUM(S(ST_RETIRED))},
    [0x08] = {"INST_RETIRED", SUM(S(INST_RETIRED))},
    /* Each exception is of one of the kinds 0x81 to 0x8f. */
    [0x09] = {"EXC_TAKEN",
              SUM(S(EXC_UNDEF), S(EXC_SVC), S(EXC_PABORT), S(EXC_DABORT), S(EXC_IRQ), S(EXC_FIQ),
                  S(EXC_SMC), S(EXC_HVC), S(EXC_TRAP_PABORT), S(EXC_TRAP_DABORT), S(EXC_TRAP_OTHER),
                  S(EXC_TRAP_IRQ), S(EXC_TRAP_FIQ))},
    [0x0a] = {"EXC_RETURN", SUM(S(EXC_RETURN))},
    [0x0b] = {"CID_WRITE_RETIRED", SUM(S(CID_WRITE))},
    [0x0c] = {"PC_WRITE_RETIRED", SUM(S(PC_WRITE))},
    [0x0d] = {"BR_IMMED_RETIRED", SUM(S(BR_IMMED))},
    [0x0e] = {"BR_RETURN_RETIRED", SUM(S(BR_RETURN))},
    [0x0f] = {"UNALIGNED_LDST_RETIRED", SUM(S(UNALIGNED))},
    [0x10] = {"BR_MIS_PRED", SUM(S(BR_MIS_PRED))},
    [0x11] = {"CPU_CYCLES", SUM(S(CPU_CYCLES))},
    [0x12] = {"BR_PRED", SUM(S(BR_IMMED), S(BR_RETURN), S(BR_INDIRECT))},
    [0x13] = {"MEM_ACCESS", SUM(S(LD_RETIRED), S(ST_RETIRED))},
    [0x14] = {"L1I_CACHE", SUM(S(L1I_CACHE))},
    [0x15] = {"L1D_CACHE_WB", SUM(L1D_WB)},
    [0x16] = {"L2D_CACHE", SUM(L2D_READS, L2D_WRITES), OF_L2D},
    [0x17] = {"L2D_CACHE_REFILL", SUM(S(L2D_CACHE_REFILL_RD), S(L2D_CACHE_REFILL_WR))},
    [0x18] = {"L2D_CACHE_WB", SUM(L2D_WB)},
    [0x19] = {"BUS_ACCESS", SUM(S(BUS_ACCESS_RD), S(BUS_ACCESS_WR))},
    [0x1b] = {"INST_SPEC", SUM(S(INST_RETIRED))},
    [0x1c] = {"TTBR_WRITE_RETIRED", SUM(S(TTBR_WRITE))},
    [0x1d] = {"BUS_CYCLES", SUM(S(CPU_CYCLES))},
    [0x1e] = {"CHAIN", 0, {0}},
    /* What is written back fills a whole line. */
    [0x20] = {"L2D_CACHE_ALLOCATE", SUM(L1D_WB), OF_L2D},
    [0x21] = {"BR_RETIRED", SUM(S(BR_IMMED), S(BR_RETURN), S(BR_INDIRECT), S(EXC_RETURN))},
    [0x22] = {"BR_MIS_PRED_RETIRED", SUM(S(BR_MIS_PRED))},
    [0x23] = {"STALL_FRONTEND", SUM(S(STALL_FRONTEND))},
    [0x24] = {"STALL_BACKEND", SUM(S(STALL_BACKEND))},
    /* Each access to the cache looks up its page. */
    [0x25] = {"L1D_TLB", SUM(S(L1D_CACHE_RD), S(L1D_CACHE_WR))},
    [0x26] = {"L1I_TLB", SUM(S(L1I_CACHE))},
    [0x29] = {"L3D_CACHE_ALLOCATE", SUM(L2D_WB), OF_LL},
    [0x2a] = {"L3D_CACHE_REFILL", SUM(S(LL_CACHE_MISS_RD), S(LL_CACHE_MISS_WR))},
    [0x2b] = {"L3D_CACHE", SUM(LL_READS, LL_WRITES), OF_LL},
    [0x2d] = {"L2D_TLB_REFILL", SUM(S(DTLB_WALK_RD), S(DTLB_WALK_WR), S(ITLB_WALK))},
    [0x2e] = {"L2I_TLB_REFILL", SUM(S(ITLB_WALK)), .cores = A64FX},
    [0x2f] = {"L2D_TLB", SUM(DTLB_READS, DTLB_WRITES, ITLB_FETCHES)},
    [0x30] = {"L2I_TLB", SUM(ITLB_FETCHES), .cores = A64FX},
    [0x31] = {"REMOTE_ACCESS", 0, {0}},
    [0x32] = {"LL_CACHE", SUM(LL_READS, LL_WRITES), OF_LL},
    [0x33] = {"LL_CACHE_MISS", SUM(S(LL_CACHE_MISS_RD), S(LL_CACHE_MISS_WR))},
    [0x34] = {"DTLB_WALK", SUM(S(DTLB_WALK_RD), S(DTLB_WALK_WR))},
    [0x35] = {"ITLB_WALK", SUM(S(ITLB_WALK))},
    [0x36] = {"LL_CACHE_RD", SUM(LL_READS), OF_LL},
    [0x37] = {"LL_CACHE_MISS_RD", SUM(S(LL_CACHE_MISS_RD))},
    [0x38] = {"REMOTE_ACCESS_RD", 0, {0}, .cores = A55},
    [0x39] = {"L1D_CACHE_LMISS_RD", SUM(S(L1D_CACHE_REFILL_RD))},
    /* An instruction is one operation. */
    [0x3a] = {"OP_RETIRED", SUM(S(INST_RETIRED))},
    [0x3b] = {"OP_SPEC", SUM(S(INST_RETIRED))},
    [0x3c] = {"STALL", SUM(S(STALL_FRONTEND), S(STALL_BACKEND))},
    [0x3d] = {"STALL_SLOT_BACKEND", SUM(S(STALL_SLOT_BACKEND))},
    [0x3e] = {"STALL_SLOT_FRONTEND", SUM(S(STALL_SLOT_FRONTEND))},
    [0x3f] = {"STALL_SLOT", SUM(S(STALL_SLOT_BACKEND), S(STALL_SLOT_FRONTEND))},
    [0x40] = {"L1D_CACHE_RD", SUM(S(L1D_CACHE_RD))},
    [0x41] = {"L1D_CACHE_WR", SUM(S(L1D_CACHE_WR))},
    [0x42] = {"L1D_CACHE_REFILL_RD", SUM(S(L1D_CACHE_REFILL_RD))},
    [0x43] = {"L1D_CACHE_REFILL_WR", SUM(S(L1D_CACHE_REFILL_WR))},
    [0x44] = {"L1D_CACHE_REFILL_INNER", SUM(S(L1D_CACHE_REFILL_INNER))},
    [0x45] = {"L1D_CACHE_REFILL_OUTER", SUM(S(L1D_CACHE_REFILL_OUTER))},
    [0x46] = {"L1D_CACHE_WB_VICTIM", SUM(S(L1D_CACHE_WB_VICTIM))},
    [0x47] = {"L1D_CACHE_WB_CLEAN", SUM(S(L1D_CACHE_WB_CLEAN))},
    [0x48] = {"L1D_CACHE_INVAL", SUM(S(L1D_CACHE_INVAL))},
    [0x4c] = {"L1D_TLB_REFILL_RD", SUM(DTLB_READS)},
    [0x4d] = {"L1D_TLB_REFILL_WR", SUM(DTLB_WRITES)},
    [0x4e] = {"L1D_TLB_RD", SUM(S(L1D_CACHE_RD))},
    [0x4f] = {"L1D_TLB_WR", SUM(S(L1D_CACHE_WR))},
    [0x50] = {"L2D_CACHE_RD", SUM(L2D_READS), OF_L2D},
    [0x51] = {"L2D_CACHE_WR", SUM(L2D_WRITES), OF_L2D},
    [0x52] = {"L2D_CACHE_REFILL_RD", SUM(S(L2D_CACHE_REFILL_RD))},
    [0x53] = {"L2D_CACHE_REFILL_WR", SUM(S(L2D_CACHE_REFILL_WR))},
    [0x56] = {"L2D_CACHE_WB_VICTIM", SUM(S(L2D_CACHE_WB_VICTIM))},
    [0x57] = {"L2D_CACHE_WB_CLEAN", SUM(S(L2D_CACHE_WB_CLEAN))},
    [0x58] = {"L2D_CACHE_INVAL", SUM(S(L2D_CACHE_INVAL))},
    [0x5c] = {"L2D_TLB_REFILL_RD", SUM(S(DTLB_WALK_RD), S(ITLB_WALK))},
    [0x5d] = {"L2D_TLB_REFILL_WR", SUM(S(DTLB_WALK_WR))},
    /* Each lookup of the L2 TLB follows a refill of an L1 TLB. */
    [0x5e] = {"L2D_TLB_RD", SUM(DTLB_READS, ITLB_FETCHES)},
    [0x5f] = {"L2D_TLB_WR", SUM(DTLB_WRITES)},
    [0x60] = {"BUS_ACCESS_RD", SUM(S(BUS_ACCESS_RD))},
    [0x61] = {"BUS_ACCESS_WR", SUM(S(BUS_ACCESS_WR))},
    [0x64] = {"BUS_ACCESS_NORMAL", SUM(S(BUS_ACCESS_RD), S(BUS_ACCESS_WR)), .cores = A57 | A72},
    [0x66] = {"MEM_ACCESS_RD", SUM(S(LD_RETIRED))},
    [0x67] = {"MEM_ACCESS_WR", SUM(S(ST_RETIRED))},
    [0x68] = {"UNALIGNED_LD_SPEC", SUM(S(UNALIGNED_LD))},
    [0x69] = {"UNALIGNED_ST_SPEC", SUM(S(UNALIGNED_ST))},
    [0x6a] = {"UNALIGNED_LDST_SPEC", SUM(S(UNALIGNED_LD), S(UNALIGNED_ST))},
    [0x6c] = {"LDREX_SPEC", SUM(S(LDREX))},
    [0x6d] = {"STREX_PASS_SPEC", SUM(S(STREX_PASS))},
    [0x6e] = {"STREX_FAIL_SPEC", SUM(S(STREX_FAIL))},
    [0x6f] = {"STREX_SPEC", SUM(S(STREX_PASS), S(STREX_FAIL))},
    [0x70] = {"LD_SPEC", SUM(S(LD_RETIRED), S(LD_SKIPPED))},
    [0x71] = {"ST_SPEC", SUM(S(ST_RETIRED), S(STREX_FAIL), S(ST_SKIPPED))},
    [0x72] = {"LDST_SPEC", SUM(S(LD_RETIRED), S(LD_SKIPPED), S(ST_RETIRED), S(STREX_FAIL),
                               S(ST_SKIPPED), S(PRF_BASE), S(PRF_CONTIG), S(PRF_GATHER))},
    [0x73] = {"DP_SPEC", SUM(S(DP))},
    [0x74] = {"ASE_SPEC", SUM(S(ASE))},
    [0x75] = {"VFP_SPEC", SUM(S(VFP))},
    [0x76] = {"PC_WRITE_SPEC", SUM(S(PC_WRITE))},
    [0x77] = {"CRYPTO_SPEC", SUM(S(CRYPTO))},
    [0x78] = {"BR_IMMED_SPEC", SUM(S(BR_IMMED))},
    [0x79] = {"BR_RETURN_SPEC", SUM(S(BR_RETURN), S(BR_RETURN_SKIPPED))},
    [0x7a] = {"BR_INDIRECT_SPEC", SUM(S(BR_RETURN), S(BR_INDIRECT), S(EXC_RETURN))},
    [0x7c] = {"ISB_SPEC", SUM(S(ISB))},
    [0x7d] = {"DSB_SPEC", SUM(S(DSB))},
    [0x7e] = {"DMB_SPEC", SUM(S(DMB))},
    [0x81] = {"EXC_UNDEF", SUM(S(EXC_UNDEF))},
    [0x82] = {"EXC_SVC", SUM(S(EXC_SVC))},
    [0x83] = {"EXC_PABORT", SUM(S(EXC_PABORT))},
    [0x84] = {"EXC_DABORT", SUM(S(EXC_DABORT))},
    [0x86] = {"EXC_IRQ", SUM(S(EXC_IRQ))},
    [0x87] = {"EXC_FIQ", SUM(S(EXC_FIQ))},
    [0x88] = {"EXC_SMC", SUM(S(EXC_SMC))},
    [0x8a] = {"EXC_HVC", SUM(S(EXC_HVC))},
    [0x8b] = {"EXC_TRAP_PABORT", SUM(S(EXC_TRAP_PABORT))},
    [0x8c] = {"EXC_TRAP_DABORT", SUM(S(EXC_TRAP_DABORT))},
    [0x8d] = {"EXC_TRAP_OTHER", SUM(S(EXC_TRAP_OTHER))},
    [0x8e] = {"EXC_TRAP_IRQ", SUM(S(EXC_TRAP_IRQ))},
    [0x8f] = {"EXC_TRAP_FIQ", SUM(S(EXC_TRAP_FIQ))},
    [0x90] = {"RC_LD_SPEC", SUM(S(RC_LD))},
    [0x91] = {"RC_ST_SPEC", SUM(S(RC_ST))},
    [0x9f] = {"DCZVA_SPEC", SUM(S(DCZVA))},
    [0xa0] = {"L3D_CACHE_RD", SUM(LL_READS), OF_LL},
    [0xa2] = {"L3D_CACHE_REFILL_RD", SUM(S(LL_CACHE_MISS_RD))},
    [0xc0] = {"EXT_MEM_REQ", SUM(S(BUS_ACCESS_RD), S(BUS_ACCESS_WR)), .cores = A53},
    [0xcd] = {"BR_INDIRECT_ADDR_PRED", SUM(S(BR_INDIRECT)), .cores = A55},
    [0xce] = {"BR_RETURN_ADDR_PRED", SUM(S(BR_RETURN)), .cores = A55},
    [0x105] = {"FP_MV_SPEC", SUM(S(FP_MV)), .cores = A64FX},
    [0x108] = {"PRD_SPEC",
               SUM(S(SVE_PRED_EMPTY), S(SVE_PRED_FULL), S(SVE_PRED_PARTIAL), S(SVE_PREG)),
               .cores = A64FX},
    [0x112] = {"FP_LD_SPEC", SUM(S(FP_LD)), .cores = A64FX},
    [0x113] = {"FP_ST_SPEC", SUM(S(FP_ST)), .cores = A64FX},
    [0x11a] = {"BC_LD_SPEC", SUM(S(LD_BROADCAST)), .cores = A64FX},
    [0x121] = {"EFFECTIVE_INST_SPEC", SUM(S(EFFECTIVE)), .cores = A64FX},
    [0x123] = {"PRE_INDEX_SPEC", SUM(S(PRE_INDEX)), .cores = A64FX},
    [0x124] = {"POST_INDEX_SPEC", SUM(S(POST_INDEX)), .cores = A64FX},
    [0x200] = {"L1D_CACHE_REFILL_DM", SUM(S(L1D_CACHE_REFILL_RD), S(L1D_CACHE_REFILL_WR)),
               .cores = A64FX},
    [0x300] = {"L2D_CACHE_REFILL_DM", SUM(S(L2D_CACHE_REFILL_RD), S(L2D_CACHE_REFILL_WR)),
               .cores = A64FX},
    [0x309] = {"L2_MISS_COUNT", SUM(S(L2D_CACHE_REFILL_RD), S(L2D_CACHE_REFILL_WR)),
               .cores = A64FX},
    [0x316] = {"BUS_READ_TOTAL_MEM", SUM(S(BUS_ACCESS_RD)), .cores = A64FX},
    [0x31e] = {"BUS_WRITE_TOTAL_MEM", SUM(S(BUS_ACCESS_WR)), .cores = A64FX},
};

/* From 0x4000 on. */
static const struct model_sum high_sums[] = {
    [0x00] = {"SAMPLE_POP", SUM(S(INST_RETIRED)), .of_spe = true},
    [0x01] = {"SAMPLE_FEED", 0, {0}, .of_spe = true},
    [0x02] = {"SAMPLE_FILTRATE", 0, {0}, .of_spe = true},
    [0x03] = {"SAMPLE_COLLISION", 0, {0}, .of_spe = true},
    [0x04] = {"CNT_CYCLES", SUM(S(CNT_CYCLES))},
    [0x06] = {"L1I_CACHE_LMISS", SUM(S(L1I_CACHE_REFILL))},
    [0x09] = {"L2D_CACHE_LMISS_RD", SUM(S(L2D_CACHE_REFILL_RD))},
    [0x0b] = {"L3D_CACHE_LMISS_RD", SUM(S(LL_CACHE_MISS_RD))},
    [0x20] = {"LDST_ALIGN_LAT", SUM(S(UNALIGNED_LD), S(UNALIGNED_ST))},
    [0x21] = {"LD_ALIGN_LAT", SUM(S(UNALIGNED_LD))},
    [0x22] = {"ST_ALIGN_LAT", SUM(S(UNALIGNED_ST))},
    [0x24] = {"MEM_ACCESS_CHECKED", SUM(S(MEM_ACCESS_CHECKED_RD), S(MEM_ACCESS_CHECKED_WR))},
    [0x25] = {"MEM_ACCESS_CHECKED_RD", SUM(S(MEM_ACCESS_CHECKED_RD))},
    [0x26] = {"MEM_ACCESS_CHECKED_WR", SUM(S(MEM_ACCESS_CHECKED_WR))},
};

/* From 0x8000 on. */
static const struct model_sum highest_sums[] = {
    [0x00] = {"SIMD_INST_RETIRED", SUM(S(ASE_VECTOR), S(SVE_SIMD))},
    [0x02] = {"SVE_INST_RETIRED", SUM(S(SVE_SIMD), S(SVE_SCALAR))},
    [0x05] = {"ASE_INST_SPEC", SUM(S(ASE_VECTOR), S(ASE_SCALAR))},
    [0x06] = {"SVE_INST_SPEC", SUM(S(SVE_SIMD), S(SVE_SCALAR))},
    [0x08] = {"UOP_SPEC", SUM(S(INST_RETIRED)), .cores = A64FX},
    [0x0e] = {"SVE_MATH_SPEC", SUM(S(SVE_MATH))},
    [0x10] = {"FP_SPEC", SUM(S(FP_HP), S(FP_SP), S(FP_DP))},
    [0x14] = {"FP_HP_SPEC", SUM(S(FP_HP))},
    [0x18] = {"FP_SP_SPEC", SUM(S(FP_SP))},
    [0x1c] = {"FP_DP_SPEC", SUM(S(FP_DP))},
    [0x28] = {"FP_FMA_SPEC", SUM(S(FP_FMA))},
    [0x34] = {"FP_RECPE_SPEC", SUM(S(FP_RECPE))},
    [0x38] = {"FP_CVT_SPEC", SUM(S(FP_CVT))},
    [0x43] = {"ASE_SVE_INT_SPEC", SUM(S(VEC_INT8), S(VEC_INT16), S(VEC_INT32), S(VEC_INT64))},
    [0x74] = {"SVE_PRED_SPEC", SUM(S(SVE_PRED_EMPTY), S(SVE_PRED_FULL), S(SVE_PRED_PARTIAL))},
    [0x75] = {"SVE_PRED_EMPTY_SPEC", SUM(S(SVE_PRED_EMPTY))},
    [0x76] = {"SVE_PRED_FULL_SPEC", SUM(S(SVE_PRED_FULL))},
    [0x77] = {"SVE_PRED_PARTIAL_SPEC", SUM(S(SVE_PRED_PARTIAL))},
    [0x79] = {"SVE_PRED_NOT_FULL_SPEC", SUM(S(SVE_PRED_EMPTY), S(SVE_PRED_PARTIAL))},
    [0x7c] = {"SVE_MOVPRFX_SPEC", SUM(S(MOVPRFX))},
    [0x7f] = {"SVE_MOVPRFX_U_SPEC", SUM(S(MOVPRFX))},
    [0x85] = {"ASE_SVE_LD_SPEC", SUM(S(ASE_SVE_LD))},
    [0x86] = {"ASE_SVE_ST_SPEC", SUM(S(ASE_SVE_ST))},
    [0x87] = {"PRF_SPEC", SUM(S(PRF_BASE), S(PRF_CONTIG), S(PRF_GATHER))},
    [0x89] = {"BASE_LD_REG_SPEC", SUM(S(BASE_LD_REG))},
    [0x8a] = {"BASE_ST_REG_SPEC", SUM(S(BASE_ST_REG))},
    [0x91] = {"SVE_LDR_REG_SPEC", SUM(S(SVE_LDR_REG), S(SVE_LDR_PREG))},
    [0x92] = {"SVE_STR_REG_SPEC", SUM(S(SVE_STR_REG), S(SVE_STR_PREG))},
    [0x95] = {"SVE_LDR_PREG_SPEC", SUM(S(SVE_LDR_PREG))},
    [0x96] = {"SVE_STR_PREG_SPEC", SUM(S(SVE_STR_PREG))},
    [0x9f] = {"SVE_PRF_CONTIG_SPEC", SUM(S(PRF_CONTIG))},
    [0xa5] = {"ASE_SVE_LD_MULTI_SPEC", SUM(S(LD_MULTI))},
    [0xa6] = {"ASE_SVE_ST_MULTI_SPEC", SUM(S(ST_MULTI))},
    [0xad] = {"SVE_LD_GATHER_SPEC", SUM(S(SVE_LD_GATHER))},
    [0xae] = {"SVE_ST_SCATTER_SPEC", SUM(S(SVE_ST_SCATTER))},
    [0xaf] = {"SVE_PRF_GATHER_SPEC", SUM(S(PRF_GATHER))},
    [0xbc] = {"SVE_LDFF_SPEC", SUM(S(SVE_LDFF))},
    [0xbd] = {"SVE_LDFF_FAULT_SPEC", SUM(S(SVE_LDFF_FAULT))},
    [0xc0] = {"FP_SCALE_OPS_SPEC", SUM(S(FP_HP_SCALE_OPS), S(FP_SP_SCALE_OPS), S(FP_DP_SCALE_OPS))},
    [0xc1] = {"FP_FIXED_OPS_SPEC", SUM(S(FP_HP_FIXED_OPS), S(FP_SP_FIXED_OPS), S(FP_DP_FIXED_OPS))},
    [0xc2] = {"FP_HP_SCALE_OPS_SPEC", SUM(S(FP_HP_SCALE_OPS))},
    [0xc3] = {"FP_HP_FIXED_OPS_SPEC", SUM(S(FP_HP_FIXED_OPS))},
    [0xc4] = {"FP_SP_SCALE_OPS_SPEC", SUM(S(FP_SP_SCALE_OPS))},
    [0xc5] = {"FP_SP_FIXED_OPS_SPEC", SUM(S(FP_SP_FIXED_OPS))},
    [0xc6] = {"FP_DP_SCALE_OPS_SPEC", SUM(S(FP_DP_SCALE_OPS))},
    [0xc7] = {"FP_DP_FIXED_OPS_SPEC", SUM(S(FP_DP_FIXED_OPS))},
    [0xe3] = {"ASE_SVE_INT8_SPEC", SUM(S(VEC_INT8))},
    [0xe7] = {"ASE_SVE_INT16_SPEC", SUM(S(VEC_INT16))},
    [0xeb] = {"ASE_SVE_INT32_SPEC", SUM(S(VEC_INT32))},
    [0xef] = {"ASE_SVE_INT64_SPEC", SUM(S(VEC_INT64))},
};

static const struct {
    unsigned first;
    const struct model_sum *sums;
    size_t count;
} tables[] = {
    {0, sums, sizeof(sums) / sizeof(sums[0])},
    {0x4000, high_sums, sizeof(high_sums) / sizeof(high_sums[0])},
    {0x8000, highest_sums, sizeof(highest_sums) / sizeof(highest_sums[0])},
};

const struct model_sum *model_sum(unsigned number)
{
    for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
        const unsigned n = number - tables[i].first;

        if (n < tables[i].count && tables[i].sums[n].name != NULL) {
            return &tables[i].sums[n];
        }
    }
    return NULL;
}

#define OWN(n, cpu, text, ...)                                                                     \
    {                                                                                              \
        .number = (n), .core = VPMU_CORE_CORTEX_##cpu, .sum = {.name = (text), SUM(__VA_ARGS__) }  \
    }

/*
 * What Linux's arm_v7_pmu.c and libpfm4 name for the two cores. None has other numbers above 0x12,
 * the last one of PMUv1.
 */
static const struct {
    unsigned number;
    enum vpmu_core core;
    struct model_sum sum;
} own_sums[] = {
    OWN(0x43, A8, "L2_ACCESS", L2D_READS, L2D_WRITES),
    OWN(0x44, A8, "L2_CACHE_MISS", S(L2D_CACHE_REFILL_RD), S(L2D_CACHE_REFILL_WR)),
    OWN(0x50, A8, "L1_INST", S(L1I_CACHE)),
    OWN(0x55, A8, "OP_EXECUTED", S(INST_RETIRED)),
    OWN(0x56, A8, "CYCLES_INST_STALL", S(STALL_FRONTEND)),
    OWN(0xff, A8, "CYCLE_COUNT", S(CPU_CYCLES)),
    OWN(0x60, A9, "ICACHE_DEP_STALL_CYCLES", S(STALL_FRONTEND)),
    OWN(0x63, A9, "STREX_EXECUTED_PASSED", S(STREX_PASS)),
    OWN(0x64, A9, "STREX_EXECUTED_FAILED", S(STREX_FAIL)),
    OWN(0x65, A9, "DATA_EVICTION", S(L1D_CACHE_WB_VICTIM)),
    OWN(0x66, A9, "ISSUE_STAGE_NO_INST", S(STALL_BACKEND), S(STALL_FRONTEND)),
    OWN(0x67, A9, "ISSUE_STAGE_EMPTY", S(STALL_FRONTEND)),
    OWN(0x68, A9, "INST_OUT_OF_RENAME_STAGE", S(INST_RETIRED)),
    OWN(0x6e, A9, "PREDICTABLE_FUNCT_RETURNS", S(BR_RETURN)),
    OWN(0x72, A9, "LD_ST_UNIT_EXECUTED_INST", S(ST_RETIRED), S(LD_RETIRED)),
    OWN(0x73, A9, "FP_EXECUTED_INST", S(VFP)),
    OWN(0x74, A9, "NEON_EXECUTED_INST", S(ASE)),
    OWN(0x8a, A9, "INTGR_CLK_ENABLED_CYCLES", S(CPU_CYCLES)),
    OWN(0x90, A9, "ISB_INST", S(ISB)),
    OWN(0x91, A9, "DSB_INST", S(DSB)),
    OWN(0x92, A9, "DMB_INST", S(DMB)),
    OWN(0x93, A9, "EXT_INTERRUPTS", S(EXC_IRQ), S(EXC_TRAP_IRQ), S(EXC_FIQ), S(EXC_TRAP_FIQ)),
};

const struct model_sum *model_sum_of(unsigned core, unsigned number)
{
    if (number <= 0x12 || (core != VPMU_CORE_CORTEX_A8 && core != VPMU_CORE_CORTEX_A9)) {
        return model_sum(number);
    }
    for (size_t i = 0; i < sizeof(own_sums) / sizeof(own_sums[0]); i++) {
        if (own_sums[i].number == number && own_sums[i].core == core) {
            return &own_sums[i].sum;
        }
    }
    return NULL;
}

vpmu_sources model_sum_mask(unsigned number)
{
    return model_sum_mask_of(VPMU_CORE_OTHER, number);
}

vpmu_sources model_sum_mask_of(unsigned core, unsigned number)
{
    const struct model_sum *sum = model_sum_of(core, number);
    vpmu_sources mask = 0;

    for (size_t i = 0; sum != NULL && i < sum->count; i++) {
        mask |= VPMU_SRC_BIT(sum->sources[i]);
    }
    return mask;
}
