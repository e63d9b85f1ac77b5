/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* The identification registers PMCEID and PMMIR. */
#include "arm_internal.h"

/* After vpmu_arm_adopt(), PMCEID keeps the value of the other implementation. */
static bool is_announced(const struct vpmu_arm_config *config, unsigned announced, unsigned number)
{
    switch (number) {
    case VPMU_EVENT_SW_INCR:
    case VPMU_EVENT_CPU_CYCLES:
        return true;
    case VPMU_EVENT_STALL_FRONTEND:
    case VPMU_EVENT_STALL_BACKEND:
        return announced == VPMU_ANNOUNCED_ALL || config->version >= VPMU_V3P1;
    case VPMU_EVENT_STALL:
        return announced == VPMU_ANNOUNCED_ALL || config->version >= VPMU_V3P4;
    case VPMU_EVENT_INST_RETIRED:
        return announced != VPMU_ANNOUNCED_CYCLES;
    default:
        return announced == VPMU_ANNOUNCED_ALL;
    }
}

/* Bit i of the result announces common event @first + i. */
static uint32_t events_from(const struct vpmu_arm_config *config, unsigned announced,
                            unsigned first)
{
    uint32_t bits = 0;

    for (unsigned i = 0; i < 32; i++) {
        const struct vpmu_arm_event *event = vpmu_arm_event_at(config, (uint16_t)(first + i));

        if (event && vpmu_arm_event_counted(config, event) &&
            is_announced(config, announced, event->number)) {
            bits |= 1u << i;
        }
    }
    return bits;
}

uint64_t vpmu_pmceid_(const struct vpmu_arm_config *config, unsigned announced, unsigned first)
{
    uint32_t low = events_from(config, announced, first);
    uint32_t high =
        config->version >= VPMU_V3P1 ? events_from(config, announced, 0x4000 + first) : 0;

    return (uint64_t)high << 32 | low;
}

/* An implementation that announces less than this library has no slots either. */
uint64_t vpmu_pmmir_(const struct vpmu_arm_config *config, unsigned announced)
{
    uint64_t slots = announced == VPMU_ANNOUNCED_ALL ? config->slots : 0;
    uint64_t edge = vpmu_has_(config, VPMU_HAS_TH2) ? 2 : vpmu_has_(config, VPMU_HAS_EDGE) ? 1 : 0;

    return slots << VPMU_PMMIR_SLOTS_SHIFT |
           (uint64_t)config->threshold_width << VPMU_PMMIR_THWIDTH_SHIFT |
           edge << VPMU_PMMIR_EDGE_SHIFT;
}
