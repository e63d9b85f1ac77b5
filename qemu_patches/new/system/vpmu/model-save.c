/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Models of caches, TLBs and branch prediction are not part of a saved state
 */

#include "qemu/osdep.h"
#include "qemu/error-report.h"
#include "system/replay.h"
#include "system/vpmu_model.h"

bool vpmu_model_may_save(CPUState *cs, bool warm)
{
    if (replay_mode == REPLAY_MODE_NONE || !warm) {
        return true;
    }
    error_report("PMU of CPU %d: a replay from this snapshot would count other "
                 "events, because models are not saved; take the snapshot "
                 "before events of caches, TLBs or branch prediction are "
                 "counted, or use 'pmu-cycles=clock' and do not count them",
                 cs->cpu_index);
    return false;
}
