/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "profile/diff.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/format.h"

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

/* Compares the next row of each side. A side without rows comes last. */
static int compare(const struct range *a, const struct range *b)
{
    const struct profile_entry *left = a->at < a->end ? a->p->entry[a->at] : NULL;
    const struct profile_entry *right = b->at < b->end ? b->p->entry[b->at] : NULL;
    int order = 0;

    if (!left || !right) {
        return !left - !right;
    }
    for (uint32_t i = 0; order == 0 && i < left->n && i < right->n; i++) {
        order = strcmp(profile_text(a->p, left, i), profile_text(b->p, right, i));
    }
    return order;
}

static void add_row(struct diff *d, const struct range *before, const struct range *after)
{
    const struct range *one = after ? after : before;
    struct diff_row row = {.texts = one->p, .entry = one->p->entry[one->at]};

    row.before = before ? before->p->entry[before->at]->period : 0;
    row.after = after ? after->p->entry[after->at]->period : 0;
    if (row.before != row.after) {
        d->row[d->n++] = row;
    }
}

static void merge(struct diff *d, struct range before, struct range after)
{
    while (before.at < before.end || after.at < after.end) {
        int order = compare(&before, &after);

        add_row(d, order <= 0 ? &before : NULL, order >= 0 ? &after : NULL);
        before.at += order <= 0;
        after.at += order >= 0;
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
    out_record(out, record);
}

static void print_row(const struct diff *d, const struct diff_row *row, FILE *file)
{
    char before[FORMAT_SIZE];
    char after[FORMAT_SIZE];

    fprintf(file, "  %+8.2f%%  %20s  %20s", diff_growth(d, row),
            format_grouped(before, row->before), format_grouped(after, row->after));
    for (uint32_t i = 0; i < row->entry->n; i++) {
        fprintf(file, "  %s", profile_text(row->texts, row->entry, i));
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
    for (uint32_t i = 0; i < row->entry->n; i++) {
        format_markdown(profile_text(row->texts, row->entry, i), file);
        fputc(' ', file);
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
