/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#ifndef VPMU_TESTS_FUZZ_H
#define VPMU_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>

#include "chooser.h"

/* libFuzzer's entry. Aborts if the library did something wrong. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/**
 * fuzz_make_input() - an input that goes deep, to be mutated
 * @buf: for it.
 * @max: its size.
 *
 * Return: the input's size.
 */
size_t fuzz_make_input(struct chooser *c, uint8_t *buf, size_t max);

#endif
