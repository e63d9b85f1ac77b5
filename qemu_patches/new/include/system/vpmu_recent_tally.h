/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Events stay tallied for a while after their last counter stops
 *
 * Each set of tallied events needs its own translation of the code that runs.
 * Software may count many events by turns, or count only one of its tasks.  If
 * blocks tallied exactly what is counted at the moment, each turn and each task
 * switch would translate the code again, or look up other blocks.  Events of
 * the models are excluded: what a model says depends on what it has seen.
 *
 * While nothing is counted, nothing is tallied, unless counting resumes often.
 * Most code has been translated without events before they were counted, and
 * after a measurement there may be no other.
 */

#ifndef SYSTEM_VPMU_RECENT_TALLY_H
#define SYSTEM_VPMU_RECENT_TALLY_H

#include "hw/core/cpu.h"
#include "qemu/timer.h"

/* A mask of events, as in the flags of the target's blocks, and of contexts. */
typedef struct VPMUTallied {
    uint32_t events;
    uint32_t contexts;
} VPMUTallied;

typedef struct VPMURecentTally {
    /* What counters need now. */
    VPMUTallied now;
    /* What they needed since the last tick, and since the tick before it. */
    VPMUTallied since_tick;
    VPMUTallied recent;
    /* How often counting has resumed since the tick; whether it does often. */
    unsigned int returns;
    bool often;
    CPUState *cs;
    /* Pending while @recent has more than @now. */
    QEMUTimer *timer;
    /* Called after the timer has removed events or contexts from @recent. */
    void (*forgotten)(CPUState *cs);
} VPMURecentTally;

/*
 * Initializes @s for CPU @cs.  The CPU's thread calls @forgotten when fewer
 * events may have to be tallied.
 */
void vpmu_recent_tally_init(VPMURecentTally *s, CPUState *cs,
                            void (*forgotten)(CPUState *cs));
void vpmu_recent_tally_free(VPMURecentTally *s);

/*
 * Called when counters need @now.  Returns what blocks have to tally: @now, and
 * what counters needed during the last one to two seconds.  If counters need
 * nothing, blocks tally that only if counting has resumed often.
 */
VPMUTallied vpmu_recent_tally(VPMURecentTally *s, VPMUTallied now);

#endif
