/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf record. The kernel puts -PERIOD into the counter and takes the overflow interrupt. It
 * subtracts what the counter has counted past zero from the next period. No instruction is lost
 * between samples, so there are floor(total / PERIOD) of them. If the interrupt is taken at the
 * instruction that made the counter overflow, sample i names the instruction that would have been
 * executed next: number i * PERIOD, counted from 0.
 *
 * Three facts about perf and the kernel:
 * - Without --per-thread perf opens an event for each CPU, which has a period of its own. So each
 *   move to another CPU could cost a sample.
 * - If a sample is written just when perf record looks for new ones, it takes that sample twice
 *   (perf_mmap__push() reads the head of the buffer twice), with the same time and content.
 * - If another interrupt is due at the same instruction, it may come first. The overflow is then
 *   taken within the kernel, and the sample has an address there. That is rare.
 */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "perf.h"
#include "suite.h"

#define DATA "/tmp/perf.data"
#define SCRIPT "/tmp/script"
#define SCRIPT_COMMAND "perf script -i " DATA " --ns -F time,period,ip,sym"

enum {
    RECORD_TIMEOUT = 60,
    LOOP_BODY = 8,
#ifdef __x86_64__
    INSTRUCTION_BYTES = 3
#else
    INSTRUCTION_BYTES = 4
#endif
};

/**
 * struct samples - what perf script says about a recording
 * @count: samples.
 * @in_loop: how many of them have their address in loop_body.
 * @events: sum of their periods.
 */
struct samples {
    uint64_t count;
    uint64_t in_loop;
    uint64_t events;
};

static bool record(const char *options, uint64_t n)
{
    char line[256];

    snprintf(line, sizeof(line),
             "perf record -q -N -B --per-thread -T -o " DATA " %s -- " PROGRAMS "loop %" PRIu64,
             options, n);
    return command_run(NULL, RECORD_TIMEOUT, line);
}

/* "TIME: PERIOD ADDRESS SYMBOL" of one sample. */
static bool parse_sample(const char *line, uint64_t *period, uint64_t *address, char *symbol)
{
    return sscanf(line, " %*s %" SCNu64 " %" SCNx64 " %63s", period, address, symbol) == 3;
}

typedef void (*sample_check)(uint64_t i, uint64_t address, const char *symbol, uint64_t argument);

static bool read_samples(struct samples *samples, sample_check check, uint64_t argument)
{
    char lines[2][256] = {"", ""}, symbol[64];
    uint64_t period, address;
    unsigned turn = 0;
    FILE *file;

    memset(samples, 0, sizeof(*samples));
    if (!command_run(SCRIPT, RECORD_TIMEOUT, SCRIPT_COMMAND)) {
        return false;
    }
    file = fopen(SCRIPT, "re");
    while (file != NULL && fgets(lines[turn], sizeof(lines[turn]), file) != NULL) {
        if (strcmp(lines[0], lines[1]) == 0 ||
            !parse_sample(lines[turn], &period, &address, symbol)) {
            continue;
        }
        turn = 1 - turn;
        samples->count++;
        samples->events += period;
        samples->in_loop += strcmp(symbol, "loop_body") == 0;
        if (check != NULL) {
            check(samples->count, address, symbol, argument);
        }
    }
    if (file != NULL) {
        fclose(file);
    }
    return true;
}

static bool record_period(uint64_t period, uint64_t n)
{
    char options[80];

    snprintf(options, sizeof(options), "-e instructions:u -c %" PRIu64, period);
    return record(options, n);
}

/*
 * A period that does not divide the loop's length, so that samples fall on all of its addresses. On
 * x86 they fall on half of them, and never on the second: Linux lets a counter that it switches on
 * with one event left count two (x86_perf_event_set_period()), and execution comes from elsewhere
 * to the first.
 */
enum {
    ODD_PERIOD = 9973,
#ifdef __x86_64__
    LOOP_PERIOD = ODD_PERIOD + 1,
#else
    LOOP_PERIOD = ODD_PERIOD,
#endif
    LONG_PERIOD = 1000003
};

static void test_count(const struct test *test)
{
    uint64_t period = test->cpus > 1 ? LONG_PERIOD : ODD_PERIOD;
    struct samples samples;

    if (record_period(period, test->n) && read_samples(&samples, NULL, 0)) {
        uint64_t expected = known_instructions("loop", test->n) / period;

        expect_eq("samples", expected, samples.count);
        expect_between("samples in the loop", expected - expected / 100, expected, samples.in_loop);
        expect_eq("sum of periods", expected * period, samples.events);
    }
}

static uint64_t loop_address;

/*
 * Learns the loop's address from perf itself. perf does not print the symbol with an offset of 0,
 * so the lowest address of a sample in the loop is taken. The first instruction's address occurs.
 */
static void learn_address(uint64_t i, uint64_t address, const char *symbol, uint64_t argument)
{
    (void)i;
    (void)argument;
    if (strcmp(symbol, "loop_body") == 0 && address < loop_address) {
        loop_address = address;
    }
}

/* FIXED is the number of instructions before the loop. */
static void check_address(uint64_t i, uint64_t address, const char *symbol, uint64_t fixed)
{
    uint64_t position = (i * LOOP_PERIOD - fixed) % LOOP_BODY;

    if (strcmp(symbol, "loop_body") == 0) {
        expect_eq("address in the loop", loop_address + position * INSTRUCTION_BYTES, address);
    }
}

static void test_no_skid(const struct test *test)
{
    uint64_t before = known_instructions("loop", test->n) - LOOP_BODY * test->n - 3;
    struct samples samples;

    loop_address = UINT64_MAX;
    if (record_period(LOOP_PERIOD, test->n) && read_samples(&samples, learn_address, 0)) {
        expect_between("samples", LOOP_BODY, UINT64_MAX, samples.count);
        read_samples(&samples, check_address, before);
    }
}

/*
 * With -F the kernel chooses the periods; the first ones are very short. Samples cannot stand for
 * more events than there were.
 */
static void test_frequency(const struct test *test)
{
    uint64_t total = known_instructions("loop", test->n);
    struct samples samples;

    if (record("-e instructions:u -F 2000", test->n) && read_samples(&samples, NULL, 0)) {
        expect_between("samples", 10, total / 1000, samples.count);
        expect_between("samples in the loop", samples.count * 9 / 10, samples.count,
                       samples.in_loop);
        expect_between("sum of periods", total / 2, total, samples.events);
    }
}

/* Two counters that overflow in the same recording do not disturb each other. */
static void test_two(const struct test *test)
{
    uint64_t total = known_instructions("loop", test->n);
    struct samples samples;

    if (record("-e instructions/period=10007/u,instructions/period=30011/u", test->n) &&
        read_samples(&samples, NULL, 0)) {
        expect_eq("samples of both", total / 10007 + total / 30011, samples.count);
        expect_eq("sum of periods", total / 10007 * 10007 + total / 30011 * 30011, samples.events);
    }
}

static void test_cycles(const struct test *test)
{
    struct samples samples;

    if (record("-e cycles:u -c 1000000", test->n) && read_samples(&samples, NULL, 0)) {
        expect_between("samples", 5, UINT64_MAX, samples.count);
        /* Time may stand still at any instruction of the program if the host does other work. */
        expect_between("samples in the loop", samples.count * 9 / 10, samples.count,
                       samples.in_loop);
    }
}

const struct test record_tests[] = {
    {"record/period", test_count, NULL, 1000000, 1, 1},
    {"record/long-period", test_count, NULL, 10000000, 2, 1},
    {"record/no-skid", test_no_skid, NULL, 500000, 1, 1},
    {"record/two-events", test_two, NULL, 1000000, 1, 2},
    {"record/frequency", test_frequency, NULL, 30000000, 1, 1},
    {"record/cycles", test_cycles, NULL, 10000000, 1, 0},
};
const size_t record_tests_count = ARRAY_SIZE(record_tests);
