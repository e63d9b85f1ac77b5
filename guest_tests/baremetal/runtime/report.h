/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RUNTIME_REPORT_H
#define RUNTIME_REPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/cpu.h"

/*
 * What the host reads on the serial console: one line for each test, and END at the end.
 *   PASS name | FAIL name: expected X got Y (where) | NONE name: reason
 *   END passed=N failed=N skipped=0
 * NONE is a test that does not apply to this machine: it is not shown, but each has to apply to
 * one.
 */

/**
 * expect_eq() - the current test fails unless both are the same
 * @where: which of the test's checks this is, and @index which repetition of it. The first that
 *     fails is what is reported.
 */
void expect_eq(const char *where, uint64_t index, uint64_t expected, uint64_t got);

/* The same for a range, both ends included. */
void expect_range(const char *where, uint64_t index, uint64_t low, uint64_t high, uint64_t got);

/* The current test does not apply to this machine. Nothing of it counts but this. */
void skip_test(const char *reason);

bool test_has_failed(void);

void report_begin(const char *name);
void report_result(void);
void report_skipped(const char *name, const char *reason);
void report_end(void);
void report_unexpected(const char *what, unsigned el, const struct frame *frame);

#endif
