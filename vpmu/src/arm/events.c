/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/*
 * The events that can be counted. Nothing is executed speculatively, so an event for speculative
 * execution equals the one for execution. An exception is taken locally if it goes from EL0 or EL1
 * to EL1; from EL2, or EL0 below it with HCR_EL2.{E2H,TGE} = {1,1}, to EL2; or from EL3 to EL3.
 */
#include "vpmu/arm/events.h"

#include "arm_internal.h"

#define BIT(source) VPMU_SRC_BIT(VPMU_SRC_##source)

/* Events that are sums of several sources. */
#define ACCESSES (BIT(LD_RETIRED) | BIT(ST_RETIRED))
#define PREDICTABLE (BIT(BR_IMMED) | BIT(BR_RETURN) | BIT(BR_INDIRECT))
#define BRANCHES (PREDICTABLE | BIT(EXC_RETURN))
#define STREX (BIT(STREX_PASS) | BIT(STREX_FAIL))
#define UNALIGNED_ACCESSES (BIT(UNALIGNED_LD) | BIT(UNALIGNED_ST))
#define PREFETCHES (BIT(PRF_BASE) | BIT(PRF_CONTIG) | BIT(PRF_GATHER))
#define L1D_ACCESSES (BIT(L1D_CACHE_RD) | BIT(L1D_CACHE_WR))
#define L1D_REFILLS (BIT(L1D_CACHE_REFILL_RD) | BIT(L1D_CACHE_REFILL_WR))
#define L2D_ACCESSES (VPMU_SRCS_L2D_READS | VPMU_SRCS_L2D_WRITES)
#define L2D_REFILLS (BIT(L2D_CACHE_REFILL_RD) | BIT(L2D_CACHE_REFILL_WR))
#define LL_ACCESSES (VPMU_SRCS_LL_READS | VPMU_SRCS_LL_WRITES)
#define LL_MISSES (BIT(LL_CACHE_MISS_RD) | BIT(LL_CACHE_MISS_WR))
#define BUS_ACCESSES (BIT(BUS_ACCESS_RD) | BIT(BUS_ACCESS_WR))
#define STALLS (BIT(STALL_FRONTEND) | BIT(STALL_BACKEND))
/* Each lookup of the L2 TLB follows a refill of an L1 TLB, and each such refill looks it up. */
#define L2D_TLB_LOOKUPS VPMU_SRCS_TLB
#define L2D_TLB_READS (VPMU_SRCS_DTLB_RD | VPMU_SRCS_ITLB)
#define WALKS (VPMU_SRCS_DTLB_WALK | BIT(ITLB_WALK))
/* Memory-reading and memory-writing instructions: also those whose condition fails (D14.1.1). */
#define LOADS_SPEC (BIT(LD_RETIRED) | BIT(LD_SKIPPED))
#define STORES_SPEC (BIT(ST_RETIRED) | BIT(STREX_FAIL) | BIT(ST_SKIPPED))
#define PREDICATED (BIT(SVE_PRED_EMPTY) | BIT(SVE_PRED_FULL) | BIT(SVE_PRED_PARTIAL))
#define CHECKED (BIT(MEM_ACCESS_CHECKED_RD) | BIT(MEM_ACCESS_CHECKED_WR))
#define EXCEPTIONS                                                                                 \
    (BIT(EXC_UNDEF) | BIT(EXC_SVC) | BIT(EXC_PABORT) | BIT(EXC_DABORT) | BIT(EXC_IRQ) |            \
     BIT(EXC_FIQ) | BIT(EXC_SMC) | BIT(EXC_HVC) | BIT(EXC_TRAP_PABORT) | BIT(EXC_TRAP_DABORT) |    \
     BIT(EXC_TRAP_OTHER) | BIT(EXC_TRAP_IRQ) | BIT(EXC_TRAP_FIQ))

/* Sorted by number. Arm ARM D14.12 defines each event under its number. */
const struct vpmu_arm_event vpmu_events[] = {
    {0x0000, 0, "SW_INCR", "a write of 1 to the counter's bit of PMSWINC_EL0"},
    {0x0001, BIT(L1I_CACHE_REFILL), "L1I_CACHE_REFILL",
     "a fetch of a line that the modelled L1 instruction cache does not hold"},
    {0x0002, VPMU_SRCS_ITLB, "L1I_TLB_REFILL",
     "a fetch from a page that the modelled L1 instruction TLB does not hold"},
    {0x0003, L1D_REFILLS, "L1D_CACHE_REFILL",
     "a line that the modelled L1 data cache has to fetch"},
    {0x0004, L1D_ACCESSES, "L1D_CACHE",
     "a line of cacheable memory that a load or store touches; an atomic does both"},
    {0x0005, VPMU_SRCS_DTLB_RD | VPMU_SRCS_DTLB_WR, "L1D_TLB_REFILL",
     "an access to a page that the modelled L1 data TLB does not hold"},
    {0x0006, BIT(LD_RETIRED), "LD_RETIRED",
     "an instruction executed that reads memory; its condition passes; an atomic without a result "
     "does not"},
    {0x0007, BIT(ST_RETIRED), "ST_RETIRED",
     "an instruction executed that writes memory; its condition passes; a store-exclusive that "
     "fails does not"},
    {0x0008, BIT(INST_RETIRED), "INST_RETIRED",
     "an instruction architecturally executed; one that faults and is resumed counts once"},
    {0x0009, EXCEPTIONS, "EXC_TAKEN", "an exception, in the context that it is taken from"},
    {0x000a, BIT(EXC_RETURN), "EXC_RETURN",
     "an exception return executed, in the context that it leaves"},
    {0x000b, BIT(CID_WRITE), "CID_WRITE_RETIRED",
     "a write to CONTEXTIDR_EL1, by this name, executed"},
    {0x000c, BIT(PC_WRITE), "PC_WRITE_RETIRED",
     "an instruction executed that changes the PC: a branch that is taken"},
    {0x000d, BIT(BR_IMMED), "BR_IMMED_RETIRED", "an immediate branch executed, taken or not"},
    {0x000e, BIT(BR_RETURN), "BR_RETURN_RETIRED",
     "a function return executed; its condition passes"},
    {0x000f, BIT(UNALIGNED), "UNALIGNED_LDST_RETIRED",
     "a load or store executed at an address that is not aligned to what it accesses"},
    {0x0010, BIT(BR_MIS_PRED), "BR_MIS_PRED",
     "a branch executed that the modelled predictor gets wrong"},
    {0x0011, BIT(CPU_CYCLES), "CPU_CYCLES",
     "a cycle of the machine's clock, or of the modelled pipeline"},
    {0x0012, PREDICTABLE, "BR_PRED",
     "a branch executed, of a kind that can be predicted: all but exception returns"},
    {0x0013, ACCESSES, "MEM_ACCESS",
     "a read or a write of memory by an instruction; an atomic does both"},
    {0x0014, BIT(L1I_CACHE), "L1I_CACHE", "a fetch from another line than the fetch before it"},
    {0x0015, VPMU_SRCS_L1D_WB, "L1D_CACHE_WB",
     "a modified line that the modelled L1 data cache writes back"},
    {0x0016, L2D_ACCESSES, "L2D_CACHE",
     "a lookup of a line in the modelled L2 cache, or a line written to it"},
    {0x0017, L2D_REFILLS, "L2D_CACHE_REFILL", "a line that the modelled L2 cache has to fetch"},
    {0x0018, VPMU_SRCS_L2D_WB, "L2D_CACHE_WB",
     "a modified line that the modelled L2 cache writes back"},
    {0x0019, BUS_ACCESSES, "BUS_ACCESS",
     "a line that is read from memory, or written back to it, behind the last modelled cache"},
    {0x001b, BIT(INST_RETIRED), "INST_SPEC", "as INST_RETIRED: nothing is executed speculatively"},
    {0x001c, BIT(TTBR_WRITE), "TTBR_WRITE_RETIRED",
     "a write to TTBR0_EL1 or TTBR1_EL1, by these names, executed"},
    {0x001d, BIT(CPU_CYCLES), "BUS_CYCLES", "as CPU_CYCLES"},
    {0x001e, 0, "CHAIN", "an overflow of the even-numbered counter just below an odd-numbered one"},
    {0x0020, VPMU_SRCS_L1D_WB, "L2D_CACHE_ALLOCATE",
     "a whole line that is written to the modelled L2 cache, so that nothing is fetched"},
    {0x0021, BRANCHES, "BR_RETIRED",
     "a branch executed, taken or not; exception returns are, SVC, HVC and SMC are not"},
    {0x0022, BIT(BR_MIS_PRED), "BR_MIS_PRED_RETIRED", "as BR_MIS_PRED"},
    {0x0023, BIT(STALL_FRONTEND), "STALL_FRONTEND",
     "a cycle in which the modelled pipeline waits for instructions; without one never"},
    {0x0024, BIT(STALL_BACKEND), "STALL_BACKEND",
     "a cycle in which the modelled pipeline waits for data or a result; without one never"},
    {0x0025, L1D_ACCESSES, "L1D_TLB", "as L1D_CACHE: each looks up its page"},
    {0x0026, BIT(L1I_CACHE), "L1I_TLB", "as L1I_CACHE: each looks up its page"},
    {0x0029, VPMU_SRCS_L2D_WB, "L3D_CACHE_ALLOCATE",
     "a whole line that is written to the modelled last-level cache, so that nothing is fetched"},
    {0x002a, LL_MISSES, "L3D_CACHE_REFILL", "as LL_CACHE_MISS: the last level is the third"},
    {0x002b, LL_ACCESSES, "L3D_CACHE", "as LL_CACHE"},
    {0x002d, WALKS, "L2D_TLB_REFILL", "a page that the modelled unified L2 TLB does not hold"},
    {0x002e, BIT(ITLB_WALK), "L2I_TLB_REFILL", "L2D_TLB_REFILL, for fetches"},
    {0x002f, L2D_TLB_LOOKUPS, "L2D_TLB", "a lookup of a page in the modelled unified L2 TLB"},
    {0x0030, VPMU_SRCS_ITLB, "L2I_TLB", "L2D_TLB, for fetches"},
    {0x0031, 0, "REMOTE_ACCESS", "an access to another socket; never, because there is only one"},
    {0x0032, LL_ACCESSES, "LL_CACHE",
     "a lookup of a line in the modelled last-level cache, or a line written to it"},
    {0x0033, LL_MISSES, "LL_CACHE_MISS", "of these, one that it does not hold"},
    {0x0034, VPMU_SRCS_DTLB_WALK, "DTLB_WALK",
     "a walk of translation tables for a load or store, as the modelled TLBs need it"},
    {0x0035, BIT(ITLB_WALK), "ITLB_WALK",
     "a walk of translation tables for a fetch, as the modelled TLBs need it"},
    {0x0036, VPMU_SRCS_LL_READS, "LL_CACHE_RD", "LL_CACHE, reads"},
    {0x0037, BIT(LL_CACHE_MISS_RD), "LL_CACHE_MISS_RD", "LL_CACHE_MISS, reads"},
    {0x0038, 0, "REMOTE_ACCESS_RD", "REMOTE_ACCESS, reads: never"},
    {0x0039, BIT(L1D_CACHE_REFILL_RD), "L1D_CACHE_LMISS_RD",
     "as L1D_CACHE_REFILL_RD: what the L1 data cache does not hold takes longer"},
    {0x003a, BIT(INST_RETIRED), "OP_RETIRED", "as INST_RETIRED: an instruction is one operation"},
    {0x003b, BIT(INST_RETIRED), "OP_SPEC", "as INST_RETIRED"},
    {0x003c, STALLS, "STALL", "STALL_FRONTEND and STALL_BACKEND"},
    {0x003d, BIT(STALL_SLOT_BACKEND), "STALL_SLOT_BACKEND", "STALL_SLOT, of STALL_BACKEND"},
    {0x003e, BIT(STALL_SLOT_FRONTEND), "STALL_SLOT_FRONTEND", "STALL_SLOT, of STALL_FRONTEND"},
    {0x003f, VPMU_SRCS_SLOTS, "STALL_SLOT",
     "a slot of a cycle in which the modelled pipeline issues nothing"},
    {0x0040, BIT(L1D_CACHE_RD), "L1D_CACHE_RD", "L1D_CACHE, reads"},
    {0x0041, BIT(L1D_CACHE_WR), "L1D_CACHE_WR", "L1D_CACHE, writes"},
    {0x0042, BIT(L1D_CACHE_REFILL_RD), "L1D_CACHE_REFILL_RD", "L1D_CACHE_REFILL, reads"},
    {0x0043, BIT(L1D_CACHE_REFILL_WR), "L1D_CACHE_REFILL_WR", "L1D_CACHE_REFILL, writes"},
    {0x0044, BIT(L1D_CACHE_REFILL_INNER), "L1D_CACHE_REFILL_INNER",
     "L1D_CACHE_REFILL from another modelled cache"},
    {0x0045, BIT(L1D_CACHE_REFILL_OUTER), "L1D_CACHE_REFILL_OUTER", "L1D_CACHE_REFILL from memory"},
    {0x0046, BIT(L1D_CACHE_WB_VICTIM), "L1D_CACHE_WB_VICTIM", "L1D_CACHE_WB, of a replaced line"},
    {0x0047, BIT(L1D_CACHE_WB_CLEAN), "L1D_CACHE_WB_CLEAN", "L1D_CACHE_WB, by cache maintenance"},
    {0x0048, BIT(L1D_CACHE_INVAL), "L1D_CACHE_INVAL",
     "a line that another CPU's store removes from the modelled L1 data cache"},
    {0x004c, VPMU_SRCS_DTLB_RD, "L1D_TLB_REFILL_RD", "L1D_TLB_REFILL, reads"},
    {0x004d, VPMU_SRCS_DTLB_WR, "L1D_TLB_REFILL_WR", "L1D_TLB_REFILL, writes"},
    {0x004e, BIT(L1D_CACHE_RD), "L1D_TLB_RD", "L1D_TLB, reads"},
    {0x004f, BIT(L1D_CACHE_WR), "L1D_TLB_WR", "L1D_TLB, writes"},
    {0x0050, VPMU_SRCS_L2D_READS, "L2D_CACHE_RD", "L2D_CACHE, reads"},
    {0x0051, VPMU_SRCS_L2D_WRITES, "L2D_CACHE_WR", "L2D_CACHE, writes"},
    {0x0052, BIT(L2D_CACHE_REFILL_RD), "L2D_CACHE_REFILL_RD", "L2D_CACHE_REFILL, reads"},
    {0x0053, BIT(L2D_CACHE_REFILL_WR), "L2D_CACHE_REFILL_WR", "L2D_CACHE_REFILL, writes"},
    {0x0056, BIT(L2D_CACHE_WB_VICTIM), "L2D_CACHE_WB_VICTIM", "L2D_CACHE_WB, of a replaced line"},
    {0x0057, BIT(L2D_CACHE_WB_CLEAN), "L2D_CACHE_WB_CLEAN", "L2D_CACHE_WB, by cache maintenance"},
    {0x0058, BIT(L2D_CACHE_INVAL), "L2D_CACHE_INVAL",
     "a line that another CPU's store removes from the modelled L2 cache"},
    {0x005c, BIT(DTLB_WALK_RD) | BIT(ITLB_WALK), "L2D_TLB_REFILL_RD",
     "L2D_TLB_REFILL, reads and fetches"},
    {0x005d, BIT(DTLB_WALK_WR), "L2D_TLB_REFILL_WR", "L2D_TLB_REFILL, writes"},
    {0x005e, L2D_TLB_READS, "L2D_TLB_RD", "L2D_TLB, reads and fetches"},
    {0x005f, VPMU_SRCS_DTLB_WR, "L2D_TLB_WR", "L2D_TLB, writes"},
    {0x0060, BIT(BUS_ACCESS_RD), "BUS_ACCESS_RD", "BUS_ACCESS, reads; also those for stores"},
    {0x0061, BIT(BUS_ACCESS_WR), "BUS_ACCESS_WR", "BUS_ACCESS, writes"},
    {0x0064, BUS_ACCESSES, "BUS_ACCESS_NORMAL", "as BUS_ACCESS: caches hold Normal memory only"},
    {0x0066, BIT(LD_RETIRED), "MEM_ACCESS_RD", "MEM_ACCESS, reads"},
    {0x0067, BIT(ST_RETIRED), "MEM_ACCESS_WR", "MEM_ACCESS, writes"},
    {0x0068, BIT(UNALIGNED_LD), "UNALIGNED_LD_SPEC", "UNALIGNED_LDST_RETIRED, loads"},
    {0x0069, BIT(UNALIGNED_ST), "UNALIGNED_ST_SPEC", "UNALIGNED_LDST_RETIRED, stores"},
    {0x006a, UNALIGNED_ACCESSES, "UNALIGNED_LDST_SPEC",
     "UNALIGNED_LD_SPEC and UNALIGNED_ST_SPEC; an atomic is both"},
    {0x006c, BIT(LDREX), "LDREX_SPEC", "a load-exclusive executed"},
    {0x006d, BIT(STREX_PASS), "STREX_PASS_SPEC", "a store-exclusive executed that stores"},
    {0x006e, BIT(STREX_FAIL), "STREX_FAIL_SPEC", "a store-exclusive executed that does not store"},
    {0x006f, STREX, "STREX_SPEC", "a store-exclusive executed"},
    {0x0070, LOADS_SPEC, "LD_SPEC", "LD_RETIRED, and loads whose condition fails"},
    {0x0071, STORES_SPEC, "ST_SPEC",
     "ST_RETIRED, and stores whose condition fails and store-exclusives that fail"},
    {0x0072, LOADS_SPEC | STORES_SPEC | PREFETCHES, "LDST_SPEC",
     "LD_SPEC, ST_SPEC and PRF_SPEC; an atomic with a result is two operations"},
    {0x0073, BIT(DP), "DP_SPEC", "an integer data-processing, hint or system instruction executed"},
    {0x0074, BIT(ASE), "ASE_SPEC",
     "an Advanced SIMD data-processing instruction executed; those of CRYPTO_SPEC are not"},
    {0x0075, BIT(VFP), "VFP_SPEC", "a scalar floating-point data-processing instruction executed"},
    {0x0076, BIT(PC_WRITE), "PC_WRITE_SPEC",
     "as PC_WRITE_RETIRED; from PMUv3p8 on as BR_RETIRED: branches that are not taken count"},
    {0x0077, BIT(CRYPTO), "CRYPTO_SPEC",
     "a cryptographic instruction executed; polynomial multiplications are not"},
    {0x0078, BIT(BR_IMMED), "BR_IMMED_SPEC", "as BR_IMMED_RETIRED"},
    {0x0079, BIT(BR_RETURN) | BIT(BR_RETURN_SKIPPED), "BR_RETURN_SPEC",
     "BR_RETURN_RETIRED, and returns whose condition fails"},
    {0x007a, BIT(BR_RETURN) | BIT(BR_INDIRECT) | BIT(EXC_RETURN), "BR_INDIRECT_SPEC",
     "an indirect branch executed, function and exception returns among them"},
    {0x007c, BIT(ISB), "ISB_SPEC", "an ISB executed"},
    {0x007d, BIT(DSB), "DSB_SPEC", "a DSB executed"},
    {0x007e, BIT(DMB), "DMB_SPEC", "a DMB executed"},
    {0x0081, BIT(EXC_UNDEF), "EXC_UNDEF", "another synchronous exception, taken locally"},
    {0x0082, BIT(EXC_SVC), "EXC_SVC", "a Supervisor Call, taken locally"},
    {0x0083, BIT(EXC_PABORT), "EXC_PABORT", "an Instruction Abort, taken locally"},
    {0x0084, BIT(EXC_DABORT), "EXC_DABORT", "a Data Abort or SError, taken locally"},
    {0x0086, BIT(EXC_IRQ), "EXC_IRQ", "an IRQ, taken locally"},
    {0x0087, BIT(EXC_FIQ), "EXC_FIQ", "an FIQ, taken locally"},
    {0x0088, BIT(EXC_SMC), "EXC_SMC", "a Secure Monitor Call"},
    {0x008a, BIT(EXC_HVC), "EXC_HVC", "a Hypervisor Call"},
    {0x008b, BIT(EXC_TRAP_PABORT), "EXC_TRAP_PABORT", "an Instruction Abort, not taken locally"},
    {0x008c, BIT(EXC_TRAP_DABORT), "EXC_TRAP_DABORT", "a Data Abort or SError, not taken locally"},
    {0x008d, BIT(EXC_TRAP_OTHER), "EXC_TRAP_OTHER",
     "another synchronous exception, not taken locally"},
    {0x008e, BIT(EXC_TRAP_IRQ), "EXC_TRAP_IRQ", "an IRQ, not taken locally"},
    {0x008f, BIT(EXC_TRAP_FIQ), "EXC_TRAP_FIQ", "an FIQ, not taken locally"},
    {0x0090, BIT(RC_LD), "RC_LD_SPEC", "a load executed that acquires"},
    {0x0091, BIT(RC_ST), "RC_ST_SPEC", "a store executed that releases"},
    {0x009f, BIT(DCZVA), "DCZVA_SPEC", "a DC ZVA executed"},
    {0x00a0, VPMU_SRCS_LL_READS, "L3D_CACHE_RD", "as LL_CACHE_RD"},
    {0x00a2, BIT(LL_CACHE_MISS_RD), "L3D_CACHE_REFILL_RD", "as LL_CACHE_MISS_RD"},
    {0x00c0, BUS_ACCESSES, "EXT_MEM_REQ", "as BUS_ACCESS"},
    {0x00cd, BIT(BR_INDIRECT), "BR_INDIRECT_ADDR_PRED",
     "an indirect branch executed; function returns are not among them"},
    {0x00ce, BIT(BR_RETURN), "BR_RETURN_ADDR_PRED", "as BR_RETURN_RETIRED"},
    {0x0105, BIT(FP_MV), "FP_MV_SPEC", "a floating-point move or select executed"},
    {0x0108, PREDICATED | BIT(SVE_PREG), "PRD_SPEC",
     "an SVE instruction executed that uses a predicate register"},
    {0x0112, BIT(FP_LD), "FP_LD_SPEC",
     "a load of SIMD&FP registers executed that is not of a structure"},
    {0x0113, BIT(FP_ST), "FP_ST_SPEC",
     "a store of SIMD&FP registers executed that is not of a structure"},
    {0x011a, BIT(LD_BROADCAST), "BC_LD_SPEC",
     "a load executed that repeats an element in all of a vector"},
    {0x0121, BIT(EFFECTIVE), "EFFECTIVE_INST_SPEC",
     "an instruction executed; MOVPRFX is not counted"},
    {0x0123, BIT(PRE_INDEX), "PRE_INDEX_SPEC",
     "a load or store executed with a pre-indexed address"},
    {0x0124, BIT(POST_INDEX), "POST_INDEX_SPEC",
     "a load or store executed with a post-indexed address"},
    {0x0200, L1D_REFILLS, "L1D_CACHE_REFILL_DM", "as L1D_CACHE_REFILL: there is no prefetching"},
    {0x0300, L2D_REFILLS, "L2D_CACHE_REFILL_DM", "as L2D_CACHE_REFILL: there is no prefetching"},
    {0x0309, L2D_REFILLS, "L2_MISS_COUNT", "as L2D_CACHE_REFILL"},
    {0x0316, BIT(BUS_ACCESS_RD), "BUS_READ_TOTAL_MEM", "as BUS_ACCESS_RD"},
    {0x031e, BIT(BUS_ACCESS_WR), "BUS_WRITE_TOTAL_MEM", "as BUS_ACCESS_WR"},
    {0x4000, BIT(INST_RETIRED), "SAMPLE_POP",
     "an instruction executed where SPE can sample it; only counters count this, not observers"},
    {0x4001, 0, "SAMPLE_FEED", "a sample that SPE takes, before filters"},
    {0x4002, 0, "SAMPLE_FILTRATE", "a sample that passes the filters of SPE"},
    {0x4003, 0, "SAMPLE_COLLISION", "never: a sample ends before the next one begins"},
    {0x4004, BIT(CNT_CYCLES), "CNT_CYCLES", "a tick of the system counter, CNTPCT_EL0"},
    {0x4006, BIT(L1I_CACHE_REFILL), "L1I_CACHE_LMISS", "as L1I_CACHE_REFILL; from PMUv3p4 on"},
    {0x4009, BIT(L2D_CACHE_REFILL_RD), "L2D_CACHE_LMISS_RD",
     "as L2D_CACHE_REFILL_RD; from PMUv3p4 on"},
    {0x400b, BIT(LL_CACHE_MISS_RD), "L3D_CACHE_LMISS_RD", "as LL_CACHE_MISS_RD; from PMUv3p4 on"},
    {0x4020, UNALIGNED_ACCESSES, "LDST_ALIGN_LAT",
     "as UNALIGNED_LDST_SPEC: an access that is not aligned takes longer; from PMUv3p4 on"},
    {0x4021, BIT(UNALIGNED_LD), "LD_ALIGN_LAT", "LDST_ALIGN_LAT, loads"},
    {0x4022, BIT(UNALIGNED_ST), "ST_ALIGN_LAT", "LDST_ALIGN_LAT, stores"},
    {0x4024, CHECKED, "MEM_ACCESS_CHECKED",
     "MEM_ACCESS, of an instruction that MTE compares with an allocation tag"},
    {0x4025, BIT(MEM_ACCESS_CHECKED_RD), "MEM_ACCESS_CHECKED_RD", "MEM_ACCESS_CHECKED, reads"},
    {0x4026, BIT(MEM_ACCESS_CHECKED_WR), "MEM_ACCESS_CHECKED_WR", "MEM_ACCESS_CHECKED, writes"},
    {0x8000, BIT(ASE_VECTOR) | BIT(SVE_SIMD), "SIMD_INST_RETIRED",
     "an Advanced SIMD or SVE instruction executed; scalar ones are not"},
    {0x8002, BIT(SVE_SIMD) | BIT(SVE_SCALAR), "SVE_INST_RETIRED",
     "an SVE instruction executed; from PMUv3p9 on, those that are not SIMD are not counted"},
    {0x8005, BIT(ASE_VECTOR) | BIT(ASE_SCALAR), "ASE_INST_SPEC",
     "an Advanced SIMD instruction executed: ASE_SPEC, and loads and stores of structures"},
    {0x8006, BIT(SVE_SIMD) | BIT(SVE_SCALAR), "SVE_INST_SPEC", "an SVE instruction executed"},
    {0x8008, BIT(INST_RETIRED), "UOP_SPEC", "as INST_RETIRED: an instruction is one operation"},
    {0x800e, BIT(SVE_MATH), "SVE_MATH_SPEC", "an FTSMUL, FTMAD, FTSSEL or FEXPA executed"},
    {0x8010, BIT(FP_HP) | BIT(FP_SP) | BIT(FP_DP), "FP_SPEC",
     "a floating-point instruction executed; moves are not counted"},
    {0x8014, BIT(FP_HP), "FP_HP_SPEC", "FP_SPEC, half precision"},
    {0x8018, BIT(FP_SP), "FP_SP_SPEC", "FP_SPEC, single precision"},
    {0x801c, BIT(FP_DP), "FP_DP_SPEC", "FP_SPEC, double precision"},
    {0x8028, BIT(FP_FMA), "FP_FMA_SPEC", "FP_SPEC, fused multiply-add and multiply-subtract"},
    {0x8034, BIT(FP_RECPE), "FP_RECPE_SPEC", "FP_SPEC, reciprocal estimates: FRECPE and FRSQRTE"},
    {0x8038, BIT(FP_CVT), "FP_CVT_SPEC", "FP_SPEC, conversions"},
    {0x8043, BIT(VEC_INT8) | BIT(VEC_INT16) | BIT(VEC_INT32) | BIT(VEC_INT64), "ASE_SVE_INT_SPEC",
     "an Advanced SIMD or SVE integer instruction executed: arithmetic, logical, shift or "
     "comparison"},
    {0x8074, PREDICATED, "SVE_PRED_SPEC", "an SVE instruction executed with a governing predicate"},
    {0x8075, BIT(SVE_PRED_EMPTY), "SVE_PRED_EMPTY_SPEC",
     "SVE_PRED_SPEC, no element of the predicate is active"},
    {0x8076, BIT(SVE_PRED_FULL), "SVE_PRED_FULL_SPEC",
     "SVE_PRED_SPEC, all elements of the predicate are active"},
    {0x8077, BIT(SVE_PRED_PARTIAL), "SVE_PRED_PARTIAL_SPEC",
     "SVE_PRED_SPEC, some but not all elements of the predicate are active"},
    {0x8079, BIT(SVE_PRED_EMPTY) | BIT(SVE_PRED_PARTIAL), "SVE_PRED_NOT_FULL_SPEC",
     "SVE_PRED_EMPTY_SPEC and SVE_PRED_PARTIAL_SPEC"},
    {0x807c, BIT(MOVPRFX), "SVE_MOVPRFX_SPEC", "a MOVPRFX executed"},
    {0x807f, BIT(MOVPRFX), "SVE_MOVPRFX_U_SPEC",
     "as SVE_MOVPRFX_SPEC: none is fused with another instruction"},
    {0x8085, BIT(ASE_SVE_LD), "ASE_SVE_LD_SPEC",
     "an SVE load, or an Advanced SIMD load of a structure, executed"},
    {0x8086, BIT(ASE_SVE_ST), "ASE_SVE_ST_SPEC",
     "an SVE store, or an Advanced SIMD store of a structure, executed"},
    {0x8087, PREFETCHES, "PRF_SPEC", "a prefetch executed: PRFM, PRFUM, or one of SVE"},
    {0x8089, BIT(BASE_LD_REG), "BASE_LD_REG_SPEC", "a load of a general-purpose register executed"},
    {0x808a, BIT(BASE_ST_REG), "BASE_ST_REG_SPEC",
     "a store of a general-purpose register executed"},
    {0x8091, BIT(SVE_LDR_REG) | BIT(SVE_LDR_PREG), "SVE_LDR_REG_SPEC",
     "an SVE LDR of a vector or predicate executed"},
    {0x8092, BIT(SVE_STR_REG) | BIT(SVE_STR_PREG), "SVE_STR_REG_SPEC",
     "an SVE STR of a vector or predicate executed"},
    {0x8095, BIT(SVE_LDR_PREG), "SVE_LDR_PREG_SPEC", "an SVE LDR of a predicate executed"},
    {0x8096, BIT(SVE_STR_PREG), "SVE_STR_PREG_SPEC", "an SVE STR of a predicate executed"},
    {0x809f, BIT(PRF_CONTIG), "SVE_PRF_CONTIG_SPEC",
     "an SVE prefetch of adjacent elements executed"},
    {0x80a5, BIT(LD_MULTI), "ASE_SVE_LD_MULTI_SPEC",
     "ASE_SVE_LD_SPEC, structures of two to four elements"},
    {0x80a6, BIT(ST_MULTI), "ASE_SVE_ST_MULTI_SPEC",
     "ASE_SVE_ST_SPEC, structures of two to four elements"},
    {0x80ad, BIT(SVE_LD_GATHER), "SVE_LD_GATHER_SPEC", "an SVE gather load executed"},
    {0x80ae, BIT(SVE_ST_SCATTER), "SVE_ST_SCATTER_SPEC", "an SVE scatter store executed"},
    {0x80af, BIT(PRF_GATHER), "SVE_PRF_GATHER_SPEC", "an SVE gather prefetch executed"},
    {0x80bc, BIT(SVE_LDFF), "SVE_LDFF_SPEC", "an SVE first-fault or non-fault load executed"},
    {0x80bd, BIT(SVE_LDFF_FAULT), "SVE_LDFF_FAULT_SPEC",
     "SVE_LDFF_SPEC, one that writes 0 to a bit of the FFR"},
    {0x80c0, BIT(FP_HP_SCALE_OPS) | BIT(FP_SP_SCALE_OPS) | BIT(FP_DP_SCALE_OPS),
     "FP_SCALE_OPS_SPEC",
     "operations of SVE FP_SPEC arithmetic, for each 128 bits of a vector; a fused one is two"},
    {0x80c1, BIT(FP_HP_FIXED_OPS) | BIT(FP_SP_FIXED_OPS) | BIT(FP_DP_FIXED_OPS),
     "FP_FIXED_OPS_SPEC", "operations of other FP_SPEC arithmetic; a fused one is two"},
    {0x80c2, BIT(FP_HP_SCALE_OPS), "FP_HP_SCALE_OPS_SPEC", "FP_SCALE_OPS_SPEC, half precision"},
    {0x80c3, BIT(FP_HP_FIXED_OPS), "FP_HP_FIXED_OPS_SPEC", "FP_FIXED_OPS_SPEC, half precision"},
    {0x80c4, BIT(FP_SP_SCALE_OPS), "FP_SP_SCALE_OPS_SPEC", "FP_SCALE_OPS_SPEC, single precision"},
    {0x80c5, BIT(FP_SP_FIXED_OPS), "FP_SP_FIXED_OPS_SPEC", "FP_FIXED_OPS_SPEC, single precision"},
    {0x80c6, BIT(FP_DP_SCALE_OPS), "FP_DP_SCALE_OPS_SPEC", "FP_SCALE_OPS_SPEC, double precision"},
    {0x80c7, BIT(FP_DP_FIXED_OPS), "FP_DP_FIXED_OPS_SPEC", "FP_FIXED_OPS_SPEC, double precision"},
    {0x80e3, BIT(VEC_INT8), "ASE_SVE_INT8_SPEC", "ASE_SVE_INT_SPEC, elements of 8 bits"},
    {0x80e7, BIT(VEC_INT16), "ASE_SVE_INT16_SPEC", "ASE_SVE_INT_SPEC, elements of 16 bits"},
    {0x80eb, BIT(VEC_INT32), "ASE_SVE_INT32_SPEC", "ASE_SVE_INT_SPEC, elements of 32 bits"},
    {0x80ef, BIT(VEC_INT64), "ASE_SVE_INT64_SPEC", "ASE_SVE_INT_SPEC, elements of 64 bits"},
};

/* Events that count other sources from a version of the PMU on. */
static const struct {
    uint16_t number;
    uint8_t version;
    vpmu_sources sources;
} changes[] = {
    {0x0076, VPMU_V3P8, BRANCHES},
    {0x8002, VPMU_V3P9, BIT(SVE_SIMD)},
};

const size_t vpmu_events_count = sizeof(vpmu_events) / sizeof(vpmu_events[0]);

bool vpmu_event_tallied_(const struct vpmu_arm_config *config, const struct vpmu_arm_event *event)
{
    return !(event->sources & ~config->sources) && vpmu_event_machine_(config, event);
}

bool vpmu_arm_event_counted(const struct vpmu_arm_config *config,
                            const struct vpmu_arm_event *event)
{
    return vpmu_event_tallied_(config, event) &&
           vpmu_event_version_(config, event) <= config->version;
}

const struct vpmu_arm_event *vpmu_arm_event_find(uint16_t number)
{
    size_t first = 0;
    size_t end = vpmu_events_count;

    while (first < end) {
        size_t middle = first + (end - first) / 2;

        if (vpmu_events[middle].number == number) {
            return &vpmu_events[middle];
        }
        if (vpmu_events[middle].number < number) {
            first = middle + 1;
        } else {
            end = middle;
        }
    }
    return NULL;
}

const struct vpmu_arm_event *vpmu_arm_event_at(const struct vpmu_arm_config *config,
                                               uint16_t number)
{
    const struct vpmu_arm_event *event;

    if (!vpmu_event_is_reserved_(config, number)) {
        return vpmu_arm_event_find(number);
    }
    for (size_t i = 0; (event = vpmu_event_own_(config, i)) != NULL; i++) {
        if (event->number == number) {
            return event;
        }
    }
    return NULL;
}

vpmu_sources vpmu_event_sources_(const struct vpmu_arm_config *config, uint16_t number)
{
    const struct vpmu_arm_event *event = vpmu_arm_event_at(config, number);

    if (!event || !vpmu_arm_event_counted(config, event)) {
        return 0;
    }
    for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
        if (changes[i].number == number && config->version >= changes[i].version) {
            return changes[i].sources;
        }
    }
    return event->sources;
}
