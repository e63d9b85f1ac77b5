/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files with reports: one, or several after each other. */
#ifndef VPMU_RUN_REPORTS_H
#define VPMU_RUN_REPORTS_H

#include <json-c/json.h>
#include <stddef.h>

#include "failure.h"

/**
 * struct reports - the @n reports of a file
 * @turn: for each, how many of the same command are before it.
 * @commands: the reports of each command.
 */
struct reports {
    const char *path;
    struct json_object **report;
    size_t *turn;
    size_t n;
    struct json_object *commands;
};

/**
 * reports_read() - reads all reports of a file
 * A list of reports is accepted, too.
 *
 * Return: 0, or -1 with FAILURE_USAGE if the file has anything else, or no report. reports_free()
 * is needed either way.
 */
int reports_read(struct reports *r, const char *path, struct failure *f);
void reports_free(struct reports *r);

/**
 * reports_same() - the report in @r that has the command and the turn of the @i-th one in @like
 *
 * Return: NULL if there is none.
 */
struct json_object *reports_same(const struct reports *r, const struct reports *like, size_t i);

#endif
