/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* A PMU's beginning, its reset, and the state of the PE that it depends on. */
#include "vpmu/pmu.h"

#include "internal.h"

void vpmu_registers_clear_(struct vpmu *v)
{
    v->pmcr = vpmu_pmcr_fixed_(v);
    v->cnten = 0;
    v->inten = 0;
    v->ovs = 0;
    v->userenr = 0;
    v->uacr = 0;
    v->selr = 0;
    vpmu_counters_clear_(v);
}

int vpmu_init(struct vpmu *v, const struct vpmu_config *config, struct vpmu_totals *totals,
              const struct vpmu_ops *ops, void *opaque, const char **why)
{
    int err = vpmu_config_check(config, why);

    if (err) {
        return err;
    }
    if (!totals || !ops || !ops->clock || !ops->irq || !ops->rearm) {
        if (why) {
            *why = "the machine leaves something out; there must be totals, and all of vpmu_ops";
        }
        return -VPMU_ERR_CONFIG;
    }
    *v = (struct vpmu){
        .config = *config,
        .totals = totals,
        .ops = ops,
        .opaque = opaque,
        .ctx = (uint8_t)vpmu_ctx(1, VPMU_NONSECURE),
    };
    vpmu_controls_reset(&v->controls, config);
    vpmu_registers_clear_(v);
    vpmu_start_clocks_(v);
    return 0;
}

void vpmu_reset(struct vpmu *v)
{
    vpmu_begin_(v);
    vpmu_registers_clear_(v);
    vpmu_end_(v, vpmu_implemented_(v));
    if (v->watch) {
        vpmu_watch_restart_(v);
    }
}

void vpmu_set_controls(struct vpmu *v, const struct vpmu_controls *controls)
{
    vpmu_begin_(v);
    v->controls = *controls;
    vpmu_end_(v, v->cnten);
    if (v->watch) {
        vpmu_watch_controls_(v);
    }
}
