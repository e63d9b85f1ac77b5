/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf c2c finds the shared line of the program "packets", on vCPUs that share their last level.
 * If the two counters of the program are in one line, perf c2c names that line, the offsets of the
 * counters and the function of each. If they are in two lines, it finds no shared line.
 */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "memory.h"
#include "suite.h"

#define DATA "/tmp/perf.data"
#define PRINTED "/tmp/printed"
#define REPORT "/tmp/report"

enum {
    INTERVAL = 1024,
    IBS_INTERVAL = 144, /* cycles, in which few instructions are loads */
    C2C_TIMEOUT = 300,
    /*
     * What the threads share when they start is rarely a sample: loads, and the line's part of all
     * of them, in percent.
     */
    STARTS = 4,
    START_PERCENT = 2,
    COUNTERS = 2,
    /* Samples of loads of the line: at least this part of the rounds of both threads. */
    LEAST_SHARE = 2 * INTERVAL
};

/* A counter of the program. */
static const struct {
    const char *offset; /* as perf writes it */
    const char *function;
} counters[COUNTERS] = {
    {" 0x0 ", " receive_packets "},
    {" 0x8 ", " send_packets "},
};

/* What the report says. */
struct report {
    uint64_t taken;           /* loads of lines that another CPU had modified, of all lines */
    uint64_t lines;           /* shared lines, without those of the start */
    uint64_t ours;            /* of these, the line of the program */
    uint64_t known[COUNTERS]; /* rows of that line: loads and stores of each counter */
    uint64_t others;
};

/* The address of the program's line. */
static uint64_t line_of_program(void)
{
    FILE *file = fopen(PRINTED, "re");
    uint64_t address = 0;

    if (file == NULL || fscanf(file, "line 0x%" SCNx64, &address) != 1) {
        test_fail("the program has printed no address");
    }
    if (file != NULL) {
        fclose(file);
    }
    return address;
}

/* The number behind the colon of a row of statistics that begins with a text. */
static bool read_number(const char *row, const char *text, uint64_t *number)
{
    row += strspn(row, " ");
    return strncmp(row, text, strlen(text)) == 0 &&
           sscanf(row + strlen(text), " : %" SCNu64, number) == 1;
}

/* The first hexadecimal number in a row. */
static uint64_t address_in(const char *row)
{
    const char *at = strstr(row, "0x");

    return at != NULL ? strtoull(at, NULL, 16) : 0;
}

/* The percentage in a row: the line's part of all loads of modified lines. */
static double percentage_in(const char *row)
{
    const char *end = strchr(row, '%');
    const char *at = end;

    while (at != NULL && at > row && at[-1] != ' ') {
        at--;
    }
    return at != NULL ? strtod(at, NULL) : 0;
}

/* A row of the accesses to a line: shares of the accesses, offset, code, symbol. */
static void read_access(const char *row, struct report *report)
{
    for (size_t i = 0; i < COUNTERS; i++) {
        if (strstr(row, counters[i].offset) != NULL && strstr(row, counters[i].function) != NULL) {
            report->known[i]++;
            return;
        }
    }
    report->others++;
}

/* The report has a table of lines, then the accesses to each line below a row with its address. */
static void read_report(uint64_t line, struct report *report)
{
    FILE *file = fopen(REPORT, "re");
    bool pareto = false, mine = false;
    char *row = NULL;
    size_t size = 0;

    while (file != NULL && getline(&row, &size, file) > 0) {
        bool rows = row[0] == ' ' && strstr(row, "0x") != NULL;

        pareto = pareto || strstr(row, "Distribution Pareto") != NULL;
        read_number(row, memory_taken, &report->taken);
        if (!pareto && rows) {
            bool often = percentage_in(row) > START_PERCENT;

            report->lines += often;
            report->ours += often && address_in(row) == line;
        } else if (rows && strchr(row, '%') == NULL) {
            mine = address_in(row) == line;
        } else if (rows && mine) {
            read_access(row, report);
        }
    }
    if (file != NULL) {
        fclose(file);
    }
    free(row);
}

static bool take_report(const struct test *test, const char *layout, struct report *report)
{
    bool of_ibs = memory_by_ibs();
    char command[256];

    *report = (struct report){0};
    snprintf(command, sizeof(command),
             "perf c2c record %s -o " DATA " -- -q -N -B -c %d " PROGRAMS "%s %" PRIu64 " %s",
             of_ibs ? "" : "-u", of_ibs ? IBS_INTERVAL : INTERVAL, test->program, test->n, layout);
    if (!memory_prepare() || !command_run(PRINTED, C2C_TIMEOUT, command) ||
        !command_run(REPORT, C2C_TIMEOUT, "perf c2c report -i " DATA " --stdio")) {
        return false;
    }
    read_report(line_of_program(), report);
    return !test_failed();
}

/* The line, and in it each counter with its function. */
static void test_together(const struct test *test)
{
    struct report report;

    if (take_report(test, "", &report)) {
        expect_between("loads of modified lines", COUNTERS * test->n / LEAST_SHARE, test->n,
                       report.taken);
        expect_eq("shared lines of the program", 1, report.ours);
        expect_eq("shared lines", 1, report.lines);
        expect_between("accesses to the counter at 0", 1, 2, report.known[0]);
        expect_between("accesses to the counter at 8", 1, 2, report.known[1]);
        expect_eq("other accesses to the line", 0, report.others);
    }
}

/* No line. */
static void test_apart(const struct test *test)
{
    struct report report;

    if (take_report(test, "apart", &report)) {
        expect_eq("shared lines of the program", 0, report.ours);
        expect_between("loads of modified lines", 0, STARTS, report.taken);
    }
}

const struct test c2c_tests[] = {
    {"c2c/together", test_together, "packets", 200000, 2, 1},
    {"c2c/apart", test_apart, "packets", 200000, 2, 1},
};
const size_t c2c_tests_count = ARRAY_SIZE(c2c_tests);
