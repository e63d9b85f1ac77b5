/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_COLUMNS_H
#define VPMU_STATS_COLUMNS_H

#include "machine/events.h"
#include "fleet/fleet.h"

#define COLUMNS_MAX 10u
/* Of a column on the screen, of the name before all columns, and of the vCPU behind that. */
#define COLUMNS_WIDTH 11
#define COLUMNS_NAME_WIDTH 20
#define COLUMNS_CPU_WIDTH 6
/* In place of a column's number: the name. */
#define COLUMNS_NAME COLUMNS_MAX

/**
 * struct columns - what is shown of machines
 * @shown: which of the columns that there are.
 * @events: what they need observed.
 * @meter: they need the blackout meter.
 */
struct columns {
    bool shown[COLUMNS_MAX];
    struct events events;
    bool meter;
};

/**
 * columns_choose() - shows columns
 * @list: names, with commas in between; "all"; or NULL: what costs guests next to nothing.
 *
 * Return: 0, or -1 with ERROR_USAGE. columns_free() is needed either way.
 */
int columns_choose(struct columns *c, const char *list, struct error *t);
void columns_free(struct columns *c);

/** columns_find() - the number of a column; COLUMNS_NAME for "name"; -1 if there is none */
int columns_find(const char *name);

/** columns_name() - its name, as users write it and JSON has it. NULL from the number of columns
 * on.
 */
const char *columns_name(unsigned column);

/** columns_of_guests() - is it of the guests of a machine's own hypervisor? */
bool columns_of_guests(unsigned column);

/** columns_head() - what stands above it */
const char *columns_head(unsigned column);

/** columns_key() - what a user presses to sort by it */
char columns_key(unsigned column);

/** columns_list() - all names, for messages. @buf has 256 bytes. Return: @buf. */
const char *columns_list(char *buf);

/**
 * struct row - a machine, or one of its vCPUs
 * @cpu: which; -1: all of them.
 * @value: of each column; not a number where it is not known, or not shown.
 */
struct row {
    const struct member *member;
    long cpu;
    double value[COLUMNS_MAX];
};

/**
 * columns_rows() - a row for each machine, or for each vCPU
 * @rows: is allocated, and good until the next fleet_look().
 *
 * A machine that is not up has one row without values. Values are those of the time between the
 * last two samples.
 *
 * Return: how many; -1 if there is no memory.
 */
long columns_rows(const struct columns *c, const struct fleet *f, bool per_vcpu, struct row **rows);

/**
 * columns_sort() - the largest value first, but names in their order; what is not known is last
 * @reverse: the other way round, but what is not known is still last.
 */
void columns_sort(struct row *rows, size_t n, unsigned column, bool reverse);

/** columns_cell() - a value as people read it: "1.25G". @buf has FORMAT_SIZE bytes. Return: @buf.
 */
const char *columns_cell(char *buf, unsigned column, double value);

#endif
