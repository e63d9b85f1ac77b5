/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * suite [cpus=N] [counters=N] [pmu=v3|p1|...] [cycles=clock] [width=N] [threshold=N] [l2=none]
 * [llc=none|shared] [slots=none] [clock=icount] [metrics=N] [list=NAME] [tests=PREFIX,...]
 * [times=N] [wait=1]
 *
 * Runs the tests whose names begin with one of the prefixes ("stat/", "stat/loop"). Without tests=
 * it runs all of them but hold/, which need somebody outside, and branch/, which need
 * FEAT_BRBE or last branch records.
 * times= says how often everything is run. With wait=1 it prints READY and waits for a line first.
 * The other arguments describe the expected machine. The report is one line for each test and one
 * END line.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "event.h"
#include "suite.h"

struct machine machine = {.cpus = 1, .counters = 6, .version = PMU_P5};

static const char *wanted;
static unsigned long times = 1;
static bool waits;

static bool read_argument(const char *argument)
{
    const char *value = strchr(argument, '=');
    size_t length = value != NULL ? (size_t)(value - argument) : 0;

    if (value == NULL) {
        return false;
    }
    value++;
    if (strncmp(argument, "cpus", length) == 0) {
        machine.cpus = (unsigned)strtoul(value, NULL, 10);
    } else if (strncmp(argument, "counters", length) == 0) {
        machine.counters = (unsigned)strtoul(value, NULL, 10);
    } else if (strncmp(argument, "pmu", length) == 0) {
        machine.version = value[0] == 'p' ? atoi(value + 1) : PMU_V3;
    } else if (strncmp(argument, "width", length) == 0) {
        machine.width = (unsigned)strtoul(value, NULL, 10);
    } else if (strncmp(argument, "cycles", length) == 0) {
        machine.clock = strcmp(value, "clock") == 0;
    } else if (strncmp(argument, "threshold", length) == 0) {
        machine.threshold = (unsigned)strtoul(value, NULL, 10);
    } else if (strncmp(argument, "l2", length) == 0) {
        machine.no_l2 = strcmp(value, "none") == 0;
    } else if (strncmp(argument, "llc", length) == 0) {
        machine.no_llc = strcmp(value, "none") == 0;
        machine.shared = strcmp(value, "shared") == 0;
    } else if (strncmp(argument, "slots", length) == 0) {
        machine.no_slots = strcmp(value, "none") == 0;
    } else if (strncmp(argument, "clock", length) == 0) {
        machine.icount = strcmp(value, "icount") == 0;
    } else if (strncmp(argument, "metrics", length) == 0) {
        machine.metrics = (unsigned)strtoul(value, NULL, 10);
    } else if (strncmp(argument, "list", length) == 0) {
        machine.list = value;
    } else if (strncmp(argument, "tests", length) == 0) {
        wanted = value;
    } else if (strncmp(argument, "times", length) == 0) {
        times = strtoul(value, NULL, 10);
    } else if (strncmp(argument, "wait", length) == 0) {
        waits = value[0] == '1';
    } else {
        return false;
    }
    return true;
}

static bool is_wanted(const char *name)
{
    const char *prefix = wanted;

    if (prefix == NULL) {
        return strncmp(name, "hold/", 5) != 0 && strncmp(name, "branch/", 7) != 0;
    }
    while (*prefix != '\0') {
        size_t length = strcspn(prefix, ",");

        if (length > 0 && strncmp(name, prefix, length) == 0) {
            return true;
        }
        prefix += length + (prefix[length] == ',');
    }
    return false;
}

static void run(const struct test *test)
{
    test_begin(test->name);
    if (machine.cpus < test->cpus) {
        test_skip("needs %u CPUs", test->cpus);
    } else if (machine.counters < test->counters) {
        test_skip("needs %u event counters", test->counters);
    } else {
        test->run(test);
    }
    test_end();
}

static void run_wanted(void)
{
    for (size_t i = 0; i < test_tables_count; i++) {
        for (size_t j = 0; j < *test_tables[i].count; j++) {
            if (is_wanted(test_tables[i].tests[j].name)) {
                run(&test_tables[i].tests[j]);
            }
        }
    }
}

/*
 * Linux rewrites its scheduler's code when the first event of a task is opened, and again a second
 * after the last is closed. While another vCPU translates that code, any QEMU may keep a
 * translation of the old bytes, and then the kernel crashes. An event that stays open spares most
 * rewrites.
 */
static void open_event_for_all_time(void)
{
    struct perf_event_attr attr = {
        .size = sizeof(attr),
        .type = PERF_TYPE_SOFTWARE,
        .config = PERF_COUNT_SW_DUMMY,
    };

    if (event_open(&attr, 0, -1, -1) < 0) {
        fprintf(stderr, "suite: no event of a task: %s\n", strerror(errno));
    }
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        if (!read_argument(argv[i])) {
            fprintf(stderr, "suite: unknown argument %s\n", argv[i]);
            return 2;
        }
    }
    open_event_for_all_time();
    if (waits) {
        printf("READY\n");
        fflush(stdout);
        getchar();
    }
    while (times-- > 0) {
        run_wanted();
    }
    return report_end();
}
