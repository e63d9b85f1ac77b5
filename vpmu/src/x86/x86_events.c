/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/*
 * The events of each family of CPU models. A number can be different events on different families,
 * so a row has the families that have its event under its number. An event of a family that is not
 * in the table counts 0.
 *
 * Nothing is executed speculatively, so an event that a manual counts at dispatch is counted at
 * execution. A uop is an instruction. Interrupts and exceptions are neither instructions nor
 * branches. The TLB models have only pages of 4 KiB, and there are no prefetchers, fill buffers,
 * store buffers and transactions. Events of these are always 0: rows without a source.
 */
#include "x86_internal.h"

#define BIT(source) VPMU_SRC_BIT(VPMU_X86_SRC_##source)
#define F(family) VPMU_X86_FAMILY_BIT(VPMU_X86_##family)
/* All families from one to another. */
#define TO(first, last) (2 * F(last) - F(first))
/* Their lists name a clock for event 013CH that is not the TSC's: 133, 100, 25 or 24 MHz. */
#define BUS_FAMILIES TO(CORE2, ICELAKEX)

#define DTLB_MISSES (VPMU_SRCS_DTLB_RD | VPMU_SRCS_DTLB_WR)

#define SDM "SDM 3B, Pre-defined Architectural Performance Events"
/* Names and numbers are those of perf's list of each family; vpmu/tests compares them. */
#define LISTS "perf's lists of events"
#define WITH_CMASK "perf's lists of events, with CMASK"
/* The number is not in perf's list, or there is no list: Linux's driver uses it. */
#define LINUX "Linux, arch/x86/events"

#define ARCH(bit, select, sources, name)                                                           \
    {                                                                                              \
        VPMU_X86_INTEL, bit, UINT32_MAX, select, sources, name, SDM, false                         \
    }
/* Reference cycles: those of the bus or crystal clock on some families, of the TSC on others. */
#define ARCH_REF(families, bus)                                                                    \
    {                                                                                              \
        VPMU_X86_INTEL, 2, families, 0x013c, BIT(REF_CYCLES), "CPU_CLK_UNHALTED.REF", SDM, bus     \
    }
/* Only processors that have it enumerate it. */
#define ARCH_SLOTS(families)                                                                       \
    {                                                                                              \
        VPMU_X86_INTEL, 7, families, VPMU_X86_SLOTS_P, VPMU_X86_ALL_SLOTS, "TOPDOWN.SLOTS_P", SDM, \
            false                                                                                  \
    }
#define INTEL_BUS(families, select, name)                                                          \
    {                                                                                              \
        VPMU_X86_INTEL, -1, families, select, BIT(REF_CYCLES), name, LISTS, true                   \
    }
#define INTEL(families, select, sources, name)                                                     \
    {                                                                                              \
        VPMU_X86_INTEL, -1, families, select, sources, name, LISTS, false                          \
    }
#define INTEL_LINUX(families, select, sources, name)                                               \
    {                                                                                              \
        VPMU_X86_INTEL, -1, families, select, sources, name, LINUX, false                          \
    }
/* perf's list has the number with a CMASK only. */
#define INTEL_CMASK(families, select, sources, name)                                               \
    {                                                                                              \
        VPMU_X86_INTEL, -1, families, select, sources, name, WITH_CMASK, false                     \
    }
#define AMD(families, select, sources, name)                                                       \
    {                                                                                              \
        VPMU_X86_AMD, -1, families, select, sources, name, LISTS, false                            \
    }
#define AMD_LINUX(families, select, sources, name)                                                 \
    {                                                                                              \
        VPMU_X86_AMD, -1, families, select, sources, name, LINUX, false                            \
    }

const struct vpmu_x86_event vpmu_x86_events[] = {
    ARCH(0, 0x003c, BIT(CYCLES), "CPU_CLK_UNHALTED.THREAD"),
    ARCH(1, 0x00c0, BIT(INST), "INST_RETIRED.ANY"),
    ARCH_REF(BUS_FAMILIES, true),
    ARCH_REF(~BUS_FAMILIES, false),
    ARCH(3, 0x4f2e, VPMU_X86_LL_REFERENCES, "LONGEST_LAT_CACHE.REFERENCE"),
    ARCH(4, 0x412e, VPMU_X86_LL_MISSES, "LONGEST_LAT_CACHE.MISS"),
    ARCH(5, 0x00c4, VPMU_X86_BRANCHES, "BR_INST_RETIRED.ALL_BRANCHES"),
    ARCH(6, 0x00c5, BIT(BR_MISS), "BR_MISP_RETIRED.ALL_BRANCHES"),
    ARCH_SLOTS(TO(ICELAKEX, GRANITERAPIDS)),
#include "x86_events_intel.inc"
#include "x86_events_amd.inc"
#include "x86_events_levels.inc"
#include "x86_events_fp.inc"
#include "x86_events_prefetch.inc"
#include "x86_events_shared.inc"
#include "x86_events_slots.inc"
#include "x86_events_split.inc"
};

const size_t vpmu_x86_events_count = sizeof(vpmu_x86_events) / sizeof(vpmu_x86_events[0]);

bool vpmu_x86_event_counted(const struct vpmu_x86_config *config,
                            const struct vpmu_x86_event *event)
{
    return event->vendor == config->vendor && event->families >> config->family & 1 &&
           !(event->sources & ~config->sources);
}

const struct vpmu_x86_event *vpmu_x86_event_find(const struct vpmu_x86_config *config,
                                                 uint64_t select)
{
    uint64_t number = select & vpmu_x86_event_mask_(config);
    uint64_t whole = number | (select & VPMU_X86_SEL_CONDITION);
    const struct vpmu_x86_event *found = NULL;

    for (size_t i = 0; i < vpmu_x86_events_count; i++) {
        const struct vpmu_x86_event *event = &vpmu_x86_events[i];

        if (event->select == whole && vpmu_x86_event_counted(config, event)) {
            return event;
        }
        if (!found && event->select == number && vpmu_x86_event_counted(config, event)) {
            found = event;
        }
    }
    return found;
}

#define UNIT_MASK 0xff00ull
#define LOW_HALF 0x0f00ull
/* FP_OPS_RETIRED_BY_TYPE and FP_PACK_OPS_RETIRED. */
#define OPS_BY_TYPE 0x0aull
#define PACKED_BY_TYPE 0x0cull
/* FP_RET_SSE_AVX_OPS. In perf's list of Zen 5 its upper three bits are a number: 20H to A0H. */
#define FLOPS_OF_AMD 0x03ull
#define FLOPS_TYPE 0xe000ull
/* FP_ARITH_INST_RETIRED; no machine has vectors of 512 bits, the upper two bits of its mask. */
#define FP_ARITH 0xc7ull
#define FP_ARITH_MASK 0x3f00ull

/* Returns the bits of the unit mask of which the event is a sum; 0 if it is none. */
static uint64_t summed_bits(const struct vpmu_x86_config *config, uint64_t number)
{
    uint64_t code = number & ~UNIT_MASK;

    if (config->family < VPMU_X86_ZEN1) {
        return code == FP_ARITH ? number & FP_ARITH_MASK : 0;
    }
    if (config->family == VPMU_X86_ZEN5 && code == FLOPS_OF_AMD && (number & FLOPS_TYPE)) {
        return 0;
    }
    return number & UNIT_MASK;
}

/*
 * A unit mask of AMD, and that of Intel's FP_ARITH_INST_RETIRED, is a set of bits, and the event is
 * the sum of them; in events of types, each half is a number.
 */
static bool is_part(const struct vpmu_x86_event *event, uint64_t number)
{
    uint64_t mask = event->select & UNIT_MASK;
    uint64_t code = number & ~UNIT_MASK;

    if ((event->select & ~UNIT_MASK) != code || mask == 0) {
        return false;
    }
    if (code == OPS_BY_TYPE || code == PACKED_BY_TYPE) {
        return mask == (number & LOW_HALF) || mask == (number & UNIT_MASK & ~LOW_HALF);
    }
    return !(mask & ~number);
}

/* The smallest row with the lowest bit of @left and no other bits than those of @left, or NULL. */
static const struct vpmu_x86_event *smallest_part(const struct vpmu_x86_config *config,
                                                  uint64_t number, uint64_t left)
{
    const struct vpmu_x86_event *smallest = NULL;

    for (size_t i = 0; i < vpmu_x86_events_count; i++) {
        const struct vpmu_x86_event *event = &vpmu_x86_events[i];
        uint64_t mask = event->select & UNIT_MASK;

        if (is_part(event, number) && (mask & left & -left) && !(mask & ~left) &&
            (!smallest || event->select < smallest->select) &&
            vpmu_x86_event_counted(config, event)) {
            smallest = event;
        }
    }
    return smallest;
}

/*
 * A sum is that of the smallest rows that together have each bit of the unit mask once. A larger
 * row would count the same again: it can have the same bits with other sources.
 */
size_t vpmu_x86_event_parts(const struct vpmu_x86_config *config, uint64_t select,
                            const struct vpmu_x86_event *parts[VPMU_X86_EVENT_PARTS])
{
    uint64_t number = select & vpmu_x86_event_mask_(config);
    uint64_t left = summed_bits(config, number);
    size_t n = 0;

    parts[0] = vpmu_x86_event_find(config, select);
    if (parts[0]) {
        return 1;
    }
    while (left) {
        parts[n] = smallest_part(config, number, left);
        if (!parts[n]) {
            return 0;
        }
        left &= ~parts[n++]->select;
    }
    return n;
}

vpmu_sources vpmu_x86_event_sources(const struct vpmu_x86_config *config, uint64_t select)
{
    const struct vpmu_x86_event *parts[VPMU_X86_EVENT_PARTS];
    vpmu_sources sources = 0;

    for (size_t n = vpmu_x86_event_parts(config, select, parts); n > 0; n--) {
        sources |= parts[n - 1]->sources;
    }
    return sources;
}
