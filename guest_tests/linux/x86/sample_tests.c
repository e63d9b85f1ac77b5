/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where x86 samples lie: after the counted instruction, and with PEBS at it. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "perf.h"
#include "suite.h"
#include "x86.h"

/* Each sample of a read, and of its miss, lies at the next instruction. */
static void check_behind(uint64_t expected)
{
    char line[256], last[256] = "";
    FILE *file = fopen("/tmp/script", "re");
    uint64_t n = 0;

    while (file != NULL && fgets(line, sizeof(line), file) != NULL) {
        if (strcmp(line, last) != 0) {
            expect_eq("it is behind the read", true, strstr(line, "behind_read+0x0") != NULL);
            snprintf(last, sizeof(last), "%s", line);
            n++;
        }
    }
    if (file != NULL) {
        fclose(file);
    }
    expect_eq("samples", expected, n);
}

static void test_behind(const struct test *test)
{
    static const char *const events[] = {"L1-dcache-loads", "L1-dcache-load-misses"};

    for (unsigned i = 0; i < 2 && !test_failed(); i++) {
        char line[200];

        snprintf(line, sizeof(line),
                 "perf record -q -N --per-thread -T -o /tmp/perf.data -e %s:u -c 97 -- " PROGRAMS
                 "%s %" PRIu64,
                 events[i], test->program, test->n);
        if (command_run(NULL, 60, line) &&
            command_run("/tmp/script", 60,
                        "perf script -i /tmp/perf.data --ns -F time,ip,sym,symoff")) {
            check_behind(1024 * test->n / 97);
        }
    }
}

/* The target of SYSCALL. To read the kernel's list of symbols takes a guest seconds. */
static uint64_t syscall_entry(void)
{
    static uint64_t address;
    char line[256];
    FILE *file = address == 0 ? fopen("/proc/kallsyms", "re") : NULL;

    while (file != NULL && address == 0 && fgets(line, sizeof(line), file) != NULL) {
        if (strstr(line, " entry_SYSCALL_64\n") != NULL) {
            sscanf(line, "%" SCNx64, &address);
        }
    }
    if (file != NULL) {
        fclose(file);
    }
    return address;
}

bool x86_is_switch(const char *line, unsigned *starts)
{
    const char *which = strstr(line, "PERF_RECORD_SWITCH ");

    *starts += which != NULL && strstr(which, " IN") != NULL;
    return which != NULL;
}

/*
 * Samples of a program that enters its kernel all the time: as many as there are periods in what it
 * executes, each at an instruction that follows one of its own. In the kernel that is only what
 * follows SYSCALL, because interrupts and exceptions are taken after an overflow.
 */
static void check_samples(uint64_t known, unsigned period)
{
    char lines[2][256] = {"", ""};
    FILE *file = fopen("/tmp/script", "re");
    uint64_t n = 0, address, entry = syscall_entry();
    unsigned late = 0;

    while (file != NULL && fgets(lines[n & 1], sizeof(lines[0]), file) != NULL) {
        if (x86_is_switch(lines[n & 1], &late)) {
            continue;
        }
        /* perf may take the newest one twice; record_tests.c says why. */
        if (strcmp(lines[0], lines[1]) != 0 &&
            sscanf(lines[n & 1], " %*s %" SCNx64, &address) == 1) {
            if (address >> 63) {
                expect_eq("address in the kernel", entry, address);
            }
            n++;
        }
    }
    if (file != NULL) {
        fclose(file);
    }
    expect_between("samples", (known - late) / period, known / period, n);
}

static void test_samples(const struct test *test)
{
    for (unsigned period = 3; period < 12 && !test_failed(); period += 4) {
        char line[200];

        snprintf(line, sizeof(line),
                 "perf record -q -N -B --per-thread --switch-events -T -o /tmp/perf.data "
                 "-e instructions:u -c %u -- " PROGRAMS "%s %" PRIu64,
                 period, test->program, test->n);
        if (command_run(NULL, 60, line) &&
            command_run("/tmp/script", 60,
                        "perf script --show-switch-events -i /tmp/perf.data --ns -F time,ip")) {
            check_samples(x86_known(test->program, X86_INSTRUCTIONS, test->n), period);
        }
    }
}

/* How precise samples can be, as the driver says; 0: there is no PEBS. */
static unsigned max_precise(void)
{
    unsigned precise = 0;
    FILE *file = fopen("/sys/bus/event_source/devices/cpu/caps/max_precise", "re");

    if (file != NULL) {
        if (fscanf(file, "%u", &precise) != 1) {
            precise = 0;
        }
        fclose(file);
    }
    return precise;
}

static bool is_nehalem(void)
{
    char name[32] = "";
    FILE *file = fopen("/sys/bus/event_source/devices/cpu/caps/pmu_name", "re");

    if (file != NULL) {
        if (fgets(name, sizeof(name), file) == NULL) {
            name[0] = 0;
        }
        fclose(file);
    }
    return strcmp(name, "nehalem\n") == 0;
}

/* What a sample is of: the number of the instruction of "loop", or of the branch. */
struct precise {
    const char *event;
    enum x86_kind kind;
    unsigned period;
};

/*
 * Returns whether a sample is of instruction "at" of the loop, where the first one is 0. The record
 * has the state after it, and its own address, or that of the next one if precise is 1.
 */
static bool is_precise(const char *line, uint64_t at, unsigned precise, uint64_t n)
{
    uint64_t round = at / 8, offset, bx, r8;
    const char *place = strstr(line, "loop_body+");
    const char *regs = strstr(line, "BX:");

    if (regs == NULL || sscanf(regs, "BX:%" SCNx64 " R8:%" SCNx64, &bx, &r8) != 2 ||
        r8 != round + 1 || bx != n - round - (at % 8 >= 6)) {
        return false;
    }
    at += precise < 2;
    if (at == 8 * n) {
        return strstr(line, "end+0x0") != NULL;
    }
    return place != NULL && sscanf(place, "loop_body+%" SCNx64, &offset) == 1 &&
           offset == at % 8 * 3;
}

/*
 * By how many events the next sample can be late. Linux programs at least 32 into Nehalem's
 * counters when it starts them: after a sample, and after a task switch. For ppp on SapphireRapids
 * it programs at least 128, after a task switch only.
 */
static unsigned most_late(unsigned starts)
{
    if (is_nehalem()) {
        return 31 * (1 + starts);
    }
    return x86_is_model("SapphireRapids") ? 127 * starts : starts;
}

/*
 * Reads /tmp/script. This many of its events come before the loop; in the loop there are 8 for each
 * round, or 1. Each sample has one of two precisions.
 */
static void check_all_precise(const struct precise *p, unsigned least, unsigned precise, uint64_t n)
{
    bool branches = p->kind == X86_BRANCHES;
    uint64_t known = x86_known("loop", p->kind, n);
    uint64_t count = 0, late = 0, in_loop = n * (branches ? 1 : 8);
    uint64_t before = known - in_loop - (branches ? 1 : 3);
    unsigned starts = 0;
    char line[512];
    FILE *file = fopen("/tmp/script", "re");

    while (file != NULL && fgets(line, sizeof(line), file) != NULL && !test_failed()) {
        unsigned most, more = 0;
        uint64_t nth;

        if (x86_is_switch(line, &starts)) {
            continue;
        }
        most = most_late(starts);
        nth = ++count * p->period - before - 1 + late;
        while (nth < in_loop && more <= most) {
            uint64_t at = branches ? 8 * (nth + more) + 7 : nth + more;

            if (is_precise(line, at, precise, n) || is_precise(line, at, least, n)) {
                break;
            }
            more++;
        }
        if (more > most) {
            test_fail("sample %" PRIu64 " of %s is not where it should be: %s", count, p->event,
                      line);
        }
        late += more;
        starts = 0;
    }
    if (file != NULL) {
        fclose(file);
    }
    known -= late;
    expect_between("samples", (known - most_late(starts)) / p->period, known / p->period, count);
}

/*
 * PEBS: no sample is lost, and none skids. Without times, Linux fetches many records at once. Those
 * of Nehalem have the address of the next instruction. Linux finds the instruction before it by the
 * newest branch record, so it can correct only the newest of many. On SapphireRapids, periods of
 * ppp are at least 128.
 */
static void test_precise(const struct test *test)
{
    static const struct precise rows[] = {
        {"instructions", X86_INSTRUCTIONS, 131},
        {"instructions", X86_INSTRUCTIONS, 10000},
        {"branches", X86_BRANCHES, 131},
        {"branches", X86_BRANCHES, 1000},
    };
    unsigned precise = max_precise();

    if (precise == 0) {
        test_skip("it has no PEBS");
        return;
    }
    for (size_t i = 0; i < 2 * ARRAY_SIZE(rows) && !test_failed(); i++) {
        const struct precise *p = &rows[i / 2];
        char line[300];

        snprintf(line, sizeof(line),
                 "perf record -q -N -B --per-thread --switch-events %s --intr-regs=bx,r8 "
                 "-o /tmp/perf.data -e %s:u%.*s -c %u -- " PROGRAMS "%s %" PRIu64,
                 i % 2 ? "-T" : "--no-timestamp", p->event, (int)precise, "ppp", p->period,
                 test->program, test->n);
        if (command_run(NULL, 60, line) &&
            command_run("/tmp/script", 60,
                        "perf script --show-switch-events -i /tmp/perf.data "
                        "-F ip,sym,symoff,iregs")) {
            check_all_precise(p, i % 2 == 0 && is_nehalem() ? 1 : precise, precise, test->n);
        }
    }
}

/* The default of perf record: cycles, as precise as possible, of the program. */
static void test_default(const struct test *test)
{
    char line[200];
    char place[256];
    uint64_t count = 0, inside = 0;
    FILE *file;

    snprintf(line, sizeof(line),
             "perf record -q -N -B -e cycles:uP -o /tmp/perf.data -- " PROGRAMS "%s %" PRIu64,
             test->program, test->n);
    if (!command_run(NULL, 60, line) ||
        !command_run("/tmp/script", 60, "perf script -i /tmp/perf.data -F ip,sym")) {
        return;
    }
    file = fopen("/tmp/script", "re");
    while (file != NULL && fgets(place, sizeof(place), file) != NULL) {
        count++;
        inside += strstr(place, "loop_body") != NULL;
    }
    if (file != NULL) {
        fclose(file);
    }
    expect_between("samples", 20, 100000, count);
    expect_between("of them in the loop", count * 9 / 10, count, inside);
}

/*
 * Samples of cycles at perf's default rate, at which Linux changes the period: all of them arrive
 * if their periods are the cycles of the program, up to the last one, which is not complete.
 */
static void test_rate(const struct test *test)
{
    uint64_t sum = 0, last = 0, known = x86_known(test->program, X86_INSTRUCTIONS, test->n);
    unsigned width = machine.width ? machine.width : 1;
    char line[300];
    FILE *file;

    snprintf(line, sizeof(line),
             "perf record -q -N -B -e cycles:u -o /tmp/perf.data -- " PROGRAMS "%s %" PRIu64,
             test->program, test->n);
    if (!command_run(NULL, 60, line) ||
        !command_run("/tmp/script", 60, "perf script -i /tmp/perf.data -F period")) {
        return;
    }
    file = fopen("/tmp/script", "re");
    while (file != NULL && fgets(line, sizeof(line), file) != NULL) {
        uint64_t period = 0;

        sscanf(line, "%" SCNu64, &period);
        last = period > last ? period : last;
        sum += period;
    }
    if (file != NULL) {
        fclose(file);
    }
    expect_between("cycles in periods", known / width - 2 * last, known / width + last, sum);
    expect_between("the longest period", 1, known / width / 5, last);
}

/* Reads the addresses of /tmp/script; returns how many different ones there are. */
static unsigned distinct_addresses(unsigned *samples)
{
    uint64_t seen[32], ip;
    unsigned n = 0;
    FILE *file = fopen("/tmp/script", "re");

    *samples = 0;
    while (file != NULL && fscanf(file, "%" SCNx64, &ip) == 1) {
        unsigned i = 0;

        while (i < n && seen[i] != ip) {
            i++;
        }
        if (i == n && n < ARRAY_SIZE(seen)) {
            seen[n++] = ip;
        }
        ++*samples;
    }
    if (file != NULL) {
        fclose(file);
    }
    return n;
}

/* PEBS of "splits": locked loads, split loads and split stores are these 3, 8 and 6 instructions.
 */
static void test_split_samples(const struct test *test)
{
    static const struct {
        const char *event;
        unsigned instructions;
    } rows[] = {{"r21d0", 3}, {"r41d0", 8}, {"r42d0", 6}};

    if (max_precise() < 2 || is_nehalem()) {
        test_skip("it has no PEBS that says the instruction");
        return;
    }
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        char line[200];
        unsigned samples;

        snprintf(line, sizeof(line),
                 "perf record -q -N -B -o /tmp/perf.data -e %s:upp -c 37 -- " PROGRAMS
                 "splits %" PRIu64,
                 rows[i].event, test->n);
        if (command_run(NULL, 60, line) &&
            command_run("/tmp/script", 60, "perf script -i /tmp/perf.data -F ip")) {
            expect_eq(rows[i].event, rows[i].instructions, distinct_addresses(&samples));
            expect_between("samples", rows[i].instructions * test->n / 37 - 2,
                           rows[i].instructions * test->n / 37, samples);
        }
    }
}

const struct test sample_tests[] = {
    {"x86/samples-refused", test_samples, "refused", 40, 1, 1},
    {"x86/samples-fetch", test_samples, "fetch", 40, 1, 1},
    {"x86/samples-syscalls", test_samples, "syscalls", 200, 1, 1},
    {"x86/samples-behind", test_behind, "walk", 3, 1, 1},
    {"x86/precise", test_precise, "loop", 10000, 1, 1},
    {"x86/split-samples", test_split_samples, "splits", 2000, 1, 1},
    {"x86/rate", test_rate, "loop", 6000000, 1, 1},
    {"x86/default", test_default, "loop", 6000000, 1, 1},
};
const size_t sample_tests_count = ARRAY_SIZE(sample_tests);
