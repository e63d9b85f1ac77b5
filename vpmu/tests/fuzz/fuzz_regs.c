/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/*
 * Fuzz target: the input is a sequence of choices, which property takes from a pseudo-random
 * sequence. The library is compared with the reference model.
 */
#include <stdlib.h>

#include "fuzz.h"
#include "lockstep.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const uint8_t nothing[1];
    static struct lockstep pair;
    struct chooser c = {.bytes = size > 0 ? data : nothing, .left = size};

    lockstep_start(&pair, &c);
    while (c.left > 0) {
        if (!lockstep_step(&pair, &c)) {
            abort();
        }
    }
    return 0;
}

/* Random bytes are enough as input. */
size_t fuzz_make_input(struct chooser *c, uint8_t *buf, size_t max)
{
    size_t size = choose_below(c, max / 4);

    for (size_t i = 0; i < size; i++) {
        buf[i] = (uint8_t)choose_bits(c);
    }
    return size;
}
