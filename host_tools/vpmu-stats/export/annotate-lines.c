/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shows functions and source lines of a profile in valgrind's format. */
#include "export/annotate-lines.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/format.h"
#include "lines/source-text.h"

/* The parts of a key. Lines have a fixed width, so that sorting by text sorts them by value. */
enum {
    KEY_OBJECT,
    KEY_FUNCTION,
    KEY_HOME, /* the source file of the function */
    KEY_FILE,
    KEY_LINE,
    KEYS,
    /* A call is two entries: one of the function that calls, and one of that which is called. */
    KEY_ROLE = KEY_FILE,
    KEYS_OF_CALLED,
    /* Of one that calls, there is also the object, the function and its file that are called. */
    KEY_CALLED = KEYS_OF_CALLED,
    KEYS_OF_CALL = KEY_CALLED + KEY_HOME + 1
};

#define ROLE_CALLS "calls"
#define ROLE_CALLED "called"
#define ROLE_RECURSES "recurses"

/* Lines around those that cost something. */
#define CONTEXT 3u
/* The title of the column with inclusive costs. */
#define INCLUSIVE "Inclusive"
/* The name of all functions whose names are not known. */
#define UNKNOWN "???"
/* The narrowest column of an event. */
#define COLUMN_MIN 6

/**
 * struct row - what entries with the same parts of the key cost; @any: one; @at: its number
 * @calls: what a function calls, by event.
 * @called: its own calls, if somebody calls it (@is_called).
 * @recurses: its calls by itself, which cost nothing in files of vpmu.
 * @inclusive: what it costs with all that it calls.
 * @has_twin: another function of the object has the same name.
 */
struct row {
    const struct profile_entry *any;
    size_t at;
    uint64_t calls[VALGRIND_EVENTS_MAX], called[VALGRIND_EVENTS_MAX], recurses[VALGRIND_EVENTS_MAX];
    uint64_t value[VALGRIND_EVENTS_MAX], inclusive[VALGRIND_EVENTS_MAX];
    bool is_called, has_twin;
};

/**
 * struct rows - @n rows, which have the parts from @first to @last in common
 * @has_calls: the file has calls.
 * @inclusive: inclusive costs are wanted instead of others.
 * @shown: of rows of functions by their numbers, those that are shown; NULL of others. The marks of
 *     entries are these numbers.
 */
struct rows {
    uint32_t first, last;
    bool has_calls, inclusive;
    struct row *row;
    size_t n;
    const struct row **shown;
};

int annotate_line_key(struct sample_input *g, const struct valgrind_line *line, uint32_t *key,
                      uint32_t *n, struct error *t)
{
    struct string_table *texts = &g->profile->texts;
    char number[12];

    snprintf(number, sizeof(number), "%010u", line->line);
    *n = KEYS;
    return string_table_number(texts, line->object, &key[KEY_OBJECT], t) ||
                   string_table_number(texts, line->function, &key[KEY_FUNCTION], t) ||
                   string_table_number(texts, line->home, &key[KEY_HOME], t) ||
                   string_table_number(texts, line->file, &key[KEY_FILE], t) ||
                   string_table_number(texts, number, &key[KEY_LINE], t)
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

    return string_table_number(texts, role->object, &key[KEY_OBJECT], t) ||
                   string_table_number(texts, role->function, &key[KEY_FUNCTION], t) ||
                   string_table_number(texts, role->home, &key[KEY_HOME], t)
               ? -1
               : 0;
}

/* Adds entries, which the sums of events do not contain. There is one of the first event. */
static int add_role(struct sample_input *g, const struct role *role, const uint64_t *value,
                    struct error *t)
{
    uint32_t n = role->called ? KEYS_OF_CALL : KEYS_OF_CALLED;
    uint32_t key[KEYS_OF_CALL];

    if (take_function(g, role, key, t) ||
        string_table_number(&g->profile->texts, role->role, &key[KEY_ROLE], t) ||
        (role->called && take_function(g, role->called, key + KEY_CALLED, t))) {
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

/** struct order - how entries are compared */
struct order {
    const struct profile *p;
    uint32_t first, last;
};

static int compare_entries(const void *a, const void *b, void *opaque)
{
    const struct profile_entry *x = *(struct profile_entry *const *)a;
    const struct profile_entry *y = *(struct profile_entry *const *)b;
    const struct order *o = opaque;
    int order = 0;

    for (uint32_t i = o->first; i <= o->last && !order; i++) {
        order =
            x->key[i] == y->key[i] ? 0 : strcmp(profile_text(o->p, x, i), profile_text(o->p, y, i));
    }
    return order;
}

static void add_up(struct row *row, const struct profile *p, const struct profile_entry *e)
{
    if (e->n == KEYS) {
        row->value[e->event] += e->period;
    } else if (strcmp(profile_text(p, e, KEY_ROLE), ROLE_CALLS) == 0) {
        row->calls[e->event] += e->period;
    } else if (strcmp(profile_text(p, e, KEY_ROLE), ROLE_RECURSES) == 0) {
        row->recurses[e->event] += e->period;
    } else {
        row->called[e->event] += e->period;
        row->is_called = true;
    }
}

/* Several functions without a name have no inclusive cost: they call each other. */
static bool has_inclusive(const struct profile *p, const struct row *row)
{
    return strcmp(profile_text(p, row->any, KEY_FUNCTION), UNKNOWN) != 0;
}

/* Replaces costs by inclusive ones. */
static void include(const struct profile *p, struct rows *rows)
{
    for (size_t i = 0; i < rows->n; i++) {
        struct row *row = &rows->row[i];

        for (unsigned k = 0; has_inclusive(p, row) && k < p->events; k++) {
            row->value[k] = row->inclusive[k];
        }
    }
}

/* Rows are in the order of their keys. */
static void mark_twins(struct rows *rows)
{
    for (size_t i = 1; i < rows->n; i++) {
        struct row *row = &rows->row[i], *last = row - 1;

        if (row->any->key[KEY_OBJECT] == last->any->key[KEY_OBJECT] &&
            row->any->key[KEY_FUNCTION] == last->any->key[KEY_FUNCTION]) {
            row->has_twin = last->has_twin = true;
        }
    }
}

/* Sums up @n entries by parts of their keys. */
static int make_rows(struct rows *rows, const struct profile *p, struct profile_entry **entry,
                     size_t n, struct error *t)
{
    struct order order = {p, rows->first, rows->last};

    rows->row = calloc(n + 1, sizeof(*rows->row));
    if (!rows->row) {
        return error_memory(t);
    }
    qsort_r(entry, n, sizeof(struct profile_entry *), compare_entries, &order);
    for (size_t i = 0; i < n; i++) {
        if (i == 0 || compare_entries(&entry[i - 1], &entry[i], &order) != 0) {
            rows->row[rows->n] = (struct row){.any = entry[i], .at = rows->n};
            rows->n++;
        }
        add_up(&rows->row[rows->n - 1], p, entry[i]);
    }
    return 0;
}

/*
 * Inclusive costs
 */

/** struct graph - who calls whom: row @row[i] calls those of @to from @first[i] on to @first[i+1]
 */
struct graph {
    size_t *first, *to, *stack;
    bool *seen;
};

static int graph_make(struct graph *g, const struct rows *rows, size_t entries, struct error *t)
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

    for (uint32_t i = KEY_OBJECT; i <= KEY_HOME && !order; i++) {
        order = call->key[KEY_CALLED + i] == function->key[i]
                    ? 0
                    : strcmp(profile_text(p, call, KEY_CALLED + i), profile_text(p, function, i));
    }
    return order;
}

/* Each function that is called has a row. */
static size_t find_called(const struct rows *rows, const struct profile *p,
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
static void graph_fill(struct graph *g, const struct rows *rows, const struct profile *p,
                       struct profile_entry *const *entry, size_t n)
{
    const struct order order = {p, rows->first, rows->last};
    size_t at = 0, to = 0;

    for (size_t i = 0; i < rows->n; i++) {
        g->first[i] = to;
        for (; at < n &&
               compare_entries(&entry[at], &rows->row[i].any, (void *)(uintptr_t)&order) == 0;
             at++) {
            entry[at]->mark = i;
            if (entry[at]->n == KEYS_OF_CALL && entry[at]->event == 0) {
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
static void add_inclusive_costs(struct rows *rows, const struct profile *p, struct graph *g)
{
    for (size_t i = 0; i < rows->n; i++) {
        struct row *row = &rows->row[i];
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

/* Entries are in the order of their functions. */
static int make_inclusive(struct rows *rows, const struct profile *p,
                          struct profile_entry *const *entry, size_t n, struct error *t)
{
    struct graph g = {0};
    int err = graph_make(&g, rows, n, t);

    rows->shown = calloc(rows->n + 1, sizeof(*rows->shown));
    if (!err && !rows->shown) {
        err = error_memory(t);
    }
    if (!err) {
        graph_fill(&g, rows, p, entry, n);
        add_inclusive_costs(rows, p, &g);
    }
    graph_free(&g);
    return err;
}

/* By falling first event; otherwise as before. */
static int compare_rows(const void *a, const void *b)
{
    const struct row *x = a, *y = b;

    if (x->value[0] != y->value[0]) {
        return x->value[0] > y->value[0] ? -1 : 1;
    }
    return x->at < y->at ? -1 : x->at > y->at;
}

/* In C++ a name without parameters stands for all functions of that name. */
static bool is_named(const char *function, const char *name)
{
    size_t length = strlen(name);

    return strncmp(function, name, length) == 0 &&
           (function[length] == '\0' || function[length] == '(');
}

static bool is_wanted(const struct annotate_lines *a, const struct profile *p,
                      const struct profile_entry *e)
{
    for (size_t i = 0; i < a->n; i++) {
        if (is_named(profile_text(p, e, KEY_FUNCTION), a->symbols[i])) {
            return true;
        }
    }
    return a->n == 0;
}

/*
 * Printing
 */

static int width_of(const struct profile *p, unsigned event)
{
    char text[FORMAT_SIZE];
    int digits = (int)strlen(format_grouped(text, p->event[event].period));
    int name = (int)strlen(p->event[event].name);
    int width = digits > name ? digits : name;

    return width > COLUMN_MIN ? width : COLUMN_MIN;
}

static void print_names(const struct profile *p, FILE *file)
{
    fputc('#', file);
    for (unsigned i = 0; i < p->events; i++) {
        fprintf(file, " %*s", width_of(p, i), p->event[i].name);
    }
}

/* Prints values; a dot is 0. Without @value, there are only spaces. */
static void print_values(const struct profile *p, const uint64_t *value, FILE *file)
{
    char text[FORMAT_SIZE];

    fputc(' ', file);
    for (unsigned i = 0; i < p->events; i++) {
        const char *number = !value ? "" : value[i] ? format_grouped(text, value[i]) : ".";

        fprintf(file, " %*s", width_of(p, i), number);
    }
    fputs("  ", file);
}

static const char *name_of(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash && slash[1] ? slash + 1 : path;
}

/* The first event of a function and of all that it has called, if the file has calls. */
static void print_inclusive(const struct profile *p, const struct rows *rows, const struct row *row,
                            FILE *file)
{
    int name = (int)strlen(INCLUSIVE);
    int width = width_of(p, 0) > name ? width_of(p, 0) : name;
    char text[FORMAT_SIZE];

    if (rows->has_calls && !rows->inclusive) {
        fprintf(file, "%*s  ", width,
                !row                    ? INCLUSIVE
                : has_inclusive(p, row) ? format_grouped(text, row->inclusive[0])
                                        : ".");
    }
}

static void print_functions(const struct profile *p, const struct rows *rows, FILE *file)
{
    print_names(p, file);
    fputs("  ", file);
    print_inclusive(p, rows, NULL, file);
    fputs("Function\n", file);
    for (size_t i = 0; i < rows->n; i++) {
        const struct row *row = &rows->row[i];

        print_values(p, row->value, file);
        print_inclusive(p, rows, row, file);
        fprintf(file, "%s  ", profile_text(p, row->any, KEY_FUNCTION));
        if (row->has_twin) {
            fprintf(file, "(%s)  ", name_of(profile_text(p, row->any, KEY_HOME)));
        }
        fprintf(file, "[%s] %.2f%%\n", name_of(profile_text(p, row->any, KEY_OBJECT)),
                p->event[0].period ? 100.0 * (double)row->value[0] / (double)p->event[0].period
                                   : 0);
    }
}

static unsigned line_of(const struct profile *p, const struct row *row)
{
    return (unsigned)strtoul(profile_text(p, row->any, KEY_LINE), NULL, 10);
}

/* A path of debug information can be relative, perhaps to where the object is. */
static void path_of(const struct profile *p, const struct row *row, char *path, size_t size)
{
    const char *file = profile_text(p, row->any, KEY_FILE);
    const char *object = profile_text(p, row->any, KEY_OBJECT);
    const char *slash = strrchr(object, '/');
    int length = slash ? (int)(slash - object) : 0;

    snprintf(path, size, "%s", file);
    if (file[0] != '/' && length && access(path, R_OK) != 0) {
        snprintf(path, size, "%.*s/%s", length, object, file);
        if (access(path, R_OK) != 0) {
            snprintf(path, size, "%s", file);
        }
    }
}

/** struct listed - a source file that is printed; @lines: how many it has, 0 if it is not there */
struct listed {
    struct source_text source;
    char path[4096];
    unsigned lines;
};

static void open_listed(struct listed *l, const struct profile *p, const struct row *row)
{
    char text[SOURCE_TEXT_SIZE];

    path_of(p, row, l->path, sizeof(l->path));
    source_text_line(&l->source, l->path, 1, text);
    for (size_t i = 0; i < l->source.size; i++) {
        l->lines += l->source.text[i] == '\n';
    }
}

static void print_line(struct listed *l, const struct profile *p, unsigned line,
                       const uint64_t *value, FILE *file)
{
    char text[SOURCE_TEXT_SIZE];

    source_text_line(&l->source, l->path, line, text);
    print_values(p, value, file);
    if (line) {
        fprintf(file, "%6u  %s\n", line, text);
    } else {
        fputs("     -  (line not known)\n", file);
    }
}

/* Prints the lines of a file, @n rows, and some lines around each. */
static void print_file(const struct profile *p, const struct row *row, size_t n, FILE *file)
{
    struct listed l = {.lines = 0};
    unsigned next = 1;

    open_listed(&l, p, row);
    fprintf(file, "\n# %s\n", l.path);
    print_names(p, file);
    fputs("  Line\n", file);
    for (size_t i = 0; i < n; i++) {
        unsigned at = line_of(p, &row[i]);
        unsigned first = at > CONTEXT ? at - CONTEXT : 1;
        unsigned end = i + 1 < n ? line_of(p, &row[i + 1]) : UINT32_MAX;

        if (i && first > next) {
            fputs("--\n", file);
        }
        for (next = next > first ? next : first; next < at && next <= l.lines; next++) {
            print_line(&l, p, next, NULL, file);
        }
        print_line(&l, p, at, row[i].value, file);
        for (next = at + 1; at && next <= at + CONTEXT && next < end && next <= l.lines; next++) {
            print_line(&l, p, next, NULL, file);
        }
    }
    source_text_free(&l.source);
}

/** struct listing - the lines of a source file, @n rows; @cost: of their first event */
struct listing {
    const struct row *row;
    size_t n;
    uint64_t cost;
    bool is_readable;
};

/* Files that can be read come first, then those that cost most. */
static int compare_listings(const void *a, const void *b)
{
    const struct listing *x = a, *y = b;

    if (x->is_readable != y->is_readable) {
        return x->is_readable ? -1 : 1;
    }
    if (x->cost != y->cost) {
        return x->cost > y->cost ? -1 : 1;
    }
    return x->row < y->row ? -1 : x->row > y->row;
}

static struct listing listing_of(const struct profile *p, const struct row *row,
                                 const struct row *end)
{
    struct listing l = {.row = row};
    char path[4096];

    while (row + l.n < end && row->any->key[KEY_FILE] == row[l.n].any->key[KEY_FILE]) {
        l.cost += row[l.n++].value[0];
    }
    path_of(p, row, path, sizeof(path));
    l.is_readable = access(path, R_OK) == 0;
    return l;
}

static int print_lines(const struct profile *p, const struct rows *rows, FILE *file,
                       struct error *t)
{
    struct listing *listing = calloc(rows->n + 1, sizeof(*listing));
    size_t n = 0;

    if (!listing) {
        return error_memory(t);
    }
    for (size_t i = 0; i < rows->n; i += listing[n++].n) {
        listing[n] = listing_of(p, &rows->row[i], rows->row + rows->n);
    }
    qsort(listing, n, sizeof(*listing), compare_listings);
    for (size_t i = 0; i < n; i++) {
        if (strcmp(profile_text(p, listing[i].row->any, KEY_FILE), "???") != 0) {
            print_file(p, listing[i].row, listing[i].n, file);
        }
    }
    free(listing);
    return 0;
}

/* What the function of a line costs with all that it calls */
static void add_inclusive(struct json_object *record, const struct profile *p,
                          const struct row *function)
{
    char name[128];

    for (unsigned k = 0; k < p->events; k++) {
        snprintf(name, sizeof(name), "%s_inclusive", p->event[k].name);
        if (function && has_inclusive(p, function)) {
            record_u64(record, name, function->inclusive[k]);
        } else {
            record_null(record, name);
        }
    }
}

static void print_records(const struct profile *p, const struct rows *rows,
                          const struct rows *functions, struct out *out)
{
    for (size_t i = 0; i < rows->n; i++) {
        const struct row *row = &rows->row[i];
        struct json_object *record = json_object_new_object();

        record_string(record, "dso", profile_text(p, row->any, KEY_OBJECT));
        record_string(record, "sym", profile_text(p, row->any, KEY_FUNCTION));
        record_string(record, "file", profile_text(p, row->any, KEY_FILE));
        record_u64(record, "line", line_of(p, row));
        for (unsigned k = 0; k < p->events; k++) {
            record_u64(record, p->event[k].name, row->value[k]);
        }
        record_string(record, "sym_file", profile_text(p, row->any, KEY_HOME));
        if (functions->has_calls) {
            add_inclusive(record, p, functions->shown[row->any->mark]);
        }
        out_record(out, record);
    }
}

/* Keeps lines of the functions that are shown. Return: their number. */
static size_t keep(struct profile_entry **entry, size_t n, const struct rows *functions)
{
    size_t kept = 0;

    for (size_t i = 0; i < n; i++) {
        if (entry[i]->n == KEYS && functions->shown[entry[i]->mark]) {
            entry[kept++] = entry[i];
        }
    }
    return kept;
}

/* Keeps functions that are wanted. */
static int choose(const struct annotate_lines *a, const struct profile *p, struct rows *functions,
                  struct error *t)
{
    size_t n = 0;

    for (size_t i = 0; i < functions->n; i++) {
        if (is_wanted(a, p, functions->row[i].any)) {
            functions->row[n++] = functions->row[i];
        }
    }
    functions->n = n;
    return n ? 0
             : error_set(t, ERROR_USAGE, a->n ? "no line is in %s" : "the file has no lines",
                         a->n ? a->symbols[0] : "");
}

static int print(const struct annotate_lines *a, struct profile *p, struct profile_entry **entry,
                 struct out *out, struct error *t)
{
    struct rows functions = {.first = KEY_OBJECT, .last = KEY_HOME};
    struct rows lines = {.first = out->kind == OUT_TEXT ? KEY_FILE : KEY_OBJECT, .last = KEY_LINE};
    size_t n = 0;
    int err;

    for (size_t i = 0; i < p->n; i++) {
        entry[n++] = p->entry[i];
        functions.has_calls |= p->entry[i]->n != KEYS;
    }
    err = make_rows(&functions, p, entry, n, t) || make_inclusive(&functions, p, entry, n, t) ||
                  choose(a, p, &functions, t)
              ? -1
              : 0;
    if (!err) {
        /* Records have both. */
        functions.inclusive = a->inclusive && functions.has_calls && out->kind == OUT_TEXT;
        mark_twins(&functions);
        if (functions.inclusive) {
            include(p, &functions);
        }
        qsort(functions.row, functions.n, sizeof(*functions.row), compare_rows);
        functions.n = a->n == 0 && a->limit < functions.n ? a->limit : functions.n;
        for (size_t i = 0; i < functions.n; i++) {
            functions.shown[functions.row[i].at] = &functions.row[i];
        }
        err = make_rows(&lines, p, entry, keep(entry, n, &functions), t);
    }
    if (!err && out->kind == OUT_TEXT) {
        print_functions(p, &functions, out->text);
        err = print_lines(p, &lines, out->text, t);
    } else if (!err) {
        print_records(p, &lines, &functions, out);
    }
    free(functions.shown);
    free(functions.row);
    free(lines.row);
    return err;
}

int annotate_lines_print(const struct annotate_lines *a, struct profile *p, struct out *out,
                         struct error *t)
{
    struct profile_entry **entry = reallocarray(NULL, p->n + 1, sizeof(struct profile_entry *));
    int err;

    if (!entry) {
        return error_memory(t);
    }
    profile_sort_by_key(p);
    err = print(a, p, entry, out, t);
    free(entry);
    return err;
}
