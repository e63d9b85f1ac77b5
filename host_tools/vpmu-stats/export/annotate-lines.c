/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shows functions and source lines of a profile in valgrind's format. */
#include "export/annotate-lines.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/format.h"
#include "export/annotate-rows.h"
#include "lines/source-text.h"

/* Lines around those that cost something. */
#define CONTEXT 3u
/* The title of the column with inclusive costs. */
#define INCLUSIVE "Inclusive"
/* The narrowest column of an event. */
#define COLUMN_MIN 6

/**
 * struct listed_functions - functions that are shown
 * @has_calls: the file has calls.
 * @inclusive: inclusive costs are wanted instead of others.
 * @shown: by the numbers of all functions, which are the marks of their entries; NULL of others.
 */
struct listed_functions {
    struct annotate_rows rows;
    bool has_calls, inclusive;
    const struct annotate_row **shown;
};

/* Several functions without a name have no inclusive cost: they call each other. */
static bool has_inclusive(const struct profile *p, const struct annotate_row *row)
{
    return strcmp(profile_text(p, row->any, ANNOTATE_KEY_FUNCTION), VALGRIND_UNKNOWN) != 0;
}

/* Replaces costs by inclusive ones. */
static void include(const struct profile *p, struct annotate_rows *rows)
{
    for (size_t i = 0; i < rows->n; i++) {
        struct annotate_row *row = &rows->row[i];

        for (unsigned k = 0; has_inclusive(p, row) && k < p->events; k++) {
            row->value[k] = row->inclusive[k];
        }
    }
}

/* Rows are in the order of their keys. */
static void mark_twins(struct annotate_rows *rows)
{
    for (size_t i = 1; i < rows->n; i++) {
        struct annotate_row *row = &rows->row[i], *last = row - 1;

        if (row->any->key[ANNOTATE_KEY_OBJECT] == last->any->key[ANNOTATE_KEY_OBJECT] &&
            row->any->key[ANNOTATE_KEY_FUNCTION] == last->any->key[ANNOTATE_KEY_FUNCTION]) {
            row->has_twin = last->has_twin = true;
        }
    }
}

/* By falling first event; otherwise as before. */
static int compare_rows(const void *a, const void *b)
{
    const struct annotate_row *x = a, *y = b;

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
        if (is_named(profile_text(p, e, ANNOTATE_KEY_FUNCTION), a->symbols[i])) {
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
static void print_inclusive(const struct profile *p, const struct listed_functions *functions,
                            const struct annotate_row *row, FILE *file)
{
    int name = (int)strlen(INCLUSIVE);
    int width = width_of(p, 0) > name ? width_of(p, 0) : name;
    char text[FORMAT_SIZE];

    if (functions->has_calls && !functions->inclusive) {
        fprintf(file, "%*s  ", width,
                !row                    ? INCLUSIVE
                : has_inclusive(p, row) ? format_grouped(text, row->inclusive[0])
                                        : ".");
    }
}

static void print_functions(const struct profile *p, const struct listed_functions *functions,
                            FILE *file)
{
    print_names(p, file);
    fputs("  ", file);
    print_inclusive(p, functions, NULL, file);
    fputs("Function\n", file);
    for (size_t i = 0; i < functions->rows.n; i++) {
        const struct annotate_row *row = &functions->rows.row[i];

        print_values(p, row->value, file);
        print_inclusive(p, functions, row, file);
        fprintf(file, "%s  ", profile_text(p, row->any, ANNOTATE_KEY_FUNCTION));
        if (row->has_twin) {
            fprintf(file, "(%s)  ", name_of(profile_text(p, row->any, ANNOTATE_KEY_HOME)));
        }
        fprintf(file, "[%s] %.2f%%\n", name_of(profile_text(p, row->any, ANNOTATE_KEY_OBJECT)),
                p->event[0].period ? 100.0 * (double)row->value[0] / (double)p->event[0].period
                                   : 0);
    }
}

static unsigned line_of(const struct profile *p, const struct annotate_row *row)
{
    return (unsigned)strtoul(profile_text(p, row->any, ANNOTATE_KEY_LINE), NULL, 10);
}

/* A path of debug information can be relative, perhaps to where the object is. */
static void path_of(const struct profile *p, const struct annotate_row *row, char *path,
                    size_t size)
{
    const char *file = profile_text(p, row->any, ANNOTATE_KEY_FILE);
    const char *object = profile_text(p, row->any, ANNOTATE_KEY_OBJECT);
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

/**
 * struct listed - a source file that is printed
 * @lines: how many it has, 0 if it is not there.
 * @is_newer: it was changed after the profile was written.
 */
struct listed {
    struct source_text source;
    char path[4096];
    unsigned lines;
    bool is_newer;
};

static void open_listed(struct listed *l, const struct annotate_lines *a, const struct profile *p,
                        const struct annotate_row *row)
{
    char text[SOURCE_TEXT_SIZE];
    struct stat status;

    path_of(p, row, l->path, sizeof(l->path));
    source_text_line(&l->source, l->path, 1, text);
    for (size_t i = 0; i < l->source.size; i++) {
        l->lines += l->source.text[i] == '\n';
    }
    l->is_newer = a->written && stat(l->path, &status) == 0 && status.st_mtime > a->written;
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
static void print_file(const struct annotate_lines *a, const struct profile *p,
                       const struct annotate_row *row, size_t n, FILE *file)
{
    struct listed l = {.lines = 0};
    unsigned next = 1;

    open_listed(&l, a, p, row);
    fprintf(file, "\n# %s\n%s", l.path,
            l.is_newer ? "# This file is newer than the profile, so its lines may have moved.\n"
                       : "");
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
    const struct annotate_row *row;
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

static struct listing listing_of(const struct profile *p, const struct annotate_row *row,
                                 const struct annotate_row *end)
{
    struct listing l = {.row = row};
    char path[4096];

    while (row + l.n < end &&
           row->any->key[ANNOTATE_KEY_FILE] == row[l.n].any->key[ANNOTATE_KEY_FILE]) {
        l.cost += row[l.n++].value[0];
    }
    path_of(p, row, path, sizeof(path));
    l.is_readable = access(path, R_OK) == 0;
    return l;
}

static int print_lines(const struct annotate_lines *a, const struct profile *p,
                       const struct annotate_rows *rows, FILE *file, struct error *t)
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
        if (strcmp(profile_text(p, listing[i].row->any, ANNOTATE_KEY_FILE), VALGRIND_UNKNOWN) !=
            0) {
            print_file(a, p, listing[i].row, listing[i].n, file);
        }
    }
    free(listing);
    return 0;
}

/* What the function of a line costs with all that it calls */
static void add_inclusive(struct json_object *record, const struct profile *p,
                          const struct annotate_row *function)
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

static void print_records(const struct profile *p, const struct annotate_rows *rows,
                          const struct listed_functions *functions, struct out *out)
{
    for (size_t i = 0; i < rows->n; i++) {
        const struct annotate_row *row = &rows->row[i];
        struct json_object *record = json_object_new_object();

        record_string(record, "dso", profile_text(p, row->any, ANNOTATE_KEY_OBJECT));
        record_string(record, "sym", profile_text(p, row->any, ANNOTATE_KEY_FUNCTION));
        record_string(record, "file", profile_text(p, row->any, ANNOTATE_KEY_FILE));
        record_u64(record, "line", line_of(p, row));
        for (unsigned k = 0; k < p->events; k++) {
            record_u64(record, p->event[k].name, row->value[k]);
        }
        record_string(record, "sym_file", profile_text(p, row->any, ANNOTATE_KEY_HOME));
        if (functions->has_calls) {
            add_inclusive(record, p, functions->shown[row->any->mark]);
        }
        out_record(out, record);
    }
}

/* Keeps lines of the functions that are shown. Return: their number. */
static size_t keep(struct profile_entry **entry, size_t n, const struct listed_functions *functions)
{
    size_t kept = 0;

    for (size_t i = 0; i < n; i++) {
        if (entry[i]->n == ANNOTATE_KEYS && functions->shown[entry[i]->mark]) {
            entry[kept++] = entry[i];
        }
    }
    return kept;
}

/* Says which functions are not there. Return: -1 if none of those that are wanted is. */
static int find_missing(const struct annotate_lines *a, const struct profile *p,
                        const struct annotate_rows *functions, struct error *t)
{
    for (size_t i = 0; i < a->n; i++) {
        struct error note = {0};
        bool found = false;

        for (size_t k = 0; k < functions->n; k++) {
            found |= is_named(profile_text(p, functions->row[k].any, ANNOTATE_KEY_FUNCTION),
                              a->symbols[i]);
        }
        if (!found) {
            error_set(functions->n ? &note : t, ERROR_USAGE,
                      "no function that was executed is called '%s'; -i FILE names the profile",
                      a->symbols[i]);
            error_print(&note);
        }
        if (!found && functions->n == 0) {
            return -1;
        }
    }
    return 0;
}

/* Keeps functions that are wanted. */
static int choose(const struct annotate_lines *a, const struct profile *p,
                  struct annotate_rows *functions, struct error *t)
{
    size_t n = 0;

    for (size_t i = 0; i < functions->n; i++) {
        if (is_wanted(a, p, functions->row[i].any)) {
            functions->row[n++] = functions->row[i];
        }
    }
    functions->n = n;
    return a->n == 0 && n == 0 ? error_set(t, ERROR_USAGE, "the file has no lines")
                               : find_missing(a, p, functions, t);
}

/* Finds the functions that are shown, and their costs. */
static int find_functions(const struct annotate_lines *a, const struct profile *p,
                          struct profile_entry **entry, struct listed_functions *f, struct error *t)
{
    struct annotate_rows *rows = &f->rows;

    for (size_t i = 0; i < p->n; i++) {
        entry[i] = p->entry[i];
        f->has_calls |= p->entry[i]->n != ANNOTATE_KEYS;
    }
    if (a->inclusive && !f->has_calls) {
        return error_set(t, ERROR_USAGE,
                         "--inclusive needs a file with calls: one in callgrind's format that was "
                         "written without --no-calls");
    }
    f->shown = calloc(p->n + 1, sizeof(*f->shown));
    if (!f->shown) {
        return error_memory(t);
    }
    if (annotate_rows_make(rows, p, entry, p->n, t) ||
        annotate_rows_include(rows, p, entry, p->n, t) || choose(a, p, rows, t)) {
        return -1;
    }
    mark_twins(rows);
    if (f->inclusive) {
        include(p, rows);
    }
    qsort(rows->row, rows->n, sizeof(*rows->row), compare_rows);
    rows->n = a->n == 0 && a->limit < rows->n ? a->limit : rows->n;
    for (size_t i = 0; i < rows->n; i++) {
        f->shown[rows->row[i].at] = &rows->row[i];
    }
    return 0;
}

static int print(const struct annotate_lines *a, const struct profile *p,
                 struct profile_entry **entry, struct out *out, struct error *t)
{
    /* Records have both costs. */
    struct listed_functions functions = {.rows = {ANNOTATE_KEY_OBJECT, ANNOTATE_KEY_HOME, NULL, 0},
                                         .inclusive = a->inclusive && out->kind == OUT_TEXT};
    struct annotate_rows lines = {out->kind == OUT_TEXT ? ANNOTATE_KEY_FILE : ANNOTATE_KEY_OBJECT,
                                  ANNOTATE_KEY_LINE, NULL, 0};
    int err = find_functions(a, p, entry, &functions, t) ||
                      annotate_rows_make(&lines, p, entry, keep(entry, p->n, &functions), t)
                  ? -1
                  : 0;

    if (!err && out->kind == OUT_TEXT) {
        print_functions(p, &functions, out->text);
        err = print_lines(a, p, &lines, out->text, t);
    } else if (!err) {
        print_records(p, &lines, &functions, out);
    }
    free(functions.shown);
    free(functions.rows.row);
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
