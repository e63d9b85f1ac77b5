/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Samples of instructions, which need FEAT_SPE and the module arm_spe_pmu: what perf record and
 * perf mem make of the records of our programs.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "command.h"
#include "memory.h"
#include "suite.h"

#define MODULE "/arm_spe_pmu.ko"
#define DEVICE "/sys/bus/event_source/devices/arm_spe_0"
#define DATA "/tmp/perf.data"
#define OUTPUT "/tmp/output"
#define COUNTS "/tmp/counts"

enum {
    INTERVAL = 1024,
    PERIOD = INTERVAL + 1, /* with the instruction that reloads the counter */
    MEMORY_TIMEOUT = 90
};

/* There is no HITM in records of SPE: they say that a peer had the data. */
const char memory_taken[] = "Load HIT Local Peer";

bool memory_by_ibs(void)
{
    return false;
}

/* Loads the driver once. */
bool memory_prepare(void)
{
    if (access(DEVICE, F_OK) != 0) {
        int fd = open(MODULE, O_RDONLY | O_CLOEXEC);

        if (fd < 0 || syscall(SYS_finit_module, fd, "", 0) != 0) {
            test_fail("%s cannot be loaded", MODULE);
        }
        if (fd >= 0) {
            close(fd);
        }
    }
    if (access(DEVICE, F_OK) != 0) {
        test_fail("the driver has found no SPE");
    }
    return !test_failed();
}

/* Counts the lines of OUTPUT, and those of them that contain @text. */
static uint64_t lines_with_both(const char *text, const char *other, uint64_t *lines)
{
    FILE *file = fopen(OUTPUT, "re");
    uint64_t found = 0;
    char *line = NULL;
    size_t size = 0;

    *lines = 0;
    while (file != NULL && getline(&line, &size, file) > 0) {
        ++*lines;
        found += strstr(line, text) != NULL && strstr(line, other) != NULL;
    }
    if (file != NULL) {
        fclose(file);
    }
    free(line);
    return found;
}

static uint64_t lines_with(const char *text, uint64_t *lines)
{
    return lines_with_both(text, "", lines);
}

static bool record(const char *terms, const struct test *test)
{
    char line[256];

    snprintf(line, sizeof(line),
             "perf record -q -N -B -o " DATA " -e arm_spe_0/%s/u -c %d -- " PROGRAMS "%s %" PRIu64,
             terms, INTERVAL, test->program, test->n);
    return command_run(NULL, MEMORY_TIMEOUT, line) &&
           command_run(OUTPUT, MEMORY_TIMEOUT, "perf script -i " DATA " --itrace=i1i -F ip,sym");
}

/* Each 1025th instruction of the program, and no other. */
static void test_period(const struct test *test)
{
    uint64_t expected = known_instructions(test->program, test->n) / PERIOD;
    uint64_t lines;

    if (memory_prepare() && record("", test)) {
        uint64_t inside = lines_with("loop_body", &lines);

        /* The driver's first count, and its parts after interruptions, have no reload. */
        expect_between("samples", expected, expected + expected / 50 + 2, lines);
        expect_between("samples of the loop", lines - 2, lines, inside);
    }
}

/* A program without loads has no samples of loads. */
static void test_filter(const struct test *test)
{
    uint64_t lines;

    if (memory_prepare() && record("load_filter=1", test)) {
        lines_with("", &lines);
        expect_eq("samples of loads", 0, lines);
    }
}

/* Reads what perf stat -x, has counted of an event. */
static uint64_t counted(const char *event)
{
    FILE *file = fopen(COUNTS, "re");
    uint64_t count = UINT64_MAX;
    char row[256];

    while (file != NULL && fgets(row, sizeof(row), file) != NULL) {
        if (strstr(row, event) != NULL && sscanf(row, "%" SCNu64, &count) != 1) {
            count = UINT64_MAX;
        }
    }
    if (file != NULL) {
        fclose(file);
    }
    return count;
}

/* The PMU counts what SPE samples: the instructions of the program, and its samples. */
static void test_events(const struct test *test)
{
    uint64_t known = known_instructions(test->program, test->n);
    uint64_t lines;
    char line[300];

    snprintf(line, sizeof(line),
             "perf stat -x , -o " COUNTS " -e sample_pop:u,sample_feed:u,sample_filtrate:u,"
             "sample_collision:u perf record -q -N -B -o " DATA
             " -e arm_spe_0/branch_filter=1/u -c %d -- " PROGRAMS "%s %" PRIu64,
             INTERVAL, test->program, test->n);
    if (memory_prepare() && command_run(NULL, MEMORY_TIMEOUT, line) &&
        command_run(OUTPUT, MEMORY_TIMEOUT, "perf script -i " DATA " --itrace=i1i -F ip,sym")) {
        lines_with("", &lines);
        expect_eq("sample_pop", known, counted("sample_pop"));
        expect_between("sample_feed", known / PERIOD, known / PERIOD + known / PERIOD / 50 + 2,
                       counted("sample_feed"));
        expect_eq("sample_filtrate", lines, counted("sample_filtrate"));
        expect_eq("sample_collision", 0, counted("sample_collision"));
        expect_between("filtered", 1, counted("sample_feed") - 1, lines);
    }
}

/*
 * perf mem: what the kernel and ls load in 30 cycles or more, the default. A load that hits L1
 * takes so long only if its page is walked.
 */
static void test_mem(const struct test *test)
{
    uint64_t lines;

    (void)test;
    if (memory_prepare() &&
        command_run(NULL, MEMORY_TIMEOUT, "perf mem record -q -o " DATA " -- ls -l /sys/kernel") &&
        command_run(OUTPUT, MEMORY_TIMEOUT,
                    "perf mem report -q -i " DATA " --stdio --sort=mem,tlb,symbol")) {
        expect_between("rows of what misses", 1, 100000, lines_with("L3 miss", &lines));
        expect_between("rows that hit the TLB", 1, 100000, lines_with("Walker hit", &lines));
        expect_eq("rows that hit L1 and the TLB", 0,
                  lines_with_both("L1 hit", "Walker hit", &lines));
    }
}

const struct test memory_tests[] = {
    {"memory/period", test_period, "loop", 100000, 1, 1},
    {"memory/filter", test_filter, "loop", 100000, 1, 1},
    {"memory/events", test_events, "loop", 100000, 1, 4},
    {"memory/mem", test_mem, NULL, 0, 1, 1},
};
const size_t memory_tests_count = ARRAY_SIZE(memory_tests);
