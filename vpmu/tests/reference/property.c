/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/*
 * property [seed] [steps] [from]: the library and the reference model do the same random steps and
 * must agree. From step @from on (default: never), everything is compared after each step, on a
 * copy.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "lockstep.h"

#define DEFAULT_STEPS 1000000
#define STEPS_PER_MACHINE 600

int main(int argc, char **argv)
{
    static struct lockstep pair;
    uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 0) : choose_seed();
    uint64_t steps = argc > 2 ? strtoull(argv[2], NULL, 0) : DEFAULT_STEPS;
    uint64_t from = argc > 3 ? strtoull(argv[3], NULL, 0) : UINT64_MAX;
    struct chooser c = {.state = seed};

    printf("property: seed %#" PRIx64 "\n", seed);
    fflush(stdout);
    lockstep_start(&pair, &c);
    if (!lockstep_compare_encodings(&pair)) {
        return 1;
    }
    for (uint64_t step = 0; step < steps; step++) {
        if (step % STEPS_PER_MACHINE == 0) {
            lockstep_start(&pair, &c);
        }
        if (!lockstep_step(&pair, &c) || (step >= from && !lockstep_compare_copy(&pair))) {
            fprintf(stderr, "property: disagreement at step %" PRIu64 " of seed %#" PRIx64 "\n",
                    step, seed);
            return 1;
        }
    }
    printf("property: %" PRIu64 " steps agreed, seed %#" PRIx64 "\n", steps, seed);
    return 0;
}
