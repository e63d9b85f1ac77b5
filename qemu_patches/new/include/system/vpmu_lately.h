/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What counters have wanted lately goes on to be tallied
 *
 * Software may count many things by turns, or only what one of its tasks does.
 * If blocks tallied no more than what is counted, there would be a translation
 * of each for each set of events, and with each change of tasks blocks would
 * have to be looked up that the CPU has just executed.  Models are not for
 * this: what they say depends on what they were told before.
 */

#ifndef SYSTEM_VPMU_LATELY_H
#define SYSTEM_VPMU_LATELY_H

#include "hw/core/cpu.h"
#include "qemu/timer.h"

/* Events, as the target's blocks have them, and a mask of its contexts. */
typedef struct VPMUTallied {
    uint32_t events;
    uint32_t contexts;
} VPMUTallied;

typedef struct VPMULately {
    VPMUTallied now;
    VPMUTallied recently;
    VPMUTallied lately;
    CPUState *cs;
    /* It fires when something may be forgotten. */
    QEMUTimer *timer;
    /* Something has been. */
    void (*forgotten)(CPUState *cs);
} VPMULately;

/* Of a CPU, whose thread calls @forgotten when less may have to be tallied. */
void vpmu_lately_init(VPMULately *s, CPUState *cs,
                      void (*forgotten)(CPUState *cs));
void vpmu_lately_free(VPMULately *s);

/* Counters want @now; returns what is to be tallied. */
VPMUTallied vpmu_lately(VPMULately *s, VPMUTallied now);

#endif
