/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_NUMBER_H
#define VPMU_STATS_NUMBER_H

#include <stdbool.h>

/** number_parse() - an integer from @min to @max. Return: false if @text is something else. */
bool number_parse(const char *text, long min, long max, long *value);

/** number_parse_percent() - a percentage, 0 or more. Return: false if @text is something else. */
bool number_parse_percent(const char *text, double *value);

#endif
