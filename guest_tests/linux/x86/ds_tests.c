/* SPDX-License-Identifier: GPL-2.0-or-later */
/* DS areas that no kernel would set up: PEBS loses its records there, and nothing else happens. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "command.h"
#include "suite.h"

#define PAGE 4096ull
#define RECORD 200ull
#define PERIOD 1000
#define ROUNDS 100000ull

/*
 * Pages at a fixed address: the first is the area; the next three can be written, only read, not
 * accessed.
 */
#define AREA 0x200000000ull
#define BUFFER (AREA + PAGE)
#define READ_ONLY (AREA + 2 * PAGE)
#define NOTHING (AREA + 3 * PAGE)

enum {
    PMC0 = 0xc1,
    PERFEVTSEL0 = 0x186,
    PEBS_ENABLE = 0x3f1,
    LOAD_LATENCY = 0x3f6,
    DS_AREA = 0x600,
};

/* 64-bit words of the area. */
enum {
    BASE = 4,
    INDEX,
    MAXIMUM,
    THRESHOLD,
    RESET,
};

static const struct area {
    const char *what;
    uint64_t area;
    uint64_t base;
    uint64_t index;
    uint64_t maximum;
    uint64_t threshold;
    uint64_t records; /* that are written; 0: none */
} areas[] = {
    {"5 records", AREA, BUFFER, BUFFER, BUFFER + 5 * RECORD, UINT64_MAX, 5},
    {"room for 5 and a bit", AREA, BUFFER, BUFFER, BUFFER + 6 * RECORD - 1, UINT64_MAX, 5},
    {"the threshold behind it", AREA, BUFFER, BUFFER, BUFFER + 2 * RECORD, BUFFER + PAGE, 2},
    {"up to the end of a page", AREA, BUFFER, READ_ONLY - RECORD, NOTHING, UINT64_MAX, 1},
    {"a record across its end", AREA, BUFFER, READ_ONLY - 8, NOTHING, UINT64_MAX, 0},
    {"no room", AREA, BUFFER, BUFFER, BUFFER + RECORD - 1, UINT64_MAX, 0},
    {"the index below", AREA, BUFFER, BUFFER - 8, BUFFER + PAGE, UINT64_MAX, 0},
    {"the index above", AREA, BUFFER, BUFFER + PAGE, BUFFER + PAGE, UINT64_MAX, 0},
    {"the index at the top", AREA, BUFFER, UINT64_MAX - 7, UINT64_MAX, UINT64_MAX, 0},
    {"an end at 0", AREA, 0, 0, 0, UINT64_MAX, 0},
    {"read-only", AREA, READ_ONLY, READ_ONLY, NOTHING, UINT64_MAX, 0},
    {"not mapped", AREA, NOTHING, NOTHING, NOTHING + PAGE, UINT64_MAX, 0},
    {"not canonical", AREA, 1ull << 60, 1ull << 60, UINT64_MAX, UINT64_MAX, 0},
    {"a threshold of 0", AREA, NOTHING, NOTHING, NOTHING + PAGE, 0, 0},
    {"no area", 0, 0, 0, 0, 0, 0},
    {"an area that is read-only", READ_ONLY, 0, 0, 0, 0, 0},
    {"an area that ends where nothing is", NOTHING - 64, 0, 0, 0, 0, 0},
    {"an area at the top", UINT64_MAX - 7, 0, 0, 0, 0, 0},
    {"the page of vsyscall", 0xffffffffff600000, 0, 0, 0, 0, 0},
};

static int msr = -1;

static void wrmsr(off_t address, uint64_t value)
{
    if (pwrite(msr, &value, sizeof(value), address) != (ssize_t)sizeof(value)) {
        test_fail("MSR %#lx cannot be written", (unsigned long)address);
    }
}

static bool open_msrs(void)
{
    int module = open("/msr.ko", O_RDONLY | O_CLOEXEC);

    if (module >= 0) {
        syscall(SYS_finit_module, module, "allow_writes=on", 0);
        close(module);
    }
    msr = open("/dev/cpu/0/msr", O_RDWR | O_CLOEXEC);
    return msr >= 0;
}

static bool map_pages(void)
{
    static const int rights[] = {PROT_READ | PROT_WRITE, PROT_READ | PROT_WRITE, PROT_READ};

    for (unsigned i = 0; i < ARRAY_SIZE(rights); i++) {
        void *want = (void *)(AREA + i * PAGE);
        void *page = mmap(want, PAGE, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE | MAP_POPULATE, -1, 0);

        if (page != want || mprotect(page, PAGE, rights[i]) != 0) {
            return false;
        }
    }
    return true;
}

/* Instructions, and loads above no latency, whose records have a data address. */
static const struct counted {
    uint64_t select;
    uint64_t enable;
    bool loads;
} counted[] = {{0x4100c0, 1, false}, {0x4101cd, 1 | 1ull << 32, true}};

static uint64_t loaded;

/* At least 100 periods of each, at CPL 3. */
static void execute(void)
{
    uint64_t n = ROUNDS;

    __asm__ volatile("1: mov %1, %%rax\n\tdec %0\n\tjnz 1b" : "+r"(n) : "m"(loaded) : "rax");
}

static void test_area(const struct area *a, const struct counted *of)
{
    volatile uint64_t *words = (volatile uint64_t *)AREA;
    const uint64_t *record = (const uint64_t *)a->index;

    memset((void *)AREA, 0, 2 * PAGE);
    words[BASE] = a->base;
    words[INDEX] = a->index;
    words[MAXIMUM] = a->maximum;
    words[THRESHOLD] = a->threshold;
    words[RESET] = (uint64_t)-PERIOD;
    wrmsr(DS_AREA, a->area);
    wrmsr(PEBS_ENABLE, of->enable);
    wrmsr(PMC0, (uint32_t)-PERIOD);
    wrmsr(PERFEVTSEL0, of->select);
    execute();
    wrmsr(PERFEVTSEL0, 0);
    wrmsr(PEBS_ENABLE, 0);
    expect_eq(a->what, a->index + a->records * RECORD, words[INDEX]);
    for (uint64_t i = 0; i < a->records; i++) {
        expect_eq("of counter 0", 1, record[i * RECORD / 8 + 18]);
        expect_eq("data address", of->loads ? (uint64_t)&loaded : 0, record[i * RECORD / 8 + 19]);
    }
    expect_eq("the base", a->base, words[BASE]);
    expect_eq("the reset value", (uint64_t)-PERIOD, words[RESET]);
}

/* Linux gets its area back. */
static void test_areas(const struct test *test)
{
    uint64_t before = 0;

    (void)test;
    if (!open_msrs() || !map_pages()) {
        test_fail("there is no /dev/cpu/0/msr, or no memory");
        return;
    }
    keep_to_first_cpu(true);
    if (pread(msr, &before, sizeof(before), DS_AREA) != (ssize_t)sizeof(before)) {
        test_fail("there is no DS_AREA");
    }
    wrmsr(LOAD_LATENCY, 0);
    for (size_t i = 0; i < 2 * ARRAY_SIZE(areas) && !test_failed(); i++) {
        test_area(&areas[i / 2], &counted[i % 2]);
    }
    wrmsr(DS_AREA, before);
    keep_to_first_cpu(false);
    close(msr);
}

const struct test ds_tests[] = {
    {"ds/areas", test_areas, NULL, 0, 1, 1},
};
const size_t ds_tests_count = ARRAY_SIZE(ds_tests);
