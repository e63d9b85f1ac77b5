/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* What an event needs besides its sources: a core, a cache, a version of the architecture. */
#include "arm_internal.h"

#define CORE(name) (1u << VPMU_CORE_##name)
#define A57_A72 (CORE(CORTEX_A57) | CORE(CORTEX_A72))

#define L2D VPMU_SRC_BIT(VPMU_SRC_L2D_CACHE_REFILL_RD)
#define LL VPMU_SRC_BIT(VPMU_SRC_LL_CACHE_MISS_RD)
/* The number is one of a core's own events. */
#define OWN 0x10000u

/*
 * Sorted by number. Cores are 0 if all have the event. Events with a version had reserved numbers
 * before it. Sources are those without which the cache does not exist that is accessed.
 */
static const struct need {
    uint32_t number;
    uint16_t cores;
    uint8_t version;
    vpmu_sources sources;
} needs[] = {
    {0x0016, 0, 0, L2D},
    {0x0020, 0, 0, L2D},
    {0x0029, 0, 0, LL},
    {0x002b, 0, 0, LL},
    {0x002e, CORE(A64FX), 0, 0},
    {0x0030, CORE(A64FX), 0, 0},
    {0x0032, 0, 0, LL},
    {0x0036, 0, 0, LL},
    {0x0038, CORE(CORTEX_A55), 0, 0},
    {VPMU_EVENT_L1D_CACHE_LMISS_RD, 0, VPMU_V3P4, 0},
    {0x0050, 0, 0, L2D},
    {0x0051, 0, 0, L2D},
    {0x0064, A57_A72, 0, 0},
    {0x00a0, 0, 0, LL},
    {0x00c0, CORE(CORTEX_A53), 0, 0},
    {0x00cd, CORE(CORTEX_A55), 0, 0},
    {0x00ce, CORE(CORTEX_A55), 0, 0},
    {0x0105, CORE(A64FX), 0, 0},
    {0x0108, CORE(A64FX), 0, 0},
    {0x0112, CORE(A64FX), 0, 0},
    {0x0113, CORE(A64FX), 0, 0},
    {0x011a, CORE(A64FX), 0, 0},
    {0x0121, CORE(A64FX), 0, 0},
    {0x0123, CORE(A64FX), 0, 0},
    {0x0124, CORE(A64FX), 0, 0},
    {0x0200, CORE(A64FX), 0, 0},
    {0x0300, CORE(A64FX), 0, 0},
    {0x0309, CORE(A64FX), 0, 0},
    {0x0316, CORE(A64FX), 0, 0},
    {0x031e, CORE(A64FX), 0, 0},
    {VPMU_EVENT_L1I_CACHE_LMISS, 0, VPMU_V3P4, 0},
    {VPMU_EVENT_L2D_CACHE_LMISS_RD, 0, VPMU_V3P4, 0},
    {VPMU_EVENT_L3D_CACHE_LMISS_RD, 0, VPMU_V3P4, 0},
    {0x8008, CORE(A64FX), 0, 0},
    {OWN | 0x0043, CORE(CORTEX_A8), 0, L2D},
};

static const struct need *find_need(const struct vpmu_arm_config *config,
                                    const struct vpmu_arm_event *event)
{
    uint32_t number = event->number | (vpmu_event_is_own_(config, event) ? OWN : 0);

    for (size_t i = 0; i < sizeof(needs) / sizeof(needs[0]); i++) {
        if (needs[i].number == number) {
            return &needs[i];
        }
    }
    return NULL;
}

bool vpmu_event_machine_(const struct vpmu_arm_config *config, const struct vpmu_arm_event *event)
{
    const struct need *need = find_need(config, event);

    if (event->number >= VPMU_EVENT_SAMPLE_POP && event->number <= VPMU_EVENT_SAMPLE_COLLISION) {
        return config->samples;
    }
    return !need || (!(need->sources & ~config->sources) &&
                     (!need->cores || (need->cores >> config->core & 1)));
}

unsigned vpmu_event_version_(const struct vpmu_arm_config *config,
                             const struct vpmu_arm_event *event)
{
    const struct need *need = find_need(config, event);

    return need ? need->version : 0;
}

#define ARM 0x41u
#define FUJITSU 0x46u

static const struct {
    uint8_t implementer;
    uint16_t part;
    uint8_t core;
} cores[] = {
    {ARM, 0xc08, VPMU_CORE_CORTEX_A8},   {ARM, 0xc09, VPMU_CORE_CORTEX_A9},
    {ARM, 0xd03, VPMU_CORE_CORTEX_A53},  {ARM, 0xd05, VPMU_CORE_CORTEX_A55},
    {ARM, 0xd07, VPMU_CORE_CORTEX_A57},  {ARM, 0xd08, VPMU_CORE_CORTEX_A72},
    {ARM, 0xd49, VPMU_CORE_NEOVERSE_N2}, {FUJITSU, 0x001, VPMU_CORE_A64FX},
};

enum vpmu_core vpmu_arm_core_find(uint64_t midr)
{
    for (size_t i = 0; i < sizeof(cores) / sizeof(cores[0]); i++) {
        if ((midr >> 24 & 0xff) == cores[i].implementer && (midr >> 4 & 0xfff) == cores[i].part) {
            return (enum vpmu_core)cores[i].core;
        }
    }
    return VPMU_CORE_OTHER;
}
