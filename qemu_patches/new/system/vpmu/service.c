/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The place that acts on what is due after calls of the vpmu library
 */

#include "qemu/osdep.h"
#include "system/vpmu_service.h"
#include "system/vpmu_target.h"

/* Samples belong to the place where the CPU is, so they come first. */
static void take_samples(CPUState *cs, bool in_insn)
{
    struct vpmu_count *count = vpmu_target->acts->count(cs);
    struct vpmu_sample sample;

    while (vpmu_sample_next(count, &sample)) {
        if (!vpmu_target->acts->sampled ||
            !vpmu_target->acts->sampled(cs, &sample)) {
            vpmu_record_sample(&sample, in_insn);
        }
    }
}

static void arm(CPUState *cs)
{
    VPMULimits *limits = vpmu_target->acts->limits(cs);

    vpmu_target->acts->arm(cs);
    vpmu_limits_update(limits);
    vpmu_limits_update_timer(limits);
}

void pmu_serve(CPUState *cs, int due)
{
    if (due & VPMU_DUE_SAMPLES) {
        take_samples(cs, due & PMU_IN_INSN);
    }
    if (due & VPMU_DUE_SPANS) {
        vpmu_target->acts->spans(cs);
    }
    if (due & VPMU_DUE_IRQ) {
        vpmu_target->acts->interrupt(cs);
    }
    if (due & VPMU_DUE_REARM) {
        arm(cs);
    }
}
