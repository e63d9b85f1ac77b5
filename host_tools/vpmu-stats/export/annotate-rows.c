/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sums up the lines and calls of a profile in valgrind's format. */
#include "export/annotate-rows.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "export/annotate-lines.h"

#define ROLE_CALLS "calls"
#define ROLE_CALLED "called"
#define ROLE_RECURSES "recurses"

int annotate_line_key(struct sample_input *g, const struct valgrind_line *line, uint32_t *key,
                      uint32_t *n, struct error *t)
{
    struct string_table *texts = &g->profile->texts;
    char number[12];

    snprintf(number, sizeof(number), "%010u", line->line);
    *n = ANNOTATE_KEYS;
    return string_table_number(texts, line->object, &key[ANNOTATE_KEY_OBJECT], t) ||
                   string_table_number(texts, line->function, &key[ANNOTATE_KEY_FUNCTION], t) ||
                   string_table_number(texts, line->home, &key[ANNOTATE_KEY_HOME], t) ||
                   string_table_number(texts, line->file, &key[ANNOTATE_KEY_FILE], t) ||
                   string_table_number(texts, number, &key[ANNOTATE_KEY_LINE], t)
               ? -1
               : 0;
}

/** struct role - a function that calls, or is called; @called: whom the first calls */
struct role {
    const char *object, *function, *home, *role;
    const struct role *called;
};

static int take_function(struct sample_input *g, const struct role *role, uint32_t *key,
                         struct error *t)
{
    struct string_table *texts = &g->profile->texts;

    return string_table_number(texts, role->object, &key[ANNOTATE_KEY_OBJECT], t) ||
                   string_table_number(texts, role->function, &key[ANNOTATE_KEY_FUNCTION], t) ||
                   string_table_number(texts, role->home, &key[ANNOTATE_KEY_HOME], t)
               ? -1
               : 0;
}

/* Adds entries, which the sums of events do not contain. There is one of the first event. */
static int add_role(struct sample_input *g, const struct role *role, const uint64_t *value,
                    struct error *t)
{
    uint32_t n = role->called ? ANNOTATE_KEYS_OF_CALL : ANNOTATE_KEYS_OF_CALLED;
    uint32_t key[ANNOTATE_KEYS_OF_CALL];

    if (take_function(g, role, key, t) ||
        string_table_number(&g->profile->texts, role->role, &key[ANNOTATE_KEY_ROLE], t) ||
        (role->called && take_function(g, role->called, key + ANNOTATE_KEY_CALLED, t))) {
        return -1;
    }
    for (unsigned i = 0; i < g->profile->events; i++) {
        struct profile_entry *entry =
            i == 0 || value[i] ? profile_entry(g->profile, i, key, n, t) : NULL;

        if (entry) {
            entry->period += value[i];
        } else if (i == 0 || value[i]) {
            return -1;
        }
    }
    return 0;
}

/*
 * A call that a function makes of itself is a part of the one from outside. Calls between functions
 * whose names are not known look like that.
 */
int annotate_call_line(struct sample_input *g, const struct valgrind_call *call, struct error *t)
{
    const struct role called = {call->called_object, call->called, call->called_home, ROLE_CALLED,
                                NULL};
    const struct role calls = {call->object, call->function, call->home, ROLE_CALLS, &called};

    if (strcmp(calls.object, called.object) == 0 && strcmp(calls.function, called.function) == 0 &&
        strcmp(calls.home, called.home) == 0) {
        return add_role(
            g, &(struct role){calls.object, calls.function, calls.home, ROLE_RECURSES, NULL},
            call->value, t);
    }
    return add_role(g, &calls, call->value, t) || add_role(g, &called, call->value, t) ? -1 : 0;
}

int annotate_rows_compare(const struct annotate_rows *rows, const struct profile *p,
                          const struct profile_entry *x, const struct profile_entry *y)
{
    int order = 0;

    for (uint32_t i = rows->first; i <= rows->last && !order; i++) {
        order = x->key[i] == y->key[i] ? 0 : strcmp(profile_text(p, x, i), profile_text(p, y, i));
    }
    return order;
}

/** struct order - how entries are compared */
struct order {
    const struct annotate_rows *rows;
    const struct profile *p;
};

static int compare(const void *a, const void *b, void *opaque)
{
    const struct order *o = opaque;

    return annotate_rows_compare(o->rows, o->p, *(struct profile_entry *const *)a,
                                 *(struct profile_entry *const *)b);
}

static void add_up(struct annotate_row *row, const struct profile *p, const struct profile_entry *e)
{
    if (e->n == ANNOTATE_KEYS) {
        row->value[e->event] += e->period;
    } else if (strcmp(profile_text(p, e, ANNOTATE_KEY_ROLE), ROLE_CALLS) == 0) {
        row->calls[e->event] += e->period;
    } else if (strcmp(profile_text(p, e, ANNOTATE_KEY_ROLE), ROLE_RECURSES) == 0) {
        row->recurses[e->event] += e->period;
    } else {
        row->called[e->event] += e->period;
    }
}

int annotate_rows_make(struct annotate_rows *rows, const struct profile *p,
                       struct profile_entry **entry, size_t n, struct error *t)
{
    struct order order = {rows, p};

    rows->row = calloc(n + 1, sizeof(*rows->row));
    if (!rows->row) {
        return error_memory(t);
    }
    qsort_r(entry, n, sizeof(struct profile_entry *), compare, &order);
    for (size_t i = 0; i < n; i++) {
        if (i == 0 || annotate_rows_compare(rows, p, entry[i - 1], entry[i]) != 0) {
            rows->row[rows->n] = (struct annotate_row){.any = entry[i], .at = rows->n};
            rows->n++;
        }
        add_up(&rows->row[rows->n - 1], p, entry[i]);
    }
    return 0;
}
