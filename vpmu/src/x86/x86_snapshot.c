/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* Copies a PMU for a view from outside. */
#include "vpmu/x86/snapshot.h"
#include "vpmu/x86/view.h"

#include "x86_internal.h"

void vpmu_x86_snapshot_take(struct vpmu_x86_snapshot *s, const struct vpmu_x86 *v,
                            const struct vpmu_now *now)
{
    s->pmu = *v;
    vpmu_count_look_(&s->pmu.count, s->totals.n[0], &v->count, now);
    vpmu_x86_settle(&s->pmu, NULL);
}

bool vpmu_x86_view(const struct vpmu_x86 *v, unsigned idx, struct vpmu_x86_counter *view)
{
    const struct vpmu_x86_setup_ setup = {&v->config, &v->controls, &v->regs, NULL};
    uint64_t bit = idx < VPMU_X86_COUNTER_COUNT ? VPMU_BIT(idx) : 0;

    if (!(vpmu_x86_implemented_(&v->config) & bit)) {
        return false;
    }
    *view = (struct vpmu_x86_counter){
        .number = vpmu_x86_selected_(&setup, idx),
        .select = idx < VPMU_X86_FIXED ? v->regs.select[idx] : vpmu_x86_fixed_field_(&v->regs, idx),
        .value = v->count.counter[idx].value,
        .overflows = v->count.overflows[idx],
        .counting = v->count.counting & bit,
        .overflowed = v->regs.overflowed & bit,
        .interrupts = vpmu_x86_interrupting_(&setup) & bit,
    };
    view->event = vpmu_x86_counted_(&setup, idx);
    view->enabled =
        (v->regs.enabled & bit) &&
        (idx < VPMU_X86_FIXED ? view->select & VPMU_X86_SEL_EN
                              : view->select & (VPMU_X86_FIXED_OS | VPMU_X86_FIXED_USR));
    return view->select || view->value || view->overflows;
}
