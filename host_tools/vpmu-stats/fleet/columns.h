/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_COLUMNS_H
#define VPMU_STATS_COLUMNS_H

#include "machine/events.h"
#include "fleet/fleet.h"

#define COLUMNS_MAX 10u
/*
 * Widths in characters: of a column, of the machine's name before all columns, of the vCPU after
 * it.
 */
#define COLUMNS_WIDTH 11
#define COLUMNS_NAME_WIDTH 20
#define COLUMNS_CPU_WIDTH 6
/* Stands for the machine's name where a function takes the number of a column. */
#define COLUMNS_NAME COLUMNS_MAX

/**
 * struct columns - the columns to show, and the measurements that they need
 * @shown: whether each column is shown, by column number.
 * @events: the events that must be observed.
 * @meter: whether the blackout meter must be read.
 */
struct columns {
    bool shown[COLUMNS_MAX];
    struct events events;
    bool meter;
};

/**
 * columns_choose() - choose the columns to show
 * @c: is overwritten. Call columns_free() afterwards, even if this function fails.
 * @list: column names separated by commas, or "all". NULL chooses the default columns, which cost
 *     the guest almost nothing.
 *
 * Return: 0, or -1 with ERROR_USAGE for an unknown name.
 */
int columns_choose(struct columns *c, const char *list, struct error *t);
void columns_free(struct columns *c);

/**
 * columns_find() - find a column by its name
 *
 * Return: the number of the column, COLUMNS_NAME for "name", or -1 if there is no such column.
 */
int columns_find(const char *name);

/**
 * columns_name() - get the name of a column, as in options and in JSON
 *
 * Return: the name, or NULL if @column is COLUMNS_MAX or larger.
 */
const char *columns_name(unsigned column);

/** columns_of_guests() - test whether a column describes guests of the machine's own hypervisor */
bool columns_of_guests(unsigned column);

/** columns_head() - get the heading of a column */
const char *columns_head(unsigned column);

/** columns_key() - get the key that sorts by a column; @column may be COLUMNS_NAME */
char columns_key(unsigned column);

/**
 * columns_list() - list the names of all columns, for messages
 * @buf: at least 256 bytes.
 *
 * Return: @buf.
 */
const char *columns_list(char *buf);

/**
 * struct row - the values of a machine or of one of its vCPUs
 * @cpu: the number of the vCPU, or -1 for the whole machine.
 * @value: one value for each column; NaN if it is unknown or the column is not shown.
 */
struct row {
    const struct member *member;
    long cpu;
    double value[COLUMNS_MAX];
};

/**
 * columns_rows() - make one row for each machine, or one for each vCPU
 * @rows: receives an allocated array. The caller frees it. The rows are valid until the next
 *     fleet_look().
 *
 * A value covers the time between the last two samples. A machine that is down has one row without
 * values. Hidden machines have no row.
 *
 * Return: the number of rows, or -1 if there is no memory.
 */
long columns_rows(const struct columns *c, const struct fleet *f, bool per_vcpu, struct row **rows);

/**
 * columns_sort() - sort rows by a column
 * @column: the number of the column, or COLUMNS_NAME.
 * @reverse: invert the order.
 *
 * By default, the largest value comes first, but names are in alphabetical order. Unknown values
 * are always last.
 */
void columns_sort(struct row *rows, size_t n, unsigned column, bool reverse);

/**
 * columns_cell() - format a value for display, such as "1.25G"
 * @buf: at least FORMAT_SIZE bytes.
 *
 * Return: @buf.
 */
const char *columns_cell(char *buf, unsigned column, double value);

#endif
