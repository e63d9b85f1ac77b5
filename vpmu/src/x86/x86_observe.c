/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/*
 * Observers of an x86 processor. Contexts imply who runs, so the contexts of an observer do not
 * change.
 */
#include "vpmu/x86/observer.h"

#include "../event_text.h"
#include "x86_internal.h"

#define BIT(source) VPMU_SRC_BIT(VPMU_X86_SRC_##source)

/* The sources of perf's generic names. */
static const vpmu_sources generic_sources[VPMU_GENERIC_COUNT_] = {
    [VPMU_GENERIC_CYCLES_] = BIT(CYCLES),
    [VPMU_GENERIC_REF_CYCLES_] = BIT(REF_CYCLES),
    [VPMU_GENERIC_BUS_CYCLES_] = BIT(REF_CYCLES),
    [VPMU_GENERIC_INSTRUCTIONS_] = BIT(INST),
    [VPMU_GENERIC_BRANCHES_] = VPMU_X86_BRANCHES,
    [VPMU_GENERIC_BRANCH_MISSES_] = BIT(BR_MISS),
    [VPMU_GENERIC_CACHE_REFERENCES_] = VPMU_X86_LL_REFERENCES,
    [VPMU_GENERIC_CACHE_MISSES_] = VPMU_X86_LL_MISSES,
    [VPMU_GENERIC_L1D_LOADS_] = BIT(LOAD),
    [VPMU_GENERIC_L1D_LOAD_MISSES_] = BIT(L1D_MISS_RD),
    [VPMU_GENERIC_L1D_STORES_] = BIT(STORE),
    [VPMU_GENERIC_L1I_LOADS_] = BIT(L1I),
    [VPMU_GENERIC_L1I_LOAD_MISSES_] = BIT(L1I_MISS),
    [VPMU_GENERIC_LL_LOADS_] = BIT(LL_LOAD),
    [VPMU_GENERIC_LL_LOAD_MISSES_] = BIT(LL_LOAD_MISS),
    [VPMU_GENERIC_DTLB_LOADS_] = BIT(LOAD),
    [VPMU_GENERIC_DTLB_LOAD_MISSES_] = BIT(DTLB_WALK_RD),
    [VPMU_GENERIC_ITLB_LOADS_] = BIT(L1I),
    [VPMU_GENERIC_ITLB_LOAD_MISSES_] = BIT(ITLB_WALK),
    [VPMU_GENERIC_MEM_LOADS_] = BIT(LOAD),
    [VPMU_GENERIC_MEM_STORES_] = BIT(STORE),
};

/*
 * The sources of an event that an observer can count: a sum of totals. An observer of load
 * latencies would depend on the threshold, which the guest sets. Cycles of the bus are not totals.
 */
static vpmu_sources observable(const struct vpmu_x86_config *config,
                               const struct vpmu_x86_event *event)
{
    bool divided = event && event->bus && config->bus_ratio > 1;

    return !event || divided || (event->sources & BIT(LOAD_LATENCY)) ? 0 : event->sources;
}

/* The same of a number. It may have CMASK, INV and Edge only if they are part of the event. */
static vpmu_sources observable_number(const struct vpmu_x86_config *config, uint64_t select)
{
    const struct vpmu_x86_event *event = vpmu_x86_event_find(config, select);

    if (event && event->select == select) {
        return observable(config, event);
    }
    return select & ~vpmu_x86_event_mask_(config) ? 0 : vpmu_x86_event_sources(config, select);
}

/* Finds the sources of an event; none if a number is no event or has other bits. */
static bool find(const void *config, enum vpmu_generic_ generic, const char *text, size_t len,
                 vpmu_sources *sources)
{
    const uint64_t bus_cycles = 0x013c;
    uint64_t select;

    if (generic == VPMU_GENERIC_BUS_CYCLES_ && vpmu_x86_event_find(config, bus_cycles)) {
        *sources = observable(config, vpmu_x86_event_find(config, bus_cycles));
        return true;
    }
    if (generic != VPMU_GENERIC_COUNT_ && generic_sources[generic]) {
        *sources = generic_sources[generic];
        return true;
    }
    for (size_t i = 0; i < vpmu_x86_events_count; i++) {
        const struct vpmu_x86_event *event = &vpmu_x86_events[i];

        if (vpmu_is_name_(event->name, text, len) && vpmu_x86_event_counted(config, event)) {
            *sources = observable(config, event);
            return true;
        }
    }
    if (!vpmu_raw_number_(text, len, &select)) {
        return false;
    }
    *sources = observable_number(config, select);
    return true;
}

static const struct vpmu_part_ parts[] = {
    {0, VPMU_MODIFIER_HOST | VPMU_MODIFIER_U, 1u << VPMU_X86_CTX_USER},
    {0, VPMU_MODIFIER_HOST | VPMU_MODIFIER_K, 1u << VPMU_X86_CTX_KERNEL | 1u << VPMU_X86_CTX_SMM},
    {0, VPMU_MODIFIER_GUEST | VPMU_MODIFIER_U, 1u << VPMU_X86_CTX_GUEST_USER},
    {0, VPMU_MODIFIER_GUEST | VPMU_MODIFIER_K, 1u << VPMU_X86_CTX_GUEST_KERNEL},
};

static const struct vpmu_syntax_ syntax = {
    .expected =
        "an event is one of perf's generic names, such as instructions, the name of one in the "
        "vendor's manual, or r and a hexadecimal number, such as rc0",
    .find = find,
    .parts = parts,
    .part_count = sizeof(parts) / sizeof(parts[0]),
};

int vpmu_x86_observer_parse(const struct vpmu_x86_config *config, const char *text,
                            struct vpmu_observer *o, const char **why)
{
    vpmu_sources sources;
    unsigned modifiers;
    int err = vpmu_event_parse_(&syntax, config, text, &sources, &modifiers, why);

    if (err) {
        return err;
    }
    return vpmu_observer_make_(&syntax, sources & ~config->sources ? 0 : sources, modifiers, o,
                               why);
}

int vpmu_x86_observer_add(struct vpmu_x86 *v, struct vpmu_observer *o, const struct vpmu_now *now)
{
    return vpmu_observer_add_(&v->count, o,
                              (uint16_t)(o->ctx_mask[0] & vpmu_below_(VPMU_X86_CTX_COUNT)), now);
}

int vpmu_x86_observer_remove(struct vpmu_x86 *v, struct vpmu_observer *o,
                             const struct vpmu_now *now, uint64_t *count)
{
    return vpmu_observer_remove_(&v->count, o, now, count);
}

uint64_t vpmu_x86_observer_read(struct vpmu_x86 *v, const struct vpmu_observer *o,
                                const struct vpmu_now *now)
{
    return vpmu_observer_read_(&v->count, o, now);
}
