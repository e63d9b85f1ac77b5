/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An initramfs in memory, in the format newc of cpio: Documentation/driver-api/early-userspace/
 * buffer-format.rst of Linux. */
#ifndef VPMU_RUN_ARCHIVE_H
#define VPMU_RUN_ARCHIVE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "failure.h"

/** struct archive_file - a file of this computer that is in it, and the hash of its content */
struct archive_file {
    char *path;
    uint64_t hash;
};

/**
 * struct archive - an archive that is being written
 * @fd: a file in memory without a name.
 * @size: of what has been written.
 * @limit: the archive does not become larger.
 * @hash: of all that has been written, but for the dates of directories: a report that is written
 *     into a directory changes its date.
 * @newest: the latest date of a file.
 * @date: the machine's date at the start, in seconds since 1970; set by job_pack().
 * @environment: of the program, "NAME=VALUE" one after another with a null byte each, and an empty
 *     one at the end; set by job_pack().
 * @file: @files that archive_add_file() has added.
 */
struct archive {
    int fd;
    uint32_t entries;
    uint64_t size;
    uint64_t limit;
    uint64_t hash;
    uint32_t newest;
    uint32_t date;
    char *environment;
    struct archive_file *file;
    size_t files;
};

/** archive_open() - archive_close() is needed only after 0 */
int archive_open(struct archive *a, uint64_t limit, struct failure *f);

/**
 * archive_add() - adds an entry
 * @path: absolute.
 * @st: mode, owner and time are taken from here.
 * @data: @size bytes: a file's content or a link's target.
 */
int archive_add(struct archive *a, const char *path, const struct stat *st, const void *data,
                size_t size, struct failure *f);

/** archive_add_file() - adds the content of @fd, of st->st_size bytes */
int archive_add_file(struct archive *a, const char *path, const struct stat *st, int fd,
                     struct failure *f);

/** archive_add_hollow() - adds a file without its content. The machine sees its size. */
int archive_add_hollow(struct archive *a, const char *path, const struct stat *st,
                       struct failure *f);

/** archive_end() - writes the last entry */
int archive_end(struct archive *a, struct failure *f);

void archive_close(struct archive *a);

#endif
