/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Brings back what the program has written at the paths of --out. protocol.h describes the stream.
 */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <linux/perf_event.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "guest.h"

#define DESCRIPTORS 16
#define PIECE_MAX 32768u

/* struct before - a file as it was before the program started */
struct before {
    char *path;
    ino_t number;
    struct timespec changed;
};

static void *files;
static int port = -1;

static int compare(const void *a, const void *b)
{
    const struct before *x = a, *y = b;

    return strcmp(x->path, y->path);
}

static int note(const char *path, const struct stat *st, int type, struct FTW *unused)
{
    struct before *b = malloc(sizeof(*b));

    (void)type;
    (void)unused;
    if (!b || !(b->path = strdup(path)) || !tsearch(b, &files, compare)) {
        guest_die("no memory: raise --memory");
    }
    b->number = st->st_ino;
    b->changed = st->st_mtim;
    return 0;
}

void out_note(const struct job *job)
{
    for (size_t i = 0; i < job->outs; i++) {
        nftw(job->out[i], note, DESCRIPTORS, FTW_PHYS);
    }
}

/* is_old() - has the program neither made the file nor changed its content? */
static bool is_old(const char *path, const struct stat *st)
{
    const struct before key = {.path = (char *)(uintptr_t)path};
    struct before *const *found = tfind(&key, &files, compare);

    return found && (*found)->number == st->st_ino &&
           (S_ISDIR(st->st_mode) || ((*found)->changed.tv_sec == st->st_mtim.tv_sec &&
                                     (*found)->changed.tv_nsec == st->st_mtim.tv_nsec));
}

static void pass(const void *data, size_t size)
{
    const char *at = data;

    while (size > 0) {
        size_t n = size < PIECE_MAX ? size : PIECE_MAX;
        const struct perf_event_header head = {.type = RUN_RECORD_FILES,
                                               .size = (uint16_t)(sizeof(head) + n)};

        write_all(port, &head, sizeof(head));
        write_all(port, at, n);
        at += n;
        size -= n;
    }
}

/* pass_content() - as many bytes as were promised, even if a process still changes the file */
static void pass_content(const char *path, uint64_t size)
{
    static char buffer[PIECE_MAX];
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);

    while (size > 0) {
        size_t want = size < sizeof(buffer) ? (size_t)size : sizeof(buffer);
        ssize_t n = fd < 0 ? 0 : read(fd, buffer, want);

        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n <= 0) {
            memset(buffer, 0, want);
            n = (ssize_t)want;
        }
        pass(buffer, (size_t)n);
        size -= (uint64_t)n;
    }
    if (fd >= 0) {
        close(fd);
    }
}

static int bring(const char *path, const struct stat *st, int type, struct FTW *unused)
{
    struct run_out head = {.mode = st->st_mode, .length = (uint32_t)strlen(path)};
    char target[4096];

    (void)type;
    (void)unused;
    if (is_old(path, st) ||
        !(S_ISREG(st->st_mode) || S_ISDIR(st->st_mode) || S_ISLNK(st->st_mode))) {
        return 0;
    }
    if (S_ISLNK(st->st_mode)) {
        ssize_t n = readlink(path, target, sizeof(target));

        head.size = n < 0 ? 0 : (uint64_t)n;
    } else if (S_ISREG(st->st_mode)) {
        head.size = (uint64_t)st->st_size;
    }
    pass(&head, sizeof(head));
    pass(path, head.length);
    if (S_ISLNK(st->st_mode)) {
        pass(target, (size_t)head.size);
    } else {
        pass_content(path, head.size);
    }
    return 0;
}

void out_bring(const struct job *job)
{
    port = record_port();
    for (size_t i = 0; i < job->outs; i++) {
        nftw(job->out[i], bring, DESCRIPTORS, FTW_PHYS);
    }
}
