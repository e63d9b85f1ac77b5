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
    {"tlbs", BIT(L1D_TLB_REFILL) | BIT(L1I_TLB_REFILL) | BIT(DTLB_WALK) | BIT(ITLB_WALK) |
                 VPMU_SRC_FROM_TO(VPMU_SRC_L1D_TLB_REFILL_RD, VPMU_SRC_L2D_TLB_REFILL_WR)},
    {"caches", BIT(L1I_CACHE) | BIT(L1I_CACHE_REFILL) | BIT(L1D_CACHE_RD) | BIT(L1D_CACHE_WR) |
                   BIT(L1D_CACHE_REFILL_RD) | BIT(L1D_CACHE_REFILL_WR) | BIT(L1D_CACHE_WB) |
                   BIT(L2D_CACHE_RD) | BIT(L2D_CACHE_WR) | BIT(L2D_CACHE_REFILL_RD) |
                   BIT(L2D_CACHE_REFILL_WR) | BIT(L2D_CACHE_WB) | BIT(LL_CACHE_RD) |
                   BIT(LL_CACHE_WR) | BIT(LL_CACHE_MISS_RD) | BIT(LL_CACHE_MISS_WR) |
                   VPMU_SRCS_BUS | VPMU_SRCS_INVAL | BIT(L1D_CACHE_REFILL_INNER) |
                   BIT(L1D_CACHE_REFILL_OUTER)},
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
