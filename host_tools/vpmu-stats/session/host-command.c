/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "session/host-command.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/pidfd.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* Restores the signal handling from before this program changed it. */
static int spawn(struct host_command *c, char *const *argv)
{
    posix_spawnattr_t attributes;
    sigset_t none;
    sigset_t usual;
    int err = posix_spawnattr_init(&attributes);

    if (err) {
        return err;
    }
    sigemptyset(&none);
    sigemptyset(&usual);
    sigaddset(&usual, SIGPIPE);
    sigaddset(&usual, SIGXFSZ);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &usual);
    err = posix_spawnp(&c->pid, argv[0], NULL, &attributes, argv, environ);
    posix_spawnattr_destroy(&attributes);
    return err;
}

static int watch_both(struct host_command *c, int stop_fd)
{
    struct epoll_event event = {.events = EPOLLIN};

    c->pidfd = pidfd_open(c->pid, 0);
    c->watch = epoll_create1(EPOLL_CLOEXEC);
    if (c->pidfd < 0 || c->watch < 0 || epoll_ctl(c->watch, EPOLL_CTL_ADD, c->pidfd, &event)) {
        return -1;
    }
    return stop_fd >= 0 ? epoll_ctl(c->watch, EPOLL_CTL_ADD, stop_fd, &event) : 0;
}

int host_command_start(struct host_command *c, char *const *argv, int stop_fd, struct error *t)
{
    int err;

    *c = (struct host_command){.pidfd = -1, .watch = -1};
    err = spawn(c, argv);
    if (err) {
        c->pid = 0;
        return error_set(t, ERROR_USAGE, "cannot run %s: %s", argv[0], strerror(err));
    }
    if (watch_both(c, stop_fd)) {
        err = errno;
        host_command_end(c);
        return error_set(t, ERROR_TALK, "cannot watch %s: %s", argv[0], strerror(err));
    }
    return 0;
}

bool host_command_ended(const struct host_command *c)
{
    struct pollfd fd = {.fd = c->pidfd, .events = POLLIN};

    return poll(&fd, 1, 0) > 0;
}

void host_command_end(struct host_command *c)
{
    int status = 0;
    bool ended = c->pidfd >= 0 && host_command_ended(c);

    if (c->pid) {
        if (!ended) {
            kill(c->pid, SIGTERM);
        }
        while (waitpid(c->pid, &status, 0) < 0 && errno == EINTR) {
        }
        c->status = !ended ? 0 : WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    }
    if (c->pidfd >= 0) {
        close(c->pidfd);
    }
    if (c->watch >= 0) {
        close(c->watch);
    }
    c->pid = 0;
    c->pidfd = c->watch = -1;
}
