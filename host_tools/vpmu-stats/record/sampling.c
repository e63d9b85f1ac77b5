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

/* Returns 1 if data were received, 0 at the end of the data, or -1. */
static int take_some(struct sampling *s, struct error *t)
{
    static unsigned char buf[1 << 16];
    ssize_t n = read(s->samples, buf, sizeof(buf));

    if (n < 0 && errno != EINTR && errno != EAGAIN) {
        return error_set(t, ERROR_TALK, "cannot read samples: %s", strerror(errno));
    }
    if (n > 0 && stream_take(s->stream, buf, (size_t)n, t)) {
        return -1;
    }
    return samplefile_check(s->file, t) ? -1 : n != 0;
}

static int ms_until(int64_t until)
{
    int64_t left = (until - qmp_now()) / 1000000 + 1;

    return left < 0 ? 0 : left < LOOK_MS ? (int)left : LOOK_MS;
}

/* Reads the monitor's events from time to time, so that the monitor is not blocked. */
static void look(struct sampling *s, int64_t *looked)
{
    struct error ignored = {0};

    if (qmp_now() - *looked > LOOK_MS * 1000000ll) {
        *looked = qmp_now();
        qmp_wait(s->q, qmp_after(1), &ignored);
    }
}

/* Receives samples. After the stop, the machine must send data at least every @patience. */
static int receive(struct sampling *s, struct error *t)
{
    int64_t patience = INT64_MAX;
    int64_t looked = qmp_now();
    int got = 1;

    while (got > 0) {
        struct pollfd fds[] = {{.fd = s->samples, .events = POLLIN},
                               {.fd = s->stop_fd, .events = POLLIN}};

        /* A signal that ends poll() leaves the results 0. */
        poll(fds, 2, ms_until(s->until));
        if (fds[1].revents || qmp_now() >= s->until) {
            s->by_user = fds[1].revents;
            stop(s);
            patience = qmp_after(s->patience);
        }
        if (fds[0].revents) {
            got = take_some(s, t);
            patience = patience == INT64_MAX ? patience : qmp_after(s->patience);
        } else if (qmp_now() >= patience) {
            return error_set(t, ERROR_TALK, "the machine does not stop recording");
        }
        if (s->stop_fd >= 0) {
            look(s, &looked);
        }
    }
    return got;
}

int sampling_receive(struct sampling *s, struct error *t)
{
    int err = receive(s, t);

    close(s->samples);
    return err;
}

int sampling_wait(struct sampling *s, int64_t until, int fd, struct error *t)
{
    while (qmp_now() < until) {
        struct pollfd fds[] = {{.fd = s->samples, .events = POLLIN},
                               {.fd = s->stop_fd, .events = POLLIN},
                               {.fd = fd, .events = POLLIN}};
        int ready = poll(fds, 3, ms_until(until));
        int got = fds[0].revents ? take_some(s, t) : 1;

        if (got <= 0) {
            return got;
        }
        if (fds[1].revents) {
            return error_set(t, ERROR_STOPPED, "stopped");
        }
        /* A signal can mean that the terminal has another size. */
        if (ready < 0 || fds[2].revents) {
            return 1;
        }
        look(s, &s->looked);
    }
    return 1;
}

void sampling_end(struct sampling *s)
{
    stop(s);
    close(s->samples);
}
