/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The tests of an x86-64 guest: those that an arm64 guest also has, and some of its own. */
#include "suite.h"

extern const struct test x86_tests[], condition_tests[], topdown_tests[], sample_tests[],
    kvm_tests[], ds_tests[], pebs_tests[], sharing_tests[], clock_tests[], register_tests[],
    dirty_tests[], flops_tests[], ibs_tests[], ibs_register_tests[], ibs_jump_tests[], last_tests[];
extern const size_t x86_tests_count, condition_tests_count, topdown_tests_count, sample_tests_count,
    kvm_tests_count, ds_tests_count, pebs_tests_count, sharing_tests_count, clock_tests_count,
    register_tests_count, dirty_tests_count, flops_tests_count, ibs_tests_count,
    ibs_register_tests_count, ibs_jump_tests_count, last_tests_count;

const struct test_table test_tables[] = {
    {x86_tests, &x86_tests_count},
    {condition_tests, &condition_tests_count},
    {topdown_tests, &topdown_tests_count},
    {metric_tests, &metric_tests_count},
    {sample_tests, &sample_tests_count},
    {kvm_tests, &kvm_tests_count},
    {stat_tests, &stat_tests_count},
    {scope_tests, &scope_tests_count},
    {group_tests, &group_tests_count},
    {record_tests, &record_tests_count},
    {ds_tests, &ds_tests_count},
    {pebs_tests, &pebs_tests_count},
    {branch_tests, &branch_tests_count},
    {memory_tests, &memory_tests_count},
    {sharing_tests, &sharing_tests_count},
    {c2c_tests, &c2c_tests_count},
    {clock_tests, &clock_tests_count},
    {register_tests, &register_tests_count},
    {dirty_tests, &dirty_tests_count},
    {flops_tests, &flops_tests_count},
    {told_tests, &told_tests_count},
    {page_tests, &page_tests_count},
    {ibs_tests, &ibs_tests_count},
    {ibs_register_tests, &ibs_register_tests_count},
    {ibs_jump_tests, &ibs_jump_tests_count},
    {validate_tests, &validate_tests_count},
    {last_tests, &last_tests_count},
};
const size_t test_tables_count = ARRAY_SIZE(test_tables);
