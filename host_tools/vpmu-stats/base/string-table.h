/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_STRING_TABLE_H
#define VPMU_STATS_STRING_TABLE_H

#include <stdint.h>

#include "base/error.h"

/**
 * struct string_table - texts, each once, with numbers from 0 in the order in which they came; 0 at
 * first
 *
 * Private, but for @n: how many there are.
 */
struct string_table {
    void *tree;
    struct string **text;
    uint32_t n;
    uint32_t room;
};

/**
 * string_table_number() - the number of a text, which is copied if it is new
 * Return: 0, or -1 with an error.
 */
int string_table_number(struct string_table *s, const char *text, uint32_t *number,
                        struct error *t);

/** string_table_get() - the text with this number; it lives until string_table_free() */
const char *string_table_get(const struct string_table *s, uint32_t number);

void string_table_free(struct string_table *s);

#endif
