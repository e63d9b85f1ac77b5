/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#ifndef VPMU_WATCH_H
#define VPMU_WATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "vpmu/blackout.h"
#include "vpmu/observer.h"
#include "vpmu/pmu.h"

/*
 * A view of a PE from outside of the machine: who runs, and who counts. It serves observer counters
 * and the blackout meter. A PMU without one pays nothing for it.
 *
 * Who counts. The kernel of a host starts and stops counters; a hypervisor's switch changes that
 * again around the guest. What the kernel left is remembered, so the difference is the switch's
 * doing. On an nVHE host, whatever is written at EL2 is the switch's. A VHE host's kernel is at EL2
 * itself; there the switch is changing the filter of a counter that is enabled.
 */

/**
 * struct vpmu_watch - the watch on one PE
 * @now: nanoseconds since some fixed moment. Monotone. Called with vpmu.opaque.
 * @world: who runs.
 *
 * The rest is private. The caller owns the memory.
 */
struct vpmu_watch {
    uint64_t (*now)(void *opaque);
    uint8_t world;
    bool vhe;           /* the kernel of the last host that ran is at EL2 */
    bool host_known;    /* @host is */
    uint16_t dark;      /* contexts in which the switch has stopped counters of the host */
    uint16_t given;     /* those in which counters count that the switch started */
    uint16_t unstopped; /* those in which counters count that it has stopped elsewhere */
    struct vpmu_blackout *blackout;
    struct vpmu_regs host; /* as the host's kernel left them */
    struct vpmu_controls host_controls;
};

/**
 * vpmu_watch_attach() - begin to watch
 * @w: memory for it, of any content. It stays the caller's.
 * @now: see struct vpmu_watch.
 * @world: who runs.
 */
void vpmu_watch_attach(struct vpmu *v, struct vpmu_watch *w, uint64_t (*now)(void *opaque),
                       enum vpmu_world world);

/* Observers and the meter, if any, end as well. Calls vpmu_ops.rearm. */
void vpmu_watch_detach(struct vpmu *v);

/**
 * vpmu_watch_times() - has an observer a period, and one a timed source?
 *
 * If so a change of who runs, like one of context, changes vpmu_deadline().
 */
static inline bool vpmu_watch_times(const struct vpmu *v)
{
    return v->count.sampling && v->count.observes_time;
}

/**
 * vpmu_watch_world() - who runs, from the registers that decide it
 * @el: exception level.
 * @hcr_el2: HCR_EL2 as it takes effect; 0 where EL2 is not enabled.
 * @vttbr_el2: VTTBR_EL2.
 *
 * A guest is what runs below EL2 under a stage 2 translation with a VMID that is not 0: Linux has
 * VMID 0 for the host itself in protected mode, and nowhere else.
 */
enum vpmu_world vpmu_watch_world(const struct vpmu_watch *w, unsigned el, uint64_t hcr_el2,
                                 uint64_t vttbr_el2);

/**
 * vpmu_watch_moved() - the PE changes context, or who runs; in place of vpmu_set_context()
 * @ctx: vpmu_ctx() of where it goes.
 * @world: who runs there.
 * @reason: enum vpmu_exit_reason, if a guest stops running; any other number is 0, "unknown".
 *
 * Without a watch it is vpmu_set_context(). Must be called at every change of exception level while
 * a watch is attached, and before vpmu_reset() or vpmu_state_load() where these go with one. An
 * observer's period that has ended is that of the context that is left: vpmu_settle() or
 * vpmu_sample() comes first where a headroom is used up, but for what time did.
 */
void vpmu_watch_moved(struct vpmu *v, unsigned ctx, enum vpmu_world world, unsigned reason);

/**
 * vpmu_blackout_start() - begin to measure
 * @b: memory for it, of any content.
 *
 * Until the host's kernel has run nothing is measured: only then is it known that the switch has
 * changed nothing. On a VHE host that is when EL0 runs or no counter is enabled. Observers'
 * gates are closed until then as well. Calls vpmu_ops.rearm.
 *
 * Return: 0, or -VPMU_ERR_WATCH if @v has no watch; nothing is changed then.
 */
int vpmu_blackout_start(struct vpmu *v, struct vpmu_blackout *b);

/* Stops measuring, if anything is; what was measured stays in the caller's memory. */
void vpmu_blackout_stop(struct vpmu *v);

#endif
