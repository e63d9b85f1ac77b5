/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RUNTIME_REPORT_H
#define RUNTIME_REPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/cpu.h"

/*
 * The host reads one line for each test on the serial console, and END at the end:
 *     PASS name | FAIL name: expected X got Y (where) | NONE name: reason
 *     END passed=N failed=N skipped=0
 * NONE is a test that does not apply to this machine. The host does not show it, but fails if a
 * test applies to no machine.
 */

/**
 * expect_eq() - fails the current test unless both values are equal
 * @where: names the check within the test, and @index the repetition. The first check that fails is
 *     reported.
 */
void expect_eq(const char *where, uint64_t index, uint64_t expected, uint64_t got);

/* The same for a range that includes both ends. */
void expect_range(const char *where, uint64_t index, uint64_t low, uint64_t high, uint64_t got);

/* Declares that the current test does not apply to this machine. None of its checks count then. */
void skip_test(const char *reason);

bool test_has_failed(void);

void report_begin(const char *name);
void report_result(void);
void report_skipped(const char *name, const char *reason);
void report_end(void);
void report_unexpected(const char *what, unsigned el, const struct frame *frame);

#endif
