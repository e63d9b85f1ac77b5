/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* Observers of an x86 processor: contexts say who runs, so where one counts does not change. */
#include "vpmu/x86/observer.h"

#include "../event_text.h"
#include "../refuse.h"
#include "x86_internal.h"

#define BIT(source) VPMU_SRC_BIT(VPMU_X86_SRC_##source)

/* Generic names, as in perf list. */
static const struct {
    const char *name;
    vpmu_sources sources;
} generic[] = {
    {"cycles", BIT(CYCLES)},
    {"cpu-cycles", BIT(CYCLES)},
    {"ref-cycles", BIT(REF_CYCLES)},
    {"bus-cycles", BIT(REF_CYCLES)},
    {"instructions", BIT(INST)},
    {"branches", VPMU_X86_BRANCHES},
    {"branch-instructions", VPMU_X86_BRANCHES},
    {"branch-misses", BIT(BR_MISS)},
    {"cache-references", VPMU_X86_LL_REFERENCES},
    {"cache-misses", VPMU_X86_LL_MISSES},
    {"L1-dcache-loads", BIT(LOAD)},
    {"L1-dcache-stores", BIT(STORE)},
    {"L1-dcache-load-misses", BIT(L1D_MISS_RD)},
    {"L1-icache-loads", BIT(L1I)},
    {"L1-icache-load-misses", BIT(L1I_MISS)},
    {"LLC-loads", BIT(LL_LOAD)},
    {"LLC-load-misses", BIT(LL_LOAD_MISS)},
    {"dTLB-loads", BIT(LOAD)},
    {"dTLB-load-misses", BIT(DTLB_WALK_RD)},
    {"iTLB-loads", BIT(L1I)},
    {"iTLB-load-misses", BIT(ITLB_WALK)},
};

#define EXPECTED                                                                                   \
    "an event is one of perf's generic names, such as instructions, the name of one in the "       \
    "vendor's manual, or r and a hexadecimal number, such as rc0"

static vpmu_sources named_sources(const struct vpmu_x86_config *config, const char *text,
                                  size_t len)
{
    for (size_t i = 0; i < sizeof(generic) / sizeof(generic[0]); i++) {
        if (vpmu_is_name_(generic[i].name, text, len)) {
            return generic[i].sources;
        }
    }
    for (size_t i = 0; i < vpmu_x86_events_count; i++) {
        const struct vpmu_x86_event *event = &vpmu_x86_events[i];

        if (vpmu_is_name_(event->name, text, len) && vpmu_x86_event_counted(config, event)) {
            return event->sources;
        }
    }
    return 0;
}

static void let_in(struct vpmu_observer *o, unsigned modifiers)
{
    static const uint8_t contexts[VPMU_X86_CTX_COUNT] = {
        [VPMU_X86_CTX_USER] = VPMU_MODIFIER_HOST | VPMU_MODIFIER_U,
        [VPMU_X86_CTX_KERNEL] = VPMU_MODIFIER_HOST | VPMU_MODIFIER_K,
        [VPMU_X86_CTX_GUEST_USER] = VPMU_MODIFIER_GUEST | VPMU_MODIFIER_U,
        [VPMU_X86_CTX_GUEST_KERNEL] = VPMU_MODIFIER_GUEST | VPMU_MODIFIER_K,
        [VPMU_X86_CTX_SMM] = VPMU_MODIFIER_HOST | VPMU_MODIFIER_K,
    };

    for (unsigned ctx = 0; ctx < VPMU_X86_CTX_COUNT; ctx++) {
        if (!(contexts[ctx] & ~modifiers)) {
            o->ctx_mask[0] |= (uint16_t)(1u << ctx);
        }
    }
}

int vpmu_x86_observer_parse(const struct vpmu_x86_config *config, const char *text,
                            struct vpmu_observer *o, const char **why)
{
    size_t len = vpmu_event_length_(text);
    vpmu_sources sources = named_sources(config, text, len);
    unsigned modifiers;
    uint64_t select;

    if (!sources) {
        if (!vpmu_raw_number_(text, len, &select)) {
            return vpmu_refuse_(EXPECTED, VPMU_ERR_EVENT, why);
        }
        /* A number with other bits is no event. */
        sources = select & ~VPMU_X86_SEL_EVENT ? 0 : vpmu_x86_event_sources_(config, select);
    }
    if (!vpmu_take_modifiers_(text + len, &modifiers)) {
        return vpmu_refuse_(vpmu_modifiers_expected_, VPMU_ERR_EVENT, why);
    }
    if (!sources || (sources & ~config->sources)) {
        return vpmu_refuse_("this PMU does not tally the sources of this event", VPMU_ERR_EVENT,
                            why);
    }
    *o = (struct vpmu_observer){.sources = sources, .gate = VPMU_UNGATED};
    let_in(o, vpmu_complete_modifiers_(modifiers));
    return 0;
}

int vpmu_x86_observer_add(struct vpmu_x86 *v, struct vpmu_observer *o)
{
    return vpmu_observer_add_(&v->count, o,
                              (uint16_t)(o->ctx_mask[0] & vpmu_below_(VPMU_X86_CTX_COUNT)));
}

uint64_t vpmu_x86_observer_remove(struct vpmu_x86 *v, struct vpmu_observer *o)
{
    return vpmu_observer_remove_(&v->count, o);
}

uint64_t vpmu_x86_observer_read(struct vpmu_x86 *v, const struct vpmu_observer *o)
{
    return vpmu_observer_read_(&v->count, o);
}
