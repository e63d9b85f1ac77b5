/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_RANGES_H
#define VPMU_STATS_RANGES_H

#include <stdbool.h>
#include <stddef.h>

#define RANGES_MAX 64u

/** struct ranges - a list of numbers such as 0,2-3: @n ranges */
struct ranges {
    struct {
        unsigned first;
        unsigned last;
    } range[RANGES_MAX];
    size_t n;
};

/**
 * ranges_add() - add the numbers of a list
 * @r: where they are added.
 * @list: numbers and ranges, separated by commas.
 * @max: the largest valid number.
 *
 * Return: true; or false if @list is not such a list, or is too long. @r is then undefined.
 */
bool ranges_add(struct ranges *r, const char *list, long max);

/** ranges_have() - test whether a number is in the list; an empty list has all numbers */
bool ranges_have(const struct ranges *r, unsigned number);

#endif
