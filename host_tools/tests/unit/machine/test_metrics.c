/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "machine/metrics.h"
#include "unit/tests.h"

START_TEST(metrics_lists)
{
    static const struct {
        const char *list;
        size_t n; /* 0: it is refused */
    } rows[] = {
        {"ipc", 1},          {"IPC,cpi", 2}, {"ipc,ipc", 1}, {"mpki", 6}, {"branch_mpki,mpki", 6},
        {"topdown,mpki", 9}, {"", 0},        {"ipc,", 0},    {"ip", 0},   {"ipcc", 0},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct metrics m = {.n = 0};
        struct error t = {0};
        int err = metrics_add(&m, rows[i].list, &t);

        ck_assert_msg((err == 0) == (rows[i].n > 0), "'%s' gives %d", rows[i].list, err);
        ck_assert_msg(err || m.n == rows[i].n, "'%s' gives %zu", rows[i].list, m.n);
    }
}
END_TEST

/* Counts are 300 instructions, 200 cycles and 0 branches. */
START_TEST(metrics_values)
{
    static const struct {
        const char *name;
        bool is;
        double value;
    } rows[] = {
        {"ipc", true, 1.5},
        {"cpi", true, 2.0 / 3},
        {"branch_mpki", true, 1000 * 30.0 / 300},
        {"branch_misprediction_ratio", false, 0}, /* nothing to divide by */
        {"l1d_cache_mpki", false, 0},             /* not counted */
    };
    static const uint64_t counts[] = {300, 200, 0, 30};
    struct events e = {0};
    struct error t = {0};

    ck_assert_int_eq(events_add(&e, "instructions,cycles,branches,branch-misses", &t), 0);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct metrics m = {.n = 0};
        double value = 0;

        ck_assert_int_eq(metrics_add(&m, rows[i].name, &t), 0);
        ck_assert_int_eq(metrics_value(m.metric[0], &e, counts, &value), rows[i].is);
        ck_assert_double_eq_tol(value, rows[i].value, 1e-12);
    }
    events_free(&e);
}
END_TEST

/* What they need is added once, and is optional. */
START_TEST(metrics_need_events)
{
    struct metrics m = {.n = 0};
    struct events e = {0};
    struct error t = {0};

    ck_assert_int_eq(metrics_add(&m, "ipc,cpi,branch_mpki", &t), 0);
    ck_assert_int_eq(events_add(&e, "cycles", &t), 0);
    ck_assert_int_eq(metrics_events(&m, &e, &t), 0);
    ck_assert_uint_eq(e.n, 3);
    ck_assert(!e.event[0].optional && e.event[1].optional && e.event[2].optional);
    events_free(&e);
}
END_TEST

Suite *metrics_suite(void)
{
    const TTest *const tests[] = {metrics_lists, metrics_values, metrics_need_events};

    return suite_of("metrics", tests, COUNT_OF(tests));
}
