/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parses lists of events, and computes the metrics of perf stat. */
#include "machine/events.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/format.h"

/* All sources are enabled, so that every event that the library knows is found. */
static const struct vpmu_arm_config all_sources = {.sources = VPMU_SRC_ALL};

/*
 * Make the text of an event from the event in the list and the modifiers of its group. The modifier
 * "p" is removed, because samples and counts are always precise here: "cycles:up" becomes
 * "cycles:u". @more: the modifiers of the group, such as ":k"; "" for an event without a group.
 */
static char *event_text(const char *text, size_t len, const char *more, size_t more_len)
{
    char *whole = malloc(len + more_len + 2);
    size_t n = len;
    char *colon;

    if (!whole) {
        return NULL;
    }
    memcpy(whole, text, len);
    whole[len] = '\0';
    colon = strchr(whole, ':');
    if (more_len) {
        memcpy(whole + n, more + (colon ? 1 : 0), more_len - (colon ? 1 : 0));
        n += more_len - (colon ? 1 : 0);
        whole[n] = '\0';
    }
    colon = strchr(whole, ':');
    if (!colon) {
        return whole;
    }
    n = (size_t)(colon - whole) + 1;
    for (const char *c = colon + 1; *c; c++) {
        if (*c != 'p' && *c != 'P') {
            whole[n++] = *c;
        }
    }
    whole[n] = '\0';
    if (n == (size_t)(colon - whole) + 1) {
        *colon = '\0';
    }
    return whole;
}

static int add_event(struct events *e, const char *text, size_t len, const char *more,
                     size_t more_len, struct error *t)
{
    struct event *event = &e->event[e->n];

    if (e->n == OBSERVERS_MAX) {
        return error_set(t, ERROR_USAGE, "at most %u events can be counted at a time",
                         OBSERVERS_MAX);
    }
    if (len == 0) {
        return error_set(t, ERROR_USAGE, "the list has an event without a name");
    }
    *event = (struct event){.text = event_text(text, len, more, more_len)};
    if (!event->text) {
        return error_memory(t);
    }
    e->n++;
    event->known = vpmu_arm_observer_parse(&all_sources, event->text, &event->what, NULL) == 0;
    return 0;
}

/*
 * Add the events of a group such as "{cycles,instructions}:u". All events always count, so the
 * group itself does not matter.
 */
static int add_group(struct events *e, const char **list, struct error *t)
{
    const char *at = *list + 1;
    const char *end = strchr(at, '}');
    const char *more = end ? end + 1 : NULL;
    size_t more_len = more ? strcspn(more, ",") : 0;

    if (!end || memchr(at, '{', (size_t)(end - at)) || (more_len && *more != ':') ||
        (more_len && memchr(more, '}', more_len))) {
        return error_set(t, ERROR_USAGE, "a group of events is written {a,b} or {a,b}:u");
    }
    *list = more + more_len;
    more_len = more_len == 1 ? 0 : more_len;
    for (;;) {
        size_t left = (size_t)(end - at);
        const char *comma = memchr(at, ',', left);
        size_t len = comma ? (size_t)(comma - at) : left;

        if (add_event(e, at, len, more, more_len, t)) {
            return -1;
        }
        if (!comma) {
            return 0;
        }
        at = comma + 1;
    }
}

int events_add(struct events *e, const char *list, struct error *t)
{
    for (;;) {
        size_t len = strcspn(list, ",");

        if (*list == '{') {
            if (add_group(e, &list, t)) {
                return -1;
            }
        } else if (memchr(list, '{', len) || memchr(list, '}', len)) {
            return error_set(t, ERROR_USAGE, "a group of events is written {a,b} or {a,b}:u");
        } else if (add_event(e, list, len, "", 0, t)) {
            return -1;
        } else {
            list += len;
        }
        if (!*list) {
            return 0;
        }
        list++;
    }
}

void events_modifiers(const char *text, char modifiers[EVENTS_MODIFIERS_SIZE])
{
    /* The letters of each set together select everything, as none of them does. */
    static const char *const sets[] = {"ukh", "GH"};
    const char *given = strchr(text, ':');
    char *to = modifiers;

    given = given ? given + 1 : "";
    if (given[strspn(given, "ukhGH")]) {
        snprintf(modifiers, EVENTS_MODIFIERS_SIZE, "%s", given);
        return;
    }
    for (size_t i = 0; i < sizeof(sets) / sizeof(sets[0]); i++) {
        char *begin = to;

        for (const char *letter = sets[i]; *letter; letter++) {
            if (strchr(given, *letter)) {
                *to++ = *letter;
            }
        }
        to = (size_t)(to - begin) == strlen(sets[i]) ? begin : to;
    }
    *to = '\0';
}

static bool is_same(const char *a, const char *b)
{
    char modifiers[2][EVENTS_MODIFIERS_SIZE];
    size_t len = strcspn(a, ":");

    events_modifiers(a, modifiers[0]);
    events_modifiers(b, modifiers[1]);
    return strcspn(b, ":") == len && strncmp(a, b, len) == 0 &&
           strcmp(modifiers[0], modifiers[1]) == 0;
}

size_t events_find(const struct events *e, const char *name)
{
    size_t i = 0;

    while (i < e->n && !is_same(e->event[i].text, name)) {
        i++;
    }
    return i;
}

int events_add_optional(struct events *e, const char *const *names, size_t n, struct error *t)
{
    for (size_t i = 0; i < n; i++) {
        if (events_find(e, names[i]) < e->n) {
            continue;
        }
        if (events_add(e, names[i], t)) {
            return -1;
        }
        e->event[e->n - 1].optional = true;
    }
    return 0;
}

void events_remove(struct events *e, size_t i)
{
    free(e->event[i].text);
    e->n--;
    memmove(&e->event[i], &e->event[i + 1], (e->n - i) * sizeof(e->event[0]));
}

void events_free(struct events *e)
{
    while (e->n > 0) {
        free(e->event[--e->n].text);
    }
}

/* The percentages above which perf stat uses colors. */
struct limits {
    double notable, high, excessive;
};

static const struct limits misses = {5, 10, 20};
static const struct limits frontend = {10, 30, 50};
static const struct limits backend = {20, 50, 75};

/* Ratios of two events with the same modifiers. A ratio with limits is a percentage. */
static const struct {
    const char *part;
    const char *whole;
    const char *unit;
    const struct limits *limits;
} ratios[] = {
    {"instructions", "cycles", "insn per cycle", NULL},
    {"branch-misses", "branches", "% of all branches", &misses},
    {"L1-dcache-load-misses", "L1-dcache-loads", "% of all L1-dcache accesses", &misses},
    {"L1-icache-load-misses", "L1-icache-loads", "% of all L1-icache accesses", &misses},
    {"dTLB-load-misses", "dTLB-loads", "% of all dTLB accesses", &misses},
    {"iTLB-load-misses", "iTLB-loads", "% of all iTLB accesses", &misses},
    {"LLC-load-misses", "LLC-loads", "% of all LL-cache accesses", &misses},
    {"stalled-cycles-frontend", "cycles", "% frontend cycles idle", &frontend},
    {"stalled-cycles-backend", "cycles", "% backend cycles idle", &backend},
};

static bool counts(const struct event *event, const char *name)
{
    struct vpmu_observer what;

    return event->known && vpmu_arm_observer_parse(&all_sources, name, &what, NULL) == 0 &&
           event->what.sources == what.sources;
}

/*
 * Find the event @name with the same modifiers as @part. Return: its index; @e->n if there is none.
 */
static size_t find_whole(const struct events *e, const char *name, const struct event *part)
{
    size_t i = 0;

    while (i < e->n &&
           !(counts(&e->event[i], name) && memcmp(e->event[i].what.ctx_mask, part->what.ctx_mask,
                                                  sizeof(part->what.ctx_mask)) == 0)) {
        i++;
    }
    return i;
}

static enum metric_grade grade_of(const struct limits *limits, double percent)
{
    return !limits || percent <= limits->notable ? METRIC_PLAIN
           : percent <= limits->high             ? METRIC_NOTABLE
           : percent <= limits->excessive        ? METRIC_HIGH
                                                 : METRIC_EXCESSIVE;
}

static bool find_ratio(const struct events *e, const uint64_t *n, size_t i, struct metric *m)
{
    for (size_t r = 0; r < sizeof(ratios) / sizeof(ratios[0]); r++) {
        size_t whole;

        if (!counts(&e->event[i], ratios[r].part)) {
            continue;
        }
        whole = find_whole(e, ratios[r].whole, &e->event[i]);
        if (whole < e->n && n[whole] > 0) {
            m->value = (double)n[i] / (double)n[whole] * (ratios[r].limits ? 100 : 1);
            m->decimals = 2;
            m->unit = ratios[r].unit;
            m->grade = grade_of(ratios[r].limits, m->value);
            return true;
        }
    }
    return false;
}

static const char *rate_unit(const char *letter)
{
    return *letter == 'G' ? "G/sec" : *letter == 'M' ? "M/sec" : *letter == 'K' ? "K/sec" : "/sec";
}

bool events_metric(const struct events *e, const uint64_t *n, size_t i, double seconds,
                   struct metric *m)
{
    *m = (struct metric){.decimals = 3};
    if (find_ratio(e, n, i, m)) {
        return true;
    }
    if (seconds <= 0) {
        return false;
    }
    m->value = (double)n[i] / seconds;
    if (counts(&e->event[i], "cycles")) {
        m->value /= 1e9;
        m->unit = "GHz";
    } else {
        m->unit = rate_unit(format_scaled(&m->value));
    }
    return true;
}
