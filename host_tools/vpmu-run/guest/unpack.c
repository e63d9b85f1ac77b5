/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Unpacks the program's files, an archive of cpio's format newc. */
#include <errno.h>
#include <fcntl.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "guest.h"

#define HEADER_SIZE 110u

enum {
    FIELD_MODE = 1,
    FIELD_UID,
    FIELD_GID,
    FIELD_TIME = 5,
    FIELD_SIZE,
    FIELD_HOLLOW_HIGH = RUN_HOLLOW_FIELD,
    FIELD_HOLLOW_LOW,
    FIELD_NAME
};

/* The numbers of files that have no content yet. */
static void *hollow;

static int compare(const void *a, const void *b)
{
    return ((uintptr_t)a > (uintptr_t)b) - ((uintptr_t)a < (uintptr_t)b);
}

static const void *number_of(const struct stat *st)
{
    return (const void *)(uintptr_t)st->st_ino;
}

bool unpack_is_hollow(const struct stat *st)
{
    return tfind(number_of(st), &hollow, compare) != NULL;
}

void unpack_filled(const struct stat *st)
{
    tdelete(number_of(st), &hollow, compare);
}

/*
 * field() - a number of 8 hexadecimal digits
 * Without a branch that depends on the digits: times and owners differ between computers, and must
 * not change what the CPU does before the program starts.
 */
static uint32_t field(const char *header, unsigned n)
{
    const char *digits = header + 6 + 8 * n;
    uint32_t value = 0;

    for (unsigned i = 0; i < 8; i++) {
        unsigned c = (unsigned char)digits[i];

        value = value << 4 | ((c & 15) + 9 * (c >> 6));
    }
    return value;
}

/* make_hollow() - makes the file as large as it is, without its content */
static int make_hollow(int fd, uint64_t size)
{
    struct stat st;

    if (ftruncate(fd, (off_t)size) != 0 || fstat(fd, &st) != 0) {
        return -1;
    }
    if (!tsearch(number_of(&st), &hollow, compare)) {
        errno = ENOMEM;
        return -1;
    }
    return 0;
}

static int make_file(const char *path, const char *header, const char *data, size_t size)
{
    int fd =
        open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, field(header, FIELD_MODE) & 07777);
    uint64_t space =
        (uint64_t)field(header, FIELD_HOLLOW_HIGH) << 32 | field(header, FIELD_HOLLOW_LOW);

    if (fd < 0) {
        return -1;
    }
    if (space > 0 && make_hollow(fd, space) != 0) {
        close(fd);
        return -1;
    }
    while (size > 0) {
        ssize_t n = write(fd, data, size);

        if (n <= 0) {
            close(fd);
            return -1;
        }
        data += n;
        size -= (size_t)n;
    }
    return close(fd);
}

static int make_link(const char *path, const char *data, size_t size)
{
    char target[4096];

    if (size >= sizeof(target)) {
        errno = ENAMETOOLONG;
        return -1;
    }
    memcpy(target, data, size);
    target[size] = '\0';
    return symlink(target, path);
}

/* make() - makes one entry of the archive */
static int make(const char *path, const char *header, const char *data)
{
    mode_t mode = field(header, FIELD_MODE);
    size_t size = field(header, FIELD_SIZE);
    const struct timespec times[2] = {{.tv_sec = field(header, FIELD_TIME)},
                                      {.tv_sec = field(header, FIELD_TIME)}};
    int err;

    if (S_ISLNK(mode)) {
        err = make_link(path, data, size);
    } else if (S_ISDIR(mode)) {
        err = mkdir(path, mode & 07777);
    } else {
        err = make_file(path, header, data, size);
    }
    /* Directories of the machine itself are there. */
    if (err != 0 && !(S_ISDIR(mode) && errno == EEXIST)) {
        return -1;
    }
    if (lchown(path, field(header, FIELD_UID), field(header, FIELD_GID)) != 0 ||
        (!S_ISLNK(mode) && chmod(path, mode & 07777) != 0)) {
        return -1;
    }
    return utimensat(AT_FDCWD, path, times, AT_SYMLINK_NOFOLLOW);
}

static size_t align(size_t n)
{
    return (n + 3) & ~(size_t)3;
}

void unpack_archive(const char *archive, size_t size, unpack_skip_fn *skip)
{
    size_t at = 0;

    while (at + HEADER_SIZE < size) {
        const char *header = archive + at, *name = header + HEADER_SIZE;
        size_t data = align(at + HEADER_SIZE + field(header, FIELD_NAME));
        char path[4200] = "/";

        if (strcmp(name, "TRAILER!!!") == 0) {
            return;
        }
        strncat(path, name, sizeof(path) - 2);
        if (!(skip && skip(path)) && make(path, header, archive + data) != 0) {
            guest_die("cannot unpack %s: %s", path,
                      errno == ENOSPC || errno == ENOMEM ? "no memory: raise --memory"
                                                         : strerror(errno));
        }
        at = align(data + field(header, FIELD_SIZE));
    }
    guest_die("the archive is truncated");
}

void unpack(void)
{
    size_t size;
    char *archive = firmware_read(RUN_FILES, &size);

    umask(0);
    unpack_archive(archive, size, NULL);
    umask(022);
    firmware_free(archive, size);
}
