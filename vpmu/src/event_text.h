/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#ifndef VPMU_EVENT_TEXT_H
#define VPMU_EVENT_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vpmu/count.h"

/* event_text.c: events as perf writes them, for all architectures. */

/* The events that perf has names for on all architectures. */
enum vpmu_generic_ {
    VPMU_GENERIC_CYCLES_,
    VPMU_GENERIC_REF_CYCLES_,
    VPMU_GENERIC_BUS_CYCLES_,
    VPMU_GENERIC_INSTRUCTIONS_,
    VPMU_GENERIC_BRANCHES_,
    VPMU_GENERIC_BRANCH_MISSES_,
    VPMU_GENERIC_CACHE_REFERENCES_,
    VPMU_GENERIC_CACHE_MISSES_,
    VPMU_GENERIC_STALLED_FRONTEND_,
    VPMU_GENERIC_STALLED_BACKEND_,
    VPMU_GENERIC_L1D_LOADS_,
    VPMU_GENERIC_L1D_LOAD_MISSES_,
    VPMU_GENERIC_L1D_STORES_,
    VPMU_GENERIC_L1I_LOADS_,
    VPMU_GENERIC_L1I_LOAD_MISSES_,
    VPMU_GENERIC_LL_LOADS_,
    VPMU_GENERIC_LL_LOAD_MISSES_,
    VPMU_GENERIC_DTLB_LOADS_,
    VPMU_GENERIC_DTLB_LOAD_MISSES_,
    VPMU_GENERIC_ITLB_LOADS_,
    VPMU_GENERIC_ITLB_LOAD_MISSES_,
    VPMU_GENERIC_MEM_LOADS_,
    VPMU_GENERIC_MEM_STORES_,
    VPMU_GENERIC_COUNT_,
};

/* The contexts that a combination of modifiers selects. */
struct vpmu_part_ {
    uint8_t world;     /* index of vpmu_observer.ctx_mask */
    uint8_t modifiers; /* the modifiers that select it, one of each kind */
    uint16_t contexts;
};

/* The events and modifiers of an architecture. */
struct vpmu_syntax_ {
    const char *expected; /* what an event can be */
    /*
     * Finds the event with the name or number in the @len characters at @text: its number or its
     * sources, depending on the architecture. @generic is the enum vpmu_generic_ of this name, or
     * VPMU_GENERIC_COUNT_. Returns false if there is no such event.
     */
    bool (*find)(const void *config, enum vpmu_generic_ generic, const char *text, size_t len,
                 vpmu_sources *event);
    const struct vpmu_part_ *parts;
    size_t part_count;
};

/* Tells whether @name equals the @len characters at @text, ignoring case. */
bool vpmu_is_name_(const char *name, const char *text, size_t len);

/* Parses r and one to sixteen hexadecimal digits, which must be all @len characters. */
bool vpmu_raw_number_(const char *text, size_t len, uint64_t *number);

/* Parses EVENT or EVENT:MODIFIERS. Returns 0, or -VPMU_ERR_EVENT. */
int vpmu_event_parse_(const struct vpmu_syntax_ *syntax, const void *config, const char *text,
                      vpmu_sources *event, unsigned *modifiers, const char **why);

/*
 * Makes an observer of these sources in the contexts that the modifiers select. Returns 0, or
 * -VPMU_ERR_EVENT if there are no sources.
 */
int vpmu_observer_make_(const struct vpmu_syntax_ *syntax, vpmu_sources sources, unsigned modifiers,
                        struct vpmu_observer *o, const char **why);

#endif
