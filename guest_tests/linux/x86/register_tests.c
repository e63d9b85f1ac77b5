/* SPDX-License-Identifier: GPL-2.0-or-later */
/* MSRs that Linux does not use, or uses in one way only: what the manuals say of them. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <inttypes.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "command.h"
#include "suite.h"
#include "x86.h"

enum {
    MISC_ENABLE = 0x1a0,
    LBR_FROM = 0x680,
    LBR_TO = 0x6c0,
    MOST_RECORDS = 32,
    PEBS_DATA_CFG = 0x3f2,
    DS_AREA = 0x600,
};

/* AMD's, of which the last counter is not Linux's while little counts. */
#define EFER 0xc0000080
#define EFER_SVME (1ull << 12)
#define MPERF_READ_ONLY 0xc00000e7
#define INSTRUCTIONS_READ_ONLY 0xc00000e9
#define GLOBAL_STATUS 0xc0000300
#define GLOBAL_CONTROL 0xc0000301
#define ALL_COUNTERS 0x3full
#define PERF_CTL5 0xc001020a
#define PERF_CTR5 0xc001020b
#define HOST_ONLY (1ull << 41)
#define INSTRUCTIONS_EVERYWHERE 0x4300c0ull

#define EMON (1ull << 7)
#define BTS_UNAVAILABLE (1ull << 11)
#define PEBS_UNAVAILABLE (1ull << 12)
#define READ_ONLY (EMON | BTS_UNAVAILABLE | PEBS_UNAVAILABLE)
#define ROUNDS 20000ull

static int msrs = -1;

static bool begin(void)
{
    int module;

    if (msrs < 0) {
        module = open("/msr.ko", O_RDONLY | O_CLOEXEC);
        syscall(SYS_finit_module, module, "allow_writes=on", 0);
        close(module);
        msrs = open("/dev/cpu/0/msr", O_RDWR | O_CLOEXEC);
    }
    if (msrs < 0) {
        test_fail("there is no /dev/cpu/0/msr");
    }
    return msrs >= 0;
}

/* Returns false if the access raises #GP. */
static bool can_read(uint32_t msr, uint64_t *value)
{
    return pread(msrs, value, sizeof(*value), msr) == (ssize_t)sizeof(*value);
}

static bool can_write(uint32_t msr, uint64_t value)
{
    return pwrite(msrs, &value, sizeof(value), msr) == (ssize_t)sizeof(value);
}

static uint64_t rdmsr(uint32_t msr)
{
    uint64_t value = 0;

    expect_eq("RDMSR", true, can_read(msr, &value));
    return value;
}

/* Two instructions for each of @n. */
static void loop(uint64_t n)
{
    __asm__ volatile("1: dec %0\n\tjnz 1b" : "+r"(n));
}

/* Software finds the depth of the LBR stack by the first MSR that raises #GP. */
static void test_depth(const struct test *test)
{
    uint64_t value;

    if (!begin()) {
        return;
    }
    for (uint32_t n = 0; n < MOST_RECORDS; n++) {
        expect_eq("LASTBRANCH_FROM_IP", n < test->n, can_read(LBR_FROM + n, &value));
        expect_eq("LASTBRANCH_TO_IP", n < test->n, can_read(LBR_TO + n, &value));
    }
}

/* Neither the MSRs of other kinds of LBR nor those of PEBS that this CPU model lacks exist. */
static void test_lacking(const struct test *test)
{
    static const struct {
        uint32_t first, last;
    } rows[] = {
        {0x40, 0x47}, {0x60, 0x67}, {0x1a6, 0x1a7}, {0x329, 0x329}, {0x3f2, 0x3f2}, {0x3f7, 0x3f7},
    };
    uint64_t value;

    (void)test;
    if (!begin()) {
        return;
    }
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        for (uint32_t msr = rows[i].first; msr <= rows[i].last; msr++) {
            expect_eq("RDMSR", false, can_read(msr, &value));
            expect_eq("WRMSR", false, can_write(msr, 0));
        }
    }
}

/*
 * SDM volume 4, IA32_MISC_ENABLE: "Performance Monitoring Available (R)", "Branch Trace Storage
 * Unavailable (R/O)", "Processor Event Based Sampling (PEBS) Unavailable (R/O)".
 */
static void test_emon(const struct test *test)
{
    if (begin()) {
        expect_eq("read-only bits", test->n, rdmsr(MISC_ENABLE) & READ_ONLY);
        can_write(MISC_ENABLE, rdmsr(MISC_ENABLE) ^ READ_ONLY);
        expect_eq("after a write", test->n, rdmsr(MISC_ENABLE) & READ_ONLY);
    }
}

/* Without LA57 an address has 48 bits. */
static void test_canonical(const struct test *test)
{
    uint64_t before;

    (void)test;
    if (!begin()) {
        return;
    }
    before = rdmsr(DS_AREA);
    expect_eq("48 bits", true, can_write(DS_AREA, 0x00007ffffffff000));
    expect_eq("not canonical", false, can_write(DS_AREA, 0x0000800000000000));
    expect_eq("57 bits", false, can_write(DS_AREA, 0x00fffffffffff000));
    can_write(DS_AREA, before);
}

/* PPR: read-only, and writes are ignored. */
static void test_status(const struct test *test)
{
    uint64_t before;

    (void)test;
    if (begin()) {
        before = rdmsr(GLOBAL_STATUS);
        expect_eq("a write", true, can_write(GLOBAL_STATUS, ~before));
        expect_eq("status", before, rdmsr(GLOBAL_STATUS));
    }
}

/*
 * A counter of the host counts nothing without EFER.SVME, and counts as soon as that is set, also
 * if nothing has been counted for some seconds.
 */
static void host_only(void)
{
    uint64_t efer, control;

    efer = rdmsr(EFER);
    control = rdmsr(GLOBAL_CONTROL);
    can_write(GLOBAL_CONTROL, ALL_COUNTERS);
    can_write(EFER, efer & ~EFER_SVME);
    can_write(PERF_CTR5, 0);
    can_write(PERF_CTL5, INSTRUCTIONS_EVERYWHERE | HOST_ONLY);
    loop(ROUNDS);
    expect_eq("without SVME", 0, rdmsr(PERF_CTR5));
    pause_ms(4000);
    can_write(EFER, efer | EFER_SVME);
    loop(ROUNDS);
    expect_between("with SVME", 2 * ROUNDS, 100 * ROUNDS, rdmsr(PERF_CTR5));
    can_write(PERF_CTL5, 0);
    can_write(EFER, efer);
    can_write(GLOBAL_CONTROL, control);
}

/* PPR of family 17h: MperfReadOnly, AperfReadOnly and IRPerfCount. */
static void free_running(void)
{
    uint64_t before[3], after[3], tsc, least;
    uint64_t start = __builtin_ia32_rdtsc();

    for (uint32_t i = 0; i < ARRAY_SIZE(before); i++) {
        rdmsr(MPERF_READ_ONLY + i);
        before[i] = rdmsr(MPERF_READ_ONLY + i);
    }
    tsc = __builtin_ia32_rdtsc();
    loop(100 * ROUNDS);
    least = __builtin_ia32_rdtsc() - tsc;
    for (uint32_t i = 0; i < ARRAY_SIZE(before); i++) {
        after[i] = rdmsr(MPERF_READ_ONLY + i) - before[i];
    }
    expect_between("MPERF, of the TSC's cycles", least, __builtin_ia32_rdtsc() - start, after[0]);
    expect_between("APERF", 100 * ROUNDS / 4, UINT64_MAX, after[1]);
    expect_between("instructions", 200 * ROUNDS, 400 * ROUNDS, after[2]);
    expect_eq("a write", false, can_write(INSTRUCTIONS_READ_ONLY, 0));
}

/* The MSRs are those of the first CPU. */
static void on_first_cpu(void (*body)(void))
{
    if (begin()) {
        keep_to_first_cpu(true);
        body();
        keep_to_first_cpu(false);
    }
}

static void test_host_only(const struct test *test)
{
    (void)test;
    on_first_cpu(host_only);
}

static void test_free_running(const struct test *test)
{
    (void)test;
    on_first_cpu(free_running);
}

const struct test register_tests[] = {
    {"registers/depth-0", test_depth, NULL, 0, 1, 1},
    {"registers/depth-16", test_depth, NULL, 16, 1, 1},
    {"registers/depth-32", test_depth, NULL, 32, 1, 1},
    {"registers/lacking", test_lacking, NULL, 0, 1, 1},
    {"registers/emon", test_emon, NULL, EMON | BTS_UNAVAILABLE, 1, 1},
    {"registers/no-pebs", test_emon, NULL, READ_ONLY, 1, 1},
    {"registers/canonical", test_canonical, NULL, 0, 1, 1},
    {"registers/status", test_status, NULL, 0, 1, 1},
    {"registers/host-only", test_host_only, NULL, 0, 1, 1},
    {"registers/free-running", test_free_running, NULL, 0, 1, 1},
};
const size_t register_tests_count = ARRAY_SIZE(register_tests);
