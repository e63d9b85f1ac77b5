/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "qmp/response.h"
#include "unit/tests.h"

static struct response parsed(const char *line, struct error *t)
{
    struct response a = {.what = "test", .t = t};

    ck_assert_int_eq(response_parse(line, strlen(line), &a.o, t), 0);
    return a;
}

static void refuse(const char *line, size_t len, const char *part)
{
    struct json_object *o = NULL;
    struct error t = {0};

    ck_assert_int_eq(response_parse(line, len, &o, &t), -1);
    ck_assert_int_eq(t.code, ERROR_TALK);
    ck_assert_ptr_nonnull(strstr(t.text, part));
    ck_assert_ptr_null(o);
}

START_TEST(no_object)
{
    static const char *const lines[] = {
        "", "null", "1", "\"x\"", "[]", "{", "{\"a\": }", "{} {}", "{\"a\": 01}",
    };

    for (size_t i = 0; i < COUNT_OF(lines); i++) {
        refuse(lines[i], strlen(lines[i]), "does not speak QMP");
    }
    refuse("{\"a\": 1}\0", 9, "does not speak QMP");
}
END_TEST

/* json-c makes the largest number of each larger one. */
START_TEST(large_numbers)
{
    static const struct {
        const char *line;
        bool refused;
    } rows[] = {
        {"{\"n\": 18446744073709551615}", false},
        {"{\"n\": 18446744073709551616}", true},
        {"{\"n\": -18446744073709551616}", true},
        {"{\"n\": 100000000000000000000000000000}", true},
        {"{\"n\": [1, 18446744073709551616]}", true},
        {"{\"n\": 0.123456789012345678901234}", false},
        {"{\"n\": \"18446744073709551616\"}", false},
        {"{\"n\": \"\\\"18446744073709551616\"}", false},
        {"{\"n\": \"\\\\\", \"m\": 18446744073709551616}", true},
        {"{\"18446744073709551616\": 1}", false},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct json_object *o = NULL;
        struct error t = {0};
        int err = response_parse(rows[i].line, strlen(rows[i].line), &o, &t);

        ck_assert_msg(err == (rows[i].refused ? -1 : 0), "%s: %s", rows[i].line, t.text);
        ck_assert_str_eq(t.text,
                         rows[i].refused ? "the peer sent a number of more than 64 bits" : "");
        json_object_put(o);
    }
}
END_TEST

/* Refuses a line that consists of @begin, followed by @n bytes @fill. The error contains @part. */
static void refuse_line(const char *begin, char fill, size_t n, const char *part)
{
    size_t len = strlen(begin) + n;
    char *line = malloc(len);

    ck_assert_ptr_nonnull(line);
    memset(line, fill, len);
    memcpy(line, begin, strlen(begin));
    refuse(line, len, part);
    free(line);
}

/* A line whose string has @n bytes @fill is a response, and is not with one more. */
static void accept_string(char fill, size_t n)
{
    static const char begin[] = "{\"a\":\"", end[] = "\"}";
    size_t len = strlen(begin) + n + strlen(end);
    char *line = malloc(len + 2);
    struct json_object *o = NULL;
    struct error t = {0};

    ck_assert_ptr_nonnull(line);
    memset(line, fill, len + 1);
    memcpy(line, begin, strlen(begin));
    strcpy(line + len - strlen(end), end);
    ck_assert_msg(response_parse(line, len, &o, &t) == 0, "%c: %s", fill, t.text);
    json_object_put(o);
    line[len - strlen(end)] = fill;
    strcpy(line + len + 1 - strlen(end), end);
    refuse(line, len + 1, "too many values");
    free(line);
}

START_TEST(bounds)
{
    /* The object is a container, too. */
    accept_string('[', RESPONSE_MAX_CONTAINERS - 1);
    accept_string(',', RESPONSE_MAX_VALUES);
    refuse_line("{\"a\":", ' ', RESPONSE_MAX_BYTES, "more than 16 MiB");
    refuse_line("{\"a\":", '[', RESPONSE_MAX_DEPTH + 1, "does not speak QMP");
    refuse_line("{\"a\":", '[', RESPONSE_MAX_CONTAINERS, "too many values");
    refuse_line("{\"a\":[1", ',', RESPONSE_MAX_VALUES + 1, "too many values");
}
END_TEST

START_TEST(numbers)
{
    static const struct {
        const char *line;
        uint64_t max;
        int err;
        uint64_t value;
    } rows[] = {
        {"{\"n\": 0}", 0, 0, 0},
        {"{\"n\": 7}", 7, 0, 7},
        {"{\"n\": 8}", 7, -1, 0},
        {"{\"n\": -1}", UINT64_MAX, -1, 0},
        {"{\"n\": 9223372036854775808}", UINT64_MAX, 0, 1ull << 63},
        {"{\"n\": 18446744073709551615}", UINT64_MAX, 0, UINT64_MAX},
        {"{\"n\": 1.0}", UINT64_MAX, -1, 0},
        {"{\"n\": \"1\"}", UINT64_MAX, -1, 0},
        {"{\"n\": true}", UINT64_MAX, -1, 0},
        {"{\"n\": null}", UINT64_MAX, -1, 0},
        {"{\"m\": 1}", UINT64_MAX, -1, 0},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct error t = {0};
        struct response a = parsed(rows[i].line, &t);
        uint64_t value = 0;

        ck_assert_int_eq(response_u64(a, "n", rows[i].max, &value), rows[i].err);
        ck_assert_int_eq(t.code, rows[i].err ? ERROR_TALK : ERROR_NONE);
        if (!rows[i].err) {
            ck_assert_uint_eq(value, rows[i].value);
        }
        json_object_put(a.o);
    }
}
END_TEST

START_TEST(other_types)
{
    struct error t = {0};
    struct response a = parsed("{\"b\": true, \"s\": \"x\", \"l\": [5, \"y\"]}\r", &t);
    struct response list;
    const char *text;
    uint64_t value;
    bool flag;
    size_t n;

    ck_assert(response_bool(a, "b", &flag) == 0 && flag);
    ck_assert_int_eq(response_bool(a, "s", &flag), -1);
    ck_assert_int_eq(response_string(a, "s", &text), 0);
    ck_assert_str_eq(text, "x");
    ck_assert_int_eq(response_string(a, "l", &text), -1);
    ck_assert_int_eq(response_list(a, "s", &list, &n), -1);
    ck_assert(response_list(a, "l", &list, &n) == 0 && n == 2);
    ck_assert(response_item_u64(list, 0, &value) == 0 && value == 5);
    ck_assert_int_eq(response_item_u64(list, 1, &value), -1);
    ck_assert_int_eq(response_u64(response_item(list, 0), "n", 1, &value), -1);
    ck_assert(response_has(a, "b") && !response_has(a, "c") && !response_has(list, "b"));
    ck_assert_int_eq(response_length(a, &n), -1);
    json_object_put(a.o);
}
END_TEST

Suite *response_suite(void)
{
    const TTest *const tests[] = {no_object, large_numbers, bounds, numbers, other_types};

    return suite_of("response", tests, COUNT_OF(tests));
}
