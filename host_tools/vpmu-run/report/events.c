/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/events.h"

#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "protocol.h"

#define CACHE(id, op, result)                                                                      \
    ((unsigned)PERF_COUNT_HW_CACHE_##id | (unsigned)PERF_COUNT_HW_CACHE_OP_##op << 8 |             \
     (unsigned)PERF_COUNT_HW_CACHE_RESULT_##result << 16)

const char events_default[] = "instructions:u,instructions:k,cycles:u,cycles:k,branches:u,"
                              "branches:k,branch-misses:u,branch-misses:k,L1-dcache-loads,"
                              "L1-dcache-load-misses,L1-icache-load-misses,cache-references,"
                              "cache-misses,dTLB-load-misses,iTLB-load-misses,page-faults,"
                              "context-switches,syscalls,task-clock";

static const struct {
    const char *name;
    unsigned type;
    unsigned long long config;
} known[] = {
    {"instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS},
    {"cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
    {"branches", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS},
    {"branch-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES},
    {"cache-references", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES},
    {"cache-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES},
    {"L1-dcache-loads", PERF_TYPE_HW_CACHE, CACHE(L1D, READ, ACCESS)},
    {"L1-dcache-load-misses", PERF_TYPE_HW_CACHE, CACHE(L1D, READ, MISS)},
    {"L1-icache-loads", PERF_TYPE_HW_CACHE, CACHE(L1I, READ, ACCESS)},
    {"L1-icache-load-misses", PERF_TYPE_HW_CACHE, CACHE(L1I, READ, MISS)},
    {"LLC-loads", PERF_TYPE_HW_CACHE, CACHE(LL, READ, ACCESS)},
    {"LLC-load-misses", PERF_TYPE_HW_CACHE, CACHE(LL, READ, MISS)},
    {"dTLB-loads", PERF_TYPE_HW_CACHE, CACHE(DTLB, READ, ACCESS)},
    {"dTLB-load-misses", PERF_TYPE_HW_CACHE, CACHE(DTLB, READ, MISS)},
    {"iTLB-loads", PERF_TYPE_HW_CACHE, CACHE(ITLB, READ, ACCESS)},
    {"iTLB-load-misses", PERF_TYPE_HW_CACHE, CACHE(ITLB, READ, MISS)},
    {"page-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS},
    {"minor-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MIN},
    {"major-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MAJ},
    {"context-switches", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES},
    {"cpu-migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS},
    {"task-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK},
};

static void set_text(struct event *e, unsigned type, unsigned long long config, unsigned exclude)
{
    e->key = "event";
    e->hardware = type != PERF_TYPE_SOFTWARE;
    snprintf(e->text, sizeof(e->text), "%x %llx %x", type, config, exclude);
}

/* set_raw() - rNNN. Return: false if it is something else. */
static bool set_raw(struct event *e, const char *name, unsigned exclude)
{
    char *end;
    unsigned long long config;

    if (name[0] != 'r' || !name[1] || name[1 + strspn(name + 1, "0123456789abcdefABCDEF")]) {
        return false;
    }
    config = strtoull(name + 1, &end, 16);
    set_text(e, PERF_TYPE_RAW, config, exclude);
    return true;
}

static bool set_known(struct event *e, const char *name, unsigned exclude)
{
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        if (strcmp(name, known[i].name) == 0) {
            set_text(e, known[i].type, known[i].config, exclude);
            return true;
        }
    }
    return set_raw(e, name, exclude);
}

/* set_tracepoint() - @name is "SUBSYSTEM:NAME", or "syscalls" for the one that counts them */
static bool set_tracepoint(struct event *e, char *name, unsigned exclude)
{
    char *colon = strchr(name, ':');

    if (strcmp(name, "syscalls") != 0 && !colon) {
        return false;
    }
    e->key = "tracepoint";
    e->hardware = false;
    if (colon) {
        *colon = '/';
    }
    snprintf(e->text, sizeof(e->text), "%s %x", colon ? name : "raw_syscalls/sys_enter", exclude);
    return true;
}

/* take_modifier() - cuts ":u" or ":k" off */
static unsigned take_modifier(char *name)
{
    char *colon = strrchr(name, ':');

    if (colon && strcmp(colon, ":u") == 0) {
        *colon = '\0';
        return RUN_EXCLUDE_KERNEL;
    }
    if (colon && strcmp(colon, ":k") == 0) {
        *colon = '\0';
        return RUN_EXCLUDE_USER;
    }
    return RUN_EXCLUDE_NONE;
}

static int add_one(struct events *e, const char *text, size_t length, struct failure *f)
{
    struct event *event = &e->event[e->n];
    char name[EVENT_NAME_SIZE];
    unsigned exclude;
    size_t hardware = 0;

    if (e->n == EVENTS_MAX) {
        return failure_set(f, FAILURE_USAGE, "at most %u events can be counted", EVENTS_MAX);
    }
    if (length >= sizeof(name) || length == 0) {
        return failure_set(f, FAILURE_USAGE, "'%.*s' is not an event: a name has 1 to %zu letters",
                           (int)length, text, sizeof(name) - 1);
    }
    snprintf(name, sizeof(name), "%.*s", (int)length, text);
    memcpy(event->name, name, sizeof(name));
    exclude = take_modifier(name);
    if (!set_known(event, name, exclude) && !set_tracepoint(event, name, exclude)) {
        return failure_set(f, FAILURE_USAGE,
                           "no event '%s'; the man page lists them; rNNN and "
                           "SUBSYSTEM:TRACEPOINT are events, too",
                           event->name);
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

int events_add(struct events *e, const char *list, struct failure *f)
{
    for (const char *at = list;; at++) {
        size_t n = strcspn(at, ",");

        if (add_one(e, at, n, f) != 0) {
            return -1;
        }
        at += n;
        if (!*at) {
            return 0;
        }
    }
}
