/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The strings are in a balanced tree. A hash table would be slow for strings that a guest chooses
 * to collide.
 */
#include "profile/string-table.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

struct string {
    const char *text;
    uint32_t number;
};

static int compare(const void *a, const void *b)
{
    return strcmp(((const struct string *)a)->text, ((const struct string *)b)->text);
}

static int make_room(struct string_table *s, struct error *t)
{
    uint32_t room = s->room ? s->room * 2 : 64;
    struct string **new;

    if (s->n < s->room) {
        return 0;
    }
    new = room > s->room ? reallocarray(s->text, room, sizeof(*new)) : NULL;
    if (!new) {
        return error_memory(t);
    }
    s->text = new;
    s->room = room;
    return 0;
}

static struct string *new_text(const char *text, uint32_t number)
{
    size_t size = strlen(text) + 1;
    struct string *new = malloc(sizeof(*new) + size);

    if (new) {
        new->text = memcpy(new + 1, text, size);
        new->number = number;
    }
    return new;
}

int string_table_number(struct string_table *s, const char *text, uint32_t *number, struct error *t)
{
    const struct string wanted = {.text = text};
    struct string **found = tfind(&wanted, &s->tree, compare);
    struct string *new;

    if (found) {
        *number = (*found)->number;
        return 0;
    }
    if (make_room(s, t)) {
        return -1;
    }
    new = new_text(text, s->n);
    if (!new || !tsearch(new, &s->tree, compare)) {
        free(new);
        return error_memory(t);
    }
    *number = s->n;
    s->text[s->n++] = new;
    return 0;
}

const char *string_table_get(const struct string_table *s, uint32_t number)
{
    return s->text[number]->text;
}

void string_table_free(struct string_table *s)
{
    tdestroy(s->tree, free);
    free(s->text);
    *s = (struct string_table){0};
}
