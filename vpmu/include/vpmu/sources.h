/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#ifndef VPMU_SOURCES_H
#define VPMU_SOURCES_H

#include <stdint.h>

/*
 * A source is something that the machine tallies: it has a 64-bit total for each context. An event
 * is the sum of one or more sources. The library itself makes the events that have no source.
 */
enum vpmu_source {
    /*
     * One count for each instruction of a kind, known when the instruction is decoded: the results
     * of vpmu_insn_a64(), vpmu_insn_a32() and vpmu_insn_t32(). The machine can tally a block of
     * instructions as a whole.
     */
    VPMU_SRC_INST_RETIRED,
    VPMU_SRC_LD_RETIRED, /* reads memory */
    VPMU_SRC_ST_RETIRED, /* writes memory; an atomic does both */
    VPMU_SRC_DP,         /* integer data processing */
    VPMU_SRC_ASE,        /* Advanced SIMD data processing */
    VPMU_SRC_VFP,        /* scalar floating point */
    VPMU_SRC_BR_IMMED,
    VPMU_SRC_BR_RETURN,
    VPMU_SRC_BR_INDIRECT, /* neither immediate nor a return */
    VPMU_SRC_ISB,
    VPMU_SRC_DSB,
    VPMU_SRC_DMB,
    VPMU_SRC_CID_WRITE,
    VPMU_SRC_TTBR_WRITE,
    VPMU_SRC_EXC_RETURN,
    VPMU_SRC_PC_WRITE, /* a branch is taken; for a conditional branch only the machine knows this */
    VPMU_SRC_INSN_END,

    /* A load or store is unaligned, which is known when it executes. */
    VPMU_SRC_UNALIGNED = VPMU_SRC_INSN_END,

    /* Exceptions, counted in the context from which they are taken. */
    VPMU_SRC_EXC_UNDEF,
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

    /* Time. A model may provide cycles instead of a clock: see vpmu_config.cycle_units. */
    VPMU_SRC_CPU_CYCLES,
    VPMU_SRC_CNT_CYCLES,

    /* Results of the models of caches, TLBs, branch prediction and a pipeline: see vpmu/model.h. */
    VPMU_SRC_L1I_CACHE,
    VPMU_SRC_L1I_CACHE_REFILL,
    VPMU_SRC_L1D_CACHE_RD,
    VPMU_SRC_L1D_CACHE_WR,
    VPMU_SRC_L1D_CACHE_REFILL_RD,
    VPMU_SRC_L1D_CACHE_REFILL_WR,
    VPMU_SRC_L1D_CACHE_WB,
    VPMU_SRC_L2D_CACHE_RD,
    VPMU_SRC_L2D_CACHE_WR,
    VPMU_SRC_L2D_CACHE_REFILL_RD,
    VPMU_SRC_L2D_CACHE_REFILL_WR,
    VPMU_SRC_L2D_CACHE_WB,
    VPMU_SRC_LL_CACHE_RD,
    VPMU_SRC_LL_CACHE_WR,
    VPMU_SRC_LL_CACHE_MISS_RD,
    VPMU_SRC_LL_CACHE_MISS_WR,
    VPMU_SRC_L1D_TLB_REFILL,
    VPMU_SRC_L1I_TLB_REFILL,
    VPMU_SRC_L2D_TLB,
    VPMU_SRC_L2D_TLB_REFILL,
    VPMU_SRC_DTLB_WALK,
    VPMU_SRC_ITLB_WALK,
    VPMU_SRC_BR_MIS_PRED,
    VPMU_SRC_STALL_FRONTEND,
    VPMU_SRC_STALL_BACKEND,
    VPMU_SRC_STALL_SLOT,
    VPMU_SRC_COUNT,
};

_Static_assert(VPMU_SRC_COUNT <= 63, "sources fit in a mask");

/**
 * vpmu_source_name() - the name of a source
 * @source: 0 to VPMU_SRC_COUNT - 1.
 *
 * Return: a constant: the name in enum vpmu_source in lower case, such as "inst-retired"; NULL if
 * there is no such source.
 */
const char *vpmu_source_name(unsigned source);

/* A mask of sources. */
#define VPMU_SRC_BIT(source) (1ull << (source))
#define VPMU_SRC_ALL (VPMU_SRC_BIT(VPMU_SRC_COUNT) - 1)
/* Sources that count instructions of a kind. */
#define VPMU_SRC_INSNS (VPMU_SRC_BIT(VPMU_SRC_INSN_END) - 1)

#endif
