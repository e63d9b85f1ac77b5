/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "profile/profile.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

int profile_events(struct profile *p, size_t events, struct error *t)
{
    p->event = calloc(events ? events : 1, sizeof(*p->event));
    p->events = p->event ? events : 0;
    return p->event ? 0 : error_memory(t);
}

static int compare_numbers(const void *a, const void *b)
{
    const struct profile_entry *left = a;
    const struct profile_entry *right = b;

    if (left->event != right->event) {
        return left->event < right->event ? -1 : 1;
    }
    if (left->n != right->n) {
        return left->n < right->n ? -1 : 1;
    }
    return memcmp(left->key, right->key, left->n * sizeof(left->key[0]));
}

static size_t entry_size(uint32_t n)
{
    return sizeof(struct profile_entry) + n * sizeof(uint32_t);
}

/* Something to look for. */
static int make_wanted(struct profile *p, unsigned event, const uint32_t *key, uint32_t n,
                       struct error *t)
{
    if (!p->spare || n > p->spare_room) {
        struct profile_entry *spare = realloc(p->spare, entry_size(n));

        if (!spare) {
            return error_memory(t);
        }
        p->spare = spare;
        p->spare_room = n;
    }
    p->spare->event = event;
    p->spare->n = n;
    memcpy(p->spare->key, key, n * sizeof(key[0]));
    return 0;
}

static int make_room(struct profile *p, struct error *t)
{
    size_t room = p->room ? p->room * 2 : 256;
    struct profile_entry **entry;

    if (p->n < p->room) {
        return 0;
    }
    entry = reallocarray(p->entry, room, sizeof(*entry));
    if (!entry) {
        return error_memory(t);
    }
    p->entry = entry;
    p->room = room;
    return 0;
}

/* The wanted key, as an entry. */
static struct profile_entry *add_wanted(struct profile *p, struct error *t)
{
    struct profile_entry *new;

    if (make_room(p, t)) {
        return NULL;
    }
    new = malloc(entry_size(p->spare->n));
    if (new) {
        memcpy(new, p->spare, entry_size(p->spare->n));
        new->samples = 0;
        new->period = 0;
        new->total = 0;
        new->mark = 0;
    }
    if (!new || !tsearch(new, &p->tree, compare_numbers)) {
        free(new);
        error_memory(t);
        return NULL;
    }
    p->entry[p->n++] = new;
    return new;
}

struct profile_entry *profile_entry(struct profile *p, unsigned event, const uint32_t *key,
                                    uint32_t n, struct error *t)
{
    struct profile_entry **found;

    if (make_wanted(p, event, key, n, t)) {
        return NULL;
    }
    found = tfind(p->spare, &p->tree, compare_numbers);
    return found ? *found : add_wanted(p, t);
}

int profile_add(struct profile *p, unsigned event, uint64_t period, const uint32_t *key, uint32_t n,
                struct error *t)
{
    struct profile_entry *entry = profile_entry(p, event, key, n, t);

    if (!entry) {
        return -1;
    }
    entry->samples++;
    entry->period += period;
    p->event[event].samples++;
    p->event[event].period += period;
    return 0;
}

const char *profile_text(const struct profile *p, const struct profile_entry *e, uint32_t i)
{
    return string_table_get(&p->texts, e->key[i]);
}

int profile_compare_keys(const struct profile *p, const struct profile_entry *a,
                         const struct profile_entry *b)
{
    for (uint32_t i = 0; i < a->n && i < b->n; i++) {
        int order =
            a->key[i] == b->key[i] ? 0 : strcmp(profile_text(p, a, i), profile_text(p, b, i));

        if (order != 0) {
            return order;
        }
    }
    return a->n < b->n ? -1 : a->n > b->n;
}

static int compare_key(const void *a, const void *b, void *opaque)
{
    const struct profile_entry *left = *(struct profile_entry *const *)a;
    const struct profile_entry *right = *(struct profile_entry *const *)b;

    if (left->event != right->event) {
        return left->event < right->event ? -1 : 1;
    }
    return profile_compare_keys(opaque, left, right);
}

static int compare_period(const void *a, const void *b, void *opaque)
{
    const struct profile_entry *left = *(struct profile_entry *const *)a;
    const struct profile_entry *right = *(struct profile_entry *const *)b;

    if (left->event == right->event && left->period != right->period) {
        return left->period > right->period ? -1 : 1;
    }
    return compare_key(a, b, opaque);
}

static int compare_total(const void *a, const void *b, void *opaque)
{
    const struct profile_entry *left = *(struct profile_entry *const *)a;
    const struct profile_entry *right = *(struct profile_entry *const *)b;

    if (left->event == right->event && left->total != right->total) {
        return left->total > right->total ? -1 : 1;
    }
    return compare_period(a, b, opaque);
}

static void sort(struct profile *p, int (*order)(const void *a, const void *b, void *opaque))
{
    if (p->n) {
        qsort_r(p->entry, p->n, sizeof(p->entry[0]), order, p);
    }
}

void profile_sort_by_period(struct profile *p)
{
    sort(p, compare_period);
}

void profile_sort_by_total(struct profile *p)
{
    sort(p, compare_total);
}

void profile_sort_by_key(struct profile *p)
{
    sort(p, compare_key);
}

void profile_free_entries(struct profile *p)
{
    tdestroy(p->tree, free);
    free(p->entry);
    free(p->spare);
}

void profile_free(struct profile *p)
{
    profile_free_entries(p);
    free(p->event);
    string_table_free(&p->texts);
    *p = (struct profile){0};
}
