/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TESTS_THRESHOLDS_H
#define TESTS_THRESHOLDS_H

#include "runtime/level.h"

/* Functions in thresholds_asm.S. Each gets a struct model_arg. */
uint64_t threshold_accesses(uint64_t arg);
uint64_t threshold_stalls(uint64_t arg);
uint64_t threshold_exceptions(uint64_t arg);

/* The addresses after each access that counts two, and after the two instructions that stall. */
extern const char accesses_after_1[], accesses_after_2[], accesses_after_3[];
extern const char stalls_after_mul[], stalls_after_udiv[];

#endif
