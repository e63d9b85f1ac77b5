/* SPDX-License-Identifier: GPL-2.0-or-later */
/* vpmu-stats diff: shows what changed between two recordings. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/builtin.h"
#include "profile/diff.h"
#include "base/format.h"
#include "profile/limit.h"
#include "options/profile-options.h"
#include "options/report-options.h"
#include "perfdata/costs.h"

enum {
    KEY_MAX_GROWTH = 0x200,
    KEY_MAX_SHRINK,
    KEY_ALLOW_MISSING,
    KEY_FORMAT,
};

struct diff_options {
    struct profile_options common;
    const char *files[2];
    unsigned n_files;
    struct report_options rows;
    struct limits growth, shrink;
    struct diff_style style;
    bool allow_missing;
};

static const struct argp_option table[] = {
    {"max-growth", KEY_MAX_GROWTH, "[EVENT=]PERCENT[:FLOOR]", 0,
     "Exit with status 9 if a row grew by more than PERCENT of the event's total in BEFORE and by "
     "more than FLOOR events; may be repeated",
     1},
    {"max-shrink", KEY_MAX_SHRINK, "[EVENT=]PERCENT[:FLOOR]", 0, "The same for rows that shrank",
     1},
    {"allow-missing", KEY_ALLOW_MISSING, 0, 0,
     "With a limit, do not fail because an event is in one file only", 1},
    {"format", KEY_FORMAT, "FORMAT", 0, "text or markdown, a table for a pull request", 12},
    {"quiet", 'q', 0, 0, "Print only rows that changed by more than a limit", 12},
    {0},
};

static void add_limit(struct argp_state *state, struct limits *l, const char *text)
{
    if (!limits_add(l, text)) {
        argp_error(state, "'%s' is not a percentage, 0 or more, or EVENT=PERCENT:FLOOR", text);
    }
}

static void set_format(struct argp_state *state, struct diff_options *o, const char *name)
{
    o->style.markdown = strcmp(name, "markdown") == 0;
    if (!o->style.markdown && strcmp(name, "text") != 0) {
        argp_error(state, "no format '%s'; known: text, markdown", name);
    }
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct diff_options *o = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &o->common;
        state->child_inputs[1] = &o->rows;
        return 0;
    case KEY_MAX_GROWTH:
        add_limit(state, &o->growth, arg);
        return 0;
    case KEY_MAX_SHRINK:
        add_limit(state, &o->shrink, arg);
        return 0;
    case KEY_ALLOW_MISSING:
        o->allow_missing = true;
        return 0;
    case KEY_FORMAT:
        set_format(state, o, arg);
        return 0;
    case 'q':
        o->style.quiet = true;
        return 0;
    case ARGP_KEY_ARG:
        if (o->n_files == 2) {
            argp_error(state, "only two files can be compared");
        }
        o->files[o->n_files++] = arg;
        return 0;
    case ARGP_KEY_END:
        if (o->n_files < 2) {
            argp_error(state, "two files are needed: BEFORE and AFTER");
        }
        if (o->style.markdown && o->rows.kind != OUT_TEXT) {
            argp_error(state, "--format markdown excludes --json and --field-separator");
        }
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_child children[] = {
    {&profile_names_argp, 0, 0, 0}, {&report_options_argp, 0, 0, 0}, {0}};

static const struct argp argp = {
    table,
    parse,
    "BEFORE AFTER",
    "Compares two files of vpmu-stats record or perf record. For each event in both, the rows that "
    "changed most come first.\v"
    "With -icount, two runs of the same program give identical counts, so every difference is "
    "a change of the program. Fail a build if a function's cache misses grow by more than one "
    "percent of all misses:\n\n"
    "    vpmu-stats diff --max-growth 1 before.data after.data",
    children,
    0,
    0,
};

/*
 * Reports an error if a row changed by more than the limit. Rows are sorted by how much they
 * changed, so the first such row is the one that changed most.
 */
static void judge_rows(const struct diff *d, struct error *t)
{
    const char *event = d->after->event[d->event].name;

    for (size_t i = 0; i < d->n && t->code == ERROR_NONE; i++) {
        const struct diff_row *row = &d->row[i];
        bool grew = row->after > row->before;
        const struct limit *limit = diff_exceeded(d, row);
        uint64_t change = grew ? row->after - row->before : row->before - row->after;
        char number[FORMAT_SIZE];

        if (limit) {
            const char *file = diff_file(row);

            error_set(t, ERROR_GREW,
                      "%s of %s%s%s%s %s by %s, %.2f%% of the total; the limit is %.2f%%", event,
                      profile_text(row->texts, row->entry, 0), file ? " (" : "", file ? file : "",
                      file ? ")" : "", grew ? "grew" : "shrank", format_grouped(number, change),
                      fabs(diff_growth(d, row)), limit->percent);
        }
    }
}

/* Reports what was not measured: an error if there is a limit, and a warning otherwise. */
static void miss(const struct diff_options *o, bool allowed, struct error *t, const char *format,
                 const char *event, const char *file)
{
    struct error note = {0};

    error_set(&note, ERROR_GREW, format, event, file);
    if ((o->growth.n == 0 && o->shrink.n == 0) || allowed) {
        error_print(&note);
    } else if (t->code == ERROR_NONE) {
        *t = note;
    }
}

/* Reports an event without samples. No line need have a certain cost, such as a misprediction. */
static void judge_samples(const struct diff_options *o, const struct diff *d, struct error *t)
{
    if (costs_name(d->after->event[d->event].name)) {
        return;
    }
    for (unsigned i = 0; i < 2; i++) {
        if (d->total[i] == 0) {
            miss(o, false, t, "there are no samples of %s in %s", d->after->event[d->event].name,
                 o->files[i]);
        }
    }
}

static bool has_event(const struct profile *p, const char *name)
{
    for (unsigned i = 0; i < p->events; i++) {
        if (strcmp(p->event[i].name, name) == 0) {
            return true;
        }
    }
    return false;
}

/* Reports events that only one file has, and events with a limit that no file has. */
static void judge_events(const struct diff_options *o, const struct diff *d, struct error *t)
{
    const struct profile *const p[2] = {d->before, d->after};
    const struct limits *const limits[2] = {&o->growth, &o->shrink};

    for (unsigned side = 0; side < 2; side++) {
        for (unsigned i = 0; i < p[side]->events; i++) {
            if (!has_event(p[!side], p[side]->event[i].name)) {
                miss(o, o->allow_missing, t, "%s is missing in %s", p[side]->event[i].name,
                     o->files[!side]);
            }
        }
        for (size_t i = 0; i < limits[side]->n; i++) {
            const struct limit *limit = &limits[side]->limit[i];
            char name[256];

            snprintf(name, sizeof(name), "%.*s", (int)limit->length, limit->event);
            if (name[0] && !has_event(d->after, name)) {
                miss(o, false, t, "%s has a limit, but is missing in %s", name, o->files[1]);
            }
        }
    }
}

/* Prints all rows, even if one changed by more than the limit. */
static int compare(const struct diff_options *o, const struct report *r, struct diff *d,
                   struct out *out, struct error *t)
{
    unsigned compared = 0;

    for (d->event = 0; d->event < d->after->events; d->event++) {
        int found = diff_make(d, t);

        if (found < 0) {
            return -1;
        }
        if (found > 0) {
            diff_print(d, r, &o->style, out);
            judge_rows(d, t);
            judge_samples(o, d, t);
            compared++;
        }
    }
    if (compared == 0) {
        return error_set(t, ERROR_USAGE, "the two files have no event in common");
    }
    judge_events(o, d, t);
    return 0;
}

static int print(const struct diff_options *o, const struct report *r, struct diff *d,
                 struct error *t)
{
    struct out out = {.kind = o->rows.kind, .separator = o->rows.separator};

    return out_open(&out, o->common.output, false, OUT_COLOR_NEVER, t)
               ? -1
               : out_end(&out, compare(o, r, d, &out, t), t);
}

static int read_files(struct diff_options *o, const struct report *r, struct profile *p,
                      int stop_fd, struct error *t)
{
    for (unsigned i = 0; i < 2; i++) {
        struct sample_input g = {
            .key = report_key, .line_key = report_line_key, .opaque = r, .profile = &p[i]};

        o->common.input = o->files[i];
        if (profile_options_read_input(&o->common, &g, stop_fd, t)) {
            return -1;
        }
        profile_sort_by_key(&p[i]);
    }
    return 0;
}

int builtin_diff(int argc, char **argv, int stop_fd)
{
    struct diff_options o = {.common = profile_options_default, .rows = {.sort = "sym"}};
    struct profile p[2] = {0};
    struct diff d = {.before = &p[0], .after = &p[1], .growth = &o.growth, .shrink = &o.shrink};
    struct report r = {0};
    struct error t = {0};

    argp_parse(&argp, argc, argv, 0, NULL, &o);
    r.addresses = o.rows.addresses;
    o.style.limit = (size_t)o.rows.limit;
    if (report_choose(&r, o.rows.sort, &t) == 0) {
        d.sources = r.sources = r.has_symbol;
        if (read_files(&o, &r, p, stop_fd, &t) == 0) {
            print(&o, &r, &d, &t);
        }
    }
    diff_free(&d);
    profile_free(&p[0]);
    profile_free(&p[1]);
    error_print(&t);
    return (int)t.code;
}
