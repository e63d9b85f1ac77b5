/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf record -b, which needs FEAT_BRBE and Linux 6.17. The branches of the programs are known. An
 * interrupt may end a sample's records early, or lie between them, so filters select what does not
 * depend on that: user branches of one kind. Linux drops all records at a context switch. Under
 * icount, how many switches there are does not depend on how busy the host is.
 */
#define _GNU_SOURCE
#include <glob.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "perf.h"
#include "suite.h"

#define DATA "/tmp/perf.data"
#define SCRIPT "/tmp/script"
#define REPORT "/tmp/report"

enum {
    BRANCH_TIMEOUT = 60,
    INSTRUCTION_BYTES = 4,
    LOOP_BODY = 8,
    RECORDS = 64,
    PERIOD = 10007
};

/**
 * struct branch - one record of a sample
 * @from, @to: addresses.
 * @flag: M if it was mispredicted, P if it was predicted, - if that is unknown.
 * @cycles: cycles since the record before.
 * @type: COND, CALL, RET and so on.
 */
struct branch {
    uint64_t from;
    uint64_t to;
    char flag;
    unsigned cycles;
    char type[16];
};

/**
 * struct stacks - what all samples have together
 * @samples: samples with branches.
 * @branches: their branches.
 * @seen: what a check has found of them.
 */
struct stacks {
    unsigned samples;
    unsigned branches;
    unsigned seen;
};

typedef void (*branch_check)(const struct branch *branch, struct stacks *stacks);

static bool parse_branch(const char *word, struct branch *branch)
{
    return sscanf(word, "0x%" SCNx64 "/0x%" SCNx64 "/%c/%*c/%*c/%u/%15[^/ ]", &branch->from,
                  &branch->to, &branch->flag, &branch->cycles, branch->type) == 5;
}

static void read_line(char *line, branch_check check, struct stacks *stacks)
{
    unsigned before = stacks->branches;
    struct branch branch;
    char *rest = NULL;

    for (char *word = strtok_r(line, " \n", &rest); word; word = strtok_r(NULL, " \n", &rest)) {
        if (!parse_branch(word, &branch)) {
            test_fail("this is no branch: %s", word);
            return;
        }
        stacks->branches++;
        check(&branch, stacks);
    }
    stacks->samples += stacks->branches != before;
}

static bool read_stacks(branch_check check, struct stacks *stacks)
{
    char *line = NULL;
    size_t size = 0;
    FILE *file;

    memset(stacks, 0, sizeof(*stacks));
    if (!command_run(SCRIPT, BRANCH_TIMEOUT, "perf script -i " DATA " -F brstack")) {
        return false;
    }
    file = fopen(SCRIPT, "re");
    while (file != NULL && getline(&line, &size, file) > 0) {
        read_line(line, check, stacks);
    }
    if (file != NULL) {
        fclose(file);
    }
    free(line);
    return !test_failed();
}

static bool record(const char *options, const char *program, uint64_t n)
{
    char line[256];

    snprintf(line, sizeof(line),
             "perf record -q -N -B --per-thread -o " DATA " -e instructions:u -c %d %s -- " PROGRAMS
             "%s %" PRIu64,
             PERIOD, options, program, n);
    return command_run(NULL, BRANCH_TIMEOUT, line);
}

static void test_caps(const struct test *test)
{
    unsigned records = 0;
    glob_t found;
    FILE *file;

    (void)test;
    if (glob(PMU_DEVICE "/caps/branches", 0, NULL, &found) != 0) {
        test_fail("the driver offers no branch records");
        return;
    }
    file = fopen(found.gl_pathv[0], "re");
    if (file == NULL || fscanf(file, "%u", &records) != 1) {
        test_fail("%s cannot be read", found.gl_pathv[0]);
    }
    if (file != NULL) {
        fclose(file);
    }
    globfree(&found);
    expect_eq("records", RECORDS, records);
}

/* The branch back of loop_body, which is predicted and takes the 8 cycles of an iteration. */
static void check_loop(const struct branch *branch, struct stacks *stacks)
{
    expect_eq("target", branch->from - (LOOP_BODY - 1) * INSTRUCTION_BYTES, branch->to);
    expect_eq("flag", 'P', (uint64_t)branch->flag);
    if (strcmp(branch->type, "COND") != 0) {
        test_fail("expected type COND got %s", branch->type);
    }
    stacks->seen += branch->cycles == LOOP_BODY;
}

static void test_loop(const struct test *test)
{
    uint64_t samples = known_instructions(test->program, test->n) / PERIOD;
    struct stacks stacks;

    if (record("-j cond,u", test->program, test->n) && read_stacks(check_loop, &stacks)) {
        expect_eq("samples", samples, stacks.samples);
        expect_eq("branches", samples * RECORDS, stacks.branches);
        /* Cycles after an interrupt are unknown, and those of its iteration are more or fewer. */
        expect_between("branches with 8 cycles", stacks.branches * 9 / 10, stacks.branches,
                       stacks.seen);
    }
}

/* With static prediction, branches forward that are taken are mispredicted, and others are not. */
static void check_direction(const struct branch *branch, struct stacks *stacks)
{
    bool forward = branch->to > branch->from;

    expect_eq("flag", forward ? 'M' : 'P', (uint64_t)branch->flag);
    stacks->seen += forward;
}

static void test_mispredicted(const struct test *test)
{
    struct stacks stacks;

    if (record("-j cond,u", test->program, test->n) && read_stacks(check_direction, &stacks)) {
        /* Of 2 rounds, 3 of the 5 conditional branches that are taken go forward. */
        expect_between("branches forward", stacks.branches * 3 / 5 - stacks.samples,
                       stacks.branches * 3 / 5 + stacks.samples, stacks.seen);
    }
}

/* Of the branches of middle and inner, one kind: always the same addresses. */
static struct branch first;
static const char *wanted_type;

static void check_same(const struct branch *branch, struct stacks *stacks)
{
    if (stacks->branches == 1) {
        first = *branch;
    }
    if (strcmp(branch->type, wanted_type) != 0) {
        test_fail("expected type %s got %s", wanted_type, branch->type);
    }
    expect_eq("source", first.from, branch->from);
    expect_eq("target", first.to, branch->to);
}

static void check_filter(const char *options, const char *type, const struct test *test)
{
    struct stacks stacks;

    wanted_type = type;
    if (record(options, test->program, test->n) && read_stacks(check_same, &stacks)) {
        expect_between("branches", RECORDS, UINT32_MAX, stacks.branches);
    }
}

static void test_call(const struct test *test)
{
    check_filter("-j call,u", "CALL", test);
}

static void test_return(const struct test *test)
{
    check_filter("-j any_ret,u", "RET", test);
}

/* User and kernel: a sample has system calls, and addresses of both. */
static void check_kernel(const struct branch *branch, struct stacks *stacks)
{
    stacks->seen += branch->from >> 63 && branch->to >> 63;
}

static void test_kernel(const struct test *test)
{
    struct stacks stacks;

    if (record("-j any,u,k", test->program, test->n) && read_stacks(check_kernel, &stacks)) {
        expect_between("branches of the kernel", stacks.branches / 2, stacks.branches - 1,
                       stacks.seen);
    }
}

static bool file_has(const char *path, const char *text)
{
    char line[512];
    FILE *file = fopen(path, "re");
    bool found = false;

    while (file != NULL && !found && fgets(line, sizeof(line), file) != NULL) {
        found = strstr(line, text) != NULL;
    }
    if (file != NULL) {
        fclose(file);
    }
    return found;
}

static void expect_report(const char *command)
{
    if (command_run(REPORT, BRANCH_TIMEOUT, command) && !file_has(REPORT, "loop_body")) {
        test_fail("%s does not show loop_body", command);
    }
}

static void test_report(const struct test *test)
{
    if (record("-b", test->program, test->n)) {
        expect_report("perf report -i " DATA " --stdio -b --sort symbol_from,symbol_to");
        expect_report("perf report -i " DATA " --stdio --branch-history");
    }
}

const struct test branch_tests[] = {
    {"branch/caps", test_caps, NULL, 0, 1, 1},
    {"branch/loop", test_loop, "loop", 100000, 1, 1},
    {"branch/mispredicted", test_mispredicted, "mix", 2000, 1, 1},
    {"branch/call", test_call, "callers", 4000, 1, 1},
    {"branch/return", test_return, "callers", 4000, 1, 1},
    {"branch/kernel", test_kernel, "callers", 4000, 1, 1},
    {"branch/report", test_report, "loop", 20000, 1, 1},
};
const size_t branch_tests_count = ARRAY_SIZE(branch_tests);
