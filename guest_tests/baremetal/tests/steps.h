/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TESTS_STEPS_H
#define TESTS_STEPS_H

#include "tests/events.h"

/*
 * Loops of which every instruction says what it counts as, in steps_asm.S, so that it is known at
 * which one a counter gets to any number.
 */
#define STEP_COLUMNS 20

#ifndef __ASSEMBLER__
#include <stdbool.h>
#include <stdint.h>

/* Beyond the columns of events.h. */
#define CYCLES (STEP_COLUMNS - 1)

struct step {
    uint64_t address;
    uint8_t counts[STEP_COLUMNS];
    uint8_t late;
};

_Static_assert(CYCLES == COLUMNS, "steps_asm.S");
_Static_assert(sizeof(struct step) == 32, "steps_asm.S");

/* The last step, which counts as nothing, is behind the loop. */
struct steps {
    level_fn code;
    struct step steps[];
};

extern const struct steps steps_memory, steps_branches, steps_computing, steps_calls,
    steps_el1_only, steps_cycles;

/* What one iteration counts as. */
unsigned steps_per_iteration(const struct steps *s, uint32_t columns);

/**
 * steps_find() - the step at which a counter is full
 * @columns: mask of columns, whose sum is the event.
 * @k: which event, from 1 on.
 * @address: set to that of the instruction after it, where an interrupt is taken.
 *
 * Return: how many steps come before it, or UINT64_MAX if there are fewer events.
 */
uint64_t steps_find(const struct steps *s, uint32_t columns, uint64_t k, uint64_t iterations,
                    uint64_t *address);

#endif
#endif
