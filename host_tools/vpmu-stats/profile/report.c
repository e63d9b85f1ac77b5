/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Samples summed up by columns, as perf report --stdio shows them. */
#include "profile/report.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/format.h"

/* What is wider does not make others wider. */
#define MAX_WIDTH 64

/**
 * struct report_column - something to sum up by
 * @number: a sample's text in it.
 */
struct report_column {
    const char *name;
    const char *title;
    int (*number)(struct sample_input *g, const struct input_sample *s, uint32_t *number,
                  struct error *t);
};

static int put_number(struct sample_input *g, uint32_t value, uint32_t *number, struct error *t)
{
    char text[16];

    snprintf(text, sizeof(text), "%" PRId32, (int32_t)value);
    return string_table_number(&g->profile->texts, text, number, t);
}

static int find_comm(struct sample_input *g, const struct input_sample *s, uint32_t *number,
                     struct error *t)
{
    (void)g;
    (void)t;
    *number = s->comm;
    return 0;
}

static int find_pid(struct sample_input *g, const struct input_sample *s, uint32_t *number,
                    struct error *t)
{
    return put_number(g, s->s->pid, number, t);
}

static int find_tid(struct sample_input *g, const struct input_sample *s, uint32_t *number,
                    struct error *t)
{
    return put_number(g, s->s->tid, number, t);
}

static int find_cpu(struct sample_input *g, const struct input_sample *s, uint32_t *number,
                    struct error *t)
{
    return put_number(g, s->s->cpu, number, t);
}

static int find_event(struct sample_input *g, const struct input_sample *s, uint32_t *number,
                      struct error *t)
{
    return string_table_number(&g->profile->texts, g->profile->event[s->event].name, number, t);
}

static int find_address(struct sample_input *g, const struct input_sample *s, uint32_t *number,
                        struct error *t)
{
    char text[32];

    snprintf(text, sizeof(text), "0x%016" PRIx64, s->s->ip);
    return string_table_number(&g->profile->texts, text, number, t);
}

/* As perf marks them. */
static char level(unsigned mode)
{
    static const char levels[] = {
        [PERF_RECORD_MISC_KERNEL] = 'k',     [PERF_RECORD_MISC_USER] = '.',
        [PERF_RECORD_MISC_HYPERVISOR] = 'H', [PERF_RECORD_MISC_GUEST_KERNEL] = 'g',
        [PERF_RECORD_MISC_GUEST_USER] = 'u',
    };

    return mode < sizeof(levels) && levels[mode] ? levels[mode] : 'H';
}

/* Of a symbol's text, before its name. */
#define LEVEL_SIZE 4

static int find_symbol(struct sample_input *g, const struct input_sample *s, uint32_t *number,
                       struct error *t)
{
    const struct function *f = sample_input_function(g, s, s->mode, s->s->ip);
    char text[512];

    if (f) {
        snprintf(text, sizeof(text), "[%c] %s", level(s->mode), f->name);
    } else {
        snprintf(text, sizeof(text), "[%c] 0x%016" PRIx64, level(s->mode), s->s->ip);
    }
    return string_table_number(&g->profile->texts, text, number, t);
}

static const struct report_column columns[] = {
    {"comm", "Command", find_comm},
    {"sym", "Symbol", find_symbol},
    {"cgroup", "Cgroup", sample_input_cgroup},
    {"cpu", "CPU", find_cpu},
    {"pid", "Pid", find_pid},
    {"tid", "Tid", find_tid},
    {"ip", "Address", find_address},
    {"event", "Event", find_event},
};

#define COLUMNS (sizeof(columns) / sizeof(columns[0]))

static const struct report_column *find_column(const char *name, size_t len)
{
    if (len == 6 && strncmp(name, "symbol", len) == 0) {
        return find_column("sym", 3);
    }
    for (size_t i = 0; i < COLUMNS; i++) {
        if (strlen(columns[i].name) == len && strncmp(columns[i].name, name, len) == 0) {
            return &columns[i];
        }
    }
    return NULL;
}

int report_choose(struct report *r, const char *list, struct error *t)
{
    r->n = 0;
    for (const char *p = list;; p++) {
        size_t len = strcspn(p, ",");
        const struct report_column *column = find_column(p, len);

        if (!column) {
            return error_set(
                t, ERROR_USAGE,
                "cannot sort by '%.*s'; the keys are comm, sym, cgroup, cpu, pid, tid, ip, event",
                (int)len, p);
        }
        if (r->n == REPORT_MAX_COLUMNS) {
            return error_set(t, ERROR_USAGE, "no more than %u sort keys", REPORT_MAX_COLUMNS);
        }
        r->column[r->n++] = column;
        p += len;
        if (!*p) {
            return 0;
        }
    }
}

int report_key(struct sample_input *g, const struct input_sample *s, uint32_t *key, uint32_t *n,
               struct error *t)
{
    const struct report *r = g->opaque;

    for (*n = 0; *n < r->n; ++*n) {
        if (r->column[*n]->number(g, s, &key[*n], t)) {
            return -1;
        }
    }
    return 0;
}

static double percent(const struct profile *p, const struct profile_entry *e)
{
    uint64_t all = p->event[e->event].period;

    return all ? 100.0 * (double)e->period / (double)all : 0;
}

/*
 * For programs
 */

void report_members(const struct report *r, const struct profile *p, const struct profile_entry *e,
                    struct json_object *record)
{
    for (uint32_t i = 0; i < r->n; i++) {
        const char *text = profile_text(p, e, i);
        char mark[2] = {text[0] == '[' ? text[1] : '\0'};

        if (r->column[i]->number == find_symbol) {
            record_string(record, "level", mark);
            text += LEVEL_SIZE;
        }
        record_string(record, r->column[i]->name, text);
    }
}

static void print_record(const struct report *r, const struct profile *p,
                         const struct profile_entry *e, struct out *out)
{
    const struct profile_event *event = &p->event[e->event];
    struct json_object *record = json_object_new_object();

    record_string(record, "event", event->name);
    record_double(record, "overhead", percent(p, e), 2);
    record_u64(record, "samples", e->samples);
    record_u64(record, "period", e->period);
    record_u64(record, "event-samples", event->samples);
    record_u64(record, "event-period", event->period);
    record_u64(record, "event-lost", event->lost);
    report_members(r, p, e, record);
    out_record(out, record);
}

/*
 * For people
 */

/* In characters: a continuation byte of UTF-8 is none. */
static int width_of(const char *text)
{
    int width = 0;

    for (; *text; text++) {
        width += ((unsigned char)*text & 0xc0) != 0x80;
    }
    return width;
}

static void find_widths(const struct report *r, const struct profile *p, size_t first, size_t end,
                        int *widths)
{
    for (uint32_t i = 0; i < r->n; i++) {
        widths[i] = width_of(r->column[i]->title);
        for (size_t row = first; row < end; row++) {
            int width = width_of(profile_text(p, p->entry[row], i));

            width = width < MAX_WIDTH ? width : MAX_WIDTH;
            widths[i] = width > widths[i] ? width : widths[i];
        }
    }
}

/* The last one ends the line, without blanks. */
static void print_text(FILE *file, const char *text, int width, bool last)
{
    int blanks = last ? 0 : width - width_of(text);

    fprintf(file, "  %s%*s", text, blanks > 0 ? blanks : 0, "");
}

static void print_head(const struct report *r, const struct profile_event *event, const int *widths,
                       FILE *file)
{
    static const char dots[] = "................................................................";
    char number[FORMAT_SIZE];

    fprintf(file, "# Samples: %s of event '%s'", format_grouped(number, event->samples),
            event->name);
    if (event->lost) {
        fprintf(file, ", and %s lost", format_grouped(number, event->lost));
    }
    fprintf(file, "\n# Event count: %s\n#\n", format_grouped(number, event->period));
    fprintf(file, "# %8s  %14s  %20s", "Overhead", "Samples", "Period");
    for (uint32_t i = 0; i < r->n; i++) {
        print_text(file, r->column[i]->title, widths[i], i + 1 == r->n);
    }
    fprintf(file, "\n# %.8s  %.14s  %.20s", dots, dots, dots);
    for (uint32_t i = 0; i < r->n; i++) {
        fprintf(file, "  %.*s", widths[i], dots);
    }
    fprintf(file, "\n#\n");
}

static void print_row(const struct report *r, const struct profile *p,
                      const struct profile_entry *e, const int *widths, FILE *file)
{
    char samples[FORMAT_SIZE];
    char period[FORMAT_SIZE];

    fprintf(file, "  %7.2f%%  %14s  %20s", percent(p, e), format_grouped(samples, e->samples),
            format_grouped(period, e->period));
    for (uint32_t i = 0; i < r->n; i++) {
        print_text(file, profile_text(p, e, i), widths[i], i + 1 == r->n);
    }
    fputc('\n', file);
}

static void print_rest(const struct profile *p, size_t first, size_t end, FILE *file)
{
    char rows[FORMAT_SIZE];
    double share = 0;

    for (size_t i = first; i < end; i++) {
        share += percent(p, p->entry[i]);
    }
    if (first < end) {
        fprintf(file, "# and %s more, %.2f%%\n", format_grouped(rows, end - first), share);
    }
}

static void print_event(const struct report *r, const struct profile *p, unsigned event,
                        size_t first, size_t end, size_t limit, struct out *out)
{
    size_t shown = limit && limit < end - first ? first + limit : end;
    int widths[REPORT_MAX_COLUMNS];

    if (out->kind != OUT_TEXT) {
        for (size_t i = first; i < shown; i++) {
            print_record(r, p, p->entry[i], out);
        }
        return;
    }
    find_widths(r, p, first, shown, widths);
    print_head(r, &p->event[event], widths, out->text);
    for (size_t i = first; i < shown; i++) {
        print_row(r, p, p->entry[i], widths, out->text);
    }
    print_rest(p, shown, end, out->text);
    fputc('\n', out->text);
}

void report_print(const struct report *r, struct profile *p, size_t limit, struct out *out)
{
    char number[FORMAT_SIZE];
    size_t first = 0;

    profile_sort_by_period(p);
    for (unsigned event = 0; event < p->events; event++) {
        size_t end = first;

        while (end < p->n && p->entry[end]->event == event) {
            end++;
        }
        print_event(r, p, event, first, end, limit, out);
        first = end;
    }
    if (p->lost && out->kind == OUT_TEXT) {
        fprintf(out->text, "# Lost, it is not known of which event: %s\n",
                format_grouped(number, p->lost));
    }
}
