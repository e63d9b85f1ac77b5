/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* Rates compared with 128-bit arithmetic, and deadlines of overflows. */
#include "vpmu/arm/deadline.h"

#include <inttypes.h>

#include "fixture.h"

#define HZ(f) ((struct vpmu_rate){(f), 1000000000u})
#define NEVER UINT64_MAX

typedef unsigned __int128 u128;

static const struct vpmu_rate rates[] = {
    {1, 1},        {1, 16},        {1, 30},     {12, 5},          {3072, 125000},
    HZ(1),         HZ(62500000),   HZ(1000000), {UINT32_MAX, 1},  {1, UINT32_MAX},
    HZ(999999999), HZ(4294967295), {6, 1},      {UINT32_MAX, 7},  {UINT32_MAX, UINT32_MAX},
    {5, 4},        {7, 3},         {2, 3},      {1000, 24000001}, {UINT32_MAX, UINT32_MAX - 1},
};

static uint64_t at_most_64_bits(u128 value)
{
    return value > UINT64_MAX ? UINT64_MAX : (uint64_t)value;
}

/* Checks both directions for one value. */
static void expect_rate(const struct vpmu_rate *r, uint64_t value)
{
    u128 ticks = (u128)value * r->ticks / r->ns;
    u128 ns = ((u128)value * r->ns + r->ticks - 1) / r->ticks;

    ck_assert_msg(vpmu_rate_ticks(r, value) == at_most_64_bits(ticks),
                  "%u ticks in %u ns: expected %" PRIu64 " after %" PRIu64 " ns got %" PRIu64,
                  r->ticks, r->ns, at_most_64_bits(ticks), value, vpmu_rate_ticks(r, value));
    ck_assert_msg(vpmu_rate_ns(r, value) == at_most_64_bits(ns),
                  "%u ticks in %u ns: expected %" PRIu64 " ticks after %" PRIu64 " ns got %" PRIu64,
                  r->ticks, r->ns, value, at_most_64_bits(ns), vpmu_rate_ns(r, value));
}

/*
 * Values around 0, powers of two, multiples of the divisor, and those whose result exceeds 64 bits.
 */
START_TEST(exact_at_the_extremes)
{
    for (size_t i = 0; i < COUNT_OF(rates); i++) {
        const struct vpmu_rate *r = &rates[i];
        uint64_t edges[] = {0,          r->ticks,
                            r->ns,      UINT64_MAX / r->ticks,
                            UINT64_MAX, (uint64_t)((u128)UINT64_MAX * r->ns / r->ticks),
                            INT64_MAX,  (uint64_t)((u128)UINT64_MAX * r->ticks / r->ns),
                            UINT32_MAX, UINT64_MAX / r->ns};

        for (size_t n = 0; n < COUNT_OF(edges); n++) {
            for (uint64_t d = 0; d < 5; d++) {
                expect_rate(r, edges[n] + d - 2);
            }
        }
        for (unsigned bit = 0; bit < 64; bit++) {
            expect_rate(r, BIT(bit) - 1);
            expect_rate(r, BIT(bit));
        }
    }
}
END_TEST

/*
 * vpmu_rate_ns() is the first nanosecond of a tick. One nanosecond earlier, the clock has not
 * reached it.
 */
START_TEST(first_nanosecond_of_a_tick)
{
    for (size_t i = 0; i < COUNT_OF(rates); i++) {
        for (uint64_t ticks = 1; ticks < 1000; ticks++) {
            uint64_t ns = vpmu_rate_ns(&rates[i], ticks);

            ck_assert_uint_ge(vpmu_rate_ticks(&rates[i], ns), ticks);
            ck_assert_uint_lt(vpmu_rate_ticks(&rates[i], ns - 1), ticks);
        }
    }
}
END_TEST

/* 1 GHz of cycles, and 62.5 MHz of the generic counter, as in QEMU. */
static const struct vpmu_rate both[] = {{1, 1}, {1, 16}};

/* Starts the cycle counter @short_of cycles before its overflow, which interrupts if @noticed. */
static void start(struct machine *m, uint64_t ns, uint64_t short_of, bool noticed)
{
    machine_start_as(m, VPMU_V3P5, 6, 0);
    m->clock.ticks[0] = vpmu_rate_ticks(&both[0], ns);
    m->clock.ticks[1] = vpmu_rate_ticks(&both[1], ns);
    set(m, VPMU_PMCR, VPMU_PMCR_E | VPMU_PMCR_LC | VPMU_PMCR_LP);
    counter_start(m, VPMU_CYCLE_COUNTER, 0, 0 - short_of);
    set(m, VPMU_PMINTENSET, noticed ? CYCLES : 0);
}

/*
 * Also starts an event counter of CNT_CYCLES, @short_of ticks before its overflow, which
 * interrupts.
 */
static void start_cnt(struct machine *m, uint64_t short_of)
{
    counter_start(m, 0, EVENT_CNT_CYCLES, 0 - short_of);
    set(m, VPMU_PMINTENSET, BIT(0));
}

START_TEST(when_it_is_due)
{
    static const struct {
        const char *why;
        uint64_t ns;
        uint64_t cycles; /* cycles before the overflow */
        uint64_t cnt;    /* the same for CNT_CYCLES; 0: no counter counts it */
        bool noticed;
        uint64_t want;
    } rows[] = {
        {"nothing notices it", 1000, 50, 0, false, NEVER},
        {"50 cycles of 1 ns", 1000, 50, 0, true, 1050},
        {"beyond 64 bits of cycles", UINT64_MAX - 100, 101, 0, true, NEVER},
        {"the last that 64 bits can say", UINT64_MAX - 101, 100, 0, true, UINT64_MAX - 1},
        {"62 ticks are over, 10 more", 1000, 500, 10, true, 1152},
        {"the nearer of both", 1000, 50, 10, true, 1050},
        {"an overflow of cycles that nothing notices", 1000, 50, 10, false, 1152},
        {"a tick begins here", 1600, 5000, 1, true, 1616},
        {"a tick ends with the next nanosecond", 1615, 5000, 1, true, 1616},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct machine m;

        start(&m, rows[i].ns, rows[i].cycles, rows[i].noticed);
        if (rows[i].cnt) {
            start_cnt(&m, rows[i].cnt);
        }
        expect_in(rows[i].why, "nanoseconds", rows[i].want, vpmu_arm_deadline(&m.v, both));
    }
}
END_TEST

/* Settling at the deadline sets the flag; settling one nanosecond earlier does not. */
START_TEST(due_at_the_deadline)
{
    for (uint64_t ns = 1000; ns < 1040; ns++) {
        struct machine m;
        uint64_t due;

        start(&m, ns, 1, false);
        start_cnt(&m, 3);
        due = vpmu_arm_deadline(&m.v, both);
        m.clock.ticks[1] = vpmu_rate_ticks(&both[1], due - 1);
        machine_settle(&m);
        expect("interrupt one nanosecond before", 0, vpmu_arm_irq_level(&m.v));
        expect("the deadline then", due, vpmu_arm_deadline(&m.v, both));
        m.clock.ticks[1] = vpmu_rate_ticks(&both[1], due);
        machine_settle(&m);
        expect("interrupt at the deadline", 1, vpmu_arm_irq_level(&m.v));
    }
}
END_TEST

/*
 * Without a limit there is no deadline, even if 2^64 - 1 ticks would fit in 64 bits of nanoseconds.
 */
START_TEST(no_limit)
{
    static const struct vpmu_rate fast[] = {{4, 1}, {4, 1}};
    struct machine m;

    start(&m, 0, 1, false);
    machine_reset(&m);
    expect("cycles so far", 0, m.v.count.clock[0]);
    expect("deadline", NEVER, vpmu_arm_deadline(&m.v, fast));
}
END_TEST

/* A source that is tallied has no deadline, whatever its rate. */
START_TEST(not_timed)
{
    struct vpmu_arm_config config = config_units(VPMU_V3P5, 6, 1);
    struct machine m;

    machine_start(&m, &config);
    set(&m, VPMU_PMCR, VPMU_PMCR_E | VPMU_PMCR_LC);
    counter_start(&m, VPMU_CYCLE_COUNTER, 0, UINT64_MAX);
    set(&m, VPMU_PMINTENSET, CYCLES);
    expect("headroom", 1, vpmu_arm_headroom(&m.v, CPU_SRC, m.v.count.ctx));
    expect("deadline", NEVER, vpmu_arm_deadline(&m.v, both));
}
END_TEST

Suite *deadline_suite(void)
{
    const TTest *const tests[] = {
        exact_at_the_extremes,
        first_nanosecond_of_a_tick,
        when_it_is_due,
        due_at_the_deadline,
        no_limit,
        not_timed,
    };

    return suite_of("deadline", tests, COUNT_OF(tests));
}
