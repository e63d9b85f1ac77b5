/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From what init reports to the formats that people and programs read. */
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "report/formats.h"
#include "report/report.h"
#include "report/reports.h"
#include "tests/tests.h"

static const struct input no_input = {.fd = -1, .kind = "none"};
static char *argv[] = {(char[]){"./bench"}, (char[]){"--say=\"x\""}, NULL};

START_TEST(result_lines)
{
    static const struct {
        const char *text;
        const char *error;
        int status;
    } rows[] = {
        {"kernel 6.12\ncount 0 5 10 10\nuncounted 1 2\nstatus 1792\nend\n", NULL, 7},
        {"kernel 6.12\ncount 0 5 10 10\nuncounted 1 2\nstatus 15\nend\n", NULL, 143},
        {"kernel 6.12\ncount 0 5 10 10\nuncounted 1 2\nstatus 0\n", "without a result", 0},
        {"kernel 6.12\ncount 0 5 10 10\nuncounted 1 2\nsyscall 39 4\nsyscall 5000 1\nsyscall -1 1\n"
         "status 0\nend\n",
         NULL, 0},
        {"kernel 6.12\ncount 0 5 10 10\nuncounted 1 2\nregion 0 3 sort\npart 0 0 2 4 4\nstatus "
         "0\nend\n",
         NULL, 0},
        {"part 0 0 2 4 4\nend\n", "'part 0 0 2 4 4', which is not a result", 0},
        {"region 1 3 sort\nend\n", "'region 1 3 sort', which is not a result", 0},
        {"error cannot fork\nend\n", "in the machine: cannot fork", 0},
        {"count 2 5 10 10\nend\n", "'count 2 5 10 10', which is not a result", 0},
        {"", "without a result", 0},
        {"end", "without a result", 0},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        char text[160];
        struct result r;
        struct failure f = {0};
        int err = result_parse(&r, strcpy(text, rows[i].text), 2, &f);

        if (rows[i].error) {
            ck_assert_int_eq(err, -1);
            ck_assert_msg(strstr(f.text, rows[i].error) != NULL, "%s", f.text);
            result_free(&r);
            continue;
        }
        ck_assert_msg(err == 0, "%s", f.text);
        ck_assert_int_eq(result_exit_status(&r), rows[i].status);
        ck_assert_str_eq(r.kernel, "6.12");
        ck_assert_uint_eq(r.syscall[39], strstr(rows[i].text, "syscall 39") ? 4 : 0);
        ck_assert(r.count[0].counted && r.count[0].value == 5);
        ck_assert(!r.count[1].counted && r.count[1].error == 2);
        if (strstr(rows[i].text, "region")) {
            const struct region *region = result_region(&r, "sort");

            ck_assert(region && region->entries == 3 && region->count[0].value == 2);
            ck_assert(!region->count[1].counted && region->count[1].error == 2);
        }
        ck_assert_ptr_null(result_region(&r, "other"));
        result_free(&r);
    }
}
END_TEST

/* example() - a report of three runs: 30, 10 and 20 instructions */
static struct json_object *example(void)
{
    static const struct emulator e = {.machine = EM_X86_64, .memory = 512, .cpus = 1, .seed = 1};
    static const unsigned values[] = {30, 10, 20};
    static struct result results[COUNT_OF(values)];
    struct events events = {.n = 0};
    struct failure f;

    ck_assert_int_eq(events_add(&events, "instructions:u,cycles:u,cache-misses", &f), 0);
    for (size_t i = 0; i < COUNT_OF(values); i++) {
        strcpy(results[i].kernel, "6.12");
        results[i].count[0] = (struct count){true, 0, values[i], 1, 1};
        results[i].count[1] = (struct count){true, 0, 40, 1, 1};
        results[i].count[2] = (struct count){false, 2, 0, 0, 0};
    }
    return report_new(argv, &e, &no_input, &events, results, COUNT_OF(values));
}

START_TEST(report_formats)
{
    static const struct {
        const char *format, *text;
    } rows[] = {
        {"csv", "event,value\ninstructions:u,20\ncycles:u,40\ncache-misses,\n"},
        {"text",
         "\n Counts of './bench --say=\"x\"':\n\n"
         "                  20  instructions:u            # 0.50 insn per cycle  ( 10 to 30 )\n"
         "                  40  cycles:u                  ( the same in each run )\n"
         "     <not supported>  cache-misses            \n\n"},
        {"prometheus",
         "# HELP vpmu_run_events Events of one run of a command.\n"
         "# TYPE vpmu_run_events gauge\n"
         "vpmu_run_events{command=\"./bench --say=\\\"x\\\"\",event=\"instructions:u\"} 20\n"
         "vpmu_run_events{command=\"./bench --say=\\\"x\\\"\",event=\"cycles:u\"} 40\n"},
        {"github", "[\n  {\n    \"name\": \"./bench --say=\\\"x\\\": instructions:u\",\n"
                   "    \"unit\": \"events\",\n    \"value\": 20\n  },\n  {\n"
                   "    \"name\": \"./bench --say=\\\"x\\\": cycles:u\",\n"
                   "    \"unit\": \"events\",\n    \"value\": 40\n  }\n]\n"},
        {"bencher", "{\n  \"./bench --say=\\\"x\\\"\": {\n    \"instructions-u\": {\n"
                    "      \"value\": 20\n    },\n    \"cycles-u\": {\n      \"value\": 40\n"
                    "    }\n  }\n}\n"},
    };
    struct json_object *report = example();

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        char *text = NULL;
        size_t size;
        FILE *to = open_memstream(&text, &size);

        format_find(rows[i].format)(&report, 1, to);
        fclose(to);
        ck_assert_str_eq(text, rows[i].text);
        free(text);
    }
    ck_assert_ptr_null(format_find("xml"));
    json_object_put(report);
}
END_TEST

/* Time has a unit, and names of loads say what else is counted; a report may come from anybody. */
START_TEST(report_meanings)
{
    static const struct emulator amd = {.machine = EM_X86_64, .cpus = 1, .seed = 1};
    static const struct emulator intel = {
        .machine = EM_X86_64, .cpus = 1, .seed = 1, .branches = true};
    static const struct {
        const struct emulator *e;
        const char *text;
    } rows[] = {
        {&amd, "           1,234 ns  task-clock              \n"
               "                  40  L1-dcache-loads           # loads and stores\n"
               "                  10  L1-dcache-load-misses     # 25.00 % of L1-dcache-loads"
               "  # loads and stores\n"},
        {&intel, "           1,234 ns  task-clock              \n"
                 "                  40  L1-dcache-loads         \n"
                 "                  10  L1-dcache-load-misses     # 25.00 % of L1-dcache-loads"
                 "  # loads and stores\n"},
    };
    static struct result results[1] = {
        {.count = {{true, 0, 1234, 1, 1}, {true, 0, 40, 1, 1}, {true, 0, 10, 1, 1}}}};
    struct events events = {.n = 0};
    struct json_object *report, *list, *event;
    struct failure f;

    ck_assert_int_eq(events_add(&events, "task-clock,L1-dcache-loads,L1-dcache-load-misses", &f),
                     0);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        char *text = NULL;
        size_t size;
        FILE *to = open_memstream(&text, &size);

        report = report_new(argv, rows[i].e, &no_input, &events, results, 1);
        format_find("text")(&report, 1, to);
        json_object_object_get_ex(report, "events", &list);
        event = json_object_array_get_idx(list, 0);
        json_object_object_add(event, "includes", json_object_new_string("\33[31m"));
        json_object_object_add(json_object_array_get_idx(list, 1), "includes", NULL);
        format_find("text")(&report, 1, to);
        fclose(to);
        ck_assert_msg(strstr(text, rows[i].text) != NULL, "%s", text);
        ck_assert_msg(strchr(text, '\33') == NULL, "%s", text);
        json_object_put(report);
        free(text);
    }
}
END_TEST

/* System calls follow the events, by number; one that has no name is named by its number. */
START_TEST(report_syscalls)
{
    static const struct emulator e = {.machine = EM_X86_64, .memory = 512, .cpus = 1, .seed = 1};
    static struct result results[3];
    struct events events = {.n = 0};
    struct json_object *report;
    uint64_t value = 0;

    results[0].syscall[SYS_getpid] = 7;
    results[1].syscall[SYS_getpid] = 5;
    results[2].syscall[SYS_getpid] = 6;
    results[2].syscall[1000] = 1;
    report = report_new(argv, &e, &no_input, &events, results, COUNT_OF(results));
    ck_assert_uint_eq(report_events(report), 2);
    ck_assert(report_find(report, "syscall:getpid", &value) && value == 6);
    ck_assert(report_find(report, "syscall:1000", &value) && value == 0);
    json_object_put(report);
}
END_TEST

/* Regions follow with events of their own. One that a run has not entered counted 0 there. */
START_TEST(report_regions)
{
    static const struct emulator e = {.machine = EM_X86_64, .memory = 512, .cpus = 1, .seed = 1};
    static struct region region = {"sort", 2, {{true, 0, 30, 1, 1}, {true, 0, 10, 1, 1}}};
    static struct result results[2] = {{.region = &region, .regions = 1}};
    struct events events = {.n = 0};
    struct json_object *report;
    struct failure f;
    uint64_t value = 9;
    char *text = NULL;
    size_t size;
    FILE *to;

    ck_assert_int_eq(events_add(&events, "instructions:u,cycles:u", &f), 0);
    for (size_t runs = 1; runs <= 2; runs++) {
        report = report_new(argv, &e, &no_input, &events, results, runs);
        ck_assert_uint_eq(report_events(report), 5);
        ck_assert(report_find(report, "sort/entries", &value) && value == (runs == 1 ? 2 : 0));
        ck_assert(report_find(report, "sort/cycles:u", &value) && value == (runs == 1 ? 10 : 0));
        json_object_put(report);
    }
    report = report_new(argv, &e, &no_input, &events, results, 1);
    to = open_memstream(&text, &size);
    format_find("text")(&report, 1, to);
    format_find("csv")(&report, 1, to);
    format_find("bencher")(&report, 1, to);
    fclose(to);
    ck_assert_msg(strstr(text, "sort/instructions:u       # 3.00 insn per cycle\n"), "%s", text);
    ck_assert_msg(strstr(text, "sort/cycles:u,10\n"), "%s", text);
    ck_assert_msg(strstr(text, "\"sort-instructions-u\""), "%s", text);
    free(text);
    json_object_put(report);
}
END_TEST

/* A report that is written can be read. */
START_TEST(report_files)
{
    char path[] = "/tmp/vpmu-run-test-XXXXXX";
    struct json_object *report = example(), *twice[2] = {report, report};
    struct reports read;
    struct failure f = {0};
    uint64_t value = 0;

    close(mkstemp(path));
    ck_assert_int_eq(format_write(twice, 2, format_find("json"), path, stderr, &f), 0);
    ck_assert_int_eq(reports_read(&read, path, &f), 0);
    ck_assert_uint_eq(read.n, 2);
    ck_assert(json_object_equal(report, read.report[0]));
    ck_assert(json_object_equal(report, read.report[1]));
    ck_assert(report_find(read.report[1], "cycles:u", &value) && value == 40);
    ck_assert(!report_find(read.report[1], "cache-misses", &value));
    reports_free(&read);
    json_object_put(report);
    unlink(path);
}
END_TEST

/* A report is found by its command, and by how many of that command are before it. */
START_TEST(report_turns)
{
    enum {
        COMMANDS = 2000
    };
    char path[] = "/tmp/vpmu-run-test-XXXXXX";
    struct reports read, again;
    struct failure f = {0};
    FILE *file = fdopen(mkstemp(path), "w");

    for (int i = 0; i < 2 * COMMANDS; i++) {
        fprintf(file,
                "{\"schema\": \"vpmu-run\", \"version\": 1, \"command\": [\"c\", \"%d\"], "
                "\"events\": [], \"number\": %d}\n",
                i % COMMANDS, i);
    }
    fclose(file);
    ck_assert_int_eq(reports_read(&read, path, &f), 0);
    ck_assert_int_eq(reports_read(&again, path, &f), 0);
    ck_assert_uint_eq(read.n, 2 * COMMANDS);
    for (int i = 0; i < 2 * COMMANDS; i++) {
        struct json_object *same = reports_same(&again, &read, (size_t)i);

        ck_assert_uint_eq(read.turn[i], i >= COMMANDS);
        ck_assert_int_eq(json_object_get_int(json_object_object_get(same, "number")), i);
    }
    read.turn[0] = 2;
    ck_assert_ptr_null(reports_same(&again, &read, 0));
    json_object_object_del(read.report[1], "command");
    ck_assert_ptr_null(reports_same(&again, &read, 1));
    reports_free(&read);
    reports_free(&again);
    unlink(path);
}
END_TEST

/* What is not a report ends in one line. */
START_TEST(report_refused)
{
    static const struct {
        const char *text, *error;
    } rows[] = {
        {"", "has no report"},
        {"[]", "has no report"},
        {"null", "the file ends too early"},
        {"17", "the file ends too early"},
        {"{\"schema\": \"vpmu-run\",", "the file ends too early"},
        {"{\"schema\": \"vpmu-run\"} }", "is not a report"},
        {"}", "cannot read"},
        {"{\"schema\": \"vpmu-run\", \"version\": 2, \"events\": []}", "has version 2"},
        {"{\"schema\": \"vpmu-run\", \"version\": 1, \"events\": {}}", "is not a report"},
        {"{\"schema\": 1, \"version\": 1, \"events\": []}", "is not a report"},
        {"{\"schema\": \"vpmu-run\", \"version\": 1, \"events\": [], \"environment\": []}",
         "'environment' is not an object"},
        {"{\"schema\": \"vpmu-run\", \"version\": 1, \"events\": [], \"contents\": [1]}",
         "'contents' is not an object"},
        {"[[]]", "is not a report"},
        {"[null]", "is not a report"},
#define EVENTS(events) "{\"schema\": \"vpmu-run\", \"version\": 1, \"events\": [" events "]}"
#define VALUE(value) EVENTS("{\"event\": \"a\", \"value\": " value "}")
        {EVENTS("5"), "the event at index 0 has no name or count"},
        {EVENTS("{\"event\": null, \"value\": 47}"), "the event at index 0 has no name"},
        {EVENTS("{\"event\": 5, \"value\": 47}"), "the event at index 0 has no name"},
        {EVENTS("{\"value\": 47}"), "the event at index 0 has no name"},
        {EVENTS("{\"event\": \"a\\nb\", \"value\": 47}"), "the event at index 0 has no name"},
        {EVENTS("{\"event\": \"\\u001b[31m\"}"), "the event at index 0 has no name"},
        {EVENTS("{\"event\": \"a\"}, []"), "the event at index 1 has no name"},
        {VALUE("-5"), "the event at index 0 has no name or count"},
        {VALUE("1.5"), "the event at index 0 has no name or count"},
        {VALUE("true"), "the event at index 0 has no name or count"},
        {VALUE("\"12\""), "the event at index 0 has no name or count"},
        {VALUE("[]"), "the event at index 0 has no name or count"},
        {VALUE("18446744073709551616"), "has a number of more than 64 bits"},
        {VALUE("99999999999999999999999"), "has a number of more than 64 bits"},
        {EVENTS("{\"event\": \"a\", \"value\": 1, \"values\": [1, 18446744073709551616]}"),
         "has a number of more than 64 bits"},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        char path[] = "/tmp/vpmu-run-test-XXXXXX";
        struct reports read;
        struct failure f = {0};
        int fd = mkstemp(path);

        ck_assert(write(fd, rows[i].text, strlen(rows[i].text)) >= 0);
        close(fd);
        ck_assert_msg(reports_read(&read, path, &f) == -1, "%s", rows[i].text);
        ck_assert_int_eq(f.status, FAILURE_USAGE);
        ck_assert_msg(strstr(f.text, rows[i].error) != NULL, "%s: %s", rows[i].text, f.text);
        reports_free(&read);
        unlink(path);
    }
}
END_TEST

/* What the counts depend on is in the report, and a failed run is not hidden by the next one. */
START_TEST(report_origin)
{
    static const struct emulator e = {
        .machine = EM_X86_64, .memory = 512, .cpus = 1, .seed = 1, .type = "pc-q35-10.0"};
    static const struct input typed = {.fd = -1, .kind = "terminal", .live = true, .passed = true};
    char *bad[] = {(char[]){"./\xff\xc3\xa9\n"}, NULL};
    static const char *const texts[] = {
        "\"emulator\":\"pc-q35-10.0\"",
        "\"firmware\":\"of the computer\"",
        "\"input\":\"terminal\"",
        "\"repeatable\":false",
        "\"exit-status\":134",
        "\"signal\":6",
        "\"vpmu\":\"",
        "\"user\":",
        "\"command\":[\"./?\xc3\xa9\\n\"]",
    };
    static struct result results[2] = {{.status = 6}, {.status = 0}};
    struct events events = {.n = 0};
    struct json_object *report = report_new(bad, &e, &typed, &events, results, 2);
    const char *text = json_object_to_json_string_ext(report, JSON_C_TO_STRING_NOSLASHESCAPE);

    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        ck_assert_msg(strstr(text, texts[i]) != NULL, "%s: %s", texts[i], text);
    }
    json_object_put(report);
}
END_TEST

/* Long commands and names with commas are written in full. */
START_TEST(report_long)
{
    static const struct emulator e = {.machine = EM_X86_64, .memory = 512, .cpus = 1, .seed = 1};
    static struct result results[1];
    static char word[2001];
    char *command[] = {word, NULL}, *text = NULL;
    struct events events = {.n = 2};
    struct json_object *report, *list;
    size_t size;
    FILE *to;

    memset(word, 'w', sizeof(word) - 1);
    strcpy(events.event[0].name, "cpu/event=0x11,umask=1/");
    strcpy(events.event[1].name, "task-clock:u");
    results[0].count[0] = results[0].count[1] = (struct count){true, 0, 7, 1, 1};
    report = report_new(command, &e, &no_input, &events, results, 1);
    to = open_memstream(&text, &size);
    format_find("github")(&report, 1, to);
    fclose(to);
    list = json_tokener_parse(text);
    ck_assert_uint_eq(json_object_array_length(list), 2);
    ck_assert_msg(strstr(text, "ww: task-clock:u\",\n    \"unit\": \"ns\""), "%s", text);
    json_object_put(list);
    free(text);
    to = open_memstream(&text, &size);
    format_find("csv")(&report, 1, to);
    fclose(to);
    ck_assert_str_eq(text, "event,value\n\"cpu/event=0x11,umask=1/\",7\ntask-clock:u,7\n");
    free(text);
    json_object_put(report);
}
END_TEST

void add_report_tests(Suite *suite)
{
    const TTest *const tests[] = {result_lines,   report_formats, report_meanings, report_syscalls,
                                  report_regions, report_files,   report_turns,    report_refused,
                                  report_origin,  report_long};

    for (size_t i = 0; i < COUNT_OF(tests); i++) {
        TCase *tcase = tcase_create(tests[i]->name);

        tcase_add_test(tcase, tests[i]);
        suite_add_tcase(suite, tcase);
    }
}
