/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/*
 * The events that can be counted. Nothing is executed speculatively, so an event for speculative
 * execution equals the one for execution. An exception is taken locally if it goes from EL0 or EL1
 * to EL1; from EL2, or EL0 below it with HCR_EL2.TGE, to EL2; or from EL3 to EL3.
 */
#include "vpmu/arm/events.h"

#include "arm_internal.h"

#define BIT(source) VPMU_SRC_BIT(VPMU_SRC_##source)

/* Events that are sums of several sources. */
#define ACCESSES (BIT(LD_RETIRED) | BIT(ST_RETIRED))
#define INDIRECT (BIT(BR_RETURN) | BIT(BR_INDIRECT))
#define PREDICTABLE (BIT(BR_IMMED) | INDIRECT)
#define BRANCHES (PREDICTABLE | BIT(EXC_RETURN))
#define L1D_ACCESSES (BIT(L1D_CACHE_RD) | BIT(L1D_CACHE_WR))
#define L1D_REFILLS (BIT(L1D_CACHE_REFILL_RD) | BIT(L1D_CACHE_REFILL_WR))
#define L2D_ACCESSES (BIT(L2D_CACHE_RD) | BIT(L2D_CACHE_WR))
#define L2D_REFILLS (BIT(L2D_CACHE_REFILL_RD) | BIT(L2D_CACHE_REFILL_WR))
#define LL_ACCESSES (BIT(LL_CACHE_RD) | BIT(LL_CACHE_WR))
#define LL_MISSES (BIT(LL_CACHE_MISS_RD) | BIT(LL_CACHE_MISS_WR))
#define BUS_ACCESSES (BIT(BUS_ACCESS_RD) | BIT(BUS_ACCESS_WR))
#define STALLS (BIT(STALL_FRONTEND) | BIT(STALL_BACKEND))
#define EXCEPTIONS                                                                                 \
    (BIT(EXC_UNDEF) | BIT(EXC_SVC) | BIT(EXC_PABORT) | BIT(EXC_DABORT) | BIT(EXC_IRQ) |            \
     BIT(EXC_FIQ) | BIT(EXC_SMC) | BIT(EXC_HVC) | BIT(EXC_TRAP_PABORT) | BIT(EXC_TRAP_DABORT) |    \
     BIT(EXC_TRAP_OTHER) | BIT(EXC_TRAP_IRQ) | BIT(EXC_TRAP_FIQ))

/* Sorted by number. Arm ARM D14.12 defines each event under its number. */
const struct vpmu_event vpmu_events[] = {
    {0x0000, 0, "SW_INCR", "a write of 1 to the counter's bit of PMSWINC_EL0"},
    {0x0001, BIT(L1I_CACHE_REFILL), "L1I_CACHE_REFILL",
     "a fetch of a line that the modelled L1 instruction cache does not hold"},
    {0x0002, BIT(L1I_TLB_REFILL), "L1I_TLB_REFILL",
     "a fetch from a page that the modelled L1 instruction TLB does not hold"},
    {0x0003, L1D_REFILLS, "L1D_CACHE_REFILL",
     "a line that the modelled L1 data cache has to fetch"},
    {0x0004, L1D_ACCESSES, "L1D_CACHE",
     "a line of cacheable memory that a load or store touches; an atomic does both"},
    {0x0005, BIT(L1D_TLB_REFILL), "L1D_TLB_REFILL",
     "an access to a page that the modelled L1 data TLB does not hold"},
    {0x0006, BIT(LD_RETIRED), "LD_RETIRED",
     "an instruction executed that reads memory; its condition passes"},
    {0x0007, BIT(ST_RETIRED), "ST_RETIRED",
     "an instruction executed that writes memory; its condition passes"},
    {0x0008, BIT(INST_RETIRED), "INST_RETIRED",
     "an instruction architecturally executed; one that faults and is resumed counts once"},
    {0x0009, EXCEPTIONS, "EXC_TAKEN", "an exception, in the context that it is taken from"},
    {0x000a, BIT(EXC_RETURN), "EXC_RETURN",
     "an exception return executed, in the context that it leaves"},
    {0x000b, BIT(CID_WRITE), "CID_WRITE_RETIRED", "a write to CONTEXTIDR_ELx executed"},
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
    {0x0015, BIT(L1D_CACHE_WB), "L1D_CACHE_WB",
     "a modified line that the modelled L1 data cache writes back"},
    {0x0016, L2D_ACCESSES, "L2D_CACHE",
     "a lookup of a line in the modelled L2 cache, or a line written to it"},
    {0x0017, L2D_REFILLS, "L2D_CACHE_REFILL", "a line that the modelled L2 cache has to fetch"},
    {0x0018, BIT(L2D_CACHE_WB), "L2D_CACHE_WB",
     "a modified line that the modelled L2 cache writes back"},
    {0x0019, BUS_ACCESSES, "BUS_ACCESS",
     "a line that is read from memory, or written back to it, behind the last modelled cache"},
    {0x001b, BIT(INST_RETIRED), "INST_SPEC", "as INST_RETIRED: nothing is executed speculatively"},
    {0x001c, BIT(TTBR_WRITE), "TTBR_WRITE_RETIRED", "a write to TTBR0_ELx or TTBR1_ELx executed"},
    {0x001d, BIT(CPU_CYCLES), "BUS_CYCLES", "as CPU_CYCLES"},
    {0x001e, 0, "CHAIN", "an overflow of the even-numbered counter just below an odd-numbered one"},
    {0x0020, BIT(L1D_CACHE_WB), "L2D_CACHE_ALLOCATE",
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
    {0x0029, BIT(L2D_CACHE_WB), "L3D_CACHE_ALLOCATE",
     "a whole line that is written to the modelled last-level cache, so that nothing is fetched"},
    {0x002a, LL_MISSES, "L3D_CACHE_REFILL", "as LL_CACHE_MISS: the last level is the third"},
    {0x002b, LL_ACCESSES, "L3D_CACHE", "as LL_CACHE"},
    {0x002d, BIT(L2D_TLB_REFILL), "L2D_TLB_REFILL",
     "a page that the modelled unified L2 TLB does not hold"},
    {0x002e, BIT(ITLB_WALK), "L2I_TLB_REFILL", "L2D_TLB_REFILL, for fetches"},
    {0x002f, BIT(L2D_TLB), "L2D_TLB", "a lookup of a page in the modelled unified L2 TLB"},
    {0x0030, BIT(L1I_TLB_REFILL), "L2I_TLB", "L2D_TLB, for fetches"},
    {0x0031, 0, "REMOTE_ACCESS", "an access to another socket; never, because there is only one"},
    {0x0032, LL_ACCESSES, "LL_CACHE",
     "a lookup of a line in the modelled last-level cache, or a line written to it"},
    {0x0033, LL_MISSES, "LL_CACHE_MISS", "of these, one that it does not hold"},
    {0x0034, BIT(DTLB_WALK), "DTLB_WALK",
     "a walk of translation tables for a load or store, as the modelled TLBs need it"},
    {0x0035, BIT(ITLB_WALK), "ITLB_WALK",
     "a walk of translation tables for a fetch, as the modelled TLBs need it"},
    {0x0036, BIT(LL_CACHE_RD), "LL_CACHE_RD", "LL_CACHE, reads"},
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
    {0x0046, BIT(L1D_CACHE_WB), "L1D_CACHE_WB_VICTIM",
     "as L1D_CACHE_WB: the models write back only lines that are replaced"},
    {0x004e, BIT(L1D_CACHE_RD), "L1D_TLB_RD", "L1D_TLB, reads"},
    {0x004f, BIT(L1D_CACHE_WR), "L1D_TLB_WR", "L1D_TLB, writes"},
    {0x0050, BIT(L2D_CACHE_RD), "L2D_CACHE_RD", "L2D_CACHE, reads"},
    {0x0051, BIT(L2D_CACHE_WR), "L2D_CACHE_WR", "L2D_CACHE, writes"},
    {0x0052, BIT(L2D_CACHE_REFILL_RD), "L2D_CACHE_REFILL_RD", "L2D_CACHE_REFILL, reads"},
    {0x0053, BIT(L2D_CACHE_REFILL_WR), "L2D_CACHE_REFILL_WR", "L2D_CACHE_REFILL, writes"},
    {0x0056, BIT(L2D_CACHE_WB), "L2D_CACHE_WB_VICTIM",
     "as L2D_CACHE_WB: the models write back only lines that are replaced"},
    {0x0060, BIT(BUS_ACCESS_RD), "BUS_ACCESS_RD", "BUS_ACCESS, reads; also those for stores"},
    {0x0061, BIT(BUS_ACCESS_WR), "BUS_ACCESS_WR", "BUS_ACCESS, writes"},
    {0x0064, BUS_ACCESSES, "BUS_ACCESS_NORMAL", "as BUS_ACCESS: caches hold Normal memory only"},
    {0x0066, BIT(LD_RETIRED), "MEM_ACCESS_RD", "MEM_ACCESS, reads"},
    {0x0067, BIT(ST_RETIRED), "MEM_ACCESS_WR", "MEM_ACCESS, writes"},
    {0x006a, BIT(UNALIGNED), "UNALIGNED_LDST_SPEC", "as UNALIGNED_LDST_RETIRED"},
    {0x0070, BIT(LD_RETIRED), "LD_SPEC", "as LD_RETIRED"},
    {0x0071, BIT(ST_RETIRED), "ST_SPEC", "as ST_RETIRED"},
    {0x0072, ACCESSES, "LDST_SPEC", "LD_SPEC and ST_SPEC"},
    {0x0073, BIT(DP), "DP_SPEC",
     "an integer data-processing instruction executed; its condition passes"},
    {0x0074, BIT(ASE), "ASE_SPEC", "an Advanced SIMD data-processing instruction executed"},
    {0x0075, BIT(VFP), "VFP_SPEC", "a scalar floating-point data-processing instruction executed"},
    {0x0076, BIT(PC_WRITE), "PC_WRITE_SPEC", "as PC_WRITE_RETIRED"},
    {0x0078, BIT(BR_IMMED), "BR_IMMED_SPEC", "as BR_IMMED_RETIRED"},
    {0x0079, BIT(BR_RETURN), "BR_RETURN_SPEC", "as BR_RETURN_RETIRED"},
    {0x007a, INDIRECT, "BR_INDIRECT_SPEC",
     "an indirect branch executed, function returns among them"},
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
    {0x00a0, BIT(LL_CACHE_RD), "L3D_CACHE_RD", "as LL_CACHE_RD"},
    {0x00a2, BIT(LL_CACHE_MISS_RD), "L3D_CACHE_REFILL_RD", "as LL_CACHE_MISS_RD"},
    {0x00c0, BUS_ACCESSES, "EXT_MEM_REQ", "as BUS_ACCESS"},
    {0x00cd, BIT(BR_INDIRECT), "BR_INDIRECT_ADDR_PRED",
     "an indirect branch executed; function returns are not among them"},
    {0x00ce, BIT(BR_RETURN), "BR_RETURN_ADDR_PRED", "as BR_RETURN_RETIRED"},
    {0x0200, L1D_REFILLS, "L1D_CACHE_REFILL_DM", "as L1D_CACHE_REFILL: there is no prefetching"},
    {0x0300, L2D_REFILLS, "L2D_CACHE_REFILL_DM", "as L2D_CACHE_REFILL: there is no prefetching"},
    {0x0309, L2D_REFILLS, "L2_MISS_COUNT", "as L2D_CACHE_REFILL"},
    {0x0316, BIT(BUS_ACCESS_RD), "BUS_READ_TOTAL_MEM", "as BUS_ACCESS_RD"},
    {0x031e, BIT(BUS_ACCESS_WR), "BUS_WRITE_TOTAL_MEM", "as BUS_ACCESS_WR"},
    {0x4004, BIT(CNT_CYCLES), "CNT_CYCLES", "a tick of the system counter, CNTPCT_EL0"},
    {0x4006, BIT(L1I_CACHE_REFILL), "L1I_CACHE_LMISS", "as L1I_CACHE_REFILL; from PMUv3p4 on"},
    {0x4009, BIT(L2D_CACHE_REFILL_RD), "L2D_CACHE_LMISS_RD",
     "as L2D_CACHE_REFILL_RD; from PMUv3p4 on"},
    {0x400b, BIT(LL_CACHE_MISS_RD), "L3D_CACHE_LMISS_RD", "as LL_CACHE_MISS_RD; from PMUv3p4 on"},
    {0x4020, BIT(UNALIGNED), "LDST_ALIGN_LAT",
     "as UNALIGNED_LDST_RETIRED: an access that is not aligned takes longer; from PMUv3p4 on"},
    {0x8008, BIT(INST_RETIRED), "UOP_SPEC", "as INST_RETIRED: an instruction is one operation"},
};

const size_t vpmu_events_count = sizeof(vpmu_events) / sizeof(vpmu_events[0]);

bool vpmu_event_tallied_(const struct vpmu_config *config, const struct vpmu_event *event)
{
    return !(event->sources & ~config->sources) && vpmu_event_machine_(config, event->number);
}

bool vpmu_event_counted(const struct vpmu_config *config, const struct vpmu_event *event)
{
    return vpmu_event_tallied_(config, event) &&
           vpmu_event_version_(event->number) <= config->version;
}

const struct vpmu_event *vpmu_event_find(uint16_t number)
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

vpmu_sources vpmu_event_sources_(const struct vpmu_config *config, uint16_t number)
{
    const struct vpmu_event *event = vpmu_event_find(number);

    return event && vpmu_event_counted(config, event) ? event->sources : 0;
}
