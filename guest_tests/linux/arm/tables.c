/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The tests of a 32-bit guest: those that an arm64 guest also has, and some of its own. */
#include "suite.h"

const struct test_table test_tables[] = {
    {validate_tests, &validate_tests_count}, {driver_tests, &driver_tests_count},
    {identity_tests, &identity_tests_count}, {events_tests, &events_tests_count},
    {arm_tests, &arm_tests_count},
};
const size_t test_tables_count = ARRAY_SIZE(test_tables);
