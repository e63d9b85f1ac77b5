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
    if (!machine->totals) {
        return vpmu_refuse_("there are no totals", VPMU_ERR_CONFIG, why);
    }
    *c = (struct vpmu_count){
        .arch = arch,
        .totals = {machine->totals, arch->contexts, arch->sources, arch->row},
        .sources = machine->sources,
        .timed = machine->timed,
        .cycle_units = machine->cycle_units,
        .ctx = arch->first_context,
    };
    vpmu_count_clear_(c);
    vpmu_clocks_start_(c, machine->now);
    return 0;
}

bool vpmu_begin_(struct vpmu_count *c, const struct vpmu_now *now)
{
    uint64_t ended = vpmu_count_settle_(c, now);

    return ended && c->arch->commit(c, ended);
}

int vpmu_end_(struct vpmu_count *c, uint64_t changed, bool edge)
{
    c->arch->assign(c, changed);
    vpmu_count_follow_(c);
    return VPMU_DUE_REARM | c->arch->interrupt(c, edge);
}

static int overflow(struct vpmu_count *c, uint64_t ended)
{
    return VPMU_DUE_OVERFLOW | vpmu_end_(c, 0, c->arch->commit(c, ended));
}

/* Finishes a settling in which these counters overflowed. */
static inline int finish(struct vpmu_count *c, uint64_t ended, const struct vpmu_now *now)
{
    int due = vpmu_sample_(c, now);

    return ended ? due | overflow(c, ended) : due;
}

int vpmu_settle_(struct vpmu_count *c, const struct vpmu_now *now)
{
    return finish(c, c->counting ? vpmu_count_settle_(c, now) : 0, now);
}

int vpmu_step_(struct vpmu_count *c, const struct vpmu_now *now)
{
    return finish(c, vpmu_count_step_(c, now), now);
}

int vpmu_settle_counters_(struct vpmu_count *c, const struct vpmu_now *now)
{
    uint64_t ended = c->counting ? vpmu_count_settle_(c, now) : 0;

    return ended ? overflow(c, ended) : 0;
}

int vpmu_leave_context_(struct vpmu_count *c, const struct vpmu_now *now)
{
    if (c->sampling) {
        return vpmu_observers_sample_(c, now);
    }
    if (c->observes_time) {
        vpmu_clocks_settle_(c, now);
    }
    return 0;
}

int vpmu_switch_context_(struct vpmu_count *c, unsigned ctx, const struct vpmu_now *now)
{
    int due;

    if (ctx == c->ctx) {
        return 0;
    }
    /*
     * The time until now belongs to the context that is left, and so does an overflow that it
     * causes. If the overflow were found later, it would be attributed to a context in which the
     * chain, the freeze or the interrupt may not be in effect.
     */
    due = vpmu_settle_(c, now);
    c->ctx = (uint8_t)ctx;
    vpmu_count_follow_(c);
    return due;
}
