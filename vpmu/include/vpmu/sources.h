/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#ifndef VPMU_SOURCES_H
#define VPMU_SOURCES_H

#include <stdbool.h>
#include <stdint.h>

#include "vpmu/decls.h"

VPMU_DECLS_BEGIN

/*
 * A source is what the machine tallies: a 64-bit total for each context. An event is the sum of one
 * or more sources. The library makes the events that have no source, such as SW_INCR.
 *
 * The numbers below mean the same on every architecture. Each architecture has two ranges of its
 * own: what an instruction's encoding shows, from VPMU_SRC_INSN_OWN on, and everything else, from
 * VPMU_SRC_OWN on. See vpmu/arm/sources.h and vpmu/x86/sources.h.
 */
enum vpmu_source {
    VPMU_SRC_INST_RETIRED,
    VPMU_SRC_LD_RETIRED, /* reads memory */
    VPMU_SRC_ST_RETIRED, /* writes memory. An atomic instruction both reads and writes. */
    VPMU_SRC_INSN_OWN,

    /*
     * Clock cycles, then cycles of constant frequency. A model can supply the clock cycles instead:
     * see cycle_units of struct vpmu_arm_config.
     */
    VPMU_SRC_CPU_CYCLES = 17,
    VPMU_SRC_CNT_CYCLES,

    /* Results of the models of caches, TLBs, branch prediction and a pipeline: see vpmu/model.h. */
    VPMU_SRC_L1I_CACHE,
    VPMU_SRC_L1I_CACHE_REFILL,
    VPMU_SRC_L1D_CACHE_RD,
    VPMU_SRC_L1D_CACHE_WR,
    VPMU_SRC_L1D_CACHE_REFILL_RD,
    VPMU_SRC_L1D_CACHE_REFILL_WR,
    /* Modified lines that go to the next level: replaced ones; those that maintenance writes. */
    VPMU_SRC_L1D_CACHE_WB_VICTIM,
    VPMU_SRC_L1D_CACHE_WB_CLEAN,
    VPMU_SRC_L2D_CACHE_REFILL_RD,
    VPMU_SRC_L2D_CACHE_REFILL_WR,
    VPMU_SRC_L2D_CACHE_WB_VICTIM,
    VPMU_SRC_L2D_CACHE_WB_CLEAN,
    VPMU_SRC_LL_CACHE_MISS_RD,
    VPMU_SRC_LL_CACHE_MISS_WR,
    /* Each refill of an L1 TLB is one of these: it hits the L2 TLB, or there is a walk. */
    VPMU_SRC_DTLB_L2_HIT_RD,
    VPMU_SRC_DTLB_L2_HIT_WR,
    VPMU_SRC_DTLB_WALK_RD,
    VPMU_SRC_DTLB_WALK_WR,
    VPMU_SRC_ITLB_L2_HIT,
    VPMU_SRC_ITLB_WALK,
    VPMU_SRC_L1D_CACHE_INVAL, /* lines that another CPU's store has removed from L1D */
    VPMU_SRC_L2D_CACHE_INVAL,
    VPMU_SRC_BR_MIS_PRED,
    VPMU_SRC_STALL_FRONTEND,
    VPMU_SRC_STALL_BACKEND,
    VPMU_SRC_STALL_SLOT_BACKEND,
    VPMU_SRC_STALL_SLOT_FRONTEND,
    VPMU_SRC_BUS_ACCESS_RD, /* lines that are read from memory */
    VPMU_SRC_BUS_ACCESS_WR, /* lines that are written back to memory */
    VPMU_SRC_OWN,

    /* All numbers are below this. */
    VPMU_SRC_LIMIT = 128,
};

/* A mask of sources. It has a bit for each number below VPMU_SRC_LIMIT. */
__extension__ typedef unsigned __int128 vpmu_sources;

#define VPMU_SRC_BIT(source) ((vpmu_sources)1 << (source))

/* From one source up to another and including it. */
#define VPMU_SRC_FROM_TO(first, last)                                                              \
    (VPMU_SRC_BIT(last) - VPMU_SRC_BIT(first) + VPMU_SRC_BIT(last))

/* Groups of the sources above. */
#define VPMU_SRCS_CLOCKS (VPMU_SRC_BIT(VPMU_SRC_CPU_CYCLES) | VPMU_SRC_BIT(VPMU_SRC_CNT_CYCLES))
#define VPMU_SRCS_SLOTS                                                                            \
    (VPMU_SRC_BIT(VPMU_SRC_STALL_SLOT_FRONTEND) | VPMU_SRC_BIT(VPMU_SRC_STALL_SLOT_BACKEND))
#define VPMU_SRCS_STALLS                                                                           \
    (VPMU_SRC_BIT(VPMU_SRC_STALL_FRONTEND) | VPMU_SRC_BIT(VPMU_SRC_STALL_BACKEND) | VPMU_SRCS_SLOTS)
#define VPMU_SRCS_L1D_WB                                                                           \
    (VPMU_SRC_BIT(VPMU_SRC_L1D_CACHE_WB_VICTIM) | VPMU_SRC_BIT(VPMU_SRC_L1D_CACHE_WB_CLEAN))
#define VPMU_SRCS_L2D_WB                                                                           \
    (VPMU_SRC_BIT(VPMU_SRC_L2D_CACHE_WB_VICTIM) | VPMU_SRC_BIT(VPMU_SRC_L2D_CACHE_WB_CLEAN))
/* Sources that exist if there is an L2 cache, and if there is a last-level cache. */
#define VPMU_SRCS_L2D                                                                              \
    (VPMU_SRC_BIT(VPMU_SRC_L2D_CACHE_REFILL_RD) | VPMU_SRC_BIT(VPMU_SRC_L2D_CACHE_REFILL_WR) |     \
     VPMU_SRCS_L2D_WB)
#define VPMU_SRCS_LL                                                                               \
    (VPMU_SRC_BIT(VPMU_SRC_LL_CACHE_MISS_RD) | VPMU_SRC_BIT(VPMU_SRC_LL_CACHE_MISS_WR))
/*
 * Accesses of these levels: L2 reads what the L1 caches refill, for a load, a fetch or a store, and
 * L1D writes lines back to it. It is the same one level further on.
 */
#define VPMU_SRCS_L2D_READS                                                                        \
    (VPMU_SRC_BIT(VPMU_SRC_L1D_CACHE_REFILL_RD) | VPMU_SRC_BIT(VPMU_SRC_L1I_CACHE_REFILL))
#define VPMU_SRCS_L2D_WRITES (VPMU_SRC_BIT(VPMU_SRC_L1D_CACHE_REFILL_WR) | VPMU_SRCS_L1D_WB)
#define VPMU_SRCS_LL_READS VPMU_SRC_BIT(VPMU_SRC_L2D_CACHE_REFILL_RD)
#define VPMU_SRCS_LL_WRITES (VPMU_SRC_BIT(VPMU_SRC_L2D_CACHE_REFILL_WR) | VPMU_SRCS_L2D_WB)
/* Refills of the data TLB by loads, by stores; its walks; refills of the instruction TLB. */
#define VPMU_SRCS_DTLB_RD                                                                          \
    (VPMU_SRC_BIT(VPMU_SRC_DTLB_L2_HIT_RD) | VPMU_SRC_BIT(VPMU_SRC_DTLB_WALK_RD))
#define VPMU_SRCS_DTLB_WR                                                                          \
    (VPMU_SRC_BIT(VPMU_SRC_DTLB_L2_HIT_WR) | VPMU_SRC_BIT(VPMU_SRC_DTLB_WALK_WR))
#define VPMU_SRCS_DTLB_WALK                                                                        \
    (VPMU_SRC_BIT(VPMU_SRC_DTLB_WALK_RD) | VPMU_SRC_BIT(VPMU_SRC_DTLB_WALK_WR))
#define VPMU_SRCS_ITLB (VPMU_SRC_BIT(VPMU_SRC_ITLB_L2_HIT) | VPMU_SRC_BIT(VPMU_SRC_ITLB_WALK))
#define VPMU_SRCS_TLB (VPMU_SRCS_DTLB_RD | VPMU_SRCS_DTLB_WR | VPMU_SRCS_ITLB)
#define VPMU_SRCS_BUS (VPMU_SRC_BIT(VPMU_SRC_BUS_ACCESS_RD) | VPMU_SRC_BIT(VPMU_SRC_BUS_ACCESS_WR))
/* Sources that only caches with a shared last level tally: see vpmu/shared_cache.h. */
#define VPMU_SRCS_INVAL                                                                            \
    (VPMU_SRC_BIT(VPMU_SRC_L1D_CACHE_INVAL) | VPMU_SRC_BIT(VPMU_SRC_L2D_CACHE_INVAL))
/* What the models of caches and TLBs tally. */
#define VPMU_SRCS_MEMORY                                                                           \
    (VPMU_SRC_BIT(VPMU_SRC_L1I_CACHE) | VPMU_SRC_BIT(VPMU_SRC_L1I_CACHE_REFILL) |                  \
     VPMU_SRC_BIT(VPMU_SRC_L1D_CACHE_RD) | VPMU_SRC_BIT(VPMU_SRC_L1D_CACHE_WR) |                   \
     VPMU_SRC_BIT(VPMU_SRC_L1D_CACHE_REFILL_RD) | VPMU_SRC_BIT(VPMU_SRC_L1D_CACHE_REFILL_WR) |     \
     VPMU_SRCS_L1D_WB | VPMU_SRCS_L2D | VPMU_SRCS_LL | VPMU_SRCS_BUS | VPMU_SRCS_TLB |             \
     VPMU_SRCS_INVAL)

/**
 * vpmu_source_take() - remove the lowest source from a mask
 * @mask: the mask; any value but 0.
 *
 * Return: the number of that source.
 */
static inline unsigned vpmu_source_take(vpmu_sources *mask)
{
    uint64_t low = (uint64_t)*mask;
    unsigned source = low ? (unsigned)__builtin_ctzll(low)
                          : 64 + (unsigned)__builtin_ctzll((uint64_t)(*mask >> 64));

    *mask &= *mask - 1;
    return source;
}

VPMU_DECLS_END

#endif
