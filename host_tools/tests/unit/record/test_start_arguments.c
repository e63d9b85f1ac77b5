/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/start-arguments.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "unit/tests.h"

/**
 * struct fake - a machine that keeps what it was asked
 * @refuse: the descriptions of errors with which it refuses vpmu-record-start, one after the other.
 * @asked: all commands, each with its arguments, in one line each.
 */
struct fake {
    struct qmp q;
    const char *refuse[3];
    unsigned refused;
    char asked[4096];
};

static int fake_ask(struct qmp *q, struct json_object *command, int fd, struct json_object **answer,
                    struct error *t)
{
    struct fake *f = (struct fake *)q;
    const char *name = json_object_get_string(json_object_object_get(command, "execute"));
    struct json_object *arguments = json_object_object_get(command, "arguments");
    size_t len = strlen(f->asked);
    const char *why = NULL;
    char text[200];

    (void)t;
    ck_assert_int_eq(fd >= 0, strcmp(name, "getfd") == 0);
    /* The name of the descriptor has the number of this process. */
    if (arguments) {
        json_object_object_del(arguments, "fd");
        json_object_object_del(arguments, "fdname");
    }
    snprintf(f->asked + len, sizeof(f->asked) - len, "%s %s\n", name,
             arguments ? json_object_to_json_string_ext(arguments, JSON_C_TO_STRING_PLAIN) : "-");
    if (strcmp(name, "vpmu-record-start") == 0) {
        why = f->refuse[f->refused++];
    }
    snprintf(text, sizeof(text),
             why ? "{\"error\": {\"class\": \"GenericError\", \"desc\": \"%s\"}}"
                 : "{\"return\": {}}",
             why);
    *answer = json_tokener_parse(text);
    return 0;
}

static const struct qmp_ops fake_ops = {.ask = fake_ask};

/* Begins to record. Returns the commands that the machine received; *@t is the error. */
static const char *begin(struct fake *f, struct start_arguments a, const char *list,
                         struct error *t)
{
    struct sampling s = {.q = &f->q};
    struct guest_names names = {.has_threads = false};
    struct events events = {0};
    int err;

    f->q.ops = &fake_ops;
    ck_assert_int_eq(events_add(&events, list, t), 0);
    a.events = &events;
    a.names = a.names ? a.names : &names;
    err = start_arguments_begin(&a, &s, t);
    ck_assert_int_eq(err, t->code == ERROR_NONE ? 0 : -1);
    if (!err) {
        /* The machine has the other end of the pipe, which this one has closed. */
        char byte;

        ck_assert_int_eq(read(s.samples, &byte, 1), 0);
        close(s.samples);
    }
    events_free(&events);
    return f->asked;
}

#define START "getfd {}\nvpmu-record-start "

/* The whole command for each option. */
START_TEST(start_arguments_command)
{
    static const struct {
        struct start_arguments a;
        const char *list;
        const char *command;
    } rows[] = {
        {{.period = 7, .frequency = 99},
         "cycles",
         "{\"events\":[{\"event\":\"cycles\",\"period\":7}],\"values\":false}\n"},
        {{.frequency = 99},
         "cycles,instructions:u",
         "{\"events\":[{\"event\":\"cycles\",\"frequency\":99},{\"event\":\"instructions:u\","
         "\"frequency\":99}],\"values\":false}\n"},
        {{.period = 5, .group = true},
         "cycles,instructions",
         "{\"events\":[{\"event\":\"cycles\",\"period\":5},{\"event\":\"instructions\"}],"
         "\"values\":true}\n"},
        {{.frequency = 9, .group = true, .spans = 1},
         "cycles,r08,r11",
         "{\"events\":[{\"event\":\"cycles\",\"frequency\":9},{\"event\":\"r08\"},{\"event\":"
         "\"r11\",\"period\":1}],\"values\":true}\n"},
        {{.period = 5, .chains = true, .frames = 16, .branches = "any", .accesses = true},
         "cycles",
         "{\"events\":[{\"event\":\"cycles\",\"period\":5}],\"values\":false,\"frames\":16,"
         "\"branches\":\"any\",\"accesses\":true}\n"},
        {{.period = 5, .buffer = 64, .cpus = 2, .full = "stop"},
         "cycles",
         "{\"events\":[{\"event\":\"cycles\",\"period\":5}],\"values\":false,\"buffer\":65536,"
         "\"full\":\"stop\"}\n"},
        {{.frequency = 99, .stack = 8192, .percent = 25},
         "cycles",
         "{\"events\":[{\"event\":\"cycles\",\"frequency\":99}],\"values\":false,\"stack\":8192,"
         "\"max-percent\":25}\n"},
        {{.period = 5, .exact = true},
         "instructions,r08",
         "{\"events\":[{\"event\":\"instructions\",\"exact\":true},{\"event\":\"r08\",\"exact\":"
         "true}],\"values\":false}\n"},
        {{.period = 5, .exact = true, .calls = true},
         "instructions,r08",
         "{\"events\":[{\"event\":\"instructions\",\"exact\":true,\"calls\":true},{\"event\":"
         "\"r08\","
         "\"exact\":true}],\"values\":false}\n"},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct fake f = {.refused = 0};
        struct error t = {0};
        const char *got = begin(&f, rows[i].a, rows[i].list, &t);

        ck_assert_str_eq(t.text, "");
        ck_assert_int_eq(strncmp(got, START, strlen(START)), 0);
        ck_assert_str_eq(got + strlen(START), rows[i].command);
    }
}
END_TEST

/* The limit of all vCPUs is 1 GiB, and that of one is 256 MiB, in powers of two. */
START_TEST(start_arguments_buffers)
{
    static const struct {
        long buffer;
        size_t cpus;
        long wanted;
    } rows[] = {
        {1 << 20, 1, 256 << 10},
        {1 << 20, 4, 256 << 10},
        {1 << 20, 5, 128 << 10},
        {1 << 20, 64, 16 << 10},
        {64, 64, 64},
        {16 << 10, 65, 8 << 10},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const struct start_arguments a = {.buffer = rows[i].buffer, .cpus = rows[i].cpus};

        ck_assert_int_eq(start_arguments_buffer(&a), rows[i].wanted);
    }
}
END_TEST

/* What an older or another machine refuses, and how often the recording is tried. */
START_TEST(start_arguments_refused)
{
    static const struct {
        const char *refuse[3];
        bool accesses, branches, threads;
        enum error_code code;
        const char *text;
        unsigned tries;
    } rows[] = {
        {{"Parameter 'accesses' is unexpected"}, true, false, false, ERROR_USAGE, "--mem: ", 1},
        {{"Parameter 'accesses' is unexpected"}, false, true, false, ERROR_TALK, "'accesses'", 1},
        {{"Parameter 'branches' is unexpected"}, false, true, false, ERROR_USAGE, "-b: ", 1},
        {{"no memory for 'branches'"}, false, true, false, ERROR_TALK, "no memory", 1},
        {{"cannot record 'x'"}, false, false, false, ERROR_USAGE, "cannot record", 1},
        {{"Parameter 'threads.maps' is unexpected"}, false, false, true, ERROR_NONE, "", 2},
        {{"Parameter 'threads.maps' is unexpected", "no"}, false, false, true, ERROR_TALK, "no", 2},
        {{"Parameter 'threads.maps' is unexpected"},
         false,
         false,
         false,
         ERROR_TALK,
         "threads.maps",
         1},
        {{"cannot record names of threads: where"}, false, false, true, ERROR_NONE, "", 2},
        {{"threads. are busy"}, false, false, true, ERROR_TALK, "busy", 1},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct fake f = {.refuse = {rows[i].refuse[0], rows[i].refuse[1]}};
        struct guest_names names = {.has_threads = rows[i].threads,
                                    .layout = {.has_maps = true, .has_entry = true}};
        struct error t = {0};
        const char *got = begin(&f,
                                (struct start_arguments){.period = 1,
                                                         .accesses = rows[i].accesses,
                                                         .branches = rows[i].branches ? "any" : 0,
                                                         .names = &names},
                                "cycles", &t);
        const char *maps = strstr(got, "\"maps\"");

        ck_assert_msg(t.code == rows[i].code && strstr(t.text, rows[i].text), "row %zu: got %d %s",
                      i, t.code, t.text);
        ck_assert_uint_eq(f.refused, rows[i].tries);
        /* The second try has no maps. */
        ck_assert_int_eq(maps != NULL, rows[i].threads);
        ck_assert(!maps || !strstr(maps + 1, "\"maps\""));
        ck_assert_int_eq(strstr(got, "closefd") != NULL, true);
    }
}
END_TEST

/* The option that an older QEMU does not know is named, if it was given. */
START_TEST(start_arguments_older)
{
    static const struct {
        const char *refuse;
        struct start_arguments a;
        enum error_code code;
        const char *text;
    } rows[] = {
        {"Parameter 'events[0].exact' is unexpected",
         {.exact = true},
         ERROR_USAGE,
         "--exact: this"},
        {"Parameter 'events[0].exact' is unexpected", {.period = 1}, ERROR_TALK, "unexpected"},
        {"'cycles' cannot be exact", {.exact = true}, ERROR_USAGE, "'cycles' cannot be exact"},
        {"'cycles' cannot be exact", {.period = 1}, ERROR_TALK, "'cycles' cannot be exact"},
        {"Parameter 'stack' is unexpected", {.stack = 64}, ERROR_USAGE, "--call-graph dwarf: this"},
        {"Parameter 'stack' is unexpected", {.period = 1}, ERROR_TALK, "unexpected"},
        {"Parameter 'events[0].calls' is unexpected",
         {.calls = true},
         ERROR_USAGE,
         "--calls: this"},
        {"Parameter 'events[0].calls' is unexpected", {.period = 1}, ERROR_TALK, "unexpected"},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct fake f = {.refuse = {rows[i].refuse}};
        struct error t = {0};

        begin(&f, rows[i].a, "cycles", &t);
        ck_assert_msg(t.code == rows[i].code && strstr(t.text, rows[i].text), "row %zu: got %d %s",
                      i, t.code, t.text);
        ck_assert_uint_eq(f.refused, 1);
    }
}
END_TEST

/* An older machine keeps what it knows: each try leaves out the newest part. */
START_TEST(start_arguments_newest)
{
    static const char orc[] = "\"orc\":{\"tables\":[{\"addresses\":18446744071580000256,"
                              "\"entries\":18446744071590000640,\"number\":3}],\"type-bits\":2}";
    static const struct {
        const char *refuse[2];
        unsigned tries;
        bool orc, maps; /* of the last try */
        bool mapless;   /* the kernel's types do not say where mappings are */
    } rows[] = {
        {{NULL}, 1, true, true, false},
        {{"Parameter 'threads.orc' is unexpected"}, 2, false, true, false},
        {{"Parameter 'threads.maps.name' is unexpected"}, 2, false, true, false},
        {{"Parameter 'threads.entry.meta' is unexpected"}, 2, false, true, false},
        {{"Parameter 'threads.orc' is unexpected", "Parameter 'threads.maps' is unexpected"},
         3,
         false,
         false,
         false},
        {{"Parameter 'threads.orc' is unexpected"}, 2, false, false, true},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct fake f = {.refuse = {rows[i].refuse[0], rows[i].refuse[1]}};
        struct guest_names names = {
            .has_threads = true,
            .layout = {.has_maps = !rows[i].mapless,
                       .has_special = true,
                       .special = {1000, 2000},
                       .has_entry = true,
                       .entry = {304, 0, 256, 264},
                       .meta = 16,
                       .orc_type_bits = 2},
            .orc = {.n = 1, .table = {{18446744071580000256u, 18446744071590000640u, 3}}}};
        struct error t = {0};
        const char *got =
            begin(&f, (struct start_arguments){.period = 1, .names = &names}, "cycles", &t);
        const char *last = got;

        ck_assert_str_eq(t.text, "");
        ck_assert_uint_eq(f.refused, rows[i].tries);
        for (const char *at = got; (at = strstr(at, "vpmu-record-start")); at++) {
            last = at;
        }
        ck_assert_msg((strstr(last, orc) != NULL) == rows[i].orc, "row %zu: %s", i, last);
        ck_assert_msg((strstr(last, "\"special\":1000,\"name\":2000") != NULL) == rows[i].orc,
                      "row %zu: %s", i, last);
        ck_assert_msg((strstr(last, "\"meta\":16") != NULL) == rows[i].orc, "row %zu", i);
        ck_assert_msg((strstr(last, "\"pstate\":264") != NULL) == (rows[i].maps || rows[i].mapless),
                      "row %zu", i);
        ck_assert_msg((strstr(last, "\"maps\"") != NULL) == rows[i].maps, "row %zu", i);
    }
}
END_TEST

Suite *start_arguments_suite(void)
{
    const TTest *const tests[] = {start_arguments_command, start_arguments_buffers,
                                  start_arguments_refused, start_arguments_newest,
                                  start_arguments_older};

    return suite_of("start_arguments", tests, COUNT_OF(tests));
}
