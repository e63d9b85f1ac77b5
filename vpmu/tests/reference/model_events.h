/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#ifndef VPMU_TESTS_MODEL_EVENTS_H
#define VPMU_TESTS_MODEL_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vpmu/arm/events.h"

/* The number of sources of EXC_TAKEN, which has the most. */
#define MODEL_MAX_SOURCES 13

/**
 * struct model_sum - the sources of an event
 * @name: the architecture's mnemonic.
 * @count: the number of sources; 0 for SW_INCR and CHAIN.
 * @sources: enum vpmu_source, each at most once.
 * @cache: a source of the cache without which there is no such event; 0: none.
 * @of_spe: the event is one of SPE.
 * @cores: 1 << enum vpmu_core of those that have the event; 0: all.
 */
struct model_sum {
    const char *name;
    size_t count;
    uint8_t sources[MODEL_MAX_SOURCES];
    uint8_t cache;
    uint8_t cores;
    bool of_spe;
};

/*
 * Looks up an event by number; NULL if it does not exist. The table is written by hand from Arm ARM
 * D14.12, not from the library's table.
 */
const struct model_sum *model_sum(unsigned number);

/* What a number means on a core, enum vpmu_core: two of them have numbers of their own. */
const struct model_sum *model_sum_of(unsigned core, unsigned number);

/* The sources of an event as a mask; 0 if it does not exist. */
vpmu_sources model_sum_mask(unsigned number);
vpmu_sources model_sum_mask_of(unsigned core, unsigned number);

#endif
