/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/*
 * How the state of a PMU changes. The totals are settled under the old state, and overflows set
 * their flags. Then counters get new assignments, and the interrupt follows.
 */
#include "../refuse.h"
#include "arch.h"

int vpmu_count_init_(struct vpmu_count *c, const struct vpmu_arch *arch,
                     const struct vpmu_machine_ *machine, const char **why)
{
    const struct vpmu_ops *ops = machine->ops;

    if (!machine->totals || !ops || !ops->clock || !ops->irq || !ops->rearm) {
        return vpmu_refuse_(
            "totals or an operation is missing; there must be totals and all of vpmu_ops",
            VPMU_ERR_CONFIG, why);
    }
    *c = (struct vpmu_count){
        .arch = arch,
        .totals = {machine->totals, arch->contexts, arch->sources, arch->row},
        .ops = ops,
        .opaque = machine->opaque,
        .sources = machine->sources,
        .timed = machine->timed,
        .cycle_units = machine->cycle_units,
        .ctx = arch->first_context,
    };
    vpmu_count_clear_(c);
    vpmu_clocks_start_(c);
    return 0;
}

bool vpmu_begin_(struct vpmu_count *c)
{
    uint64_t ended = vpmu_count_settle_(c, true);

    return ended && c->arch->commit(c, ended);
}

void vpmu_end_(struct vpmu_count *c, uint64_t changed, bool edge)
{
    c->arch->assign(c, changed);
    vpmu_count_follow_(c);
    c->arch->interrupt(c, edge);
    c->ops->rearm(c->opaque);
}

static void overflow(struct vpmu_count *c, uint64_t ended)
{
    vpmu_end_(c, 0, c->arch->commit(c, ended));
}

/* Finishes a settling in which these counters overflowed. */
static inline bool finish(struct vpmu_count *c, uint64_t ended)
{
    bool sampled = c->sampling && vpmu_observers_sample_(c);

    if (ended) {
        overflow(c, ended);
    } else if (sampled) {
        c->ops->rearm(c->opaque);
    }
    return ended;
}

bool vpmu_settle_(struct vpmu_count *c)
{
    return finish(c, c->counting ? vpmu_count_settle_(c, false) : 0);
}

bool vpmu_step_(struct vpmu_count *c)
{
    return finish(c, vpmu_count_step_(c));
}

void vpmu_settle_counters_(struct vpmu_count *c)
{
    uint64_t ended = c->counting ? vpmu_count_settle_(c, false) : 0;

    if (ended) {
        overflow(c, ended);
    }
}

void vpmu_leave_context_(struct vpmu_count *c)
{
    if (c->sampling) {
        vpmu_observers_sample_(c);
    } else if (c->observes_time) {
        vpmu_clocks_settle_(c);
    }
}

void vpmu_switch_context_(struct vpmu_count *c, unsigned ctx)
{
    if (ctx == c->ctx) {
        return;
    }
    /*
     * The time until now belongs to the context that is left, and so does an overflow that it
     * causes. If the overflow were found later, it would be attributed to a context in which the
     * chain, the freeze or the interrupt may not be in effect.
     */
    vpmu_settle_(c);
    c->ctx = (uint8_t)ctx;
    vpmu_count_follow_(c);
}
