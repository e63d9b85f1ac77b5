/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#ifndef VPMU_EVENTS_H
#define VPMU_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A source is what the machine tallies: a monotone 64-bit total for each context. Several events
 * may be the same source; an event that the library makes itself has VPMU_SRC_NONE.
 */
enum vpmu_source {
    VPMU_SRC_INST_RETIRED,
    VPMU_SRC_CPU_CYCLES,
    VPMU_SRC_COUNT,
    VPMU_SRC_NONE = VPMU_SRC_COUNT,
};

/* Common event numbers (Arm ARM D14.12) that the library itself gives a meaning to. */
enum vpmu_event_number {
    VPMU_EVENT_SW_INCR = 0x0000,
    VPMU_EVENT_INST_RETIRED = 0x0008,
    VPMU_EVENT_CPU_CYCLES = 0x0011,
    VPMU_EVENT_CHAIN = 0x001e,
};

/**
 * struct vpmu_event - one row of the table of events
 * @number: PMEVTYPER.evtCount.
 * @source: enum vpmu_source; VPMU_SRC_NONE for SW_INCR and CHAIN.
 * @name: the architecture's mnemonic.
 * @definition: what one event is, as this library counts it.
 * @section: where the architecture defines it.
 */
struct vpmu_event {
    uint16_t number;
    uint8_t source;
    const char *name;
    const char *definition;
    const char *section;
};

extern const struct vpmu_event vpmu_events[];
extern const size_t vpmu_events_count;

/**
 * vpmu_event_find() - the row of an event
 * @number: PMEVTYPER.evtCount, any value.
 *
 * Return: the row, or NULL if no PMU of this library counts it.
 */
const struct vpmu_event *vpmu_event_find(uint16_t number);

#endif
