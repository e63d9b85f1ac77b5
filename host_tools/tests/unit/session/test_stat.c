/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>
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

#define RUNS 3
#define EVENTS "instructions,cycles,L1-dcache-loads,L1-dcache-load-misses,r13"

/* Reports @counts of the EVENTS in each run, which takes @ns. Returns the text. */
static char *report_runs(const uint64_t counts[RUNS][5], const int64_t *ns, char *const *command)
{
    const struct stat_options o = {.repeat = RUNS, .command = (char **)command};
    const struct measure_options mo = {.interval = 0};
    const uint64_t zero[5] = {0};
    struct spread cells[5] = {{0}};
    struct pmu pmu = {.cpu = 0};
    struct session s = {.name = "vm", .pmus = {.n = 1, .pmu = &pmu}};
    struct events events = {0};
    struct stat_report r = {.o = &o, .events = &events, .cell = cells};
    struct measure m = {.o = &mo, .s = &s, .last = (void *)(uintptr_t)zero};
    struct error t = {0};
    char *text = NULL;
    size_t len;

    ck_assert_int_eq(events_add(&events, EVENTS, &t), 0);
    s.out = (struct out){.kind = OUT_TEXT, .text = open_memstream(&text, &len)};
    for (unsigned i = 0; i < RUNS; i++) {
        m.now = (void *)(uintptr_t)counts[i];
        m.read = ns[i];
        stat_report_take(&r, &m);
    }
    stat_report_end(&r, &m);
    fclose(s.out.text);
    events_free(&events);
    return text;
}

/*
 * The widths of perf 6.1: perf stat -r 3 -e task-clock,page-faults sh -c ... has the "#" of each
 * line in column 58, the unit in column 69, and "( +-" in column 94. A count that is the same in
 * each run has no "( +-".
 */
START_TEST(stat_columns)
{
    static const uint64_t counts[RUNS][5] = {
        {1000, 2000, 77, 1, 1}, {1100, 2000, 77, 1, 1000000}, {1200, 2000, 77, 1, 1000000000}};
    static const int64_t ns[RUNS] = {1000000000, 1000100000, 1000200000};
    char *const command[] = {(char *)"sh", (char *)"-c", (char *)"a\033 b", NULL};
    char *text = report_runs(counts, ns, command);

    ck_assert_str_eq(
        text,
        "\n Performance counter stats for 'sh -c a? b' on the host, of 'vm' (3 runs):\n\n"
        "             1,100      instructions                     #     0.55 insn per cycle"
        "           ( +-  5.25% )\n"
        "             2,000      cycles                           #    0.000 GHz\n"
        "                77      L1-dcache-loads                  #   76.992 /sec\n"
        "                 1      L1-dcache-load-misses            #    1.30% of all L1-dcache "
        "accesses\n"
        "       333,666,667      r13                              #  333.633 M/sec"
        "                    ( +- 99.85% )\n"
        "\n         1.0001000 +- 0.0000577 seconds time elapsed  ( +-  0.01% )\n\n");
    ck_assert_int_eq(strstr(text, "# ") - strstr(text, "             1,100"), 57);
    ck_assert_int_eq(strstr(text, "M/sec") - strstr(text, "       333,666"), 68);
    ck_assert_int_eq(strstr(text, "( +-") - strstr(text, "             1,100"), 93);
    free(text);
}
END_TEST

Suite *stat_suite(void)
{
    const TTest *const tests[] = {stat_cpus, stat_command, stat_spread, stat_columns};

    return suite_of("stat", tests, COUNT_OF(tests));
}
