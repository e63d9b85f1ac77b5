/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_STRING_TABLE_H
#define VPMU_STATS_STRING_TABLE_H

#include <stdint.h>

#include "base/error.h"

/**
 * struct string_table - a set of strings, numbered from 0 as they are added; all 0 at first
 * @n: the number of strings.
 *
 * The other members are private.
 */
struct string_table {
    void *tree;
    struct string **text;
    uint32_t n;
    uint32_t room;
};

/**
 * string_table_number() - get the number of a string, and add the string if it is new
 * @s: the table.
 * @text: the string, which is copied.
 * @number: receives the number.
 * @t: is set if there is not enough memory.
 *
 * Return: 0 or -1.
 */
int string_table_number(struct string_table *s, const char *text, uint32_t *number,
                        struct error *t);

/** string_table_get() - get the string with a number. It is valid until string_table_free(). */
const char *string_table_get(const struct string_table *s, uint32_t number);

void string_table_free(struct string_table *s);

#endif
