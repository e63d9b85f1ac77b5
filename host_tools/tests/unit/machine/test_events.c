/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "machine/events.h"
#include "unit/tests.h"

START_TEST(good_lists)
{
    struct events e = {0};
    struct error t = {0};

    ck_assert_int_eq(events_add(&e, "instructions:u,cycles", &t), 0);
    ck_assert_int_eq(events_add(&e, "r08:G", &t), 0);
    ck_assert_uint_eq(e.n, 3);
    ck_assert_str_eq(e.event[0].text, "instructions:u");
    ck_assert_str_eq(e.event[2].text, "r08:G");
    /* All events always count, and precisely. */
    events_free(&e);
    ck_assert_int_eq(events_add(&e, "{cycles,instructions:k}:u,branches:pp,r08:upp", &t), 0);
    ck_assert_int_eq(events_add(&e, "{branch-misses}", &t), 0);
    ck_assert_int_eq(events_add(&e, "x,{a,b}:Gp,{c}:p,y", &t), 0);
    ck_assert_uint_eq(e.n, 10);
    for (size_t i = 0; i < e.n; i++) {
        static const char *const texts[] = {"cycles:u",
                                            "instructions:ku",
                                            "branches",
                                            "r08:u",
                                            "branch-misses",
                                            "x",
                                            "a:G",
                                            "b:G",
                                            "c",
                                            "y"};

        ck_assert_str_eq(e.event[i].text, texts[i]);
    }
    events_free(&e);
    ck_assert_int_eq(events_add(&e, "instructions:u,cycles,r08:G", &t), 0);
    /* An unknown name is accepted, because the emulator may know it. */
    ck_assert_int_eq(events_add(&e, "something-new", &t), 0);
    ck_assert(!e.event[3].known && e.event[2].known);
    events_free(&e);
}
END_TEST

START_TEST(bad_lists)
{
    static const char *const lists[] = {"",        ",",  "cycles,", ",cycles", "a,,b", "{cycles",
                                        "cycles}", "{}", "{a,{b}",  "{a}x",    "{a,}", "a{b}"};

    for (size_t i = 0; i < COUNT_OF(lists); i++) {
        struct events e = {0};
        struct error t = {0};

        ck_assert_int_eq(events_add(&e, lists[i], &t), -1);
        ck_assert_int_eq(t.code, ERROR_USAGE);
        events_free(&e);
    }
}
END_TEST

START_TEST(too_many)
{
    struct events e = {0};
    struct error t = {0};

    for (size_t i = 0; i < OBSERVERS_MAX; i++) {
        ck_assert_int_eq(events_add(&e, "cycles", &t), 0);
    }
    ck_assert_int_eq(events_add(&e, "cycles", &t), -1);
    events_free(&e);
}
END_TEST

/* The metric of the first event. The counts over two seconds are 300, 200 and 0. */
START_TEST(metrics)
{
    static const struct {
        const char *list;
        double value;
        const char *unit;
        enum metric_grade grade;
    } rows[] = {
        {"instructions,cycles", 1.5, "insn per cycle", METRIC_PLAIN},
        {"INST_RETIRED,cpu-cycles", 1.5, "insn per cycle", METRIC_PLAIN},
        {"instructions:u,cycles:u", 1.5, "insn per cycle", METRIC_PLAIN},
        {"branch-misses:G,branches:G", 150, "% of all branches", METRIC_EXCESSIVE},
        /* There is no event to divide by. */
        {"instructions:u,cycles", 150, "/sec", METRIC_PLAIN},
        {"instructions,branches,cycles", 150, "/sec", METRIC_PLAIN},
        {"something-new,cycles", 150, "/sec", METRIC_PLAIN},
        {"cycles,instructions", 150e-9, "GHz", METRIC_PLAIN},
    };
    static const uint64_t counts[] = {300, 200, 0};

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct events e = {0};
        struct error t = {0};
        struct metric m;

        ck_assert_int_eq(events_add(&e, rows[i].list, &t), 0);
        ck_assert(events_metric(&e, counts, 0, 2, &m));
        ck_assert_double_eq_tol(m.value, rows[i].value, 1e-12);
        ck_assert_str_eq(m.unit, rows[i].unit);
        ck_assert_int_eq(m.grade, rows[i].grade);
        events_free(&e);
    }
}
END_TEST

START_TEST(no_time)
{
    struct events e = {0};
    struct error t = {0};
    struct metric m;
    const uint64_t count = 5;

    ck_assert_int_eq(events_add(&e, "cycles", &t), 0);
    ck_assert(!events_metric(&e, &count, 0, 0, &m));
    events_free(&e);
}
END_TEST

Suite *events_suite(void)
{
    const TTest *const tests[] = {good_lists, bad_lists, too_many, metrics, no_time};

    return suite_of("events", tests, COUNT_OF(tests));
}
