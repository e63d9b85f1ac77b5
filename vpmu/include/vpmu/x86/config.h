/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#ifndef VPMU_X86_CONFIG_H
#define VPMU_X86_CONFIG_H

#include <stdbool.h>
#include <stdint.h>

#include "vpmu/decls.h"
#include "vpmu/errors.h"
#include "vpmu/x86/sources.h"

VPMU_DECLS_BEGIN

/*
 * The PMU of an x86 processor. The same counters have either Intel's registers, architectural
 * performance monitoring (SDM volume 3, "Performance Monitoring"), or AMD's performance counters
 * (APM volume 2, chapter 13). The counting core is the one of the Arm PMU: vpmu/count.h. The
 * default calling context of the functions is in vpmu/errors.h.
 */
enum vpmu_x86_vendor {
    VPMU_X86_INTEL,
    VPMU_X86_AMD,
};

/* Versions of AMD's counters. Intel's versions are 1 to 5, as in CPUID.0AH:EAX[7:0]. */
enum vpmu_x86_amd {
    VPMU_X86_AMD_K7 = 1,   /* four counters, MSRs C001_0000 to C001_0007 */
    VPMU_X86_AMD_CORE = 2, /* PERFCTR_CORE: six, C001_0200 and on */
    VPMU_X86_AMD_V2 = 3,   /* PerfMonV2: global status and control */
};

enum vpmu_x86_feature {
    /* Intel: CPUID.01H:ECX[15]: IA32_PERF_CAPABILITIES and DEBUGCTL[14] exist. */
    VPMU_X86_HAS_PDCM = 1 << 0,
    /* Intel: PERF_CAPABILITIES[13]: counters can be written in full width at 4C1H. Needs PDCM. */
    VPMU_X86_HAS_FULL_WIDTH = 1 << 1,
    /* AMD: SVM exists, and with it the GuestOnly and HostOnly bits of PERF_CTL. */
    VPMU_X86_HAS_SVM = 1 << 2,
    /* Intel: PERF_CAPABILITIES[15]: fixed counter 3 counts slots, PERF_METRICS exists. Needs PDCM.
     */
    VPMU_X86_HAS_METRICS = 1 << 3,
    VPMU_X86_HAS_ALL = (1 << 4) - 1,
};

/**
 * enum vpmu_x86_family - CPU models whose event numbers mean the same
 * @VPMU_X86_GENERIC: Intel: only the architectural events are counted. AMD: the events of K7 and
 *     its successors up to family 16h.
 *
 * The others have the names of perf's lists of events.
 */
enum vpmu_x86_family {
    VPMU_X86_GENERIC,
    VPMU_X86_CORE2,
    VPMU_X86_BONNELL,
    VPMU_X86_NEHALEM,
    VPMU_X86_WESTMERE,
    VPMU_X86_SANDYBRIDGE,
    VPMU_X86_IVYBRIDGE,
    VPMU_X86_HASWELL,
    VPMU_X86_BROADWELL,
    VPMU_X86_SKYLAKE,
    VPMU_X86_SKYLAKEX,
    VPMU_X86_CASCADELAKE, /* and Cooper Lake */
    VPMU_X86_ICELAKEX,
    VPMU_X86_SAPPHIRERAPIDS,
    VPMU_X86_GRANITERAPIDS,
    VPMU_X86_GOLDMONT,
    VPMU_X86_TREMONT, /* perf's snowridgex */
    VPMU_X86_SIERRAFOREST,
    VPMU_X86_CLEARWATERFOREST,
    VPMU_X86_KNIGHTS,
    VPMU_X86_ZEN1,
    VPMU_X86_ZEN2,
    VPMU_X86_ZEN3,
    VPMU_X86_ZEN4,
    VPMU_X86_ZEN5,
    VPMU_X86_FAMILY_COUNT,
};

#define VPMU_X86_FAMILY_BIT(family) (1u << (family))

/**
 * vpmu_x86_family() - the family that a processor is of
 * @vendor: enum vpmu_x86_vendor.
 * @family: the family, as CPUID.01H:EAX has it, with the extended family added.
 * @model: the model, as CPUID.01H:EAX has it, with the extended model above its four bits.
 * @stepping: the stepping, as CPUID.01H:EAX has it.
 *
 * Return: VPMU_X86_GENERIC if the processor is not known.
 * Source: tools/perf/pmu-events/arch/x86/mapfile.csv of Linux.
 */
enum vpmu_x86_family vpmu_x86_family(unsigned vendor, unsigned family, unsigned model,
                                     unsigned stepping);

/**
 * vpmu_x86_pebs_format() - the format of the PEBS records of a family
 * @family: any value.
 *
 * Return: the format; 0: there is no PEBS, or Linux uses none.
 * Source: Linux, arch/x86/events/intel/core.c, and IA32_PERF_CAPABILITIES of these processors.
 */
uint8_t vpmu_x86_pebs_format(enum vpmu_x86_family family);

/* General counters are numbered from 0, Intel's fixed counters from VPMU_X86_FIXED. */
#define VPMU_X86_MAX_COUNTERS 15u
#define VPMU_X86_FIXED 16u
#define VPMU_X86_MAX_FIXED 4u
#define VPMU_X86_SLOTS (VPMU_X86_FIXED + 3) /* with VPMU_X86_HAS_METRICS */
#define VPMU_X86_COUNTER_COUNT (VPMU_X86_FIXED + VPMU_X86_MAX_FIXED)

/* The format of PEBS records of Icelake and later ("PEBS baseline"): adaptive, of any counter. */
#define VPMU_X86_PEBS_BASELINE 4

/**
 * struct vpmu_x86_config - what a PMU is built as; constant for the PMU's lifetime
 * @vendor: enum vpmu_x86_vendor.
 * @version: Intel: 1 to 5; AMD: enum vpmu_x86_amd.
 * @counters: the number of general counters. Intel: 1 to 8; AMD: 4 (VPMU_X86_AMD_K7), 6
 *     (VPMU_X86_AMD_CORE), or 6 to 15 (VPMU_X86_AMD_V2).
 * @fixed: Intel from version 2 on: the number of fixed counters, 0 to 3 (instructions, cycles,
 *     reference cycles), or 4 (slots) with VPMU_X86_HAS_METRICS; otherwise 0.
 * @width: the number of bits of a counter. Intel: 32 to 48; AMD: 48.
 * @features: a mask of enum vpmu_x86_feature.
 * @cycle_units: as in struct vpmu_arm_config, for VPMU_X86_SRC_CYCLES.
 * @sources: as in struct vpmu_arm_config: a mask of VPMU_SRC_BIT() of enum vpmu_x86_source.
 * @timed: as in struct vpmu_arm_config. Allowed are VPMU_X86_SRC_CYCLES and
 * VPMU_X86_SRC_REF_CYCLES.
 * @pebs: Intel with PDCM: the format of PEBS records, 1 to VPMU_X86_PEBS_BASELINE, which needs
 *     version 5; the others exclude VPMU_X86_HAS_METRICS. 0: there is no PEBS.
 * @family: enum vpmu_x86_family, one of @vendor's: it decides what event numbers mean.
 * @detector: a counter that a lockup detector has set counts reference cycles instead of cycles, so
 *     that it costs no tally and ends in time. Such a counter counts cycles at all levels,
 *     interrupts, and has been written a time before its end: 0.5 to 100 s of the TSC; or at least
 *     5 ms, if it has been written as a negative number, with its bits beyond the counter set, as
 *     Xen does. Linux clears these bits. Needs VPMU_X86_SRC_REF_CYCLES and @tsc_hz.
 * @la57: CPUID.07H:ECX[16]: linear addresses have 57 bits; otherwise they have 48.
 * @bus_ratio: how many reference cycles a cycle of the bus or crystal clock takes, which some
 *     families count (struct vpmu_x86_event.bus); 0 is treated as 1. It is not part of a saved
 *     state, because it depends on the host's clock.
 * @tsc_hz: the rate of reference cycles, for @detector. It is not part of a saved state, either.
 */
struct vpmu_x86_config {
    uint8_t vendor;
    uint8_t version;
    uint8_t counters;
    uint8_t fixed;
    uint8_t width;
    uint8_t features;
    uint8_t cycle_units;
    vpmu_sources sources;
    vpmu_sources timed;
    uint8_t pebs;
    uint8_t family;
    bool detector;
    bool la57;
    uint16_t bus_ratio;
    uint64_t tsc_hz;
};

/**
 * vpmu_x86_config_check() - tell whether a PMU with this configuration can exist
 * @config: the configuration. Every field is checked.
 * @why: is set to the reason if the configuration is refused; may be NULL.
 *
 * Return: 0, or -VPMU_ERR_CONFIG.
 */
int vpmu_x86_config_check(const struct vpmu_x86_config *config, const char **why);

VPMU_DECLS_END

#endif
