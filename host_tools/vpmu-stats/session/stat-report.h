/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_STAT_REPORT_H
#define VPMU_STATS_STAT_REPORT_H

#include "session/measure.h"
#include "session/stat-options.h"

/** struct spread - numbers of several runs, added up */
struct spread {
    double sum;
    double squares;
};

/**
 * struct stat_report - what stat prints, and what it remembers for that
 * @o: the options of stat.
 * @events: what is counted.
 * @missing: the names of @n_missing optional events that the machine lacks.
 * @cell: with -r, one for each event, of each vCPU or of all.
 * @seconds: how long the runs took.
 * @runs: of -r so far.
 */
struct stat_report {
    const struct stat_options *o;
    const struct events *events;
    char *missing[OBSERVERS_MAX];
    size_t n_missing;
    struct spread *cell;
    struct spread seconds;
    long runs;
};

/** stat_report_take() - prints what came since the last report; with -r it is only remembered */
void stat_report_take(struct stat_report *r, struct measure *m);

/** stat_report_end() - prints the means of -r, if there was a run */
void stat_report_end(struct stat_report *r, struct measure *m);

/** stat_report_list() - prints the names of metrics */
void stat_report_list(FILE *file);

void stat_report_free(struct stat_report *r);

/** spread_percent() - the standard error of the mean of @n numbers, in percent of the mean */
double spread_percent(const struct spread *s, long n);

#endif
