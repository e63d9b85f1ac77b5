/* SPDX-License-Identifier: GPL-2.0-or-later */
/* vpmu-check, which users run in any machine, finds nothing wrong in this one. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <grp.h>
#include <sys/wait.h>
#include <unistd.h>

#include "command.h"
#include "suite.h"

enum {
    SECONDS = 240,
    GROUP = 3,
    NOBODY = 65534
};

#define LINE PROGRAMS "vpmu-check --color=never --turns 2000"

/* Its standard error names the rows that are wrong. */
static void run(const char *line)
{
    command_run("/tmp/validated", SECONDS, line);
}

/*
 * Cycles may follow the clock on request. A group of three events is busy with fewer counters, and
 * each event with none; only --strict makes that an error.
 */
static void validate(const struct test *test)
{
    (void)test;
    if (machine.clock || machine.counters == 0) {
        run(LINE);
    } else if (machine.counters < GROUP) {
        run(LINE " --strict --only events,tasks,scope,samples,user,records,software");
        run(LINE " --only kernel,groups");
    } else {
        run(LINE " --strict");
    }
}

/* Users who are not root may count their own programs. */
static void validate_as_nobody(const struct test *test)
{
    int status = 0;
    pid_t child;

    (void)test;
    child = fork();
    if (child == 0) {
        int null = open("/dev/null", O_WRONLY);

        dup2(null, STDOUT_FILENO);
        if (setgroups(0, NULL) == 0 && setgid(NOBODY) == 0 && setuid(NOBODY) == 0) {
            execl(PROGRAMS "vpmu-check", "vpmu-check", "--strict", "--turns", "2000", "--only",
                  "events,tasks,groups,samples", (char *)NULL);
        }
        _exit(127);
    }
    if (child < 0 || waitpid(child, &status, 0) != child) {
        test_fail("no process");
    }
    expect_eq("exit status", 0, (uint64_t)WEXITSTATUS(status));
    expect_eq("signal", 0, (uint64_t)WTERMSIG(status));
}

const struct test validate_tests[] = {
    {"validate/vpmu-check", validate, NULL, 0, 1, 0},
    {"nobody/vpmu-check", validate_as_nobody, NULL, 0, 1, GROUP},
};
const size_t validate_tests_count = ARRAY_SIZE(validate_tests);
