/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The main function of a unit test of a file for QEMU. */
#ifndef QEMU_PATCHES_TEST_QEMU_H
#define QEMU_PATCHES_TEST_QEMU_H

#include <check.h>
#include <stdio.h>

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

static void print_result(const char *suite, TestResult *result)
{
    if (tr_rtype(result) == CK_PASS) {
        printf("PASS qemu unit %s.%s\n", suite, tr_tcname(result));
    } else {
        printf("FAIL qemu unit %s.%s: %s after %s:%d\n", suite, tr_tcname(result), tr_msg(result),
               tr_lfile(result), tr_lno(result));
    }
}

/* Returns the exit status. */
static int run_suite(const char *name, const TTest *const *tests, size_t n)
{
    Suite *suite = suite_create(name);
    SRunner *runner = srunner_create(suite);
    TestResult **results;
    int failed;

    for (size_t i = 0; i < n; i++) {
        TCase *test = tcase_create(tests[i]->name);

        tcase_add_test(test, tests[i]);
        suite_add_tcase(suite, test);
    }
    srunner_run_all(runner, CK_SILENT);
    results = srunner_results(runner);
    for (int i = 0; i < srunner_ntests_run(runner); i++) {
        print_result(name, results[i]);
    }
    free(results);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}

#endif
