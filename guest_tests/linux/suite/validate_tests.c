/* SPDX-License-Identifier: GPL-2.0-or-later */
/* vpmu-check, which users run in any machine, finds nothing wrong in this one. */
#include <stdio.h>

#include "command.h"
#include "suite.h"

enum {
    SECONDS = 240
};

/* Its standard error names the rows that are wrong. Cycles may follow the clock on request. */
static void validate(const struct test *test)
{
    char line[128];

    (void)test;
    snprintf(line, sizeof(line), PROGRAMS "vpmu-check --color=never --turns 2000%s",
             machine.clock ? "" : " --strict");
    command_run("/tmp/validated", SECONDS, line);
}

const struct test validate_tests[] = {
    {"validate/vpmu-check", validate, NULL, 0, 1, 0},
};
const size_t validate_tests_count = ARRAY_SIZE(validate_tests);
