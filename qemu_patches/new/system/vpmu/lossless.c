/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The ring of a CPU, and recording without loss: the machine stops while the
 * reader of samples is slow
 *
 * A CPU whose ring is half full stops itself before its next instruction.  The
 * main thread then stops all other CPUs and the clock until the writer has
 * emptied the rings.  It decides again whenever a CPU stops, the writer has
 * written something, or the recording ends.  No state is carried from one
 * decision to the next, so a user may stop or resume the machine meanwhile.
 * The second half of a ring is reserved for samples that arrive if a user
 * resumes the machine.
 */

#include "qemu/osdep.h"
#include "qemu/main-loop.h"
#include "system/cpu-timers.h"
#include "system/cpus.h"
#include "system/runstate.h"
#include "system/vpmu_sample.h"

static void wait_for_reader(VPMUObservedCPU *on)
{
    if (on->base.record->when_full == VPMU_RECORD_FULL_WAIT) {
        cpu_stop_current();
        qemu_bh_schedule(on->base.record->hold);
    }
}

bool vpmu_ring_put(VPMUObservedCPU *on, const void *data, size_t len)
{
    size_t size = on->base.record->size;
    size_t used = on->head - qatomic_load_acquire(&on->tail);
    size_t at = on->head & (size - 1);
    size_t first = MIN(len, size - at);

    if (len > size - used) {
        return false;
    }
    memcpy(on->ring + at, data, first);
    memcpy(on->ring, (const uint8_t *)data + first, len - first);
    qatomic_store_release(&on->head, on->head + len);
    if (used + len > size / 2) {
        wait_for_reader(on);
        vpmu_record_kick(on->base.record);
    }
    return true;
}

/*
 * A ring is half full when it stops the machine.  The machine continues at a
 * quarter, so that it does not stop and start for each record.
 */
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
