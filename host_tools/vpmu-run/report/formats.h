/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_RUN_FORMATS_H
#define VPMU_RUN_FORMATS_H

#include <json-c/json.h>
#include <stdio.h>

#include "failure.h"

/** format_fn - writes @n reports */
typedef void format_fn(struct json_object *const *reports, size_t n, FILE *to);

/** formats_known - the names that format_find() knows, for messages */
extern const char formats_known[];

/** format_find() - the function that writes reports in a format; NULL if there is none */
format_fn *format_find(const char *name);

/**
 * format_write() - writes @n reports to a file, which appears or is replaced as a whole
 * @path: NULL is the stream @standard.
 */
int format_write(struct json_object *const *reports, size_t n, format_fn *format, const char *path,
                 FILE *standard, struct failure *f);

#endif
