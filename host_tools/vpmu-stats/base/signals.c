/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/signals.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* How long to wait for a reader after a signal. */
#define READER_MS 2000

static int watched = -1;
static bool gave_up;

sigset_t signals_ending(void)
{
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, SIGHUP);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    return set;
}

void signals_drop(void)
{
    const struct timespec now = {0};
    sigset_t ending = signals_ending();

    while (sigtimedwait(&ending, NULL, &now) > 0) {
    }
}

sigset_t signals_admit(void)
{
    sigset_t ending = signals_ending();
    sigset_t blocked;

    sigprocmask(SIG_UNBLOCK, &ending, &blocked);
    return blocked;
}

void signals_watch(int fd)
{
    watched = fd;
    gave_up = false;
}

/* Waits until the descriptor takes PIPE_BUF bytes. Return: false after a signal. */
static bool wait_reader(int fd)
{
    struct pollfd fds[] = {{.fd = fd, .events = POLLOUT}, {.fd = watched, .events = POLLIN}};

    while (poll(fds, 2, -1) < 0 && errno == EINTR) {
    }
    gave_up = !fds[0].revents && poll(fds, 1, gave_up ? 0 : READER_MS) == 0;
    return !gave_up;
}

ssize_t signals_write(int fd, const void *bytes, size_t size)
{
    struct stat st;

    if (watched < 0 || fstat(fd, &st) || S_ISREG(st.st_mode)) {
        return write(fd, bytes, size);
    }
    if (!wait_reader(fd)) {
        errno = ECANCELED;
        return -1;
    }
    return write(fd, bytes, size < PIPE_BUF ? size : PIPE_BUF);
}
