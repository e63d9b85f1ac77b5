/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/outlet.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

/* So many bytes are thrown away. Some programs end only when they have no reader any more. */
#define NOWHERE_MAX (16ll << 20)
/* A write ends after this time even if the descriptor waits, in microseconds. */
#define WRITE_MAX 20000

static void on_alarm(int number)
{
    (void)number;
}

/*
 * set_alarm() - lets SIGALRM interrupt writes until it is called with 0
 * A descriptor that others have, too, must not be made non-blocking. poll() says that it takes
 * something, but another process may be faster.
 */
static void set_alarm(long microseconds)
{
    const struct itimerval every = {{0, microseconds}, {0, microseconds}};
    struct sigaction action = {.sa_handler = on_alarm};

    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &every, NULL);
}

static bool takes_all(int fd)
{
    struct stat st;

    return fstat(fd, &st) == 0 && S_ISREG(st.st_mode);
}

static bool takes_something(int fd)
{
    struct pollfd watch = {.fd = fd, .events = POLLOUT};

    return poll(&watch, 1, 0) > 0;
}

/* write_some() - Return: how much was written, 0 if nothing can be written now, -1 with an error.
 */
static ssize_t write_some(struct outlet *o, const char *data, size_t size, bool all,
                          struct failure *f)
{
    ssize_t n;

    if (!all && !takes_something(o->to)) {
        return 0;
    }
    n = write(o->to, data, all || size < PIPE_BUF ? size : PIPE_BUF);
    if (n >= 0 || errno == EINTR || errno == EAGAIN) {
        return n < 0 ? 0 : n;
    }
    if (errno == EPIPE) {
        o->to = OUTLET_CLOSED;
        return 0;
    }
    return failure_set(f, FAILURE_RUN, "cannot write the program's output: %s", strerror(errno));
}

/* pass_buffer() - Return: how much was written; less than @size if no more can be written now */
static ssize_t pass_buffer(struct outlet *o, const char *data, size_t size, bool all,
                           struct failure *f)
{
    size_t at = 0;
    ssize_t n = 1;

    while (at < size && n > 0) {
        n = write_some(o, data + at, size - at, all, f);
        at += n > 0 ? (size_t)n : 0;
    }
    if (at > 0) {
        fallocate(o->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, o->done, (off_t)at);
        o->done += (off_t)at;
    }
    return n < 0 ? -1 : (ssize_t)at;
}

/* throw_away() - what has not been passed on */
static void throw_away(struct outlet *o)
{
    off_t left = outlet_left(o);

    if (left > 0) {
        fallocate(o->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, o->done, left);
        o->done += left;
    }
}

int outlet_pass(struct outlet *o, struct failure *f)
{
    char buffer[1 << 16];
    bool all;
    ssize_t n, passed;

    if (outlet_left(o) == 0) {
        return 0;
    }
    if (o->to < 0) {
        throw_away(o);
        return o->to == OUTLET_NOWHERE && o->done >= NOWHERE_MAX
                   ? failure_set(f, 128 + SIGPIPE, "nobody reads the program's output")
                   : 0;
    }
    all = takes_all(o->to);
    set_alarm(WRITE_MAX);
    do {
        n = pread(o->fd, buffer, sizeof(buffer), o->done);
        passed = n > 0 ? pass_buffer(o, buffer, (size_t)n, all, f) : 0;
    } while (n > 0 && passed == n);
    set_alarm(0);
    if (o->to == OUTLET_CLOSED) {
        throw_away(o);
    }
    return passed < 0 ? -1 : 0;
}

off_t outlet_left(const struct outlet *o)
{
    struct stat st;

    return fstat(o->fd, &st) == 0 && st.st_size > o->done ? st.st_size - o->done : 0;
}
