/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The machine stands still while the reader of its samples is slow
 *
 * A CPU whose ring is half full stops itself before its next instruction.  The
 * main thread then stops all others, and the clock, until the writer has
 * emptied the rings.  It decides anew whenever a CPU stops, the writer has done
 * something, or the recording ends, so that nothing has to be told twice, and
 * somebody else may stop the machine or let it go on meanwhile.  The other
 * half of a ring is for what is sampled after all.
 */

#include "qemu/osdep.h"
#include "qemu/main-loop.h"
#include "system/cpu-timers.h"
#include "system/cpus.h"
#include "system/runstate.h"
#include "system/vpmu_sample.h"

void vpmu_record_wait(VPMUObservedCPU *on)
{
    if (on->base.record->when_full == VPMU_RECORD_FULL_WAIT) {
        cpu_stop_current();
        qemu_bh_schedule(on->base.record->hold);
    }
}

/* Going on is worth it when more than a half of what held it is gone. */
static bool record_is_full(VPMURecord *r)
{
    for (unsigned int i = 0; i < r->cpus->len; i++) {
        VPMUObservedCPU *on = container_of(r->cpus->pdata[i],
                                           VPMUObservedCPU, base);

        if (qatomic_read(&on->head) - qatomic_read(&on->tail) > r->size / 4) {
            return true;
        }
    }
    return false;
}

void vpmu_record_hold(void *opaque)
{
    VPMURecord *r = opaque;

    if (r->when_full != VPMU_RECORD_FULL_WAIT) {
        return;
    }
    if (r->state == VPMU_RECORD_STATE_ACTIVE && record_is_full(r)) {
        qatomic_set(&r->held, true);
        cpu_disable_ticks();
        pause_all_vcpus();
        return;
    }
    qatomic_set(&r->held, false);
    if (runstate_is_running()) {
        cpu_enable_ticks();
        resume_all_vcpus();
    }
}
