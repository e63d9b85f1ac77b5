/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/compare.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/format.h"
#include "report/contents.h"
#include "report/report.h"
#include "report/values.h"

/*
 * What a row of each kind means. @limited is its severity if there is a limit, and @allowed with
 * --allow-missing, or with --allow-command if the commands differ. @summary follows a number.
 */
static const struct {
    enum compare_severity severity, limited, allowed;
    int status;
    const char *remark, *summary;
} kinds[COMPARE_KINDS] = {
    [COMPARE_GREW] = {COMPARE_ERROR, COMPARE_ERROR, COMPARE_ERROR, FAILURE_GREW,
                      "grew beyond the limit", "grew beyond the limit"},
    [COMPARE_SHRANK] = {COMPARE_ERROR, COMPARE_ERROR, COMPARE_ERROR, FAILURE_GREW,
                        "shrank beyond the limit", "shrank beyond the limit"},
    [COMPARE_NAMED] = {COMPARE_ERROR, COMPARE_ERROR, COMPARE_ERROR, FAILURE_GREW,
                       "named, but not counted", "named but not counted"},
    [COMPARE_UNKNOWN] = {COMPARE_ERROR, COMPARE_ERROR, COMPARE_ERROR, FAILURE_USAGE,
                         "named, but in no report", "named but in no report"},
    [COMPARE_MISSING] = {COMPARE_NOTE, COMPARE_ERROR, COMPARE_NOTE, FAILURE_GREW, "only in BASE",
                         "only in BASE"},
    [COMPARE_EXTRA] = {COMPARE_NOTE, COMPARE_ERROR, COMPARE_NOTE, FAILURE_GREW, "only in NOW",
                       "only in NOW"},
    [COMPARE_LOST] = {COMPARE_WARNING, COMPARE_ERROR, COMPARE_ERROR, FAILURE_GREW,
                      "not counted any more", "not counted any more"},
    [COMPARE_NOTHING] = {COMPARE_ERROR, COMPARE_ERROR, COMPARE_ERROR, FAILURE_USAGE,
                         "the reports have no event in common",
                         "comparison without an event that both reports have"},
    [COMPARE_STATUS] = {COMPARE_WARNING, COMPARE_ERROR, COMPARE_ERROR, FAILURE_GREW,
                        "another exit status", "with another exit status"},
    [COMPARE_SIGNAL] = {COMPARE_WARNING, COMPARE_ERROR, COMPARE_ERROR, FAILURE_GREW,
                        "ended by a signal", "ended by a signal"},
    [COMPARE_COMMAND] = {COMPARE_WARNING, COMPARE_ERROR, COMPARE_WARNING, FAILURE_GREW,
                         "another command", "with another command"},
    [COMPARE_MACHINE] = {COMPARE_WARNING, COMPARE_WARNING, COMPARE_WARNING, 0, "differs",
                         "with another machine"},
    [COMPARE_ENVIRONMENT] = {COMPARE_WARNING, COMPARE_WARNING, COMPARE_WARNING, 0, "differs",
                             "with another environment"},
    [COMPARE_VARIES] = {COMPARE_WARNING, COMPARE_WARNING, COMPARE_WARNING, 0,
                        "counts do not repeat", "with counts that do not repeat"},
    [COMPARE_FILE] = {COMPARE_NOTE, COMPARE_NOTE, COMPARE_NOTE, 0, "another content",
                      "with another content"},
    [COMPARE_FILE_MISSING] = {COMPARE_NOTE, COMPARE_NOTE, COMPARE_NOTE, 0, "only in BASE",
                              "file only in BASE"},
    [COMPARE_FILE_EXTRA] = {COMPARE_NOTE, COMPARE_NOTE, COMPARE_NOTE, 0, "only in NOW",
                            "file only in NOW"},
    [COMPARE_BAND] = {COMPARE_OK, COMPARE_OK, COMPARE_OK, 0, "within the band",
                      "changed within the band of the runs"},
    [COMPARE_UNCOUNTED] = {COMPARE_NOTE, COMPARE_NOTE, COMPARE_NOTE, 0, "not counted",
                           "not counted in either report"},
    [COMPARE_WITHIN] = {COMPARE_OK, COMPARE_OK, COMPARE_OK, 0, "", "without a finding"},
};

/* struct name - an event that an option names */
struct name {
    const char *text;
    size_t length;
    bool found;
};

/* struct comparing - what is compared; @prefix: of the rows' names. */
struct comparing {
    struct comparison *c;
    const struct compare_options *o;
    struct name *name;
    size_t names;
    const char *prefix;
    bool failed; /* no memory */
};

double compare_change(uint64_t base, uint64_t now)
{
    if (base == 0) {
        return now ? HUGE_VAL : 0;
    }
    return 100.0 * ((double)now - (double)base) / (double)base;
}

/* add_row() - Return: a row, or NULL if there is no memory */
static struct compare_row *add_row(struct comparing *g, enum compare_kind kind, const char *name)
{
    struct comparison *c = g->c;
    bool limited = g->o->growth.n > 0 || g->o->shrink.n > 0, allowed;
    struct compare_row *more, *row;

    more = realloc(c->row, (c->n + 1) * sizeof(*more));
    if (!more) {
        g->failed = true;
        return NULL;
    }
    c->row = more;
    row = &c->row[c->n];
    memset(row, 0, sizeof(*row));
    if (asprintf(&row->name, "%s%s", g->prefix, name) < 0) {
        g->failed = true;
        return NULL;
    }
    format_tame(row->name);
    row->kind = kind;
    allowed = kind == COMPARE_COMMAND ? g->o->allow_command : g->o->allow_missing;
    row->severity = !limited  ? kinds[kind].severity
                    : allowed ? kinds[kind].allowed
                              : kinds[kind].limited;
    row->index = c->n++;
    c->kind[kind]++;
    snprintf(row->remark, sizeof(row->remark), "%s", kinds[kind].remark);
    return row;
}

/* add_pair() - a row with two texts, which may come from a file */
static void add_pair(struct comparing *g, enum compare_kind kind, const char *name,
                     const char *before, const char *after)
{
    struct compare_row *row = add_row(g, kind, name);

    if (row) {
        snprintf(row->before, sizeof(row->before), "%s", before);
        snprintf(row->after, sizeof(row->after), "%s", after);
        format_tame(row->before);
        format_tame(row->after);
    }
}

/* is_named() - does an option name the event? */
static bool is_named(struct comparing *g, const char *event)
{
    bool named = false;

    for (size_t i = 0; i < g->names; i++) {
        struct name *name = &g->name[i];

        if (strlen(event) == name->length && strncmp(event, name->text, name->length) == 0) {
            name->found = named = true;
        }
    }
    return named;
}

/* classify_change() - of two counts. @limit: the one that is exceeded. */
static enum compare_kind classify_change(const struct compare_options *o, const struct value *base,
                                         const struct value *now, const struct limit **limit)
{
    bool grew = now->value > base->value;
    uint64_t change = grew ? now->value - base->value : base->value - now->value;

    *limit = limits_find(grew ? &o->growth : &o->shrink, now->name);
    if (!*limit || !limit_exceeded(*limit, base->value, change)) {
        return COMPARE_WITHIN;
    }
    /* If the ranges of the runs overlap, the layout alone may be the reason. */
    if (grew ? now->low <= base->high : now->high >= base->low) {
        return COMPARE_BAND;
    }
    return grew ? COMPARE_GREW : COMPARE_SHRANK;
}

static enum compare_kind classify(struct comparing *g, const struct value *base,
                                  const struct value *now, const struct limit **limit)
{
    bool named = is_named(g, base ? base->name : now->name);
    bool before = base && base->counted, after = now && now->counted;

    if (before && after) {
        return classify_change(g->o, base, now, limit);
    }
    if (named) {
        return COMPARE_NAMED;
    }
    if (base && now) {
        return before ? COMPARE_LOST : after ? COMPARE_EXTRA : COMPARE_UNCOUNTED;
    }
    return base ? COMPARE_MISSING : COMPARE_EXTRA;
}

static void set_count(char *text, const struct value *v)
{
    const char *unit = v ? report_unit(v->name) : "";
    char number[FORMAT_SIZE];

    snprintf(text, COMPARE_TEXT_SIZE, "%s%s%s",
             !v           ? "none"
             : v->counted ? format_grouped(number, v->value)
                          : "not counted",
             v && v->counted && unit[0] ? " " : "", v && v->counted ? unit : "");
}

static void set_change(struct compare_row *row, const struct value *base, const struct value *now)
{
    uint64_t before = base->high - base->low, after = now->high - now->low;
    uint64_t band = before > after ? before : after;
    char number[FORMAT_SIZE];

    row->percent = compare_change(base->value, now->value);
    snprintf(row->change, sizeof(row->change), "%s%s",
             now->value < base->value   ? "-"
             : now->value > base->value ? "+"
                                        : "",
             format_grouped(number, now->value < base->value ? base->value - now->value
                                                             : now->value - base->value));
    if (band > 0 && base->value > 0) {
        snprintf(row->band, sizeof(row->band), "%.3f %%",
                 100.0 * (double)band / (double)base->value);
    } else if (band > 0) {
        snprintf(row->band, sizeof(row->band), "%" PRIu64, band);
    }
}

static void set_remark(struct compare_row *row, const struct limit *limit)
{
    char floor[FORMAT_SIZE];
    int n = snprintf(row->remark, sizeof(row->remark), "%s of %g %%", kinds[row->kind].remark,
                     limit->percent);

    if (limit->floor && n > 0 && (size_t)n < sizeof(row->remark)) {
        snprintf(row->remark + n, sizeof(row->remark) - (size_t)n, " and %s",
                 format_grouped(floor, limit->floor));
    }
}

/* compare_event() - @base, @now: NULL if a report does not have it */
static void compare_event(struct comparing *g, const struct value *base, const struct value *now)
{
    const char *name = base ? base->name : now->name;
    const struct limit *limit = NULL;
    struct compare_row *row;

    if (g->o->n_events > 0 && !is_named(g, name)) {
        return;
    }
    row = add_row(g, classify(g, base, now, &limit), name);
    if (!row) {
        return;
    }
    set_count(row->before, base);
    set_count(row->after, now);
    if (base && base->counted && now && now->counted) {
        set_change(row, base, now);
        g->c->compared++;
    }
    if (row->kind == COMPARE_GREW || row->kind == COMPARE_SHRANK) {
        set_remark(row, limit);
    }
}

/* find() - an event of the other report. @zero: for a system call that was not made there */
static const struct value *find(const struct values *v, const char *name, struct value *zero)
{
    const struct value *found = values_find(v, name, strlen(name));

    if (!found && v->syscalls && report_is_syscall(name)) {
        *zero = (struct value){.name = name, .counted = true};
        return zero;
    }
    return found;
}

static void compare_events(struct comparing *g, const struct values *base, const struct values *now)
{
    struct value zero;

    for (size_t i = 0; i < now->n; i++) {
        compare_event(g, find(base, now->value[i].name, &zero), &now->value[i]);
    }
    for (size_t i = 0; i < base->n; i++) {
        const char *name = base->value[i].name;

        if (!values_find(now, name, strlen(name))) {
            compare_event(g, &base->value[i], find(now, name, &zero));
        }
    }
}

static struct json_object *member(struct json_object *o, const char *name)
{
    struct json_object *found = NULL;

    if (json_object_is_type(o, json_type_object)) {
        json_object_object_get_ex(o, name, &found);
    }
    return found;
}

static const char *text_of(struct json_object *o)
{
    return o ? json_object_get_string(o) : "none";
}

/* compare_ends() - how the program ended */
static void compare_ends(struct comparing *g, struct json_object *base, struct json_object *now)
{
    struct json_object *before = member(base, "exit-status"), *after = member(now, "exit-status");

    if (!json_object_equal(before, after)) {
        add_pair(g, COMPARE_STATUS, "exit status", text_of(before), text_of(after));
    }
    before = member(base, "signal");
    after = member(now, "signal");
    if (before || after) {
        add_pair(g, COMPARE_SIGNAL, "signal", text_of(before), text_of(after));
    }
}

/* repeats() - a report says so unless it is old */
static bool repeats(struct json_object *machine)
{
    struct json_object *o = member(machine, "repeatable");

    return !o || json_object_get_boolean(o);
}

/* compare_member() - one of what the counts depend on */
static void compare_member(struct comparing *g, const char *name, struct json_object *before,
                           struct json_object *after)
{
    char full[COMPARE_TEXT_SIZE];

    if (!json_object_equal(before, after)) {
        snprintf(full, sizeof(full), "machine: %s", name);
        add_pair(g, COMPARE_MACHINE, full, text_of(before), text_of(after));
    }
}

static void compare_machines(struct comparing *g, struct json_object *base, struct json_object *now)
{
    struct json_object *a = member(base, "machine"), *b = member(now, "machine");

    if (json_object_is_type(a, json_type_object)) {
        json_object_object_foreach(a, name, before)
        {
            compare_member(g, name, before, member(b, name));
        }
    }
    if (json_object_is_type(b, json_type_object)) {
        json_object_object_foreach(b, name, after)
        {
            if (!json_object_is_type(a, json_type_object) ||
                !json_object_object_get_ex(a, name, NULL)) {
                compare_member(g, name, NULL, after);
            }
        }
    }
    if (!repeats(a) || !repeats(b)) {
        add_pair(g, COMPARE_VARIES, "repeatable", repeats(a) ? "yes" : "no",
                 repeats(b) ? "yes" : "no");
    }
}

/* counts_kernel() - does the count of an event contain what the kernel does? */
static bool counts_kernel(const char *name)
{
    size_t n = strlen(name);

    return n < 2 || strcmp(name + n - 2, ":u") != 0;
}

/*
 * compare_lists() - counts of the kernel depend on what is counted: opening and reading events is
 * work of the kernel. Rows of single events say the same, unless they are not printed.
 */
static void compare_lists(struct comparing *g, const struct values *base, const struct values *now)
{
    size_t before = 0, after = 0, same = 0;
    bool kernel = false;

    for (size_t i = 0; i < base->n; i++) {
        const char *name = base->value[i].name;
        bool shown = g->o->n_events > 0 && is_named(g, name);

        if (!base->value[i].part) {
            before++;
            same += values_find(now, name, strlen(name)) != NULL;
            kernel |= shown && counts_kernel(name);
        }
    }
    for (size_t i = 0; i < now->n; i++) {
        after += !now->value[i].part;
    }
    if (kernel && (same < before || same < after)) {
        char texts[2][COMPARE_TEXT_SIZE];

        snprintf(texts[0], sizeof(texts[0]), "%zu counted", before);
        snprintf(texts[1], sizeof(texts[1]), "%zu counted", after);
        add_pair(g, COMPARE_MACHINE, "machine: events", texts[0], texts[1]);
    }
}

static void add_content(void *g, const char *name, const char *before, const char *after)
{
    enum compare_kind kind = strcmp(before, CONTENTS_NONE) == 0  ? COMPARE_FILE_EXTRA
                             : strcmp(after, CONTENTS_NONE) == 0 ? COMPARE_FILE_MISSING
                                                                 : COMPARE_FILE;

    add_pair(g, kind, name, before, after);
}

static void add_variable(void *g, const char *name, const char *before, const char *after)
{
    add_pair(g, COMPARE_ENVIRONMENT, name, before, after);
}

static int compare_pair(struct comparing *g, struct json_object *base, const char *base_path,
                        struct json_object *now, const char *now_path, struct failure *f)
{
    struct values before = {0}, after = {0};
    int err =
        values_read(&before, base, base_path, f) != 0 || values_read(&after, now, now_path, f) != 0;

    if (!err) {
        compare_events(g, &before, &after);
        compare_ends(g, base, now);
        compare_machines(g, base, now);
        compare_lists(g, &before, &after);
        contents_compare(member(base, "environment"), member(now, "environment"), "environment",
                         add_variable, g);
        contents_compare(member(base, "contents"), member(now, "contents"), "file", add_content, g);
    }
    values_free(&before);
    values_free(&after);
    return err ? -1 : 0;
}

/* set_prefix() - the command, if there are several reports. Return: to be freed. */
static char *set_prefix(struct comparing *g, struct json_object *report)
{
    char *command = report_command(report), *prefix = NULL;

    if (!command || asprintf(&prefix, "%s: ", command) < 0) {
        prefix = NULL;
        g->failed = true;
    }
    g->prefix = prefix ? prefix : "";
    free(command);
    return prefix;
}

static int compare_several(struct comparing *g, const struct reports *base,
                           const struct reports *now, struct failure *f)
{
    int err = 0;

    for (size_t i = 0; i < now->n && !err; i++) {
        struct json_object *before = reports_same(base, now, i);
        char *prefix = set_prefix(g, now->report[i]);

        if (before) {
            err = compare_pair(g, before, base->path, now->report[i], now->path, f);
        } else {
            add_pair(g, COMPARE_EXTRA, "report", "none", "");
        }
        free(prefix);
    }
    for (size_t i = 0; i < base->n && !err; i++) {
        if (!reports_same(now, base, i)) {
            char *prefix = set_prefix(g, base->report[i]);

            add_pair(g, COMPARE_MISSING, "report", "", "none");
            free(prefix);
        }
    }
    g->prefix = "";
    return err;
}

static const char *word_of(struct json_object *command, size_t i)
{
    return json_object_is_type(command, json_type_array) && i < json_object_array_length(command)
               ? text_of(json_object_array_get_idx(command, i))
               : NULL;
}

/* compare_commands() - the row has the first word that differs */
static void compare_commands(struct comparing *g, struct json_object *base, struct json_object *now)
{
    const char *before, *after;
    size_t i = 0;

    do {
        before = word_of(base, i);
        after = word_of(now, i);
        i++;
    } while (before && after && strcmp(before, after) == 0);
    if (before || after) {
        add_pair(g, COMPARE_COMMAND, "command", before ? before : "none", after ? after : "none");
    }
}

static int compare_single(struct comparing *g, const struct reports *base,
                          const struct reports *now, struct failure *f)
{
    int err = compare_pair(g, base->report[0], base->path, now->report[0], now->path, f);

    compare_commands(g, member(base->report[0], "command"), member(now->report[0], "command"));
    return err;
}

static bool add_name(struct comparing *g, const char *text, size_t length)
{
    struct name *more = realloc(g->name, (g->names + 1) * sizeof(*more));

    if (!more) {
        return false;
    }
    g->name = more;
    g->name[g->names++] = (struct name){text, length, false};
    return true;
}

/* read_names() - the events that options name. Return: false if there is no memory. */
static bool read_names(struct comparing *g)
{
    const struct limits *const limits[] = {&g->o->growth, &g->o->shrink};
    bool good = true;

    for (size_t i = 0; i < g->o->n_events; i++) {
        for (const char *at = g->o->events[i]; *at; at += *at == ',') {
            size_t length = event_length(at);

            good = add_name(g, at, length) && good;
            at += length;
        }
    }
    for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
        for (size_t n = 0; n < limits[i]->n; n++) {
            const struct limit *limit = &limits[i]->limit[n];

            good = (limit->length == 0 || add_name(g, limit->event, limit->length)) && good;
        }
    }
    return good;
}

static int compare_rows(const void *a, const void *b)
{
    const struct compare_row *x = a, *y = b;

    if ((x->severity == COMPARE_ERROR) != (y->severity == COMPARE_ERROR)) {
        return x->severity < y->severity ? 1 : -1;
    }
    if (x->severity == COMPARE_ERROR && x->kind != y->kind) {
        return x->kind < y->kind ? -1 : 1;
    }
    if (x->severity == COMPARE_ERROR && fabs(x->percent) != fabs(y->percent)) {
        return fabs(x->percent) < fabs(y->percent) ? 1 : -1;
    }
    return x->index < y->index ? -1 : 1;
}

/* add_unknown() - events that an option names and no report has */
static void add_unknown(struct comparing *g)
{
    for (size_t i = 0; i < g->names; i++) {
        char *name = g->name[i].found ? NULL : strndup(g->name[i].text, g->name[i].length);

        if (name) {
            add_pair(g, COMPARE_UNKNOWN, name, "none", "none");
        }
        free(name);
    }
}

int compare_reports(struct comparison *c, const struct compare_options *o,
                    const struct reports *base, const struct reports *now, struct failure *f)
{
    struct comparing g = {.c = c, .o = o, .prefix = ""};
    int err = read_names(&g) ? 0 : failure_memory(f);

    if (!err) {
        err = base->n == 1 && now->n == 1 ? compare_single(&g, base, now, f)
                                          : compare_several(&g, base, now, f);
    }
    if (!err) {
        add_unknown(&g);
        if (c->compared == 0) {
            add_row(&g, COMPARE_NOTHING, "events");
        }
        err = g.failed ? failure_memory(f) : 0;
    }
    free(g.name);
    if (c->n > 0) {
        qsort(c->row, c->n, sizeof(*c->row), compare_rows);
    }
    return err;
}

void comparison_free(struct comparison *c)
{
    for (size_t i = 0; i < c->n; i++) {
        free(c->row[i].name);
    }
    free(c->row);
    memset(c, 0, sizeof(*c));
}

/* severity_of() - that of the rows of a kind. The rows of one kind have the same. */
static enum compare_severity severity_of(const struct comparison *c, size_t kind)
{
    size_t i = 0;

    while (i < c->n && c->row[i].kind != kind) {
        i++;
    }
    return i < c->n ? c->row[i].severity : COMPARE_OK;
}

static void append(char *text, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void append(char *text, size_t size, const char *format, ...)
{
    size_t n = strlen(text);
    va_list ap;

    va_start(ap, format);
    vsnprintf(text + n, size - n, format, ap);
    va_end(ap);
}

void compare_summary(const struct comparison *c, enum compare_severity least, char *text,
                     size_t size)
{
    const char *separator = ": ";

    snprintf(text, size, "%zu count%s compared", c->compared, c->compared == 1 ? "" : "s");
    for (size_t kind = 0; kind < COMPARE_KINDS; kind++) {
        if (c->kind[kind] > 0 && severity_of(c, kind) >= least) {
            append(text, size, "%s%zu %s", separator, c->kind[kind], kinds[kind].summary);
            separator = ", ";
        }
    }
}

int compare_judge(const struct comparison *c, struct failure *f)
{
    char text[512];

    if (c->n == 0 || c->row[0].severity != COMPARE_ERROR) {
        return 0;
    }
    compare_summary(c, COMPARE_ERROR, text, sizeof(text));
    return failure_set(f, kinds[c->row[0].kind].status, "%s", text);
}
