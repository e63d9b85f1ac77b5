/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_STAT_REPORT_H
#define VPMU_STATS_STAT_REPORT_H

#include "session/measure.h"
#include "session/stat-options.h"

/** struct spread - the sums of numbers of several runs */
struct spread {
    double sum;
    double squares;
};

/**
 * struct stat_report - what stat prints, and the state between reports
 * @o: the options of stat.
 * @events: the events that are counted.
 * @missing: the names of @n_missing optional events that the machine lacks.
 * @cell: with -r, one for each event, of each vCPU or of all vCPUs.
 * @seconds: the duration of the runs.
 * @runs: the number of runs of -r so far.
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

/** stat_report_take() - print the counts since the last report; with -r, only store them */
void stat_report_take(struct stat_report *r, struct measure *m);

/** stat_report_end() - print the means of -r, if there was a run */
void stat_report_end(struct stat_report *r, struct measure *m);

/** stat_report_list() - print the names of metrics */
void stat_report_list(FILE *file);

void stat_report_free(struct stat_report *r);

/** spread_percent() - get the standard error of the mean of @n numbers, in percent of the mean */
double spread_percent(const struct spread *s, long n);

#endif
