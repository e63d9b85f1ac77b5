/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#ifndef VPMU_X86_EVENTS_H
#define VPMU_X86_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vpmu/decls.h"
#include "vpmu/x86/config.h"

VPMU_DECLS_BEGIN

/**
 * struct vpmu_x86_event - one row of the table of events
 * @vendor: enum vpmu_x86_vendor.
 * @bit: Intel: the event's bit in CPUID.0AH:EBX, or -1.
 * @families: a mask of VPMU_X86_FAMILY_BIT(): the families on which the number is this event.
 * @select: as in the registers: the unit mask in bits [15:8], the event in [7:0], and AMD's
 *     event[11:8] in [35:32]. With CMASK, INV or Edge, the number is this event with exactly these.
 * @sources: a mask of VPMU_SRC_BIT(): the event is their sum; 0: it is always 0 on these families.
 * @name: the manual's name.
 * @manual: the section of the manual that defines the event.
 * @bus: the event is a cycle of the bus or crystal clock: vpmu_x86_config.bus_ratio reference
 *     cycles.
 */
struct vpmu_x86_event {
    uint8_t vendor;
    int8_t bit;
    uint32_t families;
    uint64_t select;
    vpmu_sources sources;
    const char *name;
    const char *manual;
    bool bus;
};

/* All events that a PMU of this library can count. */
extern const struct vpmu_x86_event vpmu_x86_events[];
extern const size_t vpmu_x86_events_count;

/**
 * vpmu_x86_event_find() - look up the event that a PERFEVTSEL value selects
 * @config: the configuration of the PMU.
 * @select: the value; only the event, the unit mask, CMASK, INV and Edge are used.
 *
 * Return: the event, or NULL if this PMU does not count it.
 */
const struct vpmu_x86_event *vpmu_x86_event_find(const struct vpmu_x86_config *config,
                                                 uint64_t select);

/* The most rows that a PERFEVTSEL value counts: one for each bit of the unit mask. */
#define VPMU_X86_EVENT_PARTS 8

/**
 * vpmu_x86_event_parts() - look up the rows that a PERFEVTSEL value counts
 * @config: the configuration of the PMU.
 * @select: as for vpmu_x86_event_find().
 * @parts: receives the rows: the event, or those whose sum a unit mask is, as AMD's are and that of
 *     Intel's FP_ARITH_INST_RETIRED.
 *
 * Return: the number of rows; 0 if this PMU does not count what is selected.
 */
size_t vpmu_x86_event_parts(const struct vpmu_x86_config *config, uint64_t select,
                            const struct vpmu_x86_event *parts[VPMU_X86_EVENT_PARTS]);

/**
 * vpmu_x86_event_sources() - what a PERFEVTSEL value counts
 * @config: the configuration of the PMU.
 * @select: as for vpmu_x86_event_find().
 *
 * Return: a mask of VPMU_SRC_BIT(): the event is their sum; 0 if it is not counted, or is always 0.
 */
vpmu_sources vpmu_x86_event_sources(const struct vpmu_x86_config *config, uint64_t select);

/**
 * vpmu_x86_event_counted() - tell whether a PMU counts an event
 * @config: the configuration of the PMU.
 * @event: a row of vpmu_x86_events.
 *
 * Return: true if it does.
 */
bool vpmu_x86_event_counted(const struct vpmu_x86_config *config,
                            const struct vpmu_x86_event *event);

/**
 * vpmu_x86_event_model() - tell where the counts of an event come from
 * @config: the configuration of the PMU.
 * @event: a row of vpmu_x86_events.
 *
 * Return: as vpmu_arm_event_model(); "always-0" for an event that never happens on this machine.
 */
const char *vpmu_x86_event_model(const struct vpmu_x86_config *config,
                                 const struct vpmu_x86_event *event);

VPMU_DECLS_END

#endif
