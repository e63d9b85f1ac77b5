/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/*
 * How the state changes. The totals are settled under the old state, and overflows set their flags.
 * Then it is recomputed what the counters must do, and the interrupt line is updated.
 */
#include "arm_internal.h"
#include "vpmu/arm/watch.h"

/* Handles the overflow of these counters. */
static void commit(struct vpmu *v, uint64_t ended)
{
    struct vpmu_setup_ setup = vpmu_setup_of_(v);
    unsigned idx;

    VPMU_FOR_EACH_BIT (idx, ended & ~v->regs.ovs & v->regs.inten & vpmu_global_(&setup)) {
        v->interrupts[idx]++;
    }
    v->regs.ovs |= ended;
}

void vpmu_begin_(struct vpmu *v)
{
    uint64_t ended = vpmu_count_settle_(&v->count, true);

    if (ended) {
        commit(v, ended);
    }
}

void vpmu_end_(struct vpmu *v, uint64_t changed)
{
    struct vpmu_setup_ setup = vpmu_setup_of_(v);
    bool level = v->regs.ovs & v->regs.inten & vpmu_global_(&setup);

    vpmu_assign_all_(&v->count, &setup, changed);
    if (level != v->irq) {
        v->irq = level;
        v->count.ops->irq(v->count.opaque, level);
    }
    v->count.ops->rearm(v->count.opaque);
}

void vpmu_bump_(struct vpmu *v, uint64_t counters)
{
    uint64_t ended = 0;
    unsigned idx;

    VPMU_FOR_EACH_BIT (idx, counters) {
        ended |= vpmu_advance_(&v->count, idx, 1);
    }
    commit(v, ended);
}

/* Finishes a settling in which these counters overflowed. */
static inline bool take_over(struct vpmu *v, uint64_t ended)
{
    bool sampled = v->count.sampling && vpmu_observers_sample_(&v->count);

    if (ended) {
        commit(v, ended);
        vpmu_end_(v, 0);
    } else if (sampled) {
        v->count.ops->rearm(v->count.opaque);
    }
    return ended;
}

bool vpmu_settle(struct vpmu *v)
{
    return take_over(v, v->count.counting ? vpmu_count_settle_(&v->count, false) : 0);
}

bool vpmu_step(struct vpmu *v)
{
    return take_over(v, vpmu_count_step_(&v->count));
}

void vpmu_switch_context_(struct vpmu *v, unsigned ctx)
{
    if (ctx == v->count.ctx) {
        return;
    }
    /*
     * The time until now belongs to the context that is left, and so does an overflow that it
     * causes. If the overflow were found later, it would be attributed to a context in which the
     * chain, the freeze or the interrupt may not be in effect.
     */
    vpmu_settle(v);
    v->count.ctx = (uint8_t)ctx;
    vpmu_count_follow_(&v->count);
}

vpmu_sources vpmu_armed(const struct vpmu *v, unsigned ctx)
{
    return vpmu_count_armed_(&v->count, ctx);
}

uint64_t vpmu_headroom(const struct vpmu *v, vpmu_sources sources, unsigned ctx)
{
    return vpmu_count_headroom_(&v->count, sources, ctx);
}
