/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_REPORT_H
#define VPMU_STATS_REPORT_H

#include "profile/sample-input.h"
#include "base/out.h"

/* The longest list of columns, also with some of them more than once. */
#define REPORT_MAX_COLUMNS 16u

/** struct report - @n columns that samples are summed up by; 0 at first */
struct report {
    const struct report_column *column[REPORT_MAX_COLUMNS];
    uint32_t n;
};

/**
 * report_choose() - takes a list of columns as perf's --sort has it, "comm,sym"
 * Return: 0, or -1: ERROR_USAGE and which there are.
 */
int report_choose(struct report *r, const char *list, struct error *t);

/** report_key() - a sample_input_key; gather.opaque is the struct report */
int report_key(struct sample_input *g, const struct input_sample *s, uint32_t *key, uint32_t *n,
               struct error *t);

/** report_members() - adds what a row is summed up by to a record */
void report_members(const struct report *r, const struct profile *p, const struct profile_entry *e,
                    struct json_object *record);

/**
 * report_print() - prints a table for each event, or a record for each of its rows
 * @p: gets sorted.
 * @limit: no more rows of an event than these; 0: all.
 */
void report_print(const struct report *r, struct profile *p, size_t limit, struct out *out);

#endif
