/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* vpmu_frequency_next(): the rate of samples, for even and uneven work. */
#include "fixture.h"
#include "vpmu/frequency.h"

/* An event with a constant rate soon has the requested sample frequency. */
START_TEST(frequencies)
{
    static const struct {
        const char *row;
        uint32_t hz;
        uint64_t per_us; /* events per microsecond */
        uint64_t want;   /* the period */
    } rows[] = {
        {"as perf does", 4000, 1000, 250000},
        {"seldom", 1, 1000, 1000000000},
        {"often", VPMU_FREQUENCY_MAX, 1000, 1000},
        {"an event that is rarer", 100000, 0, 1},
        {"cycles of a fast machine", 1000, 1000000, 1000000000},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct vpmu_frequency f = {.hz = rows[i].hz};
        uint64_t period = 1;
        uint64_t ns = 0;

        for (unsigned n = 0; n < 300; n++) {
            /* An event that is rarer than once per microsecond happens once per millisecond. */
            uint64_t took =
                rows[i].per_us ? (period * 1000 + rows[i].per_us - 1) / rows[i].per_us : 1000000;

            ns += took;
            period = vpmu_frequency_next(&f, period, period, ns, 0);
            ck_assert_msg(period >= 1, "%s: the period became 0", rows[i].row);
        }
        ck_assert_msg(period >= rows[i].want - rows[i].want / 50 &&
                          period <= rows[i].want + rows[i].want / 50,
                      "%s: expected about %llu got %llu", rows[i].row,
                      (unsigned long long)rows[i].want, (unsigned long long)period);
    }
}
END_TEST

/* Nanoseconds that the next @count events take: a program's two phases take turns. */
static uint64_t time_of(uint64_t *done, uint64_t count, const uint64_t length[2],
                        const uint64_t ns[2])
{
    uint64_t took = 0;

    while (count) {
        uint64_t at = *done % (length[0] + length[1]);
        unsigned phase = at >= length[0];
        uint64_t left = length[0] + (phase ? length[1] : 0) - at;
        uint64_t step = left < count ? left : count;

        took += step * ns[phase];
        *done += step;
        count -= step;
    }
    return took;
}

/* A program whose rate changes gets as many samples as one whose rate does not. */
START_TEST(frequencies_of_uneven_work)
{
    static const struct {
        const char *row;
        uint32_t hz;
        uint64_t length[2]; /* events of a phase */
        uint64_t ns[2];     /* nanoseconds for each of them */
    } rows[] = {
        {"even", 4000, {1000000, 1000000}, {10, 10}},
        {"phases as long as a period", 4000, {100000, 2500}, {1, 100}},
        {"phases of a few periods", 4000, {1000000, 20000}, {1, 100}},
        {"a rate that differs more", 4000, {300000, 3000}, {1, 300}},
        {"a short slow phase", 10000, {20000, 300}, {1, 70}},
        {"a slow phase of many periods", 10000, {5000000, 50000}, {1, 100}},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct vpmu_frequency f = {.hz = rows[i].hz};
        uint64_t done = 0;
        uint64_t now = 0;
        uint64_t period = 1;
        uint64_t samples = 0;

        while (now < 4000000000) {
            now += time_of(&done, period, rows[i].length, rows[i].ns);
            period = vpmu_frequency_next(&f, period, period, now, 0);
            samples++;
        }
        ck_assert_msg(samples > rows[i].hz * 4 * 96 / 100 && samples < rows[i].hz * 4 * 104 / 100,
                      "%s: expected about %u samples got %llu", rows[i].row, rows[i].hz * 4,
                      (unsigned long long)samples);
    }
}
END_TEST

/* The period is valid for any arguments. */
START_TEST(frequencies_at_their_ends)
{
    static const struct {
        const char *row;
        uint32_t hz;
        uint64_t period;
        uint64_t count;
        uint64_t now;
        uint64_t spent;
        uint64_t want;
    } rows[] = {
        {"the clock stands still", 4000, 1000, 1000, 1000, 0, 8000},
        {"the clock goes back", 4000, 8, 0, 0, 0, 4},
        {"idle for a second", 4000, 1000, 1000, 1000001000, 0, 500},
        {"idle, and no shorter", 4000, 1, 1, 1000001000, 0, 1},
        {"late, but not for so low a rate", 2, 1000, 1000, 1000001000, 0, 500},
        {"all at once", 1, VPMU_PERIOD_MAX, VPMU_PERIOD_MAX, 1001, 0, VPMU_PERIOD_MAX},
        {"sampling took longer than the time", 4000, 1000, 1000, 2000, UINT64_MAX, 8000},
        {"and at the highest rate", VPMU_FREQUENCY_MAX, 8, 0, 2000, UINT64_MAX, 4},
        {"and idle", 1, 1000, 1000, UINT64_MAX / 2, UINT64_MAX / 4, 500},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct vpmu_frequency f = {.hz = rows[i].hz, .percent = 1, .last = 1000};

        expect_in(
            rows[i].row, "period", rows[i].want,
            vpmu_frequency_next(&f, rows[i].period, rows[i].count, rows[i].now, rows[i].spent));
        expect_in(rows[i].row, "last", rows[i].now, f.last);
    }
}
END_TEST

/*
 * Samples take time. They come at the frequency where they fit into the limit, and otherwise they
 * take no more than the limit. The period is that of the event's rate without samples.
 */
START_TEST(frequencies_of_slow_samples)
{
    static const struct {
        const char *row;
        uint32_t hz;
        uint32_t percent;
        uint64_t cost; /* nanoseconds of a sample */
        uint64_t last; /* and of every 1000th */
        uint32_t want; /* samples in a second */
    } rows[] = {
        {"a few percent", 4000, 25, 2000, 2000, 4000},
        {"a fifth of the time", 100000, 25, 2000, 2000, 100000},
        {"just the limit", 100000, 25, 2500, 2500, 100000},
        {"four times too often", 100000, 25, 10000, 10000, 25000},
        {"as often as possible", VPMU_FREQUENCY_MAX, 25, 1500, 1500, 166666},
        {"long samples", 100000, 25, 50000, 50000, 5000},
        {"samples longer than the interval", 20000, 25, 100000, 100000, 2500},
        {"a low limit", 100000, 1, 2000, 2000, 5000},
        {"a high limit", 100000, 95, 9500, 9500, 100000},
        {"a few samples that are very long", 4000, 25, 2000, 10000000, 3900},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct vpmu_frequency f = {.hz = rows[i].hz, .percent = rows[i].percent};
        uint64_t period = 1;
        uint64_t samples = 0;
        uint64_t spent = 0;
        uint64_t all = 0;

        /* An event happens each nanosecond in which no sample is taken. */
        for (uint64_t now = 0; now < 4000000000; samples++) {
            now += period + spent;
            period = vpmu_frequency_next(&f, period, period, now, spent);
            spent = samples % 1000 == 999 ? rows[i].last : rows[i].cost;
            all += rows[i].cost;
        }
        ck_assert_msg(samples > rows[i].want * 4ull * 97 / 100 &&
                          samples < rows[i].want * 4ull * 103 / 100,
                      "%s: expected about %u samples got %llu", rows[i].row, rows[i].want * 4,
                      (unsigned long long)samples);
        ck_assert_msg(all < 4000000000 / 100 * (rows[i].percent + 1), "%s: %llu ns", rows[i].row,
                      (unsigned long long)all);
        ck_assert_msg(f.limited == (rows[i].want < rows[i].hz * 95ull / 100), "%s: limited",
                      rows[i].row);
    }
}
END_TEST

Suite *frequency_suite(void)
{
    const TTest *const tests[] = {frequencies, frequencies_of_uneven_work,
                                  frequencies_at_their_ends, frequencies_of_slow_samples};

    return suite_of("frequency", tests, COUNT_OF(tests));
}
