/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#ifndef VPMU_ARM_WATCH_H
#define VPMU_ARM_WATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "vpmu/arm/blackout.h"
#include "vpmu/arm/observer.h"
#include "vpmu/arm/pmu.h"
#include "vpmu/decls.h"

VPMU_DECLS_BEGIN

/*
 * A watch observes a PE from outside the machine: who runs and who counts. Observers and the
 * blackout meter need it. A PMU without a watch has no cost from it.
 *
 * Who counts: the host's kernel starts and stops counters, and a hypervisor's switch changes this
 * around the guest. The watch keeps the kernel's setting, so the difference is what the switch did.
 * On an nVHE host, everything written at EL2 is written by the switch. The kernel of a VHE host
 * runs at EL2 itself; there the switch is a change of the filter of an enabled counter.
 */

/**
 * struct vpmu_watch - the watch on one PE
 * @world: enum vpmu_world: who runs.
 *
 * All other fields are private. The caller owns the memory.
 */
struct vpmu_watch {
    uint8_t world;
    bool vhe;           /* the kernel of the host that ran last is at EL2 */
    bool host_known;    /* @host is valid */
    uint16_t stopped;   /* contexts in which the switch has stopped host counters */
    uint16_t started;   /* contexts in which counters count that the switch has started */
    uint16_t remaining; /* contexts in which counters count that it has stopped in others */
    struct vpmu_blackout *blackout;
    struct vpmu_arm_regs host; /* the registers as the host's kernel set them */
    struct vpmu_arm_controls host_controls;
};

/**
 * vpmu_arm_watch_attach() - start to watch a PE
 * @v: the PMU of the PE. It must not have a watch.
 * @w: memory for the watch, of any content. It must stay at its address until
 * vpmu_arm_watch_detach().
 * @world: who runs now.
 */
void vpmu_arm_watch_attach(struct vpmu_arm *v, struct vpmu_watch *w, enum vpmu_world world);

/**
 * vpmu_arm_watch_detach() - stop watching a PE
 * @v: the PMU, with or without a watch.
 *
 * All observers and the blackout meter stop.
 *
 * Return: a mask of enum vpmu_due.
 */
int vpmu_arm_watch_detach(struct vpmu_arm *v);

/**
 * vpmu_arm_watch_times() - tell whether one observer has a period and one counts a timed source
 *
 * If so, a change of who runs changes vpmu_arm_deadline(), as a change of context does.
 *
 * Return: true if there are such observers.
 */
static inline bool vpmu_arm_watch_times(const struct vpmu_arm *v)
{
    return v->count.sampling && v->count.observes_time;
}

/**
 * vpmu_arm_watch_world() - who runs, according to the registers that decide it
 * @w: the watch.
 * @el: the exception level, 0 to 3.
 * @hcr_el2: HCR_EL2 as it takes effect; 0 if EL2 is not enabled.
 * @vttbr_el2: VTTBR_EL2.
 *
 * A guest is what runs below EL2 under stage 2 translation with a VMID that is not 0. Linux uses
 * VMID 0 for the host itself in protected mode, and for nothing else.
 *
 * Return: who runs. At EL3, who ran before.
 */
enum vpmu_world vpmu_arm_watch_world(const struct vpmu_watch *w, unsigned el, uint64_t hcr_el2,
                                     uint64_t vttbr_el2);

/**
 * vpmu_arm_watch_moved() - the PE changes context or who runs; replaces vpmu_arm_set_context()
 * @v: the PMU. Without a watch the call is vpmu_arm_set_context().
 * @ctx: the new context: vpmu_arm_ctx().
 * @world: who runs there.
 * @reason: if a guest stops running, enum vpmu_exit_reason. Any other number is taken as 0,
 *     "unknown".
 * @now: what the clocks show; NULL unless vpmu_arm_leaving_needs_time().
 *
 * While a watch is attached, the machine calls it at each change of exception level, and before
 * vpmu_arm_reset() or vpmu_arm_state_load() if the context changes with these. An observer's period
 * that has ended belongs to the context that is left: see vpmu_sample.ctx. A machine whose
 * registers already show the new context calls vpmu_arm_sample() before they do.
 *
 * Return: a mask of enum vpmu_due.
 */
int vpmu_arm_watch_moved(struct vpmu_arm *v, unsigned ctx, enum vpmu_world world, unsigned reason,
                         const struct vpmu_now *now);

/**
 * vpmu_arm_blackout_start() - start the blackout meter
 * @v: a PMU with a watch.
 * @b: memory for the meter, of any content. It must stay at its address until
 * vpmu_arm_blackout_stop() or vpmu_arm_watch_detach().
 * @now: what the clocks show.
 *
 * Measuring begins when the host's kernel has run, because only then the switch is known to have
 * changed nothing. On a VHE host, this is when EL0 runs or no counter is enabled. Until then, the
 * gates of observers are closed.
 *
 * Return: a mask of enum vpmu_due, or -VPMU_ERR_WATCH if @v has no watch; nothing changes then.
 */
int vpmu_arm_blackout_start(struct vpmu_arm *v, struct vpmu_blackout *b,
                            const struct vpmu_now *now);

/**
 * vpmu_arm_blackout_stop() - stop the blackout meter, if it runs
 * @v: the PMU, with or without a watch.
 *
 * The results stay in struct vpmu_blackout.
 *
 * Return: a mask of enum vpmu_due.
 */
int vpmu_arm_blackout_stop(struct vpmu_arm *v);

VPMU_DECLS_END

#endif
