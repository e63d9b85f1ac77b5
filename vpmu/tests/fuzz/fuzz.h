/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#ifndef VPMU_TESTS_FUZZ_H
#define VPMU_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>

#include "chooser.h"

/* The entry point for libFuzzer. Aborts if the library does something wrong. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/**
 * fuzz_make_input() - make a valid input, which is then mutated
 * @c: the source of choices.
 * @buf: memory for the input.
 * @max: the size of @buf in bytes.
 *
 * Return: the size of the input in bytes.
 */
size_t fuzz_make_input(struct chooser *c, uint8_t *buf, size_t max);

#endif
