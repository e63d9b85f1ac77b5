/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TESTS_STEPS_H
#define TESTS_STEPS_H

#include "tests/events/events.h"

/*
 * Loops in steps_asm.S with the counts of every instruction, so that the instruction at which a
 * counter reaches any number is known.
 */
#define STEP_COLUMNS 25

#ifndef __ASSEMBLER__
#include <stdbool.h>
#include <stdint.h>

/* These columns are in addition to those of events.h. */
#define CYCLES (STEP_COLUMNS - 1)

struct step {
    uint64_t address;
    uint8_t counts[STEP_COLUMNS];
    uint8_t late;
};

_Static_assert(CYCLES == COLUMNS, "steps_asm.S");
_Static_assert(sizeof(struct step) == 40, "steps_asm.S");

/* The last step, which counts as nothing, comes after the loop. */
struct steps {
    level_fn code;
    struct step steps[];
};

extern const struct steps steps_memory, steps_branches, steps_computing, steps_calls,
    steps_el1_only, steps_cycles;

/* The counts of one iteration. */
unsigned steps_per_iteration(const struct steps *s, uint32_t columns);

/**
 * steps_find() - the step at which a counter is full
 * @columns: mask of columns, whose sum is the event.
 * @k: number of the event, from 1 on.
 * @address: is set to the address of the next instruction, where an interrupt is taken.
 *
 * Return: the number of steps before it, or UINT64_MAX if there are fewer events.
 */
uint64_t steps_find(const struct steps *s, uint32_t columns, uint64_t k, uint64_t iterations,
                    uint64_t *address);

#endif
#endif
