/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/*
 * fuzz_state [seed] [runs], fuzz_regs [seed] [runs]: fuzz targets without libFuzzer.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

#define DEFAULT_RUNS 20000
#define INPUT_SIZE 4096

static size_t random_input(struct chooser *c, uint8_t *buf)
{
    size_t size = choose_below(c, choose_one_in(c, 2) ? 32 : INPUT_SIZE);

    for (size_t i = 0; i < size; i++) {
        buf[i] = (uint8_t)choose_bits(c);
    }
    return size;
}

static size_t mutate(struct chooser *c, uint8_t *buf, size_t size)
{
    static const uint8_t values[] = {0, 1, 0x7f, 0x80, 0xff};
    size_t at = choose_below(c, size + 1);

    switch (choose_below(c, 6)) {
    case 0:
        return choose_one_in(c, 8) ? at : size;
    case 1:
        return size < INPUT_SIZE ? size + 1 : size;
    case 2:
        memmove(buf, buf + at, size - at);
        return size;
    case 3:
        buf[at % INPUT_SIZE] = values[choose_below(c, sizeof(values))];
        return size;
    default:
        buf[at % INPUT_SIZE] ^= (uint8_t)(1u << choose_below(c, 8));
        return size;
    }
}

int main(int argc, char **argv)
{
    static uint8_t buf[INPUT_SIZE];
    uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 0) : choose_seed();
    uint64_t runs = argc > 2 ? strtoull(argv[2], NULL, 0) : DEFAULT_RUNS;
    struct chooser c = {.state = seed};

    printf("%s: seed %#" PRIx64 "\n", argv[0], seed);
    fflush(stdout);
    for (uint64_t run = 0; run < runs; run++) {
        bool made = choose_below(&c, 4) != 0;
        size_t size = made ? fuzz_make_input(&c, buf, INPUT_SIZE) : random_input(&c, buf);

        for (uint64_t mutations = choose_below(&c, 4); made && mutations > 0; mutations--) {
            size = mutate(&c, buf, size);
        }
        LLVMFuzzerTestOneInput(buf, size);
    }
    printf("%s: %" PRIu64 " runs, seed %#" PRIx64 "\n", argv[0], runs, seed);
    return 0;
}
