/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A balanced tree, not hashes: whoever chose the texts does not choose how long this takes. */
#include "texts.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

struct text {
    const char *text;
    uint32_t number;
};

static int compare(const void *a, const void *b)
{
    return strcmp(((const struct text *)a)->text, ((const struct text *)b)->text);
}

static int make_room(struct texts *s, struct trouble *t)
{
    uint32_t room = s->room ? s->room * 2 : 64;
    struct text **new;

    if (s->n < s->room) {
        return 0;
    }
    new = room > s->room ? reallocarray(s->text, room, sizeof(*new)) : NULL;
    if (!new) {
        return trouble_memory(t);
    }
    s->text = new;
    s->room = room;
    return 0;
}

static struct text *new_text(const char *text, uint32_t number)
{
    size_t size = strlen(text) + 1;
    struct text *new = malloc(sizeof(*new) + size);

    if (new) {
        new->text = memcpy(new + 1, text, size);
        new->number = number;
    }
    return new;
}

int texts_number(struct texts *s, const char *text, uint32_t *number, struct trouble *t)
{
    const struct text wanted = {.text = text};
    struct text **found = tfind(&wanted, &s->tree, compare);
    struct text *new;

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
        return trouble_memory(t);
    }
    *number = s->n;
    s->text[s->n++] = new;
    return 0;
}

const char *texts_get(const struct texts *s, uint32_t number)
{
    return s->text[number]->text;
}

void texts_free(struct texts *s)
{
    tdestroy(s->tree, free);
    free(s->text);
    *s = (struct texts){0};
}
