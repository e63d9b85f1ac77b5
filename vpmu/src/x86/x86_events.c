/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/*
 * What can be counted. Nothing is executed speculatively: what a manual counts where it is
 * dispatched is counted where it is executed. Interrupts and exceptions are no instructions and no
 * branches.
 */
#include "x86_internal.h"

#define BIT(source) VPMU_SRC_BIT(VPMU_X86_SRC_##source)
#define SDM "SDM 3B, Pre-defined Architectural Performance Events"
#define SKYLAKE "Intel's event list of Skylake"
#define ZEN "PPR of family 17h"
#define K7 "BKDG of family 10h, and Linux for 0Fh on"

const struct vpmu_x86_event vpmu_x86_events[] = {
    {VPMU_X86_INTEL, 0, 0, 0x003c, BIT(CYCLES), "CPU_CLK_UNHALTED.THREAD", SDM},
    {VPMU_X86_INTEL, 0, 1, 0x00c0, BIT(INST), "INST_RETIRED.ANY", SDM},
    {VPMU_X86_INTEL, 0, 2, 0x013c, BIT(REF_CYCLES), "CPU_CLK_UNHALTED.REF", SDM},
    {VPMU_X86_INTEL, 0, 3, 0x4f2e, VPMU_X86_LL_REFERENCES, "LONGEST_LAT_CACHE.REFERENCE", SDM},
    {VPMU_X86_INTEL, 0, 4, 0x412e, VPMU_X86_LL_MISSES, "LONGEST_LAT_CACHE.MISS", SDM},
    {VPMU_X86_INTEL, 0, 5, 0x00c4, VPMU_X86_BRANCHES, "BR_INST_RETIRED.ALL_BRANCHES", SDM},
    {VPMU_X86_INTEL, 0, 6, 0x00c5, BIT(BR_MISS), "BR_MISP_RETIRED.ALL_BRANCHES", SDM},
    {VPMU_X86_INTEL, 0, -1, 0x01c4, BIT(BR_COND), "BR_INST_RETIRED.CONDITIONAL", SKYLAKE},
    {VPMU_X86_INTEL, 0, -1, 0x81d0, BIT(LOAD), "MEM_INST_RETIRED.ALL_LOADS", SKYLAKE},
    {VPMU_X86_INTEL, 0, -1, 0x82d0, BIT(STORE), "MEM_INST_RETIRED.ALL_STORES", SKYLAKE},
    {VPMU_X86_AMD, 0, -1, 0x0076, BIT(CYCLES), "CPU Clocks not Halted", K7},
    {VPMU_X86_AMD, 0, -1, 0x00c0, BIT(INST), "Retired Instructions", K7},
    {VPMU_X86_AMD, 0, -1, 0x00c2, VPMU_X86_BRANCHES, "Retired Branch Instructions", K7},
    {VPMU_X86_AMD, 0, -1, 0x00c3, BIT(BR_MISS), "Retired Mispredicted Branch Instructions", K7},
    {VPMU_X86_AMD, 0, -1, 0x077d, VPMU_X86_L2_REFERENCES, "Requests to L2 Cache", K7},
    {VPMU_X86_AMD, 0, -1, 0x077e, VPMU_X86_L2_MISSES, "L2 Cache Misses", K7},
    {VPMU_X86_AMD, VPMU_X86_HAS_ZEN, -1, 0x00d1, BIT(BR_COND),
     "Retired Conditional Branch Instructions", ZEN},
    {VPMU_X86_AMD, VPMU_X86_HAS_ZEN, -1, 0x0129, BIT(LOAD), "LS Dispatch: loads", ZEN},
    {VPMU_X86_AMD, VPMU_X86_HAS_ZEN, -1, 0x0229, BIT(STORE), "LS Dispatch: stores", ZEN},
    {VPMU_X86_AMD, VPMU_X86_HAS_ZEN, -1, 0x0329, BIT(LOAD) | BIT(STORE),
     "LS Dispatch: loads and stores", ZEN},
    {VPMU_X86_AMD, VPMU_X86_HAS_ZEN, -1, 0xff60, VPMU_X86_L2_REFERENCES, "Requests to L2 Group 1",
     ZEN},
    {VPMU_X86_AMD, VPMU_X86_HAS_ZEN, -1, 0x0964, VPMU_X86_L2_MISSES,
     "Core to L2 Cacheable Request misses", ZEN},
};

const size_t vpmu_x86_events_count = sizeof(vpmu_x86_events) / sizeof(vpmu_x86_events[0]);

bool vpmu_x86_counts_(const struct vpmu_x86_config *config, const struct vpmu_x86_event *event)
{
    return event->vendor == config->vendor && !(event->features & ~config->features) &&
           !(event->sources & ~config->sources);
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
