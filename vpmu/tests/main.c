/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/*
 * unit: runs the unit tests. One line for each, PASS or FAIL; check's own summary is the last.
 * CK_FORK=no runs all in one process, CK_RUN_SUITE=overflow only one suite,
 * CK_RUN_CASE=overflow.divider only one test.
 */
#include <stdio.h>
#include <stdlib.h>

#include "fixture.h"

static Suite *(*const suites[])(void) = {
    access_suite,
    adopt_suite,
    attr_suite,
    bank_suite,
    blackout_nvhe_suite,
    blackout_random_suite,
    blackout_suite,
    blackout_vhe_suite,
    branch_observer_suite,
    branch_suite,
    brbe_random_suite,
    brbe_state_suite,
    brbe_suite,
    config_suite,
    counters_suite,
    deadline_suite,
    event_lists_suite,
    events_suite,
    exceptions_suite,
    fields_suite,
    filter_suite,
    frequency_suite,
    ibs_random_suite,
    ibs_state_suite,
    ibs_suite,
    insn_suite,
    lbr_random_suite,
    lbr_state_suite,
    lbr_suite,
    model_branch_suite,
    model_cache_suite,
    model_filter_suite,
    model_parse_suite,
    model_suite,
    model_shared_suite,
    model_tlb_suite,
    names_suite,
    observer_parse_suite,
    observer_suite,
    overflow_suite,
    perf_event_suite,
    pmu_suite,
    regs_suite,
    sampling_suite,
    snapshot_suite,
    spe_random_suite,
    spe_state_suite,
    spe_suite,
    state_suite,
    switch_lend_suite,
    switch_suite,
    switch_watch_suite,
    threshold_suite,
    trap_suite,
    watch_suite,
    x86_events_suite,
    x86_lists_suite,
    x86_metrics_suite,
    x86_observe_suite,
    x86_pebs_suite,
    x86_random_suite,
    x86_record_suite,
    x86_state_suite,
    x86_suite,
    x86_conditions_suite,
    x86_insn_suite,
};

static void print_result(TestResult *result)
{
    switch (tr_rtype(result)) {
    case CK_PASS:
        printf("PASS vpmu unit %s\n", tr_tcname(result));
        break;
    case CK_FAILURE:
        printf("FAIL vpmu unit %s: %s\n", tr_tcname(result), tr_msg(result));
        break;
    default:
        printf("FAIL vpmu unit %s: expected the test to end got %s after %s:%d\n",
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
