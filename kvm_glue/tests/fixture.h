/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KVM_GLUE_TESTS_FIXTURE_H
#define KVM_GLUE_TESTS_FIXTURE_H

#include <check.h>
#include <stdint.h>
#include <string.h>

#include "fake.h"
#include "kvm_glue/error.h"

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* The test fails unless @got is @want. @what says which of its checks this is. */
void expect(const char *what, long long want, long long got);

/* The test fails unless @text contains @part. */
void expect_text(const char *what, const char *part, const char *text);

/* Says that the rest of a test cannot be done on this machine, and why. */
void skip(const char *test, const char *reason);

/* Called once, before all tests; whether all of a test was skipped: it has not passed then. */
void skip_begin(void);
bool is_skipped(const char *test);

/* A suite of tests, each a case of its own, "suite.test", that begins with fake_start(). */
Suite *suite_of(const char *name, const TTest *const tests[], size_t count);

Suite *exits_suite(void);
Suite *filter_suite(void);
Suite *group_suite(void);
Suite *host_pmu_suite(void);
Suite *meter_suite(void);
Suite *mode_suite(void);
Suite *os_linux_suite(void);
Suite *registers_suite(void);
Suite *ring_suite(void);
Suite *sampler_suite(void);
Suite *setup_suite(void);
Suite *software_suite(void);
Suite *state_suite(void);

#endif
