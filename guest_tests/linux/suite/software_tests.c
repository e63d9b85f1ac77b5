/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Software events in one group with events of the PMU. vpmu-check counts them alone. */
#include <inttypes.h>

#include "perf.h"
#include "suite.h"

/* The N faults of "fault N", and one for the page of its code. */
static uint64_t known_faults(uint64_t n)
{
    return n + 1;
}

/* Events of both kinds in one group. */
static void test_mixed(const struct test *test)
{
    struct stat_result result;

    if (perf_stat(&result, ROW_PLAIN,
                  "-e {instructions:u,page-faults:u,task-clock} -- " PROGRAMS "fault %" PRIu64,
                  test->n)) {
        expect_row(&result, 0, known_instructions("fault", test->n));
        expect_row(&result, 1, known_faults(test->n));
    }
}

const struct test software_tests[] = {
    {"software/group-with-hardware", test_mixed, NULL, 1000, 1, 1},
};
const size_t software_tests_count = ARRAY_SIZE(software_tests);
