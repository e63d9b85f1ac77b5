/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TESTS_OVERFLOW_H
#define TESTS_OVERFLOW_H

/* Tests of the overflow image that are in skid.c and skid_counters.c. */
void test_skid_el0(void);
void test_skid_el1(void);
void test_skid_el2(void);
void test_skid_second_range(void);
void test_skid_several(void);
void test_skid_user_only(void);
void test_skid_kernel_only(void);
void test_skid_both_levels(void);
void test_skid_long(void);
void test_skid_chained(void);
void test_skid_exceptions_user(void);
void test_skid_exceptions_both(void);

#endif
