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

/* A number that came with a name means the architecture's event, whatever the core calls it. */
#define BY_NAME 0x10000u

static bool find_own(const struct vpmu_arm_config *config, const char *text, size_t len,
                     vpmu_sources *number)
{
    const struct vpmu_arm_event *event;

    for (size_t i = 0; config && (event = vpmu_event_own_(config, i)) != NULL; i++) {
        if (vpmu_is_name_(event->name, text, len)) {
            *number = event->number;
            return true;
        }
    }
    return false;
}

/* Finds the number of an event. A raw number has one to four digits, and need not be an event. */
static bool find(const void *config, enum vpmu_generic_ generic, const char *text, size_t len,
                 vpmu_sources *number)
{
    uint64_t raw;

    if (generic != VPMU_GENERIC_COUNT_ && numbers[generic]) {
        *number = BY_NAME | numbers[generic];
        return true;
    }
    for (size_t i = 0; i < vpmu_events_count; i++) {
        if (vpmu_is_name_(vpmu_events[i].name, text, len)) {
            *number = BY_NAME | vpmu_events[i].number;
            return true;
        }
    }
    if (find_own(config, text, len, number)) {
        return true;
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

/*
 * On a PE without AArch64, Secure PL1 is EL3 (Arm ARM G1.9.1): an operating system that boards
 * enter in Secure state has its kernel there.
 */
static const struct vpmu_part_ parts_32[] = {
    {VPMU_WORLD_NVHE, HOST | USER, VPMU_CTXS_AT(0)},
    {VPMU_WORLD_NVHE, HOST | KERNEL, VPMU_CTXS_AT(1) | VPMU_CTXS_AT(3)},
    {VPMU_WORLD_NVHE, HOST | HYPERVISOR, VPMU_CTXS_AT(2)},
    {VPMU_WORLD_GUEST, GUEST | USER, VPMU_CTXS_AT(0)},
    {VPMU_WORLD_GUEST, GUEST | KERNEL, VPMU_CTXS_AT(1)},
    {VPMU_WORLD_GUEST, HOST | HYPERVISOR, VPMU_CTXS_AT(3)},
};

#define SYNTAX(table)                                                                              \
    {                                                                                              \
        .expected = "an event is one of perf's generic names, such as instructions, a name of "    \
                    "the Arm ARM, such as l1d_cache_refill, or r and a hexadecimal number, such "  \
                    "as r08",                                                                      \
        .find = find, .parts = table, .part_count = sizeof(table) / sizeof((table)[0]),            \
    }

static const struct vpmu_syntax_ syntax = SYNTAX(parts);
static const struct vpmu_syntax_ syntax_32 = SYNTAX(parts_32);

int vpmu_arm_event_parse(const char *text, uint16_t *number, unsigned *modifiers, const char **why)
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

int vpmu_arm_observer_parse(const struct vpmu_arm_config *config, const char *text,
                            struct vpmu_observer *o, const char **why)
{
    const struct vpmu_syntax_ *own = vpmu_has_(config, VPMU_HAS_NO_AARCH64) ? &syntax_32 : &syntax;
    const struct vpmu_arm_event *event;
    vpmu_sources sources = 0, found;
    unsigned modifiers;
    uint16_t number;
    int err = vpmu_event_parse_(own, config, text, &found, &modifiers, why);

    if (err) {
        return err;
    }
    number = (uint16_t)found;
    event = found & BY_NAME ? vpmu_arm_event_find(number) : vpmu_arm_event_at(config, number);
    /* Observers do not know where SPE samples. */
    if (event && vpmu_event_tallied_(config, event) && number != VPMU_EVENT_SAMPLE_POP) {
        sources = event->sources;
    }
    return vpmu_observer_make_(own, sources, modifiers, o, why);
}
