/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* Parses the event of an observer in perf's syntax. */
#include "vpmu/arm/observer.h"

#include "../../event_text.h"
#include "../arm_internal.h"

/* The events that Linux's driver maps perf's generic names to. */
static const uint16_t numbers[VPMU_GENERIC_COUNT_] = {
    [VPMU_GENERIC_CYCLES_] = 0x11,           [VPMU_GENERIC_BUS_CYCLES_] = 0x1d,
    [VPMU_GENERIC_INSTRUCTIONS_] = 0x08,     [VPMU_GENERIC_BRANCHES_] = 0x21,
    [VPMU_GENERIC_BRANCH_MISSES_] = 0x10,    [VPMU_GENERIC_CACHE_REFERENCES_] = 0x04,
    [VPMU_GENERIC_CACHE_MISSES_] = 0x03,     [VPMU_GENERIC_STALLED_FRONTEND_] = 0x23,
    [VPMU_GENERIC_STALLED_BACKEND_] = 0x24,  [VPMU_GENERIC_L1D_LOADS_] = 0x04,
    [VPMU_GENERIC_L1D_LOAD_MISSES_] = 0x03,  [VPMU_GENERIC_L1I_LOADS_] = 0x14,
    [VPMU_GENERIC_L1I_LOAD_MISSES_] = 0x01,  [VPMU_GENERIC_LL_LOADS_] = 0x36,
    [VPMU_GENERIC_LL_LOAD_MISSES_] = 0x37,   [VPMU_GENERIC_DTLB_LOADS_] = 0x25,
    [VPMU_GENERIC_DTLB_LOAD_MISSES_] = 0x05, [VPMU_GENERIC_ITLB_LOADS_] = 0x26,
    [VPMU_GENERIC_ITLB_LOAD_MISSES_] = 0x02, [VPMU_GENERIC_MEM_LOADS_] = 0x06,
    [VPMU_GENERIC_MEM_STORES_] = 0x07,
};

/* Finds the number of an event. A raw number has one to four digits, and need not be an event. */
static bool find(const void *config, enum vpmu_generic_ generic, const char *text, size_t len,
                 vpmu_sources *number)
{
    uint64_t raw;

    (void)config;
    if (generic != VPMU_GENERIC_COUNT_ && numbers[generic]) {
        *number = numbers[generic];
        return true;
    }
    for (size_t i = 0; i < vpmu_events_count; i++) {
        if (vpmu_is_name_(vpmu_events[i].name, text, len)) {
            *number = vpmu_events[i].number;
            return true;
        }
    }
    if (len > 5 || !vpmu_raw_number_(text, len, &raw)) {
        return false;
    }
    *number = raw;
    return true;
}

enum {
    USER = VPMU_MODIFIER_U,
    KERNEL = VPMU_MODIFIER_K,
    HYPERVISOR = VPMU_MODIFIER_H,
    GUEST = VPMU_MODIFIER_GUEST,
    HOST = VPMU_MODIFIER_HOST,
};

/*
 * What runs at each exception level for each enum vpmu_world. EL2 is the kernel of a VHE host. EL3
 * never belongs to a guest.
 */
static const struct vpmu_part_ parts[] = {
    {VPMU_WORLD_NVHE, HOST | USER, VPMU_CTXS_AT(0)},
    {VPMU_WORLD_NVHE, HOST | KERNEL, VPMU_CTXS_AT(1)},
    {VPMU_WORLD_NVHE, HOST | HYPERVISOR, VPMU_CTXS_AT(2) | VPMU_CTXS_AT(3)},
    {VPMU_WORLD_VHE, HOST | USER, VPMU_CTXS_AT(0)},
    {VPMU_WORLD_VHE, HOST | KERNEL, VPMU_CTXS_AT(1) | VPMU_CTXS_AT(2)},
    {VPMU_WORLD_VHE, HOST | HYPERVISOR, VPMU_CTXS_AT(3)},
    {VPMU_WORLD_GUEST, GUEST | USER, VPMU_CTXS_AT(0)},
    {VPMU_WORLD_GUEST, GUEST | KERNEL, VPMU_CTXS_AT(1)},
    {VPMU_WORLD_GUEST, HOST | HYPERVISOR, VPMU_CTXS_AT(3)},
};

static const struct vpmu_syntax_ syntax = {
    .expected = "an event is one of perf's generic names, such as instructions, a name of the Arm "
                "ARM, such as l1d_cache_refill, or r and a hexadecimal number, such as r08",
    .find = find,
    .parts = parts,
    .part_count = sizeof(parts) / sizeof(parts[0]),
};

int vpmu_event_parse(const char *text, uint16_t *number, unsigned *modifiers, const char **why)
{
    vpmu_sources found;
    unsigned given;
    int err = vpmu_event_parse_(&syntax, NULL, text, &found, &given, why);

    if (!err) {
        *number = (uint16_t)found;
        *modifiers = given;
    }
    return err;
}

int vpmu_observer_parse(const struct vpmu_config *config, const char *text, struct vpmu_observer *o,
                        const char **why)
{
    const struct vpmu_event *event;
    vpmu_sources sources = 0;
    unsigned modifiers;
    uint16_t number;
    int err = vpmu_event_parse(text, &number, &modifiers, why);

    if (err) {
        return err;
    }
    event = vpmu_event_find(number);
    /* Observers do not know where SPE samples. */
    if (event && vpmu_event_tallied_(config, event) && number != VPMU_EVENT_SAMPLE_POP) {
        sources = event->sources;
    }
    return vpmu_observer_make_(&syntax, sources, modifiers, o, why);
}
