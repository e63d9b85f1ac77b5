/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/replacement.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/signals.h"

/* The kernel follows as many links. */
#define MAX_LINKS 40

static mode_t usual_mode(void)
{
    mode_t mask = umask(0);

    umask(mask);
    return 0666 & ~mask;
}

/* Checks whether a link is one of /proc/self/fd, which stands for an open file and not for a name.
 */
static bool is_open_file(const char *link)
{
    int fd = open(link, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    struct statfs fs;
    bool is_proc = fd >= 0 && fstatfs(fd, &fs) == 0 && fs.f_type == PROC_SUPER_MAGIC;

    if (fd >= 0) {
        close(fd);
    }
    return is_proc;
}

/* Replaces the name of a link by what it names, relative to the link's directory. */
static int follow(char path[PATH_MAX])
{
    const char *slash = strrchr(path, '/');
    char to[PATH_MAX];
    ssize_t n = readlink(path, to, sizeof(to) - 1);
    size_t directory = n > 0 && to[0] != '/' && slash ? (size_t)(slash - path) + 1 : 0;

    if (n < 0) {
        return -1;
    }
    if (directory + (size_t)n >= PATH_MAX) {
        errno = ENAMETOOLONG;
        return -1;
    }
    memcpy(path + directory, to, (size_t)n);
    path[directory + (size_t)n] = '\0';
    return 0;
}

/* Finds the name that a file will have. It is NULL if the path is a stream. */
static int resolve(const char *path, char **target)
{
    char at[PATH_MAX];
    struct stat st;

    *target = NULL;
    if (!*path) {
        errno = ENOENT;
        return -1;
    }
    /* The kernel decides whether this user may follow the links (protected_symlinks). */
    if (stat(path, &st) == 0) {
        if (!S_ISREG(st.st_mode)) {
            return 0;
        }
    } else if (errno != ENOENT) {
        return -1;
    }
    if (snprintf(at, sizeof(at), "%s", path) >= (int)sizeof(at)) {
        errno = ENAMETOOLONG;
        return -1;
    }
    for (unsigned links = 0; links < MAX_LINKS; links++) {
        if (lstat(at, &st) || !S_ISLNK(st.st_mode)) {
            *target = strdup(at);
            return *target ? 0 : -1;
        }
        if (is_open_file(at)) {
            return 0;
        }
        if (follow(at)) {
            return -1;
        }
    }
    errno = ELOOP;
    return -1;
}

/* Whatever an open file contains already stays: others may write to it, too. */
static int open_stream(const char *path)
{
    sigset_t blocked = signals_admit();
    int fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);

    sigprocmask(SIG_SETMASK, &blocked, NULL);
    return fd;
}

/* The temporary file is in the directory of its target. Its name has at most NAME_MAX bytes. */
static int open_temporary(struct replacement *r, bool secret)
{
    static const char end[] = ".XXXXXX";
    const char *slash = strrchr(r->target, '/');
    size_t directory = slash ? (size_t)(slash - r->target) + 1 : 0;
    size_t most = directory + NAME_MAX - (sizeof(end) - 1);
    int fd;

    if (asprintf(&r->temporary, "%.*s%s", (int)(most < PATH_MAX ? most : PATH_MAX), r->target,
                 end) < 0) {
        r->temporary = NULL;
        return -1;
    }
    fd = mkostemp(r->temporary, O_CLOEXEC);
    /* mkostemp() lets only this user read the file. If fchmod() fails, that stays so. */
    if (fd >= 0 && !secret) {
        (void)!fchmod(fd, usual_mode());
    }
    return fd;
}

int replacement_open(struct replacement *r, const char *path, bool secret)
{
    *r = (struct replacement){.fd = -1};
    if (resolve(path, &r->target) == 0) {
        r->fd = r->target ? open_temporary(r, secret) : open_stream(path);
    }
    if (r->fd < 0) {
        int error = errno;

        replacement_free(r);
        errno = error;
        return -1;
    }
    return 0;
}

bool replacement_is_stream(const char *path)
{
    char *target;
    bool is_stream = resolve(path, &target) == 0 && !target;

    free(target);
    return is_stream;
}

int replacement_publish(struct replacement *r)
{
    if (r->temporary && rename(r->temporary, r->target)) {
        return -1;
    }
    free(r->temporary);
    r->temporary = NULL;
    return 0;
}

int replacement_publish_new(const struct replacement *r)
{
    if (!r->temporary) {
        return 0;
    }
    if (link(r->temporary, r->target)) {
        return -1;
    }
    unlink(r->temporary);
    return 0;
}

void replacement_discard(const struct replacement *r)
{
    if (r->temporary) {
        unlink(r->temporary);
    }
}

void replacement_free(struct replacement *r)
{
    free(r->target);
    free(r->temporary);
    r->target = r->temporary = NULL;
}
