/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_CATEGORY_OPTIONS_H
#define VPMU_STATS_CATEGORY_OPTIONS_H

#include <argp.h>

#include "options/record-options.h"

/* Parses the options of a cpuperf session into a struct record_options. */
extern const struct argp category_options_argp;

/**
 * category_options_take() - derive the recording from the categories
 * @o: all options, after parsing; @by_category is set.
 * @measure: the events are added here.
 *
 * Return: 0, or -1 with ERROR_USAGE if options or categories exclude each other.
 */
int category_options_take(struct record_options *o, struct measure_options *measure,
                          struct error *t);

#endif
