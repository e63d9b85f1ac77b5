/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/*
 * How the state changes: what was tallied is settled under the old state; what passed its end sets
 * its flag, freezes, and makes an interrupt; then counters are given new assignments.
 */
#include "vpmu/x86/pebs.h"

#include "x86_internal.h"

static struct vpmu_x86_setup_ setup_of(const struct vpmu_x86 *v)
{
    return (struct vpmu_x86_setup_){&v->config, &v->controls, &v->regs};
}

/*
 * DEBUGCTL.FREEZE_PERFMON_ON_PMI: up to version 3 GLOBAL_CTRL is cleared, from 4 on CTR_FRZ is set
 * (SDM 3B, Freezing LBR and Performance Counters on PMI; Enhancement in IA32_PERF_GLOBAL_STATUS).
 */
static void freeze(struct vpmu_x86 *v)
{
    if (!vpmu_x86_is_intel_(&v->config) || v->config.version < 2 ||
        !(v->controls.debugctl & VPMU_X86_DEBUGCTL_FREEZE)) {
        return;
    }
    if (v->config.version < 4) {
        v->regs.enabled = 0;
    } else {
        v->regs.flags |= VPMU_X86_CTR_FRZ;
    }
}

/* These counters passed their ends. Returns whether one of them makes an interrupt. */
static bool commit(struct vpmu_x86 *v, uint64_t ended)
{
    struct vpmu_x86_setup_ setup = setup_of(v);
    uint64_t recorded = ended & vpmu_x86_recording_(&v->regs);
    bool pmi;

    /* What makes a record has no flag: that is cleared when the record is written. */
    v->regs.due |= recorded;
    ended &= ~recorded;
    pmi = ended & vpmu_x86_interrupting_(&setup);

    if (vpmu_x86_has_global_(&v->config)) {
        v->regs.overflowed |= ended;
    }
    if (pmi) {
        freeze(v);
    }
    return pmi;
}

bool vpmu_x86_begin_(struct vpmu_x86 *v)
{
    return commit(v, vpmu_count_settle_(&v->count, true));
}

void vpmu_x86_end_(struct vpmu_x86 *v, bool pmi)
{
    struct vpmu_x86_setup_ setup = setup_of(v);
    unsigned idx;

    VPMU_FOR_EACH_BIT (idx, vpmu_x86_implemented_(&v->config)) {
        struct vpmu_assignment_ assignment = vpmu_x86_assignment_(&setup, idx);

        vpmu_count_assign_(&v->count, idx, &assignment);
    }
    vpmu_x86_metrics_assign_(v);
    v->count.urgent = vpmu_x86_interrupting_(&setup) | vpmu_x86_recording_(&v->regs);
    vpmu_count_follow_(&v->count);
    if (pmi) {
        v->pmis++;
        v->count.ops->irq(v->count.opaque, true);
    }
    v->count.ops->rearm(v->count.opaque);
}

void vpmu_x86_settle_counters_(struct vpmu_x86 *v)
{
    uint64_t ended = v->count.counting ? vpmu_count_settle_(&v->count, false) : 0;

    if (ended) {
        vpmu_x86_end_(v, commit(v, ended));
    }
}

static bool take_over(struct vpmu_x86 *v, uint64_t ended)
{
    bool sampled = v->count.sampling && vpmu_observers_sample_(&v->count);

    if (ended) {
        vpmu_x86_end_(v, commit(v, ended));
    } else if (sampled) {
        v->count.ops->rearm(v->count.opaque);
    }
    return ended;
}

bool vpmu_x86_settle(struct vpmu_x86 *v)
{
    return take_over(v, v->count.counting ? vpmu_count_settle_(&v->count, false) : 0);
}

bool vpmu_x86_step(struct vpmu_x86 *v)
{
    return take_over(v, vpmu_count_step_(&v->count));
}

uint64_t vpmu_x86_pebs_armed(const struct vpmu_x86 *v)
{
    return vpmu_x86_recording_(&v->regs);
}

void vpmu_x86_pebs_done(struct vpmu_x86 *v, uint64_t counters, const uint64_t *reload, bool full)
{
    bool pmi = vpmu_x86_begin_(v);
    unsigned idx;

    v->regs.due &= ~counters;
    v->regs.slow &= ~(reload ? counters : 0);
    VPMU_FOR_EACH_BIT (idx, reload ? counters : 0) {
        vpmu_count_set_(&v->count, idx, reload[idx] & vpmu_x86_value_kept_(&v->config));
    }
    if (full) {
        v->regs.flags |= VPMU_X86_OVF_BUF;
        freeze(v);
    }
    vpmu_x86_end_(v, pmi || full);
}

void vpmu_x86_set_context(struct vpmu_x86 *v, enum vpmu_x86_ctx ctx)
{
    struct vpmu_count *c = &v->count;

    if (ctx == c->ctx) {
        return;
    }
    if (c->observes_time) {
        vpmu_clocks_settle_(c);
    }
    if (c->paced || c->sampling || ((c->in_ctx[c->ctx] ^ c->in_ctx[ctx]) & c->clocked)) {
        vpmu_x86_settle(v);
        c->ctx = (uint8_t)ctx;
        vpmu_count_follow_(c);
    } else {
        c->ctx = (uint8_t)ctx;
    }
}

vpmu_sources vpmu_x86_armed(const struct vpmu_x86 *v, enum vpmu_x86_ctx ctx)
{
    return vpmu_count_armed_(&v->count, ctx);
}

uint64_t vpmu_x86_headroom(const struct vpmu_x86 *v, vpmu_sources sources, enum vpmu_x86_ctx ctx)
{
    return vpmu_count_headroom_(&v->count, sources, ctx);
}

uint64_t vpmu_x86_deadline(const struct vpmu_x86 *v, const struct vpmu_rate rate[VPMU_CLOCK_COUNT])
{
    uint64_t room[VPMU_CLOCK_COUNT];

    for (unsigned i = 0; i < VPMU_CLOCK_COUNT; i++) {
        room[i] = vpmu_x86_headroom(v, VPMU_SRC_BIT(VPMU_X86_SRC_CYCLES + i), v->count.ctx);
    }
    return vpmu_count_deadline_(&v->count, room, rate);
}
