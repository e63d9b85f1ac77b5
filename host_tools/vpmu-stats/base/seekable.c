/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/seekable.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *name_of(const char *path)
{
    return strcmp(path, "-") == 0 ? "the standard input" : path;
}

static int cannot_read(const char *path, struct error *t)
{
    return error_set(t, ERROR_USAGE, "cannot read %s: %s", name_of(path), strerror(errno));
}

/*
 * Read a signal. Return: true if it ends the program: it is not the first one, or not SIGINT, which
 * a terminal sends to the writer of a pipe, too.
 */
static bool had_enough(int stop_fd, bool *had_one)
{
    struct signalfd_siginfo info = {.ssi_signo = SIGINT};
    bool second = *had_one;

    if (read(stop_fd, &info, sizeof(info)) > 0) {
        *had_one = true;
    }
    return second || info.ssi_signo != SIGINT;
}

/*
 * Wait for input and read some of it. Return: the number of bytes; 0 at the end; -1 with an error.
 */
static ssize_t next_piece(int fd, const char *path, char *buf, size_t size, int stop_fd,
                          bool *had_one, struct error *t)
{
    struct pollfd fds[] = {{.fd = fd, .events = POLLIN}, {.fd = stop_fd, .events = POLLIN}};
    ssize_t n;

    do {
        if (poll(fds, 2, -1) < 0 && errno != EINTR) {
            return cannot_read(path, t);
        }
        if (fds[1].revents && had_enough(stop_fd, had_one)) {
            return error_set(t, ERROR_STOPPED, "stopped");
        }
        n = fds[0].revents ? read(fd, buf, size) : -1;
    } while (n < 0 && (!fds[0].revents || errno == EINTR || errno == EAGAIN));
    return n < 0 ? cannot_read(path, t) : n;
}

static int copy(int fd, const char *path, int stop_fd, seekable_begins_fn *begins, FILE *to,
                struct error *t)
{
    static char buf[1 << 16];
    bool had_one = false;
    size_t have = 0;
    ssize_t n;

    /* The first piece is not written before it has the whole start. */
    while ((n = next_piece(fd, path, buf + have, sizeof(buf) - have, stop_fd, &had_one, t)) > 0) {
        have += (size_t)n;
        if (begins && have < SEEKABLE_START) {
            continue;
        }
        if (fwrite(buf, 1, have, to) != have || (begins && !begins(buf, SEEKABLE_START))) {
            have = 0;
            break;
        }
        begins = NULL;
        have = 0;
    }
    fwrite(buf, 1, have, to);
    if (n >= 0 && (ferror(to) || fflush(to))) {
        return error_set(t, ERROR_OUTPUT, "no space for a copy of %s: %s", name_of(path),
                         strerror(errno));
    }
    return n < 0 ? -1 : 0;
}

/* Open a stream for the file, or for a copy of it. The stream owns @fd, or @fd is closed. */
static int open_either(int fd, const char *path, int stop_fd, seekable_begins_fn *begins,
                       FILE **file, struct error *t)
{
    struct stat st;
    int err = 0;

    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode)) {
        *file = fdopen(fd, "r");
    } else {
        *file = tmpfile();
        err = *file ? copy(fd, path, stop_fd, begins, *file, t) : 0;
        close(fd);
    }
    if (!*file) {
        return error_set(t, ERROR_OUTPUT, "no space for a copy of %s: %s", name_of(path),
                         strerror(errno));
    }
    if (err) {
        fclose(*file);
        *file = NULL;
    }
    return err;
}

int seekable_open(const char *path, int stop_fd, seekable_begins_fn *begins, FILE **file,
                  struct error *t)
{
    bool standard = strcmp(path, "-") == 0;
    /*
     * With O_NONBLOCK, open() does not wait for the writer of a FIFO. next_piece() waits for it,
     * and there a signal can end the wait.
     */
    int fd = standard ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
                      : open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

    *file = NULL;
    if (fd < 0) {
        return cannot_read(path, t);
    }
    if (isatty(fd)) {
        close(fd);
        return error_set(t, ERROR_USAGE, "cannot read %s: it is a terminal", name_of(path));
    }
    return open_either(fd, path, stop_fd, begins, file, t);
}
