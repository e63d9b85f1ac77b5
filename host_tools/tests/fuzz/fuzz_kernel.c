/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fuzz target: the input changes bytes in the memory of a machine with Linux. All results must be
 * within bounds and printable, or there is an error of one line.
 */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "kernel/kernel.h"
#include "fixtures/kernels.h"

/* The bytes of a change: two for the position, then the new contents. */
#define CHANGE 3u

static void require(bool holds)
{
    if (!holds) {
        abort();
    }
}

static void require_tame(const char *text)
{
    for (; *text; text++) {
        require((unsigned char)*text >= ' ' && *text != 0x7f);
    }
}

static void check(const struct kernel *k)
{
    require_tame(k->release);
    require(k->functions.n > 0 && k->symbols.end > k->symbols.text);
    for (size_t i = 0; i < k->functions.n; i++) {
        require_tame(k->functions.function[i].name);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct made_kernel right[3];
    static struct made_kernel made;
    struct kernel k = {0};
    struct error t = {0};
    int err;

    if (!right[0].memory.read) {
        kernels_make(&right[0], false);
        kernels_make(&right[1], true);
        kernels_make_x86(&right[2]);
    }
    made = right[size % 3];
    for (size_t at = 0; at + CHANGE <= size; at += CHANGE) {
        made.ram[(data[at] | (unsigned)data[at + 1] << 8) % KERNELS_SIZE] = data[at + 2];
    }
    err = kernel_find(&k, &made.memory, &t);
    require((err == 0) == (t.code == ERROR_NONE));
    require_tame(t.text);
    if (!err) {
        check(&k);
    }
    kernel_free(&k);
    return 0;
}

/* Positions that are read. */
size_t fuzz_make_input(struct chooser *c, uint8_t *buf, size_t max)
{
    static const struct {
        uint16_t at;
        uint16_t size;
    } places[] = {
        {KERNELS_NUMBER, 4},  {KERNELS_NAMES, 512},  {KERNELS_TOKENS, 512},
        {KERNELS_INDEX, 512}, {KERNELS_OFFSETS, 64}, {KERNELS_BASE, 8},
        {KERNELS_TYPES, 256}, {KERNELS_INFO, 512},   {KERNELS_VARIABLE, 256},
    };
    size_t changes = choose_below(c, 6);
    size_t size = 0;

    for (; changes > 0 && size + CHANGE <= max; changes--, size += CHANGE) {
        size_t place = choose_below(c, sizeof(places) / sizeof(places[0]));
        uint64_t at = places[place].at + choose_below(c, places[place].size);

        buf[size] = (uint8_t)at;
        buf[size + 1] = (uint8_t)(at >> 8);
        buf[size + 2] = (uint8_t)choose_bits(c);
    }
    return size;
}
