/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_DIFF_H
#define VPMU_STATS_DIFF_H

#include "profile/report.h"

/**
 * struct diff_row - a row of two reports; what is in one of them only was 0 in the other
 * @entry: of @texts, which is one of the two.
 */
struct diff_row {
    const struct profile *texts;
    const struct profile_entry *entry;
    uint64_t before;
    uint64_t after;
};

/**
 * struct diff - two reports, of which the events that both have are compared by name
 * @row: @n of them, of @event of @after, what changed most first. Rows without a change are none.
 * @total: of the event, before and after.
 */
struct diff {
    const struct profile *before;
    const struct profile *after;
    unsigned event;
    uint64_t total[2];
    struct diff_row *row;
    size_t n;
};

/**
 * diff_make() - compares an event
 * @d: before and after are set, and sorted by profile_sort_by_key(); event of @after is. What the
 *     last call has made is released.
 *
 * Return: 1; 0 if @before does not have that event; or -1 with an error.
 */
int diff_make(struct diff *d, struct error *t);

/** diff_growth() - by how much a row grew, in percent of all that the event was before */
double diff_growth(const struct diff *d, const struct diff_row *row);

/** diff_print() - prints a table, or a record for each row; @limit: no more rows; 0: all */
void diff_print(const struct diff *d, const struct report *r, size_t limit, struct out *out);

void diff_free(struct diff *d);

#endif
