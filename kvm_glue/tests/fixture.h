/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KVM_GLUE_TESTS_FIXTURE_H
#define KVM_GLUE_TESTS_FIXTURE_H

#include <check.h>
#include <stdint.h>
#include <string.h>

#include "fake.h"
#include "kvm_glue/error.h"

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* Fails the test unless @got is @want. @what names the check in the message. */
void expect(const char *what, long long want, long long got);

/* Fails the test unless @text contains @part. */
void expect_text(const char *what, const char *part, const char *text);

/* Reports that the rest of a test cannot run on this machine, and why. */
void skip(const char *test, const char *reason);

/*
 * skip_begin() is called once before all tests. skipped() tells whether all of a test was skipped,
 * so that it has not passed.
 */
void skip_begin(void);
bool is_skipped(const char *test);

/* A suite of tests. Each test is a case of its own, "suite.test", and begins with fake_start(). */
Suite *suite_of(const char *name, const TTest *const tests[], size_t count);

Suite *attr_suite(void);
Suite *design_suite(void);
Suite *errors_suite(void);
Suite *exits_suite(void);
Suite *filter_suite(void);
Suite *group_suite(void);
Suite *host_pmu_suite(void);
Suite *meter_suite(void);
Suite *mode_suite(void);
Suite *os_linux_suite(void);
Suite *registers_suite(void);
Suite *ring_suite(void);
Suite *sampled_suite(void);
Suite *sampler_suite(void);
Suite *setup_suite(void);
Suite *software_suite(void);
Suite *state_suite(void);

#endif
