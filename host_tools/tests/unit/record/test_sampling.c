/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A recording in a machine that follows a script. */
#include "record/sampling.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fixtures/streams.h"
#include "record/recording.h"
#include "unit/tests.h"

/**
 * struct machine - the script
 * @refuses: the command that fails, and how.
 * @ends: the machine ends its stream when it is stopped.
 * @fd: where it writes samples, or -1.
 * @commands: all commands in their order.
 */
struct machine {
    struct qmp qmp;
    const char *refuses;
    const char *how;
    bool ends;
    int fd;
    unsigned waits;
    char commands[256];
};

static int ask(struct qmp *q, struct json_object *command, int fd, struct json_object **answer,
               struct error *t)
{
    struct machine *m = (struct machine *)q;
    struct json_object *error = json_object_new_object();
    struct json_object *value;
    const char *name;

    (void)t;
    json_object_object_get_ex(command, "execute", &value);
    name = json_object_get_string(value);
    snprintf(m->commands + strlen(m->commands), sizeof(m->commands) - strlen(m->commands), "%s ",
             name);
    *answer = json_object_new_object();
    if (m->refuses && strcmp(m->refuses, name) == 0) {
        json_object_object_add(error, "class", json_object_new_string("GenericError"));
        json_object_object_add(error, "desc", json_object_new_string(m->how));
        json_object_object_add(*answer, "error", error);
        return 0;
    }
    json_object_object_add(*answer, "return", error);
    if (fd >= 0) {
        m->fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    }
    if (strcmp(name, "vpmu-record-stop") == 0 && m->ends) {
        close(m->fd);
        m->fd = -1;
    }
    return 0;
}

static int wait_some(struct qmp *q, int64_t until, struct error *t)
{
    (void)until;
    (void)t;
    ((struct machine *)q)->waits++;
    return 0;
}

static const struct qmp_ops ops = {.ask = ask, .wait = wait_some};

/* A recording of it, which takes samples until it is stopped. */
struct made {
    struct machine m;
    struct sampling s;
    struct recording r;
    struct samplefile file;
    int stop[2];
};

static void make(struct made *made)
{
    struct error t = {0};

    *made = (struct made){.m = {.qmp = {.ops = &ops, .patience = 1000}, .ends = true, .fd = -1}};
    ck_assert_int_eq(pipe(made->stop), 0);
    ck_assert_int_eq(samplefile_open(&made->file, "/dev/null", &t), 0);
    made->r.file.file = made->file.file;
    made->r.file.host = "host";
    made->s = (struct sampling){.q = &made->m.qmp,
                                .file = &made->file,
                                .patience = 100,
                                .until = INT64_MAX,
                                .stop_fd = made->stop[0]};
}

static void unmake(struct made *made)
{
    struct error t = {0};

    if (made->m.fd >= 0) {
        close(made->m.fd);
    }
    recording_free(&made->r);
    samplefile_close(&made->file, SAMPLEFILE_NOTHING, &t);
    samplefile_free(&made->file);
    close(made->stop[0]);
    close(made->stop[1]);
}

static void send_samples(const struct made *made, size_t left_out)
{
    static struct made_stream stream;

    streams_make(&stream);
    ck_assert_int_eq(write(made->m.fd, stream.bytes, stream.size - left_out),
                     (ssize_t)(stream.size - left_out));
}

/* Takes all that the machine sends. Return: what ended it. */
static int take_all(struct made *made, struct error *t)
{
    int got;

    while ((got = sampling_next(&made->s, t)) == SAMPLING_DATA) {
        if (recording_take(&made->r, made->s.data, made->s.size, t)) {
            return -1;
        }
    }
    return got;
}

/* The same until a time, or until input arrives. */
static int take_until(struct made *made, int64_t until, int fd, struct error *t)
{
    int got;

    while ((got = sampling_wait(&made->s, until, fd, t)) == SAMPLING_DATA) {
        if (recording_take(&made->r, made->s.data, made->s.size, t)) {
            return -1;
        }
    }
    return got;
}

/* What ends a recording, and what the machine is told then. */
START_TEST(sampling_ends)
{
    static const struct {
        const char *name;
        bool machine; /* the machine ends it */
        bool user;    /* the user does */
        bool time;    /* the time is over */
        bool deaf;    /* the machine does not stop */
        int err;
        const char *commands;
    } rows[] = {
        {"machine", true, false, false, false, 0, "getfd vpmu-record-start "},
        {"user", false, true, false, false, 0, "getfd vpmu-record-start vpmu-record-stop "},
        {"time", false, false, true, false, 0, "getfd vpmu-record-start vpmu-record-stop "},
        {"deaf", false, true, false, true, -1, "getfd vpmu-record-start vpmu-record-stop "},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct made made;
        struct error t = {0};

        make(&made);
        made.m.ends = !rows[i].deaf;
        made.s.until = rows[i].time ? qmp_after(30) : INT64_MAX;
        ck_assert_int_eq(sampling_start(&made.s, json_object_new_object(), &t), 0);
        send_samples(&made, 0);
        if (rows[i].machine) {
            close(made.m.fd);
            made.m.fd = -1;
        }
        ck_assert(!rows[i].user || write(made.stop[1], "x", 1) == 1);
        ck_assert_msg(take_all(&made, &t) == rows[i].err, "%s: %s", rows[i].name, t.text);
        ck_assert_str_eq(t.text, rows[i].err ? "the machine does not stop recording" : "");
        ck_assert_str_eq(made.m.commands, rows[i].commands);
        ck_assert_int_eq(made.s.by_user, rows[i].user);
        /* All samples have been taken, and nobody can stop it again. */
        ck_assert(made.r.stream.ended);
        ck_assert_int_eq(made.s.stop_fd, rows[i].machine ? made.stop[0] : -1);
        unmake(&made);
    }
}
END_TEST

/* What the machine has sent is taken at once, also if that is one byte. */
START_TEST(sampling_pieces)
{
    static struct made_stream stream;
    struct made made;
    struct error t = {0};

    streams_make(&stream);
    make(&made);
    ck_assert_int_eq(sampling_start(&made.s, json_object_new_object(), &t), 0);
    for (size_t i = 0; i < 3; i++) {
        ck_assert_int_eq(write(made.m.fd, stream.bytes + i, 1), 1);
        ck_assert_int_eq(sampling_next(&made.s, &t), SAMPLING_DATA);
        ck_assert_uint_eq(made.s.size, 1);
        ck_assert_uint_eq(made.s.data[0], stream.bytes[i]);
    }
    close(made.m.fd);
    made.m.fd = -1;
    ck_assert_int_eq(sampling_next(&made.s, &t), SAMPLING_ENDED);
    unmake(&made);
}
END_TEST

/* A machine that sends nothing either has the whole patience to stop. */
START_TEST(sampling_deaf)
{
    struct made made;
    struct error t = {0};
    int64_t began;

    make(&made);
    made.m.ends = false;
    ck_assert_int_eq(sampling_start(&made.s, json_object_new_object(), &t), 0);
    ck_assert_int_eq(write(made.stop[1], "x", 1), 1);
    began = qmp_now();
    ck_assert_int_eq(take_all(&made, &t), -1);
    ck_assert_str_eq(t.text, "the machine does not stop recording");
    ck_assert_int_ge(qmp_now() - began, made.s.patience * 1000000ll);
    unmake(&made);
}
END_TEST

/* A refusal closes the descriptor in QEMU; only that of an event is the user's mistake. */
START_TEST(sampling_refused)
{
    static const struct {
        const char *command;
        const char *how;
        enum error_code code;
        const char *commands;
    } rows[] = {
        {"getfd", "no", ERROR_TALK, "getfd "},
        {"vpmu-record-start", "no memory", ERROR_TALK, "getfd vpmu-record-start closefd "},
        {"vpmu-record-start", "cannot record 'x'", ERROR_USAGE, "getfd vpmu-record-start closefd "},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct made made;
        struct error t = {0};

        make(&made);
        made.m.refuses = rows[i].command;
        made.m.how = rows[i].how;
        ck_assert_int_eq(sampling_start(&made.s, json_object_new_object(), &t), -1);
        ck_assert_int_eq(t.code, rows[i].code);
        ck_assert_str_eq(made.m.commands, rows[i].commands);
        unmake(&made);
    }
}
END_TEST

/* Waiting ends at its time, by input, by the user, at the machine's end, and by a bad stream. */
START_TEST(sampling_waits)
{
    static const struct {
        const char *name;
        bool samples, bad, closed, user, input;
        int result;
        enum error_code code;
    } rows[] = {
        {"time", false, false, false, false, false, SAMPLING_TIME, ERROR_NONE},
        {"samples", true, false, false, false, false, SAMPLING_TIME, ERROR_NONE},
        {"end", true, false, true, false, false, SAMPLING_ENDED, ERROR_NONE},
        {"user", false, false, false, true, false, -1, ERROR_STOPPED},
        {"input", false, false, false, false, true, SAMPLING_TIME, ERROR_NONE},
        {"bad", false, true, false, false, false, -1, ERROR_TALK},
    };
    static const char zeros[256];

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct made made;
        struct error t = {0};
        bool waits = rows[i].result == SAMPLING_TIME && !rows[i].input;
        int64_t began = qmp_now();
        int input[2];

        make(&made);
        made.s.patience = 60000;
        ck_assert_int_eq(pipe(input), 0);
        ck_assert_int_eq(sampling_start(&made.s, json_object_new_object(), &t), 0);
        if (rows[i].samples) {
            send_samples(&made, 0);
        }
        ck_assert(!rows[i].bad || write(made.m.fd, zeros, sizeof(zeros)) == sizeof(zeros));
        ck_assert(!rows[i].user || write(made.stop[1], "x", 1) == 1);
        ck_assert(!rows[i].input || write(input[1], "x", 1) == 1);
        if (rows[i].closed) {
            close(made.m.fd);
            made.m.fd = -1;
        }
        ck_assert_msg(take_until(&made, qmp_after(waits ? 60 : 60000), input[0], &t) ==
                          rows[i].result,
                      "%s: %s", rows[i].name, t.text);
        ck_assert_int_eq(t.code, rows[i].code);
        ck_assert(!waits || qmp_now() - began >= 60000000);
        /* All others do not wait for their time, which is 60 seconds. */
        ck_assert_msg(waits || qmp_now() - began < 30000000000, "%s", rows[i].name);
        ck_assert_msg(made.r.stream.ended == rows[i].samples, "%s", rows[i].name);
        sampling_end(&made.s);
        ck_assert_str_eq(made.m.commands, "getfd vpmu-record-start vpmu-record-stop ");
        close(input[0]);
        close(input[1]);
        unmake(&made);
    }
}
END_TEST

/* The monitor's events are read once in a second, so that they do not pile up. */
START_TEST(sampling_looks)
{
    struct made made;
    struct error t = {0};

    make(&made);
    ck_assert_int_eq(sampling_start(&made.s, json_object_new_object(), &t), 0);
    made.s.looked = qmp_now() - 1100000000;
    ck_assert_int_eq(sampling_wait(&made.s, qmp_after(10), -1, &t), SAMPLING_TIME);
    ck_assert_uint_eq(made.m.waits, 1);
    ck_assert_int_eq(sampling_wait(&made.s, qmp_after(10), -1, &t), SAMPLING_TIME);
    ck_assert_uint_eq(made.m.waits, 1);
    sampling_end(&made.s);
    unmake(&made);
}
END_TEST

/* A machine that has sent nothing for a minute is asked once whether it still responds. */
START_TEST(sampling_silent)
{
    static const struct {
        const char *name;
        bool since_start, sends, hangs, asked;
    } rows[] = {
        {"silent", false, false, false, true},
        {"it hangs", false, false, true, true},
        {"it has begun", true, false, false, false},
        {"it sends", false, true, false, false},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct made made;
        struct error t = {0};

        make(&made);
        made.m.refuses = rows[i].hangs ? "query-status" : NULL;
        made.m.how = "no";
        made.s.patience = 60000;
        ck_assert_int_eq(sampling_start(&made.s, json_object_new_object(), &t), 0);
        made.s.heard -= rows[i].since_start ? 0 : 60000000000;
        if (rows[i].sends) {
            send_samples(&made, 0);
        }
        for (unsigned n = 0; n < 2; n++) {
            ck_assert_msg(take_until(&made, qmp_after(200), -1, &t) ==
                              (rows[i].hangs ? -1 : SAMPLING_TIME),
                          "%s: %s", rows[i].name, t.text);
            ck_assert_msg(t.code == (rows[i].hangs ? ERROR_TALK : ERROR_NONE), "%s", rows[i].name);
            if (rows[i].hangs) {
                break;
            }
        }
        sampling_end(&made.s);
        ck_assert_str_eq(made.m.commands,
                         rows[i].asked ? "getfd vpmu-record-start query-status vpmu-record-stop "
                                       : "getfd vpmu-record-start vpmu-record-stop ");
        unmake(&made);
    }
}
END_TEST

Suite *sampling_suite(void)
{
    const TTest *const tests[] = {sampling_ends,  sampling_pieces, sampling_refused, sampling_waits,
                                  sampling_looks, sampling_silent, sampling_deaf};

    return suite_of("sampling", tests, COUNT_OF(tests));
}
