/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "files/archive.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/hash.h"
#include "protocol.h"

/* The header has 13 numbers of 8 digits behind its magic. */
#define HEADER_SIZE (6 + 13 * 8)

int archive_open(struct archive *a, uint64_t limit, struct failure *f)
{
    memset(a, 0, sizeof(*a));
    a->limit = limit;
    a->hash = HASH_SEED;
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
    for (size_t i = 0; i < a->files; i++) {
        free(a->file[i].path);
    }
    free(a->file);
    a->file = NULL;
    a->files = 0;
    free(a->environment);
    a->environment = NULL;
}

/* note_file() - notes what the content of a file was */
static int note_file(struct archive *a, const char *path, uint64_t hash, struct failure *f)
{
    struct archive_file *more = realloc(a->file, (a->files + 1) * sizeof(*more));

    if (!more) {
        return failure_memory(f);
    }
    a->file = more;
    a->file[a->files] = (struct archive_file){strdup(path), hash};
    a->hash = hash_words(a->hash, &hash, sizeof(hash));
    return a->file[a->files++].path ? 0 : failure_memory(f);
}

static int write_out(struct archive *a, const void *data, size_t size, struct failure *f)
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

static int append(struct archive *a, const void *data, size_t size, struct failure *f)
{
    a->hash = hash_words(a->hash, data, size);
    return write_out(a, data, size, f);
}

static int pad(struct archive *a, struct failure *f)
{
    return append(a, "\0\0\0", (size_t)(-a->size & 3), f);
}

/* put_header() - @hollow: the size of a file whose content is left out */
static void put_header(const struct archive *a, char *header, const char *name,
                       const struct stat *st, uint64_t size, uint64_t hollow, time_t date)
{
    snprintf(header, HEADER_SIZE + 1, "070701%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x",
             a->entries, (unsigned)st->st_mode, (unsigned)st->st_uid, (unsigned)st->st_gid, 1u,
             (unsigned)date, (unsigned)size, 0u, 0u, (unsigned)(hollow >> 32), (unsigned)hollow,
             (unsigned)strlen(name) + 1, 0u);
}

/* begin() - writes the header and the name of an entry of @size bytes */
static int begin(struct archive *a, const char *path, const struct stat *st, uint64_t size,
                 uint64_t hollow, struct failure *f)
{
    char header[HEADER_SIZE + 1];
    const char *name = path[0] == '/' ? path + 1 : path;

    if (size > UINT32_MAX || strlen(name) > 4000) {
        return failure_set(f, FAILURE_RUN, "%s is too large for an initramfs", path);
    }
    a->entries++;
    put_header(a, header, name, st, size, hollow, S_ISDIR(st->st_mode) ? 0 : st->st_mtime);
    a->hash = hash_words(a->hash, header, HEADER_SIZE);
    put_header(a, header, name, st, size, hollow, st->st_mtime);
    if (S_ISREG(st->st_mode) && (uint32_t)st->st_mtime > a->newest) {
        a->newest = (uint32_t)st->st_mtime;
    }
    if (write_out(a, header, HEADER_SIZE, f) != 0 || append(a, name, strlen(name) + 1, f) != 0) {
        return -1;
    }
    return pad(a, f);
}

int archive_add(struct archive *a, const char *path, const struct stat *st, const void *data,
                size_t size, struct failure *f)
{
    if (begin(a, path, st, size, 0, f) != 0 || append(a, data, size, f) != 0) {
        return -1;
    }
    return pad(a, f);
}

int archive_add_file(struct archive *a, const char *path, const struct stat *st, int fd,
                     struct failure *f)
{
    static char buffer[1 << 16];
    uint64_t left = (uint64_t)st->st_size, hash = HASH_SEED;

    if (begin(a, path, st, left, 0, f) != 0) {
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
        hash = hash_words(hash, buffer, (size_t)n);
        if (write_out(a, buffer, (size_t)n, f) != 0) {
            return -1;
        }
        left -= (uint64_t)n;
    }
    return note_file(a, path, hash, f) != 0 ? -1 : pad(a, f);
}

int archive_add_hollow(struct archive *a, const char *path, const struct stat *st,
                       struct failure *f)
{
    return begin(a, path, st, 0, (uint64_t)st->st_size, f);
}

int archive_end(struct archive *a, struct failure *f)
{
    const struct stat none = {0};

    return archive_add(a, "TRAILER!!!", &none, NULL, 0, f);
}
