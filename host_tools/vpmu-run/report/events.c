/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/events.h"

#include <elf.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>

#include "protocol.h"
#include "report/event-names.h"
#include "profile/limit.h"

const char events_default[] = "instructions:u,instructions:k,cycles:u,cycles:k,branches:u,"
                              "branches:k,branch-misses:u,branch-misses:k,L1-dcache-loads,"
                              "L1-dcache-load-misses,L1-icache-load-misses,cache-references,"
                              "cache-misses,dTLB-load-misses,iTLB-load-misses,page-faults,"
                              "context-switches,syscalls,task-clock";

/* What may follow a colon. The events are exact without p, and the machine has no guests (H, h). */
static const char modifiers[] = "ukhHp";

static void set_code(struct event *e, const struct event_code *code, unsigned exclude)
{
    e->key = "event";
    e->machine = code->machine;
    e->hardware = code->type != PERF_TYPE_SOFTWARE;
    e->user = exclude == RUN_EXCLUDE_KERNEL;
    snprintf(e->text, sizeof(e->text), "%x %llx %x", code->type, code->config, exclude);
}

/* set_tracepoint() - @name: "SUBSYSTEM/NAME" */
static void set_tracepoint(struct event *e, const char *name, unsigned exclude)
{
    e->key = "tracepoint";
    e->hardware = false;
    snprintf(e->text, sizeof(e->text), "%s %x", name, exclude);
}

/* is_tracepoint() - can "SUBSYSTEM:NAME" be a tracepoint, and not an event with modifiers? */
static bool is_tracepoint(const char *name)
{
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
    size_t n = strspn(name, letters), rest = name[n] == ':' ? strspn(name + n + 1, letters) : 0;
    char subsystem[EVENT_NAME_SIZE];
    struct event_code code;

    snprintf(subsystem, sizeof(subsystem), "%.*s", (int)n, name);
    return n > 0 && rest > 0 && name[n + 1 + rest] == '\0' && !event_find(subsystem, &code) &&
           strspn(name + n + 1, modifiers) < rest;
}

/* read_modifiers() - Return: 0, or -1 with an error. */
static int read_modifiers(const char *name, const char *text, unsigned *exclude, struct failure *f)
{
    bool user = strchr(text, 'u'), kernel = strchr(text, 'k');

    if (strspn(text, modifiers) != strlen(text)) {
        return failure_set(f, FAILURE_USAGE, "%s: no modifier '%c'; known: u, k, h, H, p", name,
                           text[strspn(text, modifiers)]);
    }
    if (!user && !kernel && strchr(text, 'h')) {
        return failure_set(f, FAILURE_USAGE, "%s: the machine has no hypervisor to count in", name);
    }
    *exclude = user == kernel ? RUN_EXCLUDE_NONE : user ? RUN_EXCLUDE_KERNEL : RUN_EXCLUDE_USER;
    return 0;
}

static int no_event(const char *name, struct failure *f)
{
    char base[EVENT_NAME_SIZE];
    const char *like;

    snprintf(base, sizeof(base), "%.*s", (int)strcspn(name, ":"), name);
    like = event_suggest(base);
    return failure_set(f, FAILURE_USAGE, "no event '%s'%s%s%s", name, like ? ": did you mean " : "",
                       like ? like
                            : "; the man page lists them; rNNN, cpu/event=N/ and "
                              "SUBSYSTEM:TRACEPOINT are events, too",
                       like ? "?" : "");
}

/* no_pattern() - perf finds all tracepoints that fit; here only the machine knows them */
static int no_pattern(const char *name, struct failure *f)
{
    return failure_set(
        f, FAILURE_USAGE,
        "'%s': patterns are not supported: name each event, or count all system calls "
        "with --syscalls",
        name);
}

/* set_event() - from its name and modifiers, such as "cycles:u", "cpu/event=1/u", "sched:NAME:u" */
static int set_event(struct event *e, const char *name, struct failure *f)
{
    char base[EVENT_NAME_SIZE];
    const char *slash = strrchr(name, '/'), *colon;
    struct event_code code;
    unsigned exclude = RUN_EXCLUDE_NONE;

    if (slash) {
        slash += 1 + (slash[1] == ':');
        if (event_parse_pmu(name, &code, f) != 0 || read_modifiers(name, slash, &exclude, f) != 0) {
            return -1;
        }
        set_code(e, &code, exclude);
        return 0;
    }
    if (strpbrk(name, "*?[")) {
        return no_pattern(name, f);
    }
    if (is_tracepoint(name)) {
        colon = NULL;
    } else {
        colon = strrchr(name, ':');
    }
    snprintf(base, sizeof(base), "%.*s", colon ? (int)(colon - name) : (int)strlen(name), name);
    if (event_find(base, &code)) {
        if (colon && read_modifiers(name, colon + 1, &exclude, f) != 0) {
            return -1;
        }
        set_code(e, &code, exclude);
        return 0;
    }
    if (strcmp(base, "syscalls") != 0 && !is_tracepoint(base)) {
        return no_event(name, f);
    }
    if (colon && read_modifiers(name, colon + 1, &exclude, f) != 0) {
        return -1;
    }
    if (strchr(base, ':')) {
        *strchr(base, ':') = '/';
    }
    set_tracepoint(e, strchr(base, '/') ? base : "raw_syscalls/sys_enter", exclude);
    return 0;
}

static bool is_known(const struct events *e, const char *name)
{
    for (size_t i = 0; i < e->n; i++) {
        if (strcmp(e->event[i].name, name) == 0) {
            return true;
        }
    }
    return false;
}

/* add_one() - @more: modifiers of a group */
static int add_one(struct events *e, const char *text, size_t length, const char *more,
                   size_t more_length, struct failure *f)
{
    struct event *event = &e->event[e->n];
    char name[EVENT_NAME_SIZE];
    size_t hardware = 0, n;

    if (length == 0 || length + 1 + more_length >= sizeof(name)) {
        return failure_set(f, FAILURE_USAGE, "'%.*s' is not an event: a name has 1 to %zu letters",
                           (int)length, text, sizeof(name) - 1);
    }
    n = (size_t)snprintf(name, sizeof(name), "%.*s", (int)length, text);
    snprintf(name + n, sizeof(name) - n, "%s%.*s",
             more_length && (is_tracepoint(name) || !strpbrk(name, ":/")) ? ":" : "",
             (int)more_length, more);
    if (is_known(e, name)) {
        return 0;
    }
    if (e->n == EVENTS_MAX) {
        return failure_set(f, FAILURE_USAGE, "at most %u events can be counted", EVENTS_MAX);
    }
    memset(event, 0, sizeof(*event));
    memcpy(event->name, name, sizeof(name));
    if (set_event(event, name, f) != 0) {
        return -1;
    }
    e->n++;
    for (size_t i = 0; i < e->n; i++) {
        hardware += e->event[i].hardware;
    }
    if (hardware > EVENTS_HARDWARE_MAX) {
        return failure_set(f, FAILURE_USAGE,
                           "the machine has %u counters, '%s' needs one more: run it twice, with "
                           "some of the events each",
                           EVENTS_HARDWARE_MAX, event->name);
    }
    return 0;
}

/* add_group() - the events of "{A,B}" and the modifiers that follow. Return: the end; or NULL. */
static const char *add_group(struct events *e, const char *list, struct failure *f)
{
    const char *close = strchr(list, '}'), *more = close ? close + 1 : NULL;
    size_t length;

    if (!close) {
        failure_set(f, FAILURE_USAGE, "'%s': the group does not end in }", list);
        return NULL;
    }
    more += *more == ':';
    length = strcspn(more, ",");
    for (const char *at = list + 1;; at++) {
        size_t n = event_length(at), left = (size_t)(close - at);

        n = n < left ? n : left;
        if (add_one(e, at, n, more, length, f) != 0) {
            return NULL;
        }
        at += n;
        if (at >= close) {
            return more + length;
        }
    }
}

int events_add(struct events *e, const char *list, struct failure *f)
{
    for (const char *at = list;; at++) {
        if (*at == '{') {
            at = add_group(e, at, f);
            if (!at) {
                return -1;
            }
        } else {
            size_t n = event_length(at);

            if (add_one(e, at, n, "", 0, f) != 0) {
                return -1;
            }
            at += n;
        }
        if (!*at) {
            return 0;
        }
    }
}

int events_check(const struct events *e, unsigned machine, struct failure *f)
{
    for (size_t i = 0; i < e->n; i++) {
        if (e->event[i].machine != EM_NONE && e->event[i].machine != machine) {
            return failure_set(f, FAILURE_RUN, "'%s': the machine for this program has no such PMU",
                               e->event[i].name);
        }
    }
    return 0;
}
