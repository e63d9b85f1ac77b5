/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files contained that a program had in its machine. */
#ifndef VPMU_RUN_CONTENTS_H
#define VPMU_RUN_CONTENTS_H

#include <json-c/json.h>

#include "files/archive.h"

/**
 * contents_of() - Return: an object with a hash for each file of this computer in the archive
 * @cwd: paths in this directory are relative to it, so that reports of two checkouts are
 * comparable.
 */
struct json_object *contents_of(const struct archive *a, const char *cwd);

/**
 * contents_environment() - Return: an object with a hash for each variable that the program had
 * The values may be secrets, and reports are made public.
 */
struct json_object *contents_environment(const struct archive *a);

/* Instead of a hash, if a report does not have the file or the variable. */
#define CONTENTS_NONE "none"

/** contents_row_fn - @before, @after: the hash of a file or a variable, or CONTENTS_NONE */
typedef void contents_row_fn(void *data, const char *name, const char *before, const char *after);

/**
 * contents_compare() - calls @row for each file or variable that differs, and once for those beyond
 * CONTENTS_ROWS_MAX
 * @base, @now: objects of the functions above, from files that are not trusted; NULL compares
 *     nothing.
 * @what: precedes the names, such as "file".
 */
void contents_compare(struct json_object *base, struct json_object *now, const char *what,
                      contents_row_fn *row, void *data);

#define CONTENTS_ROWS_MAX 20

#endif
