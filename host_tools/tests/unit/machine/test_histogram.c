/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "machine/blackout.h"
#include "machine/histogram.h"
#include "unit/tests.h"

static int read_line(struct histogram *h, const char *line, struct error *t)
{
    struct response a = {.what = "test", .t = t};
    int err;

    ck_assert_int_eq(response_parse(line, strlen(line), &a.o, t), 0);
    err = histogram_read(h, a);
    json_object_put(a.o);
    return err;
}

START_TEST(adds_and_subtracts)
{
    struct histogram h = {{0}};
    struct histogram before;
    struct error t = {0};
    struct json_object *list;

    ck_assert_int_eq(read_line(&h, "{\"value\": [1, 0, 5]}", &t), 0);
    before = h;
    ck_assert_int_eq(read_line(&h, "{\"value\": [2, 7]}", &t), 0);
    ck_assert(h.n[0] == 3 && h.n[1] == 7 && h.n[2] == 5);
    histogram_subtract(&h, &before);
    list = histogram_list(&h);
    ck_assert_str_eq(json_object_to_json_string_ext(list, JSON_C_TO_STRING_PLAIN), "[2,7]");
    json_object_put(list);
}
END_TEST

/* Another client has restarted the meter. */
START_TEST(falls)
{
    const struct histogram before = {{3, 5}};
    struct histogram h = {{4, 1}};

    struct blackout was = {
        .span[0] = {.w = {.n = 9, .instructions = 9}, .cycles = 9, .nanoseconds = 9},
        .reason[1].n = 9};
    struct blackout now = {
        .span[0] = {.w = {.n = 12, .instructions = 3}, .cycles = 3, .nanoseconds = 3},
        .reason[1].n = 3};
    const struct span *span = &now.span[0];

    histogram_subtract(&h, &before);
    ck_assert(h.n[0] == 1 && h.n[1] == 0);
    blackout_subtract(&now, &was);
    ck_assert(span->w.n == 3 && span->w.instructions == 0 && span->cycles == 0);
    ck_assert(span->nanoseconds == 0 && now.reason[1].n == 0);
}
END_TEST

START_TEST(refuses)
{
    static const char *const lines[] = {
        "{}",
        "{\"value\": 1}",
        "{\"value\": [1, \"2\"]}",
        "{\"value\": [-1]}",
        /* 66 buckets */
        "{\"value\": [0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,"
        "0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0]}",
    };

    for (size_t i = 0; i < COUNT_OF(lines); i++) {
        struct histogram h = {{0}};
        struct error t = {0};

        ck_assert_int_eq(read_line(&h, lines[i], &t), -1);
        ck_assert_int_eq(t.code, ERROR_TALK);
    }
}
END_TEST

Suite *histogram_suite(void)
{
    const TTest *const tests[] = {adds_and_subtracts, falls, refuses};

    return suite_of("histogram", tests, COUNT_OF(tests));
}
