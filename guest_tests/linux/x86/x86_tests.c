/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What only x86 has: its driver, its branches, counters that programs read by RDPMC. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "event.h"
#include "perf.h"
#include "suite.h"
#include "x86.h"

static bool file_has(const char *path, const char *text)
{
    char line[512];
    bool found = false;
    FILE *file = fopen(path, "re");

    while (file != NULL && !found && fgets(line, sizeof(line), file) != NULL) {
        found = strstr(line, text) != NULL;
    }
    if (file != NULL) {
        fclose(file);
    }
    return found;
}

static bool is_intel(void)
{
    return file_has("/proc/cpuinfo", "GenuineIntel");
}

static void test_driver(const struct test *test)
{
    (void)test;
    expect_eq("a PMU named cpu", true, strcmp(pmu_name(), "cpu") == 0);
    if (command_run("/tmp/dmesg", 10, "dmesg")) {
        expect_eq("a driver", true,
                  file_has("/tmp/dmesg", is_intel() ? "Intel PMU driver" : "AMD PMU driver"));
        expect_eq("broken hardware", false, file_has("/tmp/dmesg", "Broken PMU"));
    }
}

/* The version of the PMU as the driver reports it: 2 is AMD's PerfMonV2, all others are 0. */
static void test_version(const struct test *test)
{
    char line[256];
    uint64_t version = UINT64_MAX;
    FILE *file;

    expect_eq("perfmon_v2 of AMD's", test->n == 2,
              is_intel() ? test->n == 2 : file_has("/proc/cpuinfo", "perfmon_v2"));
    if (!command_run("/tmp/dmesg", 10, "dmesg")) {
        return;
    }
    file = fopen("/tmp/dmesg", "re");
    while (file != NULL && version == UINT64_MAX && fgets(line, sizeof(line), file) != NULL) {
        const char *found = strstr(line, "... version:");

        if (found != NULL) {
            sscanf(found, "... version: %" SCNu64, &version);
        }
    }
    if (file != NULL) {
        fclose(file);
    }
    expect_eq("version", test->n, version);
}

/*
 * A global control starts a whole group at once: none counts what the kernel does for the others.
 */
static void test_at_once(const struct test *test)
{
    struct stat_result result;

    if (!perf_stat(&result, ROW_PLAIN,
                   "-e {instructions:k,instructions:k,instructions:k,instructions:k} -- " PROGRAMS
                   "%s %" PRIu64,
                   test->program, test->n)) {
        return;
    }
    expect_between("instructions", 100 * test->n, UINT64_MAX, result.rows[0].value);
    for (size_t i = 1; i < result.count; i++) {
        expect_eq("the same of each", result.rows[0].value, result.rows[i].value);
    }
}

/* Linux warns of an overflow that belongs to none of its events. */
static void test_no_warning(const struct test *test)
{
    (void)test;
    if (command_run("/tmp/dmesg", 10, "dmesg")) {
        expect_eq("warnings", false, file_has("/tmp/dmesg", "WARNING: CPU:"));
        expect_eq("NMIs of nobody", false, file_has("/tmp/dmesg", "NMI received for unknown"));
    }
}

/* All three at once: in a group they are on the PMU together. */
static void test_branches(const struct test *test)
{
    struct stat_result result;

    if (!perf_stat(&result, ROW_PLAIN, "-e {instructions:u,branches:u} -- " PROGRAMS "%s %" PRIu64,
                   test->program, test->n)) {
        return;
    }
    expect_row(&result, 0, x86_known(test->program, X86_INSTRUCTIONS, test->n));
    expect_row(&result, 1, x86_known(test->program, X86_BRANCHES, test->n));
}

/* The event that rr counts, of Skylake and of Zen. */
static void test_conditional(const struct test *test)
{
    struct stat_result result;

    if (!is_intel() && machine.version == 0) {
        test_skip("before family 17h AMD has no such event");
    } else if (file_has("/proc/cpuinfo", "Core(TM)2")) {
        test_skip("event C4 with mask 01 has another meaning on a Core 2");
    } else if (perf_stat(&result, ROW_PLAIN, "-e %s:u -- " PROGRAMS "%s %" PRIu64,
                         is_intel() ? "r1c4" : "rd1", test->program, test->n)) {
        expect_row(&result, 0, x86_known(test->program, X86_CONDITIONAL, test->n));
    }
}

/* Numbers of events, and what the program counts as by each. */
struct counted {
    const char *events;
    uint64_t known[4];
};

static void expect_counted(const struct test *test, const struct counted *rows, size_t n)
{
    struct stat_result result;

    for (size_t i = 0; i < n; i++) {
        if (!perf_stat(&result, ROW_PLAIN, "-e %s -- " PROGRAMS "%s %" PRIu64, rows[i].events,
                       test->program, test->n)) {
            return;
        }
        for (size_t row = 0; row < result.count; row++) {
            expect_row(&result, row, rows[i].known[row]);
        }
    }
}

/*
 * Conditional branches by their outcome, near branches that are taken, and near calls, of
 * "branches". Of its 2 N + 1 + d conditional branches the N of LOOP, the d in the argument, and the
 * last one of the program are not taken. SYSCALL is its only far branch.
 */
static void test_outcomes(const struct test *test)
{
    uint64_t n = test->n, all = x86_known("branches", X86_BRANCHES, n);
    uint64_t cond = x86_known("branches", X86_CONDITIONAL, n);
    uint64_t taken = 1 + n - 1;
    const struct counted intel = {"{r1c4:u,r10c4:u,r20c4:u,r2c4:u}",
                                  {cond, cond - taken, all - 1 - (cond - taken), 2 * n}};
    const struct counted zen = {"{rd1:u,rc4:u,rc8:u,rc6:u}",
                                {cond, all - (cond - taken), 2 * n, 1}};

    if (is_intel() &&
        (file_has("/proc/cpuinfo", "Skylake") || file_has("/proc/cpuinfo", "Broadwell"))) {
        expect_counted(test, &intel, 1);
    } else if (!is_intel() && machine.version != 0) {
        expect_counted(test, &zen, 1);
    } else {
        test_skip("this CPU model has no such events");
    }
}

/* What a predictor cannot mispredict once it has learned it. */
static void test_misses(const struct test *test)
{
    struct stat_result result;

    if (perf_stat(&result, ROW_PLAIN, "-e branch-misses:u -- " PROGRAMS "%s %" PRIu64,
                  test->program, test->n)) {
        expect_between("misses", 1, 100, result.rows[0].value);
    }
}

/* AMD has no event of loads alone before family 17h. */
static bool is_zen(void)
{
    return !is_intel() && machine.version != 0;
}

/* Events of accesses, and what each is on these CPU models: a sum of kinds, and of some others. */
struct accesses {
    const char *events;
    unsigned count;
    struct {
        enum x86_kind add[3];
        enum x86_kind less[2];
    } known[6];
};

static const struct accesses *accesses_here(void)
{
    static const struct accesses
        nehalem = {"r10b:u,r20b:u,rf40:u,rf41:u",
                   4,
                   {{{X86_READS}, {0}},
                    {{X86_WRITES}, {0}},
                    {{X86_LINES_READ}, {0}},
                    {{X86_LINES_WRITTEN}, {0}}}},
        core2 = {"rf40:u,rf41:u", 2, {{{X86_LINES_READ}, {0}}, {{X86_LINES_WRITTEN}, {0}}}},
        /* MEM_INST_RETIRED.ALL_LOADS "accounts for SW prefetch instructions"; then .ANY. */
        intel = {"r81d0:u,r82d0:u,r83d0:u,rf32:u",
                 4,
                 {{{X86_READS, X86_PREFETCHES}, {0}},
                  {{X86_WRITES}, {0}},
                  {{X86_READS, X86_WRITES, X86_PREFETCHES}, {X86_BOTH}},
                  {{X86_PREFETCHES}, {0}}}},
        /* LS_DISPATCH: what modifies memory is an operation of a third kind. */
        zen = {"r129:u,r229:u,r429:u,r40:u,r14b:u,r44b:u",
               6,
               {{{X86_READS}, {X86_MODIFIES}},
                {{X86_WRITES}, {X86_MODIFIES}},
                {{X86_MODIFIES}, {0}},
                {{X86_LINES_READ, X86_LINES_WRITTEN}, {0}},
                {{X86_PREFETCHES}, {X86_PREFETCHES_NTA, X86_PREFETCHES_W}},
                {{X86_PREFETCHES_NTA}, {0}}}},
        k7 = {"r40:u", 1, {{{X86_LINES_READ, X86_LINES_WRITTEN}, {0}}}};

    if (!is_intel()) {
        return is_zen() ? &zen : &k7;
    }
    return file_has("/proc/cpuinfo", "Nehalem")     ? &nehalem
           : file_has("/proc/cpuinfo", "Core(TM)2") ? &core2
                                                    : &intel;
}

static uint64_t known_kinds(const struct test *test, const enum x86_kind *kinds, size_t n)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < n && kinds[i] != X86_NO_KIND; i++) {
        sum += x86_known(test->program, kinds[i], test->n);
    }
    return sum;
}

/* What instructions read and write, and the lines: the events of each CPU model for them. */
static void test_accesses(const struct test *test)
{
    const struct accesses *here = accesses_here();
    struct stat_result result;

    if (!perf_stat(&result, ROW_PLAIN, "-e {%s} -- " PROGRAMS "%s %" PRIu64, here->events,
                   test->program, test->n)) {
        return;
    }
    for (unsigned i = 0; i < here->count; i++) {
        expect_row(&result, i,
                   known_kinds(test, here->known[i].add, ARRAY_SIZE(here->known[i].add)) -
                       known_kinds(test, here->known[i].less, ARRAY_SIZE(here->known[i].less)));
    }
}

/* Loads that lock, and loads and stores that cross a line or a page, of "splits". */
static void test_splits(const struct test *test)
{
    uint64_t n = test->n;
    const struct counted intel = {"{r21d0:u,r41d0:u,r42d0:u}", {3 * n, 8 * n, 6 * n}};
    const struct counted zen = {"{r147:u,r247:u}", {8 * n, n}};
    const struct counted zen5 = {"{r147:u,r247:u,r1f25:u}", {8 * n, n, 3 * n}};

    if (is_intel() && file_has("/proc/cpuinfo", " avx ")) {
        expect_counted(test, &intel, 1);
    } else if (x86_is_model("Turin")) {
        expect_counted(test, &zen5, 1);
    } else if (x86_is_model("Milan") || x86_is_model("Genoa")) {
        expect_counted(test, &zen, 1);
    } else {
        test_skip("this CPU model has no such events");
    }
}

/*
 * perf's own names, alone. The kernel's table defines what each means. All reads of "walk" miss
 * L1D, and each of its lines misses once in the levels behind it. At its beginning it reads up to 3
 * lines more, and fetches 2.
 */
static void caches(const struct test *test)
{
    uint64_t reads = x86_known(test->program, X86_READS, test->n);
    struct stat_result result;

    if (!perf_stat(&result, ROW_PLAIN,
                   "-e L1-dcache-loads:u,L1-dcache-load-misses:u -- " PROGRAMS "%s %" PRIu64,
                   test->program, test->n)) {
        return;
    }
    expect_row(&result, 0, reads);
    expect_between("misses of L1D", 1024 * test->n, 1024 * test->n + 4, result.rows[1].value);
    if (!perf_stat(&result, ROW_PLAIN,
                   "-e cache-references:u,cache-misses:u -- " PROGRAMS "%s %" PRIu64, test->program,
                   test->n)) {
        return;
    }
    if (is_intel()) {
        expect_between("references of LLC", 1024, 1024 + 16, result.rows[0].value);
    } else {
        expect_between("references of L2", 1024 * test->n, 1024 * test->n + 16,
                       result.rows[0].value);
    }
    expect_between("misses behind", 1024, 1024 + 8, result.rows[1].value);
}

/*
 * Write-backs are not references: each write of "fill" is a reference of L2 and of the last level.
 * It misses L2, which is the level of AMD's event, and the last level in the first round only.
 */
static void fill(const struct test *test)
{
    const uint64_t lines = 16384, all = lines * test->n;
    uint64_t misses = is_intel() ? lines : all;
    struct stat_result result;

    if (perf_stat(&result, ROW_PLAIN,
                  "-e cache-references:u,cache-misses:u -- " PROGRAMS "fill %" PRIu64, test->n)) {
        expect_between("references", all, all + 32, result.rows[0].value);
        expect_between("misses", misses, misses + 16, result.rows[1].value);
    }
}

/* A line that is flushed misses in all caches. */
static void flush(const struct test *test)
{
    struct stat_result result;

    if (perf_stat(&result, ROW_PLAIN,
                  "-e L1-dcache-load-misses:u,cache-misses:u -- " PROGRAMS "flush %" PRIu64,
                  test->n)) {
        expect_between("misses of L1D", test->n, test->n + 16, result.rows[0].value);
        expect_between("misses behind", test->n, test->n + 16, result.rows[1].value);
    }
}

/*
 * The levels that loads hit and miss. All but the first few loads of "walk" miss L1D; its lines are
 * in no cache in the first round, and in L2 from then on.
 */
static void levels(const struct test *test)
{
    static const struct {
        const char *events;
        uint64_t first_round, others;
    } rows[] = {
        {"{r81d0:u,r8d1:u,r1d1:u}", 1024, 1024}, /* all loads, L1 misses, L1 hits */
        {"{r8d1:u,r10d1:u,r2d1:u}", 1024, 0},    /* L1 misses, L2 misses, L2 hits */
        {"{r10d1:u,r20d1:u,r4d1:u}", 1024, 0},   /* L2 misses, L3 misses, L3 hits */
    };
    struct stat_result result;

    if (!is_intel() ||
        !(file_has("/proc/cpuinfo", "Skylake") || file_has("/proc/cpuinfo", "Icelake"))) {
        test_skip("this CPU model has other events");
        return;
    }
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        uint64_t least = rows[i].first_round + rows[i].others * (test->n - 1);

        if (!perf_stat(&result, ROW_PLAIN, "-e %s -- " PROGRAMS "%s %" PRIu64, rows[i].events,
                       test->program, test->n)) {
            return;
        }
        expect_between("misses", least, least + 8, result.rows[1].value);
        expect_eq("hits", result.rows[0].value - result.rows[1].value, result.rows[2].value);
    }
}

/* Each vCPU has caches of its own, so programs whose misses are counted have to stay on one. */
static void on_first_cpu(void (*body)(const struct test *test), const struct test *test)
{
    keep_to_first_cpu(true);
    body(test);
    keep_to_first_cpu(false);
}

static void test_caches(const struct test *test)
{
    on_first_cpu(caches, test);
}

static void test_fill(const struct test *test)
{
    on_first_cpu(fill, test);
}

static void test_flush(const struct test *test)
{
    on_first_cpu(flush, test);
}

static void test_levels(const struct test *test)
{
    on_first_cpu(levels, test);
}

/*
 * Cycles are issue slots by the width of a cycle, and stalls: IMUL in the argument has 2 of each
 * digit. Linux loses a fraction of a cycle each time the program has to wait, so two runs may
 * differ by one.
 */
static void test_cycles(const struct test *test)
{
    unsigned width = machine.width ? machine.width : 1;
    struct stat_result result;
    uint64_t known;

    if (!perf_stat(&result, ROW_PLAIN,
                   "-e {cycles:u,instructions:u} -e context-switches -- " PROGRAMS "%s %" PRIu64,
                   test->program, test->n)) {
        return;
    }
    expect_row(&result, 1, x86_known(test->program, X86_INSTRUCTIONS, test->n));
    known = x86_known(test->program, X86_SLOTS, test->n);
    known = (known + width * 2 * (unsigned)snprintf(NULL, 0, "%" PRIu64, test->n)) / width;
    expect_between("cycles:u", known - 1 - result.rows[2].value, known, result.rows[0].value);
}

static bool set_watchdog(const char *value)
{
    FILE *file = fopen("/proc/sys/kernel/watchdog", "we");
    bool ok = file != NULL && fputs(value, file) >= 0;

    return (file == NULL || fclose(file) == 0) && ok;
}

/* perf stat of a short program beside the lockup detector, as the guest boots. */
static void test_true(const struct test *test)
{
    struct stat_result result;

    (void)test;
    expect_eq("a watchdog", true, set_watchdog("1"));
    if (perf_stat(&result, ROW_PLAIN, "-- busybox true")) {
        for (size_t row = 0; row < result.count; row++) {
            const struct stat_row *r = &result.rows[row];

            /* Linux has no numbers for stalls from Skylake on. */
            if (r->event[0] != '\0' &&
                (r->supported || !strstr(r->event, "stalled") || !is_intel())) {
                expect_eq(r->event, true, r->counted);
                expect_between(r->event, 100, 100, (uint64_t)r->percent);
            } else if (r->event[0] == '\0' && r->percent > 0) {
                expect_between(r->metric, 100, 100, (uint64_t)r->percent);
            }
        }
    }
    set_watchdog("0");
}

/* Plain perf stat, beside the lockup detector: each event that exists counts all the time. */
static void test_plain(const struct test *test)
{
    struct stat_result result;

    if (!perf_stat(&result, ROW_PLAIN, "-- " PROGRAMS "loop %" PRIu64, test->n)) {
        return;
    }
    for (size_t row = 0; row < result.count; row++) {
        /* A row without an event is a further metric of the row above. */
        if (result.rows[row].supported && result.rows[row].event[0] != '\0') {
            expect_eq(result.rows[row].event, true, result.rows[row].counted);
            expect_between(result.rows[row].event, 100, 100, (uint64_t)result.rows[row].percent);
        }
    }
}

bool x86_is_model(const char *name)
{
    return file_has("/proc/cpuinfo", name);
}

static bool has_walks_by_size(void)
{
    return x86_is_model("Skylake") || x86_is_model("Broadwell");
}

/* Each row of @events counts 0, though another CPU model counts something by its number. */
static void expect_none(const char *events, const struct test *test)
{
    struct stat_result result;

    if (perf_stat(&result, ROW_PLAIN, "-e %s -- " PROGRAMS "%s %" PRIu64, events, test->program,
                  test->n)) {
        for (size_t row = 0; row < result.count; row++) {
            expect_row(&result, row, 0);
        }
    }
}

/* Walks by the size of their pages, and numbers that are no walks, no loads and no stores here. */
static void test_numbers(const struct test *test)
{
    struct stat_result result;

    if (!has_walks_by_size()) {
        test_skip("this CPU model has no walks by size");
        return;
    }
    if (perf_stat(&result, ROW_PLAIN, "-e {re08:u,r208:u,r408:u,r808:u} -- " PROGRAMS "%s %" PRIu64,
                  test->program, test->n)) {
        expect_between("walks", 1, UINT32_MAX, result.rows[0].value);
        expect_row(&result, 1, result.rows[0].value);
        expect_row(&result, 2, 0);
        expect_row(&result, 3, 0);
    }
    expect_none("{r1085:u,r20c8:u,r10b:u}", test);
}

/* BR_INST_RETIRED.ALL_BRANCHES has another unit mask on Nehalem. */
static void test_nehalem(const struct test *test)
{
    struct stat_result result;

    if (!x86_is_model("Nehalem")) {
        test_skip("this is no Nehalem");
    } else if (perf_stat(&result, ROW_PLAIN, "-e r4c4:u -- " PROGRAMS "%s %" PRIu64, test->program,
                         test->n)) {
        expect_row(&result, 0, x86_known(test->program, X86_BRANCHES, test->n));
    }
}

/*
 * perf's total_cycles: fewer than 10 instructions retire in each cycle. On Broadwell, Linux clears
 * six bits of what it writes back to a counter of umask 1 (erratum BDM11), and another value begins
 * a new cycle at each task switch.
 */
static void test_total_cycles(const struct test *test)
{
    struct stat_result result;

    if (!has_walks_by_size()) {
        test_skip("this CPU model has no such event");
    } else if (perf_stat(&result, ROW_PLAIN,
                         "-e {cycles:u,cpu/event=0xc0,umask=%d,inv=1,cmask=10/u} -- " PROGRAMS
                         "loop %" PRIu64,
                         x86_is_model("Broadwell") ? 0 : 1, test->n)) {
        expect_between("cycles", 1, UINT64_MAX, result.rows[0].value);
        expect_row(&result, 1, result.rows[0].value);
    }
}

/* The events of perf stat -d -d that each model's table has. */
static void test_detailed(const struct test *test)
{
    static const char *const events[] = {
        "L1-dcache-loads,L1-dcache-load-misses,L1-icache-load-misses",
        "dTLB-loads,dTLB-load-misses,iTLB-load-misses",
    };
    struct stat_result result;

    for (size_t i = 0; i < ARRAY_SIZE(events); i++) {
        if (!perf_stat(&result, ROW_PLAIN, "-e %s -- " PROGRAMS "loop %" PRIu64, events[i],
                       test->n)) {
            return;
        }
        for (size_t row = 0; row < result.count; row++) {
            expect_eq(result.rows[row].event, true, result.rows[row].counted);
            expect_between(result.rows[row].event, 1, UINT32_MAX, result.rows[row].value);
        }
    }
}

/* Two reads with a loop of 2 * N instructions between them; none of them enters the kernel. */
static uint64_t measure(uint32_t index, uint64_t n)
{
    uint64_t before, after;

    __asm__ volatile("rdpmc\n\t"
                     "shl $32, %%rdx\n\t"
                     "lea (%%rax, %%rdx), %0\n\t"
                     "1: dec %2\n\t"
                     "jnz 1b\n\t"
                     "rdpmc\n\t"
                     "shl $32, %%rdx\n\t"
                     "lea (%%rax, %%rdx), %1\n\t"
                     : "=&r"(before), "=&r"(after), "+&r"(n)
                     : "c"(index)
                     : "rax", "rdx");
    return after - before;
}

/* The same, repeated until nothing has taken the counter away in between. */
static uint64_t measure_event(volatile struct perf_event_mmap_page *page, uint64_t n)
{
    uint64_t measured;
    uint32_t lock;

    do {
        lock = page->lock;
        measured = page->index > 0 ? measure(page->index - 1, n) : 0;
    } while (page->lock != lock || page->index == 0);
    return measured;
}

/* From after the first RDPMC to after the second: SHL, LEA, the loop, RDPMC. */
static void test_rdpmc(const struct test *test)
{
    size_t size = (size_t)sysconf(_SC_PAGESIZE);
    struct perf_event_attr attr = event_user(EVENT_INST_RETIRED);
    int fd = event_must_open(&attr, 0, -1, -1);
    struct perf_event_mmap_page *page = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);

    if (page == MAP_FAILED) {
        test_fail("the event cannot be mapped");
        return;
    }
    ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
    expect_eq("programs may read it", true, page->cap_user_rdpmc);
    for (uint64_t i = 0; !test_failed() && i < test->n; i++) {
        expect_eq("instructions", 2 * (1 + 7 * i) + 3, measure_event(page, 1 + 7 * i));
    }
    munmap(page, size);
    close(fd);
}

/* More events than counters: each has its share of the time, and all are of the same program. */
static void test_multiplexed(const struct test *test)
{
    struct stat_result result;

    if (!perf_stat(&result, ROW_PLAIN,
                   "-e instructions:u,branches:u,r1c0:u,instructions:u,branches:u,instructions:u,"
                   "branches:u,instructions:u,branches:u,instructions:u,branches:u,instructions:u,"
                   "branches:u,instructions:u,branches:u,instructions:u,branches:u,instructions:u"
                   " -- " PROGRAMS "loop %" PRIu64,
                   test->n)) {
        return;
    }
    for (size_t i = 3; i < result.count; i += 2) {
        uint64_t known = known_instructions("loop", test->n);

        expect_eq("counted", true, result.rows[i].counted);
        expect_between("instructions", known / 2, known * 2, result.rows[i].value);
        expect_between("per cent of the time", 1, 99, (uint64_t)result.rows[i].percent);
    }
}

static double now(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

/* Counts across a snapshot or a migration, which READY requests, for N seconds. */
static void test_hold(const struct test *test)
{
    bool samples = access("/sys/bus/event_source/devices/ibs_op", F_OK) == 0;
    double begin = now();
    struct stat_result result;
    struct command stat, record;
    uint64_t n;

    command_run(NULL, 60, PROGRAMS "loop 50000000");
    n = (uint64_t)((double)test->n * 50000000 / (now() - begin));
    if (samples && !ibs_hold_start(&record)) {
        return;
    }
    if (perf_stat_start(&stat, "-e instructions:u,branches:u,cycles:u -- " PROGRAMS "loop %" PRIu64,
                        n)) {
        pause_ms(1000);
        printf("READY %s\n", test->name);
        fflush(stdout);
        if (perf_stat_finish(&stat, &result, ROW_PLAIN)) {
            expect_row(&result, 0, x86_known("loop", X86_INSTRUCTIONS, n));
            expect_row(&result, 1, x86_known("loop", X86_BRANCHES, n));
        }
    }
    if (samples) {
        ibs_hold_finish(&record);
    }
}

const struct test x86_tests[] = {
    {"hold/loop", test_hold, NULL, 8, 1, 3},
    {"x86/driver", test_driver, NULL, 0, 1, 1},
    {"x86/repeat-0", test_branches, "repeat", 1, 1, 2},
    {"x86/repeat-100", test_branches, "repeat", 100, 1, 2},
    {"x86/branches", test_branches, "branches", 5000, 1, 2},
    {"x86/syscalls", test_branches, "syscalls", 2000, 1, 2},
    {"x86/fault", test_branches, "fault", 2000, 1, 2},
    {"x86/forks", test_branches, "forks", 30, 1, 2},
    {"x86/trapped", test_branches, "trapped", 500, 1, 2},
    {"x86/jit", test_branches, "jit", 500, 1, 2},
    {"x86/refused", test_branches, "refused", 200, 1, 2},
    {"x86/fetch", test_branches, "fetch", 200, 1, 2},
    {"x86/conditional-loop", test_conditional, "loop", 1000, 1, 1},
    {"x86/conditional-branches", test_conditional, "branches", 1000, 1, 1},
    {"x86/conditional-forks", test_conditional, "forks", 20, 1, 1},
    {"x86/outcomes", test_outcomes, "branches", 1000, 1, 4},
    {"x86/levels", test_levels, "walk", 20, 1, 3},
    {"x86/cycles", test_cycles, "loop", 1000000, 1, 2},
    {"x86/cycles-repeat", test_cycles, "repeat", 20, 1, 2},
    {"x86/true", test_true, NULL, 0, 1, 5},
    {"x86/misses", test_misses, "branches", 5000, 1, 1},
    {"x86/accesses-access", test_accesses, "access", 300, 1, 1},
    {"x86/accesses-repeat", test_accesses, "repeat", 10, 1, 1},
    {"x86/accesses-fault", test_accesses, "fault", 500, 1, 1},
    {"x86/accesses-walk", test_accesses, "walk", 20, 1, 1},
    {"x86/splits", test_splits, "splits", 100, 1, 1},
    {"x86/caches", test_caches, "walk", 20, 1, 1},
    {"x86/caches-fill", test_fill, NULL, 4, 1, 1},
    {"x86/caches-flush", test_flush, NULL, 1000, 1, 1},
    {"x86/detailed", test_detailed, NULL, 100000, 1, 1},
    {"x86/plain", test_plain, NULL, 100000, 1, 5},
    {"x86/numbers", test_numbers, "walk", 20, 1, 4},
    {"x86/nehalem", test_nehalem, "branches", 500, 1, 1},
    {"x86/total-cycles", test_total_cycles, NULL, 100000, 1, 2},
    {"x86/rdpmc", test_rdpmc, NULL, 300, 1, 1},
    {"x86/multiplexed", test_multiplexed, NULL, 100000000, 1, 1},
    {"version/0", test_version, NULL, 0, 1, 1},
    {"version/2", test_version, NULL, 2, 1, 1},
    {"at-once", test_at_once, "syscalls", 2000, 1, 4},
};
const size_t x86_tests_count = ARRAY_SIZE(x86_tests);

const struct test last_tests[] = {
    {"no-warning", test_no_warning, NULL, 0, 1, 1},
};
const size_t last_tests_count = ARRAY_SIZE(last_tests);
