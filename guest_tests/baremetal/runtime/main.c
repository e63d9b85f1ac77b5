/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "registers/pmu.h"
#include "runtime/gic.h"
#include "runtime/mmu.h"
#include "runtime/pmu_setup.h"
#include "runtime/psci.h"
#include "runtime/test.h"

void boot_main(void);
void *memset(void *s, int c, size_t n);
void *memcpy(void *restrict to, const void *restrict from, size_t n);

/* The compiler may call these two functions although the source does not. */
void *memset(void *s, int c, size_t n)
{
    for (volatile uint8_t *p = s; n > 0; n--) {
        *p++ = (uint8_t)c;
    }
    return s;
}

void *memcpy(void *restrict to, const void *restrict from, size_t n)
{
    const uint8_t *q = from;

    for (volatile uint8_t *p = to; n > 0; n--) {
        *p++ = *q++;
    }
    return to;
}

extern const char vectors_el1[], vectors_el2[], vectors_el3[];

static const char *const vectors[] = {
    [EL1] = vectors_el1, [EL2] = vectors_el2, [EL3] = vectors_el3};

__attribute__((weak)) void before_setup(void)
{
}

static const char *reason_to_skip(const struct test *test)
{
    if (test->home != 0 && !(test->home >> home & 1u)) {
        return "needs another boot level";
    }
    if (test->version > pmu_version()) {
        return "needs a later PMU version";
    }
    if (test->counters > pmu_counters()) {
        return "needs more counters";
    }
    return NULL;
}

static void run_test(const struct test *test)
{
    const char *reason = reason_to_skip(test);

    if (reason) {
        report_skipped(test->name, reason);
        return;
    }
    levels_reset();
    pmu_reset();
    report_begin(test->name);
    test_enter(test->run);
    report_result();
}

void boot_main(void)
{
    home = (enum level)current_el();
    level_vectors = vectors;
    before_setup();
    mmu_init();
    levels_init();
    gic_init();
    for (const struct test *test = test_table; test->name; test++) {
        run_test(test);
    }
    report_end();
    psci_system_off();
}
