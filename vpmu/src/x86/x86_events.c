/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/*
 * What can be counted. Nothing is executed speculatively: what a manual counts where it is
 * dispatched is counted where it is executed. Interrupts and exceptions are no instructions and no
 * branches.
 */
#include "x86_internal.h"

#define BIT(source) VPMU_SRC_BIT(VPMU_X86_SRC_##source)
#define SDM "SDM 3B, Pre-defined Architectural Performance Events"
#define CORE2 "Intel's event list of Core 2"
#define NEHALEM "Intel's event list of Nehalem"
#define BRIDGE "Intel's event list of Sandy Bridge"
#define HASWELL "Intel's event list of Haswell"
#define SKYLAKE "Intel's event list of Skylake"
#define ZEN "PPR of family 17h"
#define K7 "BKDG of family 10h, and Linux for 0Fh on"

#define ARCH(bit, select, sources, name)                                                           \
    {                                                                                              \
        VPMU_X86_INTEL, 0, 0, bit, select, sources, name, SDM                                      \
    }
#define INTEL(select, sources, name, list)                                                         \
    {                                                                                              \
        VPMU_X86_INTEL, 0, 0, -1, select, sources, name, list                                      \
    }
#define AMD(select, sources, name)                                                                 \
    {                                                                                              \
        VPMU_X86_AMD, 0, 0, -1, select, sources, name, K7                                          \
    }
/* Up to family 16h, and from 17h on: the same number may be another event. */
#define OLD_AMD(select, sources, name)                                                             \
    {                                                                                              \
        VPMU_X86_AMD, 0, VPMU_X86_HAS_ZEN, -1, select, sources, name, K7                           \
    }
#define ZEN_AMD(select, sources, name)                                                             \
    {                                                                                              \
        VPMU_X86_AMD, VPMU_X86_HAS_ZEN, 0, -1, select, sources, name, ZEN                          \
    }

/*
 * Where a row's list is of one processor, the event is on all: no two lists have different events
 * of the same number here. The last level of Core 2 is called L2 there.
 */
const struct vpmu_x86_event vpmu_x86_events[] = {
    ARCH(0, 0x003c, BIT(CYCLES), "CPU_CLK_UNHALTED.THREAD"),
    ARCH(1, 0x00c0, BIT(INST), "INST_RETIRED.ANY"),
    ARCH(2, 0x013c, BIT(REF_CYCLES), "CPU_CLK_UNHALTED.REF"),
    ARCH(3, 0x4f2e, VPMU_X86_LL_REFERENCES, "LONGEST_LAT_CACHE.REFERENCE"),
    ARCH(4, 0x412e, VPMU_X86_LL_MISSES, "LONGEST_LAT_CACHE.MISS"),
    ARCH(5, 0x00c4, VPMU_X86_BRANCHES, "BR_INST_RETIRED.ALL_BRANCHES"),
    ARCH(6, 0x00c5, BIT(BR_MISS), "BR_MISP_RETIRED.ALL_BRANCHES"),
    INTEL(0x01c4, BIT(BR_COND), "BR_INST_RETIRED.CONDITIONAL", SKYLAKE),
    INTEL(0x01c0, BIT(INST), "INST_RETIRED.ANY_P", NEHALEM),

    INTEL(0x81d0, BIT(LOAD), "MEM_INST_RETIRED.ALL_LOADS", SKYLAKE),
    INTEL(0x82d0, BIT(STORE), "MEM_INST_RETIRED.ALL_STORES", SKYLAKE),
    INTEL(0xf1d0, BIT(LOAD), "MEM_UOP_RETIRED.LOADS", BRIDGE),
    INTEL(0xf2d0, BIT(STORE), "MEM_UOP_RETIRED.STORES", BRIDGE),
    INTEL(0x010b, BIT(LOAD), "MEM_INST_RETIRED.LOADS", NEHALEM),
    INTEL(0x020b, BIT(STORE), "MEM_INST_RETIRED.STORES", NEHALEM),
    INTEL(0x0f40, BIT(L1D_RD), "L1D_CACHE_LD.MESI", CORE2),
    INTEL(0x0f41, BIT(L1D_WR), "L1D_CACHE_ST.MESI", CORE2),

    INTEL(0x0151, VPMU_X86_L1D_MISSES, "L1D.REPLACEMENT", SKYLAKE),
    INTEL(0x0140, BIT(L1D_MISS_RD), "L1D_CACHE_LD.I_STATE", CORE2),
    INTEL(0x0141, BIT(L1D_MISS_WR), "L1D_CACHE_ST.I_STATE", CORE2),
    INTEL(0x0080, BIT(L1I), "L1I.READS", CORE2),
    INTEL(0x0380, BIT(L1I), "L1I.READS", NEHALEM),
    INTEL(0x0081, BIT(L1I_MISS), "L1I.MISSES", CORE2),
    INTEL(0x0280, BIT(L1I_MISS), "L1I.MISSES", NEHALEM),
    INTEL(0x0283, BIT(L1I_MISS), "ICACHE_64B.IFTAG_MISS", SKYLAKE),
    INTEL(0x4f29, BIT(LL_LOAD), "L2_LD.MESI", CORE2),
    INTEL(0x4129, BIT(LL_LOAD_MISS), "L2_LD.I_STATE", CORE2),

    INTEL(0x0108, BIT(DTLB_WALK_RD), "DTLB_LOAD_MISSES.MISS_CAUSES_A_WALK", SKYLAKE),
    INTEL(0x0e08, BIT(DTLB_WALK_RD), "DTLB_LOAD_MISSES.WALK_COMPLETED", SKYLAKE),
    INTEL(0x0208, BIT(DTLB_WALK_RD), "DTLB_MISSES.MISS_LD", CORE2),
    INTEL(0x0149, BIT(DTLB_WALK_WR), "DTLB_STORE_MISSES.MISS_CAUSES_A_WALK", SKYLAKE),
    INTEL(0x0e49, BIT(DTLB_WALK_WR), "DTLB_STORE_MISSES.WALK_COMPLETED", SKYLAKE),
    INTEL(0x010c, BIT(DTLB_WALK_WR), "MEM_STORE_RETIRED.DTLB_MISS", NEHALEM),
    INTEL(0x0808, BIT(DTLB_WALK_WR), "DTLB_MISSES.MISS_ST", CORE2),
    INTEL(0x0185, BIT(ITLB_WALK), "ITLB_MISSES.MISS_CAUSES_A_WALK", SKYLAKE),
    INTEL(0x0e85, BIT(ITLB_WALK), "ITLB_MISSES.WALK_COMPLETED", SKYLAKE),
    INTEL(0x20c8, BIT(ITLB_WALK), "ITLB_MISS_RETIRED", NEHALEM),
    INTEL(0x1282, BIT(ITLB_WALK), "ITLB.MISSES", CORE2),
    INTEL(0x2085, BIT(ITLB_L2_HIT), "ITLB_MISSES.STLB_HIT", SKYLAKE),
    INTEL(0x1085, BIT(ITLB_L2_HIT), "ITLB_MISSES.STLB_HIT", BRIDGE),
    INTEL(0x6085, BIT(ITLB_L2_HIT), "ITLB_MISSES.STLB_HIT", HASWELL),

    AMD(0x0076, BIT(CYCLES), "CPU Clocks not Halted"),
    AMD(0x00c0, BIT(INST), "Retired Instructions"),
    AMD(0x00c2, VPMU_X86_BRANCHES, "Retired Branch Instructions"),
    AMD(0x00c3, BIT(BR_MISS), "Retired Mispredicted Branch Instructions"),
    AMD(0x0040, BIT(L1D_RD) | BIT(L1D_WR), "Data Cache Accesses"),
    AMD(0x0080, BIT(L1I), "Instruction Cache Fetches"),
    AMD(0x0081, BIT(L1I_MISS), "Instruction Cache Misses"),
    AMD(0x0084, BIT(ITLB_L2_HIT), "L1 ITLB Miss, L2 ITLB Hit"),
    AMD(0x077d, VPMU_X86_L2_REFERENCES, "Requests to L2 Cache"),
    AMD(0x077e, VPMU_X86_L2_MISSES, "L2 Cache Misses"),
    OLD_AMD(0x0041, VPMU_X86_L1D_MISSES, "Data Cache Misses"),
    OLD_AMD(0x0141, VPMU_X86_L1D_MISSES, "Data Cache Misses"),
    OLD_AMD(0x037d, VPMU_X86_L1D_MISSES | BIT(L1I_MISS), "Requests to L2 Cache: IC and DC fill"),
    OLD_AMD(0x037e, VPMU_X86_L2_MISSES, "L2 Cache Misses: IC and DC fill"),
    OLD_AMD(0x0746, BIT(DTLB_WALK), "L1 DTLB and L2 DTLB Miss"),
    OLD_AMD(0x0385, BIT(ITLB_WALK), "L1 ITLB Miss, L2 ITLB Miss"),
    ZEN_AMD(0x00d1, BIT(BR_COND), "Retired Conditional Branch Instructions"),
    ZEN_AMD(0x0129, BIT(LOAD), "LS Dispatch: loads"),
    ZEN_AMD(0x0229, BIT(STORE), "LS Dispatch: stores"),
    ZEN_AMD(0x0329, BIT(LOAD) | BIT(STORE), "LS Dispatch: loads and stores"),
    ZEN_AMD(0xc860, VPMU_X86_L1D_MISSES, "Requests to L2 Group 1: from DC misses"),
    ZEN_AMD(0xff60, VPMU_X86_L2_REFERENCES, "Requests to L2 Group 1"),
    ZEN_AMD(0x0964, VPMU_X86_L2_MISSES, "Core to L2 Cacheable Request misses"),
    ZEN_AMD(0xff45, BIT(DTLB_MISS), "L1 DTLB Misses"),
    ZEN_AMD(0xf045, BIT(DTLB_WALK), "L1 DTLB Misses, L2 DTLB Misses"),
    ZEN_AMD(0xff85, BIT(ITLB_WALK), "L1 ITLB Miss, L2 ITLB Miss"),
};

const size_t vpmu_x86_events_count = sizeof(vpmu_x86_events) / sizeof(vpmu_x86_events[0]);

bool vpmu_x86_counts_(const struct vpmu_x86_config *config, const struct vpmu_x86_event *event)
{
    return event->vendor == config->vendor && !(event->features & ~config->features) &&
           !(event->lacks & config->features) && !(event->sources & ~config->sources);
}

const struct vpmu_x86_event *vpmu_x86_event_find(const struct vpmu_x86_config *config,
                                                 uint64_t select)
{
    for (size_t i = 0; i < vpmu_x86_events_count; i++) {
        const struct vpmu_x86_event *event = &vpmu_x86_events[i];

        if (event->select == (select & VPMU_X86_SEL_EVENT) && vpmu_x86_counts_(config, event)) {
            return event;
        }
    }
    return NULL;
}

uint64_t vpmu_x86_event_sources_(const struct vpmu_x86_config *config, uint64_t select)
{
    const struct vpmu_x86_event *event = vpmu_x86_event_find(config, select);

    return event ? event->sources : 0;
}
