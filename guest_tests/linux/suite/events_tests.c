/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which events the machine claims, and what they count in programs whose contents are known. */
#define _GNU_SOURCE
#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "event_kinds.h"
#include "perf.h"
#include "suite.h"

enum {
    MAX_BATCH = 31,
    EVENT_TEXT = 64,
    MAX_LINE = 256
};

static const struct pmu_event *find_name(const char *name)
{
    for (size_t i = 0; i < pmu_events_count; i++) {
        if (pmu_events[i].name != NULL && strcmp(pmu_events[i].name, name) == 0 &&
            pmu_event_claimed(&pmu_events[i])) {
            return &pmu_events[i];
        }
    }
    return NULL;
}

static uint64_t claimed_names(void)
{
    uint64_t n = 0;

    for (size_t i = 0; i < pmu_events_count; i++) {
        n += pmu_events[i].name != NULL && pmu_event_claimed(&pmu_events[i]);
    }
    return n;
}

/* Each existing name is that of a claimed event, and there are as many names as claimed events. */
static void check_name(const char *name, uint64_t *found)
{
    if (find_name(name) == NULL) {
        test_fail("%s: expected no such event got one", name);
    }
    ++*found;
}

static void test_sysfs(const struct test *test)
{
    char path[128];
    uint64_t found = 0;
    DIR *directory;

    (void)test;
    snprintf(path, sizeof(path), "/sys/bus/event_source/devices/%s/events", pmu_name());
    directory = opendir(path);
    for (struct dirent *entry = directory != NULL ? readdir(directory) : NULL; entry != NULL;
         entry = readdir(directory)) {
        if (entry->d_name[0] != '.') {
            check_name(entry->d_name, &found);
        }
    }
    if (directory != NULL) {
        closedir(directory);
    }
    expect_eq("events", claimed_names(), found);
}

/* "  NAME OR PMU/NAME/  [Kernel PMU event]"; "OR PMU/NAME/" also has perf's own names. */
static void test_list(const struct test *test)
{
    char line[MAX_LINE], name[EVENT_TEXT];
    uint64_t found = 0;
    FILE *file;

    (void)test;
    if (!command_run("/tmp/list", 30, "perf list --no-desc pmu")) {
        return;
    }
    file = fopen("/tmp/list", "re");
    while (file != NULL && fgets(line, sizeof(line), file) != NULL) {
        if (strstr(line, "[Kernel PMU event]") != NULL && strstr(line, pmu_name()) != NULL &&
            sscanf(line, " %63s", name) == 1) {
            check_name(name, &found);
        }
    }
    if (file != NULL) {
        fclose(file);
    }
    expect_eq("events in perf list", claimed_names(), found);
}

/**
 * struct batch - events that are counted in one run
 * @events: the rows.
 * @n: how many; at most as many as there are counters.
 * @text: for perf.
 */
struct batch {
    const struct pmu_event *events[MAX_BATCH];
    unsigned n;
    char text[MAX_BATCH * EVENT_TEXT];
};

/* The count of an event without a known number is accepted if the event is counted all the time. */
static void check_event(const struct stat_result *result, size_t i, const struct pmu_event *event,
                        const char *program, uint64_t n)
{
    uint64_t known;

    if (!pmu_event_claimed(event)) {
        expect_row(result, i, 0);
    } else if (known_kinds(program, n, event->kinds, &known)) {
        expect_row(result, i, known);
    } else {
        expect_row(result, i, result->rows[i].value);
    }
}

static void run_batch(struct batch *batch, const char *program, uint64_t n)
{
    struct stat_result result;

    if (batch->n > 0 && perf_stat(&result, ROW_PLAIN, "-e %s -- " PROGRAMS "%s %" PRIu64,
                                  batch->text, program, n)) {
        expect_eq("rows", batch->n, result.count);
        for (unsigned i = 0; i < result.count && i < batch->n; i++) {
            check_event(&result, i, batch->events[i], program, n);
        }
    }
    batch->n = 0;
    batch->text[0] = '\0';
}

/*
 * Adds the event by its name in sysfs if it has one, otherwise by its number. Runs the batch if
 * that was the last counter.
 */
static void add_event(struct batch *batch, const struct pmu_event *event, const char *program,
                      uint64_t n)
{
    char *text = batch->text + strlen(batch->text);
    size_t room = sizeof(batch->text) - strlen(batch->text);
    const char *comma = batch->n > 0 ? "," : "";

    if (event->name != NULL && pmu_event_claimed(event)) {
        snprintf(text, room, "%s%s/%s/u", comma, pmu_name(), event->name);
    } else {
        snprintf(text, room, "%sr%x:u", comma, event->number);
    }
    batch->events[batch->n++] = event;
    if (batch->n == MAX_BATCH || batch->n == machine.counters) {
        run_batch(batch, program, n);
    }
}

/* An event whose count is not known in a program is left out, unless all events are wanted. */
static void count_events(const char *program, uint64_t n, bool all)
{
    struct batch batch = {.n = 0};
    uint64_t known;

    for (size_t i = 0; i < pmu_events_count && !test_failed(); i++) {
        const struct pmu_event *event = &pmu_events[i];

        if (!pmu_event_claimed(event) ||
            (!all && (!known_kinds(program, n, event->kinds, &known) || event->kinds == NEVER))) {
            continue;
        }
        add_event(&batch, event, program, n);
    }
    run_batch(&batch, program, n);
}

/* Counts all events, each on a counter of its own all the time. */
static void test_all(const struct test *test)
{
    count_events(test->program, test->n, true);
}

static void test_known(const struct test *test)
{
    count_events(test->program, test->n, false);
}

/*
 * Architectural events that no machine here claims count nothing, though the driver accepts their
 * numbers: MEMORY_ERROR, L1D_CACHE_ALLOCATE, L2I_CACHE, L2D_CACHE_INVAL, L3D_CACHE_WB_VICTIM; and
 * one that no architecture defines.
 */
static void test_unclaimed(const struct test *test)
{
    static const unsigned numbers[] = {0x1a, 0x1f, 0x27, 0x58, 0xa6, 0x3ff};
    struct stat_result result;

    if (perf_stat(&result, ROW_PLAIN, "-e r1a,r1f,r27,r58,ra6,r3ff -- " PROGRAMS "kinds %" PRIu64,
                  test->n)) {
        expect_eq("rows", ARRAY_SIZE(numbers), result.count);
        for (size_t i = 0; i < result.count; i++) {
            expect_row(&result, i, 0);
        }
    }
}

/* The same for events that other configurations claim. */
static void test_unclaimed_here(const struct test *test)
{
    struct batch batch = {.n = 0};
    bool any = false;

    for (size_t i = 0; i < pmu_events_count && !test_failed(); i++) {
        if (!pmu_event_claimed(&pmu_events[i])) {
            any = true;
            add_event(&batch, &pmu_events[i], "kinds", test->n);
        }
    }
    run_batch(&batch, "kinds", test->n);
    if (!any) {
        test_skip("the machine claims all events");
    }
}

/*
 * perf's own names, which perf stat -d -d -d uses, and what the machine must claim for them. After
 * these come names that no machine claims.
 */
static const struct {
    const char *name;
    unsigned number;
    const char *whole; /* of which it is a part */
} perf_names[] = {
    {"cycles", 0x11, NULL},
    {"instructions", 0x08, NULL},
    {"branches", 0x21, "instructions"},
    {"branch-misses", 0x10, "branches"},
    {"L1-dcache-loads", 0x04, NULL},
    {"L1-dcache-load-misses", 0x03, "L1-dcache-loads"},
    {"LLC-loads", 0x36, NULL},
    {"LLC-load-misses", 0x37, "LLC-loads"},
    {"L1-icache-loads", 0x14, "instructions"},
    {"L1-icache-load-misses", 0x01, "L1-icache-loads"},
    {"dTLB-loads", 0x25, NULL},
    {"dTLB-load-misses", 0x05, "dTLB-loads"},
    {"iTLB-loads", 0x26, NULL},
    {"iTLB-load-misses", 0x02, "iTLB-loads"},
    {"stalled-cycles-frontend", 0x23, "cycles"},
    {"stalled-cycles-backend", 0x24, "cycles"},
    {"L1-dcache-prefetches", 0x1000, NULL},
    {"L1-dcache-prefetch-misses", 0x1000, NULL},
};

static const struct stat_row *find_row(const struct stat_result *result, const char *name)
{
    for (size_t i = 0; i < result->count; i++) {
        if (strcmp(result->rows[i].event, name) == 0) {
            return &result->rows[i];
        }
    }
    return NULL;
}

/*
 * perf scales the count of an event that was on a counter for a part of the time, so parts and
 * wholes need not fit.
 */
static bool always_counted(const struct stat_row *row)
{
    return row->counted && row->percent >= 100;
}

static void check_part(const struct stat_result *result, const struct stat_row *row,
                       const char *whole)
{
    const struct stat_row *other = whole != NULL ? find_row(result, whole) : NULL;

    if (other != NULL && always_counted(row) && always_counted(other)) {
        expect_between(row->event, 0, other->value, row->value);
    }
}

/* Events take turns on the counters, so the numbers are not exact. */
static void check_perf_names(const struct stat_result *result, bool stalls)
{
    for (size_t i = 0; i < ARRAY_SIZE(perf_names); i++) {
        const struct stat_row *row = find_row(result, perf_names[i].name);
        bool stalled = strncmp(perf_names[i].name, "stalled", 7) == 0;

        if (stalled && !stalls) {
            continue;
        }
        if (row == NULL) {
            test_fail("%s: expected a line got none", perf_names[i].name);
            return;
        }
        if (pmu_event_find(perf_names[i].number) == NULL) {
            expect_eq(row->event, 0, row->supported);
            continue;
        }
        if (!row->counted) {
            test_fail("%s: expected a count got <not %s>", row->event,
                      row->supported ? "counted" : "supported");
        }
        check_part(result, row, perf_names[i].whole);
    }
}

/* What every user does first. */
static void test_details(const struct test *test)
{
    struct stat_result result;

    if (perf_stat(&result, ROW_PLAIN, "-d -d -d -- " PROGRAMS "kinds %" PRIu64, test->n)) {
        check_perf_names(&result, false);
    }
    if (!test_failed() &&
        perf_stat(&result, ROW_PLAIN,
                  "-e cycles -e stalled-cycles-frontend -e stalled-cycles-backend -d -d -d "
                  "-e instructions,branches,branch-misses -- " PROGRAMS "kinds %" PRIu64,
                  test->n)) {
        check_perf_names(&result, true);
    }
}

/**
 * struct identity - what must be true for events that are counted at the same time
 * @events: for perf, in one group.
 * @n: how many.
 * @exact: the first is the sum of the others; otherwise it is at least that.
 */
static const struct identity {
    const char *events;
    unsigned n;
    bool exact;
    enum need need;
} identities[] = {
    {"{r4,r40,r41}", 3, true, NEEDS_NOTHING},  /* L1D_CACHE = _RD + _WR */
    {"{r3,r42,r43}", 3, true, NEEDS_NOTHING},  /* L1D_CACHE_REFILL = _RD + _WR */
    {"{r13,r6,r7}", 3, true, NEEDS_NOTHING},   /* MEM_ACCESS = LD + ST */
    {"{r21,rd,r7a}", 3, true, NEEDS_NOTHING},  /* BR_RETIRED = immediate, indirect with ERET */
    {"{r4,r3}", 2, false, NEEDS_NOTHING},      /* accesses, refills */
    {"{r14,r1}", 2, false, NEEDS_NOTHING},     /* the same for fetches */
    {"{r3,r15}", 2, false, NEEDS_NOTHING},     /* refills, write-backs: one line in, one out */
    {"{r2f,r5,r2}", 3, true, NEEDS_NOTHING},   /* L2D_TLB = refills of both L1 TLBs */
    {"{r2d,r34,r35}", 3, true, NEEDS_NOTHING}, /* L2D_TLB_REFILL = walks */
    {"{r12,r10}", 2, false, NEEDS_NOTHING},    /* BR_PRED, mispredicted */
    {"{r9,r81,r82,r83,r84,r86}", 6, true, NEEDS_NOTHING}, /* EXC_TAKEN = all kinds at EL1 */
    {"{r16,r50,r51}", 3, true, NEEDS_L2},                 /* L2D_CACHE = _RD + _WR */
    {"{r50,r1,r42}", 3, true, NEEDS_L2},                  /* reads of L2: refills of L1 */
    {"{r51,r43,r15}", 3, true, NEEDS_L2},                 /* writes of L2: refills, write-backs */
    {"{r17,r52,r53}", 3, true, NEEDS_L2},                 /* L2D_CACHE_REFILL = _RD + _WR */
    {"{r36,r52}", 2, true, NEEDS_LLC},                    /* reads of LLC: refills of L2 */
    {"{r32,r17,r18}", 3, true, NEEDS_LLC},                /* LL_CACHE: refills, write-backs of L2 */
    {"{r36,r37}", 2, false, NEEDS_LLC},                   /* reads of LLC, misses */
    {"{r3c,r23,r24}", 3, true, NEEDS_CYCLES_MODEL},       /* STALL = frontend + backend */
    {"{r11,r3c}", 2, false, NEEDS_CYCLES_MODEL},          /* cycles, without issue */
};

static bool identity_holds_here(const struct identity *identity)
{
    const struct pmu_event need = {.need = identity->need};

    return pmu_event_claimed(&need);
}

/* Its rows begin with number @first. */
static void check_identity(const struct identity *identity, const struct stat_result *result,
                           size_t first)
{
    uint64_t sum = 0;

    for (size_t i = first; i < first + identity->n; i++) {
        expect_row(result, i, result->rows[i].value);
        sum += i > first ? result->rows[i].value : 0;
    }
    if (identity->exact) {
        expect_eq(identity->events, result->rows[first].value, sum);
    } else {
        expect_between(identity->events, 0, result->rows[first].value, sum);
    }
}

/* Adds the events from number @i on for which there are counters. Returns the number after them. */
static size_t pack_identities(size_t i, bool chosen[], char *events, size_t size)
{
    unsigned room = machine.counters;
    size_t at = 0;

    for (; i < ARRAY_SIZE(identities) && room >= identities[i].n; i++) {
        chosen[i] = identity_holds_here(&identities[i]);
        if (chosen[i]) {
            at += (size_t)snprintf(events + at, size - at, "-e %s ", identities[i].events);
            room -= identities[i].n;
        }
    }
    return i;
}

/* User and kernel together: the numbers are not known, but they must be consistent. */
static void test_identities(const struct test *test)
{
    bool chosen[ARRAY_SIZE(identities)];
    struct stat_result result;
    size_t begin = 0, end;
    char events[512];

    for (; begin < ARRAY_SIZE(identities) && !test_failed(); begin = end) {
        size_t row = 0;

        events[0] = '\0';
        end = pack_identities(begin, chosen, events, sizeof(events));
        if (events[0] == '\0' ||
            !perf_stat(&result, ROW_PLAIN, "%s-- " PROGRAMS "kinds %" PRIu64, events, test->n)) {
            continue;
        }
        for (size_t i = begin; i < end; i++) {
            if (chosen[i]) {
                check_identity(&identities[i], &result, row);
                row += identities[i].n;
            }
        }
        expect_eq("rows", row, result.count);
    }
}

/*
 * A line that was never touched misses every cache, whatever else the machine does. A page is
 * looked up once, and again if there was TLB maintenance while the program used it.
 */
static void test_stream(const struct test *test)
{
    const uint64_t lines = 100000, pages = 1563;
    struct stat_result result;

    (void)test;
    if (perf_stat(&result, ROW_PLAIN,
                  "-e l1d_cache:u,l1d_cache_refill:u,r42:u,l1d_cache_wb:u,l1d_tlb_refill:u,"
                  "dtlb_walk:u -- " PROGRAMS "stream")) {
        expect_row(&result, 0, lines);
        expect_row(&result, 1, lines);
        expect_row(&result, 2, lines);
        expect_between("write-backs", 0, lines, result.rows[3].value);
        expect_between("TLB refills", pages, pages + pages / 10, result.rows[4].value);
        expect_between("walks", pages, result.rows[4].value, result.rows[5].value);
    }
}

/* More events than counters: each count is scaled, and close to the true one. */
static void test_shared(const struct test *test)
{
    static const unsigned numbers[] = {0x8, 0x6,  0x7,  0x21, 0xc,  0xe,
                                       0xf, 0x73, 0x74, 0x75, 0x7e, 0x82};
    const unsigned n = ARRAY_SIZE(numbers);
    unsigned busy = machine.counters < n ? machine.counters : n;
    char events[256] = "";
    struct stat_result result;
    uint64_t known;
    double percent = 0;

    for (size_t i = 0; i < n; i++) {
        size_t at = strlen(events);

        snprintf(events + at, sizeof(events) - at, "%sr%x:u", i > 0 ? "," : "", numbers[i]);
    }
    if (!perf_stat(&result, ROW_PLAIN, "-e %s -- " PROGRAMS "kinds %" PRIu64, events, test->n)) {
        return;
    }
    expect_eq("rows", n, result.count);
    for (size_t i = 0; i < result.count; i++) {
        known_kinds("kinds", test->n, pmu_event_find(numbers[i])->kinds, &known);
        expect_between("scaled count", known / 2, known * 2, result.rows[i].value);
        percent += result.rows[i].percent;
    }
    expect_between("sum of per cent", busy * 90, busy * 101, (uint64_t)percent);
}

/*
 * Groups in turns. The events of one group have counted the same rounds of the program, except
 * those in whose middle the group began and ended. So their proportions are the program's.
 */
static void test_shared_groups(const struct test *test)
{
    struct stat_result result;

    if (!perf_stat(&result, ROW_PLAIN,
                   "-e {r8:u,r6:u,r7:u,rd:u} -e {rc:u,r73:u,r74:u,r7e:u} -- " PROGRAMS
                   "kinds %" PRIu64,
                   test->n)) {
        return;
    }
    expect_eq("rows", 8, result.count);
    for (size_t group = 0; group < 8; group += 4) {
        static const unsigned per_round[] = {66, 10, 9, 8, 10, 26, 2, 3};
        uint64_t first = result.rows[group].value * 1000 / per_round[group];

        expect_between("per cent of a group", 1, machine.counters < 8 ? 99 : 100,
                       (uint64_t)result.rows[group].percent);
        for (size_t i = group + 1; i < group + 4; i++) {
            uint64_t rounds = result.rows[i].value * 1000 / per_round[i];

            expect_between(result.rows[i].event, first - first / 500, first + first / 500, rounds);
        }
    }
}

const struct test events_tests[] = {
    {"events/sysfs", test_sysfs, NULL, 0, 1, 0},
    {"events/list", test_list, NULL, 0, 1, 0},
    {"events/kinds", test_all, "kinds", 1000, 1, 1},
    {"events/loop", test_known, "loop", 100000, 1, 1},
    {"events/syscalls", test_known, "syscalls", 2000, 1, 1},
    {"events/trapped", test_known, "trapped", 500, 1, 1},
    {"events/fault", test_known, "fault", 500, 1, 1},
    {"events/signal", test_known, "signal", 200, 1, 1},
    {"events/forks", test_known, "forks", 20, 1, 1},
    {"events/stream", test_stream, NULL, 0, 1, 6},
    {"events/unclaimed", test_unclaimed, NULL, 10, 1, 6},
    {"events/unclaimed-here", test_unclaimed_here, NULL, 10, 1, 1},
    {"events/identities", test_identities, NULL, 2000, 1, 6},
    {"events/perf-stat-d-d-d", test_details, NULL, 30000, 1, 6},
    {"events/shared", test_shared, NULL, 100000, 1, 6},
    {"events/shared-groups", test_shared_groups, NULL, 100000, 1, 6},
};
const size_t events_tests_count = ARRAY_SIZE(events_tests);
