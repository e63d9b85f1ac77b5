/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is due after calls of the vpmu library
 *
 * The library never calls QEMU: its functions return what is due.  Whoever
 * calls it passes that on to pmu_service(), which acts on it for all targets.
 */

#ifndef SYSTEM_VPMU_SERVICE_H
#define SYSTEM_VPMU_SERVICE_H

#include "hw/core/cpu.h"
#include "system/vpmu_limit.h"
#include "vpmu/count.h"

/*
 * Besides enum vpmu_due: an access to a register, which has been counted, is
 * being executed.  The PC is still that of the access.
 */
#define PMU_IN_INSN (1 << 16)

/* How a target acts.  Called on the thread of the CPU. */
typedef struct VPMUActs {
    struct vpmu_count *(*count)(CPUState *cs);
    VPMULimits *(*limits)(CPUState *cs);
    /* Takes a sample of the target's own observers; false if it is not one. */
    bool (*sampled)(CPUState *cs, const struct vpmu_sample *sample);
    /* Drives the interrupt line, or delivers an interrupt. */
    void (*interrupt)(CPUState *cs);
    /* Finds what blocks must tally, and sets their flags. */
    void (*arm)(CPUState *cs);
    /* Records spans of the meter.  NULL if the target has no meter. */
    void (*spans)(CPUState *cs);
} VPMUActs;

void pmu_serve(CPUState *cs, int due);

/*
 * Acts on what is due: samples, the interrupt, armed events, flags of blocks,
 * limits and the timer, in this order.  @due may be a union of several results.
 * A negative one is an error, after which nothing is due.
 */
static inline void pmu_service(CPUState *cs, int due)
{
    if (unlikely(due > 0)) {
        pmu_serve(cs, due);
    }
}

#endif
