/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads the blackout meter with query-stats, and adds up the values of the vCPUs. */
#include "machine/blackout.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"

static const char *const span_names[VPMU_SPAN_COUNT] = {
    [VPMU_SPAN_ENTRY] = "entry",         [VPMU_SPAN_EXIT] = "exit",
    [VPMU_SPAN_INSIDE] = "inside",       [VPMU_SPAN_ABORTED] = "aborted",
    [VPMU_SPAN_LEAK_HOST] = "leak-host", [VPMU_SPAN_LEAK_GUEST] = "leak-guest",
};

const char *blackout_span_name(unsigned span)
{
    return span_names[span];
}

const char *blackout_reason_name(unsigned reason)
{
    for (unsigned i = 0; i < VPMU_EXIT_REASONS; i++) {
        const char *name = vpmu_arm_exit_reason_name(i);

        if (strcmp(name, "other") != 0 && reason-- == 0) {
            return name;
        }
    }
    return reason == 0 ? "other" : NULL;
}

/*
 * The statistics of each span, and the first ones also of each reason. field_names has the ends of
 * their names in query-stats.
 */
enum field {
    WINDOWS,
    INSTRUCTIONS,
    MIN,
    MAX,
    REASON_FIELDS,
    CYCLES = REASON_FIELDS,
    NANOSECONDS,
    HISTOGRAM,
    SPAN_FIELDS,
};

static const char *const field_names[SPAN_FIELDS] = {
    [WINDOWS] = "windows",
    [INSTRUCTIONS] = "instructions",
    [MIN] = "instructions-min",
    [MAX] = "instructions-max",
    [CYCLES] = "cycles",
    [NANOSECONDS] = "nanoseconds",
    [HISTOGRAM] = "instructions-histogram",
};

#define NAME_SIZE 64
#define SPAN_NAMES (VPMU_SPAN_COUNT * SPAN_FIELDS)
#define MAX_NAMES (SPAN_NAMES + BLACKOUT_MAX_REASONS * REASON_FIELDS)

/* The names of the statistics: all fields of each span, then all fields of each reason. */
struct names {
    size_t n;
    const char *name[MAX_NAMES];
    char text[MAX_NAMES][NAME_SIZE];
};

static void add_name(struct names *names, const char *prefix, const char *name, unsigned field)
{
    char *text = names->text[names->n];

    snprintf(text, NAME_SIZE, "%s%s-%s", prefix, name, field_names[field]);
    names->name[names->n++] = text;
}

static void make_names(struct names *names)
{
    const char *reason;

    names->n = 0;
    for (unsigned span = 0; span < VPMU_SPAN_COUNT; span++) {
        for (unsigned field = 0; field < SPAN_FIELDS; field++) {
            add_name(names, "", span_names[span], field);
        }
    }
    for (unsigned i = 0; (reason = blackout_reason_name(i)); i++) {
        for (unsigned field = 0; field < REASON_FIELDS; field++) {
            add_name(names, "reason-", reason, field);
        }
    }
}

/*
 * Add one value. A minimum of 0 can mean that there was no window, so it is ignored here.
 * settle_min() sets the minimum to 0 if there was a window of that size.
 */
static void add_value(struct windows *w, unsigned field, uint64_t value)
{
    switch (field) {
    case WINDOWS:
        w->n += value;
        break;
    case INSTRUCTIONS:
        w->instructions += value;
        break;
    case MIN:
        w->min = value && value < w->min ? value : w->min;
        break;
    default:
        w->max = value > w->max ? value : w->max;
        break;
    }
}

struct reading {
    struct blackout *b;
    bool per_vcpu;
    size_t seen;
};

static int take_span(struct span *s, unsigned field, struct response stat)
{
    uint64_t value;

    if (field == HISTOGRAM) {
        return histogram_read(&s->histogram, stat);
    }
    if (response_u64(stat, "value", UINT64_MAX, &value)) {
        return -1;
    }
    if (field == CYCLES) {
        s->cycles += value;
    } else if (field == NANOSECONDS) {
        s->nanoseconds += value;
    } else {
        add_value(&s->w, field, value);
    }
    return 0;
}

static int take_value(void *opaque, size_t cpu, size_t name, struct response stat)
{
    struct reading *r = opaque;
    struct blackout *b = &r->b[r->per_vcpu ? cpu : 0];
    uint64_t value;

    if (name < SPAN_NAMES) {
        /* Without a window, only the number of windows is sent. */
        r->seen += name % SPAN_FIELDS == WINDOWS;
        return take_span(&b->span[name / SPAN_FIELDS], (unsigned)(name % SPAN_FIELDS), stat);
    }
    name -= SPAN_NAMES;
    if (response_u64(stat, "value", UINT64_MAX, &value)) {
        return -1;
    }
    add_value(&b->reason[name / REASON_FIELDS], (unsigned)(name % REASON_FIELDS), value);
    return 0;
}

static void clear(struct blackout *b)
{
    memset(b, 0, sizeof(*b));
    for (unsigned i = 0; i < VPMU_SPAN_COUNT; i++) {
        b->span[i].w.min = UINT64_MAX;
    }
    for (unsigned i = 0; i < BLACKOUT_MAX_REASONS; i++) {
        b->reason[i].min = UINT64_MAX;
    }
}

/* Bucket 0 of the histogram counts the windows of 0 instructions. */
static void settle_min(struct span *s)
{
    if (s->histogram.n[0] || s->w.min == UINT64_MAX) {
        s->w.min = 0;
    }
}

static void settle(struct blackout *b)
{
    for (unsigned i = 0; i < VPMU_SPAN_COUNT; i++) {
        settle_min(&b->span[i]);
    }
    for (unsigned i = 0; i < BLACKOUT_MAX_REASONS; i++) {
        b->reason[i].min = b->reason[i].min == UINT64_MAX ? 0 : b->reason[i].min;
    }
}

int blackout_read(struct blackout *b, bool per_vcpu, struct qmp *q, const struct pmus *pmus,
                  struct error *t)
{
    struct names *names = malloc(sizeof(*names));
    struct reading r = {.b = b, .per_vcpu = per_vcpu};
    size_t n = per_vcpu ? pmus->n : 1;
    int err;

    if (!names) {
        return error_memory(t);
    }
    for (size_t i = 0; i < n; i++) {
        clear(&b[i]);
    }
    make_names(names);
    err = machine_stats(q, pmus, names->name, names->n, take_value, &r, t);
    free(names);
    if (!err && r.seen != VPMU_SPAN_COUNT * pmus->n) {
        return error_set(
            t, ERROR_TALK,
            "query-stats: the meter's values are missing; another client switched it off");
    }
    for (size_t i = 0; i < n; i++) {
        settle(&b[i]);
    }
    return err;
}

static void subtract_windows(struct windows *w, const struct windows *before)
{
    w->n = number_growth(w->n, before->n);
    w->instructions = number_growth(w->instructions, before->instructions);
}

void blackout_subtract(struct blackout *b, const struct blackout *before)
{
    for (unsigned i = 0; i < VPMU_SPAN_COUNT; i++) {
        struct span *span = &b->span[i];

        subtract_windows(&span->w, &before->span[i].w);
        span->cycles = number_growth(span->cycles, before->span[i].cycles);
        span->nanoseconds = number_growth(span->nanoseconds, before->span[i].nanoseconds);
        histogram_subtract(&b->span[i].histogram, &before->span[i].histogram);
    }
    for (unsigned i = 0; i < BLACKOUT_MAX_REASONS; i++) {
        subtract_windows(&b->reason[i], &before->reason[i]);
    }
}

uint64_t blackout_lost(const struct blackout *b)
{
    uint64_t lost = 0;

    for (unsigned i = 0; i < BLACKOUT_WINDOWS; i++) {
        lost += b->span[i].w.instructions;
    }
    return lost;
}
