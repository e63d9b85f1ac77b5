/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_CATEGORY_OPTIONS_H
#define VPMU_STATS_CATEGORY_OPTIONS_H

#include <argp.h>

#include "cli/record-options.h"

/* Parses options of sessions into a struct record_options. */
extern const struct argp category_options_argp;

/**
 * category_options_take() - what a session comes to
 * @o: all is parsed, and it is by category.
 * @measure: its events are added to.
 *
 * Return: 0, or -1: ERROR_USAGE if options or categories do not go together.
 */
int category_options_take(struct record_options *o, struct measure_options *measure,
                          struct error *t);

#endif
