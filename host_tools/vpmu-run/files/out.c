/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "files/out.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/format.h"
#include "files/paths.h"
#include "files/tree.h"
#include "protocol.h"

/* where() - a path as the machine has it, without links if this computer has it, too */
static int where(const struct job *job, const char *given, char *path, struct failure *f)
{
    char whole[2 * PATH_MAX], cwd[PATH_MAX] = "", *slash;

    if (given[0] != '/' && !job->root[0] && !getcwd(cwd, sizeof(cwd))) {
        return failure_set(f, FAILURE_RUN, "the working directory does not exist any more");
    }
    snprintf(whole, sizeof(whole), "%s%s%s", cwd, given[0] == '/' ? "" : "/", given);
    path_clean(whole);
    if (!whole[0]) {
        strcpy(path, "/");
        return 0;
    }
    if (!job->root[0] && realpath(whole, path)) {
        return 0;
    }
    slash = strrchr(whole, '/');
    *slash = '\0';
    if (!job->root[0] && !path_has_dots(slash + 1) && realpath(whole[0] ? whole : "/", path) &&
        strlen(path) + strlen(slash + 1) + 2 < PATH_MAX) {
        strcat(strcat(path, strcmp(path, "/") == 0 ? "" : "/"), slash + 1);
        return 0;
    }
    *slash = '/';
    if (path_has_dots(whole) || strlen(whole) >= PATH_MAX) {
        return failure_set(f, FAILURE_RUN, "--out takes a path without . and .., not '%s'", given);
    }
    strcpy(path, whole);
    return 0;
}

/* find_host() - where this computer has the path; only the last component may be missing */
static int find_host(const struct job *job, const char *path, char *host, struct failure *f)
{
    char above[PATH_MAX];
    const char *name = strrchr(path, '/');
    struct stat st;

    if (job_where(job, path, host) == 0 && lstat(host, &st) == 0) {
        /* A file is made anew, so its directory has to be writable. */
        snprintf(above, sizeof(above), "%.*s",
                 (int)(S_ISDIR(st.st_mode) ? strlen(host) : (size_t)(strrchr(host, '/') - host)),
                 host);
        return access(above[0] ? above : "/", W_OK) != 0
                   ? failure_set(f, FAILURE_RUN, "cannot write %s: %s", path, strerror(errno))
                   : 0;
    }
    snprintf(above, sizeof(above), "%.*s", (int)(name - path), path);
    if (job_where(job, above[0] ? above : "/", host) != 0 || stat(host, &st) != 0 ||
        access(host, W_OK) != 0) {
        return failure_set(f, FAILURE_RUN, "cannot write %s: %s", path, strerror(errno));
    }
    if (!S_ISDIR(st.st_mode) || strlen(host) + strlen(name) >= PATH_MAX) {
        return failure_set(f, FAILURE_RUN, "cannot write %s: %s", path, strerror(ENOTDIR));
    }
    strcat(host, strcmp(host, "/") == 0 ? name + 1 : name);
    return 0;
}

int out_add(struct job *job, const char *given, struct failure *f)
{
    char path[PATH_MAX], host[PATH_MAX];
    struct job_out *out = &job->out[job->outs];

    if (!given[0] || strlen(given) >= PATH_MAX) {
        return failure_set(f, FAILURE_RUN, "--out takes a path, not '%s'", given);
    }
    if (where(job, given, path, f) != 0) {
        return -1;
    }
    if (strcmp(path, "/") == 0 || !path[0] || tree_is_own(path)) {
        return failure_set(f, FAILURE_RUN, "--out cannot bring %s back", given);
    }
    if (find_host(job, path, host, f) != 0) {
        return -1;
    }
    *out = (struct job_out){strdup(path), strdup(host)};
    job->outs++;
    return out->path && out->host ? 0 : failure_memory(f);
}

/* struct stream - the pieces of RUN_RECORD_FILES; @piece bytes of the present one are left */
struct stream {
    const unsigned char *map;
    size_t size, at, piece;
};

/* next_piece() - Return: false at the end, or if the recording is damaged. */
static bool next_piece(struct stream *s)
{
    struct perf_event_header head;

    while (s->size - s->at >= sizeof(head)) {
        memcpy(&head, s->map + s->at, sizeof(head));
        if (head.size < sizeof(head) || head.size > s->size - s->at) {
            return false;
        }
        s->at += sizeof(head);
        s->piece = head.size - sizeof(head);
        if (head.type == RUN_RECORD_FILES) {
            return true;
        }
        s->at += s->piece;
        s->piece = 0;
    }
    return false;
}

/* take() - the next bytes, at most @size and at least one. Return: how many; 0 at the end. */
static size_t take(struct stream *s, size_t size, const unsigned char **data)
{
    size_t n;

    while (s->piece == 0) {
        if (!next_piece(s)) {
            return 0;
        }
    }
    n = size < s->piece ? size : s->piece;
    *data = s->map + s->at;
    s->at += n;
    s->piece -= n;
    return n;
}

static bool take_all(struct stream *s, void *to, size_t size)
{
    const unsigned char *data;

    for (size_t done = 0, n; done < size; done += n) {
        n = take(s, size - done, &data);
        if (n == 0) {
            return false;
        }
        memcpy((char *)to + done, data, n);
    }
    return true;
}

/* open_above() - the directory that a file is in, without following links below @out. -1: errno. */
static int open_above(const struct job_out *out, const char *rest, const char **name)
{
    char part[PATH_MAX];
    const char *slash = strrchr(out->host, '/');
    int fd;

    snprintf(part, sizeof(part), "%.*s", slash == out->host ? 1 : (int)(slash - out->host),
             out->host);
    fd = open(part, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    *name = slash + 1;
    while (fd >= 0 && *rest == '/') {
        size_t n = strcspn(++rest, "/");
        int next;

        /* The last name is out->host's at first; it ends where the next one begins. */
        snprintf(part, sizeof(part), "%.*s", (int)strcspn(*name, "/"), *name);
        next = openat(fd, part, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        close(fd);
        fd = next;
        *name = rest;
        rest += n;
    }
    return fd;
}

static int write_content(struct stream *s, int fd, uint64_t size)
{
    const unsigned char *data;
    int error = 0;

    while (size > 0) {
        size_t n = take(s, size < 65536 ? (size_t)size : 65536, &data);

        if (n == 0) {
            return EBADMSG;
        }
        size -= n;
        while (n > 0 && !error) {
            ssize_t done = write(fd, data, n);

            error = done < 0 && errno != EINTR ? errno : 0;
            data += done > 0 ? done : 0;
            n -= done > 0 ? (size_t)done : 0;
        }
    }
    return error;
}

static int write_link(struct stream *s, int above, const char *name, uint64_t size)
{
    char target[PATH_MAX];

    if (size >= sizeof(target) || !take_all(s, target, (size_t)size)) {
        return EBADMSG;
    }
    target[size] = '\0';
    return symlinkat(target, above, name) != 0 ? errno : 0;
}

static int write_file(struct stream *s, int above, const char *name, const struct run_out *head)
{
    int fd = openat(above, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                    head->mode & 0777);
    int error = fd < 0 ? errno : write_content(s, fd, head->size);

    return fd >= 0 && close(fd) != 0 && !error ? errno : error;
}

/* write_one() - makes a file anew, so that what an older one is linked to stays. Return: errno. */
static int write_one(struct stream *s, const struct job_out *out, const char *rest,
                     const struct run_out *head)
{
    const char *name;
    int above = open_above(out, rest, &name), error;

    if (above < 0) {
        return errno;
    }
    if (S_ISDIR(head->mode)) {
        error = mkdirat(above, name, head->mode & 0777) != 0 && errno != EEXIST ? errno : 0;
    } else if (unlinkat(above, name, 0) != 0 && errno != ENOENT) {
        error = errno;
    } else if (S_ISLNK(head->mode)) {
        error = write_link(s, above, name, head->size);
    } else {
        error = write_file(s, above, name, head);
    }
    close(above);
    return error;
}

/* find() - the path of --out that a file belongs to; @rest: what follows it */
static const struct job_out *find(const struct job *job, const char *path, const char **rest)
{
    for (size_t i = 0; i < job->outs; i++) {
        size_t n = strlen(job->out[i].path);

        if (strncmp(path, job->out[i].path, n) == 0 && (path[n] == '/' || !path[n])) {
            *rest = path + n;
            return &job->out[i];
        }
    }
    return NULL;
}

/* fetch_all() - @found: for each path of --out, whether something came back */
static int fetch_all(struct stream *s, const struct job *job, bool *found, struct failure *f)
{
    struct run_out head;

    while (take_all(s, &head, sizeof(head))) {
        char path[PATH_MAX];
        const char *rest = "";
        const struct job_out *out;
        int error;

        if (head.length == 0 || head.length >= sizeof(path) || !take_all(s, path, head.length)) {
            return failure_set(f, FAILURE_RUN, "the machine's files are damaged");
        }
        path[head.length] = '\0';
        out = find(job, path, &rest);
        if (!out || path_has_dots(rest) || strstr(rest, "//") ||
            !(S_ISREG(head.mode) || S_ISDIR(head.mode) || S_ISLNK(head.mode))) {
            return failure_set(f, FAILURE_RUN, "the machine's files are damaged");
        }
        found[out - job->out] = true;
        error = write_one(s, out, rest, &head);
        if (error) {
            format_tame(path);
            return failure_set(f, FAILURE_RUN, "cannot write %s: %s", path, strerror(error));
        }
    }
    return 0;
}

int out_fetch(const struct job *job, int fd, struct failure *f)
{
    bool found[RUN_OUTS_MAX] = {false};
    struct stream s = {0};
    struct stat st;
    void *map = NULL;
    int err = 0;

    if (fstat(fd, &st) == 0 && st.st_size > 0) {
        map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (map == MAP_FAILED) {
            return failure_set(f, FAILURE_RUN, "cannot read the files: %s", strerror(errno));
        }
        s = (struct stream){.map = map, .size = (size_t)st.st_size};
        err = fetch_all(&s, job, found, f);
        munmap(map, s.size);
    }
    for (size_t i = 0; i < job->outs && !err; i++) {
        if (!found[i]) {
            fprintf(stderr, "vpmu-run: warning: --out %s: the program has written nothing there\n",
                    job->out[i].path);
        }
    }
    return err;
}
