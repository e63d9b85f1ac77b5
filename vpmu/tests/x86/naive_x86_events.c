/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/*
 * What x86 event numbers mean, a second time: from the names that perf's lists give to a number,
 * and from Linux's driver where it uses a number that the lists lack.
 */
#define _POSIX_C_SOURCE 200809L
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "naive_x86.h"
#include "vpmu/x86/events.h"

#define LISTS "vpmu/tests/x86/x86_event_lists.tsv"
#define MAX_ROWS 4096

/* perf's names of the families, in the order of enum vpmu_x86_family. */
static const char *const families[VPMU_X86_FAMILY_COUNT] = {
    "",
    "",
    "bonnell",
    "nehalemep",
    "westmereep-dp",
    "sandybridge",
    "ivybridge",
    "haswell",
    "broadwell",
    "skylake",
    "skylakex",
    "cascadelakex",
    "icelakex",
    "sapphirerapids",
    "graniterapids",
    "goldmont",
    "snowridgex",
    "sierraforest",
    "clearwaterforest",
    "knightslanding",
    "amdzen1",
    "amdzen2",
    "amdzen3",
    "amdzen4",
    "amdzen5",
};

static struct naive_listed rows[MAX_ROWS];
static size_t count;

const char *naive_family(unsigned family)
{
    return families[family];
}

static uint32_t families_of(char *list)
{
    uint32_t mask = 0;
    char *rest = NULL;

    for (char *name = strtok_r(list, ",\n", &rest); name; name = strtok_r(NULL, ",\n", &rest)) {
        for (unsigned i = 0; i < VPMU_X86_FAMILY_COUNT; i++) {
            mask |= strcmp(name, families[i]) == 0 ? 1u << i : 0;
        }
    }
    return mask;
}

static void read_lists(void)
{
    char line[512];
    FILE *file = fopen(LISTS, "r");

    if (!file) {
        perror(LISTS);
        exit(2);
    }
    while (fgets(line, sizeof(line), file) && count < MAX_ROWS) {
        char *name = strchr(line, '\t');
        char *list = name ? strchr(name + 1, '\t') : NULL;

        if (line[0] == '#' || !list) {
            continue;
        }
        *name = *list = '\0';
        snprintf(rows[count].name, sizeof(rows[count].name), "%s", name + 1);
        rows[count].select = strtoull(line, NULL, 16);
        rows[count++].families = families_of(list + 1);
    }
    fclose(file);
}

const struct naive_listed *naive_lists(size_t *n)
{
    if (count == 0) {
        read_lists();
    }
    *n = count;
    return rows;
}

#define S(source) VPMU_SRC_BIT(VPMU_X86_SRC_##source)
#define ALL_BRANCHES (S(BR_COND) | S(BR_DIRECT) | S(BR_INDIRECT) | S(BR_RETURN) | S(BR_FAR))
#define COND_MISSES (S(MISS_TAKEN) | S(MISS_NOT_TAKEN))
#define TAKEN_MISSES (S(MISS_TAKEN) | S(MISS_INDIRECT) | S(MISS_RETURN))
#define NEAR_TAKEN (S(BR_TAKEN) | S(BR_DIRECT) | S(BR_INDIRECT) | S(BR_RETURN))
#define L1D_REFILLS (S(L1D_MISS_RD) | S(L1D_MISS_WR))
#define L1_REFILLS (L1D_REFILLS | S(L1I_MISS))
#define DTLB_HITS (S(DTLB_L2_HIT_RD) | S(DTLB_L2_HIT_WR))
#define DATA_FROM_L2 (S(L2_LOAD_HIT) | S(L2_STORE_HIT))
#define DATA_FROM_LL (S(LL_LOAD_HIT) | S(LL_STORE_HIT))
#define DATA_FROM_MEMORY (S(LL_LOAD_MISS) | S(LL_MISS_WR))
/* References are reads for loads, fetches and stores, and not write-backs. */
#define LL_READS (S(L2_MISS_RD) | S(LL_STORE_HIT) | S(LL_MISS_WR))
#define L2_READS (S(L1D_MISS_RD) | S(L1I_MISS) | S(L2_STORE_HIT) | S(L2_MISS_WR))
#define L1D_WB (S(L1D_VICTIM) | S(L1D_CLEAN))
#define DTLB_WALK (S(DTLB_WALK_RD) | S(DTLB_WALK_WR))
#define DTLB_MISS (DTLB_WALK | S(DTLB_L2_HIT_RD) | S(DTLB_L2_HIT_WR))
#define OPS_SCALAR                                                                                 \
    (S(OPS_SCALAR_ADD) | S(OPS_SCALAR_SUB) | S(OPS_SCALAR_MUL) | S(OPS_SCALAR_MAC) |               \
     S(OPS_SCALAR_DIV) | S(OPS_SCALAR_SQRT) | S(OPS_SCALAR_CMP) | S(OPS_SCALAR_CVT) |              \
     S(OPS_SCALAR_OTHER))
#define OPS_128                                                                                    \
    (S(OPS_128_ADD) | S(OPS_128_SUB) | S(OPS_128_MUL) | S(OPS_128_MAC) | S(OPS_128_DIV) |          \
     S(OPS_128_SQRT) | S(OPS_128_CMP) | S(OPS_128_CVT) | S(OPS_128_OTHER) | S(OPS_128_BLEND) |     \
     S(OPS_128_SHUFFLE) | S(OPS_128_LOGICAL))
#define OPS_256                                                                                    \
    (S(OPS_256_ADD) | S(OPS_256_SUB) | S(OPS_256_MUL) | S(OPS_256_MAC) | S(OPS_256_DIV) |          \
     S(OPS_256_SQRT) | S(OPS_256_CMP) | S(OPS_256_CVT) | S(OPS_256_OTHER) | S(OPS_256_BLEND) |     \
     S(OPS_256_SHUFFLE) | S(OPS_256_LOGICAL))
#define FLOPS VPMU_SRC_FROM_TO(VPMU_X86_SRC_FLOPS_ADD_SINGLE, VPMU_X86_SRC_FLOPS_MAC_DOUBLE)
#define DOUBLE_FLOPS                                                                               \
    (S(FLOPS_ADD_DOUBLE) | S(FLOPS_MUL_DOUBLE) | S(FLOPS_DIV_DOUBLE) | S(FLOPS_MAC_DOUBLE))
#define L2_REFILLS (S(L2_MISS_RD) | S(L2_MISS_WR))
#define PREFETCHES (S(PREFETCH_NTA) | S(PREFETCH_T0) | S(PREFETCH_T1_T2) | S(PREFETCH_W))

/* What names mean; the first pattern that fits is taken. */
static const struct {
    const char *pattern;
    vpmu_sources sources;
} meanings[] = {
    {"*TLB*_1G", 0},
    {"*TLB*_2M*", 0},
    {"DTLB_LOAD_MISSES.STLB_HIT*", S(DTLB_L2_HIT_RD)},
    {"DTLB_STORE_MISSES.STLB_HIT*", S(DTLB_L2_HIT_WR)},
    {"MEM_INST_RETIRED.STLB_HIT_LOADS", S(DTLB_L2_HIT_RD)},
    {"MEM_INST_RETIRED.STLB_HIT_STORES", S(DTLB_L2_HIT_WR)},
    {"DTLB_MISSES.STLB_HIT", DTLB_HITS},
    {"L2_RQSTS.RFO_HIT", S(L2_STORE_HIT)},
    {"L2_RQSTS.CODE_RD_HIT", S(L2_FETCH_HIT)},
    {"L2_RQSTS.IFETCH_HIT", S(L2_FETCH_HIT)},
    {"L2_RQSTS.CODE_RD_MISS", S(L2_FETCH_MISS)},
    {"L2_RQSTS.IFETCH_MISS", S(L2_FETCH_MISS)},
    {"L2_RQSTS.HIT", DATA_FROM_L2 | S(L2_FETCH_HIT)},
    {"L2_TRANS*.DEMAND_DATA_RD", S(L1D_MISS_RD)},
    {"L2_TRANS*.LOAD", S(L1D_MISS_RD)},
    {"L2_TRANS*.RFO", S(L1D_MISS_WR)},
    {"L2_TRANS*.CODE_RD", S(L1I_MISS)},
    {"L2_TRANS*.IFETCH", S(L1I_MISS)},
    {"*.LARGE_WALK_COMPLETED", 0},
    {"*.NEAR_TAKEN_COST", 0},
    {"MEM_TRANS_RETIRED.PRECISE_STORE", S(STORE)},
    {"MEM_TRANS_RETIRED.STORE_SAMPLE", S(STORE)},
    {"BR_INST_RETIRED.COND_TAKEN", S(BR_TAKEN)},
    {"BR_INST_RETIRED.TAKEN_JCC", S(BR_TAKEN)},
    {"BR_INST_RETIRED.COND_NTAKEN", S(BR_NOT_TAKEN)},
    {"BR_INST_RETIRED.NOT_TAKEN", S(BR_NOT_TAKEN)},
    {"BR_INST_RETIRED.NEAR_TAKEN", NEAR_TAKEN},
    {"BR_INST_RETIRED.ALL_TAKEN_BRANCHES", NEAR_TAKEN | S(BR_FAR)},
    {"BR_INST_RETIRED.NEAR_CALL", S(BR_CALL)},
    {"BR_INST_RETIRED.CALL", S(BR_CALL)},
    {"BR_INST_RETIRED.NEAR_INDIRECT", S(BR_INDIRECT)},
    {"BR_INST_RETIRED.NEAR_INDIRECT_OR_RETURN", S(BR_INDIRECT) | S(BR_RETURN)},
    {"BR_MISP_RETIRED.CONDITIONAL", COND_MISSES},
    {"BR_MISP_RETIRED.COND", COND_MISSES},
    {"BR_MISP_RETIRED.JCC", COND_MISSES},
    {"BR_MISP_RETIRED.COND_TAKEN", S(MISS_TAKEN)},
    {"BR_MISP_RETIRED.TAKEN_JCC", S(MISS_TAKEN)},
    {"BR_MISP_RETIRED.COND_NTAKEN", S(MISS_NOT_TAKEN)},
    {"BR_MISP_RETIRED.NOT_TAKEN", S(MISS_NOT_TAKEN)},
    {"BR_MISP_RETIRED.NEAR_TAKEN", TAKEN_MISSES},
    {"BR_MISP_RETIRED.TAKEN", TAKEN_MISSES},
    {"BR_MISP_RETIRED.RET", S(MISS_RETURN)},
    {"BR_MISP_RETIRED.RETURN", S(MISS_RETURN)},
    {"BR_MISP_RETIRED.NEAR_RETURN", S(MISS_RETURN)},
    {"BR_MISP_RETIRED.INDIRECT", S(MISS_INDIRECT)},
    {"BR_MISP_RETIRED.NEAR_INDIRECT", S(MISS_INDIRECT)},
    {"BR_MISP_RETIRED.NON_RETURN_IND", S(MISS_INDIRECT)},
    {"BR_INST_EXEC.ALL_CONDITIONAL", S(BR_COND)},
    {"BR_INST_EXEC.COND", S(BR_COND)},
    {"BR_INST_EXEC.NONTAKEN_CONDITIONAL", S(BR_NOT_TAKEN)},
    {"BR_INST_EXEC.TAKEN_CONDITIONAL", S(BR_TAKEN)},
    {"BR_INST_EXEC.*_NEAR_RETURN", S(BR_RETURN)},
    {"BR_INST_EXEC.RETURN_NEAR", S(BR_RETURN)},
    {"BR_INST_EXEC.NEAR_CALLS", S(BR_CALL)},
    {"BR_INST_EXEC.TAKEN", NEAR_TAKEN | S(BR_FAR)},
    {"BR_INST_EXEC.ALL_BRANCHES", ALL_BRANCHES},
    {"BR_INST_EXEC.ANY", ALL_BRANCHES},
    {"MEM_LOAD_RETIRED.L1_HIT", S(L1D_RD) | S(L1D_RD_LESS) | PREFETCHES},
    {"MEM_LOAD_UOPS_RETIRED.L1_HIT", S(L1D_RD) | S(L1D_RD_LESS)},
    {"MEM_LOAD_RETIRED.L1D_HIT", S(L1D_RD) | S(L1D_RD_LESS)},
    {"MEM_LOAD_*RETIRED.L2_HIT", S(L2_LOAD_HIT)},
    {"MEM_UOPS_RETIRED.L2_HIT_LOADS", S(L2_LOAD_HIT)},
    {"L2_RQSTS.DEMAND_DATA_RD_HIT", S(L2_LOAD_HIT)},
    {"L2_RQSTS.LD_HIT", S(L2_LOAD_HIT)},
    {"MEM_LOAD_*RETIRED.L3_HIT", S(LL_LOAD_HIT)},
    {"MEM_LOAD_*RETIRED.LLC_HIT", S(LL_LOAD_ALONE)},
    {"MEM_LOAD_RETIRED.LLC_UNSHARED_HIT", S(LL_LOAD_ALONE)},
    {"MEM_LOAD_*RETIRED.XSNP_NONE", S(LL_LOAD_ALONE)},
    {"MEM_LOAD_UOPS_RETIRED.L3_HIT_NO_SNOOP", S(LL_LOAD_ALONE)},
    {"MEM_LOAD_*RETIRED.XSNP_HIT", S(LL_LOAD_SHARED) | S(LL_LOAD_FORWARDED)},
    {"MEM_LOAD_*RETIRED.XSNP_NO_FWD", S(LL_LOAD_SHARED)},
    {"MEM_LOAD_*RETIRED.XSNP_HITM", S(LL_LOAD_MODIFIED)},
    {"MEM_LOAD_*RETIRED.XSNP_FWD", S(LL_LOAD_FORWARDED) | S(LL_LOAD_MODIFIED)},
    {"MEM_LOAD_RETIRED.OTHER_CORE_L2_HIT_HITM",
     S(LL_LOAD_SHARED) | S(LL_LOAD_FORWARDED) | S(LL_LOAD_MODIFIED)},
    {"MEM_UNCORE_RETIRED.OTHER_CORE_L2_HITM", S(LL_LOAD_MODIFIED)},
    {"MEM_UNCORE_RETIRED.LOCAL_DRAM", S(LL_LOAD_MISS)},
    {"MEM_LOAD_UOPS_RETIRED.HITM", S(LL_LOAD_MODIFIED)},
    {"MEM_LOAD_UOPS_MISC_RETIRED.L3_HIT_SNOOP_HITM", S(LL_LOAD_MODIFIED)},
    {"OFFCORE_REQUESTS.DEMAND*DATA*", S(LL_LOAD)},
    {"OFFCORE_REQUESTS.DEMAND*CODE*", S(L2_FETCH_MISS)},
    {"OFFCORE_REQUESTS.*RFO", S(RFO)},
    {"OFFCORE_REQUESTS.L3_MISS_DEMAND_DATA_RD", S(LL_LOAD_MISS)},
    {"MEM_LOAD_*_MISS_RETIRED.LOCAL_DRAM", S(LL_LOAD_MISS)},
    {"MEM_LOAD_UOPS_RETIRED.DRAM_HIT", S(LL_LOAD_MISS)},
    {"IDQ_UOPS_NOT_DELIVERED.CORE", S(SLOT_FETCH)},
    {"INT_MISC.RECOVERY_CYCLES", S(RECOVERY)},
    {"TOPDOWN.BACKEND_BOUND_SLOTS", S(SLOT_BACKEND)},
    {"TOPDOWN.BAD_SPEC_SLOTS", S(SLOT_RECOVERY)},
    {"TOPDOWN.BR_MISPREDICT_SLOTS", S(SLOT_RECOVERY)},
    {"TOPDOWN.MEMORY_BOUND_SLOTS", S(SLOT_MEMORY)},
    {"TOPDOWN.SLOTS_P", S(INST) | S(SLOT_FETCH) | S(SLOT_RECOVERY) | S(SLOT_BACKEND)},
    {"INST_RETIRED.ANY_P", S(INST)},
    {"INST_RETIRED.PREC_DIST", S(INST)},
    {"UOPS_ISSUED.ANY", S(INST)},
    {"UOPS_RETIRED.ALL", S(INST)},
    {"UOPS_RETIRED.ANY", S(INST)},
    {"UOPS_RETIRED.RETIRE_SLOTS", S(INST)},
    {"UOPS_RETIRED.SLOTS", S(INST)},
    {"UOPS_EXECUTED.THREAD", S(INST)},
    {"UOPS_EXECUTED.CORE", S(INST)},
    {"UOPS_DISPATCHED.THREAD", S(INST)},
    {"UOPS_DISPATCHED.CORE", S(INST)},
    {"TOPDOWN_RETIRING.ALL*", S(INST)},
    {"TOPDOWN_FE_BOUND.ALL*", S(SLOT_FETCH)},
    {"TOPDOWN_FE_BOUND.FRONTEND_LATENCY", S(SLOT_FETCH)},
    {"TOPDOWN_BE_BOUND.ALLOC*", 0},
    {"TOPDOWN_BE_BOUND.ALL*", S(SLOT_BACKEND)},
    {"TOPDOWN_BAD_SPECULATION.ALL*", S(SLOT_RECOVERY)},
    {"TOPDOWN_BAD_SPECULATION.MISPREDICT", S(SLOT_RECOVERY)},
    {"CPU_CLK_UNHALTED.DISTRIBUTED", S(CYCLES)},
    {"CPU_CLK_UNHALTED.REF_DISTRIBUTED", S(REF_CYCLES)},
    /* A core has one thread. */
    {"CPU_CLK_*.ONE_THREAD_ACTIVE", S(REF_CYCLES)},
    {"BR_INST_RETIRED.ALL_BRANCHES*", ALL_BRANCHES},
    {"BR_MISP_RETIRED.ALL_BRANCHES_COST", 0},
    {"BR_MISP_RETIRED.ALL_BRANCHES*", S(BR_MISS)},
    {"BR_INST_RETIRED.CONDITIONAL", S(BR_COND)},
    {"BR_INST_RETIRED.COND", S(BR_COND)},
    {"BR_INST_RETIRED.JCC", S(BR_COND)},
    {"BR_INST_RETIRED.NEAR_RETURN", S(BR_RETURN)},
    {"BR_INST_RETIRED.RETURN", S(BR_RETURN)},
    {"BR_INST_RETIRED.FAR_BRANCH", S(BR_FAR)},
    {"BR_INST_RETIRED.NON_RETURN_IND", S(BR_INDIRECT)},
    {"BR_INST_RETIRED.INDIRECT", S(BR_INDIRECT)},
    {"MEM_INST_RETIRED.ALL_LOADS", S(LOAD) | PREFETCHES},
    {"MEM_UOPS_RETIRED.ALL_LOADS", S(LOAD)},
    {"*.LOCK_LOADS", S(LOCKED_LOAD)},
    {"RECYCLEQ.LOCK", S(LOCKED_LOAD)},
    {"LS_LOCKS.ALL", S(LOCKED_LOAD)},
    {"MEM_*_RETIRED.SPLIT_LOADS", S(SPLIT_LOAD)},
    {"MEM_*_RETIRED.SPLIT_STORES", S(SPLIT_STORE)},
    {"MEM_UOPS_RETIRED.SPLIT", S(SPLIT_LOAD) | S(SPLIT_STORE)},
    {"RECYCLEQ.LD_SPLITS", S(SPLIT_LOAD)},
    {"RECYCLEQ.ST_SPLITS", S(SPLIT_STORE)},
    {"MISALIGN_MEM_REF.LOADS", S(SPLIT_LOAD)},
    {"MISALIGN_MEM_REF.STORES", S(SPLIT_STORE)},
    {"MISALIGN_MEM_REF.LOAD_PAGE_SPLIT", S(SPLIT_PAGE_LOAD)},
    {"MISALIGN_MEM_REF.STORE_PAGE_SPLIT", S(SPLIT_PAGE_STORE)},
    {"LS_MISAL_LOADS.MA64", S(SPLIT_LOAD)},
    {"LS_MISAL_LOADS.MA4K", S(SPLIT_PAGE_LOAD)},
    {"MEM_INST_RETIRED.ANY", S(LOAD) | S(STORE) | S(BOTH_LESS) | PREFETCHES},
    {"SW_PREFETCH_ACCESS.NTA", S(PREFETCH_NTA)},
    {"SW_PREFETCH_ACCESS.T0", S(PREFETCH_T0)},
    {"SW_PREFETCH_ACCESS.T1_T2", S(PREFETCH_T1_T2)},
    {"SW_PREFETCH_ACCESS.PREFETCHW", S(PREFETCH_W)},
    {"SW_PREFETCH_ACCESS.ANY", PREFETCHES},
    {"MEM_INST_RETIRED.LOADS", S(LOAD)},
    {"MEM_*_RETIRED.ALL_STORES", S(STORE)},
    {"MEM_INST_RETIRED.STORES", S(STORE)},
    {"MEM_UOPS_RETIRED.ALL", S(LOAD) | S(STORE) | S(RMW_LESS)},
    {"MEM_UOP_RETIRED.ANY", S(LOAD) | S(STORE)},
    {"L1D_CACHE_LD.MESI", S(L1D_RD)},
    {"L1D_CACHE.LD", S(L1D_RD)},
    {"L1D_CACHE.ST", S(L1D_WR)},
    {"L1D_CACHE_LD.I_STATE", S(L1D_MISS_RD)},
    {"L1D_ALL_REF.ANY", S(L1D_RD) | S(L1D_WR)},
    {"L1D.REPL*", L1D_REFILLS},
    {"L1D.M_REPL", S(L1D_MISS_WR)},
    {"L1D.ALLOCATED_IN_M", S(L1D_MISS_WR)},
    {"L1D.M_EVICT", S(L1D_VICTIM)},
    {"L1D.EVICTION", S(L1D_VICTIM)},
    {"L1D.ALL_M_REPLACEMENT", S(L1D_VICTIM)},
    {"L1D_WB_L2.MESI", L1D_WB},
    {"L2_TRANS*.L1D_WB", L1D_WB},
    {"L1I.READS", S(L1I)},
    {"ICACHE.ACCESSES", S(L1I)},
    {"L1I.MISSES", S(L1I_MISS)},
    {"ICACHE.MISSES", S(L1I_MISS)},
    {"ICACHE_64B.IFTAG_MISS", S(L1I_MISS)},
    {"L2_RQSTS.ALL_CODE_RD", S(L1I_MISS)},
    {"L2_RQSTS.IFETCHES", S(L1I_MISS)},
    {"MEM_LOAD_*RETIRED.L1_MISS", S(L1D_MISS_RD)},
    {"MEM_UOPS_RETIRED.L1_MISS_LOADS", S(L1D_MISS_RD)},
    {"L2_RQSTS.ALL_DEMAND_DATA_RD", S(L1D_MISS_RD)},
    {"L2_RQSTS.LOADS", S(L1D_MISS_RD)},
    {"L2_RQSTS.ALL_RFO", S(L1D_MISS_WR)},
    {"L2_RQSTS.RFOS", S(L1D_MISS_WR)},
    {"L2_RQSTS.*REFERENCES", L1_REFILLS},
    {"L2_RQSTS.ALL_DEMAND_MISS", L2_REFILLS},
    {"L2_RQSTS.MISS", L2_REFILLS},
    {"L2_LINES_IN.A*", L2_REFILLS},
    {"L2_RQSTS.RFO_MISS", S(L2_MISS_WR)},
    {"L2_RQSTS.DEMAND_DATA_RD_MISS", S(LL_LOAD)},
    {"L2_RQSTS.LD_MISS", S(LL_LOAD)},
    {"MEM_UOPS_RETIRED.L2_MISS_LOADS", S(LL_LOAD)},
    {"MEM_LOAD_*RETIRED.L2_MISS", S(LL_LOAD)},
    {"MEM_LOAD_*RETIRED.L3_MISS", S(LL_LOAD_MISS)},
    {"MEM_LOAD_*RETIRED.LLC_MISS", S(LL_LOAD_MISS)},
    {"DTLB_LOAD_MISSES.MISS_CAUSE*", S(DTLB_WALK_RD)},
    {"DTLB_LOAD_MISSES.WALK_COMPLETED*", S(DTLB_WALK_RD)},
    {"DTLB_LOAD_MISSES.ANY", S(DTLB_WALK_RD)},
    {"MEM_LOAD_RETIRED.DTLB_MISS", S(DTLB_WALK_RD)},
    {"MEM_*_RETIRED.[DS]TLB_MISS_LOADS", S(DTLB_WALK_RD)},
    {"DATA_TLB_MISSES.DTLB_MISS_LD", S(DTLB_WALK_RD)},
    {"DTLB_STORE_MISSES.MISS_CAUSE*", S(DTLB_WALK_WR)},
    {"DTLB_STORE_MISSES.WALK_COMPLETED*", S(DTLB_WALK_WR)},
    {"MEM_STORE_RETIRED.DTLB_MISS", S(DTLB_WALK_WR)},
    {"MEM_*_RETIRED.[DS]TLB_MISS_STORES", S(DTLB_WALK_WR)},
    {"DATA_TLB_MISSES.DTLB_MISS_ST", S(DTLB_WALK_WR)},
    {"DTLB_MISSES.ANY", DTLB_WALK},
    {"DTLB_MISSES.WALK_COMPLETED", DTLB_WALK},
    {"MEM_UOPS_RETIRED.DTLB_MISS", DTLB_WALK},
    {"MEM_UOPS_RETIRED.STLB_MISS", DTLB_WALK},
    {"DATA_TLB_MISSES.DTLB_MISS", DTLB_WALK},
    {"ITLB_MISSES.STLB_HIT*", S(ITLB_L2_HIT)},
    {"ITLB_MISSES.MISS_CAUSE*", S(ITLB_WALK)},
    {"ITLB_MISSES.WALK_COMPLETED*", S(ITLB_WALK)},
    {"ITLB_MISSES.ANY", S(ITLB_WALK)},
    {"ITLB_MISS_RETIRED", S(ITLB_WALK)},
    {"ITLB.MISS*", S(ITLB_WALK)},
    {"ITLB.FILLS", S(ITLB_WALK)},
    {"RESOURCE_STALLS.ANY", S(STALL_BACKEND)},
    /* AMD */
    {"EX_RET_BRN_TKN", NEAR_TAKEN | S(BR_FAR)},
    {"EX_RET_BRN_TKN_MISP", TAKEN_MISSES},
    {"EX_RET_NEAR_RET_MISPRED", S(MISS_RETURN)},
    {"EX_RET_BRN_IND_MISP", S(MISS_INDIRECT)},
    {"EX_RET_COND_MISP", COND_MISSES},
    {"EX_RET_MSPRD_BRNCH_INSTR_DIR_MSMTCH", COND_MISSES},
    {"EX_RET_UNCOND_BRNCH_INSTR_MISPRED", S(MISS_INDIRECT) | S(MISS_RETURN)},
    {"DE_NO_DISPATCH_PER_SLOT.NO_OPS_FROM_FRONTEND", S(SLOT_FETCH) | S(SLOT_RECOVERY)},
    {"DE_NO_DISPATCH_PER_SLOT.BACKEND_STALLS", S(SLOT_BACKEND)},
    {"LS_NOT_HALTED_P0_CYC.P0_FREQ_CYC", S(REF_CYCLES)},
    {"IC_FETCH_STALL.IC_STALL_DQ_EMPTY", S(STALL_FRONTEND)},
    {"DE_DIS_UOP_QUEUE_EMPTY_DI0", S(STALL_FRONTEND)},
    {"DE_OP_QUEUE_EMPTY", S(STALL_FRONTEND)},
    {"EX_NO_RETIRE.EMPTY", S(STALL_FRONTEND)},
    {"IC_FETCH_STALL.IC_STALL_BACK_PRESSURE", S(STALL_BACKEND)},
    {"EX_NO_RETIRE.NOT_COMPLETE", S(STALL_BACKEND)},
    {"IC_FETCH_STALL.IC_STALL_ANY", S(STALL_FRONTEND) | S(STALL_BACKEND)},
    {"EX_NO_RETIRE.ALL", S(STALL_FRONTEND) | S(STALL_BACKEND)},
    {"EX_RET_UNCOND_BRNCH_INSTR", ALL_BRANCHES & ~S(BR_COND)},
    {"EX_RET_IND_BRCH_INSTR", S(BR_INDIRECT)},
    {"DE_SRC_OP_DISP.ALL", S(INST)},
    {"UOPS_DISPATCHED", S(INST)},
    {"DE_DIS_UOPS_FROM_DECODER", S(INST)},
    {"LS_NOT_HALTED_CYC", S(CYCLES)},
    {"EX_RET_INSTR", S(INST)},
    {"EX_RET_COPS", S(INST)},
    {"EX_RET_OPS", S(INST)},
    {"MACRO_OPS_RETIRED", S(INST)},
    {"UOPS_RETIRED", S(INST)},
    {"EX_RET_BRN", ALL_BRANCHES},
    {"EX_RET_BRN_MISP", S(BR_MISS)},
    {"EX_RET_BRN_FAR", S(BR_FAR)},
    {"EX_RET_NEAR_RET", S(BR_RETURN)},
    {"EX_RET_COND", S(BR_COND)},
    /* Lists: what each count of Intel's represents, and AMD's kinds of FLOPs. */
    {"FP_ARITH_INST_RETIRED.SCALAR_DOUBLE", S(FP_SCALAR_DOUBLE)},
    {"FP_ARITH_INST_RETIRED.SCALAR_SINGLE", S(FP_SCALAR_SINGLE)},
    {"FP_ARITH_INST_RETIRED.SCALAR", S(FP_SCALAR_DOUBLE) | S(FP_SCALAR_SINGLE)},
    {"FP_ARITH_INST_RETIRED.128B_PACKED_DOUBLE", S(FP_128_DOUBLE)},
    {"FP_ARITH_INST_RETIRED.128B_PACKED_SINGLE", S(FP_128_SINGLE)},
    {"FP_ARITH_INST_RETIRED.256B_PACKED_DOUBLE", S(FP_256_DOUBLE)},
    {"FP_ARITH_INST_RETIRED.256B_PACKED_SINGLE", S(FP_256_SINGLE)},
    {"FP_ARITH_INST_RETIRED.4_FLOPS", S(FP_128_SINGLE) | S(FP_256_DOUBLE)},
    {"FP_ARITH_INST_RETIRED.8_FLOPS", S(FP_256_SINGLE)},
    {"FP_ARITH_INST_RETIRED.DOUBLE", S(FP_SCALAR_DOUBLE) | S(FP_128_DOUBLE) | S(FP_256_DOUBLE)},
    {"FP_ARITH_INST_RETIRED.SINGLE", S(FP_SCALAR_SINGLE) | S(FP_128_SINGLE) | S(FP_256_SINGLE)},
    {"FP_ARITH_INST_RETIRED.PACKED",
     S(FP_128_DOUBLE) | S(FP_128_SINGLE) | S(FP_256_DOUBLE) | S(FP_256_SINGLE)},
    {"FP_ARITH_INST_RETIRED.VECTOR",
     S(FP_128_DOUBLE) | S(FP_128_SINGLE) | S(FP_256_DOUBLE) | S(FP_256_SINGLE)},
    {"FP_RET_SSE_AVX_OPS.SP_ADD_SUB_FLOPS", S(FLOPS_ADD_SINGLE)},
    {"FP_RET_SSE_AVX_OPS.SP_MULT_FLOPS", S(FLOPS_MUL_SINGLE)},
    {"FP_RET_SSE_AVX_OPS.SP_DIV_FLOPS", S(FLOPS_DIV_SINGLE)},
    {"FP_RET_SSE_AVX_OPS.SP_MULT_ADD_FLOPS", S(FLOPS_MAC_SINGLE)},
    {"FP_RET_SSE_AVX_OPS.DP_ADD_SUB_FLOPS", S(FLOPS_ADD_DOUBLE)},
    {"FP_RET_SSE_AVX_OPS.DP_MULT_FLOPS", S(FLOPS_MUL_DOUBLE)},
    {"FP_RET_SSE_AVX_OPS.DP_DIV_FLOPS", S(FLOPS_DIV_DOUBLE)},
    {"FP_RET_SSE_AVX_OPS.DP_MULT_ADD_FLOPS", S(FLOPS_MAC_DOUBLE)},
    {"FP_RET_SSE_AVX_OPS.ADD_SUB_FLOPS", S(FLOPS_ADD_SINGLE) | S(FLOPS_ADD_DOUBLE)},
    {"FP_RET_SSE_AVX_OPS.MULT_FLOPS", S(FLOPS_MUL_SINGLE) | S(FLOPS_MUL_DOUBLE)},
    {"FP_RET_SSE_AVX_OPS.DIV_FLOPS", S(FLOPS_DIV_SINGLE) | S(FLOPS_DIV_DOUBLE)},
    {"FP_RET_SSE_AVX_OPS.MAC_FLOPS", S(FLOPS_MAC_SINGLE) | S(FLOPS_MAC_DOUBLE)},
    {"FP_RET_SSE_AVX_OPS.ALL", FLOPS},
    {"EX_RET_MMX_FP_INSTR.X87*", S(X87)},
    {"EX_RET_MMX_FP_INSTR.MMX*", S(MMX)},
    {"EX_RET_MMX_FP_INSTR.SSE*", S(SSE)},
    /* Types of operations of Zen 4 and 5 by width, and the widths. */
    {"FP_OPS_RETIRED_BY_TYPE.SCALAR_ADD", S(OPS_SCALAR_ADD)},
    {"FP_OPS_RETIRED_BY_TYPE.SCALAR_SUB", S(OPS_SCALAR_SUB)},
    {"FP_OPS_RETIRED_BY_TYPE.SCALAR_MUL", S(OPS_SCALAR_MUL)},
    {"FP_OPS_RETIRED_BY_TYPE.SCALAR_MAC", S(OPS_SCALAR_MAC)},
    {"FP_OPS_RETIRED_BY_TYPE.SCALAR_DIV", S(OPS_SCALAR_DIV)},
    {"FP_OPS_RETIRED_BY_TYPE.SCALAR_SQRT", S(OPS_SCALAR_SQRT)},
    {"FP_OPS_RETIRED_BY_TYPE.SCALAR_CMP", S(OPS_SCALAR_CMP)},
    {"FP_OPS_RETIRED_BY_TYPE.SCALAR_CVT", S(OPS_SCALAR_CVT)},
    {"FP_OPS_RETIRED_BY_TYPE.SCALAR_OTHER", S(OPS_SCALAR_OTHER)},
    {"FP_OPS_RETIRED_BY_TYPE.VECTOR_ADD", S(OPS_128_ADD) | S(OPS_256_ADD)},
    {"FP_PACK_OPS_RETIRED.FP128_ADD", S(OPS_128_ADD)},
    {"FP_PACK_OPS_RETIRED.FP256_ADD", S(OPS_256_ADD)},
    {"FP_OPS_RETIRED_BY_TYPE.VECTOR_SUB", S(OPS_128_SUB) | S(OPS_256_SUB)},
    {"FP_PACK_OPS_RETIRED.FP128_SUB", S(OPS_128_SUB)},
    {"FP_PACK_OPS_RETIRED.FP256_SUB", S(OPS_256_SUB)},
    {"FP_OPS_RETIRED_BY_TYPE.VECTOR_MUL", S(OPS_128_MUL) | S(OPS_256_MUL)},
    {"FP_PACK_OPS_RETIRED.FP128_MUL", S(OPS_128_MUL)},
    {"FP_PACK_OPS_RETIRED.FP256_MUL", S(OPS_256_MUL)},
    {"FP_OPS_RETIRED_BY_TYPE.VECTOR_MAC", S(OPS_128_MAC) | S(OPS_256_MAC)},
    {"FP_PACK_OPS_RETIRED.FP128_MAC", S(OPS_128_MAC)},
    {"FP_PACK_OPS_RETIRED.FP256_MAC", S(OPS_256_MAC)},
    {"FP_OPS_RETIRED_BY_TYPE.VECTOR_DIV", S(OPS_128_DIV) | S(OPS_256_DIV)},
    {"FP_PACK_OPS_RETIRED.FP128_DIV", S(OPS_128_DIV)},
    {"FP_PACK_OPS_RETIRED.FP256_DIV", S(OPS_256_DIV)},
    {"FP_OPS_RETIRED_BY_TYPE.VECTOR_SQRT", S(OPS_128_SQRT) | S(OPS_256_SQRT)},
    {"FP_PACK_OPS_RETIRED.FP128_SQRT", S(OPS_128_SQRT)},
    {"FP_PACK_OPS_RETIRED.FP256_SQRT", S(OPS_256_SQRT)},
    {"FP_OPS_RETIRED_BY_TYPE.VECTOR_CMP", S(OPS_128_CMP) | S(OPS_256_CMP)},
    {"FP_PACK_OPS_RETIRED.FP128_CMP", S(OPS_128_CMP)},
    {"FP_PACK_OPS_RETIRED.FP256_CMP", S(OPS_256_CMP)},
    {"FP_OPS_RETIRED_BY_TYPE.VECTOR_CVT", S(OPS_128_CVT) | S(OPS_256_CVT)},
    {"FP_PACK_OPS_RETIRED.FP128_CVT", S(OPS_128_CVT)},
    {"FP_PACK_OPS_RETIRED.FP256_CVT", S(OPS_256_CVT)},
    {"FP_OPS_RETIRED_BY_TYPE.VECTOR_OTHER", S(OPS_128_OTHER) | S(OPS_256_OTHER)},
    {"FP_PACK_OPS_RETIRED.FP128_OTHER", S(OPS_128_OTHER)},
    {"FP_PACK_OPS_RETIRED.FP256_OTHER", S(OPS_256_OTHER)},
    {"FP_OPS_RETIRED_BY_TYPE.VECTOR_BLEND", S(OPS_128_BLEND) | S(OPS_256_BLEND)},
    {"FP_PACK_OPS_RETIRED.FP128_BLEND", S(OPS_128_BLEND)},
    {"FP_PACK_OPS_RETIRED.FP256_BLEND", S(OPS_256_BLEND)},
    {"FP_OPS_RETIRED_BY_TYPE.VECTOR_SHUFFLE", S(OPS_128_SHUFFLE) | S(OPS_256_SHUFFLE)},
    {"FP_PACK_OPS_RETIRED.FP128_SHUFFLE", S(OPS_128_SHUFFLE)},
    {"FP_PACK_OPS_RETIRED.FP256_SHUFFLE", S(OPS_256_SHUFFLE)},
    {"FP_OPS_RETIRED_BY_TYPE.VECTOR_LOGICAL", S(OPS_128_LOGICAL) | S(OPS_256_LOGICAL)},
    {"FP_PACK_OPS_RETIRED.FP128_LOGICAL", S(OPS_128_LOGICAL)},
    {"FP_PACK_OPS_RETIRED.FP256_LOGICAL", S(OPS_256_LOGICAL)},
    {"FP_OPS_RETIRED_BY_TYPE.SCALAR_ALL", OPS_SCALAR},
    {"FP_OPS_RETIRED_BY_TYPE.VECTOR_ALL", OPS_128 | OPS_256},
    {"FP_OPS_RETIRED_BY_TYPE.ALL", OPS_SCALAR | OPS_128 | OPS_256},
    {"FP_PACK_OPS_RETIRED.FP128_ALL", OPS_128},
    {"FP_PACK_OPS_RETIRED.FP256_ALL", OPS_256},
    {"FP_PACK_OPS_RETIRED.ALL", OPS_128 | OPS_256},
    {"FP_OPS_RETIRED_BY_WIDTH.X87_*", S(X87)},
    {"FP_OPS_RETIRED_BY_WIDTH.MMX_*", S(MMX)},
    {"FP_OPS_RETIRED_BY_WIDTH.SCALAR_*", OPS_SCALAR},
    {"FP_OPS_RETIRED_BY_WIDTH.PACK_128_*", OPS_128},
    {"FP_OPS_RETIRED_BY_WIDTH.PACK_256_*", OPS_256},
    {"FP_OPS_RETIRED_BY_WIDTH.ALL", S(X87) | S(MMX) | OPS_SCALAR | OPS_128 | OPS_256},
    {"LS_PREF_INSTR_DISP.LOAD_PREFETCH_W", S(PREFETCH_T0) | S(PREFETCH_T1_T2)},
    {"LS_PREF_INSTR_DISP.PREFETCH", S(PREFETCH_T0) | S(PREFETCH_T1_T2)},
    {"LS_PREF_INSTR_DISP.*PREFETCH_W", S(PREFETCH_W)},
    {"LS_PREF_INSTR_DISP.PREFETCH_NTA", S(PREFETCH_NTA)},
    {"LS_PREF_INSTR_DISP*", PREFETCHES},
    {"LS_DISPATCH.LD_DISPATCH", S(LOAD) | S(RMW_LESS)},
    {"LS_DISPATCH.STORE_DISPATCH", S(STORE) | S(RMW_LESS)},
    {"LS_DISPATCH.LD_ST_DISPATCH", S(RMW)},
    {"LS_DISPATCH.ALL", S(LOAD) | S(STORE) | S(RMW_LESS)},
    {"ALL_D*_ACCESSES", S(LOAD) | S(STORE) | S(RMW_LESS)},
    {"LS_DC_ACCESSES", S(L1D_RD) | S(L1D_WR)},
    {"IC_FW32", S(L1I)},
    {"IC_TAG_HIT_MISS.ALL_*", S(L1I)},
    {"IC_FW32_MISS", S(L1I_MISS)},
    {"IC_TAG_HIT_MISS.*_MISS", S(L1I_MISS)},
    {"L2_CACHE_ACCESSES_FROM_IC_MISSES", S(L1I_MISS)},
    {"L2_REQUEST_G1.CACHEABLE_IC_READ", S(L1I_MISS)},
    {"L2_CACHE_REQ_STAT.IC_ACCESS_IN_L2", S(L1I_MISS)},
    {"BP_L1_TLB_MISS_L2_*HIT", S(ITLB_L2_HIT)},
    {"BP_L1_TLB_MISS_L2_*COALESCED*", 0},
    {"BP_L1_TLB_MISS_L2_*.IF?[MG]", 0},
    {"BP_L1_TLB_MISS_L2_*", S(ITLB_WALK)},
    {"L2_ITLB_MISSES", S(ITLB_WALK)},
    {"LS_TABLEWALKER.ISIDE", S(ITLB_WALK)},
    {"LS_TABLEWALKER.DSIDE", DTLB_WALK},
    {"LS_L1_D_TLB_MISS.ALL", DTLB_MISS},
    {"L1_DTLB_MISSES", DTLB_MISS},
    {"LS_L1_D_TLB_MISS.ALL_L2_MISS", DTLB_WALK},
    {"LS_L1_D_TLB_MISS.TLB_RELOAD_4K_L2_MISS", DTLB_WALK},
    {"L2_DTLB_MISSES", DTLB_WALK},
    {"L2_CACHE_ACCESSES_FROM_DC_MISSES", L1D_REFILLS},
    {"L2_REQUEST_G1.ALL_DC", L1D_REFILLS},
    {"L2_CACHE_REQ_STAT.DC_ACCESS_IN_L2", L1D_REFILLS},
    {"LS_ANY_FILLS_FROM_SYS.ALL", L1D_REFILLS},
    {"L1_DATA_CACHE_FILLS_ALL", L1D_REFILLS},
    {"LS_DMND_FILLS_FROM_SYS.ALL", L1D_REFILLS},
    {"LS_MAB_ALLOC.LOAD_STORE_ALLOCATIONS", L1D_REFILLS},
    {"LS_MAB_ALLOC.ALL_ALLOCATIONS", L1D_REFILLS},
    {"LS_MAB_ALLOC.LOADS", S(L1D_MISS_RD)},
    {"L2_REQUEST_G1.RD_BLK_L", S(L1D_MISS_RD)},
    {"LS_MAB_ALLOC.STORES", S(L1D_MISS_WR)},
    {"L2_REQUEST_G1.RD_BLK_X", S(L1D_MISS_WR)},
    {"L2_REQUEST_G1.ALL", L1_REFILLS},
    {"L2_REQUEST_G1.ALL_NO_PREFETCH", L1_REFILLS},
    {"L2_CACHE_REQ_STAT.IC_DC_MISS_IN_L2", L2_REFILLS},
    {"LS_*FILL*_FROM_SYS.*L*L_L2", DATA_FROM_L2},
    {"LS_*FILL*_FROM_SYS.*LCL_CACHE", DATA_FROM_LL},
    {"LS_*FILL*_FROM_SYS.INT_CACHE", DATA_FROM_LL},
    {"LS_*FILL*_FROM_SYS.LOCAL_CCX", DATA_FROM_LL},
    {"LS_*FILL*_FROM_SYS.LOCAL_ALL", DATA_FROM_L2 | DATA_FROM_LL},
    {"L1_DATA_CACHE_FILLS_FROM_WITHIN_SAME_CCX", DATA_FROM_L2 | DATA_FROM_LL},
    {"LS_*FILL*_FROM_SYS.*LCL_DRAM", DATA_FROM_MEMORY},
    {"LS_*FILL*_FROM_SYS.MEM_IO_LOCAL", DATA_FROM_MEMORY},
    {"LS_*FILL*_FROM_SYS.DRAM_IO_NEAR", DATA_FROM_MEMORY},
    {"LS_*FILL*_FROM_SYS.*DRAM_IO_ALL", DATA_FROM_MEMORY},
    {"LS_*FILL*_FROM_SYS.ALL_DRAM_IO", DATA_FROM_MEMORY},
    {"L1_DATA_CACHE_FILLS_FROM_MEMORY", DATA_FROM_MEMORY},
    {"LS_L1_D_TLB_MISS.TLB_RELOAD_4K_L2_HIT", DTLB_HITS},
    {"L2_CACHE_MISSES_FROM_IC_MISS", S(L2_FETCH_MISS)},
    {"L2_CACHE_REQ_STAT.IC_FILL_MISS", S(L2_FETCH_MISS)},
    {"IC_CACHE_FILL_SYS", S(L2_FETCH_MISS)},
    {"L2_CACHE_HITS_FROM_IC_MISSES", S(L2_FETCH_HIT)},
    {"L2_CACHE_REQ_STAT.IC_HIT_IN_L2", S(L2_FETCH_HIT)},
    {"IC_CACHE_FILL_L2", S(L2_FETCH_HIT)},
    {"L2_CACHE_MISSES_FROM_DC_MISSES", S(LL_LOAD) | S(L2_MISS_WR)},
    {"L2_CACHE_REQ_STAT.LS_RD_BLK_C", S(LL_LOAD) | S(L2_MISS_WR)},
    {"L2_CACHE_REQ_STAT.LS_RD_BLK_X", S(L2_STORE_HIT)},
    {"L2_CACHE_HITS_FROM_DC_MISSES", DATA_FROM_L2},
    {"L2_CACHE_REQ_STAT.DC_HIT_IN_L2", DATA_FROM_L2},
    {"L2_CACHE_REQ_STAT.IC_DC_HIT_IN_L2", DATA_FROM_L2 | S(L2_FETCH_HIT)},
    {"L2_CACHE_REQ_STAT.ALL", L1_REFILLS},
};

/* Names of hits and of snoops whose meaning depends on the family. */
static bool differs(unsigned family, const char *name, vpmu_sources *sources)
{
    static const struct {
        uint8_t first, last;
        const char *name;
        vpmu_sources sources;
    } differ[] = {
        {VPMU_X86_HASWELL, VPMU_X86_BROADWELL, "MEM_LOAD_UOPS_RETIRED.L3_HIT", S(LL_LOAD_ALONE)},
        {VPMU_X86_HASWELL, VPMU_X86_BROADWELL, "MEM_UOPS_RETIRED.ALL_LOADS", S(LOAD) | PREFETCHES},
        {VPMU_X86_BROADWELL, VPMU_X86_BROADWELL, "MEM_LOAD_UOPS_RETIRED.L1_HIT",
         S(L1D_RD) | S(L1D_RD_LESS) | PREFETCHES},
        {VPMU_X86_ICELAKEX, VPMU_X86_ICELAKEX, "MEM_LOAD_L3_HIT_RETIRED.XSNP_HIT",
         S(LL_LOAD_SHARED)},
        {VPMU_X86_ICELAKEX, VPMU_X86_ICELAKEX, "MEM_LOAD_L3_HIT_RETIRED.XSNP_HITM",
         S(LL_LOAD_FORWARDED) | S(LL_LOAD_MODIFIED)},
    };

    for (size_t i = 0; i < sizeof(differ) / sizeof(differ[0]); i++) {
        if (family >= differ[i].first && family <= differ[i].last &&
            strcmp(name, differ[i].name) == 0) {
            *sources = differ[i].sources;
            return true;
        }
    }
    return false;
}

static vpmu_sources meaning(unsigned family, uint64_t select, const char *name)
{
    vpmu_sources sources;

    if (differs(family, name, &sources)) {
        return sources;
    }
    /* On Bonnell L2 is the last level, and far branches are among those that are taken. */
    if (strcmp(name, "BR_INST_RETIRED.TAKEN") == 0) {
        return select == 0xcc4 ? NEAR_TAKEN | S(BR_FAR) : 0;
    }
    if (select == 0x1cb && strcmp(name, "MEM_LOAD_RETIRED.L2_HIT") == 0) {
        return S(L2_LOAD_HIT) | S(LL_LOAD_HIT);
    }
    /* Bonnell calls this number UOPS_RETIRED.STALLS as well, which it is only with CMASK. */
    if (select == 0x10c2 && strcmp(name, "UOPS_RETIRED.ANY") == 0) {
        return 0;
    }
    for (size_t i = 0; i < sizeof(meanings) / sizeof(meanings[0]); i++) {
        if (fnmatch(meanings[i].pattern, name, 0) == 0) {
            return meanings[i].sources;
        }
    }
    return 0;
}

#define OF(family) (1u << VPMU_X86_##family)
#define ZENS (OF(ZEN1) | OF(ZEN2) | OF(ZEN3) | OF(ZEN4) | OF(ZEN5))

/* The architectural events, and numbers of Linux's driver. */
static const struct {
    uint8_t vendor;
    uint32_t families;
    uint64_t select;
    vpmu_sources sources;
} drivers[] = {
    {VPMU_X86_INTEL, UINT32_MAX, 0x3c, S(CYCLES)},
    {VPMU_X86_INTEL, UINT32_MAX, 0xc0, S(INST)},
    {VPMU_X86_INTEL, UINT32_MAX, 0x13c, S(REF_CYCLES)},
    {VPMU_X86_INTEL, UINT32_MAX, 0x4f2e, LL_READS},
    {VPMU_X86_INTEL, UINT32_MAX, 0x412e, S(LL_MISS_RD) | S(LL_MISS_WR)},
    {VPMU_X86_INTEL, UINT32_MAX, 0xc4, ALL_BRANCHES},
    {VPMU_X86_INTEL, UINT32_MAX, 0xc5, S(BR_MISS)},
    {VPMU_X86_INTEL, OF(CORE2), 0xf40, S(L1D_RD)},
    {VPMU_X86_INTEL, OF(CORE2), 0x140, S(L1D_MISS_RD)},
    {VPMU_X86_INTEL, OF(CORE2), 0xf41, S(L1D_WR)},
    {VPMU_X86_INTEL, OF(CORE2), 0x141, S(L1D_MISS_WR)},
    {VPMU_X86_INTEL, OF(CORE2), 0x80, S(L1I)},
    {VPMU_X86_INTEL, OF(CORE2), 0x81, S(L1I_MISS)},
    {VPMU_X86_INTEL, OF(CORE2), 0x4f29, S(LL_LOAD)},
    {VPMU_X86_INTEL, OF(CORE2), 0x4129, S(LL_LOAD_MISS)},
    /* core2_hw_cache_event_ids: LLC-stores, LLC-store-misses */
    {VPMU_X86_INTEL, OF(CORE2), 0x4f2a, S(L2_MISS_WR)},
    {VPMU_X86_INTEL, OF(CORE2), 0x412a, S(LL_MISS_WR)},
    /* snb_hw_cache_event_ids: L1-dcache-store-misses, also of Ivy Bridge, whose list lacks it */
    {VPMU_X86_INTEL, OF(IVYBRIDGE), 0x851, S(L1D_VICTIM)},
    {VPMU_X86_INTEL, OF(CORE2), 0x208, S(DTLB_WALK_RD)},
    {VPMU_X86_INTEL, OF(CORE2), 0x808, S(DTLB_WALK_WR)},
    {VPMU_X86_INTEL, OF(CORE2), 0x1282, S(ITLB_WALK)},
    /* MEM_LOAD_RETIRED.L2_MISS: L2 is the last level there. */
    {VPMU_X86_INTEL, OF(BONNELL), 0x2cb, S(LL_LOAD_MISS)},
    {VPMU_X86_INTEL, OF(BONNELL), 0x2140, S(L1D_RD)},
    {VPMU_X86_INTEL, OF(BONNELL), 0x2240, S(L1D_WR)},
    {VPMU_X86_INTEL, OF(NEHALEM) | OF(WESTMERE), 0x100b, S(LOAD_LATENCY)},
    /* nehalem_hw_cache_event_ids and westmere_hw_cache_event_ids: branch-load-misses */
    {VPMU_X86_INTEL, OF(NEHALEM) | OF(WESTMERE), 0x3e8, S(BR_MISS)},
    {VPMU_X86_INTEL,
     OF(SANDYBRIDGE) | OF(IVYBRIDGE) | OF(HASWELL) | OF(BROADWELL) | OF(SKYLAKE) | OF(SKYLAKEX) |
         OF(CASCADELAKE) | OF(ICELAKEX) | OF(SAPPHIRERAPIDS) | OF(GRANITERAPIDS),
     0x1cd, S(LOAD_LATENCY)},
    {VPMU_X86_INTEL, OF(NEHALEM) | OF(WESTMERE), 0xf41, S(L1D_WR)},
    {VPMU_X86_INTEL, OF(NEHALEM) | OF(WESTMERE), 0xf40, S(L1D_RD)},
    {VPMU_X86_INTEL, OF(NEHALEM) | OF(WESTMERE), 0x3fb1, S(INST)},
    {VPMU_X86_INTEL, OF(SANDYBRIDGE) | OF(IVYBRIDGE), 0xf1d0, S(LOAD)},
    {VPMU_X86_INTEL, OF(SANDYBRIDGE) | OF(IVYBRIDGE), 0xf2d0, S(STORE)},
    {VPMU_X86_INTEL, OF(HASWELL) | OF(BROADWELL), 0x6085, S(ITLB_L2_HIT)},
    {VPMU_X86_INTEL, OF(SANDYBRIDGE) | OF(IVYBRIDGE) | OF(HASWELL) | OF(BROADWELL), 0x30d,
     S(RECOVERY)},
    {VPMU_X86_INTEL, OF(SAPPHIRERAPIDS) | OF(GRANITERAPIDS), 0x4c4, ALL_BRANCHES},
    {VPMU_X86_INTEL, OF(SAPPHIRERAPIDS) | OF(GRANITERAPIDS), 0x4c5, S(BR_MISS)},
    /* Numbers that perf's lists have with a CMASK only. */
    {VPMU_X86_INTEL, OF(HASWELL), 0x1b1, S(INST)},
    {VPMU_X86_INTEL, OF(ICELAKEX), 0x2b1, S(INST)},
    /* Names whose CMASK, INV or Edge is part of the event: "Total execution stalls", ... */
    {VPMU_X86_INTEL,
     OF(IVYBRIDGE) | OF(HASWELL) | OF(BROADWELL) | OF(SKYLAKE) | OF(SKYLAKEX) | OF(CASCADELAKE) |
         OF(ICELAKEX) | OF(SAPPHIRERAPIDS) | OF(GRANITERAPIDS),
     0x40004a3, S(STALL_FRONTEND) | S(STALL_BACKEND)},
    {VPMU_X86_INTEL, OF(ICELAKEX), 0x100030d, S(RECOVERY)},
    {VPMU_X86_INTEL, OF(NEHALEM) | OF(WESTMERE), 0x18001a8, S(CYCLES)},
    {VPMU_X86_INTEL, OF(KNIGHTS), 0x40105, DTLB_WALK},
    {VPMU_X86_INTEL, OF(KNIGHTS), 0x40205, S(ITLB_WALK)},
    {VPMU_X86_INTEL, OF(KNIGHTS), 0x40305, DTLB_WALK | S(ITLB_WALK)},
    /* Linux's iTLB-load-misses of Crestmont and later */
    {VPMU_X86_INTEL, OF(SIERRAFOREST) | OF(CLEARWATERFOREST), 0x481, S(ITLB_WALK)},
    {VPMU_X86_AMD, OF(GENERIC), 0x76, S(CYCLES)},
    {VPMU_X86_AMD, OF(GENERIC), 0xc0, S(INST)},
    {VPMU_X86_AMD, OF(GENERIC), 0xc2, ALL_BRANCHES},
    {VPMU_X86_AMD, OF(GENERIC), 0xc3, S(BR_MISS)},
    {VPMU_X86_AMD, OF(GENERIC) | ZENS, 0x40, S(L1D_RD) | S(L1D_WR)},
    {VPMU_X86_AMD, OF(GENERIC) | ZENS, 0x80, S(L1I)},
    {VPMU_X86_AMD, OF(GENERIC) | ZENS, 0x81, S(L1I_MISS)},
    {VPMU_X86_AMD, OF(GENERIC), 0x84, S(ITLB_L2_HIT)},
    {VPMU_X86_AMD, OF(GENERIC), 0x77d, L2_READS},
    /* Lines that come into L2: from below, and those that L1 has modified. */
    {VPMU_X86_AMD, OF(GENERIC), 0x17f, L1D_WB | L2_REFILLS},
    {VPMU_X86_AMD, OF(GENERIC), 0x77e, L2_REFILLS},
    {VPMU_X86_AMD, OF(GENERIC), 0x41, L1D_REFILLS},
    {VPMU_X86_AMD, OF(GENERIC), 0x141, L1D_REFILLS},
    {VPMU_X86_AMD, OF(GENERIC), 0x37d, L1_REFILLS},
    {VPMU_X86_AMD, OF(GENERIC), 0x37e, L2_REFILLS},
    {VPMU_X86_AMD, OF(GENERIC), 0xd0, S(STALL_FRONTEND)},
    {VPMU_X86_AMD, OF(GENERIC), 0xd1, S(STALL_BACKEND)},
    {VPMU_X86_AMD, OF(GENERIC), 0x746, DTLB_WALK},
    {VPMU_X86_AMD, OF(GENERIC), 0x385, S(ITLB_WALK)},
    {VPMU_X86_AMD, ZENS, 0x329, S(LOAD) | S(STORE) | S(RMW_LESS) | S(RMW_LESS_AGAIN)},
    {VPMU_X86_AMD, ZENS, 0x529, S(LOAD)},
    {VPMU_X86_AMD, OF(ZEN1), 0xf03, FLOPS & ~DOUBLE_FLOPS},
    {VPMU_X86_AMD, OF(ZEN1), 0xf003, DOUBLE_FLOPS},
    {VPMU_X86_AMD, OF(ZEN2) | OF(ZEN3) | OF(ZEN4), 0xf03, FLOPS},
    {VPMU_X86_AMD, OF(ZEN4), 0x1cb, S(X87)},
    {VPMU_X86_AMD, OF(ZEN4), 0x2cb, S(MMX)},
    {VPMU_X86_AMD, OF(ZEN4), 0x4cb, S(SSE)},
    {VPMU_X86_AMD, ZENS, 0x7cb, S(X87) | S(MMX) | S(SSE)},
    {VPMU_X86_AMD, ZENS, 0x629, S(STORE)},
    /* Lines that come into L2: from below, and those that L1 has modified. */
    {VPMU_X86_AMD, OF(GENERIC), 0x17f, L1D_WB | L2_REFILLS},
    {VPMU_X86_AMD, ZENS, 0xc860, L1D_REFILLS},
    {VPMU_X86_AMD, ZENS, 0xff60, L1_REFILLS},
    {VPMU_X86_AMD, ZENS, 0xff85, S(ITLB_WALK)},
};

bool x86_is_counted(unsigned family, uint64_t number)
{
    const uint64_t any = 0x00200000, inverted = 0x00800000, one_or_more = 0x01000000;
    const struct vpmu_x86_config config = {
        .vendor = family >= VPMU_X86_ZEN1 ? VPMU_X86_AMD : VPMU_X86_INTEL,
        .family = (uint8_t)family,
        .sources = VPMU_X86_SRC_ALL,
    };
    uint64_t conditions = number & NAIVE_CONDITIONS;
    const struct vpmu_x86_event *event = number ? vpmu_x86_event_find(&config, number) : NULL;

    /* Linux refuses AnyThread. What never happens would be true in each cycle if inverted. */
    if (!event || (number & any) || (!event->sources && (number & inverted))) {
        return false;
    }
    /* In which cycle slots are lost is not known. */
    return !conditions || (event->select & NAIVE_CONDITIONS) || !(event->sources & VPMU_X86_LOST) ||
           (event->sources == S(RECOVERY) && conditions == one_or_more);
}

static vpmu_sources naive_row(const struct vpmu_x86_config *config, uint64_t select)
{
    size_t n;
    const struct naive_listed *listed = naive_lists(&n);

    for (size_t i = 0; i < sizeof(drivers) / sizeof(drivers[0]); i++) {
        if (drivers[i].vendor == config->vendor && drivers[i].select == select &&
            (drivers[i].families >> config->family & 1)) {
            return drivers[i].sources;
        }
    }
    for (size_t i = 0; i < n; i++) {
        if (listed[i].select == select && (listed[i].families >> config->family & 1) &&
            meaning(config->family, select, listed[i].name)) {
            return meaning(config->family, select, listed[i].name);
        }
    }
    return 0;
}

/* Tells whether a number is part of another one of AMD: a bit of its mask, or half of it. */
static bool is_part_of(uint64_t number, uint64_t whole)
{
    uint64_t mask = number >> 8 & 0xff, of = whole >> 8 & 0xff;
    bool halves = (whole & 0xff) == 0xa || (whole & 0xff) == 0xc;

    if (whole >> 32 || !mask || (number & ~0xff00ull) != (whole & ~0xff00ull)) {
        return false;
    }
    return halves ? mask == (of & 0xf) || mask == (of & 0xf0) : (mask | of) == of;
}

/*
 * The bits of a unit mask: all of AMD's, but on Zen 5 those of event 03H have a number among them.
 * Intel's event C7H has six such bits, and two more for 512 bits.
 */
static uint64_t naive_bits(const struct vpmu_x86_config *config, uint64_t select)
{
    uint64_t mask = select & 0xff00;

    if (config->vendor == VPMU_X86_INTEL) {
        return (select & ~0xff00ull) == 0xc7 ? mask & 0x3f00 : 0;
    }
    return config->family == VPMU_X86_ZEN5 && (select & ~0xff00ull) == 0x03 && mask >= 0x2000 ? 0
           : config->family >= VPMU_X86_ZEN1                                                  ? mask
                                                                                              : 0;
}

/* The sources of a number that is in no list: the sum of the numbers that are part of it. */
static vpmu_sources naive_sum(const struct vpmu_x86_config *config, uint64_t select)
{
    vpmu_sources sum = 0;
    uint64_t bits = naive_bits(config, select), found = 0;

    for (uint64_t mask = 0x100; mask < 0x10000; mask += 0x100) {
        uint64_t number = (select & ~0xff00ull) | mask;

        if (is_part_of(number, select) && !(mask & found) && !(mask & ~bits) &&
            x86_is_counted(config->family, number)) {
            found |= mask;
            sum |= naive_row(config, number);
        }
    }
    return found == bits ? sum : 0;
}

vpmu_sources naive_event(const struct vpmu_x86_config *config, uint64_t select)
{
    static struct {
        uint64_t select;
        unsigned family;
        vpmu_sources sources;
    } sums[512]; /* the last sum of each place; many are asked again */
    unsigned place = (unsigned)(select >> 8 ^ select ^ config->family << 4) % 512;
    vpmu_sources sources = naive_row(config, select);

    if (sources || !naive_bits(config, select) || (select & NAIVE_CONDITIONS) ||
        x86_is_counted(config->family, select)) {
        return sources;
    }
    if (sums[place].select != select || sums[place].family != config->family) {
        sums[place].select = select;
        sums[place].family = config->family;
        sums[place].sources = naive_sum(config, select);
    }
    return sums[place].sources;
}
