/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "session/stat-options.h"
#include "session/stat-report.h"
#include "unit/tests.h"

#define MAX_WORDS 8

static int parse(char *line, struct stat_options *o)
{
    static char name[] = "test";
    static char *words[MAX_WORDS + 1];
    int n = 1;

    words[0] = name;
    for (char *word = strtok(line, " "); word && n < MAX_WORDS; word = strtok(NULL, " ")) {
        words[n++] = word;
    }
    words[n] = NULL;
    *o = (struct stat_options){.detailed = 0};
    n = stat_options_split(o, n, words);
    return argp_parse(&stat_options_argp, n, words, ARGP_SILENT, NULL, o);
}

START_TEST(stat_cpus)
{
    static const struct {
        const char *list;
        unsigned cpu;
        bool wanted;
    } rows[] = {
        {"-a", 7, true},       {"-C 0", 0, true},      {"-C 0", 1, false},  {"-C 0,2-3", 1, false},
        {"-C 0,2-3", 3, true}, {"-C 0 -C 5", 5, true}, {"-C 2-2", 2, true},
    };

    static const char *const refused[] = {"3-1", "1-", "-2", "0,,1", "1x", "0-65536"};
    struct ranges none = {.n = 0};

    for (size_t i = 0; i < COUNT_OF(refused); i++) {
        ck_assert_msg(!ranges_add(&none, refused[i], 65535), "%s", refused[i]);
    }
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct stat_options o;
        char line[64];

        ck_assert_int_eq(parse(strcpy(line, rows[i].list), &o), 0);
        ck_assert_msg(ranges_have(&o.cpus, rows[i].cpu) == rows[i].wanted, "%s: %u", rows[i].list,
                      rows[i].cpu);
    }
}
END_TEST

START_TEST(stat_command)
{
    struct stat_options o;
    char line[64];

    ck_assert_int_eq(parse(strcpy(line, "-r 3 -- sleep -r 1"), &o), 0);
    ck_assert_int_eq(o.repeat, 3);
    ck_assert_str_eq(o.command[0], "sleep");
    ck_assert_str_eq(o.command[1], "-r");
    ck_assert_ptr_null(o.command[3]);
    ck_assert_int_eq(parse(strcpy(line, "-d -d --"), &o), 0);
    ck_assert_uint_eq(o.detailed, 2);
    ck_assert_ptr_null(o.command);
}
END_TEST

/* As in perf: the mean of 1, 2 and 3 is 2, and its standard error is 1 / sqrt(3). */
START_TEST(stat_spread)
{
    const struct spread some = {.sum = 6, .squares = 14};
    const struct spread same = {.sum = 6, .squares = 12};
    const struct spread none = {.sum = 0};

    ck_assert_double_eq_tol(spread_percent(&some, 3), 28.8675, 1e-3);
    ck_assert_double_eq_tol(spread_percent(&same, 3), 0, 1e-9);
    ck_assert_double_eq_tol(spread_percent(&same, 1), 0, 1e-9);
    ck_assert_double_eq_tol(spread_percent(&none, 3), 0, 1e-9);
}
END_TEST

Suite *stat_suite(void)
{
    const TTest *const tests[] = {stat_cpus, stat_command, stat_spread};

    return suite_of("stat", tests, COUNT_OF(tests));
}
