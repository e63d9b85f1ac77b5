/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* Parses the event of an observer in perf's syntax. */
#include "vpmu/arm/observer.h"

#include "../../event_text.h"
#include "../../refuse.h"
#include "../arm_internal.h"

/* Generic names, as in perf list, and the events that Linux's driver maps them to. */
static const struct {
    const char *name;
    uint16_t number;
} generic[] = {
    {"cpu-cycles", 0x11},
    {"cycles", 0x11},
    {"instructions", 0x08},
    {"cache-references", 0x04},
    {"cache-misses", 0x03},
    {"branches", 0x21},
    {"branch-instructions", 0x21},
    {"branch-misses", 0x10},
    {"bus-cycles", 0x1d},
    {"stalled-cycles-frontend", 0x23},
    {"idle-cycles-frontend", 0x23},
    {"stalled-cycles-backend", 0x24},
    {"idle-cycles-backend", 0x24},
    {"L1-dcache-loads", 0x04},
    {"L1-dcache-load-misses", 0x03},
    {"L1-icache-loads", 0x14},
    {"L1-icache-load-misses", 0x01},
    {"dTLB-loads", 0x25},
    {"dTLB-load-misses", 0x05},
    {"iTLB-loads", 0x26},
    {"iTLB-load-misses", 0x02},
    {"LLC-loads", 0x36},
    {"LLC-load-misses", 0x37},
};

#define EXPECTED                                                                                   \
    "an event is one of perf's generic names, such as instructions, a name of the Arm ARM, such "  \
    "as l1d_cache_refill, or r and a hexadecimal number, such as r08"

/* Parses r and one to four hexadecimal digits; -1 for other text. */
static int raw_number(const char *text, size_t len)
{
    uint64_t number;

    return len <= 5 && vpmu_raw_number_(text, len, &number) ? (int)number : -1;
}

/* The number of the event with this name; -1 if there is none. */
static int find_number(const char *text, size_t len)
{
    for (size_t i = 0; i < sizeof(generic) / sizeof(generic[0]); i++) {
        if (vpmu_is_name_(generic[i].name, text, len)) {
            return generic[i].number;
        }
    }
    for (size_t i = 0; i < vpmu_events_count; i++) {
        if (vpmu_is_name_(vpmu_events[i].name, text, len)) {
            return vpmu_events[i].number;
        }
    }
    return raw_number(text, len);
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
static const struct {
    uint8_t world;
    uint8_t modifiers; /* the modifiers that select it, one of each kind */
    uint16_t contexts;
} parts[] = {
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

static void let_in(struct vpmu_observer *o, unsigned modifiers)
{
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        if (!(parts[i].modifiers & ~modifiers)) {
            o->ctx_mask[parts[i].world] |= parts[i].contexts;
        }
    }
}

int vpmu_event_parse(const char *text, uint16_t *number, unsigned *modifiers, const char **why)
{
    size_t len = vpmu_event_length_(text);
    int found = find_number(text, len);
    unsigned given;

    if (found < 0) {
        return vpmu_refuse_(EXPECTED, VPMU_ERR_EVENT, why);
    }
    if (!vpmu_take_modifiers_(text + len, &given)) {
        return vpmu_refuse_(vpmu_modifiers_expected_, VPMU_ERR_EVENT, why);
    }
    *number = (uint16_t)found;
    *modifiers = given;
    return 0;
}

int vpmu_observer_parse(const struct vpmu_config *config, const char *text, struct vpmu_observer *o,
                        const char **why)
{
    const struct vpmu_event *event;
    unsigned modifiers;
    uint16_t number;
    int err = vpmu_event_parse(text, &number, &modifiers, why);

    if (err) {
        return err;
    }
    event = vpmu_event_find(number);
    if (!event || !event->sources || !vpmu_event_tallied_(config, event)) {
        return vpmu_refuse_("this PMU does not tally the sources of this event", VPMU_ERR_EVENT,
                            why);
    }
    *o = (struct vpmu_observer){.sources = event->sources, .gate = VPMU_UNGATED};
    let_in(o, vpmu_complete_modifiers_(modifiers));
    return 0;
}
