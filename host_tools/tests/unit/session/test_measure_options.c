/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <string.h>

#include "session/measure-options.h"
#include "unit/tests.h"

#define MAX_WORDS 8

static const struct measure_command all = {.min_interval = 10};

/*
 * Splits a line into words, after a program's name. Returns the number of words including that
 * name.
 */
static int split(char *line, char **words)
{
    static char name[] = "test";
    int n = 1;

    words[0] = name;
    for (char *word = strtok(line, " "); word && n < MAX_WORDS; word = strtok(NULL, " ")) {
        words[n++] = word;
    }
    words[n] = NULL;
    return n;
}

static int parse(const struct measure_command *command, const char *text,
                 struct measure_options *to)
{
    struct options common = options_default;
    char *words[MAX_WORDS + 1];
    char line[128];

    snprintf(line, sizeof(line), "%s", text);
    *to = measure_options_default;
    return measure_parse(command, split(line, words), words, ARGP_SILENT, &common, to, NULL);
}

START_TEST(measure_options_all)
{
    static const struct {
        const char *text;
        int interval;
        long count;
        int timeout;
        bool per_vcpu;
        int gate;
        size_t events;
    } rows[] = {
        {"", 0, 0, 0, false, MACHINE_UNGATED, 0},
        {"-I 10", 10, 0, 0, false, MACHINE_UNGATED, 0},
        {"--interval-print=86400000", 86400000, 0, 0, false, MACHINE_UNGATED, 0},
        {"-I 10 -n 3", 10, 3, 0, false, MACHINE_UNGATED, 0},
        {"-n 3 -I 10", 10, 3, 0, false, MACHINE_UNGATED, 0},
        {"-I 10 --interval-count 3", 10, 3, 0, false, MACHINE_UNGATED, 0},
        {"-I 10 --iterations 3", 10, 3, 0, false, MACHINE_UNGATED, 0},
        {"--timeout 10", 0, 0, 10, false, MACHINE_UNGATED, 0},
        {"--duration 10", 0, 0, 10000, false, MACHINE_UNGATED, 0},
        {"-A", 0, 0, 0, true, MACHINE_UNGATED, 0},
        {"--per-vcpu", 0, 0, 0, true, MACHINE_UNGATED, 0},
        {"--no-aggr", 0, 0, 0, true, MACHINE_UNGATED, 0},
        {"--while-counter 31", 0, 0, 0, false, 31, 0},
        {"--while-counter 0", 0, 0, 0, false, 0, 0},
        {"-e cycles,instructions:u -e branches", 0, 0, 0, false, MACHINE_UNGATED, 3},
        {"-e cycles -I 20 -A ./vm", 20, 0, 0, true, MACHINE_UNGATED, 1},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct measure_options o;

        ck_assert_msg(parse(&all, rows[i].text, &o) == 0, "'%s' is refused", rows[i].text);
        ck_assert_int_eq(o.interval, rows[i].interval);
        ck_assert_int_eq(o.count, rows[i].count);
        ck_assert_int_eq(o.timeout, rows[i].timeout);
        ck_assert_int_eq(o.per_vcpu, rows[i].per_vcpu);
        ck_assert_int_eq(o.gate, rows[i].gate);
        ck_assert_uint_eq(o.events.n, rows[i].events);
        measure_options_free(&o);
    }
}
END_TEST

/* Each name of an option is refused by commands that do not accept the option, and only there. */
START_TEST(measure_options_refused)
{
    static const struct {
        enum measure_option option;
        const char *text;
    } rows[] = {
        {MEASURE_EVENT, "-e cycles"},
        {MEASURE_EVENT, "--event=cycles"},
        {MEASURE_INTERVAL, "-I 10"},
        {MEASURE_INTERVAL, "--interval-print=10"},
        {MEASURE_COUNT, "-n 1"},
        {MEASURE_COUNT, "--interval-count=1"},
        {MEASURE_COUNT, "--iterations=1"},
        {MEASURE_TIMEOUT, "--timeout=10"},
        {MEASURE_TIMEOUT, "--duration=10"},
        {MEASURE_PER_VCPU, "-A"},
        {MEASURE_PER_VCPU, "--per-vcpu"},
        {MEASURE_PER_VCPU, "--no-aggr"},
        {MEASURE_WHILE_COUNTER, "--while-counter=1"},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        for (int option = 0; option < MEASURE_OPTIONS; option++) {
            struct measure_command command = {.min_interval = 10, .repeats = true};
            struct measure_options o;
            int expected = option == (int)rows[i].option ? EINVAL : 0;

            command.instead[option] = "use something else";
            ck_assert_msg(parse(&command, rows[i].text, &o) == expected,
                          "'%s' without option %d: expected %d", rows[i].text, option, expected);
            measure_options_free(&o);
        }
    }
}
END_TEST

Suite *measure_options_suite(void)
{
    const TTest *const tests[] = {measure_options_all, measure_options_refused};

    return suite_of("measure_options", tests, COUNT_OF(tests));
}
