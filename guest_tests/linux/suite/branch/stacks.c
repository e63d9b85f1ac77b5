/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Branch stacks that perf record -b has recorded of our programs. */
#define _GNU_SOURCE
#include "stacks.h"

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
    BRANCH_TIMEOUT = 60
};

bool stacks_run(const char *path, const char *command, const char *options)
{
    char line[256];

    snprintf(line, sizeof(line), "%s -i " DATA " %s", command, options);
    return command_run(path, BRANCH_TIMEOUT, line);
}

static bool parse_branch(const char *word, struct branch *branch)
{
    return sscanf(word, "0x%" SCNx64 "/0x%" SCNx64 "/%c/%*c/%*c/%u/%15[^/ ]", &branch->from,
                  &branch->to, &branch->flag, &branch->cycles, branch->type) == 5;
}

static void read_line(char *line, branch_check check, struct stacks *stacks)
{
    struct branch branch;
    char *rest = NULL;

    stacks->in_sample = 0;
    for (char *word = strtok_r(line, " \n", &rest); word; word = strtok_r(NULL, " \n", &rest)) {
        if (!parse_branch(word, &branch)) {
            test_fail("this is no branch: %s", word);
            return;
        }
        stacks->branches++;
        stacks->in_sample++;
        check(&branch, stacks);
    }
    stacks->samples++;
    stacks->emptied += stacks->switched;
    stacks->switched = false;
}

bool stacks_read(branch_check check, struct stacks *stacks)
{
    char *line = NULL;
    size_t size = 0;
    FILE *file;

    memset(stacks, 0, sizeof(*stacks));
    if (!stacks_run(SCRIPT, "perf script", "--show-switch-events -F brstack")) {
        return false;
    }
    file = fopen(SCRIPT, "re");
    while (file != NULL && getline(&line, &size, file) > 0) {
        if (strstr(line, "PERF_RECORD_SWITCH ")) {
            stacks->switched = true;
        } else {
            read_line(line, check, stacks);
        }
    }
    if (file != NULL) {
        fclose(file);
    }
    free(line);
    return !test_failed();
}

bool stacks_record(const char *options, const char *program, uint64_t n)
{
    char line[256];

    snprintf(line, sizeof(line),
             "perf record -q -N -B --per-thread --switch-events -o " DATA
             " -e instructions:u -c %d %s -- " PROGRAMS "%s %" PRIu64,
             STACKS_PERIOD, options, program, n);
    return command_run(NULL, BRANCH_TIMEOUT, line);
}

void stacks_expect_depth(unsigned records)
{
    unsigned offered = 0;
    glob_t found;
    FILE *file;

    if (glob(PMU_DEVICE "/caps/branches", 0, NULL, &found) != 0) {
        test_fail("the driver offers no branch records");
        return;
    }
    file = fopen(found.gl_pathv[0], "re");
    if (file == NULL || fscanf(file, "%u", &offered) != 1) {
        test_fail("%s cannot be read", found.gl_pathv[0]);
    }
    if (file != NULL) {
        fclose(file);
    }
    globfree(&found);
    expect_eq("records", records, offered);
}

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

void stacks_expect_filter(const char *options, const char *type, const char *program, uint64_t n,
                          unsigned records)
{
    struct stacks stacks;

    wanted_type = type;
    if (stacks_record(options, program, n) && stacks_read(check_same, &stacks)) {
        expect_between("branches", records, UINT32_MAX, stacks.branches);
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

static void expect_report(const char *options, const char *function)
{
    if (stacks_run(REPORT, "perf report", options) && !file_has(REPORT, function)) {
        test_fail("perf report %s does not show %s", options, function);
    }
}

void stacks_expect_reports(const char *function)
{
    expect_report("--stdio -b --sort symbol_from,symbol_to", function);
    expect_report("--stdio --branch-history", function);
}
