/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* What Arm adds to the counting core: overflow flags, assignments and the interrupt line. */
#include "arm_internal.h"
#include "vpmu/arm/deadline.h"

static bool commit(struct vpmu_count *c, uint64_t ended)
{
    struct vpmu_arm *v = (struct vpmu_arm *)c;
    struct vpmu_setup_ setup = vpmu_setup_of_(v);
    unsigned idx;

    VPMU_FOR_EACH_BIT (idx, ended & ~v->regs.ovs & v->regs.inten & vpmu_global_(&setup)) {
        v->interrupts[idx]++;
    }
    v->regs.ovs |= ended;
    return false;
}

static void assign(struct vpmu_count *c, uint64_t changed)
{
    struct vpmu_setup_ setup = vpmu_setup_of_((const struct vpmu_arm *)c);

    vpmu_assign_all_(c, &setup, changed);
}

/* The line is a level. */
static int interrupt(struct vpmu_count *c, bool edge)
{
    struct vpmu_arm *v = (struct vpmu_arm *)c;
    struct vpmu_setup_ setup = vpmu_setup_of_(v);
    bool level = v->regs.ovs & v->regs.inten & vpmu_global_(&setup);

    (void)edge;
    if (level == v->irq) {
        return 0;
    }
    v->irq = level;
    return VPMU_DUE_IRQ;
}

const struct vpmu_arch vpmu_arm_ = {
    .contexts = VPMU_CTX_COUNT,
    .sources = VPMU_SRC_COUNT,
    .row = VPMU_SRC_ROW,
    .first_context = VPMU_CTX(1, VPMU_NONSECURE),
    .commit = commit,
    .assign = assign,
    .interrupt = interrupt,
    .state = &vpmu_arm_state_,
};

void vpmu_bump_(struct vpmu_arm *v, uint64_t counters)
{
    uint64_t ended = 0;
    unsigned idx;

    VPMU_FOR_EACH_BIT (idx, counters) {
        ended |= vpmu_advance_(&v->count, idx, 1);
    }
    commit(&v->count, ended);
}

void vpmu_arm_pass_time(struct vpmu_arm *v, const struct vpmu_now *now)
{
    vpmu_clocks_settle_(&v->count, now);
}

int vpmu_arm_settle(struct vpmu_arm *v, const struct vpmu_now *now)
{
    return vpmu_settle_(&v->count, now);
}

int vpmu_arm_step(struct vpmu_arm *v, const struct vpmu_now *now)
{
    return vpmu_step_(&v->count, now);
}

vpmu_sources vpmu_arm_armed(const struct vpmu_arm *v, unsigned ctx)
{
    return vpmu_count_armed_(&v->count, ctx);
}

uint64_t vpmu_arm_headroom(const struct vpmu_arm *v, vpmu_sources sources, unsigned ctx)
{
    return vpmu_count_headroom_(&v->count, sources, ctx);
}

uint64_t vpmu_arm_deadline(const struct vpmu_arm *v, const struct vpmu_rate rate[VPMU_CLOCK_COUNT])
{
    return vpmu_count_deadline_(&v->count, rate);
}
