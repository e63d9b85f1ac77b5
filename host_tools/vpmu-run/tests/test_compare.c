/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The gate: which differences of reports are found, and what fails. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "report/comparison.h"
#include "tests/tests.h"

#define GOOD "\"exit-status\": 0, \"signal\": null, \"machine\": {\"kernel\": \"6.12\"}"
#define MAX_OPTIONS 4

/* report_of() - a report of the command "p"; @rest: members other than its events */
static struct json_object *report_of(const char *rest, const char *events)
{
    struct json_object *o;
    char *text;

    ck_assert(asprintf(&text, "{\"command\": [\"p\"], %s, \"events\": [%s]}", rest, events) > 0);
    o = json_tokener_parse(text);
    ck_assert_msg(o != NULL, "%s", text);
    free(text);
    return o;
}

/* set_options() - "-e", "-g", "-s", "-c" (--allow-command) and "-m" (--allow-missing), as a list */
static void set_options(struct compare_options *o, const char *const *option)
{
    for (; *option; option++) {
        const char *value = *option + 2;

        switch ((*option)[1]) {
        case 'e':
            o->events[o->n_events++] = value;
            break;
        case 'g':
            ck_assert(limits_add(&o->growth, value));
            break;
        case 's':
            ck_assert(limits_add(&o->shrink, value));
            break;
        case 'c':
            o->allow_command = true;
            break;
        default:
            o->allow_missing = true;
        }
    }
}

#define EVENT(name, value) "{\"event\": \"" name "\", \"value\": " value "}"
#define RUNS(name, value, values)                                                                  \
    "{\"event\": \"" name "\", \"value\": " value ", \"values\": [" values "]}"

/* Each difference, with the options; the exit status, and the row that must be the first one. */
static const struct gate {
    const char *base_rest, *base, *now_rest, *now;
    const char *options[MAX_OPTIONS + 1];
    int status;
    enum compare_kind first;
} gates[] = {
    /* Limits: of all events, of one, with a floor. */
    {GOOD, EVENT("i", "1000"), GOOD, EVENT("i", "1010"), {"-g1%"}, 0, COMPARE_WITHIN},
    {GOOD, EVENT("i", "1000"), GOOD, EVENT("i", "1011"), {"-g1"}, 9, COMPARE_GREW},
    {GOOD, EVENT("i", "1000"), GOOD, EVENT("i", "1011"), {0}, 0, COMPARE_WITHIN},
    {GOOD, EVENT("i", "1000"), GOOD, EVENT("i", "1011"), {"-g1%:11"}, 0, COMPARE_WITHIN},
    {GOOD, EVENT("i", "1000"), GOOD, EVENT("i", "1012"), {"-g1%:11"}, 9, COMPARE_GREW},
    {GOOD, EVENT("i", "1000"), GOOD, EVENT("i", "1011"), {"-g1", "-gi=2%"}, 0, COMPARE_WITHIN},
    {GOOD, EVENT("i", "1000"), GOOD, EVENT("i", "1011"), {"-gi=2%", "-g1"}, 0, COMPARE_WITHIN},
    {GOOD,
     EVENT("cpu/event=0x11/", "1000"),
     GOOD,
     EVENT("cpu/event=0x11/", "1011"),
     {"-gcpu/event=0x11/=1%:9"},
     9,
     COMPARE_GREW},
    {GOOD, EVENT("i", "0"), GOOD, EVENT("i", "1"), {"-g1000"}, 9, COMPARE_GREW},
    {GOOD,
     EVENT("i", "18446744073709551614"),
     GOOD,
     EVENT("i", "18446744073709551615"),
     {"-g0"},
     9,
     COMPARE_GREW},
    {GOOD, EVENT("i", "1000"), GOOD, EVENT("i", "500"), {"-g1"}, 0, COMPARE_WITHIN},
    {GOOD, EVENT("i", "1000"), GOOD, EVENT("i", "500"), {"-s50"}, 0, COMPARE_WITHIN},
    {GOOD, EVENT("i", "1000"), GOOD, EVENT("i", "499"), {"-s50"}, 9, COMPARE_SHRANK},
    {GOOD, EVENT("i", "1000"), GOOD, EVENT("i", "499"), {"-s50:501"}, 0, COMPARE_WITHIN},
    /* Several things are wrong: what grew most comes first. */
    {GOOD,
     EVENT("a", "10") "," EVENT("b", "10") "," EVENT("c", "10"),
     GOOD,
     EVENT("a", "11") "," EVENT("b", "20"),
     {"-g1"},
     9,
     COMPARE_GREW},
    /* Events that only one report has. */
    {GOOD, EVENT("i", "1") "," EVENT("s/i", "1"), GOOD, EVENT("i", "1"), {0}, 0, COMPARE_WITHIN},
    {GOOD,
     EVENT("i", "1") "," EVENT("s/i", "1"),
     GOOD,
     EVENT("i", "1"),
     {"-g1"},
     9,
     COMPARE_MISSING},
    {GOOD, EVENT("i", "1"), GOOD, EVENT("i", "1") "," EVENT("s/i", "1"), {"-s1"}, 9, COMPARE_EXTRA},
    {GOOD,
     EVENT("i", "1"),
     GOOD,
     EVENT("i", "1") "," EVENT("s/i", "1"),
     {"-g1", "-m"},
     0,
     COMPARE_WITHIN},
    {GOOD,
     EVENT("i", "1") "," EVENT("s/i", "1"),
     GOOD,
     EVENT("i", "1"),
     {"-es/i,i"},
     9,
     COMPARE_NAMED},
    {GOOD,
     EVENT("i", "1") "," EVENT("s/i", "1"),
     GOOD,
     EVENT("i", "1"),
     {"-es/i,i", "-m"},
     9,
     COMPARE_NAMED},
    {GOOD, EVENT("i", "1"), GOOD, EVENT("i", "1"), {"-ei,j"}, 2, COMPARE_UNKNOWN},
    {GOOD, EVENT("i", "1"), GOOD, EVENT("i", "1"), {"-gj=1"}, 2, COMPARE_UNKNOWN},
    {GOOD, EVENT("i", "1"), GOOD, EVENT("j", "1"), {0}, 2, COMPARE_NOTHING},
    {GOOD, "", GOOD, "", {0}, 2, COMPARE_NOTHING},
    /* System calls that were not made count 0. */
    {GOOD,
     EVENT("syscall:read", "1"),
     GOOD,
     EVENT("syscall:read", "1") "," EVENT("syscall:x", "2"),
     {"-g1"},
     9,
     COMPARE_GREW},
    {GOOD,
     EVENT("syscall:read", "1") "," EVENT("syscall:x", "2"),
     GOOD,
     EVENT("syscall:read", "1"),
     {"-g1"},
     0,
     COMPARE_WITHIN},
    /* Values that are not there any more. */
    {GOOD,
     EVENT("i", "1") "," EVENT("j", "1"),
     GOOD,
     EVENT("i", "1") "," EVENT("j", "null"),
     {0},
     0,
     COMPARE_WITHIN},
    {GOOD,
     EVENT("i", "1") "," EVENT("j", "1"),
     GOOD,
     EVENT("i", "1") "," EVENT("j", "null"),
     {"-g1"},
     9,
     COMPARE_LOST},
    {GOOD,
     EVENT("i", "1") "," EVENT("j", "1"),
     GOOD,
     EVENT("i", "1") "," EVENT("j", "null"),
     {"-g1", "-m"},
     9,
     COMPARE_LOST},
    {GOOD,
     EVENT("i", "1") "," EVENT("j", "null"),
     GOOD,
     EVENT("i", "1") "," EVENT("j", "null"),
     {"-g1"},
     0,
     COMPARE_WITHIN},
    {GOOD,
     EVENT("i", "1") "," EVENT("j", "null"),
     GOOD,
     EVENT("i", "1") "," EVENT("j", "null"),
     {"-ej,i"},
     9,
     COMPARE_NAMED},
    {GOOD, EVENT("i", "null"), GOOD, EVENT("i", "null"), {"-g1"}, 2, COMPARE_NOTHING},
    /* How the program ended. */
    {GOOD,
     EVENT("i", "1"),
     "\"exit-status\": 1, \"signal\": null",
     EVENT("i", "1"),
     {"-g1"},
     9,
     COMPARE_STATUS},
    {GOOD,
     EVENT("i", "1"),
     "\"exit-status\": 1, \"signal\": null",
     EVENT("i", "1"),
     {0},
     0,
     COMPARE_WITHIN},
    {GOOD,
     EVENT("i", "100"),
     "\"exit-status\": 134, \"signal\": 6",
     EVENT("i", "55"),
     {"-g1"},
     9,
     COMPARE_STATUS},
    {"\"exit-status\": 134, \"signal\": 6",
     EVENT("i", "1"),
     "\"exit-status\": 134, \"signal\": 6",
     EVENT("i", "1"),
     {"-g1"},
     9,
     COMPARE_SIGNAL},
    /* Another content of a file is a note. Reports without the member are older ones. */
    {GOOD ", \"contents\": {\"/f\": \"1\", \"/g\": \"1\"}",
     EVENT("i", "1"),
     GOOD ", \"contents\": {\"/f\": \"2\", \"/g\": \"1\"}",
     EVENT("j", "1") "," EVENT("i", "1"),
     {"-g1", "-m"},
     0,
     COMPARE_EXTRA},
    {GOOD ", \"contents\": {\"/f\": \"1\"}",
     EVENT("i", "1"),
     GOOD ", \"contents\": {\"/g\": 7}",
     EVENT("i", "1"),
     {"-ei", "-g1"},
     0,
     COMPARE_WITHIN},
    {GOOD ", \"contents\": 7", EVENT("i", "1"), GOOD, EVENT("i", "1"), {"-g1"}, 0, COMPARE_WITHIN},
    /* Another machine is a warning. */
    {GOOD,
     EVENT("i", "1"),
     "\"exit-status\": 0, \"machine\": {\"kernel\": \"6.13\"}",
     EVENT("i", "1"),
     {"-g1"},
     0,
     COMPARE_WITHIN},
    {GOOD,
     EVENT("i", "1"),
     "\"exit-status\": 0, \"machine\": 7",
     EVENT("i", "1"),
     {"-g1"},
     0,
     COMPARE_WITHIN},
/* Counts of another command say nothing of this one. */
#define OTHER GOOD ", \"command\": [\"p\", \"x\"]"
    {GOOD, EVENT("i", "1"), OTHER, EVENT("i", "1"), {0}, 0, COMPARE_WITHIN},
    {GOOD, EVENT("i", "1"), OTHER, EVENT("i", "1"), {"-g1"}, 9, COMPARE_COMMAND},
    {OTHER, EVENT("i", "1"), GOOD, EVENT("i", "1"), {"-s1", "-m"}, 9, COMPARE_COMMAND},
    {GOOD, EVENT("i", "1"), OTHER, EVENT("i", "1"), {"-g1", "-c"}, 0, COMPARE_WITHIN},
    {GOOD ", \"command\": [\"p x\"]",
     EVENT("i", "1"),
     OTHER,
     EVENT("i", "1"),
     {"-g1"},
     9,
     COMPARE_COMMAND},
    {GOOD ", \"command\": 7", EVENT("i", "1"), GOOD, EVENT("i", "1"), {"-g1"}, 9, COMPARE_COMMAND},
    {OTHER, EVENT("i", "1"), OTHER, EVENT("i", "1"), {"-g1"}, 0, COMPARE_WITHIN},
    /* The band of the runs: a change within it does not fail, one beyond it does. */
    {GOOD,
     RUNS("i", "100", "90,100,110"),
     GOOD,
     RUNS("i", "115", "105,115,125"),
     {"-g1"},
     0,
     COMPARE_BAND},
    {GOOD,
     RUNS("i", "100", "90,100,110"),
     GOOD,
     RUNS("i", "121", "111,121,131"),
     {"-g1"},
     9,
     COMPARE_GREW},
    {GOOD, RUNS("i", "100", "90,100,110"), GOOD, EVENT("i", "110"), {"-g1"}, 0, COMPARE_BAND},
    {GOOD, RUNS("i", "100", "90,100,110"), GOOD, EVENT("i", "111"), {"-g1"}, 9, COMPARE_GREW},
    {GOOD,
     RUNS("i", "100", "90,100,110"),
     GOOD,
     RUNS("i", "85", "75,85,90"),
     {"-s1"},
     0,
     COMPARE_BAND},
    {GOOD,
     RUNS("i", "100", "90,100,110"),
     GOOD,
     RUNS("i", "85", "75,85,89"),
     {"-s1"},
     9,
     COMPARE_SHRANK},
};

START_TEST(compare_gate)
{
    for (size_t i = 0; i < COUNT_OF(gates); i++) {
        const struct gate *g = &gates[i];
        struct json_object *base = report_of(g->base_rest, g->base);
        struct json_object *now = report_of(g->now_rest, g->now);
        struct reports before = {.path = "base.json", .report = &base, .n = 1};
        struct reports after = {.path = "now.json", .report = &now, .n = 1};
        static struct compare_options o;
        struct comparison c = {0};
        struct failure f = {0};

        memset(&o, 0, sizeof(o));
        set_options(&o, g->options);
        ck_assert_msg(compare_reports(&c, &o, &before, &after, &f) == 0, "row %zu: %s", i, f.text);
        ck_assert_msg(c.n > 0 && c.row[0].kind == g->first, "row %zu: %d", i, (int)c.row[0].kind);
        compare_judge(&c, &f);
        ck_assert_msg(f.status == g->status, "row %zu: %d %s", i, f.status, f.text);
        comparison_free(&c);
        json_object_put(base);
        json_object_put(now);
    }
}
END_TEST

/* What differs besides counts is named, with what it was and is. */
static const struct difference {
    const char *base_rest, *base, *now_rest, *now;
    const char *options[MAX_OPTIONS + 1];
    enum compare_kind kind;
    const char *name, *before, *after; /* NULL: there is no row of the kind */
} differences[] = {
    {GOOD, EVENT("i", "1"), OTHER, EVENT("i", "1"), {0}, COMPARE_COMMAND, "command", "none", "x"},
    {OTHER,
     EVENT("i", "1"),
     GOOD ", \"command\": [\"p\", \"y\"]",
     EVENT("i", "1"),
     {0},
     COMPARE_COMMAND,
     "command",
     "x",
     "y"},
/* A report from before reports had them says nothing of variables. */
#define HOME(hash) GOOD ", \"environment\": {\"HOME\": \"" hash "\"}"
    {HOME("1"),
     EVENT("i", "1"),
     HOME("2"),
     EVENT("i", "1"),
     {"-g1"},
     COMPARE_ENVIRONMENT,
     "environment: HOME",
     "1",
     "2"},
    {HOME("1"),
     EVENT("i", "1"),
     GOOD ", \"environment\": {}",
     EVENT("i", "1"),
     {0},
     COMPARE_ENVIRONMENT,
     "environment: HOME",
     "1",
     "none"},
    {HOME("1"), EVENT("i", "1"), HOME("1"), EVENT("i", "1"), {0}, COMPARE_ENVIRONMENT, NULL, 0, 0},
    {GOOD, EVENT("i", "1"), HOME("1"), EVENT("i", "1"), {0}, COMPARE_ENVIRONMENT, NULL, 0, 0},
    /* Counts of the kernel depend on what else is counted. Without -e, the rows say that. */
    {GOOD,
     EVENT("i:k", "1") "," EVENT("j", "1"),
     GOOD,
     EVENT("i:k", "1"),
     {"-ei:k"},
     COMPARE_MACHINE,
     "machine: events",
     "2 counted",
     "1 counted"},
    {GOOD,
     EVENT("i", "1") "," EVENT("j", "1"),
     GOOD,
     EVENT("i", "1") "," EVENT("k", "1"),
     {"-ei"},
     COMPARE_MACHINE,
     "machine: events",
     "2 counted",
     "2 counted"},
    {GOOD,
     EVENT("i:u", "1") "," EVENT("j", "1"),
     GOOD,
     EVENT("i:u", "1"),
     {"-ei:u"},
     COMPARE_MACHINE,
     NULL,
     0,
     0},
    {GOOD,
     EVENT("i", "1") "," EVENT("syscall:read", "1"),
     GOOD,
     EVENT("i", "1") ", {\"event\": \"s/i\", \"region\": \"s\", \"value\": 1}",
     {"-ei"},
     COMPARE_MACHINE,
     NULL,
     0,
     0},
    {GOOD,
     EVENT("i", "1") "," EVENT("j", "1"),
     GOOD,
     EVENT("i", "1"),
     {0},
     COMPARE_MACHINE,
     NULL,
     0,
     0},
    /* Time has a unit. */
    {GOOD,
     EVENT("task-clock:u", "1000"),
     GOOD,
     EVENT("task-clock:u", "null"),
     {0},
     COMPARE_LOST,
     "task-clock:u",
     "1,000 ns",
     "not counted"},
};

START_TEST(compare_differences)
{
    for (size_t i = 0; i < COUNT_OF(differences); i++) {
        const struct difference *d = &differences[i];
        struct json_object *base = report_of(d->base_rest, d->base);
        struct json_object *now = report_of(d->now_rest, d->now);
        struct reports before = {.path = "base.json", .report = &base, .n = 1};
        struct reports after = {.path = "now.json", .report = &now, .n = 1};
        static struct compare_options o;
        struct comparison c = {0};
        struct failure f = {0};
        size_t row = 0;

        memset(&o, 0, sizeof(o));
        set_options(&o, d->options);
        ck_assert_msg(compare_reports(&c, &o, &before, &after, &f) == 0, "row %zu: %s", i, f.text);
        ck_assert_msg(c.kind[d->kind] == (d->name ? 1 : 0), "row %zu", i);
        while (d->name && c.row[row].kind != d->kind) {
            row++;
        }
        if (d->name) {
            ck_assert_str_eq(c.row[row].name, d->name);
            ck_assert_str_eq(c.row[row].before, d->before);
            ck_assert_str_eq(c.row[row].after, d->after);
            ck_assert_int_eq(c.row[row].severity, COMPARE_WARNING);
        }
        comparison_free(&c);
        json_object_put(base);
        json_object_put(now);
    }
}
END_TEST

/* Values that are not counts are refused: they must not pass for 0. */
START_TEST(compare_refused)
{
    static const char *const events[] = {
        EVENT("i", "-1"),
        EVENT("i", "1.5"),
        EVENT("i", "\"1\""),
        "{\"event\": 3, \"value\": 1}",
        "{\"value\": 1}",
        "7",
        "null",
        RUNS("i", "1", "1,-2"),
        "{\"event\": \"i\", \"value\": 1, \"values\": 3}",
        EVENT("i", "1") "," EVENT("i", "2"),
    };
    static const struct compare_options o;

    for (size_t i = 0; i < COUNT_OF(events); i++) {
        struct json_object *base = report_of(GOOD, EVENT("i", "1"));
        struct json_object *now = report_of(GOOD, events[i]);
        struct reports before = {.path = "base.json", .report = &base, .n = 1};
        struct reports after = {.path = "now.json", .report = &now, .n = 1};
        struct comparison c = {0};
        struct failure f = {0};

        ck_assert_msg(compare_reports(&c, &o, &before, &after, &f) == -1, "%s", events[i]);
        ck_assert_int_eq(f.status, FAILURE_USAGE);
        ck_assert_msg(strstr(f.text, "now.json") != NULL, "%s", f.text);
        comparison_free(&c);
        json_object_put(base);
        json_object_put(now);
    }
}
END_TEST

static void read_text(struct reports *r, const char *text)
{
    char path[] = "/tmp/vpmu-run-test-XXXXXX";
    struct failure f = {0};
    int fd = mkstemp(path);

    ck_assert_int_eq(write(fd, text, strlen(text)), (int)strlen(text));
    close(fd);
    ck_assert_int_eq(reports_read(r, path, &f), 0);
    unlink(path);
}

/* Several reports in a file: those of the same command are compared. */
START_TEST(compare_several)
{
#define REPORT(command, value)                                                                     \
    "{\"schema\": \"vpmu-run\", \"version\": 1, \"command\": [\"" command                          \
    "\"], \"events\": [" EVENT("i", value) "]}"
    static const char first[] = REPORT("a", "1") REPORT("b", "2") REPORT("b", "3");
    static const char turned[] = REPORT("b", "2") REPORT("a", "1") REPORT("b", "3");
    static const char less[] = REPORT("b", "2") REPORT("a", "1");
    static struct compare_options o;
    struct reports before, after;
    struct comparison c = {0};
    struct failure f = {0};

    read_text(&before, first);
    read_text(&after, turned);
    ck_assert(limits_add(&o.growth, "0"));
    ck_assert_int_eq(compare_reports(&c, &o, &before, &after, &f), 0);
    ck_assert_int_eq(compare_judge(&c, &f), 0);
    ck_assert_uint_eq(c.compared, 3);
    comparison_free(&c);
    /* A report that is gone is a missing one. */
    reports_free(&after);
    read_text(&after, less);
    ck_assert_int_eq(compare_reports(&c, &o, &before, &after, &f), 0);
    ck_assert_str_eq(c.row[0].name, "b: report");
    ck_assert_int_eq(c.row[0].kind, COMPARE_MISSING);
    compare_judge(&c, &f);
    ck_assert_int_eq(f.status, FAILURE_GREW);
    comparison_free(&c);
    /* An event has to be in a report, not in all of them. */
    o = (struct compare_options){.events = {"j"}, .n_events = 1};
    ck_assert_int_eq(compare_reports(&c, &o, &before, &after, &f), 0);
    ck_assert_int_eq(c.row[0].kind, COMPARE_UNKNOWN);
    comparison_free(&c);
    reports_free(&before);
    reports_free(&after);
}
END_TEST

/* Text and Markdown of a comparison in which one event grew and one is gone. */
START_TEST(compare_formats)
{
    static const struct {
        const char *format;
        bool quiet;
        const char *text;
    } rows[] = {
        {"text", false,
         "event                                    base                  now               change  "
         "                    band\n"
         "i|j                                     1,000                1,100                 +100  "
         "  +10.000 %      1.000 %  error: grew beyond the limit of 1 % and 9\n"
         "gone                                        1                 none                       "
         "                          error: only in BASE\n"
         "same                                        5                    5                    0  "
         "   +0.000 %             \n"
         "2 counts compared: 1 grew beyond the limit, 1 only in BASE\n"},
        {"markdown", false,
         "**vpmu-run**: 2 counts compared: 1 grew beyond the limit, 1 only in BASE\n\n"
         "| event | base | now | change | % | band | |\n"
         "| --- | ---: | ---: | ---: | ---: | ---: | --- |\n"
         "| i\\|j | 1,000 | 1,100 | +100 | +10.000 % | 1.000 % | :x: grew beyond the limit of 1 % "
         "and 9 |\n"
         "| gone | 1 | none |  |  |  | :x: only in BASE |\n"
         "| same | 5 | 5 | 0 | +0.000 % |  |  |\n"},
        {"markdown", true,
         "**vpmu-run**: 2 counts compared: 1 grew beyond the limit, 1 only in BASE\n\n"
         "| event | base | now | change | % | band | |\n"
         "| --- | ---: | ---: | ---: | ---: | ---: | --- |\n"
         "| i\\|j | 1,000 | 1,100 | +100 | +10.000 % | 1.000 % | :x: grew beyond the limit of 1 % "
         "and 9 |\n"
         "| gone | 1 | none |  |  |  | :x: only in BASE |\n"},
    };
    static struct compare_options o;
    struct json_object *base = report_of(
        GOOD, EVENT("same", "5") "," RUNS("i|j", "1000", "990,1000") "," EVENT("gone", "1"));
    struct json_object *now = report_of(GOOD, EVENT("same", "5") "," EVENT("i|j", "1100"));
    struct reports before = {.path = "base.json", .report = &base, .n = 1};
    struct reports after = {.path = "now.json", .report = &now, .n = 1};
    struct comparison c = {0};
    struct failure f = {0};

    ck_assert(limits_add(&o.growth, "1%:9"));
    ck_assert_int_eq(compare_reports(&c, &o, &before, &after, &f), 0);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        char *text = NULL;
        size_t size;
        FILE *to = open_memstream(&text, &size);

        comparison_find(rows[i].format)(&c, rows[i].quiet, to);
        fclose(to);
        ck_assert_str_eq(text, rows[i].text);
        free(text);
    }
    ck_assert_ptr_null(comparison_find("xml"));
    comparison_free(&c);
    json_object_put(base);
    json_object_put(now);
}
END_TEST

START_TEST(limits)
{
    static const struct {
        const char *text;
        bool good;
        const char *event;
        double percent;
        uint64_t floor;
    } rows[] = {
        {"0.1%", true, "", 0.1, 0},
        {"5", true, "", 5, 0},
        {"0:1000", true, "", 0, 1000},
        {"i:u=0.1%:1000", true, "i:u", 0.1, 1000},
        {"cpu/event=0x11/=0.1%:1000", true, "cpu/event=0x11/", 0.1, 1000},
        {"", false, "", 0, 0},
        {"=1", false, "", 0, 0},
        {"i=", false, "", 0, 0},
        {"-1", false, "", 0, 0},
        {"nan", false, "", 0, 0},
        {"inf", false, "", 0, 0},
        {"1%%", false, "", 0, 0},
        {"1%:", false, "", 0, 0},
        {"1%:-1", false, "", 0, 0},
        {"1%:1k", false, "", 0, 0},
        {"1:99999999999999999999", false, "", 0, 0},
        {"instructions:u", false, "", 0, 0},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct limits l = {.n = 0};

        ck_assert_msg(limits_add(&l, rows[i].text) == rows[i].good, "%s", rows[i].text);
        if (rows[i].good) {
            ck_assert_uint_eq(l.limit[0].length, strlen(rows[i].event));
            ck_assert(strncmp(l.limit[0].event, rows[i].event, l.limit[0].length) == 0);
            ck_assert_double_eq(l.limit[0].percent, rows[i].percent);
            ck_assert_uint_eq(l.limit[0].floor, rows[i].floor);
        }
    }
    ck_assert_uint_eq(event_length("i:u,j"), 3);
    ck_assert_uint_eq(event_length("s/i:u,t/j=1"), 5);
    ck_assert_uint_eq(event_length("cpu/event=1,umask=2/u,j"), 21);
    ck_assert_uint_eq(event_length("s/cpu/event=1,umask=2/,j"), 22);
    ck_assert_double_eq(compare_change(200, 201), 0.5);
    ck_assert_double_eq(compare_change(0, 0), 0);
}
END_TEST

void add_compare_tests(Suite *suite)
{
    const TTest *const tests[] = {compare_gate,    compare_differences, compare_refused,
                                  compare_several, compare_formats,     limits};

    for (size_t i = 0; i < COUNT_OF(tests); i++) {
        TCase *tcase = tcase_create(tests[i]->name);

        tcase_add_test(tcase, tests[i]);
        suite_add_tcase(suite, tcase);
    }
}
