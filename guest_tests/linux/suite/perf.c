/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include "perf.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "suite.h"

#define STAT_OUTPUT "/tmp/stat"
#define METRIC_LIST "/tmp/list"
#define SEPARATOR ";"

enum {
    STAT_TIMEOUT = 120,
    MAX_FIELDS = 12,
    ATTACH_MS = 10000
};

const char *pmu_name(void)
{
    static char name[64];
    glob_t found;

    if (name[0] == '\0' && glob(PMU_DEVICE, 0, NULL, &found) == 0) {
        snprintf(name, sizeof(name), "%s", strrchr(found.gl_pathv[0], '/') + 1);
        globfree(&found);
    }
    return name;
}

/* Splits at each separator; empty fields are kept. */
static size_t fields_of(char *line, char *fields[MAX_FIELDS])
{
    size_t n = 0;

    line[strcspn(line, "\n")] = '\0';
    while (line != NULL && n < MAX_FIELDS) {
        fields[n++] = strsep(&line, SEPARATOR);
    }
    return n;
}

static void copy_field(char *to, size_t size, const char *field)
{
    snprintf(to, size, "%s", field + strspn(field, " "));
}

/* value;UNIT of a metric, with its name after the unit. */
static void parse_metric(struct stat_row *row, char *value, char *unit)
{
    const char *name = strrchr(unit, ' ');

    copy_field(row->metric_value, sizeof(row->metric_value), value);
    copy_field(row->metric, sizeof(row->metric), name != NULL ? name + 1 : unit);
    row->metric_percent = unit[strspn(unit, " ")] == '%';
}

/*
 * A group of metrics that perf computes without being asked has a line without an event:
 * ;time;percent, then the group's name.
 */
static bool is_group(char *fields[MAX_FIELDS])
{
    return fields[0][0] == '\0' && fields[2][0] != '\0';
}

/* [scope;]value;unit;event;[deviation;]time;percent;metric... */
static bool parse_row(struct stat_row *row, enum row_shape shape, char *line)
{
    char *fields[MAX_FIELDS];
    size_t n = fields_of(line, fields), at = shape == ROW_SCOPE ? 1 : 0;

    memset(row, 0, sizeof(*row));
    if (n < at + 5) {
        return false;
    }
    if (shape == ROW_PLAIN && is_group(fields)) {
        row->percent = strtod(fields[2], NULL);
        parse_metric(row, fields[n - 2], fields[n - 1]);
        return true;
    }
    if (shape == ROW_SCOPE) {
        copy_field(row->scope, sizeof(row->scope), fields[0]);
    }
    row->supported = strcmp(fields[at], "<not supported>") != 0;
    row->counted = fields[at][0] != '<';
    row->value = strtoull(fields[at], NULL, 10);
    copy_field(row->event, sizeof(row->event), fields[at + 2]);
    at += 3;
    if (shape == ROW_REPEAT && row->counted && n > at + 2) {
        row->deviation = strtod(fields[at++], NULL);
    }
    row->percent = strtod(fields[at + 1], NULL);
    if (n > at + 3) {
        parse_metric(row, fields[at + 2], fields[at + 3]);
    }
    return true;
}

static bool parse_output(struct stat_result *result, enum row_shape shape)
{
    char line[512];
    FILE *file = fopen(STAT_OUTPUT, "re");

    result->count = 0;
    if (file == NULL) {
        test_fail("perf stat wrote nothing");
        return false;
    }
    while (fgets(line, sizeof(line), file) != NULL && result->count < STAT_MAX_ROWS) {
        if (line[0] != '#' && parse_row(&result->rows[result->count], shape, line)) {
            result->count++;
        }
    }
    fclose(file);
    if (result->count == 0) {
        test_fail("perf stat printed no row");
    }
    return result->count > 0;
}

static void stat_line(char *line, size_t size, const char *options, const char *format,
                      va_list args)
{
    int n = snprintf(line, size, "perf stat -x " SEPARATOR " -o " STAT_OUTPUT " %s", options);

    vsnprintf(line + n, size - (size_t)n, format, args);
}

static bool start(struct command *perf, const char *options, const char *format, va_list args)
{
    char line[1024];

    stat_line(line, sizeof(line), options, format, args);
    unlink(STAT_OUTPUT);
    return command_start(perf, INPUT_NULL, NULL, line);
}

bool perf_stat_start(struct command *perf, const char *format, ...)
{
    va_list args;
    bool started;

    va_start(args, format);
    started = start(perf, "", format, args);
    va_end(args);
    return started;
}

bool perf_stat_finish(struct command *perf, struct stat_result *result, enum row_shape shape)
{
    return command_wait(perf, STAT_TIMEOUT) && parse_output(result, shape);
}

bool perf_stat(struct stat_result *result, enum row_shape shape, const char *format, ...)
{
    struct command perf;
    va_list args;
    bool started;

    va_start(args, format);
    started = start(&perf, "", format, args);
    va_end(args);
    return started && perf_stat_finish(&perf, result, shape);
}

/* perf answers "ack" when it has executed a command from the control pipe. */
static bool switch_on(int control, int ack)
{
    struct pollfd answer = {.fd = ack, .events = POLLIN};
    char text[8];

    if (write(control, "enable\n", 7) != 7 || poll(&answer, 1, ATTACH_MS) != 1 ||
        read(ack, text, sizeof(text)) < 3) {
        char said[200];

        last_line(COMMAND_ERRORS, said, sizeof(said));
        test_fail("perf stat did not begin to count: %s", said);
        return false;
    }
    return true;
}

static bool attach(struct command *perf, const char *format, va_list args, const int control[2],
                   const int ack[2])
{
    char options[80];

    snprintf(options, sizeof(options), "-D -1 --control fd:%d,%d ", control[0], ack[1]);
    return start(perf, options, format, args) && switch_on(control[1], ack[0]);
}

bool perf_stat_attach(struct command *perf, const char *format, ...)
{
    int control[2], ack[2];
    va_list args;
    bool attached;

    /* perf inherits its ends, and only those. */
    if (pipe(control) != 0 || pipe(ack) != 0) {
        test_fail("pipe: %s", strerror(errno));
        return false;
    }
    fcntl(control[1], F_SETFD, FD_CLOEXEC);
    fcntl(ack[0], F_SETFD, FD_CLOEXEC);
    va_start(args, format);
    attached = attach(perf, format, args, control, ack);
    va_end(args);
    close(control[0]);
    close(control[1]);
    close(ack[0]);
    close(ack[1]);
    return attached;
}

bool expect_row(const struct stat_result *result, size_t i, uint64_t expected)
{
    const struct stat_row *row = &result->rows[i];

    if (i >= result->count) {
        test_fail("perf stat printed %zu rows, the test needs row %zu", result->count, i + 1);
        return false;
    }
    if (!row->counted) {
        test_fail("%s: expected %llu got <not %s>", row->event, (unsigned long long)expected,
                  row->supported ? "counted" : "supported");
        return false;
    }
    return expect_between("per cent of the time on the PMU", 100, 100, (uint64_t)row->percent) &&
           expect_eq(row->event, expected, row->value);
}

void expect_perf_tests(const char *which, unsigned expected)
{
    char line[512];
    unsigned passed = 0;
    FILE *file;

    snprintf(line, sizeof(line), "perf test %s", which);
    if (!command_run(NULL, STAT_TIMEOUT, line)) {
        return;
    }
    file = fopen(COMMAND_ERRORS, "re");
    while (file != NULL && fgets(line, sizeof(line), file) != NULL) {
        passed += strstr(line, ": Ok") != NULL;
        if (strstr(line, ": FAILED") != NULL) {
            test_fail("perf test: %s", line);
        }
    }
    if (file != NULL) {
        fclose(file);
    }
    expect_eq("perf's own tests that are Ok", expected, passed);
}

/* Each name is listed once for each of its groups. */
static size_t add_once(char names[METRICS_MAX][METRIC_NAME], size_t n, const char *name)
{
    size_t seen = 0;

    while (seen < n && strcmp(names[seen], name) != 0) {
        seen++;
    }
    if (seen == n && n < METRICS_MAX) {
        memcpy(names[n++], name, METRIC_NAME);
    }
    return n;
}

/* A line of perf list is "  NAME". */
size_t metrics_list(char names[METRICS_MAX][METRIC_NAME])
{
    char line[256], name[METRIC_NAME];
    size_t n = 0;
    FILE *file;

    if (!command_run(METRIC_LIST, 60, "perf list --no-desc metric")) {
        return 0;
    }
    file = fopen(METRIC_LIST, "re");
    while (file != NULL && fgets(line, sizeof(line), file) != NULL) {
        if (line[0] == ' ' && sscanf(line, " %95s", name) == 1) {
            n = add_once(names, n, name);
        }
    }
    if (file != NULL) {
        fclose(file);
    }
    return n;
}

const struct stat_row *metrics_row(const struct stat_result *result, const char *name)
{
    const struct stat_row *row = NULL;

    for (size_t i = 0; i < result->count; i++) {
        if (strcmp(result->rows[i].metric, name) == 0 && result->rows[i].metric_value[0] != '\0') {
            row = &result->rows[i];
        }
    }
    return row;
}
