/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#ifndef VPMU_TESTS_MODEL_EVENTS_H
#define VPMU_TESTS_MODEL_EVENTS_H

#include <stddef.h>
#include <stdint.h>

#include "vpmu/arm/events.h"

/* Sources of the event that has the most: EXC_TAKEN. */
#define MODEL_MAX_SOURCES 13

/**
 * struct model_sum - what an event is, in terms of what the machine tallies
 * @name: the architecture's mnemonic.
 * @count: how many sources it is the sum of; 0 for SW_INCR and CHAIN.
 * @sources: enum vpmu_source, each once.
 */
struct model_sum {
    const char *name;
    size_t count;
    uint8_t sources[MODEL_MAX_SOURCES];
};

/*
 * The event of this number, NULL if there is none. Written by hand from Arm ARM D14.12, not from
 * the library's table.
 */
const struct model_sum *model_sum(unsigned number);

/* The same as a mask; 0 if there is none. */
uint64_t model_sum_mask(unsigned number);

#endif
