/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_RUN_TESTS_H
#define VPMU_RUN_TESTS_H

#include <check.h>

#define COUNT_OF(a) (sizeof(a) / sizeof((a)[0]))

void add_archive_tests(Suite *suite);
void add_cache_tests(Suite *suite);
void add_compare_tests(Suite *suite);
void add_events_tests(Suite *suite);
void add_exact_tests(Suite *suite);
void add_kernel_tests(Suite *suite);
void add_modules_tests(Suite *suite);
void add_out_tests(Suite *suite);
void add_record_tests(Suite *suite);
void add_report_tests(Suite *suite);

#endif
