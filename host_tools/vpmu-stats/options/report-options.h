/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_REPORT_OPTIONS_H
#define VPMU_STATS_REPORT_OPTIONS_H

#include <argp.h>

#include "base/out.h"

/**
 * struct report_options - options of all commands that print tables of samples
 * @sort: a list for report_choose(); the caller sets the default.
 * @addresses: show addresses of samples without a function.
 * @limit: maximum number of rows for each event; 0 for no limit.
 * @kind, @separator: format, for a struct out.
 */
struct report_options {
    const char *sort;
    bool addresses;
    long limit;
    enum out_kind kind;
    const char *separator;
};

/* Parses the options into a struct report_options, as a child of a command's argp. */
extern const struct argp report_options_argp;

#endif
