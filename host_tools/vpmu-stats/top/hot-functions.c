/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "top/hot-functions.h"

#include <stdlib.h>
#include <string.h>

/* Parts of a key: the columns, then those of annotate_key() if the function's file is known. */
enum {
    KEY_DSO,
    KEY_SYMBOL,
    KEY_ANNOTATE,
};

/* Samples are counted in fractions, so that a single one does not disappear at once. */
#define FRACTIONS 1024u
/* Entries with less than this, a 16th of a sample, are dropped. */
#define LEAST (FRACTIONS / 16)

int hot_functions_init(struct hot_functions *h, struct error *t)
{
    *h = (struct hot_functions){0};
    return report_choose(&h->columns, "dso,sym", t);
}

int hot_functions_key(struct sample_input *g, const struct input_sample *s, uint32_t *key,
                      uint32_t *n, struct error *t)
{
    const struct report *columns = g->opaque;

    for (uint32_t i = 0; i < KEY_ANNOTATE; i++) {
        if (columns->column[i]->find(g, s, &key[i], t)) {
            return -1;
        }
    }
    if (annotate_key(g, s, key + KEY_ANNOTATE, n, t)) {
        return -1;
    }
    *n += KEY_ANNOTATE;
    return 0;
}

/* Adds an entry of another profile, with other numbers of texts. */
static int add_entry(struct profile *to, const struct profile *from, const struct profile_entry *e,
                     uint32_t skip, struct error *t)
{
    struct profile_entry *new;
    uint32_t key[KEY_ANNOTATE + ANNOTATE_KEYS];

    for (uint32_t i = skip; i < e->n; i++) {
        if (string_table_number(&to->texts, profile_text(from, e, i), &key[i - skip], t)) {
            return -1;
        }
    }
    new = profile_entry(to, 0, key, e->n - skip, t);
    if (!new) {
        return -1;
    }
    new->samples += e->samples;
    new->period += e->period;
    return 0;
}

/* Adds the earlier samples to those of the frame. */
static int add_earlier(struct hot_functions *h, struct profile *fresh, struct error *t)
{
    for (size_t i = 0; i < h->profile.n; i++) {
        struct profile_entry *e = h->profile.entry[i];

        e->samples = e->samples * 7 / 8;
        e->period = e->period / 8 * 7 + e->period % 8 * 7 / 8;
        if (e->samples >= LEAST && add_entry(fresh, &h->profile, e, 0, t)) {
            return -1;
        }
    }
    return 0;
}

static bool is_same_function(const struct profile_entry *a, const struct profile_entry *b)
{
    return a->key[KEY_DSO] == b->key[KEY_DSO] && a->key[KEY_SYMBOL] == b->key[KEY_SYMBOL];
}

static int compare_rows(const void *a, const void *b)
{
    const struct hot_function *left = a;
    const struct hot_function *right = b;

    if (left->period != right->period) {
        return left->period > right->period ? -1 : 1;
    }
    return left->first < right->first ? -1 : left->first > right->first;
}

static void sum(struct hot_functions *h, struct hot_function *row)
{
    const struct profile *p = &h->profile;
    uint64_t samples = 0;

    for (size_t i = row->first; i < row->first + row->n; i++) {
        samples += p->entry[i]->samples;
        row->period += p->entry[i]->period;
    }
    row->samples = (double)samples / FRACTIONS;
    row->dso = profile_text(p, p->entry[row->first], KEY_DSO);
    row->symbol = profile_text(p, p->entry[row->first], KEY_SYMBOL);
    h->period += row->period;
    h->kernel += strncmp(row->symbol, "[k]", 3) == 0 ? row->period : 0;
    h->unknown += place_name_lacks(row->symbol + REPORT_LEVEL_SIZE) ? row->period : 0;
}

static int make_rows(struct hot_functions *h, struct error *t)
{
    const struct profile *p = &h->profile;

    free(h->row);
    h->n = 0;
    h->period = h->kernel = h->unknown = 0;
    h->row = calloc(p->n + 1, sizeof(*h->row));
    if (!h->row) {
        return error_memory(t);
    }
    for (size_t i = 0; i < p->n;) {
        struct hot_function *row = &h->row[h->n++];

        row->first = i;
        while (i < p->n && is_same_function(p->entry[row->first], p->entry[i])) {
            i++;
        }
        row->n = i - row->first;
        sum(h, row);
    }
    qsort(h->row, h->n, sizeof(*h->row), compare_rows);
    return 0;
}

int hot_functions_take(struct hot_functions *h, struct profile *fresh, bool zero, struct error *t)
{
    h->fresh = fresh->events ? fresh->event[0].samples : 0;
    h->lost = fresh->lost + (fresh->events ? fresh->event[0].lost : 0);
    for (size_t i = 0; i < fresh->n; i++) {
        fresh->entry[i]->samples *= FRACTIONS;
    }
    if (!zero && add_earlier(h, fresh, t)) {
        return -1;
    }
    profile_free(&h->profile);
    h->profile = *fresh;
    *fresh = (struct profile){0};
    profile_sort_by_key(&h->profile);
    return make_rows(h, t);
}

size_t hot_functions_find(const struct hot_functions *h, const char *dso, const char *symbol)
{
    size_t i = 0;

    while (i < h->n && (strcmp(h->row[i].dso, dso) != 0 || strcmp(h->row[i].symbol, symbol) != 0)) {
        i++;
    }
    return i;
}

/* Makes a profile for annotate_print() from the entries of a function. */
static int take_function(const struct hot_functions *h, const struct hot_function *row,
                         struct profile *p, struct error *t)
{
    if (profile_events(p, 1, t)) {
        return -1;
    }
    p->event[0] = (struct profile_event){.name = h->profile.event[0].name, .period = h->period};
    for (size_t i = row->first; i < row->first + row->n; i++) {
        const struct profile_entry *e = h->profile.entry[i];
        uint32_t skip = e->n > KEY_ANNOTATE ? KEY_ANNOTATE : e->n;

        if (add_entry(p, &h->profile, e, skip, t)) {
            return -1;
        }
    }
    for (size_t i = 0; i < p->n; i++) {
        p->entry[i]->samples = (p->entry[i]->samples + FRACTIONS / 2) / FRACTIONS;
    }
    return 0;
}

int hot_functions_annotate(const struct hot_functions *h, size_t i, FILE *to, struct error *t)
{
    const struct annotate what = {.limit = 1};
    struct out out = {.kind = OUT_TEXT, .text = to};
    struct profile p = {0};
    int err = take_function(h, &h->row[i], &p, t);

    err = err ? err : annotate_print(&what, &p, &out, t);
    profile_free(&p);
    return err;
}

void hot_functions_free(struct hot_functions *h)
{
    profile_free(&h->profile);
    free(h->row);
    *h = (struct hot_functions){0};
}
