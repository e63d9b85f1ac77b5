/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reference cycles are the TSC's, and the lockup detector's NMIs come in time. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "command.h"
#include "perf.h"
#include "suite.h"

/* In per mille. */
#define NEARLY 1
#define TRIES 5

static bool is_near(uint64_t got, uint64_t known)
{
    return got >= known - known / 1000 * NEARLY && got <= known + known / 1000 * NEARLY;
}

/*
 * A CPU that never halts has as many reference cycles as the TSC. perf starts and stops the two one
 * after the other, and the host may do something else in between. So it is tried several times: a
 * wrong rate is never right.
 */
static void test_reference(const struct test *test)
{
    struct stat_result result;
    uint64_t got = 0, tsc = 0;

    keep_to_first_cpu(true);
    for (unsigned i = 0; i < TRIES && (i == 0 || !is_near(got, tsc)); i++) {
        if (!perf_stat(&result, ROW_PLAIN,
                       "-C 0 -e ref-cycles,msr/tsc/ -- " PROGRAMS "loop %" PRIu64, test->n)) {
            keep_to_first_cpu(false);
            return;
        }
        got = result.rows[0].value;
        tsc = result.rows[1].value;
    }
    expect_between("ref-cycles", tsc - tsc / 1000 * NEARLY, tsc + tsc / 1000 * NEARLY, got);
    keep_to_first_cpu(false);
}

/* N: the MHz of the clock that the CPU model's list of events names for 013CH. */
static void test_bus(const struct test *test)
{
    struct stat_result result;
    uint64_t ns;

    keep_to_first_cpu(true);
    if (perf_stat(&result, ROW_PLAIN,
                  "-C 0 -e bus-cycles,duration_time -- " PROGRAMS "loop 100000000")) {
        ns = result.rows[1].value;
        /* The TSC has a whole number of cycles in one of the bus. */
        expect_between("bus-cycles", ns * test->n / 1000 * 93 / 100,
                       ns * test->n / 1000 * 107 / 100, result.rows[0].value);
    }
    keep_to_first_cpu(false);
}

static bool write_file(const char *path, unsigned value)
{
    FILE *file = fopen(path, "we");
    bool ok = file != NULL && fprintf(file, "%u", value) > 0;

    return (file == NULL || fclose(file) == 0) && ok;
}

/* The NMIs of the first CPU. */
static uint64_t nmis(void)
{
    char line[4096];
    uint64_t count = UINT64_MAX;
    FILE *file = fopen("/proc/interrupts", "re");

    while (file != NULL && count == UINT64_MAX && fgets(line, sizeof(line), file) != NULL) {
        const char *found = strstr(line, "NMI:");

        if (found != NULL) {
            count = strtoull(found + strlen("NMI:"), NULL, 10);
        }
    }
    if (file != NULL) {
        fclose(file);
    }
    return count;
}

/* What Linux takes for the rate of the TSC, in kHz. */
static uint64_t cpu_khz(void)
{
    char line[4096];
    double mhz = 0;
    FILE *file = fopen("/proc/cpuinfo", "re");

    while (file != NULL && mhz <= 0 && fgets(line, sizeof(line), file) != NULL) {
        sscanf(line, "cpu MHz : %lf", &mhz);
    }
    if (file != NULL) {
        fclose(file);
    }
    return (uint64_t)(mhz * 1000);
}

/* Starts the lockup detector, and returns after how many cycles of the TSC its NMIs have to come.
 */
static uint64_t start_watchdog(unsigned thresh)
{
    keep_to_first_cpu(true);
    expect_eq("watchdog_thresh", true,
              write_file("/proc/sys/kernel/watchdog_thresh", thresh) &&
                  write_file("/proc/sys/kernel/watchdog", 1));
    return cpu_khz() * 1000 * thresh;
}

static void stop_watchdog(void)
{
    write_file("/proc/sys/kernel/watchdog", 0);
    keep_to_first_cpu(false);
}

/* Spins until the next NMI, or for four periods. Returns its time. */
static uint64_t next_nmi(uint64_t period)
{
    uint64_t end = __builtin_ia32_rdtsc() + 4 * period;
    uint64_t before = nmis(), now;

    do {
        now = __builtin_ia32_rdtsc();
    } while (nmis() == before && now < end);
    return now;
}

static bool is_period(uint64_t ticks, uint64_t period)
{
    return ticks >= period / 100 * 95 && ticks <= period / 100 * 105;
}

/*
 * N: watchdog_thresh. Linux takes cpu_khz * 1000 cycles for a second
 * (arch/x86/kernel/apic/hw_nmi.c). A busy host delays single NMIs, so without icount the best of
 * some is taken.
 */
static void test_watchdog(const struct test *test)
{
    uint64_t period = start_watchdog((unsigned)test->n);
    uint64_t first = next_nmi(period), ticks = 0;

    for (unsigned i = 0; i < (machine.icount ? 1 : 2 * TRIES) && !is_period(ticks, period); i++) {
        uint64_t next = next_nmi(period);

        ticks = next - first;
        first = next;
    }
    expect_between("cycles of the TSC between two NMIs", period / 100 * 95, period / 100 * 105,
                   ticks);
    if (machine.icount) {
        expect_between("kHz of the TSC", 990000, 1010000, cpu_khz());
    }
    stop_watchdog();
}

/* Reads what the kernel has logged since the last call, and tells whether @text is in it. */
static bool is_logged(int log, const char *text)
{
    char record[8192];
    bool found = false;
    ssize_t length;

    while ((length = read(log, record, sizeof(record) - 1)) > 0) {
        record[length] = '\0';
        found |= strstr(record, text) != NULL;
    }
    return found;
}

/*
 * N: watchdog_thresh. Without interrupts of its local timer, a CPU looks locked up, while this
 * program goes on. Linux says so at the second NMI at the latest (kernel/watchdog.c).
 */
static void test_lockup(const struct test *test)
{
    const size_t lvt_timer = 0x320 / 4, initial_count = 0x380 / 4;
    const uint32_t masked = 1 << 16;
    int memory = open("/dev/mem", O_RDWR | O_SYNC | O_CLOEXEC);
    int log = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    volatile uint32_t *apic =
        mmap(NULL, 0x1000, PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0xfee00000);
    uint64_t period = start_watchdog((unsigned)test->n), start;
    uint32_t timer;
    bool found = false;

    if (apic == MAP_FAILED || log < 0) {
        test_fail("the local APIC or the kernel's log is missing");
        stop_watchdog();
        return;
    }
    is_logged(log, "");
    next_nmi(period);
    timer = apic[lvt_timer];
    apic[lvt_timer] = timer | masked;
    start = __builtin_ia32_rdtsc();
    while (!found && __builtin_ia32_rdtsc() - start < 4 * period) {
        found = is_logged(log, "Watchdog detected hard LOCKUP on cpu 0");
    }
    start = __builtin_ia32_rdtsc() - start;
    apic[lvt_timer] = timer;
    apic[initial_count] = 1;
    expect_between("cycles of the TSC to the report", period / 2, period / 100 * 210, start);
    stop_watchdog();
    munmap((void *)apic, 0x1000);
    close(memory);
    close(log);
}

const struct test clock_tests[] = {
    {"clocks/reference", test_reference, NULL, 100000000, 1, 2},
    {"clocks/bus-25", test_bus, NULL, 25, 1, 2},
    {"clocks/bus-100", test_bus, NULL, 100, 1, 2},
    {"clocks/bus-133", test_bus, NULL, 133, 1, 2},
    {"clocks/watchdog-1s", test_watchdog, NULL, 1, 1, 1},
    {"clocks/watchdog-2s", test_watchdog, NULL, 2, 1, 1},
    {"clocks/watchdog-10s", test_watchdog, NULL, 10, 1, 1},
    {"clocks/watchdog-60s", test_watchdog, NULL, 60, 1, 1},
    {"clocks/lockup-1", test_lockup, NULL, 1, 1, 1},
    {"clocks/lockup-10", test_lockup, NULL, 10, 1, 1},
};
const size_t clock_tests_count = ARRAY_SIZE(clock_tests);
