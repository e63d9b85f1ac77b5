/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#include "vpmu/arm/config.h"

#include "../refuse.h"
#include "arm_internal.h"
#include "vpmu/errors.h"

#define MAX_THRESHOLD_WIDTH 12
#define CPU_CYCLES VPMU_SRC_BIT(VPMU_SRC_CPU_CYCLES)
#define CNT_CYCLES VPMU_SRC_BIT(VPMU_SRC_CNT_CYCLES)

static bool has(const struct vpmu_arm_config *config, unsigned feature)
{
    return (config->features & feature) != 0;
}

static bool version_exists(unsigned version)
{
    static const uint8_t versions[] = {VPMU_V3,   VPMU_V3P1, VPMU_V3P4, VPMU_V3P5,
                                       VPMU_V3P7, VPMU_V3P8, VPMU_V3P9};

    for (size_t i = 0; i < sizeof(versions); i++) {
        if (versions[i] == version) {
            return true;
        }
    }
    return false;
}

/* A clock cannot tell which events belong to which cycle. */
static bool counts_cycle_by_cycle(const struct vpmu_arm_config *config)
{
    return !(config->timed & CPU_CYCLES) && (config->sources & VPMU_SRC_BIT(VPMU_SRC_INST_RETIRED));
}

static const char *find_fault_in_thresholds(const struct vpmu_arm_config *config)
{
    if (config->threshold_width && has(config, VPMU_HAS_NO_AARCH64)) {
        return "thresholds need AArch64";
    }
    if (has(config, VPMU_HAS_EDGE) && !config->threshold_width) {
        return "counting edges needs thresholds";
    }
    if (has(config, VPMU_HAS_TH2) && !has(config, VPMU_HAS_EDGE)) {
        return "linked counters need the counting of edges";
    }
    return NULL;
}

static const char *find_fault_in_features(const struct vpmu_arm_config *config)
{
    bool el2_and_el3 = has(config, VPMU_HAS_EL2) && has(config, VPMU_HAS_EL3);

    if (config->features & ~VPMU_HAS_ALL) {
        return "unknown feature bits; known are those of enum vpmu_pe_feature";
    }
    if (has(config, VPMU_HAS_SECURE_EL2) && !el2_and_el3) {
        return "Secure EL2 needs EL2 and EL3";
    }
    if (has(config, VPMU_HAS_REALM) && !el2_and_el3) {
        return "Realm state needs EL2 and EL3";
    }
    if (has(config, VPMU_HAS_NO_AARCH64) && has(config, VPMU_HAS_NO_AARCH32)) {
        return "a PE must have AArch64 or AArch32, or both";
    }
    if (has(config, VPMU_HAS_NO_AARCH64) &&
        (config->features & (VPMU_HAS_SECURE_EL2 | VPMU_HAS_REALM | VPMU_HAS_SPE))) {
        return "Secure EL2, Realm state and SPE need AArch64";
    }
    if (has(config, VPMU_HAS_ICNTR) && config->version < VPMU_V3P9) {
        return "the fixed instruction counter needs PMUv3p9";
    }
    if (has(config, VPMU_HAS_ICNTR) && has(config, VPMU_HAS_NO_AARCH64)) {
        return "the fixed instruction counter needs AArch64";
    }
    if (has(config, VPMU_HAS_SPE) && config->version < VPMU_V3P7) {
        return "freezing on a stop of SPE needs PMUv3p7 or later";
    }
    return find_fault_in_thresholds(config);
}

static const char *find_fault(const struct vpmu_arm_config *config)
{
    if (!version_exists(config->version)) {
        return "no such PMU version; there are v3, v3p1, v3p4, v3p5, v3p7, v3p8 and v3p9";
    }
    if (config->counters > VPMU_MAX_EVENT_COUNTERS) {
        return "too many event counters; there can be 0 to 31";
    }
    if (config->sources & ~VPMU_SRC_ALL) {
        return "unknown event sources; known are those of enum vpmu_arm_source";
    }
    if (!(config->sources & CPU_CYCLES)) {
        return "a PMU has a cycle counter: the machine must supply cycles";
    }
    if (config->timed & ~(config->sources & (CPU_CYCLES | CNT_CYCLES))) {
        return "only cycles can be timed, and only those that are among the sources";
    }
    if (config->cycle_units < 1 || config->cycle_units > VPMU_MAX_CYCLE_UNITS) {
        return "the units of a cycle are out of range; there can be 1 to 8";
    }
    if (config->cycle_units > 1 && (config->timed & CPU_CYCLES)) {
        return "cycles that are timed have one unit each";
    }
    if (has(config, VPMU_HAS_ICNTR) && !(config->sources & VPMU_SRC_BIT(VPMU_SRC_INST_RETIRED))) {
        return "the fixed instruction counter needs a machine that counts instructions";
    }
    if (config->imp && config->version >= VPMU_V3P7) {
        return "PMCR.IMP is 0 from PMUv3p7 on";
    }
    if (config->idcode && !config->imp) {
        return "PMCR.IDCODE is 0 if PMCR.IMP is 0";
    }
    if (config->slots && config->version < VPMU_V3P4) {
        return "PMMIR.SLOTS needs PMUv3p4 or later";
    }
    if (config->threshold_width > MAX_THRESHOLD_WIDTH) {
        return "the threshold is too wide; it can have 0 to 12 bits";
    }
    if (config->threshold_width && config->version < VPMU_V3P8) {
        return "thresholds need PMUv3p8 or later";
    }
    if (config->threshold_width && !counts_cycle_by_cycle(config)) {
        return "thresholds need a machine that counts events cycle by cycle: a modelled pipeline";
    }
    if (config->core >= VPMU_CORE_COUNT) {
        return "unknown core; known are those of enum vpmu_core";
    }
    return find_fault_in_features(config);
}

int vpmu_arm_config_check(const struct vpmu_arm_config *config, const char **why)
{
    return vpmu_refuse_(find_fault(config), VPMU_ERR_CONFIG, why);
}
