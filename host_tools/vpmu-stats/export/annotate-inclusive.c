/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What functions cost with all that they call. */
#include <stdlib.h>
#include <string.h>

#include "export/annotate-rows.h"

/** struct graph - who calls whom: row @row[i] calls those of @to from @first[i] on to @first[i+1]
 */
struct graph {
    size_t *first, *to, *stack;
    bool *seen;
};

static int graph_make(struct graph *g, const struct annotate_rows *rows, size_t entries,
                      struct error *t)
{
    g->first = calloc(rows->n + 1, sizeof(*g->first));
    g->to = calloc(entries + 1, sizeof(*g->to));
    g->stack = calloc(rows->n + 1, sizeof(*g->stack));
    g->seen = calloc(rows->n + 1, sizeof(*g->seen));
    return g->first && g->to && g->stack && g->seen ? 0 : error_memory(t);
}

static void graph_free(struct graph *g)
{
    free(g->first);
    free(g->to);
    free(g->stack);
    free(g->seen);
}

/* Compares the function that an entry calls with one. */
static int compare_called(const struct profile *p, const struct profile_entry *call,
                          const struct profile_entry *function)
{
    int order = 0;

    for (uint32_t i = ANNOTATE_KEY_OBJECT; i <= ANNOTATE_KEY_HOME && !order; i++) {
        order = call->key[ANNOTATE_KEY_CALLED + i] == function->key[i]
                    ? 0
                    : strcmp(profile_text(p, call, ANNOTATE_KEY_CALLED + i),
                             profile_text(p, function, i));
    }
    return order;
}

/* Each function that is called has a row. */
static size_t find_called(const struct annotate_rows *rows, const struct profile *p,
                          const struct profile_entry *call)
{
    size_t low = 0, high = rows->n;

    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;

        if (compare_called(p, call, rows->row[middle].any) < 0) {
            high = middle;
        } else {
            low = middle;
        }
    }
    return low;
}

/* Entries and rows are in the same order. */
static void graph_fill(struct graph *g, const struct annotate_rows *rows, const struct profile *p,
                       struct profile_entry *const *entry, size_t n)
{
    size_t at = 0, to = 0;

    for (size_t i = 0; i < rows->n; i++) {
        g->first[i] = to;
        for (; at < n && annotate_rows_compare(rows, p, entry[at], rows->row[i].any) == 0; at++) {
            entry[at]->mark = i;
            if (entry[at]->n == ANNOTATE_KEYS_OF_CALL && entry[at]->event == 0) {
                g->to[to++] = find_called(rows, p, entry[at]);
            }
        }
    }
    g->first[rows->n] = to;
}

/* Can a function call itself through others? */
static bool is_in_cycle(struct graph *g, size_t n, size_t row)
{
    size_t depth = 0;

    memset(g->seen, 0, n * sizeof(*g->seen));
    g->stack[depth++] = row;
    while (depth) {
        size_t from = g->stack[--depth];

        for (size_t i = g->first[from]; i < g->first[from + 1]; i++) {
            if (g->to[i] == row) {
                return true;
            }
            if (!g->seen[g->to[i]]) {
                g->seen[g->to[i]] = true;
                g->stack[depth++] = g->to[i];
            }
        }
    }
    return false;
}

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/*
 * A function costs what its lines and its calls do, also when the kernel or a signal starts it. One
 * that others call while it has not returned does not: their calls contain some of its lines.
 */
static void add_inclusive_costs(struct annotate_rows *rows, const struct profile *p,
                                struct graph *g)
{
    for (size_t i = 0; i < rows->n; i++) {
        struct annotate_row *row = &rows->row[i];
        bool is_more = false, has_cycle;

        for (unsigned k = 0; k < p->events; k++) {
            is_more |= row->value[k] + row->calls[k] > row->called[k];
        }
        has_cycle = is_more && row->called[0] && is_in_cycle(g, rows->n, i);
        for (unsigned k = 0; k < p->events; k++) {
            uint64_t cost = larger(row->value[k] + (has_cycle ? 0 : row->calls[k]), row->called[k]);

            row->inclusive[k] = cost < p->event[k].period ? cost : p->event[k].period;
            /* As callgrind_annotate does, but for sums that are larger than the total */
            if (row->recurses[k] <= p->event[k].period - row->inclusive[k]) {
                row->inclusive[k] += row->recurses[k];
            }
        }
    }
}

int annotate_rows_include(struct annotate_rows *functions, const struct profile *p,
                          struct profile_entry *const *entry, size_t n, struct error *t)
{
    struct graph g = {0};
    int err = graph_make(&g, functions, n, t);

    if (!err) {
        graph_fill(&g, functions, p, entry, n);
        add_inclusive_costs(functions, p, &g);
    }
    graph_free(&g);
    return err;
}
