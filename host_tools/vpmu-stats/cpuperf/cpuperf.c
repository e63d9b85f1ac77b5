/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rules of a session of Fuchsia's cpuperf. Unlike there, the rate can be any number, not only
 * one of nine, and any fixed category can be the timebase.
 */
#include "cpuperf/cpuperf.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"

#define PREFIX "cpu:"
#define SAMPLE "sample:"
#define TIMEBASE "timebase:"
/* All names of categories are shorter. */
#define MAX_NAME 64u

/* @kind is the prefix that both names have after "cpu:". */
static int exclude(struct error *t, const char *kind, const char *one, const char *other,
                   const char *way_out)
{
    return error_set(t, ERROR_USAGE, PREFIX "%s%s and " PREFIX "%s%s exclude each other: %s", kind,
                     one, kind, other, way_out);
}

/* @rate: 0 for a tally. */
static int take_rate(struct cpuperf *c, uint64_t rate, const char *name, struct error *t)
{
    char before[MAX_NAME] = "tally";

    if (!c->tally && !c->rate) {
        c->tally = !rate;
        c->rate = rate;
        return 0;
    }
    if (c->rate == rate) {
        return 0;
    }
    if (c->rate) {
        snprintf(before, sizeof(before), SAMPLE "%" PRIu64, c->rate);
    }
    return exclude(t, "", before, name, "all events of a session have one rate; leave one out");
}

static int take_sample(struct cpuperf *c, const char *name, struct error *t)
{
    long rate;

    if (!number_parse(name + strlen(SAMPLE), 1, INT64_MAX >> 4, &rate)) {
        return error_set(t, ERROR_USAGE,
                         "'" PREFIX "%s' is not a rate: " PREFIX SAMPLE
                         "N takes a sample every N events, for example " PREFIX SAMPLE "10000",
                         name);
    }
    return take_rate(c, (uint64_t)rate, name, t);
}

static void add_event(struct cpuperf *c, const struct category_event *event)
{
    for (size_t i = 0; i < c->n; i++) {
        if (c->event[i] == event) {
            return;
        }
    }
    c->event[c->n++] = event;
}

static void add_events(struct cpuperf *c, const struct category *category)
{
    for (const struct category_event *event = category->event; event->name; event++) {
        add_event(c, event);
    }
}

static int take_timebase(struct cpuperf *c, const char *name, struct error *t)
{
    const struct category *category = categories_find(name + strlen(TIMEBASE));

    if (!category || !category->fixed) {
        return error_set(t, ERROR_USAGE,
                         "'" PREFIX
                         "%s' is not a timebase: use a fixed category such as " PREFIX TIMEBASE
                         "fixed:cycle_counter",
                         name);
    }
    if (c->timebase && c->timebase != category) {
        return exclude(t, TIMEBASE, c->timebase->name, category->name,
                       "a session has one timebase; leave one out");
    }
    c->timebase = category;
    return 0;
}

static int take_category(struct cpuperf *c, const char *name, struct error *t)
{
    const struct category *category = categories_find(name);

    if (!category) {
        return error_set(
            t, ERROR_USAGE,
            categories_is_missing(name)
                ? "'" PREFIX "%s' exists on Intel CPUs only; --category help lists the categories"
                : "'" PREFIX "%s' is not a category; --category help lists the categories",
            name);
    }
    if (category->fixed) {
        add_events(c, category);
        return 0;
    }
    if (c->programmable && c->programmable != category) {
        return exclude(t, "", c->programmable->name, category->name,
                       "a session has one programmable category; record the other in another one");
    }
    c->programmable = category;
    return 0;
}

static bool begins_with(const char *name, const char *begin)
{
    return strncmp(name, begin, strlen(begin)) == 0;
}

static bool *find_option(struct cpuperf *c, const char *name)
{
    return strcmp(name, "os") == 0     ? &c->os
           : strcmp(name, "user") == 0 ? &c->user
           : strcmp(name, "pc") == 0   ? &c->pc
                                       : NULL;
}

static int take(struct cpuperf *c, const char *name, struct error *t)
{
    bool *option = find_option(c, name);

    if (option) {
        *option = true;
        return 0;
    }
    if (strcmp(name, "tally") == 0) {
        return take_rate(c, 0, name, t);
    }
    if (begins_with(name, SAMPLE)) {
        return take_sample(c, name, t);
    }
    return begins_with(name, TIMEBASE) ? take_timebase(c, name, t) : take_category(c, name, t);
}

int cpuperf_add(struct cpuperf *c, const char *list, struct error *t)
{
    for (;;) {
        size_t len = strcspn(list, ",");
        char name[MAX_NAME];

        if (len >= sizeof(name) || !begins_with(list, PREFIX)) {
            return error_set(t, ERROR_USAGE,
                             "'%.*s' is not a category of the PMU's: these begin with " PREFIX
                             "; --category help lists them",
                             len < MAX_NAME ? (int)len : (int)MAX_NAME, list);
        }
        snprintf(name, sizeof(name), "%.*s", (int)(len - strlen(PREFIX)), list + strlen(PREFIX));
        if (take(c, name, t)) {
            return -1;
        }
        if (!list[len]) {
            return 0;
        }
        list += len + 1;
    }
}

static int check(const struct cpuperf *c, struct error *t)
{
    if (c->n == 0) {
        return error_set(t, ERROR_USAGE,
                         "--category has no event: add one such as " PREFIX
                         "fixed:instructions_retired; --category help lists the categories");
    }
    if (c->timebase && !c->rate) {
        return error_set(t, ERROR_USAGE,
                         PREFIX TIMEBASE "%s needs a rate such as " PREFIX SAMPLE "10000; " PREFIX
                                         "tally only reads at the end",
                         c->timebase->name);
    }
    if (c->pc && !c->rate) {
        return error_set(t, ERROR_USAGE,
                         PREFIX "pc needs a rate such as " PREFIX SAMPLE "10000; " PREFIX
                                "tally takes no samples");
    }
    return 0;
}

/* Moves the timebase to the front. */
static void order(struct cpuperf *c)
{
    const struct cpuperf before = *c;

    if (c->timebase) {
        c->n = 0;
        add_events(c, c->timebase);
        for (size_t i = 0; i < before.n; i++) {
            add_event(c, before.event[i]);
        }
    }
}

int cpuperf_end(struct cpuperf *c, struct events *events, struct error *t)
{
    const char *modifier = c->os == c->user ? "" : c->os ? ":kh" : ":u";

    if (c->programmable) {
        add_events(c, c->programmable);
    }
    if (check(c, t)) {
        return -1;
    }
    order(c);
    c->tally = !c->rate;
    for (size_t i = 0; i < c->n; i++) {
        char text[MAX_NAME];

        snprintf(text, sizeof(text), "%s%s", c->event[i]->event, modifier);
        if (events_add(events, text, t)) {
            return -1;
        }
    }
    return 0;
}
