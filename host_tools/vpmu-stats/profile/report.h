/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_REPORT_H
#define VPMU_STATS_REPORT_H

#include "profile/report-columns.h"

/**
 * report_print() - print a table for each event, or a record for each row
 * @p: is sorted by this function.
 * @limit: maximum number of rows of an event; 0 for all.
 *
 * Return: 0, or -1 with an error.
 */
int report_print(const struct report *r, struct profile *p, size_t limit, struct out *out,
                 struct error *t);

#endif
