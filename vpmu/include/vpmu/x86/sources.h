/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#ifndef VPMU_X86_SOURCES_H
#define VPMU_X86_SOURCES_H

#include "vpmu/decls.h"
#include "vpmu/sources.h"

VPMU_DECLS_BEGIN

/*
 * What an x86 machine tallies: the second index of struct vpmu_x86_totals. What other architectures
 * have as well has the number that it has in enum vpmu_source.
 */
enum vpmu_x86_source {
    VPMU_X86_SRC_INST = VPMU_SRC_INST_RETIRED, /* an instruction with REP counts once */
    VPMU_X86_SRC_LOAD = VPMU_SRC_LD_RETIRED,   /* an instruction that reads memory */
    VPMU_X86_SRC_STORE = VPMU_SRC_ST_RETIRED,  /* an instruction that writes memory */
    /* Branches: each branch instruction counts as exactly one of these. */
    VPMU_X86_SRC_BR_COND = VPMU_SRC_INSN_OWN, /* Jcc, JCXZ, LOOP: taken or not */
    VPMU_X86_SRC_BR_DIRECT,                   /* other near JMP and CALL to an immediate */
    VPMU_X86_SRC_BR_INDIRECT,                 /* near JMP and CALL to a register or memory */
    VPMU_X86_SRC_BR_RETURN,                   /* near RET */
    VPMU_X86_SRC_BR_FAR,                      /* far JMP, CALL, RET; IRET, INT n, SYSCALL, SYSRET */
    VPMU_X86_SRC_BR_CALL,                     /* near CALL, which is also direct or indirect */
    VPMU_X86_SRC_INSN_END,
    /* The rest of that range has the cycles and slots that stalls of the frontend lose. */
    VPMU_X86_SRC_RECOVERY = VPMU_X86_SRC_INSN_END, /* cycles for a misprediction */
    VPMU_X86_SRC_SLOT_FETCH,                       /* slots for a fetch */
    VPMU_X86_SRC_SLOT_RECOVERY,                    /* slots for a misprediction */
    VPMU_X86_SRC_SLOT_MEMORY,  /* slots of the backend's stalls for a load or store */
    VPMU_X86_SRC_L2_STORE_HIT, /* stores that miss L1D and hit L2 */
    VPMU_X86_SRC_LL_STORE_HIT, /* stores that miss L2 and hit the last level */
    VPMU_X86_SRC_L2_FETCH_HIT, /* fetches that miss L1I and hit L2 */
    VPMU_X86_SRC_L2_FETCH_MISS,
    VPMU_X86_SRC_LOW_END,

    VPMU_X86_SRC_CYCLES = VPMU_SRC_CPU_CYCLES,
    VPMU_X86_SRC_REF_CYCLES = VPMU_SRC_CNT_CYCLES, /* at the rate of the TSC */
    VPMU_X86_SRC_BR_MISS = VPMU_SRC_BR_MIS_PRED,   /* a branch that the model mispredicts */
    /* Results of the models of caches and TLBs: see vpmu/model.h. */
    VPMU_X86_SRC_L1I = VPMU_SRC_L1I_CACHE,
    VPMU_X86_SRC_L1I_MISS = VPMU_SRC_L1I_CACHE_REFILL,
    VPMU_X86_SRC_L1D_RD = VPMU_SRC_L1D_CACHE_RD,
    VPMU_X86_SRC_L1D_WR = VPMU_SRC_L1D_CACHE_WR,
    VPMU_X86_SRC_L1D_MISS_RD = VPMU_SRC_L1D_CACHE_REFILL_RD,
    VPMU_X86_SRC_L1D_MISS_WR = VPMU_SRC_L1D_CACHE_REFILL_WR,
    VPMU_X86_SRC_L1D_VICTIM = VPMU_SRC_L1D_CACHE_WB_VICTIM,
    VPMU_X86_SRC_L1D_CLEAN = VPMU_SRC_L1D_CACHE_WB_CLEAN,
    VPMU_X86_SRC_L2_MISS_RD = VPMU_SRC_L2D_CACHE_REFILL_RD,
    VPMU_X86_SRC_L2_MISS_WR = VPMU_SRC_L2D_CACHE_REFILL_WR,
    VPMU_X86_SRC_LL_MISS_RD = VPMU_SRC_LL_CACHE_MISS_RD,
    VPMU_X86_SRC_LL_MISS_WR = VPMU_SRC_LL_CACHE_MISS_WR,
    VPMU_X86_SRC_DTLB_L2_HIT_RD = VPMU_SRC_DTLB_L2_HIT_RD,
    VPMU_X86_SRC_DTLB_L2_HIT_WR = VPMU_SRC_DTLB_L2_HIT_WR,
    VPMU_X86_SRC_DTLB_WALK_RD = VPMU_SRC_DTLB_WALK_RD,
    VPMU_X86_SRC_DTLB_WALK_WR = VPMU_SRC_DTLB_WALK_WR,
    VPMU_X86_SRC_ITLB_L2_HIT = VPMU_SRC_ITLB_L2_HIT,
    VPMU_X86_SRC_ITLB_WALK = VPMU_SRC_ITLB_WALK,
    /* Cycles and slots in which nothing is issued; with a machine that tallies cycles. */
    VPMU_X86_SRC_STALL_FRONTEND = VPMU_SRC_STALL_FRONTEND,     /* cycles, for a branch or a fetch */
    VPMU_X86_SRC_STALL_BACKEND = VPMU_SRC_STALL_BACKEND,       /* cycles, for anything else */
    VPMU_X86_SRC_SLOT_FRONTEND = VPMU_SRC_STALL_SLOT_FRONTEND, /* slots of the frontend's stalls */
    /* Slots of other stalls, and those of the further elements of REP. */
    VPMU_X86_SRC_SLOT_BACKEND = VPMU_SRC_STALL_SLOT_BACKEND,
    /* Subsets of the sources above, which the machine tallies in addition. */
    VPMU_X86_SRC_LL_LOAD = VPMU_SRC_OWN, /* reads for loads, not for fetches */
    VPMU_X86_SRC_LL_LOAD_MISS,
    VPMU_X86_SRC_BR_TAKEN,     /* conditional branches by their outcome */
    VPMU_X86_SRC_BR_NOT_TAKEN, /* the others */
    VPMU_X86_SRC_MISS_TAKEN,   /* mispredictions by the kind of branch: conditional, taken */
    VPMU_X86_SRC_MISS_NOT_TAKEN,
    VPMU_X86_SRC_MISS_INDIRECT,
    VPMU_X86_SRC_MISS_RETURN,
    VPMU_X86_SRC_L1D_RD_LESS,  /* goes down when L1D_MISS_RD goes up: L1D_RD and this are hits */
    VPMU_X86_SRC_L2_LOAD_HIT,  /* loads that miss L1D and hit L2 */
    VPMU_X86_SRC_LL_LOAD_HIT,  /* loads that miss L2 and hit the last level */
    VPMU_X86_SRC_LOAD_LATENCY, /* loads whose latency exceeds MSR_PEBS_LD_LAT: see vpmu/x86/pebs.h
                                */
    /* Each load of LL_LOAD_HIT is one of these: what L1 and L2 of other CPUs had of the line. */
    VPMU_X86_SRC_LL_LOAD_ALONE,     /* nothing */
    VPMU_X86_SRC_LL_LOAD_SHARED,    /* the line, not modified, which the last level had as well */
    VPMU_X86_SRC_LL_LOAD_FORWARDED, /* the same, but the last level did not have the line */
    VPMU_X86_SRC_LL_LOAD_MODIFIED,  /* the modified line */
    /*
     * Loads and stores that continue in another line, in another page. An instruction is one,
     * however many accesses it makes.
     */
    VPMU_X86_SRC_SPLIT_LOAD,
    VPMU_X86_SRC_SPLIT_STORE,
    VPMU_X86_SRC_SPLIT_PAGE_LOAD,
    VPMU_X86_SRC_SPLIT_PAGE_STORE,
    /* Stores that ask the other CPUs for the line: they miss L2, or find a line that another CPU
     * has as well. */
    VPMU_X86_SRC_RFO,
    /* Instructions that read and write the same operand in memory: they are loads and stores, too.
     */
    VPMU_X86_SRC_RMW,
    VPMU_X86_SRC_RMW_LESS,       /* goes down when RMW goes up */
    VPMU_X86_SRC_RMW_LESS_AGAIN, /* so does this, for sums of loads and stores without them */
    /*
     * Computational instructions of SSE and AVX by width and precision. An instruction that makes
     * two calculations for each element, such as FMA, counts twice.
     */
    VPMU_X86_SRC_FP_SCALAR_DOUBLE,
    VPMU_X86_SRC_FP_SCALAR_SINGLE,
    VPMU_X86_SRC_FP_128_DOUBLE,
    VPMU_X86_SRC_FP_128_SINGLE,
    VPMU_X86_SRC_FP_256_DOUBLE,
    VPMU_X86_SRC_FP_256_SINGLE,
    /* Their operations: additions and subtractions, multiplications, divisions and roots, FMA. */
    VPMU_X86_SRC_FLOPS_ADD_SINGLE,
    VPMU_X86_SRC_FLOPS_ADD_DOUBLE,
    VPMU_X86_SRC_FLOPS_MUL_SINGLE,
    VPMU_X86_SRC_FLOPS_MUL_DOUBLE,
    VPMU_X86_SRC_FLOPS_DIV_SINGLE,
    VPMU_X86_SRC_FLOPS_DIV_DOUBLE,
    VPMU_X86_SRC_FLOPS_MAC_SINGLE,
    VPMU_X86_SRC_FLOPS_MAC_DOUBLE,
    /* Instructions of x87, of MMX, and of SSE and AVX. */
    VPMU_X86_SRC_X87,
    VPMU_X86_SRC_MMX,
    VPMU_X86_SRC_SSE,
    /*
     * Operations of SSE and AVX with floating-point numbers by width and type; an instruction is
     * one. The types of the three widths have the same order.
     */
    VPMU_X86_SRC_OPS_SCALAR_ADD,
    VPMU_X86_SRC_OPS_SCALAR_SUB,
    VPMU_X86_SRC_OPS_SCALAR_MUL,
    VPMU_X86_SRC_OPS_SCALAR_MAC,
    VPMU_X86_SRC_OPS_SCALAR_DIV,
    VPMU_X86_SRC_OPS_SCALAR_SQRT,
    VPMU_X86_SRC_OPS_SCALAR_CMP,
    VPMU_X86_SRC_OPS_SCALAR_CVT,
    VPMU_X86_SRC_OPS_SCALAR_OTHER,
    VPMU_X86_SRC_OPS_128_ADD,
    VPMU_X86_SRC_OPS_128_SUB,
    VPMU_X86_SRC_OPS_128_MUL,
    VPMU_X86_SRC_OPS_128_MAC,
    VPMU_X86_SRC_OPS_128_DIV,
    VPMU_X86_SRC_OPS_128_SQRT,
    VPMU_X86_SRC_OPS_128_CMP,
    VPMU_X86_SRC_OPS_128_CVT,
    VPMU_X86_SRC_OPS_128_OTHER,
    VPMU_X86_SRC_OPS_128_BLEND,
    VPMU_X86_SRC_OPS_128_SHUFFLE,
    VPMU_X86_SRC_OPS_128_LOGICAL,
    VPMU_X86_SRC_OPS_256_ADD,
    VPMU_X86_SRC_OPS_256_SUB,
    VPMU_X86_SRC_OPS_256_MUL,
    VPMU_X86_SRC_OPS_256_MAC,
    VPMU_X86_SRC_OPS_256_DIV,
    VPMU_X86_SRC_OPS_256_SQRT,
    VPMU_X86_SRC_OPS_256_CMP,
    VPMU_X86_SRC_OPS_256_CVT,
    VPMU_X86_SRC_OPS_256_OTHER,
    VPMU_X86_SRC_OPS_256_BLEND,
    VPMU_X86_SRC_OPS_256_SHUFFLE,
    VPMU_X86_SRC_OPS_256_LOGICAL,
    /* Instructions that prefetch data, by their hint. They are no loads. */
    VPMU_X86_SRC_PREFETCH_NTA,
    VPMU_X86_SRC_PREFETCH_T0,
    VPMU_X86_SRC_PREFETCH_T1_T2,
    VPMU_X86_SRC_PREFETCH_W,
    /* Goes down for an instruction that is a load and a store: these and this are instructions. */
    VPMU_X86_SRC_BOTH_LESS,
    VPMU_X86_SRC_LOCKED_LOAD, /* an instruction that reads memory and locks the access */
    VPMU_X86_SRC_COUNT,
};

VPMU_STATIC_ASSERT((int)VPMU_X86_SRC_LOW_END <= (int)VPMU_SRC_CPU_CYCLES,
                   "numbers of instructions");
VPMU_STATIC_ASSERT((int)VPMU_X86_SRC_COUNT <= (int)VPMU_SRC_LIMIT, "sources fit in a mask");

#define VPMU_X86_BRANCHES                                                                          \
    (VPMU_SRC_BIT(VPMU_X86_SRC_BR_COND) | VPMU_SRC_BIT(VPMU_X86_SRC_BR_DIRECT) |                   \
     VPMU_SRC_BIT(VPMU_X86_SRC_BR_INDIRECT) | VPMU_SRC_BIT(VPMU_X86_SRC_BR_RETURN) |               \
     VPMU_SRC_BIT(VPMU_X86_SRC_BR_FAR))
/* Conditional branches by their outcome. A machine tallies them when it executes the branch. */
#define VPMU_X86_OUTCOMES                                                                          \
    (VPMU_SRC_BIT(VPMU_X86_SRC_BR_TAKEN) | VPMU_SRC_BIT(VPMU_X86_SRC_BR_NOT_TAKEN))
/* Mispredictions, all and by the kind of branch. */
#define VPMU_X86_MISPREDICTED                                                                      \
    (VPMU_SRC_BIT(VPMU_X86_SRC_BR_MISS) |                                                          \
     VPMU_SRC_FROM_TO(VPMU_X86_SRC_MISS_TAKEN, VPMU_X86_SRC_MISS_RETURN))
/* Near branches that are taken, and those of them that are mispredicted. */
#define VPMU_X86_NEAR_TAKEN                                                                        \
    (VPMU_SRC_BIT(VPMU_X86_SRC_BR_TAKEN) | VPMU_SRC_BIT(VPMU_X86_SRC_BR_DIRECT) |                  \
     VPMU_SRC_BIT(VPMU_X86_SRC_BR_INDIRECT) | VPMU_SRC_BIT(VPMU_X86_SRC_BR_RETURN))
#define VPMU_X86_MISSED_TAKEN                                                                      \
    (VPMU_SRC_BIT(VPMU_X86_SRC_MISS_TAKEN) | VPMU_SRC_BIT(VPMU_X86_SRC_MISS_INDIRECT) |            \
     VPMU_SRC_BIT(VPMU_X86_SRC_MISS_RETURN))
/* References of a level are reads, of loads, fetches and stores, and not write-backs. */
#define VPMU_X86_LL_REFERENCES                                                                     \
    (VPMU_SRC_BIT(VPMU_X86_SRC_L2_MISS_RD) | VPMU_SRC_BIT(VPMU_X86_SRC_LL_STORE_HIT) |             \
     VPMU_SRC_BIT(VPMU_X86_SRC_LL_MISS_WR))
/* What blocks tally of each instruction only if it is armed. */
#define VPMU_X86_MODIFYING VPMU_SRC_FROM_TO(VPMU_X86_SRC_RMW, VPMU_X86_SRC_RMW_LESS_AGAIN)
#define VPMU_X86_FP VPMU_SRC_FROM_TO(VPMU_X86_SRC_FP_SCALAR_DOUBLE, VPMU_X86_SRC_OPS_256_LOGICAL)
#define VPMU_X86_PREFETCHES VPMU_SRC_FROM_TO(VPMU_X86_SRC_PREFETCH_NTA, VPMU_X86_SRC_PREFETCH_W)
#define VPMU_X86_DETAIL                                                                            \
    (VPMU_X86_MODIFYING | VPMU_X86_FP | VPMU_X86_PREFETCHES |                                      \
     VPMU_SRC_BIT(VPMU_X86_SRC_BOTH_LESS) | VPMU_SRC_BIT(VPMU_X86_SRC_LOCKED_LOAD))
#define VPMU_X86_LL_MISSES                                                                         \
    (VPMU_SRC_BIT(VPMU_X86_SRC_LL_MISS_RD) | VPMU_SRC_BIT(VPMU_X86_SRC_LL_MISS_WR))
#define VPMU_X86_L2_REFERENCES                                                                     \
    (VPMU_SRCS_L2D_READS | VPMU_SRC_BIT(VPMU_X86_SRC_L2_STORE_HIT) |                               \
     VPMU_SRC_BIT(VPMU_X86_SRC_L2_MISS_WR))
#define VPMU_X86_L2_MISSES                                                                         \
    (VPMU_SRC_BIT(VPMU_X86_SRC_L2_MISS_RD) | VPMU_SRC_BIT(VPMU_X86_SRC_L2_MISS_WR))
#define VPMU_X86_L1D_MISSES                                                                        \
    (VPMU_SRC_BIT(VPMU_X86_SRC_L1D_MISS_RD) | VPMU_SRC_BIT(VPMU_X86_SRC_L1D_MISS_WR))
/* Sources that only CPUs with a shared last level tally: see vpmu/shared_cache.h. */
#define VPMU_X86_SNOOPED                                                                           \
    VPMU_SRC_FROM_TO(VPMU_X86_SRC_LL_LOAD_SHARED, VPMU_X86_SRC_LL_LOAD_MODIFIED)
/* Sources that only models tally. */
#define VPMU_X86_MODELLED                                                                          \
    (VPMU_SRC_BIT(VPMU_X86_SRC_L1I) | VPMU_SRC_BIT(VPMU_X86_SRC_L1I_MISS) |                        \
     VPMU_SRC_BIT(VPMU_X86_SRC_L1D_RD) | VPMU_SRC_BIT(VPMU_X86_SRC_L1D_WR) | VPMU_X86_L1D_MISSES | \
     VPMU_SRCS_L1D_WB | VPMU_X86_L2_MISSES | VPMU_X86_LL_MISSES | VPMU_SRCS_TLB |                  \
     VPMU_SRC_BIT(VPMU_X86_SRC_LL_LOAD) | VPMU_SRC_BIT(VPMU_X86_SRC_LL_LOAD_MISS) |                \
     VPMU_SRC_FROM_TO(VPMU_X86_SRC_L2_STORE_HIT, VPMU_X86_SRC_L2_FETCH_MISS) |                     \
     VPMU_SRC_FROM_TO(VPMU_X86_SRC_L1D_RD_LESS, VPMU_X86_SRC_RFO))
/* Slots by what they are lost to, and cycles of mispredictions. */
#define VPMU_X86_LOST                                                                              \
    (VPMU_SRC_FROM_TO(VPMU_X86_SRC_RECOVERY, VPMU_X86_SRC_SLOT_MEMORY) |                           \
     VPMU_SRC_BIT(VPMU_X86_SRC_SLOT_BACKEND))
/* Each slot is one of these. */
#define VPMU_X86_ALL_SLOTS                                                                         \
    (VPMU_SRC_BIT(VPMU_X86_SRC_INST) | VPMU_SRC_BIT(VPMU_X86_SRC_SLOT_FETCH) |                     \
     VPMU_SRC_BIT(VPMU_X86_SRC_SLOT_RECOVERY) | VPMU_SRC_BIT(VPMU_X86_SRC_SLOT_BACKEND))
#define VPMU_X86_STALLS                                                                            \
    (VPMU_SRC_BIT(VPMU_X86_SRC_STALL_FRONTEND) | VPMU_SRC_BIT(VPMU_X86_SRC_STALL_BACKEND) |        \
     VPMU_SRC_BIT(VPMU_X86_SRC_SLOT_FRONTEND) | VPMU_X86_LOST)
/* All sources of x86. */
#define VPMU_X86_SRC_ALL                                                                           \
    (VPMU_SRC_BIT(VPMU_X86_SRC_INST) | VPMU_SRC_BIT(VPMU_X86_SRC_LOAD) |                           \
     VPMU_SRC_BIT(VPMU_X86_SRC_STORE) | VPMU_X86_DETAIL | VPMU_X86_BRANCHES |                      \
     VPMU_SRC_BIT(VPMU_X86_SRC_BR_CALL) | VPMU_X86_OUTCOMES | VPMU_X86_MISPREDICTED |              \
     VPMU_SRC_BIT(VPMU_X86_SRC_CYCLES) | VPMU_SRC_BIT(VPMU_X86_SRC_REF_CYCLES) | VPMU_X86_STALLS | \
     VPMU_X86_MODELLED)

/**
 * vpmu_x86_source_name() - the name of a source
 * @source: enum vpmu_x86_source, any value.
 *
 * Return: a constant in lower case, such as "br-cond"; NULL if x86 has no such source.
 */
const char *vpmu_x86_source_name(unsigned source);

VPMU_DECLS_END

#endif
