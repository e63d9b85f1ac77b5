/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* Checks whether a configuration can exist, and says why not. */
#include "../refuse.h"
#include "x86_internal.h"

#define CYCLES VPMU_SRC_BIT(VPMU_X86_SRC_CYCLES)
#define REF_CYCLES VPMU_SRC_BIT(VPMU_X86_SRC_REF_CYCLES)
#define INST VPMU_SRC_BIT(VPMU_X86_SRC_INST)
#define INTEL_FEATURES (VPMU_X86_HAS_PDCM | VPMU_X86_HAS_FULL_WIDTH | VPMU_X86_HAS_METRICS)

/* A clock cannot tell which events belong to which cycle. */
bool vpmu_x86_cycle_by_cycle_(const struct vpmu_x86_config *config)
{
    return !(config->timed & CYCLES) && (config->sources & INST);
}

static bool can_have_metrics(const struct vpmu_x86_config *config)
{
    return (config->features & VPMU_X86_HAS_PDCM) && !(VPMU_X86_LOST & ~config->sources) &&
           vpmu_x86_event_sources(config, VPMU_X86_SLOTS_P);
}

static const char *find_fault_in_intel(const struct vpmu_x86_config *config)
{
    if (config->version < 1 || config->version > 5) {
        return "no such version of Intel's performance monitoring; there are 1 to 5";
    }
    if (config->counters < 1 || config->counters > 8) {
        return "Intel's general counters are out of range; there can be 1 to 8";
    }
    if (config->fixed > (config->version > 1 ? VPMU_X86_MAX_FIXED : 0)) {
        return "Intel's fixed counters are out of range; there can be 0 to 4, none in version 1";
    }
    if (config->width < 32 || config->width > 48) {
        return "the width of Intel's counters is out of range; it can be 32 to 48";
    }
    if (config->features & ~INTEL_FEATURES) {
        return "features that Intel's performance monitoring does not have";
    }
    if ((config->features & VPMU_X86_HAS_FULL_WIDTH) && !(config->features & VPMU_X86_HAS_PDCM)) {
        return "full-width writes need PDCM: PERF_CAPABILITIES announces them";
    }
    if (vpmu_x86_has_metrics_(config) != (config->fixed > 3)) {
        return "PERF_METRICS and a fourth fixed counter, which counts slots, come together";
    }
    if (vpmu_x86_has_metrics_(config) && !can_have_metrics(config)) {
        return "PERF_METRICS needs PDCM, a family that has the event TOPDOWN.SLOTS_P, and a "
               "machine "
               "that tallies slots";
    }
    if (config->pebs > VPMU_X86_PEBS_BASELINE) {
        return "no such format of PEBS records; there are 1 to 4, 0 is no PEBS";
    }
    if (config->pebs && !vpmu_x86_has_baseline_(config) && vpmu_x86_has_metrics_(config)) {
        return "CPUs with PERF_METRICS have later formats of PEBS records than 3";
    }
    if (vpmu_x86_has_baseline_(config) && config->version < 5) {
        return "PEBS records of format 4 need version 5: up to version 4, software enables load "
               "latencies with the bits of fixed counters";
    }
    if (config->pebs && (config->version < 2 || !(config->features & VPMU_X86_HAS_PDCM))) {
        return "PEBS needs version 2 and PDCM: GLOBAL_STATUS and PERF_CAPABILITIES show it";
    }
    return NULL;
}

static const char *find_fault_in_amd(const struct vpmu_x86_config *config)
{
    unsigned most = config->version == VPMU_X86_AMD_V2 ? VPMU_X86_MAX_COUNTERS : 6;

    if (config->version < VPMU_X86_AMD_K7 || config->version > VPMU_X86_AMD_V2) {
        return "no such version of AMD's counters; known are those of enum vpmu_x86_amd";
    }
    if (config->version == VPMU_X86_AMD_K7 && config->counters != 4) {
        return "AMD's K7 counters are always 4";
    }
    if (config->version > VPMU_X86_AMD_K7 && (config->counters < 6 || config->counters > most)) {
        return "AMD's core counters are out of range; there are 6, with PerfMonV2 6 to 15";
    }
    if (config->pebs) {
        return "AMD has no PEBS";
    }
    if (config->fixed) {
        return "AMD has no fixed counters";
    }
    if (config->width != 48) {
        return "AMD's counters have 48 bits";
    }
    return config->features & ~VPMU_X86_HAS_SVM ? "features that AMD's counters do not have" : NULL;
}

static bool is_of_vendor(const struct vpmu_x86_config *config)
{
    bool zen = config->family >= VPMU_X86_ZEN1;

    return config->family == VPMU_X86_GENERIC ||
           (config->family < VPMU_X86_FAMILY_COUNT && zen == !vpmu_x86_is_intel_(config));
}

static const char *find_fault(const struct vpmu_x86_config *config)
{
    if (config->vendor > VPMU_X86_AMD) {
        return "no such vendor; known are those of enum vpmu_x86_vendor";
    }
    if (!is_of_vendor(config)) {
        return "the vendor has no such family; known are those of enum vpmu_x86_family";
    }
    if (config->sources & ~VPMU_X86_SRC_ALL) {
        return "unknown event sources; known are those of enum vpmu_x86_source";
    }
    if (!(config->sources & CYCLES)) {
        return "a PMU counts cycles: the machine must supply them";
    }
    if (config->timed & ~(config->sources & (CYCLES | REF_CYCLES))) {
        return "only cycles can be timed, and only those that are among the sources";
    }
    if (config->cycle_units < 1 || config->cycle_units > VPMU_MAX_CYCLE_UNITS) {
        return "the units of a cycle are out of range; there can be 1 to 8";
    }
    if (config->cycle_units > 1 && (config->timed & CYCLES)) {
        return "cycles that are timed have one unit each";
    }
    if (config->detector && !config->tsc_hz) {
        return "a lockup detector's counter needs the rate of reference cycles";
    }
    if (config->detector && !(config->sources & REF_CYCLES)) {
        return "a lockup detector's counter needs a machine that counts reference cycles";
    }
    if ((config->fixed > 0 && !(config->sources & INST)) ||
        (config->fixed > 2 && !(config->sources & REF_CYCLES))) {
        return "a fixed counter needs a machine that counts its event";
    }
    return vpmu_x86_is_intel_(config) ? find_fault_in_intel(config) : find_fault_in_amd(config);
}

int vpmu_x86_config_check(const struct vpmu_x86_config *config, const char **why)
{
    return vpmu_refuse_(find_fault(config), VPMU_ERR_CONFIG, why);
}
