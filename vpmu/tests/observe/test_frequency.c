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
            period = vpmu_frequency_next(&f, period, period, ns);
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
            period = vpmu_frequency_next(&f, period, period, now);
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
        uint64_t want;
    } rows[] = {
        {"the clock stands still", 4000, 1000, 1000, 1000, 8000},
        {"the clock goes back", 4000, 8, 0, 0, 4},
        {"idle for a second", 4000, 1000, 1000, 1000001000, 500},
        {"idle, and no shorter", 4000, 1, 1, 1000001000, 1},
        {"late, but not for so low a rate", 2, 1000, 1000, 1000001000, 500},
        {"all at once", 1, VPMU_PERIOD_MAX, VPMU_PERIOD_MAX, 1001, VPMU_PERIOD_MAX},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct vpmu_frequency f = {.hz = rows[i].hz, .last = 1000};

        expect_in(rows[i].row, "period", rows[i].want,
                  vpmu_frequency_next(&f, rows[i].period, rows[i].count, rows[i].now));
        expect_in(rows[i].row, "last", rows[i].now, f.last);
    }
}
END_TEST

Suite *frequency_suite(void)
{
    const TTest *const tests[] = {frequencies, frequencies_of_uneven_work,
                                  frequencies_at_their_ends};

    return suite_of("frequency", tests, COUNT_OF(tests));
}
