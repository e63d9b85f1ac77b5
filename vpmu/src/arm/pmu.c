/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* Initialisation, reset, controls and snapshots of a PMU. */
#include "vpmu/arm/pmu.h"

#include "arm_internal.h"
#include "vpmu/arm/snapshot.h"

int vpmu_arm_init(struct vpmu_arm *v, const struct vpmu_arm_config *config,
                  struct vpmu_arm_totals *totals, const struct vpmu_now *now, const char **why)
{
    int err = vpmu_arm_config_check(config, why);

    if (err) {
        return err;
    }
    *v = (struct vpmu_arm){.config = *config, .regs = vpmu_regs_reset_(config)};
    vpmu_arm_controls_reset(&v->controls, config);
    return vpmu_count_init_(&v->count, &vpmu_arm_,
                            &(struct vpmu_machine_){(uint64_t *)totals, now, config->sources,
                                                    config->timed, config->cycle_units},
                            why);
}

int vpmu_arm_reset(struct vpmu_arm *v, const struct vpmu_now *now)
{
    int due;

    vpmu_begin_(&v->count, now);
    v->regs = vpmu_regs_reset_(&v->config);
    vpmu_count_clear_(&v->count);
    due = vpmu_end_(&v->count, vpmu_implemented_(&v->config), false);
    return v->watch ? due | vpmu_watch_restart_(v, now) : due;
}

int vpmu_arm_set_counters(struct vpmu_arm *v, unsigned counters, const struct vpmu_now *now)
{
    int due;

    if (counters > VPMU_MAX_EVENT_COUNTERS) {
        return -VPMU_ERR_CONFIG;
    }
    /* With the old number: counters that are gone must not stay armed. */
    due = vpmu_arm_reset(v, now);
    v->config.counters = (uint8_t)counters;
    return due | vpmu_arm_reset(v, now);
}

int vpmu_arm_set_controls(struct vpmu_arm *v, const struct vpmu_arm_controls *controls,
                          const struct vpmu_now *now)
{
    int due;

    vpmu_begin_(&v->count, now);
    v->controls = *controls;
    due = vpmu_end_(&v->count, v->regs.cnten, false);
    return v->watch ? due | vpmu_watch_controls_(v, now) : due;
}

void vpmu_arm_snapshot_take(struct vpmu_arm_snapshot *s, const struct vpmu_arm *v,
                            const struct vpmu_now *now)
{
    s->pmu = *v;
    s->pmu.watch = NULL;
    vpmu_count_look_(&s->pmu.count, s->totals.n[0], &v->count, now);
    vpmu_arm_settle(&s->pmu, NULL);
}
