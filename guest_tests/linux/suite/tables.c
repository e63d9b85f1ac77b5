/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The tests of an arm64 guest. */
#include "suite.h"

const struct test_table test_tables[] = {
    {driver_tests, &driver_tests_count},
    {identity_tests, &identity_tests_count},
    {self_tests, &self_tests_count},
    {user_tests, &user_tests_count},
    {stat_tests, &stat_tests_count},
    {group_tests, &group_tests_count},
    {scope_tests, &scope_tests_count},
    {record_tests, &record_tests_count},
    {events_tests, &events_tests_count},
    {metric_tests, &metric_tests_count},
    {sample_tests, &sample_tests_count},
    {model_tests, &model_tests_count},
    {page_tests, &page_tests_count},
    {told_tests, &told_tests_count},
    {threshold_tests, &threshold_tests_count},
    {software_tests, &software_tests_count},
    {branch_tests, &branch_tests_count},
    {memory_tests, &memory_tests_count},
    {c2c_tests, &c2c_tests_count},
    {migration_tests, &migration_tests_count},
    /* The tests of memory load SPE's driver. */
    {validate_tests, &validate_tests_count},
};
const size_t test_tables_count = ARRAY_SIZE(test_tables);
