/* SPDX-License-Identifier: GPL-2.0-or-later */
/* vpmu-stats diff: shows what changed between two recordings. */
#include "cli/builtin.h"
#include "profile/diff.h"
#include "base/number.h"
#include "cli/profile-options.h"
#include "cli/report-options.h"

enum {
    KEY_MAX_GROWTH = 0x200,
};

struct diff_options {
    struct profile_options common;
    const char *files[2];
    unsigned n_files;
    struct report_options rows;
    double max_growth;
};

static const struct argp_option table[] = {
    {"max-growth", KEY_MAX_GROWTH, "PERCENT", 0,
     "Exit with status 9 if a row grew by more than PERCENT of the event's total in BEFORE", 1},
    {0},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct diff_options *o = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &o->common;
        state->child_inputs[1] = &o->rows;
        return 0;
    case KEY_MAX_GROWTH:
        if (!number_parse_percent(arg, &o->max_growth)) {
            argp_error(state, "'%s' is not a percentage, 0 or more", arg);
        }
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
 * Reports an error if a row grew by more than the limit. Rows are sorted by how much they changed,
 * so the first such row is the one that grew most.
 */
static void judge(const struct diff_options *o, const struct diff *d, struct error *t)
{
    for (size_t i = 0; i < d->n && o->max_growth >= 0 && t->code == ERROR_NONE; i++) {
        double growth = diff_growth(d, &d->row[i]);

        if (growth > o->max_growth) {
            error_set(t, ERROR_GREW, "%s of %s grew by %.2f%% of the total; the limit is %.2f%%",
                      d->after->event[d->event].name,
                      profile_text(d->row[i].texts, d->row[i].entry, 0), growth, o->max_growth);
        }
    }
}

/* Prints all rows, even if one grew by more than the limit. */
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
            diff_print(d, r, (size_t)o->rows.limit, out);
            judge(o, d, t);
            compared++;
        }
    }
    return compared ? 0 : error_set(t, ERROR_USAGE, "the two files have no event in common");
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
        struct sample_input g = {.key = report_key, .opaque = r, .profile = &p[i]};

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
    struct diff_options o = {
        .common = profile_options_default, .rows = {.sort = "sym"}, .max_growth = -1};
    struct profile p[2] = {0};
    struct diff d = {.before = &p[0], .after = &p[1]};
    struct report r = {0};
    struct error t = {0};

    argp_parse(&argp, argc, argv, 0, NULL, &o);
    r.addresses = o.rows.addresses;
    if (report_choose(&r, o.rows.sort, &t) == 0 && read_files(&o, &r, p, stop_fd, &t) == 0) {
        print(&o, &r, &d, &t);
    }
    diff_free(&d);
    profile_free(&p[0]);
    profile_free(&p[1]);
    error_print(&t);
    return (int)t.code;
}
