/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* Observers of an Arm PE. The contexts in which they count depend on who runs and on gates. */
#include "vpmu/arm/observer.h"

#include "watch_internal.h"

/* Tells whether the host's kernel has enabled the counter that is the observer's gate. */
static bool gate_open(const struct vpmu *v, const struct vpmu_observer *o)
{
    struct vpmu_setup_ host = vpmu_host_(v);

    return o->gate == VPMU_UNGATED ||
           (o->gate < VPMU_COUNTER_COUNT && v->watch->host_known && vpmu_enabled_(&host, o->gate));
}

static uint16_t mask_now(const struct vpmu *v, const struct vpmu_observer *o)
{
    return gate_open(v, o) ? o->ctx_mask[v->watch->world] & VPMU_CTXS_ALL : 0;
}

void vpmu_observers_settle_(struct vpmu *v)
{
    for (struct vpmu_observer *o = v->count.observers; o; o = o->next) {
        vpmu_observer_take_(&v->count, o, mask_now(v, o));
    }
}

void vpmu_sample(struct vpmu *v)
{
    if (v->count.sampling && vpmu_observers_sample_(&v->count)) {
        v->count.ops->rearm(v->count.opaque);
    }
}

int vpmu_observer_add(struct vpmu *v, struct vpmu_observer *o)
{
    return v->watch ? vpmu_observer_add_(&v->count, o, mask_now(v, o)) : -VPMU_ERR_WATCH;
}

uint64_t vpmu_observer_remove(struct vpmu *v, struct vpmu_observer *o)
{
    return vpmu_observer_remove_(&v->count, o);
}

uint64_t vpmu_observer_read(struct vpmu *v, const struct vpmu_observer *o)
{
    return vpmu_observer_read_(&v->count, o);
}
