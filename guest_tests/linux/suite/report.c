/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "suite.h"

enum verdict {
    PASSED,
    FAILED,
    SKIPPED,
    ABSENT,
    VERDICTS
};

static const char *const verdict_names[VERDICTS] = {"PASS", "FAIL", "SKIP", "NONE"};
static unsigned totals[VERDICTS];

static const char *current;
static enum verdict verdict;
static char reason[400];

void test_begin(const char *name)
{
    current = name;
    verdict = PASSED;
    reason[0] = '\0';
}

void test_end(void)
{
    totals[verdict]++;
    printf("%s %s%s%s\n", verdict_names[verdict], current, verdict == PASSED ? "" : ": ", reason);
    fflush(stdout);
}

/* The report consists of lines, so text from perf must not contain a newline. */
static void flatten(char *text)
{
    for (; *text != '\0'; text++) {
        if (*text == '\n' || *text == '\r') {
            *text = ' ';
        }
    }
}

void test_fail(const char *format, ...)
{
    va_list args;

    if (verdict == FAILED) {
        return;
    }
    verdict = FAILED;
    va_start(args, format);
    vsnprintf(reason, sizeof(reason), format, args);
    va_end(args);
    flatten(reason);
}

static void leave_out(enum verdict why, const char *format, va_list args)
{
    if (verdict != FAILED) {
        verdict = why;
        vsnprintf(reason, sizeof(reason), format, args);
    }
}

void test_skip(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    leave_out(ABSENT, format, args);
    va_end(args);
}

void test_cannot(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    leave_out(SKIPPED, format, args);
    va_end(args);
}

bool test_failed(void)
{
    return verdict == FAILED;
}

bool expect_eq(const char *what, uint64_t expected, uint64_t got)
{
    if (expected == got) {
        return true;
    }
    test_fail("%s: expected %" PRIu64 " got %" PRIu64 " (off by %+" PRId64 ")", what, expected, got,
              (int64_t)(got - expected));
    return false;
}

bool expect_between(const char *what, uint64_t low, uint64_t high, uint64_t got)
{
    if (got >= low && got <= high) {
        return true;
    }
    test_fail("%s: expected %" PRIu64 " to %" PRIu64 " got %" PRIu64, what, low, high, got);
    return false;
}

int report_end(void)
{
    printf("END passed=%u failed=%u skipped=%u\n", totals[PASSED], totals[FAILED], totals[SKIPPED]);
    fflush(stdout);
    return totals[FAILED] == 0 ? 0 : 1;
}
