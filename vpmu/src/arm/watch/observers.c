/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* Observers of an Arm PE. The contexts in which they count depend on who runs and on gates. */
#include "vpmu/arm/observer.h"

#include "watch_internal.h"

/* Tells whether the host's kernel has enabled the counter that is the observer's gate. */
static bool gate_open(const struct vpmu_arm *v, const struct vpmu_observer *o)
{
    struct vpmu_setup_ host = vpmu_host_(v);

    return o->gate == VPMU_UNGATED ||
           (o->gate < VPMU_COUNTER_COUNT && v->watch->host_known && vpmu_enabled_(&host, o->gate));
}

static uint16_t mask_now(const struct vpmu_arm *v, const struct vpmu_observer *o)
{
    return gate_open(v, o) ? o->ctx_mask[v->watch->world] & VPMU_CTXS_ALL : 0;
}

int vpmu_observers_settle_(struct vpmu_arm *v)
{
    int due = 0;

    for (struct vpmu_observer *o = v->count.observers; o; o = o->next) {
        due |= vpmu_observer_take_(&v->count, o, mask_now(v, o));
    }
    return due;
}

int vpmu_arm_sample(struct vpmu_arm *v, const struct vpmu_now *now)
{
    return vpmu_sample_(&v->count, now);
}

int vpmu_arm_observer_add(struct vpmu_arm *v, struct vpmu_observer *o, const struct vpmu_now *now)
{
    return v->watch ? vpmu_observer_add_(&v->count, o, mask_now(v, o), now) : -VPMU_ERR_WATCH;
}

int vpmu_arm_observer_remove(struct vpmu_arm *v, struct vpmu_observer *o,
                             const struct vpmu_now *now, uint64_t *count)
{
    return vpmu_observer_remove_(&v->count, o, now, count);
}

uint64_t vpmu_arm_observer_read(struct vpmu_arm *v, const struct vpmu_observer *o,
                                const struct vpmu_now *now)
{
    return vpmu_observer_read_(&v->count, o, now);
}
