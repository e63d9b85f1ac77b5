/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prints samples that are summed up by columns, as perf report --stdio does. */
#include "profile/report.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/format.h"
#include "profile/call-tree.h"

/* A longer text does not make the column wider. */
#define MAX_WIDTH 64

/**
 * struct table - the rows of a report
 * @rows: entries whose keys have only the columns of @r.
 * @p: the samples that the rows were made from.
 */
struct table {
    const struct report *r;
    const struct profile *p;
    struct profile *rows;
};

static double percent(const struct profile *p, const struct profile_entry *e, uint64_t part)
{
    uint64_t all = p->event[e->event].period;

    return all ? 100.0 * (double)part / (double)all : 0;
}

/** struct words - what an event's samples are called, for people and for programs */
struct words {
    const char *title, *member, *of_event;
};

/* A profile in valgrind's format has no samples. It counts lines of the source. */
static const struct words *words_of(const struct profile_event *event)
{
    static const struct words samples = {"Samples", "samples", "event-samples"};
    static const struct words lines = {"Lines", "lines", "event-lines"};

    return event->lines ? &lines : &samples;
}

/*
 * Rows of call chains
 */

/*
 * Adds a sample to the row of a frame. A function that is in a chain several times gets the sample
 * once.
 */
static int add_frame(const struct table *b, const struct profile_entry *e, uint32_t i, bool own,
                     uint64_t mark, struct error *t)
{
    uint32_t key[REPORT_MAX_COLUMNS];
    struct profile_entry *row;

    call_tree_row(b->r, e, i, key);
    row = profile_entry(b->rows, e->event, key, b->r->n, t);
    if (!row) {
        return -1;
    }
    if (own) {
        row->samples += e->samples;
        row->period += e->period;
    }
    if (row->mark != mark) {
        row->mark = mark;
        row->total += e->period;
    }
    return 0;
}

static int make_rows(const struct table *b, struct error *t)
{
    for (size_t i = 0; i < b->p->n; i++) {
        const struct profile_entry *e = b->p->entry[i];
        uint32_t frames = call_tree_frames(b->r, e);

        uint32_t leaf = call_tree_leaf(b->r, b->p, e);

        for (uint32_t frame = 0; frame < frames; frame++) {
            if ((b->r->children || frame == leaf) &&
                add_frame(b, e, frame, frame == leaf, i + 1, t)) {
                return -1;
            }
        }
    }
    return 0;
}

/*
 * For programs
 */

static void print_record(const struct table *b, const struct profile_entry *e, struct out *out)
{
    const struct profile *p = b->rows;
    const struct profile_event *event = &p->event[e->event];
    struct json_object *record = json_object_new_object();

    record_string(record, "event", event->name);
    record_double(record, "overhead", percent(p, e, e->period), 2);
    record_u64(record, words_of(event)->member, e->samples);
    record_u64(record, "period", e->period);
    record_u64(record, words_of(event)->of_event, event->samples);
    record_u64(record, "event-period", event->period);
    record_u64(record, "event-lost", event->lost);
    if (b->r->children) {
        record_double(record, "children", percent(p, e, e->total), 2);
        record_u64(record, "children-period", e->total);
    }
    report_members(b->r, p, e, record);
    out_record(out, record);
}

/*
 * For people
 */

/* struct widths - widths of columns, in characters */
struct widths {
    int samples;
    int period;
    int text[REPORT_MAX_COLUMNS];
};

/* Continuation bytes of UTF-8 are not counted. */
static int width_of(const char *text)
{
    int width = 0;

    for (; *text; text++) {
        width += ((unsigned char)*text & 0xc0) != 0x80;
    }
    return width;
}

static int wider(int width, const char *text)
{
    int other = width_of(text);

    other = other < MAX_WIDTH ? other : MAX_WIDTH;
    return other > width ? other : width;
}

/* The column of counts: the periods of samples, or the event that lines count. */
static const char *period_title(const struct profile_event *event)
{
    return event->lines ? event->name : "Period";
}

static struct widths find_widths(const struct table *b, unsigned event, size_t first, size_t end)
{
    const struct profile_event *of = &b->p->event[event];
    struct widths w = {.samples = width_of(words_of(of)->title),
                       .period = width_of(period_title(of))};
    char number[FORMAT_SIZE];

    for (size_t row = first; row < end; row++) {
        const struct profile_entry *e = b->rows->entry[row];

        w.samples = wider(w.samples, format_grouped(number, e->samples));
        w.period = wider(w.period, format_grouped(number, e->period));
    }
    for (uint32_t i = 0; i < b->r->n; i++) {
        w.text[i] = width_of(b->r->column[i]->title);
        for (size_t row = first; row < end; row++) {
            w.text[i] = wider(w.text[i], profile_text(b->rows, b->rows->entry[row], i));
        }
    }
    return w;
}

/* The last column has no trailing blanks. */
static void print_text(FILE *file, const char *text, int width, bool last)
{
    int blanks = last ? 0 : width - width_of(text);

    fprintf(file, "  %s%*s", text, blanks > 0 ? blanks : 0, "");
}

static void print_head(const struct table *b, unsigned event, const struct widths *w, FILE *file)
{
    static const char dots[] = "................................................................";
    const struct profile_event *of = &b->p->event[event];
    const struct report *r = b->r;
    char number[FORMAT_SIZE];

    fprintf(file, "# %s: %s of event '%s'", words_of(of)->title,
            format_grouped(number, of->samples), of->name);
    if (of->lost) {
        fprintf(file, ", and %s lost", format_grouped(number, of->lost));
    }
    fprintf(file, "\n# Event count: %s\n#\n", format_grouped(number, of->period));
    fprintf(file, "# %8s", r->children ? "Children" : "Overhead");
    fprintf(file, r->children ? "  %8s" : "", "Self");
    fprintf(file, "  %*s  %*s", w->samples, words_of(of)->title, w->period, period_title(of));
    for (uint32_t i = 0; i < r->n; i++) {
        print_text(file, r->column[i]->title, w->text[i], i + 1 == r->n);
    }
    fprintf(file, "\n# %.8s", dots);
    fprintf(file, r->children ? "  %.8s" : "", dots);
    fprintf(file, "  %.*s  %.*s", w->samples, dots, w->period, dots);
    for (uint32_t i = 0; i < r->n; i++) {
        fprintf(file, "  %.*s", w->text[i], dots);
    }
    fprintf(file, "\n#\n");
}

static void print_row(const struct table *b, const struct profile_entry *e, const struct widths *w,
                      FILE *file)
{
    char samples[FORMAT_SIZE];
    char period[FORMAT_SIZE];

    if (b->r->children) {
        fprintf(file, "  %7.2f%%", percent(b->p, e, e->total));
    }
    fprintf(file, "  %7.2f%%  %*s  %*s", percent(b->p, e, e->period), w->samples,
            format_grouped(samples, e->samples), w->period, format_grouped(period, e->period));
    for (uint32_t i = 0; i < b->r->n; i++) {
        print_text(file, profile_text(b->rows, e, i), w->text[i], i + 1 == b->r->n);
    }
    fputc('\n', file);
}

static int print_tree(const struct table *b, const struct profile_entry *e, FILE *file,
                      struct error *t)
{
    uint64_t part = b->r->children ? e->total : e->period;
    struct call_tree *tree;

    if (!b->r->graph || percent(b->p, e, part) < b->r->threshold) {
        return 0;
    }
    tree = call_tree_of(b->r, b->p, e, t);
    if (!tree) {
        return -1;
    }
    call_tree_print(b->r, b->p, tree, b->r->fractal ? part : b->p->event[e->event].period, file);
    call_tree_free(tree);
    return 0;
}

static void print_rest(const struct table *b, size_t first, size_t end, FILE *file)
{
    char rows[FORMAT_SIZE];
    double share = 0;

    if (first == end) {
        return;
    }
    for (size_t i = first; i < end; i++) {
        share += percent(b->rows, b->rows->entry[i], b->rows->entry[i]->period);
    }
    fprintf(file, "# and %s more", format_grouped(rows, end - first));
    fprintf(file, b->r->children ? "\n" : ", %.2f%%\n", share);
}

/* Prints how to get names for samples without a function, for each level. */
static void print_hint(const struct table *b, size_t first, size_t end, FILE *file)
{
    double kernel = 0;
    double user = 0;

    for (uint32_t i = 0; i < b->r->n; i++) {
        bool of_code = report_is_symbol(b->r, i) && b->r->column[i]->needs != REPORT_ACCESSES;

        for (size_t row = first; row < end && of_code; row++) {
            const struct profile_entry *e = b->rows->entry[row];
            const char *text = profile_text(b->rows, e, i);
            const char *name = text + REPORT_LEVEL_SIZE;
            bool unknown = place_name_lacks(name);

            kernel += unknown && text[1] == 'k' ? percent(b->rows, e, e->period) : 0;
            user += unknown && text[1] == '.' ? percent(b->rows, e, e->period) : 0;
        }
    }
    if (kernel > 0) {
        fprintf(file, "# %.2f%% is in %s\n", kernel,
                b->r->has_kernel ? "kernel modules or generated code without names: --kallsyms "
                                   "with a copy of the guest's /proc/kallsyms"
                                 : "a kernel or firmware without names: --kallsyms or --vmlinux");
    }
    if (user > 0) {
        fprintf(file, "# %.2f%% is in programs without names: --symfs, --debug-dir or --map\n",
                user);
    }
}

static int print_table(const struct table *b, unsigned event, size_t first, size_t end,
                       size_t shown, struct out *out, struct error *t)
{
    struct widths w = find_widths(b, event, first, shown);

    print_head(b, event, &w, out->text);
    for (size_t i = first; i < shown; i++) {
        print_row(b, b->rows->entry[i], &w, out->text);
        if (print_tree(b, b->rows->entry[i], out->text, t)) {
            return -1;
        }
    }
    print_rest(b, shown, end, out->text);
    print_hint(b, first, end, out->text);
    fputc('\n', out->text);
    return 0;
}

/* An entry without a key has the samples that are not shown. */
static void skip_hidden(struct profile *rows)
{
    size_t kept = 0;

    for (size_t i = 0; i < rows->n; i++) {
        struct profile_entry *e = rows->entry[i];

        /* Freed by the tree. */
        if (e->n) {
            rows->entry[kept++] = e;
        }
    }
    rows->n = kept;
}

/* Returns the end of the rows that are printed. The largest are first. */
static size_t end_of_shown(const struct table *b, size_t first, size_t end, size_t limit)
{
    size_t shown = limit && limit < end - first ? first + limit : end;

    while (shown > first) {
        const struct profile_entry *e = b->rows->entry[shown - 1];

        if (percent(b->p, e, b->r->children ? e->total : e->period) >= b->r->percent_limit) {
            break;
        }
        shown--;
    }
    return shown;
}

static int print_events(const struct table *b, size_t limit, struct out *out, struct error *t)
{
    size_t first = 0;

    for (unsigned event = 0; event < b->rows->events; event++) {
        size_t end = first;
        size_t shown;

        while (end < b->rows->n && b->rows->entry[end]->event == event) {
            end++;
        }
        shown = end_of_shown(b, first, end, limit);
        if (out->kind != OUT_TEXT) {
            for (size_t i = first; i < shown; i++) {
                print_record(b, b->rows->entry[i], out);
            }
        } else if (print_table(b, event, first, end, shown, out, t)) {
            return -1;
        }
        first = end;
    }
    return 0;
}

/* The rows use the texts and events of the samples. */
static int print_chains(const struct report *r, struct profile *p, size_t limit, struct out *out,
                        struct error *t)
{
    struct profile rows = {.texts = p->texts, .event = p->event, .events = p->events};
    struct table b = {.r = r, .p = p, .rows = &rows};
    int err = make_rows(&b, t);

    if (!err) {
        if (r->children) {
            profile_sort_by_total(&rows);
        } else {
            profile_sort_by_period(&rows);
        }
        err = print_events(&b, limit, out, t);
    }
    profile_free_entries(&rows);
    return err;
}

int report_print(const struct report *r, struct profile *p, size_t limit, struct out *out,
                 struct error *t)
{
    struct table b = {.r = r, .p = p, .rows = p};
    char number[FORMAT_SIZE];

    skip_hidden(p);
    if (report_has_chains(r)) {
        if (print_chains(r, p, limit, out, t)) {
            return -1;
        }
    } else {
        profile_sort_by_period(p);
        if (print_events(&b, limit, out, t)) {
            return -1;
        }
    }
    if (p->lost && out->kind == OUT_TEXT) {
        fprintf(out->text, "# Lost samples of unknown events: %s\n",
                format_grouped(number, p->lost));
    }
    return 0;
}
