/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#ifndef VPMU_ARM_EVENTS_H
#define VPMU_ARM_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vpmu/arm/sources.h"
#include "vpmu/decls.h"

VPMU_DECLS_BEGIN

/* Common event numbers (Arm ARM D14.12) that the library uses by name. */
enum vpmu_event_number {
    VPMU_EVENT_SW_INCR = 0x0000,
    VPMU_EVENT_INST_RETIRED = 0x0008,
    VPMU_EVENT_CPU_CYCLES = 0x0011,
    VPMU_EVENT_CHAIN = 0x001e,
    VPMU_EVENT_STALL_FRONTEND = 0x0023,
    VPMU_EVENT_STALL_BACKEND = 0x0024,
    VPMU_EVENT_STALL = 0x003c,

    /* Events of SPE. */
    VPMU_EVENT_SAMPLE_POP = 0x4000,
    VPMU_EVENT_SAMPLE_FEED = 0x4001,
    VPMU_EVENT_SAMPLE_FILTRATE = 0x4002,
    VPMU_EVENT_SAMPLE_COLLISION = 0x4003,

    /* Reserved before PMUv3p4. From PMUv3p4 on they are mandatory if the caches exist. */
    VPMU_EVENT_L1D_CACHE_LMISS_RD = 0x0039,
    VPMU_EVENT_L1I_CACHE_LMISS = 0x4006,
    VPMU_EVENT_L2D_CACHE_LMISS_RD = 0x4009,
    VPMU_EVENT_L3D_CACHE_LMISS_RD = 0x400b,
};

/*
 * The cores that have events of their own, under implementation defined numbers, or whose events
 * perf's metrics combine in a way of their own.
 */
enum vpmu_core {
    VPMU_CORE_OTHER,
    VPMU_CORE_CORTEX_A53,
    VPMU_CORE_CORTEX_A55,
    VPMU_CORE_CORTEX_A57,
    VPMU_CORE_CORTEX_A72,
    VPMU_CORE_A64FX,
    VPMU_CORE_NEOVERSE_N2,
    VPMU_CORE_CORTEX_A8,
    VPMU_CORE_CORTEX_A9,
    VPMU_CORE_COUNT,
};

/**
 * vpmu_arm_core_find() - tell which core a CPU is
 * @midr: MIDR_EL1.
 *
 * Return: enum vpmu_core; VPMU_CORE_OTHER for a CPU that is none of the others.
 */
enum vpmu_core vpmu_arm_core_find(uint64_t midr);

/**
 * struct vpmu_arm_event - one row of the table of events
 * @number: PMEVTYPER.evtCount.
 * @sources: a mask of VPMU_SRC_BIT(): the event is their sum. 0 for SW_INCR, CHAIN,
 *     SAMPLE_FEED and SAMPLE_FILTRATE, which the library makes, and for events that never happen.
 * @name: the architecture's mnemonic.
 * @definition: what one event is, as this library counts it. The architecture's definition is in
 *     Arm ARM D14.12, under the number.
 */
struct vpmu_arm_event {
    uint16_t number;
    vpmu_sources sources;
    const char *name;
    const char *definition;
};

/* The events of the architecture that a PMU of this library can count, ordered by number. */
extern const struct vpmu_arm_event vpmu_events[];
extern const size_t vpmu_events_count;

/**
 * vpmu_arm_event_find() - look up an event of the architecture by number
 * @number: PMEVTYPER.evtCount, any value.
 *
 * Return: the row, or NULL if no PMU of this library counts the event.
 */
const struct vpmu_arm_event *vpmu_arm_event_find(uint16_t number);

struct vpmu_arm_config;

/**
 * vpmu_arm_event_at() - look up what a number means on a PMU
 * @config: the configuration of the PMU, a valid one.
 * @number: PMEVTYPER.evtCount, any value.
 *
 * Cortex-A8 and Cortex-A9 have meanings of their own for the numbers above 0x12.
 *
 * Return: the row, or NULL if the number is no event of this core that the library knows. The
 * machine need not count it: see vpmu_arm_event_counted().
 */
const struct vpmu_arm_event *vpmu_arm_event_at(const struct vpmu_arm_config *config,
                                               uint16_t number);

/**
 * vpmu_arm_event_counted() - tell whether a PMU counts an event
 * @config: the configuration of the PMU.
 * @event: a row of vpmu_events, or what vpmu_arm_event_at() returned.
 *
 * Return: true if it does. SW_INCR and CHAIN, which have no source, are always counted. Events that
 * cannot happen are counted, too: their count is 0.
 */
bool vpmu_arm_event_counted(const struct vpmu_arm_config *config,
                            const struct vpmu_arm_event *event);

/**
 * vpmu_arm_event_model() - tell where the counts of an event come from
 * @config: the configuration of the PMU.
 * @event: a row of vpmu_events, or what vpmu_arm_event_at() returned.
 *
 * Return: a constant: the model whose events it counts, "pipeline", "branch-prediction", "tlbs" or
 * "caches", or "clock" for an event that is time; NULL if it is counted exactly.
 */
const char *vpmu_arm_event_model(const struct vpmu_arm_config *config,
                                 const struct vpmu_arm_event *event);

/**
 * vpmu_arm_exception_source() - tell what a synchronous exception or SError counts as
 * @syndrome: as ESR_ELx has it, EC in bits [31:26]; any value.
 * @el: the Exception level that it is taken to, 1 to 3.
 * @local: whether it is Taken locally, which Arm ARM D14.1.1 defines.
 *
 * Interrupts have no syndrome: they are VPMU_SRC_EXC_IRQ, _FIQ, _TRAP_IRQ and _TRAP_FIQ.
 *
 * Return: one of VPMU_SRC_EXC_UNDEF and so on.
 * Source: Arm ARM D14.1.5, table D14-1.
 */
unsigned vpmu_arm_exception_source(uint64_t syndrome, unsigned el, bool local);

VPMU_DECLS_END

#endif
