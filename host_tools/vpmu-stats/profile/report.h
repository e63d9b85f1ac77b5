/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_REPORT_H
#define VPMU_STATS_REPORT_H

#include "profile/report-columns.h"

/**
 * report_print() - prints a table for each event, or a record for each of its rows
 * @p: gets sorted.
 * @limit: no more rows of an event than these; 0: all.
 *
 * Return: 0, or -1 with an error.
 */
int report_print(const struct report *r, struct profile *p, size_t limit, struct out *out,
                 struct error *t);

#endif
