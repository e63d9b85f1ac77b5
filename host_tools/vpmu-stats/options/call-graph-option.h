/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_CALL_GRAPH_OPTION_H
#define VPMU_STATS_CALL_GRAPH_OPTION_H

#include "profile/report-columns.h"

/**
 * call_graph_option_parse() - parse the argument of report -g in perf's syntax
 * @text: words separated by commas: graph, fractal or none; a threshold in percent, then a limit of
 *     entries; caller or callee. NULL selects the defaults.
 *
 * Return: 0, or -1: ERROR_USAGE.
 */
int call_graph_option_parse(struct report *r, const char *text, struct error *t);

#endif
