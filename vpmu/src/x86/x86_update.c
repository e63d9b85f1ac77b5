/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* What x86 adds to the counting core: overflow flags, freezes, assignments, PMIs and PEBS. */
#include "vpmu/x86/pebs.h"

#include "x86_internal.h"

static struct vpmu_x86_setup_ setup_of(struct vpmu_x86 *v)
{
    return (struct vpmu_x86_setup_){&v->config, &v->controls, &v->regs, v->choice};
}

/*
 * DEBUGCTL.FREEZE_PERFMON_ON_PMI: up to version 3 GLOBAL_CTRL is cleared, from 4 on CTR_FRZ is set
 * (SDM 3B, Freezing LBR and Performance Counters on PMI; Enhancement in IA32_PERF_GLOBAL_STATUS).
 * AMD sets the same bit, PmcFreeze (CPUID 8000_0022H, LbrAndPmcFreeze).
 */
static void freeze(struct vpmu_x86 *v)
{
    bool intel = vpmu_x86_is_intel_(&v->config);

    if (!vpmu_x86_has_global_(&v->config) || !(v->controls.debugctl & VPMU_X86_DEBUGCTL_FREEZE)) {
        return;
    }
    if (intel && v->config.version < 4) {
        v->regs.enabled = 0;
    } else {
        v->regs.flags |= VPMU_X86_CTR_FRZ;
    }
}

static bool commit(struct vpmu_count *c, uint64_t ended)
{
    struct vpmu_x86 *v = (struct vpmu_x86 *)c;
    struct vpmu_x86_setup_ setup = setup_of(v);
    uint64_t recorded = ended & vpmu_x86_recording_(&v->config, v->regs.pebs);
    bool pmi;

    /* An overflow that makes a record has no flag: it is cleared when the record is written. */
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

/* Any register may change any counter, so all are assigned. */
static void assign(struct vpmu_count *c, uint64_t changed)
{
    struct vpmu_x86 *v = (struct vpmu_x86 *)c;
    struct vpmu_x86_setup_ setup = setup_of(v);
    unsigned idx;

    (void)changed;
    VPMU_FOR_EACH_BIT (idx, vpmu_x86_implemented_(&v->config)) {
        struct vpmu_assignment_ assignment = vpmu_x86_assignment_(&setup, idx);

        vpmu_count_assign_(c, idx, &assignment);
    }
    vpmu_x86_metrics_assign_(v);
    c->urgent = vpmu_x86_interrupting_(&setup) | vpmu_x86_recording_(&v->config, v->regs.pebs);
}

/* A PMI is an edge. */
static int interrupt(struct vpmu_count *c, bool edge)
{
    if (!edge) {
        return 0;
    }
    ((struct vpmu_x86 *)c)->pmis++;
    return VPMU_DUE_IRQ;
}

const struct vpmu_arch vpmu_x86_arch_ = {
    .contexts = VPMU_X86_CTX_COUNT,
    .sources = VPMU_X86_SRC_COUNT,
    .row = VPMU_X86_SRC_COUNT,
    .first_context = VPMU_X86_CTX_KERNEL,
    .commit = commit,
    .assign = assign,
    .interrupt = interrupt,
    .state = &vpmu_x86_state_,
};

int vpmu_x86_settle(struct vpmu_x86 *v, const struct vpmu_now *now)
{
    return vpmu_settle_(&v->count, now);
}

int vpmu_x86_sample(struct vpmu_x86 *v, const struct vpmu_now *now)
{
    return vpmu_sample_(&v->count, now);
}

int vpmu_x86_step(struct vpmu_x86 *v, const struct vpmu_now *now)
{
    return vpmu_step_(&v->count, now);
}

uint64_t vpmu_x86_pebs_armed(const struct vpmu_x86 *v)
{
    return vpmu_x86_recording_(&v->config, v->regs.pebs);
}

int vpmu_x86_pebs_done(struct vpmu_x86 *v, uint64_t counters, const uint64_t *reload, bool full,
                       const struct vpmu_now *now)
{
    bool pmi = vpmu_begin_(&v->count, now);
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
    return vpmu_end_(&v->count, UINT64_MAX, pmi || full);
}

int vpmu_x86_set_context(struct vpmu_x86 *v, enum vpmu_x86_ctx ctx, const struct vpmu_now *now)
{
    int due;

    if (ctx == v->count.ctx) {
        return 0;
    }
    due = vpmu_leave_context_(&v->count, now);
    return due | vpmu_change_context_(&v->count, ctx, now);
}

vpmu_sources vpmu_x86_armed(const struct vpmu_x86 *v, enum vpmu_x86_ctx ctx)
{
    return vpmu_count_armed_(&v->count, ctx);
}

uint64_t vpmu_x86_headroom(const struct vpmu_x86 *v, vpmu_sources sources, enum vpmu_x86_ctx ctx)
{
    return vpmu_count_headroom_(&v->count, sources, ctx);
}

bool vpmu_x86_follows_svme(const struct vpmu_x86 *v)
{
    bool follows = false;

    for (unsigned idx = 0; idx < v->config.counters && !vpmu_x86_is_intel_(&v->config); idx++) {
        follows |= (v->regs.select[idx] & VPMU_X86_SEL_EN) &&
                   (v->regs.select[idx] & (VPMU_X86_SEL_GUEST | VPMU_X86_SEL_HOST));
    }
    return follows;
}

uint64_t vpmu_x86_deadline(const struct vpmu_x86 *v, const struct vpmu_rate rate[VPMU_CLOCK_COUNT])
{
    return vpmu_count_deadline_(&v->count, rate);
}
