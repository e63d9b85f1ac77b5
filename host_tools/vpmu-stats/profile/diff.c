/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "profile/diff.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/format.h"
#include "lines/valgrind-lines.h"

/* The rows of one event in a profile that is sorted by key. */
struct range {
    const struct profile *p;
    size_t at;
    size_t end;
};

static struct range range_of(const struct profile *p, unsigned event)
{
    struct range r = {.p = p};

    while (r.at < p->n && p->entry[r.at]->event != event) {
        r.at++;
    }
    r.end = r.at;
    while (r.end < p->n && p->entry[r.end]->event == event) {
        r.end++;
    }
    return r;
}

/* How many parts of a key are columns */
static uint32_t columns_of(const struct diff *d, const struct profile_entry *e)
{
    return e->n - (d->sources && e->n);
}

static int compare_columns(const struct diff *d, const struct profile *left,
                           const struct profile_entry *x, const struct profile *right,
                           const struct profile_entry *y)
{
    int order = 0;

    for (uint32_t i = 0; order == 0 && i < columns_of(d, x) && i < columns_of(d, y); i++) {
        order = strcmp(profile_text(left, x, i), profile_text(right, y, i));
    }
    return order;
}

/* Compares the next row of each side. A side without rows comes last. */
static int compare(const struct diff *d, const struct range *a, const struct range *b)
{
    if (a->at == a->end || b->at == b->end) {
        return (a->at == a->end) - (b->at == b->end);
    }
    return compare_columns(d, a->p, a->p->entry[a->at], b->p, b->p->entry[b->at]);
}

/* Takes the next rows that differ in nothing but the source file; none unless @is_next. */
static struct range take_twins(const struct diff *d, struct range *from, bool is_next)
{
    struct range twins = {from->p, from->at, from->at};

    while (is_next && from->at < from->end &&
           compare_columns(d, from->p, from->p->entry[twins.at], from->p,
                           from->p->entry[from->at]) == 0) {
        from->at++;
    }
    twins.end = from->at;
    return twins;
}

static const char *source_of(const struct diff *d, const struct profile *p,
                             const struct profile_entry *e)
{
    return d->sources && e->n ? profile_text(p, e, e->n - 1) : "";
}

static uint64_t sum_of(const struct range *r)
{
    uint64_t sum = 0;

    for (size_t i = r->at; i < r->end; i++) {
        sum += r->p->entry[i]->period;
    }
    return sum;
}

/* Adds the rows of each side as one. */
static void add_row(struct diff *d, const struct range *before, const struct range *after,
                    bool has_twin)
{
    const struct range *one = after->at < after->end ? after : before;
    struct diff_row row = {.texts = one->p,
                           .entry = one->p->entry[one->at],
                           .before = sum_of(before),
                           .after = sum_of(after),
                           .has_twin = has_twin};

    if (one->end == one->at + 1 && *source_of(d, one->p, row.entry) &&
        strcmp(source_of(d, one->p, row.entry), VALGRIND_UNKNOWN) != 0) {
        row.source = source_of(d, one->p, row.entry);
    }
    if (row.before != row.after) {
        d->row[d->n++] = row;
    }
}

static bool has_unknown(const struct diff *d, const struct range *r)
{
    for (size_t i = r->at; i < r->end; i++) {
        if (strcmp(source_of(d, r->p, r->p->entry[i]), VALGRIND_UNKNOWN) == 0) {
            return true;
        }
    }
    return false;
}

/* How many parts two paths have in common at their ends, because directories of builds differ */
static unsigned common_parts(const char *a, const char *b)
{
    const char *x = a + strlen(a), *y = b + strlen(b);
    unsigned parts = 0;

    if (strcmp(a, b) == 0) {
        return UINT_MAX - 1;
    }
    while (x > a && y > b && x[-1] == y[-1]) {
        x--;
        y--;
        parts += *x == '/' && x[1];
    }
    return parts + ((x == a || x[-1] == '/') && (y == b || y[-1] == '/') && *x && *x != '/');
}

static struct range only(const struct range *r, size_t at)
{
    return (struct range){r->p, at, at + 1};
}

/* Adds rows of pairs of functions, and marks them. Return: the most parts of other pairs. */
static unsigned add_pairs(struct diff *d, const struct range *before, const struct range *after,
                          unsigned wanted)
{
    unsigned most = 0;

    for (size_t i = before->at; i < before->end; i++) {
        struct profile_entry *x = before->p->entry[i];

        for (size_t k = after->at; k < after->end && !x->mark; k++) {
            struct profile_entry *y = after->p->entry[k];
            unsigned parts =
                y->mark ? 0 : common_parts(source_of(d, before->p, x), source_of(d, after->p, y));

            if (!y->mark && parts == wanted) {
                struct range one = only(before, i), other = only(after, k);

                add_row(d, &one, &other, true);
                x->mark = y->mark = true;
            } else if (parts < wanted && parts > most) {
                most = parts;
            }
        }
    }
    return most;
}

/* Return: how many rows are not marked; *@at: the last one */
static size_t count_left(const struct range *r, size_t *at)
{
    size_t n = 0;

    for (size_t i = r->at; i < r->end; i++) {
        if (!r->p->entry[i]->mark) {
            *at = i;
            n++;
        }
    }
    return n;
}

static void clear_marks(const struct range *r)
{
    for (size_t i = r->at; i < r->end; i++) {
        r->p->entry[i]->mark = false;
    }
}

/* A function that is left on both sides is the same in a source file with another name. */
static void add_left(struct diff *d, const struct range *before, const struct range *after)
{
    const struct range none = {before->p, 0, 0};
    size_t x = 0, y = 0;

    if (count_left(before, &x) == 1 && count_left(after, &y) == 1) {
        struct range one = only(before, x), other = only(after, y);

        add_row(d, &one, &other, true);
        return;
    }
    for (size_t i = before->at; i < before->end; i++) {
        struct range one = only(before, i);

        if (!before->p->entry[i]->mark) {
            add_row(d, &one, &none, true);
        }
    }
    for (size_t i = after->at; i < after->end; i++) {
        struct range one = only(after, i);

        if (!after->p->entry[i]->mark) {
            add_row(d, &none, &one, true);
        }
    }
}

/* Adds rows of functions of one name. */
static void add_twins(struct diff *d, const struct range *before, const struct range *after)
{
    bool several = before->end - before->at > 1 || after->end - after->at > 1;

    if (!several || has_unknown(d, before) != has_unknown(d, after)) {
        add_row(d, before, after, false);
        return;
    }
    clear_marks(before);
    clear_marks(after);
    for (unsigned parts = UINT_MAX; parts; parts = add_pairs(d, before, after, parts)) {
    }
    add_left(d, before, after);
}

static void merge(struct diff *d, struct range before, struct range after)
{
    while (before.at < before.end || after.at < after.end) {
        int order = compare(d, &before, &after);
        struct range left = take_twins(d, &before, order <= 0);
        struct range right = take_twins(d, &after, order >= 0);

        add_twins(d, &left, &right);
    }
}

static uint64_t size_of(const struct diff_row *row)
{
    return row->after > row->before ? row->after - row->before : row->before - row->after;
}

/* Sorts by falling change. Rows with the same change keep their order. */
static int compare_rows(const void *a, const void *b)
{
    const struct diff_row *left = a;
    const struct diff_row *right = b;

    if (size_of(left) != size_of(right)) {
        return size_of(left) > size_of(right) ? -1 : 1;
    }
    for (uint32_t i = 0; i < left->entry->n && i < right->entry->n; i++) {
        int order = strcmp(profile_text(left->texts, left->entry, i),
                           profile_text(right->texts, right->entry, i));

        if (order != 0) {
            return order;
        }
    }
    return 0;
}

/* Returns the index of the event with this name; p->events if there is none. */
static unsigned find_event(const struct profile *p, const char *name)
{
    unsigned event = 0;

    while (event < p->events && strcmp(p->event[event].name, name) != 0) {
        event++;
    }
    return event;
}

int diff_make(struct diff *d, struct error *t)
{
    unsigned event = find_event(d->before, d->after->event[d->event].name);
    struct range before = range_of(d->before, event);
    struct range after = range_of(d->after, d->event);

    diff_free(d);
    if (event == d->before->events) {
        return 0;
    }
    d->row = calloc(before.end - before.at + after.end - after.at + 1, sizeof(*d->row));
    if (!d->row) {
        return error_memory(t);
    }
    d->total[0] = d->before->event[event].period;
    d->total[1] = d->after->event[d->event].period;
    merge(d, before, after);
    qsort(d->row, d->n, sizeof(*d->row), compare_rows);
    return 1;
}

static double percent(uint64_t before, uint64_t after, uint64_t of)
{
    return of ? 100.0 * ((double)after - (double)before) / (double)of : 0;
}

double diff_growth(const struct diff *d, const struct diff_row *row)
{
    return percent(row->before, row->after, d->total[0]);
}

const char *diff_file(const struct diff_row *row)
{
    const char *slash = row->source ? strrchr(row->source, '/') : NULL;

    return !row->has_twin ? NULL : slash ? slash + 1 : row->source;
}

static void print_record(const struct diff *d, const struct report *r, const struct diff_row *row,
                         struct out *out)
{
    struct json_object *record = json_object_new_object();

    record_string(record, "event", d->after->event[d->event].name);
    record_double(record, "growth", diff_growth(d, row), 2);
    record_u64(record, "before", row->before);
    record_u64(record, "after", row->after);
    record_u64(record, "event-before", d->total[0]);
    record_u64(record, "event-after", d->total[1]);
    report_members(r, row->texts, row->entry, record);
    if (d->sources && row->source) {
        record_string(record, "sym_file", row->source);
    } else if (d->sources) {
        record_null(record, "sym_file");
    }
    out_record(out, record);
}

static void print_row(const struct diff *d, const struct diff_row *row, FILE *file)
{
    char before[FORMAT_SIZE];
    char after[FORMAT_SIZE];

    fprintf(file, "  %+8.2f%%  %20s  %20s", diff_growth(d, row),
            format_grouped(before, row->before), format_grouped(after, row->after));
    for (uint32_t i = 0; i < columns_of(d, row->entry); i++) {
        fprintf(file, "  %s", profile_text(row->texts, row->entry, i));
    }
    if (diff_file(row)) {
        fprintf(file, "  (%s)", diff_file(row));
    }
    fputc('\n', file);
}

static void print_head(const struct diff *d, FILE *file)
{
    char before[FORMAT_SIZE];
    char after[FORMAT_SIZE];

    fprintf(file, "# Event '%s': %s before, %s after, %+.2f%%\n#\n", d->after->event[d->event].name,
            format_grouped(before, d->total[0]), format_grouped(after, d->total[1]),
            percent(d->total[0], d->total[1], d->total[0]));
    fprintf(file, "# %8s  %20s  %20s  Name\n", "Growth", "Before", "After");
}

const struct limit *diff_exceeded(const struct diff *d, const struct diff_row *row)
{
    bool grew = row->after > row->before;
    const struct limits *limits = grew ? d->growth : d->shrink;
    const struct limit *limit = limits ? limits_find(limits, d->after->event[d->event].name) : NULL;

    return limit && limit_exceeded(limit, d->total[0], size_of(row)) ? limit : NULL;
}

static void print_markdown_head(const struct diff *d, FILE *file)
{
    char before[FORMAT_SIZE];
    char after[FORMAT_SIZE];

    fputs("**", file);
    format_markdown(d->after->event[d->event].name, file);
    fprintf(file, "**: %s before, %s after, %+.2f%%\n\n", format_grouped(before, d->total[0]),
            format_grouped(after, d->total[1]), percent(d->total[0], d->total[1], d->total[0]));
    fprintf(file, "| growth | before | after | name | |\n| ---: | ---: | ---: | --- | --- |\n");
}

static void print_markdown_row(const struct diff *d, const struct diff_row *row, FILE *file)
{
    const struct limit *limit = diff_exceeded(d, row);
    char before[FORMAT_SIZE];
    char after[FORMAT_SIZE];

    fprintf(file, "| %+.2f%% | %s | %s | ", diff_growth(d, row),
            format_grouped(before, row->before), format_grouped(after, row->after));
    for (uint32_t i = 0; i < columns_of(d, row->entry); i++) {
        format_markdown(profile_text(row->texts, row->entry, i), file);
        fputc(' ', file);
    }
    if (diff_file(row)) {
        fputc('(', file);
        format_markdown(diff_file(row), file);
        fputs(") ", file);
    }
    fputs("| ", file);
    if (limit) {
        fprintf(file, ":x: %s beyond the limit of %g %% ",
                row->after > row->before ? "grew" : "shrank", limit->percent);
    }
    fputs("|\n", file);
}

/* is_shown() - is a row one of the @beyond ones, and wanted? */
static bool is_shown(const struct diff *d, const struct diff_style *style,
                     const struct diff_row *row, bool beyond)
{
    bool exceeded = diff_exceeded(d, row) != NULL;

    if (style->quiet || style->markdown) {
        return beyond == exceeded && (exceeded || !style->quiet);
    }
    return !beyond;
}

static size_t count_shown(const struct diff *d, const struct diff_style *style)
{
    size_t n = 0;

    for (size_t i = 0; i < d->n; i++) {
        n += is_shown(d, style, &d->row[i], true) || is_shown(d, style, &d->row[i], false);
    }
    return n;
}

void diff_print(const struct diff *d, const struct report *r, const struct diff_style *style,
                struct out *out)
{
    size_t all = count_shown(d, style), left = style->limit ? style->limit : SIZE_MAX, shown = 0;
    bool text = out->kind == OUT_TEXT;
    char rows[FORMAT_SIZE];

    if (style->quiet && all == 0) {
        return;
    }
    if (text) {
        (style->markdown ? print_markdown_head : print_head)(d, out->text);
    }
    for (size_t i = 0; i < 2 * d->n && shown < left; i++) {
        const struct diff_row *row = &d->row[i % d->n];

        if (!is_shown(d, style, row, i < d->n)) {
            continue;
        }
        shown++;
        if (!text) {
            print_record(d, r, row, out);
        } else {
            (style->markdown ? print_markdown_row : print_row)(d, row, out->text);
        }
    }
    if (text && shown < all) {
        fprintf(out->text, "%sand %s more\n", style->markdown ? "\n" : "# ",
                format_grouped(rows, all - shown));
    }
    if (text) {
        fputc('\n', out->text);
    }
}

void diff_free(struct diff *d)
{
    free(d->row);
    d->row = NULL;
    d->n = 0;
}
