/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* Initialises and resets a PMU, and handles the state of the processor that it depends on. */
#include "x86_internal.h"

int vpmu_x86_init(struct vpmu_x86 *v, const struct vpmu_x86_config *config,
                  struct vpmu_x86_totals *totals, const struct vpmu_now *now, const char **why)
{
    int err = vpmu_x86_config_check(config, why);

    if (err) {
        return err;
    }
    *v = (struct vpmu_x86){.config = *config, .regs = vpmu_x86_regs_reset_(config)};
    return vpmu_count_init_(&v->count, &vpmu_x86_arch_,
                            &(struct vpmu_machine_){(uint64_t *)totals, now, config->sources,
                                                    config->timed, config->cycle_units},
                            why);
}

int vpmu_x86_reset(struct vpmu_x86 *v, const struct vpmu_now *now)
{
    bool pmi = vpmu_begin_(&v->count, now);

    v->regs = vpmu_x86_regs_reset_(&v->config);
    vpmu_count_clear_(&v->count);
    return vpmu_end_(&v->count, UINT64_MAX, pmi);
}

int vpmu_x86_set_controls(struct vpmu_x86 *v, const struct vpmu_x86_controls *controls,
                          const struct vpmu_now *now)
{
    bool pmi = vpmu_begin_(&v->count, now);

    v->controls = *controls;
    return vpmu_end_(&v->count, UINT64_MAX, pmi);
}
