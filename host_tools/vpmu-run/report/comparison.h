/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes what compare_reports() has found. */
#ifndef VPMU_RUN_COMPARISON_H
#define VPMU_RUN_COMPARISON_H

#include <stdbool.h>
#include <stdio.h>

#include "report/compare.h"

/** comparison_fn - writes a table and a summary. @quiet: only warnings and errors, if any. */
typedef void comparison_fn(const struct comparison *c, bool quiet, FILE *to);

/** comparison_formats - the names that comparison_find() knows, for messages */
extern const char comparison_formats[];

/** comparison_find() - the function that writes in a format; NULL if there is none */
comparison_fn *comparison_find(const char *name);

#endif
