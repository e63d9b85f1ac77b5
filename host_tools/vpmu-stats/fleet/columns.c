/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The columns of top. They are computed from observed events and from the blackout meter. */
#include "fleet/columns.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum kind {
    RATE,    /* events per second */
    RATIO,   /* event divided by whole */
    PERCENT, /* event in percent of whole */
    EXITS,   /* exits of nested guests that caused a blackout window, per second */
    LOST,    /* instructions in blackout windows, in percent of whole */
};

static const struct column {
    const char *name;
    const char *head;
    char key;
    bool usual;
    enum kind kind;
    const char *event;
    const char *whole;
} table[COLUMNS_MAX] = {
    {"instructions", "instr/s", 'i', true, RATE, "instructions", NULL},
    {"cycles", "cycles/s", 'c', true, RATE, "cycles", NULL},
    {"ipc", "IPC", 'p', true, RATIO, "instructions", "cycles"},
    {"branches", "branches/s", 'b', true, RATE, "branches", NULL},
    {"branch-misses", "br-miss%", 'm', false, PERCENT, "branch-misses", "branches"},
    {"l1d-misses", "L1D-miss%", 'd', false, PERCENT, "L1-dcache-load-misses", "L1-dcache-loads"},
    {"llc-misses", "LLC-miss%", 'l', false, PERCENT, "LLC-load-misses", "LLC-loads"},
    {"guest", "guest%", 'g', true, PERCENT, "instructions:G", "instructions"},
    {"exits", "exits/s", 'x', true, EXITS, NULL, NULL},
    {"lost", "lost%", 'o', true, LOST, NULL, "instructions:H"},
};

int columns_find(const char *name)
{
    for (unsigned i = 0; i < COLUMNS_MAX; i++) {
        if (strcmp(table[i].name, name) == 0) {
            return (int)i;
        }
    }
    return strcmp(name, "name") == 0 ? (int)COLUMNS_NAME : -1;
}

const char *columns_name(unsigned column)
{
    return column < COLUMNS_MAX ? table[column].name : NULL;
}

bool columns_of_guests(unsigned column)
{
    const struct column *what = &table[column];

    return what->kind == EXITS || what->kind == LOST || (what->event && strstr(what->event, ":G"));
}

const char *columns_head(unsigned column)
{
    return table[column].head;
}

char columns_key(unsigned column)
{
    return column < COLUMNS_MAX ? table[column].key : 'n';
}

const char *columns_list(char *buf)
{
    char *to = buf;

    for (unsigned i = 0; i < COLUMNS_MAX; i++) {
        to = stpcpy(stpcpy(to, i > 0 ? ", " : ""), table[i].name);
    }
    return buf;
}

static int need_event(struct columns *c, const char *text, struct error *t)
{
    return !text || events_find(&c->events, text) < c->events.n ? 0
                                                                : events_add(&c->events, text, t);
}

static int show(struct columns *c, unsigned column, struct error *t)
{
    const struct column *what = &table[column];

    c->shown[column] = true;
    c->meter |= what->kind == EXITS || what->kind == LOST;
    return need_event(c, what->event, t) || need_event(c, what->whole, t) ? -1 : 0;
}

static int show_named(struct columns *c, const char *name, struct error *t)
{
    int column = columns_find(name);
    char list[256];

    if (column < 0 || column == (int)COLUMNS_NAME) {
        return error_set(t, ERROR_USAGE, "no column '%s'; the columns are %s", name,
                         columns_list(list));
    }
    return show(c, (unsigned)column, t);
}

static int show_list(struct columns *c, const char *list, struct error *t)
{
    char *copy = strdup(list);
    char *rest = copy;
    char *name;
    int err = copy ? 0 : error_memory(t);

    while (!err && (name = strsep(&rest, ","))) {
        err = show_named(c, name, t);
    }
    free(copy);
    return err;
}

int columns_choose(struct columns *c, const char *list, struct error *t)
{
    bool all = list && strcmp(list, "all") == 0;
    int err = 0;

    *c = (struct columns){0};
    if (list && !all) {
        err = show_list(c, list, t);
    }
    for (unsigned i = 0; !err && i < COLUMNS_MAX; i++) {
        if (all || (!list && table[i].usual)) {
            err = show(c, i, t);
        }
    }
    /* Always observe one event, so that a restart of the machine is noticed. */
    return err ? err : need_event(c, "instructions", t);
}

void columns_free(struct columns *c)
{
    events_free(&c->events);
}

/* Returns by how much an event's count grew between the last two samples. */
static double moved(const struct columns *c, const struct row *r, const char *text)
{
    const struct sample *now = &r->member->now;
    const struct sample *before = &r->member->before;
    size_t event = events_find(&c->events, text);
    uint64_t sum = 0;

    for (size_t cpu = 0; cpu < now->vcpus; cpu++) {
        size_t at = cpu * c->events.n + event;

        if (r->cpu < 0 || r->cpu == (long)now->cpu[cpu]) {
            sum += now->counts[at] - before->counts[at];
        }
    }
    return (double)sum;
}

static double exits(const struct member *m)
{
    uint64_t sum = 0;

    for (unsigned i = 0; i < BLACKOUT_MAX_REASONS; i++) {
        sum += m->now.blackout.reason[i].n - m->before.blackout.reason[i].n;
    }
    return (double)sum;
}

static double lost(const struct member *m)
{
    return (double)(blackout_lost(&m->now.blackout) - blackout_lost(&m->before.blackout));
}

static double divide(double part, double whole)
{
    return whole > 0 ? part / whole : (double)NAN;
}

static double value_of(const struct columns *c, const struct row *r, const struct column *what)
{
    double seconds = (double)(r->member->now.when - r->member->before.when) / 1e9;
    bool by_machine = what->kind == EXITS || what->kind == LOST;

    if (by_machine && (r->cpu >= 0 || !r->member->now.metered)) {
        return (double)NAN;
    }
    switch (what->kind) {
    case RATE:
        return divide(moved(c, r, what->event), seconds);
    case RATIO:
        return divide(moved(c, r, what->event), moved(c, r, what->whole));
    case PERCENT:
        return 100 * divide(moved(c, r, what->event), moved(c, r, what->whole));
    case EXITS:
        return divide(exits(r->member), seconds);
    default:
        return 100 * divide(lost(r->member), moved(c, r, what->whole));
    }
}

static void fill(const struct columns *c, struct row *r)
{
    bool known = r->member->up && r->member->before.when;

    for (unsigned i = 0; i < COLUMNS_MAX; i++) {
        r->value[i] = known && c->shown[i] ? value_of(c, r, &table[i]) : (double)NAN;
    }
}

static size_t rows_of(const struct member *m, bool per_vcpu)
{
    return m->hidden ? 0 : m->up && per_vcpu ? m->now.vcpus : 1;
}

long columns_rows(const struct columns *c, const struct fleet *f, bool per_vcpu, struct row **rows)
{
    size_t most = 0;
    long n = 0;

    for (size_t i = 0; i < f->n; i++) {
        most += rows_of(f->member[i], per_vcpu);
    }
    *rows = calloc(most + 1, sizeof(**rows));
    if (!*rows) {
        return -1;
    }
    for (size_t i = 0; i < f->n; i++) {
        const struct member *m = f->member[i];

        for (size_t k = 0; k < rows_of(m, per_vcpu); k++) {
            struct row *r = &(*rows)[n++];

            r->member = m;
            r->cpu = m->up && per_vcpu ? (long)m->now.cpu[k] : -1;
            fill(c, r);
        }
    }
    return n;
}

struct order {
    unsigned column;
    bool reverse;
};

static int by_name(const struct row *a, const struct row *b)
{
    int order = strcmp(a->member->name, b->member->name);

    return order ? order : (a->cpu > b->cpu) - (a->cpu < b->cpu);
}

static int compare(const void *left, const void *right, void *opaque)
{
    const struct row *a = left;
    const struct row *b = right;
    const struct order *o = opaque;
    double x = o->column < COLUMNS_MAX ? a->value[o->column] : 0;
    double y = o->column < COLUMNS_MAX ? b->value[o->column] : 0;
    int order = 0;

    if (isnan(x) != isnan(y)) {
        return isnan(x) ? 1 : -1;
    }
    if (o->column == COLUMNS_NAME) {
        order = by_name(a, b);
    } else if (!isnan(x)) {
        order = (x < y) - (x > y);
    }
    order = o->reverse ? -order : order;
    return order ? order : by_name(a, b);
}

void columns_sort(struct row *rows, size_t n, unsigned column, bool reverse)
{
    struct order order = {column, reverse};

    qsort_r(rows, n, sizeof(*rows), compare, &order);
}

const char *columns_cell(char *buf, unsigned column, double value)
{
    enum kind kind = table[column].kind;

    if (isnan(value)) {
        snprintf(buf, FORMAT_SIZE, "-");
    } else if (kind == RATE || kind == EXITS) {
        const char *letter = format_scaled(&value);

        snprintf(buf, FORMAT_SIZE, "%.*f%s", *letter ? 2 : 0, value, letter);
    } else {
        snprintf(buf, FORMAT_SIZE, "%.*f", kind == LOST ? 4 : 2, value);
    }
    return buf;
}
