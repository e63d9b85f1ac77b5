/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* Initialisation, reset, controls and snapshots of a PMU. */
#include "vpmu/arm/pmu.h"

#include "../refuse.h"
#include "arm_internal.h"
#include "vpmu/arm/snapshot.h"

int vpmu_init(struct vpmu *v, const struct vpmu_config *config, struct vpmu_totals *totals,
              const struct vpmu_ops *ops, void *opaque, const char **why)
{
    int err = vpmu_config_check(config, why);

    if (err) {
        return err;
    }
    if (!totals || !ops || !ops->clock || !ops->irq || !ops->rearm) {
        return vpmu_refuse_(
            "totals or an operation is missing; there must be totals and all of vpmu_ops",
            VPMU_ERR_CONFIG, why);
    }
    *v = (struct vpmu){
        .count =
            {
                .totals = vpmu_table(totals),
                .ops = ops,
                .opaque = opaque,
                .sources = config->sources,
                .timed = config->timed,
                .cycle_units = config->cycle_units,
                .ctx = (uint8_t)vpmu_ctx(1, VPMU_NONSECURE),
            },
        .config = *config,
        .regs = vpmu_regs_reset_(config),
    };
    vpmu_controls_reset(&v->controls, config);
    vpmu_count_init_(&v->count);
    return 0;
}

void vpmu_reset(struct vpmu *v)
{
    vpmu_begin_(v);
    v->regs = vpmu_regs_reset_(&v->config);
    vpmu_count_clear_(&v->count);
    vpmu_end_(v, vpmu_implemented_(&v->config));
    if (v->watch) {
        vpmu_watch_restart_(v);
    }
}

int vpmu_set_counters(struct vpmu *v, unsigned counters)
{
    if (counters > VPMU_MAX_EVENT_COUNTERS) {
        return -VPMU_ERR_CONFIG;
    }
    /* With the old number: counters that are gone must not stay armed. */
    vpmu_reset(v);
    v->config.counters = (uint8_t)counters;
    vpmu_reset(v);
    return 0;
}

void vpmu_set_controls(struct vpmu *v, const struct vpmu_controls *controls)
{
    vpmu_begin_(v);
    v->controls = *controls;
    vpmu_end_(v, v->regs.cnten);
    if (v->watch) {
        vpmu_watch_controls_(v);
    }
}

void vpmu_snapshot_take(struct vpmu_snapshot *s, const struct vpmu *v,
                        const uint64_t ahead[VPMU_SRC_COUNT])
{
    s->pmu = *v;
    s->pmu.watch = NULL;
    vpmu_count_look_(&s->pmu.count, s->totals.n[0], &v->count, ahead);
    vpmu_settle(&s->pmu);
}
