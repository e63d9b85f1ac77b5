/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf record of events other than instructions, on the program kinds. Its symbols say what the
 * instruction was that has just been executed. record_tests.c describes what perf and the kernel
 * do.
 */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "event_kinds.h"
#include "perf.h"
#include "suite.h"

#define DATA "/tmp/perf.data"
#define SCRIPT "/tmp/script"
#define SCRIPT_PLACES "time,period,ip,sym,symoff"
#define SCRIPT_EVENTS "time,event"

enum {
    RECORD_TIMEOUT = 60,
    MAX_LINE = 256,
    KERNEL_BIT = 63
};

/**
 * struct sample - a line of perf script
 * @second: the time, in s.
 * @period: how many events it stands for.
 * @address: of the instruction that would have been next.
 * @symbol: the symbol of that address.
 * @offset: the distance from the symbol.
 */
struct sample {
    double second;
    uint64_t period;
    uint64_t address;
    char symbol[64];
    uint64_t offset;
};

/* "SECOND: PERIOD ADDRESS SYMBOL+0xOFFSET (...)" */
static bool parse_sample(const char *line, struct sample *sample)
{
    char where[sizeof(sample->symbol)], *plus;

    if (sscanf(line, " %lf: %" SCNu64 " %" SCNx64 " %63s", &sample->second, &sample->period,
               &sample->address, where) != 4) {
        return false;
    }
    plus = strrchr(where, '+');
    sample->offset = plus != NULL ? strtoull(plus + 1, NULL, 16) : 0;
    if (plus != NULL) {
        *plus = '\0';
    }
    memcpy(sample->symbol, where, sizeof(where));
    return true;
}

/* Returns the next sample; one that is there twice counts once. @last is the line before. */
static bool next_sample(FILE *file, char last[MAX_LINE], struct sample *sample)
{
    char line[MAX_LINE];

    while (fgets(line, sizeof(line), file) != NULL) {
        if (strcmp(line, last) != 0 && parse_sample(line, sample)) {
            memcpy(last, line, sizeof(line));
            return true;
        }
    }
    return false;
}

/* Returns what perf script says about these fields of the samples. */
static FILE *open_script(const char *fields)
{
    char line[MAX_LINE];
    FILE *file = NULL;

    snprintf(line, sizeof(line), "perf script -i " DATA " --ns -F %s", fields);
    if (command_run(SCRIPT, RECORD_TIMEOUT, line)) {
        file = fopen(SCRIPT, "re");
        if (file == NULL) {
            test_fail("perf script wrote nothing");
        }
    }
    return file;
}

static bool record(const char *options, const char *program, uint64_t n)
{
    char line[3 * MAX_LINE];

    snprintf(line, sizeof(line),
             "perf record -q -N -B --per-thread -T -o " DATA " %s -- " PROGRAMS "%s %" PRIu64,
             options, program, n);
    return command_run(NULL, RECORD_TIMEOUT, line);
}

/* Returns whether it is one of the names that are joined by "_". */
static bool has_name(const char *symbol, const char *name)
{
    size_t length = strlen(name);

    while (symbol != NULL && *symbol != '\0') {
        if (strncmp(symbol, name, length) == 0 && symbol[length] == '_') {
            return true;
        }
        symbol = strchr(symbol, '_');
        symbol += symbol != NULL;
    }
    return false;
}

/* A sample in the kernel came later than the event: another interrupt was first. */
static bool in_kernel(const struct sample *sample)
{
    return sample->address >> KERNEL_BIT != 0;
}

enum {
    MAX_SKIDS = 6
};

/**
 * struct skid - an event that is recorded, and where its samples must be
 * @test: rows with the same one are recorded together, each on a counter of its own.
 * @number: of the event.
 * @period: no other row of @test has the same, so it identifies the samples.
 * @names: what may be before the address of a sample; NULL if that does not matter.
 */
static const struct skid {
    const char *test;
    unsigned number;
    uint64_t period;
    const char *names[2];
} skids[] = {
    {"sample/memory", 0x06, 997, {"ld", NULL}},
    {"sample/memory", 0x07, 1009, {"st", NULL}},
    {"sample/memory", 0x0f, 211, {"unaligned", NULL}},
    {"sample/memory", 0x13, 2003, {"ld", "st"}},
    {"sample/branches", 0x0c, 991, {"pc", NULL}},
    {"sample/branches", 0x21, 1201, {"br", NULL}},
    {"sample/branches", 0x0e, 199, {"return", NULL}},
    {"sample/branches", 0x10, 101, {"br", NULL}},
    {"sample/branches", 0x10, 151, {"br", NULL}},
    {"sample/others", 0x74, 197, {"ase", NULL}},
    {"sample/others", 0x75, 307, {"vfp", NULL}},
    {"sample/others", 0x7c, 103, {"isb", NULL}},
    {"sample/others", 0x7d, 223, {"dsb", NULL}},
    {"sample/others", 0x7e, 311, {"dmb", NULL}},
    {"sample/caches", 0x03, 107, {"ld", "st"}},
    {"sample/caches", 0x03, 163, {"ld", "st"}},
    {"sample/caches", 0x05, 61, {"ld", "st"}},
    {"sample/caches", 0x05, 83, {"ld", "st"}},
    {"sample/cycles", 0x11, 20011, {NULL, NULL}},
    {"sample/cycles", 0x11, 30011, {NULL, NULL}},
};

/**
 * struct recording - the rows of one test
 * @skids: the rows.
 * @count: samples of each.
 * @n: how many rows.
 * @user: samples in the program, of all rows.
 */
struct recording {
    const struct skid *skids[MAX_SKIDS];
    uint64_t count[MAX_SKIDS];
    unsigned n;
    uint64_t user;
};

static void collect_skids(struct recording *recording, const char *test)
{
    memset(recording, 0, sizeof(*recording));
    for (size_t i = 0; i < ARRAY_SIZE(skids) && recording->n < MAX_SKIDS; i++) {
        if (strcmp(skids[i].test, test) == 0) {
            recording->skids[recording->n++] = &skids[i];
        }
    }
}

static bool record_skids(const struct recording *recording, uint64_t n)
{
    char options[2 * MAX_LINE] = "";

    for (unsigned i = 0; i < recording->n; i++) {
        size_t at = strlen(options);

        snprintf(options + at, sizeof(options) - at, "-e %s/event=%#x,period=%" PRIu64 "/u ",
                 pmu_name(), recording->skids[i]->number, recording->skids[i]->period);
    }
    return record(options, "kinds", n);
}

static bool is_right_place(const struct skid *skid, const struct sample *sample)
{
    return skid->names[0] == NULL ||
           (sample->offset == 0 &&
            (has_name(sample->symbol, skid->names[0]) ||
             (skid->names[1] != NULL && has_name(sample->symbol, skid->names[1]))));
}

static void take_sample(struct recording *recording, const struct sample *sample)
{
    for (unsigned i = 0; i < recording->n; i++) {
        const struct skid *skid = recording->skids[i];

        if (skid->period != sample->period) {
            continue;
        }
        recording->count[i]++;
        recording->user += !in_kernel(sample);
        if (!in_kernel(sample) && !is_right_place(skid, sample)) {
            test_fail("a sample of r%x: expected behind %s got %s+%#" PRIx64, skid->number,
                      skid->names[0], sample->symbol, sample->offset);
        }
        return;
    }
    test_fail("period: expected one of the periods got %" PRIu64, sample->period);
}

static bool read_recording(struct recording *recording)
{
    char last[MAX_LINE] = "";
    struct sample sample;
    FILE *file = open_script(SCRIPT_PLACES);

    while (file != NULL && next_sample(file, last, &sample)) {
        take_sample(recording, &sample);
    }
    if (file != NULL) {
        fclose(file);
    }
    return file != NULL;
}

/*
 * S samples stand for S * PERIOD to S * PERIOD + PERIOD - 1 events. An event without a known number
 * has two rows, which must not contradict each other.
 */
static void check_pair(const struct recording *recording, unsigned i)
{
    uint64_t low[2], high[2];

    for (unsigned j = 0; j < 2; j++) {
        low[j] = recording->count[i + j] * recording->skids[i + j]->period;
        high[j] = low[j] + recording->skids[i + j]->period - 1;
    }
    if (high[0] < low[1] || high[1] < low[0]) {
        test_fail("r%x: %" PRIu64 " to %" PRIu64 " by one period, %" PRIu64 " to %" PRIu64
                  " by the other",
                  recording->skids[i]->number, low[0], high[0], low[1], high[1]);
    }
    expect_between("samples", 10, UINT64_MAX, recording->count[i + 1]);
}

static void check_numbers(const struct recording *recording, uint64_t n)
{
    uint64_t known, all = 0;

    for (unsigned i = 0; i < recording->n; i++) {
        const struct skid *skid = recording->skids[i];

        all += recording->count[i];
        if (known_kinds("kinds", n, pmu_event_find(skid->number)->kinds, &known)) {
            expect_eq("samples", known / skid->period, recording->count[i]);
        } else if (i + 1 < recording->n && recording->skids[i + 1]->number == skid->number) {
            check_pair(recording, i);
        }
    }
    expect_between("samples in the program", all * 95 / 100, all, recording->user);
}

static void test_skid(const struct test *test)
{
    struct recording recording;

    collect_skids(&recording, test->name);
    if (record_skids(&recording, test->n) && read_recording(&recording)) {
        check_numbers(&recording, test->n);
    }
}

/* Cycles pass at instructions; those of the clock at any time. */
static void test_model_cycles(const struct test *test)
{
    if (machine.clock) {
        test_skip("cycles are the clock's");
    } else {
        test_skid(test);
    }
}

/*
 * A system call is an event of the program. When the interrupt can be taken, the kernel is already
 * executing, always at the same instruction: the first after it enables interrupts.
 */
static void test_system_calls(const struct test *test)
{
    const uint64_t period = 101;
    uint64_t count = 0, address = 0, same = 0, known;
    char last[MAX_LINE] = "";
    struct sample sample;
    FILE *file;

    if (!record("-e r82:u -c 101", "kinds", test->n)) {
        return;
    }
    for (file = open_script(SCRIPT_PLACES); file != NULL && next_sample(file, last, &sample);
         count++) {
        address = address != 0 ? address : sample.address;
        same += sample.address == address;
    }
    if (file != NULL) {
        fclose(file);
        known_kinds("kinds", test->n, SVC, &known);
        expect_eq("samples", known / period, count);
        expect_between("samples at one place", count * 95 / 100, count, same);
        expect_eq("bit 63 of the place", 1, address >> KERNEL_BIT);
    }
}

/*
 * With -F the kernel checks at each tick (4 ms) how many samples there were, and moves the period
 * an eighth of the way to the right one. It begins at 1. After SETTLE the rate is as requested, if
 * ticks are regular. That depends on the host: if it takes a vCPU away for a while, the kernel
 * takes what was executed since the last tick for the work of 4 ms, and makes the period too long.
 * On a host with twice as much work as it can do, there are half as many samples; the test allows a
 * quarter. The rate is never much higher than requested. If time is counted in instructions, no
 * other process takes time away, and the rate must be as requested, to a tenth.
 */
enum {
    FREQUENCY = 1000,
    SETTLE_MS = 200
};

static const char *const frequency_events[] = {"instructions:u", "ld_retired:u", "branches:u"};

static void check_frequency(const char *event)
{
    double begin = 0, end = 0, second;
    char line[MAX_LINE], name[64];
    uint64_t count = 0;
    FILE *file = fopen(SCRIPT, "re");

    while (file != NULL && fgets(line, sizeof(line), file) != NULL) {
        if (sscanf(line, " %lf: %63s", &second, name) == 2 &&
            strncmp(name, event, strlen(event)) == 0) {
            begin = begin != 0 ? begin : second + SETTLE_MS / 1000.0;
            end = second;
            count += end >= begin;
        }
    }
    if (file != NULL) {
        fclose(file);
    }
    expect_between("ms after settling", 300, 60000, (uint64_t)((end - begin) * 1000));
    expect_between(event, machine.icount ? FREQUENCY * 9 / 10 : FREQUENCY / 4, FREQUENCY * 11 / 10,
                   (uint64_t)((double)count / (end - begin)));
}

static void test_frequency(const struct test *test)
{
    FILE *file;

    if (!record("-e instructions:u,ld_retired:u,branches:u -F 1000", "kinds", test->n)) {
        return;
    }
    file = open_script(SCRIPT_EVENTS);
    if (file == NULL) {
        return;
    }
    fclose(file);
    for (size_t i = 0; i < ARRAY_SIZE(frequency_events); i++) {
        check_frequency(frequency_events[i]);
    }
}

const struct test sample_tests[] = {
    {"sample/memory", test_skid, NULL, 20000, 1, 4},
    {"sample/branches", test_skid, NULL, 20000, 1, 5},
    {"sample/others", test_skid, NULL, 20000, 1, 5},
    {"sample/caches", test_skid, NULL, 20000, 1, 4},
    {"sample/cycles", test_model_cycles, NULL, 20000, 1, 2},
    {"sample/system-calls", test_system_calls, NULL, 20000, 1, 1},
    {"sample/frequency", test_frequency, NULL, 200000, 1, 3},
    {"sample/icount-frequency", test_frequency, NULL, 2000000, 1, 3},
};
const size_t sample_tests_count = ARRAY_SIZE(sample_tests);
