/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copies the program's output to vpmu-run, and input and signals to the program. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "guest.h"

enum {
    WATCH_OUT,
    WATCH_ERR,
    WATCH_INPUT,
    WATCH_CHILD,
    WATCHES
};

/* The kernel sends no more than this at a time. */
static char buffer[32768];

void write_all(int fd, const void *from, size_t size)
{
    const char *data = from;

    while (size > 0) {
        ssize_t n = write(fd, data, size);

        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n <= 0) {
            return;
        }
        data += n;
        size -= (size_t)n;
    }
}

bool read_exactly(int fd, void *to, size_t size)
{
    char *at = to;

    while (size > 0) {
        ssize_t n = read(fd, at, size);

        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n <= 0) {
            return false;
        }
        at += n;
        size -= (size_t)n;
    }
    return true;
}

/* copy() - copies what is there. Return: false at the end. */
static bool copy(int from, int to)
{
    ssize_t n = read(from, buffer, sizeof(buffer));

    if (n <= 0) {
        return n < 0 && (errno == EINTR || errno == EAGAIN);
    }
    write_all(to, buffer, (size_t)n);
    return true;
}

static void close_end(int *fd)
{
    if (*fd >= 0) {
        close(*fd);
        *fd = -1;
    }
}

/* take_frame() - Return: false if nothing more will come. */
static bool take_frame(int port, struct child *child)
{
    struct run_frame frame;

    if (!read_exactly(port, &frame, sizeof(frame))) {
        return false;
    }
    switch (frame.type) {
    case RUN_FRAME_SIGNAL:
        kill(-child->pid, frame.length);
        break;
    case RUN_FRAME_INPUT:
        if (frame.length > sizeof(buffer) || !read_exactly(port, buffer, frame.length)) {
            return false;
        }
        if (child->in >= 0) {
            write_all(child->in, buffer, frame.length);
        }
        break;
    case RUN_FRAME_END:
        close_end(&child->in);
        break;
    case RUN_FRAME_CLOSED:
        /* The next write of the program fails, as it does where it has its reader itself. */
        close_end(frame.length == RUN_PORT_STDOUT ? &child->out : &child->err);
        break;
    default:
        return false;
    }
    return true;
}

/* reap() - takes in ended processes. Return: true if the program is one of them. */
static bool reap(int signals, pid_t program, int *status)
{
    struct signalfd_siginfo info;
    bool ended = false;
    int one;
    pid_t pid;

    while (read(signals, &info, sizeof(info)) > 0) {
    }
    while ((pid = waitpid(-1, &one, WNOHANG)) > 0) {
        if (pid == program) {
            *status = one;
            ended = true;
        }
    }
    return ended;
}

static int watch_children(void)
{
    sigset_t set;

    signal(SIGPIPE, SIG_IGN);
    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    sigprocmask(SIG_BLOCK, &set, NULL);
    return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

/* drain() - copies what the program has written before its end */
static void drain(int from, int to)
{
    int left;

    fcntl(from, F_SETFL, O_NONBLOCK);
    do {
        left = (int)read(from, buffer, sizeof(buffer));
        if (left > 0) {
            write_all(to, buffer, (size_t)left);
        }
    } while (left > 0);
}

int forward(struct child *child, bool input)
{
    /* Init gets the processor only when the program waits: it must not preempt the program. */
    const struct sched_param idle = {0};
    int out = guest_port(RUN_PORT_STDOUT, O_WRONLY), err = guest_port(RUN_PORT_STDERR, O_WRONLY);
    struct pollfd watch[WATCHES] = {
        [WATCH_OUT] = {.fd = child->out, .events = POLLIN},
        [WATCH_ERR] = {.fd = child->err, .events = POLLIN},
        [WATCH_INPUT] = {.fd = input ? guest_port(RUN_PORT_INPUT, O_RDWR) : -1, .events = POLLIN},
        [WATCH_CHILD] = {.fd = watch_children(), .events = POLLIN},
    };
    int status = 0;

    sched_setscheduler(0, SCHED_IDLE, &idle);
    /* The program may have ended before watch_children(). */
    for (bool ended = reap(watch[WATCH_CHILD].fd, child->pid, &status); !ended;) {
        if (poll(watch, WATCHES, -1) < 0) {
            continue;
        }
        if (watch[WATCH_OUT].revents && !copy(child->out, out)) {
            watch[WATCH_OUT].fd = -1;
        }
        if (watch[WATCH_ERR].revents && !copy(child->err, err)) {
            watch[WATCH_ERR].fd = -1;
        }
        if (watch[WATCH_INPUT].revents && !take_frame(watch[WATCH_INPUT].fd, child)) {
            watch[WATCH_INPUT].fd = -1;
        }
        watch[WATCH_OUT].fd = child->out < 0 ? -1 : watch[WATCH_OUT].fd;
        watch[WATCH_ERR].fd = child->err < 0 ? -1 : watch[WATCH_ERR].fd;
        ended = watch[WATCH_CHILD].revents && reap(watch[WATCH_CHILD].fd, child->pid, &status);
    }
    drain(child->out, out);
    drain(child->err, err);
    return status;
}
