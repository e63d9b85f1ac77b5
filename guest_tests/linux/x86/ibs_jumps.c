/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Instruction-based sampling of AMD's CPUs: samples of chosen instructions, without Linux's driver.
 *
 * The tests execute code that jumps from line to line, so each instruction is a fetch. Intervals
 * begin when Linux writes the control registers and end in this code.
 */
#define _GNU_SOURCE
#include <inttypes.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "event.h"
#include "ibs.h"
#include "suite.h"

enum {
    JUMPS = 0x3000,
    OPS = 0x3000,
    FETCHES = 0x1800,
    MOST_OPS = 0x20000,
    TRIES = 6, /* interrupts of Linux prolong the way */
};

static uint8_t *jumps;

/* The lines in which the next op and the next fetch are sampled. */
struct ends {
    int64_t op, fetch;
};

static bool make_jumps(void)
{
    size_t bytes = (JUMPS + 1) * LINE;
    uint8_t *code = mmap(NULL, bytes, PROT_READ | PROT_WRITE | PROT_EXEC,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

    if (code == MAP_FAILED) {
        test_fail("there is no memory for code");
        return false;
    }
    for (size_t i = 0; i < JUMPS; i++) {
        code[i * LINE] = 0xeb;
        code[i * LINE + 1] = LINE - 2;
    }
    code[JUMPS * LINE] = 0xc3;
    jumps = code;
    return true;
}

static int64_t line_of(uint64_t address)
{
    return (int64_t)(address - (uintptr_t)jumps) / LINE;
}

/* Executes the jumps once while both units are enabled; the interval of ops is shorter by @less. */
static struct ends run_jumps(int64_t less, uint64_t address)
{
    void (*run)(uint64_t rounds, uint64_t address) = (void (*)(uint64_t, uint64_t))(uintptr_t)jumps;
    uint64_t count = (uint64_t)(MOST_OPS - OPS + less);
    struct ends ends;

    expect_eq("WRMSR", true, ibs_wrmsr(FETCH_CTL, FETCH_EN | FETCHES >> 4));
    expect_eq("WRMSR", true, ibs_wrmsr(OP_CTL, OP_EN | CNT_CTL | MOST_OPS >> 4 | count << 32));
    run(0, address);
    ends.op = line_of(ibs_rdmsr(OP_RIP));
    ends.fetch = line_of(ibs_rdmsr(FETCH_LINEAR));
    return ends;
}

static void stop_both(void)
{
    expect_eq("WRMSR", true, ibs_wrmsr(OP_CTL, 0));
    expect_eq("WRMSR", true, ibs_wrmsr(FETCH_CTL, 0));
}

/* Returns where both intervals end. Without an interrupt, they do so twice at the same places. */
static struct ends find_ends(void)
{
    struct ends ends = {-1, -1}, last;
    unsigned tries = TRIES;

    do {
        last = ends;
        ends = run_jumps(0, 0);
        stop_both();
    } while ((ends.op != last.op || ends.fetch != last.fetch) && --tries > 0);
    if (ends.op < ends.fetch || ends.op >= JUMPS || ends.fetch < 0) {
        test_fail("the intervals end in the lines %" PRId64 " and %" PRId64, ends.op, ends.fetch);
    }
    return ends;
}

/* Neither unit disturbs the other, however close to each other their intervals end. */
static void both_units(void)
{
    enum {
        CLOSE = 3
    };
    struct ends ends, got = {0, 0};

    if (!make_jumps()) {
        return;
    }
    ibs_apic_write(APIC_ENTRY, MASKED | NMI);
    ends = find_ends();
    for (int64_t i = -CLOSE; i <= CLOSE && !test_failed(); i++) {
        unsigned tries = TRIES;

        do {
            got = run_jumps(ends.op - ends.fetch - i, 0);
            stop_both();
        } while ((got.op != ends.fetch + i || got.fetch != ends.fetch) && --tries > 0);
        if (tries == 0) {
            test_fail("the op is sampled %" PRId64 " lines behind the fetch, expected %" PRId64
                      "; the fetch %" PRId64 " lines late",
                      got.op - got.fetch, i, got.fetch - ends.fetch);
        }
    }
    ibs_apic_write(APIC_ENTRY, NMI);
}

/* APM 2, 13.3.3: a load that is to be sampled but faults is no sample; the count begins again. */
static void faulting_op(void)
{
    enum {
        BEFORE = 100, /* the load is so many lines before the end of the interval */
        PAGE = 4096,
    };
    const uint8_t load[] = {0x8a, 0x06, 0xeb, LINE - 4}; /* mov (%rsi), %al; jmp */
    uint64_t control = 0;
    struct ends ends, got = {0, 0};
    uint8_t *pages;
    unsigned tries = TRIES;

    pages =
        mmap(NULL, (TRIES + 1) * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (!make_jumps() || pages == MAP_FAILED) {
        return;
    }
    ibs_apic_write(APIC_ENTRY, MASKED | NMI);
    ends = find_ends();
    memcpy(jumps + (ends.op - BEFORE) * LINE, load, sizeof(load));
    do {
        pages[0] = 1;
        got = run_jumps(BEFORE, (uintptr_t)pages);
        expect_eq("a sample", OP_VAL, ibs_rdmsr(OP_CTL) & OP_VAL);
        stop_both();
    } while (got.op != ends.op - BEFORE && --tries > 0);
    expect_eq("the load is sampled", true, got.op == ends.op - BEFORE);
    expect_eq("its address", (uintptr_t)pages, ibs_rdmsr(DC_LINEAR));
    for (tries = 1; tries <= TRIES; tries++) {
        run_jumps(BEFORE, (uintptr_t)(pages + tries * PAGE));
        control = ibs_rdmsr(OP_CTL);
        stop_both();
        if (!(control & OP_VAL)) {
            break;
        }
    }
    expect_eq("no sample", 0, control & OP_VAL);
    expect_between("the count has begun again", 1, MOST_OPS - OPS, control >> 32);
    ibs_apic_write(APIC_ENTRY, NMI);
}

/*
 * Loads that a run of the jumps makes instead, the first of them in line LOADS_FIRST. Their lines
 * are more than L1 has ways for.
 */
enum {
    LOADS = 500,
    LOADS_FIRST = 10,
    LOADS_RANGE = 1 << 20, /* more than L2 has, and less than L3 */
    LOAD_SIZE = 6,
    LEVELS = 4,
};

/* One of them is made behind the others, between two reads of these counters. */
struct level_counter {
    uint64_t event; /* LS_DMND_FILLS_FROM_SYS */
    int fd;
    volatile struct perf_event_mmap_page *page;
    uint32_t lock;
    uint32_t before_less_after; /* the code stores it */
};

static struct level_counter counters[LEVELS] = {
    {.event = 0},
    {.event = 0x0143},
    {.event = 0x0243},
    {.event = 0x0843},
};
static const char *const level_names[LEVELS] = {"L1", "L2", "L3", "memory"};

static uint8_t *put(uint8_t *code, const void *bytes, size_t n)
{
    memcpy(code, bytes, n);
    return code + n;
}

static uint8_t *put_jump(uint8_t *code, const uint8_t *target)
{
    int32_t distance = (int32_t)(target - (code + 5));

    *code++ = 0xe9;
    return put(code, &distance, sizeof(distance));
}

/* Returns where load @i has its data; any place will do. */
static uint32_t offset_of(unsigned i)
{
    return ((i + 1) * 2654435761u >> 8) % LOADS_RANGE & ~(LINE - 1u);
}

/* Changes the code of line LOADS_FIRST + @i: mov OFFSET(%rsi), %al; jmp */
static void make_load(unsigned i)
{
    uint32_t offset = offset_of(i);
    uint8_t *code = jumps + (LOADS_FIRST + i) * LINE;

    code = put(code, (uint8_t[]){0x8a, 0x86}, 2);
    code = put(code, &offset, sizeof(offset));
    put(code, (uint8_t[]){0xeb, LINE - LOAD_SIZE - 2}, 2);
}

/* mov $COUNTER, %ecx; rdpmc */
static uint8_t *put_read(uint8_t *code, const struct level_counter *counter)
{
    uint32_t index = counter->page->index - 1;

    *code++ = 0xb9;
    code = put(code, &index, sizeof(index));
    return put(code, (uint8_t[]){0x0f, 0x33}, 2);
}

#define BEFORE_LOAD 10 /* the instructions that make_counted() puts before it */

/*
 * Lets line LOADS_FIRST + @i jump to code that makes its load between reads of the counters. They
 * are kept in R8D to R10D, as stores would be counted. Returns the address of the load.
 */
static uint64_t make_counted(unsigned i)
{
    uint8_t *from = jumps + (LOADS_FIRST + i) * LINE;
    uint8_t *code = jumps + (LOADS_FIRST + LOADS + 1) * LINE;
    uint8_t load[LOAD_SIZE];
    uint64_t address;

    memcpy(load, from, sizeof(load));
    put_jump(from, code);
    for (uint8_t n = 1; n < LEVELS; n++) {
        /* mov %eax, %r8d and so on */
        code = put(put_read(code, &counters[n]), (uint8_t[]){0x41, 0x89, 0xc0 + n - 1}, 3);
    }
    address = (uintptr_t)code;
    code = put(code, load, sizeof(load));
    for (uint8_t n = 1; n < LEVELS; n++) {
        /* sub %eax, %r8d and so on */
        code = put(put_read(code, &counters[n]), (uint8_t[]){0x41, 0x29, 0xc0 + n - 1}, 3);
    }
    for (uint8_t n = 1; n < LEVELS; n++) {
        uint64_t result = (uintptr_t)&counters[n].before_less_after;

        /* mov %r8d, %eax and so on; mov %eax, RESULT */
        code = put(code, (uint8_t[]){0x44, 0x89, (uint8_t)(0xc0 + 8 * (n - 1)), 0xa3}, 4);
        code = put(code, &result, sizeof(result));
    }
    put_jump(code, from + LINE);
    return address;
}

/* Returns the level of the data by IbsOpData3 and IbsOpData2. */
static unsigned level_of_sample(void)
{
    uint64_t data3 = ibs_rdmsr(OP_DATA3);

    if (!(data3 & CACHE_MISS)) {
        return 0;
    }
    return !(data3 & L2_MISS) ? 1 : (ibs_rdmsr(OP_DATA2) & SOURCE) == SOURCE_L3 ? 2 : 3;
}

/* Returns the level by the counters; LEVELS if Linux has taken one away in between. */
static unsigned level_of_counters(void)
{
    unsigned level = 0;

    for (unsigned n = 1; n < LEVELS; n++) {
        uint32_t counted = -counters[n].before_less_after;

        if (counters[n].page->lock != counters[n].lock) {
            return LEVELS;
        }
        expect_between("a load", 0, 1, counted);
        if (counted != 0) {
            expect_eq("its other level", 0, level);
            level = n;
        }
    }
    return level;
}

static bool open_counters(void)
{
    for (unsigned n = 1; n < LEVELS; n++) {
        struct perf_event_attr attr = event_user(counters[n].event);
        void *page;

        attr.disabled = 0;
        counters[n].fd = event_must_open(&attr, 0, -1, -1);
        page = mmap(NULL, (size_t)sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, counters[n].fd, 0);
        if (page == MAP_FAILED) {
            test_fail("the event cannot be mapped");
            return false;
        }
        counters[n].page = page;
    }
    return true;
}

static void touch(const volatile uint8_t *lines, size_t bytes)
{
    for (size_t at = 0; at < bytes; at += LINE) {
        (void)lines[at];
    }
}

/* Samples load @i in a run; returns whether it was sampled, and Linux did not interfere. */
static bool sample_load(unsigned i, int64_t end, const uint8_t *data, unsigned seen[LEVELS])
{
    unsigned sampled, counted = LEVELS;
    uint64_t load;
    bool is_load;

    for (unsigned n = 1; n < LEVELS; n++) {
        counters[n].lock = counters[n].page->lock;
    }
    load = make_counted(i);
    /* A line with a load has two instructions. */
    run_jumps(end - (LOADS_FIRST + 2 * i + BEFORE_LOAD), (uintptr_t)data);
    is_load = ibs_rdmsr(OP_RIP) == load;
    sampled = level_of_sample();
    stop_both();
    if (is_load) {
        counted = level_of_counters();
    }
    make_load(i);
    if (counted == LEVELS) {
        return false;
    }
    expect_eq("the level", counted, sampled);
    seen[sampled]++;
    return true;
}

/*
 * The level of each sampled load is the one that counters count for it. They count programs only,
 * so an interrupt in between does not matter. Before one of four loads, L2 has other lines, so it
 * hits L3; another one of four is in no cache.
 */
static void sampled_levels(void)
{
    unsigned seen[LEVELS] = {0};
    uint8_t *data = mmap(NULL, 2 * LOADS_RANGE, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    struct ends ends;

    if (!make_jumps() || data == MAP_FAILED || !open_counters()) {
        return;
    }
    ibs_apic_write(APIC_ENTRY, MASKED | NMI);
    ends = find_ends();
    for (unsigned i = 0; i < LOADS; i++) {
        make_load(i);
    }
    jumps[(LOADS_FIRST + LOADS) * LINE] = 0xc3;
    for (unsigned i = 0; i < LOADS && !test_failed(); i++) {
        unsigned tries = TRIES;

        do {
            if (i % 4 == 2) {
                touch(data + LOADS_RANGE, LOADS_RANGE);
            } else if (i % 4 == 3) {
                __builtin_ia32_clflush(data + offset_of(i));
            }
        } while (!sample_load(i, ends.op, data, seen) && --tries > 0);
        expect_between("tries", 1, TRIES, tries);
    }
    for (unsigned n = 0; n < LEVELS; n++) {
        expect_between(level_names[n], LOADS / 10, LOADS, seen[n]);
    }
    for (unsigned n = 1; n < LEVELS; n++) {
        close(counters[n].fd);
    }
    ibs_apic_write(APIC_ENTRY, NMI);
}

static void test_both(const struct test *test)
{
    (void)test;
    ibs_on_first_cpu(both_units);
}

static void test_fault(const struct test *test)
{
    (void)test;
    ibs_on_first_cpu(faulting_op);
}

static void test_levels(const struct test *test)
{
    (void)test;
    ibs_on_first_cpu(sampled_levels);
}

const struct test ibs_jump_tests[] = {
    {"ibs/both", test_both, NULL, 0, 1, 1},
    {"ibs/fault", test_fault, NULL, 0, 1, 1},
    {"ibs/levels", test_levels, NULL, 0, 1, 1},
};
const size_t ibs_jump_tests_count = ARRAY_SIZE(ibs_jump_tests);
