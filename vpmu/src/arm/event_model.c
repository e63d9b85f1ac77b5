/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* Where the counts of an event come from: the instructions themselves, a model, or a clock. */
#include "vpmu/arm/events.h"

#include "vpmu/arm/config.h"

#define BIT(source) VPMU_SRC_BIT(VPMU_SRC_##source)

/* The first row that shares a source with the event decides. */
static const struct {
    const char *name;
    vpmu_sources sources;
} models[] = {
    {"pipeline", BIT(CPU_CYCLES) | VPMU_SRCS_STALLS},
    {"branch-prediction", BIT(BR_MIS_PRED)},
    {"tlbs", VPMU_SRCS_TLB},
    {"caches", VPMU_SRCS_MEMORY | VPMU_SRCS_MEMORY_DETAIL},
};

const char *vpmu_arm_event_model(const struct vpmu_arm_config *config,
                                 const struct vpmu_arm_event *event)
{
    if (event->sources & config->timed) {
        return "clock";
    }
    for (size_t i = 0; i < sizeof(models) / sizeof(models[0]); i++) {
        if (event->sources & models[i].sources) {
            return models[i].name;
        }
    }
    return NULL;
}
