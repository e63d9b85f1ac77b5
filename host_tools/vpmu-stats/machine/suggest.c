/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Adds "did you mean ..." to an error about an event that the machine does not know. */
#include "machine/suggest.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/distance.h"
#include "machine/counted.h"

#define MAX_NAME 64u
#define SUGGESTIONS 3u

/* The generic events of perf, which the machine does not list with its own events. */
static const char *const generic[] = {
    "cycles",
    "instructions",
    "branches",
    "branch-misses",
    "cache-references",
    "cache-misses",
    "bus-cycles",
    "stalled-cycles-frontend",
    "stalled-cycles-backend",
    "L1-dcache-loads",
    "L1-dcache-load-misses",
    "L1-icache-loads",
    "L1-icache-load-misses",
    "dTLB-loads",
    "dTLB-load-misses",
    "iTLB-loads",
    "iTLB-load-misses",
    "LLC-loads",
    "LLC-load-misses",
    "mem-loads",
    "mem-stores",
};

/* The nearest names so far, in the order of their distance. */
struct nearest {
    const char *wanted;
    size_t n;
    const char *name[SUGGESTIONS];
    unsigned distance[SUGGESTIONS];
};

/*
 * Check whether @name is near @wanted, and compute the distance. If @wanted is the beginning of
 * @name and has at least 3 characters, the distance is 1.
 */
static bool is_near(const char *wanted, const char *name, unsigned *distance)
{
    size_t n = strlen(wanted);
    bool begins = n >= 3 && strncasecmp(name, wanted, n) == 0;

    *distance = begins ? 1 : text_distance(wanted, name);
    return *distance <= (n < 6 ? 1 : n / 4 + 1);
}

static void offer(struct nearest *nearest, const char *name)
{
    unsigned distance;
    size_t at;

    /* Do not suggest the event itself: some generic events exist only on some machines. */
    if (strcmp(nearest->wanted, name) == 0 || !is_near(nearest->wanted, name, &distance)) {
        return;
    }
    for (at = 0; at < nearest->n && nearest->distance[at] <= distance; at++) {
    }
    if (at == SUGGESTIONS) {
        return;
    }
    nearest->n += nearest->n < SUGGESTIONS;
    for (size_t i = nearest->n - 1; i > at; i--) {
        nearest->name[i] = nearest->name[i - 1];
        nearest->distance[i] = nearest->distance[i - 1];
    }
    nearest->name[at] = name;
    nearest->distance[at] = distance;
}

/*
 * Find the event, without its modifiers, in a message such as "vpmu-observe: cannot observe
 * 'cycless:u': an event is one of ...". *@head is set to the length of the part that ends with the
 * event.
 */
static bool find_wanted(const char *text, char *wanted, size_t size, size_t *head)
{
    static const char *const phrases[] = {"cannot observe '", "cannot record '"};

    for (size_t i = 0; i < sizeof(phrases) / sizeof(phrases[0]); i++) {
        const char *from = strstr(text, phrases[i]);
        const char *to = from ? strstr(from, "': an event is one of") : NULL;

        if (to) {
            from += strlen(phrases[i]);
            snprintf(wanted, size, "%.*s", (int)(to - from), from);
            wanted[strcspn(wanted, ":")] = '\0';
            *head = (size_t)(to - text) + 1;
            return true;
        }
    }
    return false;
}

static void explain(const struct nearest *nearest, size_t head, struct error *t)
{
    char before[sizeof(t->text)];
    char names[SUGGESTIONS * (MAX_NAME + 4)] = "";
    size_t at = 0;

    snprintf(before, sizeof(before), "%.*s", (int)head, t->text);
    for (size_t i = 0;
         i < nearest->n && nearest->distance[i] == nearest->distance[0] && at < sizeof(names);
         i++) {
        at += (size_t)snprintf(names + at, sizeof(names) - at, "%s%.60s", i ? " or " : "",
                               nearest->name[i]);
    }
    if (nearest->n) {
        error_set(t, t->code, "%s: did you mean %s?", before, names);
    } else {
        error_set(t, t->code, "%s: there is no such event; vpmu-stats events lists all", before);
    }
}

void suggest_event(struct qmp *q, struct error *t)
{
    struct counted_list list;
    struct error asking = {0};
    char wanted[MAX_NAME];
    struct nearest nearest = {.wanted = wanted};
    size_t head;

    if (!find_wanted(t->text, wanted, sizeof(wanted), &head) || counted_ask(q, &list, &asking)) {
        return;
    }
    for (size_t i = 0; i < sizeof(generic) / sizeof(generic[0]); i++) {
        offer(&nearest, generic[i]);
    }
    for (size_t i = 0; i < list.n; i++) {
        offer(&nearest, list.event[i].name);
    }
    explain(&nearest, head, t);
    counted_free(&list);
}
