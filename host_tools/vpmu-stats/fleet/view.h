/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_VIEW_H
#define VPMU_STATS_VIEW_H

#include "fleet/columns.h"
#include "base/out.h"

/**
 * struct view - what top shows
 * @columns, @fleet: of what.
 * @sort, @reverse: in which order, see columns_sort().
 * @per_vcpu: a row for each vCPU.
 * @began: when the fleet was looked at first, as qmp_now() has it.
 * @looked: when it was looked at last.
 * @width: of the screen; columns that do not fit are left out. 0: there is room for all.
 * @usual: the user has chosen no columns: those of a hypervisor's guests are left out as long as no
 *     machine has had such guests.
 * @rows: @n of them; private in between.
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

/** view_shows() - is a column shown? */
bool view_shows(const struct view *v, unsigned column);

/** view_update() - takes over what the fleet is now, in order. Return: 0 or -1. */
int view_update(struct view *v, struct error *t);
void view_free(struct view *v);

/* Lines, without their ends. */
void view_title(const struct view *v, FILE *to);
void view_head(const struct view *v, FILE *to);
void view_row(const struct view *v, const struct row *r, FILE *to);

/** view_column() - where a column, or the name, begins on a line, and how wide it is; -1: not shown
 */
int view_column(const struct view *v, unsigned column, int *width);

/** view_print() - a frame: lines, or records, as @out is of a kind */
void view_print(const struct view *v, struct out *out);

#endif
