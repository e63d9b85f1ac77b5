/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_DIFF_H
#define VPMU_STATS_DIFF_H

#include "profile/limit.h"
#include "profile/report.h"

/**
 * struct diff_style - how a table is printed
 * @markdown: for a pull request, with rows beyond a limit first.
 * @quiet: only rows beyond a limit.
 * @limit: maximum number of rows; 0 for all.
 */
struct diff_style {
    bool markdown, quiet;
    size_t limit;
};

/**
 * struct diff_row - a row of two reports. A row that only one report has is 0 in the other one.
 * @entry: the key, whose texts are those of @texts, one of the two profiles.
 * @source: the source file of the function; NULL if it is not known.
 * @has_twin: another function has the same name.
 */
struct diff_row {
    const struct profile *texts;
    const struct profile_entry *entry;
    uint64_t before;
    uint64_t after;
    const char *source;
    bool has_twin;
};

/**
 * struct diff - two reports and their differences by name
 * @row: @n rows of @event of @after, sorted by falling change. Rows without a change are left out.
 * @total: of the event, before and after.
 * @sources: keys end with source files, see struct report. Functions of one name are compared with
 *     the one whose source file has the most similar path. If only one profile knows source files,
 *     or if no function has another one's name, they do not matter.
 * @growth, @shrink: by how much rows may change; NULL without limits.
 */
struct diff {
    const struct profile *before;
    const struct profile *after;
    unsigned event;
    bool sources;
    const struct limits *growth, *shrink;
    uint64_t total[2];
    struct diff_row *row;
    size_t n;
};

/**
 * diff_make() - compare an event
 * @d: the caller has set before and after, both sorted by profile_sort_by_key(), and event, an
 *     index in after. The results of an earlier call are released.
 *
 * Return: 1; 0 if @before does not have that event; or -1 with an error.
 */
int diff_make(struct diff *d, struct error *t);

/** diff_growth() - get how much a row grew, in percent of the event's total before */
double diff_growth(const struct diff *d, const struct diff_row *row);

/** diff_file() - Return: the source file's name, if another function has the same one; or NULL */
const char *diff_file(const struct diff_row *row);

/** diff_exceeded() - Return: the limit that a row exceeds; NULL if there is none */
const struct limit *diff_exceeded(const struct diff *d, const struct diff_row *row);

/** diff_print() - print a table, or a record for each row */
void diff_print(const struct diff *d, const struct report *r, const struct diff_style *style,
                struct out *out);

void diff_free(struct diff *d);

#endif
