/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How far a CPU may execute before counters of its PMU must be settled: which
 * limits are valid, and deadlines
 */

#include "qemu/osdep.h"
#include "system/vpmu_limit.h"

static void timer_work(CPUState *cs, run_on_cpu_data data)
{
    VPMULimits *l = data.host_ptr;

    l->ops->settle(cs, true);
    vpmu_limits_update(l);
    vpmu_limits_update_timer(l);
}

static void timer_fires(void *opaque)
{
    VPMULimits *l = opaque;

    if (vpmu_limits_time_due(l)) {
        /* Only the vCPU's thread may change counters, between blocks. */
        async_run_on_cpu(l->cs, timer_work, RUN_ON_CPU_HOST_PTR(l));
    } else if (l->deadline != INT64_MAX) {
        timer_mod(l->timer, l->deadline);
    }
}

void vpmu_limits_init(VPMULimits *l, const VPMULimitOps *ops, CPUState *cs,
                      const struct vpmu_count *count)
{
    *l = (VPMULimits) {
        .ops = ops,
        .cs = cs,
        .count = count,
        .deadline = INT64_MAX,
        .timer = timer_new_ns(QEMU_CLOCK_VIRTUAL, timer_fires, l),
    };
}

/*
 * If a counter counts in some contexts only, its deadline disappears or moves
 * back at every change of context.  The timer is kept in that case: to fire too
 * early costs less than to be set so often.
 */
void vpmu_limits_update_timer(VPMULimits *l)
{
    l->deadline = l->ops->deadline(l->cs);
    if (l->deadline != INT64_MAX &&
        (!timer_pending(l->timer) ||
         timer_expire_time_ns(l->timer) > l->deadline)) {
        timer_mod(l->timer, l->deadline);
    }
}

void vpmu_limits_find(VPMULimits *l)
{
    uint32_t bit = 1u << l->count->ctx;

    l->shared = l->ops->find(l->cs) ? l->shared | bit : 0;
}

void vpmu_limits_update(VPMULimits *l)
{
    l->shared = 0;
    vpmu_limits_find(l);
}

void vpmu_limits_settle(VPMULimits *l, bool time_due)
{
    l->ops->settle(l->cs, false);
    vpmu_limits_update(l);
    if (time_due) {
        vpmu_limits_update_timer(l);
    }
}
