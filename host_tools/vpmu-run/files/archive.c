/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "files/archive.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* The header has 13 numbers of 8 digits behind its magic. */
#define HEADER_SIZE (6 + 13 * 8)

int archive_open(struct archive *a, uint64_t limit, struct failure *f)
{
    memset(a, 0, sizeof(*a));
    a->limit = limit;
    /* QEMU opens it by the number of its descriptor. */
    a->fd = memfd_create("vpmu-run-initramfs", 0);
    if (a->fd < 0) {
        return failure_set(f, FAILURE_RUN, "cannot create a file in memory: %s", strerror(errno));
    }
    return 0;
}

void archive_close(struct archive *a)
{
    close(a->fd);
}

static int append(struct archive *a, const void *data, size_t size, struct failure *f)
{
    const char *at = data;

    if (a->size + size > a->limit) {
        return failure_set(f, FAILURE_RUN,
                           "the files need more than %llu MiB: copy fewer, or raise --memory",
                           (unsigned long long)(a->limit >> 20));
    }
    a->size += size;
    while (size > 0) {
        ssize_t n = write(a->fd, at, size);

        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n < 0) {
            return failure_set(f, FAILURE_RUN, "no memory for the files: %s", strerror(errno));
        }
        at += n;
        size -= (size_t)n;
    }
    return 0;
}

static int pad(struct archive *a, struct failure *f)
{
    return append(a, "\0\0\0", (size_t)(-a->size & 3), f);
}

/* begin() - writes the header and the name of an entry of @size bytes */
static int begin(struct archive *a, const char *path, const struct stat *st, uint64_t size,
                 struct failure *f)
{
    char header[HEADER_SIZE + 1];
    const char *name = path[0] == '/' ? path + 1 : path;

    if (size > UINT32_MAX || strlen(name) > 4000) {
        return failure_set(f, FAILURE_RUN, "%s is too large for an initramfs", path);
    }
    snprintf(header, sizeof(header), "070701%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x",
             ++a->entries, (unsigned)st->st_mode, (unsigned)st->st_uid, (unsigned)st->st_gid, 1u,
             (unsigned)st->st_mtime, (unsigned)size, 0u, 0u, 0u, 0u, (unsigned)strlen(name) + 1,
             0u);
    if (append(a, header, HEADER_SIZE, f) != 0 || append(a, name, strlen(name) + 1, f) != 0) {
        return -1;
    }
    return pad(a, f);
}

int archive_add(struct archive *a, const char *path, const struct stat *st, const void *data,
                size_t size, struct failure *f)
{
    if (begin(a, path, st, size, f) != 0 || append(a, data, size, f) != 0) {
        return -1;
    }
    return pad(a, f);
}

int archive_add_file(struct archive *a, const char *path, const struct stat *st, int fd,
                     struct failure *f)
{
    static char buffer[1 << 16];
    uint64_t left = (uint64_t)st->st_size;

    if (begin(a, path, st, left, f) != 0) {
        return -1;
    }
    while (left > 0) {
        size_t want = left < sizeof(buffer) ? (size_t)left : sizeof(buffer);
        ssize_t n = read(fd, buffer, want);

        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n <= 0) {
            return failure_set(f, FAILURE_RUN, "cannot read %s: %s", path,
                               n < 0 ? strerror(errno) : "it became shorter");
        }
        if (append(a, buffer, (size_t)n, f) != 0) {
            return -1;
        }
        left -= (uint64_t)n;
    }
    return pad(a, f);
}

int archive_end(struct archive *a, struct failure *f)
{
    const struct stat none = {0};

    return archive_add(a, "TRAILER!!!", &none, NULL, 0, f);
}
