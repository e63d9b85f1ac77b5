/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* The names of sources and contexts, for users and for programs. */
#include <stddef.h>

#include "vpmu/arm/contexts.h"
#include "vpmu/arm/sources.h"

static const char *const source_names[VPMU_SRC_COUNT] = {
    [VPMU_SRC_INST_RETIRED] = "inst-retired",
    [VPMU_SRC_LD_RETIRED] = "ld-retired",
    [VPMU_SRC_ST_RETIRED] = "st-retired",
    [VPMU_SRC_DP] = "dp",
    [VPMU_SRC_ASE] = "ase",
    [VPMU_SRC_VFP] = "vfp",
    [VPMU_SRC_BR_IMMED] = "br-immed",
    [VPMU_SRC_BR_RETURN] = "br-return",
    [VPMU_SRC_BR_INDIRECT] = "br-indirect",
    [VPMU_SRC_ISB] = "isb",
    [VPMU_SRC_DSB] = "dsb",
    [VPMU_SRC_DMB] = "dmb",
    [VPMU_SRC_CID_WRITE] = "cid-write",
    [VPMU_SRC_TTBR_WRITE] = "ttbr-write",
    [VPMU_SRC_EXC_RETURN] = "exc-return",
    [VPMU_SRC_PC_WRITE] = "pc-write",
    [VPMU_SRC_UNALIGNED] = "unaligned",
    [VPMU_SRC_EXC_UNDEF] = "exc-undef",
    [VPMU_SRC_EXC_SVC] = "exc-svc",
    [VPMU_SRC_EXC_PABORT] = "exc-pabort",
    [VPMU_SRC_EXC_DABORT] = "exc-dabort",
    [VPMU_SRC_EXC_IRQ] = "exc-irq",
    [VPMU_SRC_EXC_FIQ] = "exc-fiq",
    [VPMU_SRC_EXC_SMC] = "exc-smc",
    [VPMU_SRC_EXC_HVC] = "exc-hvc",
    [VPMU_SRC_EXC_TRAP_PABORT] = "exc-trap-pabort",
    [VPMU_SRC_EXC_TRAP_DABORT] = "exc-trap-dabort",
    [VPMU_SRC_EXC_TRAP_OTHER] = "exc-trap-other",
    [VPMU_SRC_EXC_TRAP_IRQ] = "exc-trap-irq",
    [VPMU_SRC_EXC_TRAP_FIQ] = "exc-trap-fiq",
    [VPMU_SRC_CPU_CYCLES] = "cpu-cycles",
    [VPMU_SRC_CNT_CYCLES] = "cnt-cycles",
    [VPMU_SRC_L1I_CACHE] = "l1i-cache",
    [VPMU_SRC_L1I_CACHE_REFILL] = "l1i-cache-refill",
    [VPMU_SRC_L1D_CACHE_RD] = "l1d-cache-rd",
    [VPMU_SRC_L1D_CACHE_WR] = "l1d-cache-wr",
    [VPMU_SRC_L1D_CACHE_REFILL_RD] = "l1d-cache-refill-rd",
    [VPMU_SRC_L1D_CACHE_REFILL_WR] = "l1d-cache-refill-wr",
    [VPMU_SRC_L1D_CACHE_WB] = "l1d-cache-wb",
    [VPMU_SRC_L2D_CACHE_RD] = "l2d-cache-rd",
    [VPMU_SRC_L2D_CACHE_WR] = "l2d-cache-wr",
    [VPMU_SRC_L2D_CACHE_REFILL_RD] = "l2d-cache-refill-rd",
    [VPMU_SRC_L2D_CACHE_REFILL_WR] = "l2d-cache-refill-wr",
    [VPMU_SRC_L2D_CACHE_WB] = "l2d-cache-wb",
    [VPMU_SRC_LL_CACHE_RD] = "ll-cache-rd",
    [VPMU_SRC_LL_CACHE_WR] = "ll-cache-wr",
    [VPMU_SRC_LL_CACHE_MISS_RD] = "ll-cache-miss-rd",
    [VPMU_SRC_LL_CACHE_MISS_WR] = "ll-cache-miss-wr",
    [VPMU_SRC_L1D_TLB_REFILL] = "l1d-tlb-refill",
    [VPMU_SRC_L1I_TLB_REFILL] = "l1i-tlb-refill",
    [VPMU_SRC_L2D_TLB] = "l2d-tlb",
    [VPMU_SRC_L2D_TLB_REFILL] = "l2d-tlb-refill",
    [VPMU_SRC_DTLB_WALK] = "dtlb-walk",
    [VPMU_SRC_ITLB_WALK] = "itlb-walk",
    [VPMU_SRC_BR_MIS_PRED] = "br-mis-pred",
    [VPMU_SRC_STALL_FRONTEND] = "stall-frontend",
    [VPMU_SRC_STALL_BACKEND] = "stall-backend",
    [VPMU_SRC_STALL_SLOT_BACKEND] = "stall-slot-backend",
    [VPMU_SRC_STALL_SLOT_FRONTEND] = "stall-slot-frontend",
    [VPMU_SRC_BUS_ACCESS_RD] = "bus-access-rd",
    [VPMU_SRC_BUS_ACCESS_WR] = "bus-access-wr",
};

static const char *const ctx_names[VPMU_CTX_COUNT] = {
    [VPMU_CTX(0, VPMU_SECURE)] = "secure-el0", [VPMU_CTX(1, VPMU_SECURE)] = "secure-el1",
    [VPMU_CTX(2, VPMU_SECURE)] = "secure-el2", [VPMU_CTX(0, VPMU_NONSECURE)] = "el0",
    [VPMU_CTX(1, VPMU_NONSECURE)] = "el1",     [VPMU_CTX(2, VPMU_NONSECURE)] = "el2",
    [VPMU_CTX(0, VPMU_REALM)] = "realm-el0",   [VPMU_CTX(1, VPMU_REALM)] = "realm-el1",
    [VPMU_CTX(2, VPMU_REALM)] = "realm-el2",   [VPMU_CTX_EL3] = "el3",
};

const char *vpmu_source_name(unsigned source)
{
    return source < VPMU_SRC_COUNT ? source_names[source] : NULL;
}

const char *vpmu_ctx_name(unsigned ctx)
{
    return ctx < VPMU_CTX_COUNT ? ctx_names[ctx] : NULL;
}
