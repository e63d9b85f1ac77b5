/* SPDX-License-Identifier: GPL-2.0-or-later */

/*
 * A last-level cache that CPUs share (pmu-llc-shared=on). Two CPUs access the same lines in turns
 * at EL0, where their counters count. The boot argument private=1 says that the caches are not
 * shared.
 */
#include "registers/pmu.h"
#include "runtime/bootargs.h"
#include "runtime/pmu_setup.h"
#include "runtime/smp.h"
#include "runtime/test.h"
#include "tests/models/models.h"

#define LINE UINT64_C(64)
#define LINES 64u
#define TURNS 20u
#define MB (UINT64_C(1) << 20)

enum {
    L1D_CACHE = 0x04,
    L1D_CACHE_REFILL = 0x03,
    L2D_CACHE_REFILL = 0x17,
    LL_CACHE = 0x32,
    LL_CACHE_MISS = 0x33,
    L1D_CACHE_INVAL = 0x48,
    L2D_CACHE_INVAL = 0x58,
};

static const uint16_t events[] = {L1D_CACHE,     L1D_CACHE_REFILL, L2D_CACHE_REFILL, LL_CACHE,
                                  LL_CACHE_MISS, L1D_CACHE_INVAL,  L2D_CACHE_INVAL,  0};
#define EVENTS 7u

/* Code that both CPUs execute, and their counts. */
static struct {
    uint64_t address;
    uint64_t distance; /* of the two CPUs' fields in turns() */
    level_fn code;     /* what CPU 0 does in waits() */
    uint64_t counts[MAX_CPUS][EVENTS];
} job;

static bool is_private(void)
{
    uint64_t private = 0;

    bootarg("private", &private);
    return private;
}

static void prepare(void)
{
    levels_reset();
    pmu_reset();
    model_count(events);
    model_flush();
    smp_barrier();
}

static void finish(unsigned cpu)
{
    smp_barrier();
    for (unsigned i = 0; i < EVENTS; i++) {
        job.counts[cpu][i] = model_take(events[i]);
    }
}

/* Each CPU stores to its own field, in turns. */
static void turns(unsigned cpu)
{
    prepare();
    for (unsigned i = 0; i < TURNS; i++) {
        if (cpu == i % 2) {
            model_run(model_store, job.address + cpu * job.distance, 1, 0);
        }
        smp_barrier();
    }
    finish(cpu);
}

/* CPU 1 loads lines and waits at EL0 until CPU 0 has accessed the same lines. */
static struct model_flags flags;

static void waits(unsigned cpu)
{
    prepare();
    if (cpu == 1) {
        model_wait(model_load_and_wait, job.address, LINES, LINE, &flags);
    } else if (cpu == 0) {
        while (!__atomic_load_n(&flags.ready, __ATOMIC_ACQUIRE)) {
        }
        model_run(job.code, job.address, LINES, LINE);
        __atomic_store_n(&flags.done, 1, __ATOMIC_RELEASE);
    }
    finish(cpu);
}

/* CPU 0 loads, then CPU 1 loads the same. */
static void loads(unsigned cpu)
{
    prepare();
    for (unsigned i = 0; i < 2; i++) {
        if (cpu == i) {
            model_run(model_load, job.address, MB / LINE, LINE);
        }
        smp_barrier();
    }
    finish(cpu);
}

static bool has_two_cpus(void)
{
    if (smp_count() == 1 && smp_start() < 2) {
        skip_test("one CPU");
        return false;
    }
    flags = (struct model_flags){0};
    return true;
}

static uint64_t count_of(unsigned cpu, uint16_t event)
{
    for (unsigned i = 0; i < EVENTS; i++) {
        if (events[i] == event) {
            return job.counts[cpu][i];
        }
    }
    return ~UINT64_C(0);
}

static void expect_count(const char *where, unsigned cpu, uint16_t event, uint64_t count)
{
    expect_eq(where, cpu * BIT(20) | event, count, count_of(cpu, event));
}

/* Both fields are in one line: each store takes the line from the other CPU. */
static void test_false_sharing(void)
{
    uint64_t each = is_private() ? 1 : TURNS / 2;

    if (!has_two_cpus()) {
        return;
    }
    job.address = model_fresh(LINE);
    job.distance = 8;
    smp_run(turns);
    for (unsigned cpu = 0; cpu < 2; cpu++) {
        expect_count("one line", cpu, L1D_CACHE, TURNS / 2);
        expect_count("one line", cpu, L1D_CACHE_REFILL, each);
        expect_count("one line", cpu, L2D_CACHE_REFILL, each);
        expect_count("one line", cpu, LL_CACHE, each);
        expect_count("one line", cpu, LL_CACHE_MISS, cpu == 0 || is_private());
    }
}

/* The fixed program. */
static void test_padded(void)
{
    if (!has_two_cpus()) {
        return;
    }
    job.address = model_fresh(2 * LINE);
    job.distance = LINE;
    smp_run(turns);
    for (unsigned cpu = 0; cpu < 2; cpu++) {
        expect_count("two lines", cpu, L1D_CACHE, TURNS / 2);
        expect_count("two lines", cpu, L1D_CACHE_REFILL, 1);
        expect_count("two lines", cpu, LL_CACHE_MISS, 1);
    }
}

/* CPU 1 loses the lines that CPU 0 stores to, and counts them where it waits. */
static void test_invalidated(void)
{
    if (!has_two_cpus()) {
        return;
    }
    job.address = model_fresh(LINES * LINE);
    job.code = model_store;
    smp_run(waits);
    if (is_private()) {
        expect_count("stores", 0, LL_CACHE_MISS, LINES);
        return;
    }
    expect_count("stores", 0, L1D_CACHE_REFILL, LINES);
    expect_count("stores", 0, LL_CACHE, LINES);
    expect_count("stores", 0, LL_CACHE_MISS, 0);
    expect_count("stores", 0, L1D_CACHE_INVAL, 0);
    expect_count("lost", 1, L1D_CACHE_INVAL, LINES);
    expect_count("lost", 1, L2D_CACHE_INVAL, LINES);
}

/* Loads take no lines. */
static void test_shared_loads(void)
{
    if (!has_two_cpus()) {
        return;
    }
    job.address = model_fresh(LINES * LINE);
    job.code = model_load;
    smp_run(waits);
    expect_count("loads", 0, L1D_CACHE_REFILL, LINES);
    expect_count("loads", 0, LL_CACHE, LINES);
    expect_count("loads", 0, LL_CACHE_MISS, is_private() ? LINES : 0);
    expect_count("kept", 1, L1D_CACHE_INVAL, 0);
}

/* A line that one CPU brought into the last level is found there by the other one. */
static void test_one_cache(void)
{
    if (!has_two_cpus()) {
        return;
    }
    job.address = model_fresh(MB);
    smp_run(loads);
    for (unsigned cpu = 0; cpu < 2; cpu++) {
        expect_count("1 MB", cpu, LL_CACHE, MB / LINE);
        expect_count("1 MB", cpu, LL_CACHE_MISS, cpu == 0 || is_private() ? MB / LINE : 0);
    }
}

#define SHARED_TEST(name, run) TEST(name, run, .home = HOME_EL1 | HOME_EL2, .counters = EVENTS)

const struct test test_table[] = {
    SHARED_TEST("shared.false-sharing", test_false_sharing),
    SHARED_TEST("shared.padded", test_padded),
    SHARED_TEST("shared.invalidated", test_invalidated),
    SHARED_TEST("shared.loads", test_shared_loads),
    SHARED_TEST("shared.one-cache", test_one_cache),
    {0},
};
