/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* The names of sources and contexts, for users and for programs. */
#include <stddef.h>

#include "vpmu/x86/contexts.h"
#include "vpmu/x86/sources.h"

static const char *const source_names[VPMU_X86_SRC_COUNT] = {
    [VPMU_X86_SRC_INST] = "instructions",
    [VPMU_X86_SRC_LOAD] = "loads",
    [VPMU_X86_SRC_STORE] = "stores",
    [VPMU_X86_SRC_BR_COND] = "br-cond",
    [VPMU_X86_SRC_BR_DIRECT] = "br-direct",
    [VPMU_X86_SRC_BR_INDIRECT] = "br-indirect",
    [VPMU_X86_SRC_BR_RETURN] = "br-return",
    [VPMU_X86_SRC_BR_FAR] = "br-far",
    [VPMU_X86_SRC_BR_CALL] = "br-call",
    [VPMU_X86_SRC_BR_MISS] = "br-miss",
    [VPMU_X86_SRC_CYCLES] = "cycles",
    [VPMU_X86_SRC_REF_CYCLES] = "ref-cycles",
    [VPMU_X86_SRC_L2_RD] = "l2-rd",
    [VPMU_X86_SRC_L2_WR] = "l2-wr",
    [VPMU_X86_SRC_L2_MISS_RD] = "l2-miss-rd",
    [VPMU_X86_SRC_L2_MISS_WR] = "l2-miss-wr",
    [VPMU_X86_SRC_LL_RD] = "ll-rd",
    [VPMU_X86_SRC_LL_WR] = "ll-wr",
    [VPMU_X86_SRC_LL_MISS_RD] = "ll-miss-rd",
    [VPMU_X86_SRC_LL_MISS_WR] = "ll-miss-wr",
    [VPMU_X86_SRC_L1I] = "l1i",
    [VPMU_X86_SRC_L1I_MISS] = "l1i-miss",
    [VPMU_X86_SRC_L1D_RD] = "l1d-rd",
    [VPMU_X86_SRC_L1D_WR] = "l1d-wr",
    [VPMU_X86_SRC_L1D_MISS_RD] = "l1d-miss-rd",
    [VPMU_X86_SRC_L1D_MISS_WR] = "l1d-miss-wr",
    [VPMU_X86_SRC_L1D_WB] = "l1d-wb",
    [VPMU_X86_SRC_DTLB_MISS] = "dtlb-miss",
    [VPMU_X86_SRC_ITLB_MISS] = "itlb-miss",
    [VPMU_X86_SRC_DTLB_WALK] = "dtlb-walk",
    [VPMU_X86_SRC_ITLB_WALK] = "itlb-walk",
    [VPMU_X86_SRC_DTLB_WALK_RD] = "dtlb-walk-rd",
    [VPMU_X86_SRC_DTLB_WALK_WR] = "dtlb-walk-wr",
    [VPMU_X86_SRC_ITLB_L2_HIT] = "itlb-l2-hit",
    [VPMU_X86_SRC_LL_LOAD] = "ll-load",
    [VPMU_X86_SRC_LL_LOAD_MISS] = "ll-load-miss",
    [VPMU_X86_SRC_BR_TAKEN] = "br-taken",
    [VPMU_X86_SRC_BR_NOT_TAKEN] = "br-not-taken",
    [VPMU_X86_SRC_MISS_TAKEN] = "br-miss-taken",
    [VPMU_X86_SRC_MISS_NOT_TAKEN] = "br-miss-not-taken",
    [VPMU_X86_SRC_MISS_INDIRECT] = "br-miss-indirect",
    [VPMU_X86_SRC_MISS_RETURN] = "br-miss-return",
    [VPMU_X86_SRC_L1D_RD_LESS] = "l1d-rd-less",
    [VPMU_X86_SRC_L2_LOAD_HIT] = "l2-load-hit",
    [VPMU_X86_SRC_LL_LOAD_HIT] = "ll-load-hit",
    [VPMU_X86_SRC_STALL_FRONTEND] = "stall-frontend",
    [VPMU_X86_SRC_STALL_BACKEND] = "stall-backend",
    [VPMU_X86_SRC_SLOT_BACKEND] = "slot-backend",
    [VPMU_X86_SRC_SLOT_FRONTEND] = "slot-frontend",
    [VPMU_X86_SRC_RECOVERY] = "recovery",
    [VPMU_X86_SRC_SLOT_FETCH] = "slot-fetch",
    [VPMU_X86_SRC_SLOT_RECOVERY] = "slot-recovery",
    [VPMU_X86_SRC_SLOT_MEMORY] = "slot-memory",
    [VPMU_X86_SRC_L2_STORE_HIT] = "l2-store-hit",
    [VPMU_X86_SRC_LL_STORE_HIT] = "ll-store-hit",
    [VPMU_X86_SRC_L2_FETCH_HIT] = "l2-fetch-hit",
    [VPMU_X86_SRC_L2_FETCH_MISS] = "l2-fetch-miss",
    [VPMU_X86_SRC_DTLB_L2_HIT_RD] = "dtlb-l2-hit-rd",
    [VPMU_X86_SRC_DTLB_L2_HIT_WR] = "dtlb-l2-hit-wr",
    [VPMU_X86_SRC_LOAD_LATENCY] = "load-latency",
    [VPMU_X86_SRC_LL_LOAD_ALONE] = "ll-load-alone",
    [VPMU_X86_SRC_LL_LOAD_SHARED] = "ll-load-shared",
    [VPMU_X86_SRC_LL_LOAD_FORWARDED] = "ll-load-forwarded",
    [VPMU_X86_SRC_LL_LOAD_MODIFIED] = "ll-load-modified",
    [VPMU_X86_SRC_RFO] = "rfo",
    [VPMU_X86_SRC_RMW] = "read-modify-write",
    [VPMU_X86_SRC_RMW_LESS] = "read-modify-write-less",
    [VPMU_X86_SRC_RMW_LESS_AGAIN] = "read-modify-write-less-again",
    [VPMU_X86_SRC_FP_SCALAR_DOUBLE] = "fp-scalar-double",
    [VPMU_X86_SRC_FP_SCALAR_SINGLE] = "fp-scalar-single",
    [VPMU_X86_SRC_FP_128_DOUBLE] = "fp-128-double",
    [VPMU_X86_SRC_FP_128_SINGLE] = "fp-128-single",
    [VPMU_X86_SRC_FP_256_DOUBLE] = "fp-256-double",
    [VPMU_X86_SRC_FP_256_SINGLE] = "fp-256-single",
    [VPMU_X86_SRC_FLOPS_ADD_SINGLE] = "flops-add-single",
    [VPMU_X86_SRC_FLOPS_ADD_DOUBLE] = "flops-add-double",
    [VPMU_X86_SRC_FLOPS_MUL_SINGLE] = "flops-mul-single",
    [VPMU_X86_SRC_FLOPS_MUL_DOUBLE] = "flops-mul-double",
    [VPMU_X86_SRC_FLOPS_DIV_SINGLE] = "flops-div-single",
    [VPMU_X86_SRC_FLOPS_DIV_DOUBLE] = "flops-div-double",
    [VPMU_X86_SRC_FLOPS_MAC_SINGLE] = "flops-mac-single",
    [VPMU_X86_SRC_FLOPS_MAC_DOUBLE] = "flops-mac-double",
    [VPMU_X86_SRC_X87] = "x87",
    [VPMU_X86_SRC_MMX] = "mmx",
    [VPMU_X86_SRC_SSE] = "sse",
};

static const char *const ctx_names[VPMU_X86_CTX_COUNT] = {
    [VPMU_X86_CTX_USER] = "user",
    [VPMU_X86_CTX_KERNEL] = "kernel",
    [VPMU_X86_CTX_GUEST_USER] = "guest-user",
    [VPMU_X86_CTX_GUEST_KERNEL] = "guest-kernel",
    [VPMU_X86_CTX_SMM] = "smm",
};

const char *vpmu_x86_source_name(unsigned source)
{
    return source < VPMU_X86_SRC_COUNT ? source_names[source] : NULL;
}

const char *vpmu_x86_ctx_name(unsigned ctx)
{
    return ctx < VPMU_X86_CTX_COUNT ? ctx_names[ctx] : NULL;
}
