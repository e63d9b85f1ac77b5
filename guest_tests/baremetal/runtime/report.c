/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "runtime/report.h"

#include "runtime/console.h"

/* Only the boot CPU reports, at any of its levels. */
static struct {
    const char *name;
    bool failed;
    const char *skipped;
    unsigned passed, failures;
} now;

void report_begin(const char *name)
{
    now.name = name;
    now.failed = false;
    now.skipped = NULL;
}

static void begin_failure(void)
{
    now.failed = true;
    console_puts("FAIL ");
    console_puts(now.name);
    console_puts(": expected ");
}

static void end_failure(const char *where, uint64_t index)
{
    console_puts(" (");
    console_puts(where);
    console_puts(", ");
    console_putnum(index);
    console_puts(")\n");
}

void expect_eq(const char *where, uint64_t index, uint64_t expected, uint64_t got)
{
    if (expected == got || now.failed) {
        return;
    }
    begin_failure();
    console_putnum(expected);
    console_puts(" got ");
    console_putnum(got);
    end_failure(where, index);
}

void expect_range(const char *where, uint64_t index, uint64_t low, uint64_t high, uint64_t got)
{
    if ((low <= got && got <= high) || now.failed) {
        return;
    }
    begin_failure();
    console_putnum(low);
    console_puts("..");
    console_putnum(high);
    console_puts(" got ");
    console_putnum(got);
    end_failure(where, index);
}

void report_unexpected(const char *what, unsigned el, const struct frame *frame)
{
    if (now.failed) {
        return;
    }
    begin_failure();
    console_puts("no ");
    console_puts(what);
    console_puts(" got one at EL");
    console_putnum(el);
    console_puts(" ESR=");
    console_puthex(frame->esr);
    console_puts(" ELR=");
    console_puthex(frame->elr);
    console_puts(" FAR=");
    console_puthex(frame->far);
    console_puts("\n");
}

void skip_test(const char *reason)
{
    now.skipped = reason;
}

bool test_has_failed(void)
{
    return now.failed;
}

void report_skipped(const char *name, const char *reason)
{
    console_puts("NONE ");
    console_puts(name);
    console_puts(": ");
    console_puts(reason);
    console_puts("\n");
}

void report_result(void)
{
    if (now.failed) {
        now.failures++;
    } else if (now.skipped) {
        report_skipped(now.name, now.skipped);
    } else {
        now.passed++;
        console_puts("PASS ");
        console_puts(now.name);
        console_puts("\n");
    }
}

void report_end(void)
{
    console_puts("END passed=");
    console_putnum(now.passed);
    console_puts(" failed=");
    console_putnum(now.failures);
    console_puts(" skipped=0\n");
}
