/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#ifndef VPMU_ARM_CONFIG_H
#define VPMU_ARM_CONFIG_H

#include <stdbool.h>
#include <stdint.h>

#include "vpmu/arm/events.h"
#include "vpmu/arm/fields.h"
#include "vpmu/decls.h"

VPMU_DECLS_BEGIN

/* Versions, encoded as ID_AA64DFR0_EL1.PMUVer (Arm ARM D24.2). */
enum vpmu_version {
    VPMU_V3 = 1,
    VPMU_V3P1 = 4,
    VPMU_V3P4 = 5,
    VPMU_V3P5 = 6,
    VPMU_V3P7 = 7,
    VPMU_V3P8 = 8,
    VPMU_V3P9 = 9,
};

/* What the PE has besides Non-secure EL0 and EL1, and the PMU's optional features. */
enum vpmu_pe_feature {
    VPMU_HAS_EL2 = 1 << 0,
    VPMU_HAS_EL3 = 1 << 1,
    /* FEAT_SEL2; needs EL2 and EL3. */
    VPMU_HAS_SECURE_EL2 = 1 << 2,
    /* FEAT_RME: Realm and Root states; needs EL2 and EL3. */
    VPMU_HAS_REALM = 1 << 3,
    /* The highest exception level is AArch32: MDCR_EL3 is SDCR, and MDCR_EL2 is HDCR. */
    VPMU_HAS_NO_AARCH64 = 1 << 4,
    /* No exception level can use AArch32: PMCR.LC is fixed to 1 and PMCR.D to 0. */
    VPMU_HAS_NO_AARCH32 = 1 << 5,
    /* FEAT_PMUv3_ICNTR: PMICNTR_EL0 and PMICFILTR_EL0; needs PMUv3p9. */
    VPMU_HAS_ICNTR = 1 << 6,
    /* FEAT_SPEv1p2: PMCR.FZS and MDCR_EL2.HPMFZS; needs PMUv3p7. */
    VPMU_HAS_SPE = 1 << 7,
    /* FEAT_PMUv3_EDGE: PMEVTYPER.TE; needs thresholds. */
    VPMU_HAS_EDGE = 1 << 8,
    /* FEAT_PMUv3_TH2: PMEVTYPER.TLC links pairs of counters; needs FEAT_PMUv3_EDGE. */
    VPMU_HAS_TH2 = 1 << 9,
    VPMU_HAS_ALL = (1 << 10) - 1,
};

/**
 * struct vpmu_arm_config - what a PMU is built as; constant for the PMU's lifetime
 * @version: enum vpmu_version.
 * @counters: the number of event counters, 0 to 31 (PMCR.N).
 * @features: a mask of enum vpmu_pe_feature.
 * @imp: PMCR.IMP, the implementer's code. Must be 0 from PMUv3p7 on.
 * @idcode: PMCR.IDCODE. Must be 0 if @imp is 0.
 * @slots: PMMIR.SLOTS, operations per cycle; 0 if not stated. Needs PMUv3p4.
 * @threshold_width: PMMIR.THWIDTH, the number of bits of PMEVTYPER.TH: 0 (no FEAT_PMUv3_TH) to 12.
 *     A width above 0 needs PMUv3p8, AArch64, and sources from which single cycles can be derived:
 *     INST_RETIRED, and CPU_CYCLES that is not in @timed.
 * @sources: a mask of VPMU_SRC_BIT(): what the machine counts. PMCEID follows from it.
 * @timed: the sources that advance with time, whatever the PE executes. The library calls
 *     struct vpmu_now for them. Allowed are VPMU_SRC_CPU_CYCLES and VPMU_SRC_CNT_CYCLES.
 * @cycle_units: by how much the total of VPMU_SRC_CPU_CYCLES increases in a cycle: 1, or up to 8 if
 *     the machine tallies the issue slots of a modelled pipeline instead of reading a clock.
 * @core: enum vpmu_core: whose implementation defined events the PMU has. It is not saved.
 * @samples: the PE has FEAT_SPE, whose events the PMU counts: SAMPLE_POP and others. It is not
 *     saved. False for Cortex-A8 and Cortex-A9.
 */
struct vpmu_arm_config {
    uint8_t version;
    uint8_t counters;
    uint16_t features;
    uint8_t imp;
    uint8_t idcode;
    uint8_t slots;
    uint8_t threshold_width;
    vpmu_sources sources;
    vpmu_sources timed;
    uint8_t cycle_units;
    uint8_t core;
    bool samples;
};

VPMU_STATIC_ASSERT((uint16_t)VPMU_HAS_ALL == VPMU_HAS_ALL,
                   "all features fit in vpmu_config.features");

/**
 * vpmu_arm_config_check() - tell whether a PMU with this configuration can exist
 * @config: the configuration. Every field is checked.
 * @why: is set to the reason if the configuration is refused; may be NULL.
 *
 * Return: 0, or -VPMU_ERR_CONFIG.
 */
int vpmu_arm_config_check(const struct vpmu_arm_config *config, const char **why);

VPMU_DECLS_END

#endif
