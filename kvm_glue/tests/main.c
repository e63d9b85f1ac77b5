/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unit: runs the unit tests. Prints one line for each, PASS or FAIL, or SKIP for what this machine
 * cannot test. The last line is libcheck's summary. CK_FORK, CK_RUN_SUITE and CK_RUN_CASE work.
 */
#include <stdio.h>
#include <stdlib.h>

#include "fixture.h"

static Suite *(*const suites[])(void) = {
    attr_suite,     design_suite,  errors_suite, exits_suite,    filter_suite,    group_suite,
    host_pmu_suite, meter_suite,   mode_suite,   os_linux_suite, registers_suite, ring_suite,
    sampled_suite,  sampler_suite, setup_suite,  software_suite, state_suite,
};

static void print_result(TestResult *result)
{
    switch (tr_rtype(result)) {
    case CK_PASS:
        if (!is_skipped(tr_tcname(result))) {
            printf("PASS kvm_glue unit %s\n", tr_tcname(result));
        }
        break;
    case CK_FAILURE:
        printf("FAIL kvm_glue unit %s: %s\n", tr_tcname(result), tr_msg(result));
        break;
    default:
        printf("FAIL kvm_glue unit %s: expected the test to end got %s after %s:%d\n",
               tr_tcname(result), tr_msg(result), tr_lfile(result), tr_lno(result));
        break;
    }
}

int main(void)
{
    SRunner *runner = srunner_create(NULL);
    TestResult **results;
    int failed;

    for (size_t i = 0; i < COUNT_OF(suites); i++) {
        srunner_add_suite(runner, suites[i]());
    }
    skip_begin();
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
