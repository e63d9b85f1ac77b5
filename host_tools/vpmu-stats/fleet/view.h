/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_VIEW_H
#define VPMU_STATS_VIEW_H

#include "fleet/columns.h"
#include "base/out.h"

/**
 * struct view - what top displays
 * @columns, @fleet: what to show.
 * @sort, @reverse: the order of the rows; see columns_sort().
 * @per_vcpu: show one row for each vCPU.
 * @began: time of the first sample, from qmp_now().
 * @looked: time of the last sample.
 * @width: width of the screen. Columns that do not fit are left out. 0 means no limit.
 * @usual: the user has not chosen columns. Columns about a hypervisor's guests are then left out
 *     until a machine has had such guests.
 * @has_guests: a machine has had such guests. Private.
 * @rows, @n: the rows and their number. Set by view_update().
 */
struct view {
    const struct columns *columns;
    const struct fleet *fleet;
    unsigned sort;
    bool reverse;
    bool per_vcpu;
    int64_t began;
    int64_t looked;
    int width;
    bool usual;
    bool has_guests;
    struct row *rows;
    size_t n;
};

/** view_shows() - test whether a column is shown */
bool view_shows(const struct view *v, unsigned column);

/**
 * view_update() - rebuild and sort the rows from the fleet's last samples
 *
 * Return: 0, or -1 if there is no memory.
 */
int view_update(struct view *v, struct error *t);
void view_free(struct view *v);

/* Each of these writes one line without a newline. */
void view_title(const struct view *v, FILE *to);
void view_head(const struct view *v, FILE *to);
void view_row(const struct view *v, const struct row *r, FILE *to);

/**
 * view_column() - find where a column, or the name, begins on a line
 * @column: the number of the column, or COLUMNS_NAME.
 * @width: receives the width in characters.
 *
 * Return: the position in characters, or -1 if the column is not shown.
 */
int view_column(const struct view *v, unsigned column, int *width);

/** view_print() - print the view as lines of text or as records, depending on the kind of @out */
void view_print(const struct view *v, struct out *out);

#endif
