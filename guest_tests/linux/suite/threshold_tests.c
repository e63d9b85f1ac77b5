/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Thresholds: the commands of the kernel's documentation of perf, counts that follow from the
 * modelled pipeline, and what is refused.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "event.h"
#include "perf.h"
#include "suite.h"

#define PMU_DIR "/sys/bus/event_source/devices/"
#define LARGEST ((1u << machine.threshold) - 1)

/* Events, and Linux's threshold_compare. */
enum {
    STALL = 0x3c,
    STALL_SLOT = 0x3f,
    STALL_BACKEND = 0x24,
    DTLB_WALK = 0x34,
    NE = 0,
    EQ = 1,
    GE = 2,
    LT = 3
};

static bool has_thresholds(void)
{
    if (machine.threshold == 0) {
        test_skip("the machine has no thresholds");
    }
    return machine.threshold > 0;
}

/* (1 << PMMIR_EL1.THWIDTH) - 1; 0 if there are none. */
static void test_caps(const struct test *test)
{
    char path[128];
    unsigned largest = 1;
    FILE *file;

    (void)test;
    snprintf(path, sizeof(path), PMU_DIR "%s/caps/threshold_max", pmu_name());
    file = fopen(path, "re");
    if (file == NULL || fscanf(file, "%x", &largest) != 1) {
        test_fail("%s: expected a number got none", path);
    }
    if (file != NULL) {
        fclose(file);
    }
    expect_eq("threshold_max", LARGEST, largest);
}

/* As in the documentation. */
static void test_documentation(const struct test *test)
{
    struct stat_result result;

    if (has_thresholds() &&
        perf_stat(&result, ROW_PLAIN,
                  "-e stall_slot/threshold=2,threshold_compare=2/ "
                  "-e dtlb_walk/threshold=10,threshold_compare=3,threshold_count/ "
                  "-- " PROGRAMS "%s %" PRIu64,
                  test->program, test->n)) {
        expect_eq("rows", 2, result.count);
        for (size_t i = 0; i < result.count; i++) {
            expect_eq(result.rows[i].event, 1, result.rows[i].counted);
        }
        expect_eq("stall_slot of two or more", machine.width > 1, result.rows[0].value > 0);
        expect_between("cycles with less than ten walks", 1, UINT64_MAX, result.rows[1].value);
    }
}

/*
 * The same for a program by itself. No cycle has ten walks, so all cycles count: one for each
 * instruction and for each cycle of a stall, if a cycle has one slot. If it has more, fractions are
 * lost when the program has to wait, but both counters count the same cycles, and the cycles of a
 * stall lose all their slots.
 */
static void test_cycles(const struct test *test)
{
    struct stat_result result;
    uint64_t known;

    if (!has_thresholds() ||
        !perf_stat(&result, ROW_PLAIN,
                   "-e {instructions:u,stall:u,stall_slot:u,"
                   "dtlb_walk/threshold=10,threshold_compare=3,threshold_count/u,"
                   "cpu_cycles/threshold=1,threshold_compare=2/u,"
                   "stall_slot/threshold=2,threshold_compare=2/u,"
                   "stall_slot/threshold=1,threshold_compare=1/u} -e context-switches "
                   "-- " PROGRAMS "%s %" PRIu64,
                   test->program, test->n)) {
        return;
    }
    known = known_instructions(test->program, test->n);
    expect_row(&result, 0, known);
    expect_row(&result, 4, result.rows[3].value);
    if (machine.width == 1) {
        expect_row(&result, 3, known + result.rows[1].value);
        expect_row(&result, 5, 0);
        expect_row(&result, 6, result.rows[2].value);
    } else {
        uint64_t all = known + machine.width * result.rows[1].value;
        uint64_t lost = 1 + result.rows[7].value;

        expect_between("cycles", all / machine.width - lost, all / machine.width,
                       result.rows[3].value);
        expect_row(&result, 2, machine.width * result.rows[1].value);
        expect_row(&result, 5, result.rows[2].value);
        expect_row(&result, 6, 0);
    }
}

static uint64_t config1(unsigned threshold, unsigned compare, bool count)
{
    return (uint64_t)threshold << 5 | compare << 3 | (unsigned)count << 2;
}

/* Returns how often this process had to wait for the CPU. */
static long switches(void)
{
    struct rusage usage;

    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_nvcsw + usage.ru_nivcsw;
}

/*
 * Returns what the event counts in a measurement that nothing interrupts. The first measurement
 * only warms up. Each has an event of its own: its counter starts at another value than the last
 * one had, so it begins a new cycle.
 */
static uint64_t measure(unsigned event, uint64_t config, uint64_t rounds)
{
    struct perf_event_attr attr = event_user(event);
    uint64_t count = UINT64_MAX;

    attr.config1 = config;
    for (unsigned i = 0; i < 20; i++) {
        int fd = event_must_open(&attr, 0, -1, -1);
        long before = switches();

        if (fd < 0) {
            return UINT64_MAX;
        }
        measure_stalls(fd, i == 0 ? 1 : rounds);
        count = event_read(fd);
        close(fd);
        if (i > 0 && switches() == before) {
            break;
        }
    }
    return count;
}

/*
 * measure_stalls() executes R times a loop of 8 instructions, of which the first, UDIV, stalls for
 * 12 cycles. At the end the branch is not taken, which costs 11 cycles (the prediction is static),
 * and 5 instructions follow. In the cycles of a stall nothing is sent. With four slots, i for an
 * instruction and s for a stalled slot: R times (12 times ssss, iiii, iiii), 11 times ssss, iiii,
 * and i of an unfinished cycle.
 */
static const struct {
    unsigned event;
    unsigned threshold;
    unsigned compare;
    bool count;
    struct {
        unsigned rounds;
        unsigned fixed;
    } by_width[2]; /* 1, 4 */
} known_counts[] = {
    {STALL_SLOT, 2, GE, false, {{0, 0}, {48, 44}}},
    {STALL_SLOT, 2, GE, true, {{0, 0}, {12, 11}}},
    {STALL_SLOT, 1, GE, false, {{12, 11}, {48, 44}}},
    {STALL_SLOT, 4, EQ, false, {{0, 0}, {48, 44}}},
    {STALL_SLOT, 3, EQ, true, {{0, 0}, {0, 0}}},
    {STALL_SLOT, 4, NE, false, {{12, 11}, {0, 0}}},
    {STALL_SLOT, 4, LT, true, {{20, 16}, {2, 1}}},
    {STALL_SLOT, 1, EQ, false, {{12, 11}, {0, 0}}},
    {STALL, 1, EQ, true, {{12, 11}, {12, 11}}},
    {STALL_BACKEND, 1, EQ, true, {{12, 0}, {12, 0}}},
    {DTLB_WALK, 10, LT, true, {{20, 16}, {14, 12}}},
    {DTLB_WALK, 1, GE, false, {{0, 0}, {0, 0}}},
    {EVENT_INST_RETIRED, 4, EQ, true, {{0, 0}, {2, 1}}},
    {EVENT_INST_RETIRED, 3, GE, false, {{0, 0}, {8, 4}}},
    {EVENT_INST_RETIRED, 1, LT, true, {{12, 11}, {12, 11}}},
    {EVENT_CPU_CYCLES, 1, GE, false, {{20, 16}, {14, 12}}},
    {EVENT_CPU_CYCLES, 1, NE, true, {{0, 0}, {0, 0}}},
};

static void test_known(const struct test *test)
{
    if (!has_thresholds()) {
        return;
    }
    keep_to_first_cpu(true);
    for (size_t i = 0; i < ARRAY_SIZE(known_counts) && !test_failed(); i++) {
        unsigned wide = machine.width == 4, threshold = known_counts[i].threshold;
        uint64_t expected =
            known_counts[i].by_width[wide].rounds * test->n + known_counts[i].by_width[wide].fixed;
        char what[80];

        snprintf(what, sizeof(what), "event %#x, threshold=%u,threshold_compare=%u%s",
                 known_counts[i].event, threshold, known_counts[i].compare,
                 known_counts[i].count ? ",threshold_count" : "");
        if (threshold <= LARGEST) {
            expect_eq(what, expected,
                      measure(known_counts[i].event,
                              config1(threshold, known_counts[i].compare, known_counts[i].count),
                              test->n));
        }
    }
    keep_to_first_cpu(false);
}

/* A threshold of 0 is none, whatever else is set. The largest one is never reached in a cycle. */
static void test_ends(const struct test *test)
{
    uint64_t plain;

    if (!has_thresholds()) {
        return;
    }
    keep_to_first_cpu(true);
    plain = measure(STALL_SLOT, 0, test->n);
    expect_eq("stall_slot", machine.width * (12 * test->n + 11), plain);
    for (unsigned compare = NE; compare <= LT; compare++) {
        expect_eq("threshold=0", plain, measure(STALL_SLOT, config1(0, compare, false), test->n));
        expect_eq("threshold=0,threshold_count", plain,
                  measure(STALL_SLOT, config1(0, compare, true), test->n));
    }
    if (LARGEST > machine.width) {
        expect_eq("the largest, >=", 0, measure(STALL_SLOT, config1(LARGEST, GE, false), test->n));
        expect_eq("the largest, <", plain,
                  measure(STALL_SLOT, config1(LARGEST, LT, false), test->n));
    }
    keep_to_first_cpu(false);
}

/* Runs perf, which must refuse. @said is what it prints, its lines joined. */
static void expect_refusal(const char *line, const char *said)
{
    struct command perf;
    char text[2048];
    int status = 0;
    ssize_t size;
    int fd;

    if (!command_start(&perf, INPUT_NULL, NULL, line)) {
        return;
    }
    waitpid(perf.pid, &status, 0);
    fd = open(COMMAND_ERRORS, O_RDONLY | O_CLOEXEC);
    size = fd >= 0 ? read(fd, text, sizeof(text) - 1) : 0;
    close(fd);
    text[size > 0 ? size : 0] = '\0';
    expect_eq("perf succeeded", 0, WIFEXITED(status) && WEXITSTATUS(status) == 0);
    if (strstr(text, said) == NULL) {
        text[strcspn(text, "\n")] = '\0';
        test_fail("%s: expected '%s' got '%s'", line, said, text);
    }
}

/* perf itself knows that the field has 12 bits. */
static void expect_too_big(unsigned threshold)
{
    char line[160];

    snprintf(line, sizeof(line),
             "perf stat -e stall_slot/threshold=%u,threshold_compare=2/ " PROGRAMS "loop 1",
             threshold);
    expect_refusal(line, "value too big for format (threshold), maximum is 4095");
}

/* Linux knows what the PMU has and refuses more. perf stat then shows no count. */
static void expect_invalid(unsigned threshold)
{
    struct perf_event_attr attr = event_user(STALL_SLOT);
    struct stat_result result;
    int fd;

    attr.config1 = config1(threshold, GE, false);
    fd = event_open(&attr, 0, -1, -1);
    expect_eq("errno", EINVAL, fd < 0 ? (uint64_t)errno : 0);
    close(fd);
    if (perf_stat(&result, ROW_PLAIN,
                  "-e stall_slot/threshold=%u,threshold_compare=2/ -- " PROGRAMS "loop 1",
                  threshold)) {
        expect_eq("<not supported>", 0, result.rows[0].supported);
    }
}

/* The largest value, and one more. */
static void test_too_large(const struct test *test)
{
    struct perf_event_attr attr = event_user(STALL_SLOT);

    (void)test;
    attr.config1 = config1(LARGEST, GE, false);
    close(event_must_open(&attr, 0, -1, -1));
    expect_too_big(4096);
    if (machine.threshold < 12) {
        expect_invalid(LARGEST + 1);
    }
}

const struct test threshold_tests[] = {
    {"threshold/caps", test_caps, NULL, 0, 1, 0},
    {"threshold/documentation", test_documentation, "stream", 0, 1, 2},
    {"threshold/cycles-loop", test_cycles, "loop", 20000, 1, 7},
    {"threshold/cycles-kinds", test_cycles, "kinds", 200, 1, 7},
    {"threshold/known-1", test_known, NULL, 1, 1, 1},
    {"threshold/known-1000", test_known, NULL, 1000, 1, 1},
    {"threshold/ends", test_ends, NULL, 100, 1, 1},
    {"threshold/too-large", test_too_large, NULL, 0, 1, 1},
};
const size_t threshold_tests_count = ARRAY_SIZE(threshold_tests);
