/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/models/steps.h"

static unsigned length_of(const struct steps *s)
{
    unsigned n = 0;

    while (s->steps[n].counts[INST]) {
        n++;
    }
    return n;
}

static unsigned count_of(const struct step *step, uint32_t columns)
{
    unsigned sum = 0;

    for (unsigned column = 0; column < STEP_COLUMNS; column++) {
        sum += columns >> column & 1 ? step->counts[column] : 0;
    }
    return sum;
}

unsigned steps_per_iteration(const struct steps *s, uint32_t columns)
{
    unsigned sum = 0;

    for (unsigned n = 0; s->steps[n].counts[INST]; n++) {
        sum += count_of(&s->steps[n], columns);
    }
    return sum;
}

/* The last backward branch is not taken and does not change the PC. */
static uint32_t columns_at(uint32_t columns, bool is_last)
{
    return is_last ? columns & ~(1u << PC_WRITE) : columns;
}

uint64_t steps_find(const struct steps *s, uint32_t columns, uint64_t k, uint64_t iterations,
                    uint64_t *address)
{
    unsigned length = length_of(s), each = steps_per_iteration(s, columns);
    uint64_t i = (k - 1) / each, total = i * each;

    for (; i < iterations; i++) {
        for (unsigned n = 0; n < length; n++) {
            bool is_last = i + 1 == iterations && n + 1 == length;

            total += count_of(&s->steps[n], columns_at(columns, is_last));
            if (total >= k) {
                *address =
                    s->steps[n + 1 == length && !is_last ? 0 : n + 1 + s->steps[n].late].address;
                return i * length + n;
            }
        }
    }
    return UINT64_MAX;
}
