/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/sampling.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define PIPE_SIZE (1 << 20)
/* How often to read the monitor's events. */
#define LOOK_MS 1000

/* Passes the descriptor to the machine and starts the recording. */
static int tell_start(struct sampling *s, int fd, struct json_object *arguments, struct error *t)
{
    struct error ignored = {0};
    char name[32];

    snprintf(name, sizeof(name), "vpmu-stats.%d", (int)getpid());
    json_object_object_add(arguments, "fd", json_object_new_string(name));
    if (qmp_give(s->q, fd, name, t)) {
        json_object_put(arguments);
        return -1;
    }
    if (qmp_call(s->q, "vpmu-record-start", arguments, NULL, t) == 0) {
        return 0;
    }
    if (t->code == ERROR_TALK && strstr(t->text, "cannot record")) {
        t->code = ERROR_USAGE;
    }
    arguments = json_object_new_object();
    json_object_object_add(arguments, "fdname", json_object_new_string(name));
    qmp_call(s->q, "closefd", arguments, NULL, &ignored);
    return -1;
}

int sampling_start(struct sampling *s, struct json_object *arguments, struct error *t)
{
    int ends[2];
    int err;

    if (pipe2(ends, O_CLOEXEC)) {
        json_object_put(arguments);
        return error_set(t, ERROR_TALK, "cannot make a pipe: %s", strerror(errno));
    }
    /* A larger pipe means fewer wake-ups. The call fails if the user has too many pipes. */
    fcntl(ends[1], F_SETPIPE_SZ, PIPE_SIZE);
    err = tell_start(s, ends[1], arguments, t);
    close(ends[1]);
    if (err) {
        close(ends[0]);
        return -1;
    }
    s->samples = ends[0];
    s->looked = s->heard = qmp_now();
    return 0;
}

/* Stops the recording. Errors are ignored: the machine may have stopped or ended already. */
static void stop(struct sampling *s)
{
    struct error ignored = {0};

    qmp_hurry(s->q);
    qmp_call(s->q, "vpmu-record-stop", NULL, NULL, &ignored);
    s->stop_fd = -1;
    s->until = INT64_MAX;
}

/* Reads what has arrived. Return: SAMPLING_DATA, SAMPLING_ENDED, or -1. */
static int read_some(struct sampling *s, struct error *t)
{
    static unsigned char buf[1 << 16];
    ssize_t n = read(s->samples, buf, sizeof(buf));

    if (n < 0 && errno != EINTR && errno != EAGAIN) {
        return error_set(t, ERROR_TALK, "cannot read samples: %s", strerror(errno));
    }
    s->heard = qmp_now();
    s->data = buf;
    s->size = n > 0 ? (size_t)n : 0;
    return n ? SAMPLING_DATA : SAMPLING_ENDED;
}

static int ms_until(int64_t until)
{
    int64_t left = (until - qmp_now()) / 1000000 + 1;

    return left < 0 ? 0 : left < LOOK_MS ? (int)left : LOOK_MS;
}

/* Reads the monitor's events from time to time, so that the monitor is not blocked. */
static void look(struct sampling *s)
{
    struct error ignored = {0};

    if (qmp_now() - s->looked > LOOK_MS * 1000000ll) {
        s->looked = qmp_now();
        qmp_wait(s->q, qmp_after(1), &ignored);
    }
}

/* Asks a machine that has sent nothing for long, because one that hangs sends nothing, too. */
static int ask_silent(struct sampling *s, struct error *t)
{
    if (qmp_now() - s->heard < s->patience * 1000000ll) {
        return 0;
    }
    if (qmp_call(s->q, "query-status", NULL, NULL, t)) {
        return -1;
    }
    s->heard = qmp_now();
    return 0;
}

/* Waits for data until the machine should have stopped. */
static int wait_for_data(struct sampling *s, struct error *t)
{
    for (;;) {
        struct pollfd fds[] = {{.fd = s->samples, .events = POLLIN},
                               {.fd = s->stop_fd, .events = POLLIN}};

        /* A signal that ends poll() leaves the results 0. */
        poll(fds, 2, ms_until(s->until));
        if (fds[1].revents || qmp_now() >= s->until) {
            s->by_user = fds[1].revents;
            stop(s);
            s->stopped = true;
            s->impatient = qmp_after(s->patience);
        }
        if (fds[0].revents) {
            s->impatient = qmp_after(s->patience);
            return read_some(s, t);
        }
        if (s->stopped && qmp_now() >= s->impatient) {
            return error_set(t, ERROR_TALK, "the machine does not stop recording");
        }
        if (!s->stopped) {
            look(s);
        }
    }
}

int sampling_next(struct sampling *s, struct error *t)
{
    int got = samplefile_check(s->file, t) ? -1 : wait_for_data(s, t);

    if (got != SAMPLING_DATA) {
        close(s->samples);
    }
    return got;
}

int sampling_wait(struct sampling *s, int64_t until, int fd, struct error *t)
{
    s->size = 0;
    if (samplefile_check(s->file, t)) {
        return -1;
    }
    while (qmp_now() < until) {
        struct pollfd fds[] = {{.fd = s->samples, .events = POLLIN},
                               {.fd = s->stop_fd, .events = POLLIN},
                               {.fd = fd, .events = POLLIN}};
        int ready = poll(fds, 3, ms_until(until));

        if (fds[1].revents) {
            return error_set(t, ERROR_STOPPED, "stopped");
        }
        /* A signal can mean that the terminal has another size. */
        if (ready < 0 || fds[2].revents) {
            break;
        }
        look(s);
        if (fds[0].revents) {
            return read_some(s, t);
        }
        if (ask_silent(s, t)) {
            return -1;
        }
    }
    return SAMPLING_TIME;
}

void sampling_end(struct sampling *s)
{
    stop(s);
    close(s->samples);
}
