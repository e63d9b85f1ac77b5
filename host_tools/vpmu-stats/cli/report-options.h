/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_REPORT_OPTIONS_H
#define VPMU_STATS_REPORT_OPTIONS_H

#include <argp.h>

#include "base/out.h"

/**
 * struct report_options - what commands that print tables of samples have in common
 * @sort: a list for report_choose(); what it is before is what it stays.
 * @limit: rows of an event; 0: all.
 * @kind, @separator: for an out.
 */
struct report_options {
    const char *sort;
    long limit;
    enum out_kind kind;
    const char *separator;
};

/* Parses them into a struct report_options: a child of each such command's argp. */
extern const struct argp report_options_argp;

#endif
