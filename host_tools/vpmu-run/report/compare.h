/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What differs between reports: a table of rows, from which tables and the exit status follow. */
#ifndef VPMU_RUN_COMPARE_H
#define VPMU_RUN_COMPARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "failure.h"
#include "profile/limit.h"
#include "report/reports.h"

enum compare_severity {
    COMPARE_OK,
    COMPARE_NOTE,
    COMPARE_WARNING,
    COMPARE_ERROR,
};

/* What a row says. Errors are printed in this order. */
enum compare_kind {
    COMPARE_GREW,
    COMPARE_SHRANK,
    COMPARE_NAMED,
    COMPARE_UNKNOWN,
    COMPARE_MISSING,
    COMPARE_EXTRA,
    COMPARE_LOST,
    COMPARE_NOTHING,
    COMPARE_STATUS,
    COMPARE_SIGNAL,
    COMPARE_COMMAND,
    COMPARE_MACHINE,
    COMPARE_ENVIRONMENT,
    COMPARE_VARIES,
    COMPARE_FILE,
    COMPARE_FILE_MISSING,
    COMPARE_FILE_EXTRA,
    COMPARE_BAND,
    COMPARE_UNCOUNTED,
    COMPARE_WITHIN,
    COMPARE_KINDS,
};

#define COMPARE_TEXT_SIZE 64

/**
 * struct compare_row - an event, or something else that the counts depend on
 * @percent: the change; not of rows that have no @change.
 * @before, @after, @change, @band: columns; "" if the row has none. The band is the range of the
 *     runs of the report in which it is larger.
 */
struct compare_row {
    enum compare_kind kind;
    enum compare_severity severity;
    size_t index;
    double percent;
    char *name;
    char before[COMPARE_TEXT_SIZE], after[COMPARE_TEXT_SIZE], change[COMPARE_TEXT_SIZE],
        band[COMPARE_TEXT_SIZE], remark[COMPARE_TEXT_SIZE];
};

/**
 * struct comparison - the rows, errors first
 * @kind: how many rows of each kind there are. @compared: rows with two counts.
 */
struct comparison {
    struct compare_row *row;
    size_t n, compared;
    size_t kind[COMPARE_KINDS];
};

#define COMPARE_LISTS_MAX 64u

/**
 * struct compare_options - what is compared
 * @events: lists of events; without one, all are compared.
 * @allow_missing: events that only one report has do not fail.
 * @allow_command: the reports may be of two commands.
 */
struct compare_options {
    const char *events[COMPARE_LISTS_MAX];
    size_t n_events;
    struct limits growth, shrink;
    bool allow_missing, allow_command;
};

/**
 * compare_reports() - compares the reports of two files
 * Two reports are compared with each other if they are the only ones, or if they have the same
 * command.
 *
 * Return: 0, or -1 with an error if a report has no table of counts. comparison_free() is needed
 * either way.
 */
int compare_reports(struct comparison *c, const struct compare_options *o,
                    const struct reports *base, const struct reports *now, struct failure *f);
void comparison_free(struct comparison *c);

/** compare_judge() - Return: 0, or -1 with an error that says what failed */
int compare_judge(const struct comparison *c, struct failure *f);

/** compare_change() - by how many percent @now differs from @base */
double compare_change(uint64_t base, uint64_t now);

/** compare_summary() - how many rows of each kind of at least this severity there are */
void compare_summary(const struct comparison *c, enum compare_severity least, char *text,
                     size_t size);

#endif
