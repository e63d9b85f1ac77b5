/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/out.h"
#include "unit/tests.h"

static struct json_object *make_record(const char *text)
{
    struct json_object *record = json_object_new_object();
    struct json_object *list = json_object_new_array();

    record_u64(record, "n", UINT64_MAX);
    record_double(record, "d", 0.125, 2);
    record_string(record, "s", text);
    record_null(record, "nothing");
    record_bool(record, "b", true);
    json_object_array_add(list, json_object_new_string("x"));
    json_object_array_add(list, json_object_new_string("y"));
    json_object_object_add(record, "l", list);
    return record;
}

START_TEST(kinds)
{
    static const struct {
        enum out_kind kind;
        const char *separator;
        const char *text;
        const char *line;
    } rows[] = {
        {OUT_JSON, ",", "a/b\"",
         "{\"n\":18446744073709551615,\"d\":0.12,\"s\":\"a/b\\\"\",\"nothing\":null,\"b\":true,"
         "\"l\":[\"x\",\"y\"]}\n"},
        {OUT_CSV, ",", "plain", "18446744073709551615,0.12,plain,,true,x y\n"},
        {OUT_CSV, ",", "a,b", "18446744073709551615,0.12,\"a,b\",,true,x y\n"},
        {OUT_CSV, ";", "a,b", "18446744073709551615;0.12;a,b;;true;x y\n"},
        {OUT_CSV, ",", "a\"b\n", "18446744073709551615,0.12,\"a\"\"b\n\",,true,x y\n"},
    };
    char name[] = "/tmp/vpmu-stats-test-XXXXXX";
    char buf[256] = "";
    int fd = mkstemp(name);

    ck_assert_int_ge(fd, 0);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct out o = {.kind = rows[i].kind, .separator = rows[i].separator};
        struct error t = {0};
        FILE *f;

        ck_assert_int_eq(out_open(&o, name, false, OUT_COLOR_AUTO, &t), 0);
        ck_assert(!o.color);
        out_record(&o, make_record(rows[i].text));
        ck_assert_int_eq(out_close(&o, true, &t), 0);
        f = fopen(name, "r");
        ck_assert_ptr_nonnull(f);
        buf[fread(buf, 1, sizeof(buf) - 1, f)] = '\0';
        fclose(f);
        ck_assert_str_eq(buf, rows[i].line);
    }
    close(fd);
    unlink(name);
}
END_TEST

/* A full disk is reported as soon as the error is known, whether the output is live or not. */
START_TEST(full)
{
    struct error t = {0};

    for (int live = 0; live < 2; live++) {
        struct out o = {.kind = OUT_TEXT};

        ck_assert_int_eq(out_open(&o, "/dev/full", live, OUT_COLOR_NEVER, &t), 0);
        fputs("x", o.text);
        ck_assert_int_eq(live ? out_flush(&o, &t) : out_close(&o, true, &t), -1);
        ck_assert_int_eq(t.code, ERROR_OUTPUT);
        ck_assert_str_eq(t.text, "cannot write /dev/full: No space left on device");
        if (live) {
            out_close(&o, false, &t);
        }
    }
}
END_TEST

static void expect_file(const char *path, const char *expected)
{
    char text[64];
    FILE *f = fopen(path, "r");

    ck_assert_ptr_nonnull(f);
    text[fread(text, 1, sizeof(text) - 1, f)] = '\0';
    fclose(f);
    ck_assert_str_eq(text, expected);
}

/* A live file takes the place of an older one when it has its first report. */
START_TEST(live)
{
    static const struct {
        unsigned reports;
        bool keep;
        const char *left;
    } rows[] = {
        {0, true, "older"}, {0, false, "older"},   {1, true, "1.last"},
        {1, false, "1."},   {2, true, "1.2.last"},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct out o = {.kind = OUT_TEXT};
        struct error t = {0};
        char name[sizeof(TEMPORARY_PATH)];

        make_temporary(name, "older", 5);
        ck_assert_int_eq(out_open(&o, name, true, OUT_COLOR_NEVER, &t), 0);
        expect_file(name, "older");
        for (unsigned n = 1; n <= rows[i].reports; n++) {
            fprintf(o.text, "%u.", n);
            ck_assert_int_eq(out_flush(&o, &t), 0);
            expect_file(name, n == 1 ? "1." : "1.2.");
        }
        if (rows[i].reports) {
            fputs("last", o.text);
        }
        ck_assert_int_eq(out_close(&o, rows[i].keep, &t), 0);
        expect_file(name, rows[i].left);
        unlink(name);
    }
}
END_TEST

Suite *out_suite(void)
{
    const TTest *const tests[] = {kinds, full, live};

    return suite_of("out", tests, COUNT_OF(tests));
}
