/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* A PMU's beginning, its reset, and the state of the processor that it depends on. */
#include "../refuse.h"
#include "x86_internal.h"

int vpmu_x86_init(struct vpmu_x86 *v, const struct vpmu_x86_config *config,
                  struct vpmu_x86_totals *totals, const struct vpmu_ops *ops, void *opaque,
                  const char **why)
{
    int err = vpmu_x86_config_check(config, why);

    if (err) {
        return err;
    }
    if (!totals || !ops || !ops->clock || !ops->irq || !ops->rearm) {
        return vpmu_refuse_(
            "totals or an operation is missing; there must be totals and all of vpmu_ops",
            VPMU_ERR_CONFIG, why);
    }
    *v = (struct vpmu_x86){
        .count =
            {
                .totals = vpmu_x86_table(totals),
                .ops = ops,
                .opaque = opaque,
                .sources = config->sources,
                .timed = config->timed,
                .cycle_units = config->cycle_units,
                .ctx = VPMU_X86_CTX_KERNEL,
            },
        .config = *config,
        .regs = vpmu_x86_regs_reset_(config),
    };
    vpmu_count_init_(&v->count);
    return 0;
}

void vpmu_x86_reset(struct vpmu_x86 *v)
{
    bool pmi = vpmu_x86_begin_(v);

    v->regs = vpmu_x86_regs_reset_(&v->config);
    vpmu_count_clear_(&v->count);
    vpmu_x86_end_(v, pmi);
}

void vpmu_x86_set_controls(struct vpmu_x86 *v, const struct vpmu_x86_controls *controls)
{
    bool pmi = vpmu_x86_begin_(v);

    v->controls = *controls;
    vpmu_x86_end_(v, pmi);
}
