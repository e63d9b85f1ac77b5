/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/supply.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* note() - adds to the list what exists, unless it is locked. Return: 1 if it may be supplied. */
static int note(struct supply *s, enum learned_kind kind, const char *path, struct failure *f)
{
    if (learned_has(s->learned, kind, path)) {
        return 1;
    }
    if (s->locked) {
        /* It is not in lists, see learned_settle(). */
        if (strcmp(path, learned_linker_cache) == 0) {
            return 0;
        }
        if (s->n_refused++ == 0) {
            snprintf(s->refused, sizeof(s->refused), "%s", path);
        }
        return 0;
    }
    s->grown = true;
    return learned_add(s->learned, kind, path, f) == 0 ? 1 : -1;
}

/* add_name() - adds an entry without content */
static int add_name(struct archive *a, const char *path, const char *host, const struct stat *st,
                    struct failure *f)
{
    char target[PATH_MAX];
    ssize_t n;

    if (S_ISREG(st->st_mode)) {
        return archive_add_hollow(a, path, st, f);
    }
    if (S_ISDIR(st->st_mode)) {
        return archive_add(a, path, st, NULL, 0, f);
    }
    n = readlink(host, target, sizeof(target));
    return n < 0 ? 0 : archive_add(a, path, st, target, (size_t)n, f);
}

static int look(struct supply *s, const char *path, struct failure *f)
{
    char host[PATH_MAX];
    struct stat st;
    int may;

    if (!learned_look(s->job, path, host, &st)) {
        return strchr(path, '\n') ? 0 : learned_add(s->learned, LEARNED_ABSENT, path, f);
    }
    may = note(s, LEARNED_NAME, path, f);
    return may > 0 ? add_name(&s->answer, path, host, &st, f) : may;
}

/* check_size() - is there space for the content of one more file? */
static int check_size(struct supply *s, const char *path, const struct stat *st, struct failure *f)
{
    s->bytes += (uint64_t)st->st_size;
    if (s->bytes > LEARNED_BYTES_MAX) {
        return failure_set(f, FAILURE_RUN,
                           "files that nobody named have at most %llu MiB: name %s with --copy, or "
                           "use --no-learn",
                           LEARNED_BYTES_MAX >> 20, path);
    }
    s->exceeded = s->bytes > s->budget;
    return s->exceeded ? failure_set(f, FAILURE_RUN, "the files need a larger machine") : 0;
}

static int read_file(struct supply *s, const char *path, struct failure *f)
{
    char host[PATH_MAX];
    struct stat st;
    int fd, may, err;

    if (!learned_look(s->job, path, host, &st) || !S_ISREG(st.st_mode)) {
        return 0;
    }
    fd = open(host, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) {
        return 0;
    }
    may = note(s, LEARNED_FILE, path, f);
    err = may <= 0 ? may : check_size(s, path, &st, f);
    if (!err && may > 0) {
        err = archive_add_file(&s->answer, path, &st, fd, f);
    }
    close(fd);
    return err;
}

static int list(struct supply *s, const char *path, struct failure *f)
{
    struct dirent **entries;
    char host[PATH_MAX];
    struct stat st;
    int n, may, err = 0;

    if (!learned_look(s->job, path, host, &st) || !S_ISDIR(st.st_mode)) {
        return 0;
    }
    may = note(s, LEARNED_NAMES, path, f);
    if (may <= 0) {
        return may;
    }
    n = scandir(host, &entries, NULL, alphasort);
    for (int i = 0; i < n; i++) {
        const char *name = entries[i]->d_name;
        char next[2 * PATH_MAX];

        snprintf(next, sizeof(next), "%s/%s", strcmp(path, "/") == 0 ? "" : path, name);
        if (!err && strcmp(name, ".") != 0 && strcmp(name, "..") != 0 &&
            learned_look(s->job, next, host, &st)) {
            err = add_name(&s->answer, next, host, &st, f);
        }
        free(entries[i]);
    }
    if (n >= 0) {
        free(entries);
    }
    return err;
}

/* answer() - a request is complete */
static int answer(struct supply *s, struct failure *f)
{
    int err = archive_open(&s->answer, LEARNED_BYTES_MAX + (1 << 20), f);

    if (err) {
        return err;
    }
    s->answering = true;
    s->path[s->request.length] = '\0';
    switch (s->request.type) {
    case RUN_FRAME_LOOK:
        err = look(s, s->path, f);
        break;
    case RUN_FRAME_READ:
        err = read_file(s, s->path, f);
        break;
    case RUN_FRAME_LIST:
        err = list(s, s->path, f);
        break;
    default:
        err = failure_set(f, FAILURE_RUN, "the machine asks for something unknown");
    }
    if (err || archive_end(&s->answer, f) != 0) {
        return -1;
    }
    s->size = (uint32_t)s->answer.size;
    s->left = sizeof(s->size) + s->answer.size;
    return 0;
}

static void send_some(struct supply *s, int fd)
{
    uint64_t whole = sizeof(s->size) + s->answer.size, at = whole - s->left;
    ssize_t n;

    if (at < sizeof(s->size)) {
        n = send(fd, (const char *)&s->size + at, sizeof(s->size) - at, MSG_NOSIGNAL);
    } else {
        char buffer[1 << 16];

        n = pread(s->answer.fd, buffer, sizeof(buffer), (off_t)(at - sizeof(s->size)));
        n = n > 0 ? send(fd, buffer, (size_t)n, MSG_NOSIGNAL) : n;
    }
    if (n > 0) {
        s->left -= (uint64_t)n;
    }
}

/* receive() - Return: 1 if the request is complete, 0 if not yet, -1 with an error. */
static int receive(struct supply *s, int fd, struct failure *f)
{
    size_t header = sizeof(s->request), whole = header;
    ssize_t n;

    if (s->received >= header) {
        whole += s->request.length;
    }
    n = recv(fd,
             s->received < header ? (char *)&s->request + s->received
                                  : s->path + s->received - header,
             whole - s->received, 0);
    if (n <= 0) {
        return 0;
    }
    s->received += (size_t)n;
    if (s->received < header) {
        return 0;
    }
    if (s->request.length == 0 || s->request.length >= sizeof(s->path)) {
        return failure_set(f, FAILURE_RUN, "the machine asks for something unknown");
    }
    return s->received == header + s->request.length;
}

int supply_step(struct supply *s, int fd, struct failure *f)
{
    int more;

    if (s->answering) {
        send_some(s, fd);
        if (s->left == 0) {
            archive_close(&s->answer);
            s->answering = false;
            s->received = 0;
        }
        return 0;
    }
    more = receive(s, fd, f);
    return more > 0 ? answer(s, f) : more;
}

void supply_free(struct supply *s)
{
    if (s->answering) {
        archive_close(&s->answer);
        s->answering = false;
    }
}
