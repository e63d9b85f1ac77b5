/* SPDX-License-Identifier: GPL-2.0-or-later */
/* unit: runs the unit tests of vpmu-run. One line for each, PASS or FAIL. */
#include <stdio.h>
#include <stdlib.h>

#include "tests/tests.h"

static void print_result(TestResult *result)
{
    if (tr_rtype(result) == CK_PASS) {
        printf("PASS run unit %s\n", tr_tcname(result));
    } else {
        printf("FAIL run unit %s: %s after %s:%d\n", tr_tcname(result), tr_msg(result),
               tr_lfile(result), tr_lno(result));
    }
}

int main(void)
{
    Suite *suite = suite_create("vpmu-run");
    SRunner *runner = srunner_create(suite);
    TestResult **results;
    int failed;

    add_archive_tests(suite);
    add_cache_tests(suite);
    add_compare_tests(suite);
    add_events_tests(suite);
    add_exact_tests(suite);
    add_kernel_tests(suite);
    add_modules_tests(suite);
    add_out_tests(suite);
    add_record_tests(suite);
    add_report_tests(suite);
    srunner_run_all(runner, CK_SILENT);
    results = srunner_results(runner);
    for (int i = 0; i < srunner_ntests_run(runner); i++) {
        print_result(results[i]);
    }
    free(results);
    srunner_print(runner, CK_MINIMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
