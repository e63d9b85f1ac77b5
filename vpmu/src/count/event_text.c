/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* Parses events in perf's syntax: a name, or r and a number; then a colon and modifiers. */
#include "../event_text.h"

#include "../refuse.h"
#include "vpmu/errors.h"

#define LEVELS (VPMU_MODIFIER_U | VPMU_MODIFIER_K | VPMU_MODIFIER_H)
#define SIDES (VPMU_MODIFIER_GUEST | VPMU_MODIFIER_HOST)

/* Generic names, as in perf list. */
static const struct {
    const char *name;
    enum vpmu_generic_ generic;
} names[] = {
    {"cpu-cycles", VPMU_GENERIC_CYCLES_},
    {"cycles", VPMU_GENERIC_CYCLES_},
    {"ref-cycles", VPMU_GENERIC_REF_CYCLES_},
    {"bus-cycles", VPMU_GENERIC_BUS_CYCLES_},
    {"instructions", VPMU_GENERIC_INSTRUCTIONS_},
    {"branches", VPMU_GENERIC_BRANCHES_},
    {"branch-instructions", VPMU_GENERIC_BRANCHES_},
    {"branch-misses", VPMU_GENERIC_BRANCH_MISSES_},
    {"cache-references", VPMU_GENERIC_CACHE_REFERENCES_},
    {"cache-misses", VPMU_GENERIC_CACHE_MISSES_},
    {"stalled-cycles-frontend", VPMU_GENERIC_STALLED_FRONTEND_},
    {"idle-cycles-frontend", VPMU_GENERIC_STALLED_FRONTEND_},
    {"stalled-cycles-backend", VPMU_GENERIC_STALLED_BACKEND_},
    {"idle-cycles-backend", VPMU_GENERIC_STALLED_BACKEND_},
    {"L1-dcache-loads", VPMU_GENERIC_L1D_LOADS_},
    {"L1-dcache-load-misses", VPMU_GENERIC_L1D_LOAD_MISSES_},
    {"L1-dcache-stores", VPMU_GENERIC_L1D_STORES_},
    {"L1-icache-loads", VPMU_GENERIC_L1I_LOADS_},
    {"L1-icache-load-misses", VPMU_GENERIC_L1I_LOAD_MISSES_},
    {"LLC-loads", VPMU_GENERIC_LL_LOADS_},
    {"LLC-load-misses", VPMU_GENERIC_LL_LOAD_MISSES_},
    {"dTLB-loads", VPMU_GENERIC_DTLB_LOADS_},
    {"dTLB-load-misses", VPMU_GENERIC_DTLB_LOAD_MISSES_},
    {"iTLB-loads", VPMU_GENERIC_ITLB_LOADS_},
    {"iTLB-load-misses", VPMU_GENERIC_ITLB_LOAD_MISSES_},
    {"mem-loads", VPMU_GENERIC_MEM_LOADS_},
    {"mem-stores", VPMU_GENERIC_MEM_STORES_},
};

static char lower(char c)
{
    return (char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
}

bool vpmu_is_name_(const char *name, const char *text, size_t len)
{
    size_t i = 0;

    while (i < len && name[i] && lower(name[i]) == lower(text[i])) {
        i++;
    }
    return i == len && !name[i];
}

static int hex_digit(char c)
{
    return c >= '0' && c <= '9'                 ? c - '0'
           : lower(c) >= 'a' && lower(c) <= 'f' ? lower(c) - 'a' + 10
                                                : -1;
}

bool vpmu_raw_number_(const char *text, size_t len, uint64_t *number)
{
    if (len < 2 || len > 17 || text[0] != 'r') {
        return false;
    }
    *number = 0;
    for (size_t i = 1; i < len; i++) {
        int digit = hex_digit(text[i]);

        if (digit < 0) {
            return false;
        }
        *number = *number << 4 | (unsigned)digit;
    }
    return true;
}

static const struct {
    char letter;
    unsigned bit;
} letters[] = {
    {'u', VPMU_MODIFIER_U},     {'k', VPMU_MODIFIER_K},    {'h', VPMU_MODIFIER_H},
    {'G', VPMU_MODIFIER_GUEST}, {'H', VPMU_MODIFIER_HOST},
};

/*
 * Parses the modifiers after an event: nothing, or a colon and letters. Returns false for anything
 * else.
 */
static bool parse_modifiers(const char *text, unsigned *modifiers)
{
    *modifiers = 0;
    if (!*text) {
        return true;
    }
    while (*++text) {
        size_t i = 0;

        while (i < sizeof(letters) / sizeof(letters[0]) && letters[i].letter != *text) {
            i++;
        }
        if (i == sizeof(letters) / sizeof(letters[0])) {
            return false;
        }
        *modifiers |= letters[i].bit;
    }
    return *modifiers != 0;
}

static enum vpmu_generic_ find_generic(const char *text, size_t len)
{
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (vpmu_is_name_(names[i].name, text, len)) {
            return names[i].generic;
        }
    }
    return VPMU_GENERIC_COUNT_;
}

int vpmu_event_parse_(const struct vpmu_syntax_ *syntax, const void *config, const char *text,
                      vpmu_sources *event, unsigned *modifiers, const char **why)
{
    size_t len = 0;

    while (text[len] && text[len] != ':') {
        len++;
    }
    if (!syntax->find(config, find_generic(text, len), text, len, event)) {
        return vpmu_refuse_(syntax->expected, VPMU_ERR_EVENT, why);
    }
    if (!parse_modifiers(text + len, modifiers)) {
        return vpmu_refuse_("modifiers are u, k and h for exception levels, G and H for guests and "
                            "the host",
                            VPMU_ERR_EVENT, why);
    }
    return 0;
}

int vpmu_observer_make_(const struct vpmu_syntax_ *syntax, vpmu_sources sources, unsigned modifiers,
                        struct vpmu_observer *o, const char **why)
{
    if (!sources) {
        return vpmu_refuse_("this PMU does not tally the sources of this event", VPMU_ERR_EVENT,
                            why);
    }
    *o = (struct vpmu_observer){.sources = sources, .gate = VPMU_UNGATED};
    /* If no modifier of a kind is given, all are meant. */
    modifiers |= (modifiers & LEVELS ? 0 : LEVELS) | (modifiers & SIDES ? 0 : SIDES);
    for (size_t i = 0; i < syntax->part_count; i++) {
        const struct vpmu_part_ *part = &syntax->parts[i];

        if (!(part->modifiers & ~modifiers)) {
            o->ctx_mask[part->world] |= part->contexts;
        }
    }
    return 0;
}
