/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_REPLACEMENT_H
#define VPMU_STATS_REPLACEMENT_H

#include <stdbool.h>

/**
 * struct replacement - an output file, which takes the place of an older one when it is complete
 * @fd: the descriptor to write to. The caller closes it.
 * @target: the name that the file will have: the path, with its links resolved. It is NULL for a
 *     stream, which is written directly: a pipe, a FIFO, a device, or an open file such as
 *     /dev/stdout.
 * @temporary: the name of the file until then, in the same directory. NULL for a stream.
 */
struct replacement {
    int fd;
    char *target;
    char *temporary;
};

/**
 * replacement_open() - open an output file
 * @r: is filled in.
 * @path: the name of the file. Symbolic links are followed, to what they name or would name.
 * @secret: true if only this user may read the file; false if the umask decides.
 *
 * An older file keeps its contents. Opening a FIFO waits for its reader; meanwhile SIGINT, SIGTERM
 * and SIGHUP are not blocked.
 *
 * Return: 0, after which replacement_free() is needed; or -1 with errno set.
 */
int replacement_open(struct replacement *r, const char *path, bool secret);

/** replacement_is_stream() - check whether replacement_open() would open a stream */
bool replacement_is_stream(const char *path);

/**
 * replacement_publish() - give the file its name
 * @r: what replacement_open() has opened. It has no temporary name afterwards.
 *
 * What is written later is added to the file under its name.
 *
 * Return: 0, or -1 with errno set.
 */
int replacement_publish(struct replacement *r);

/** replacement_publish_new() - the same, but fail with EEXIST if there is an older file */
int replacement_publish_new(const struct replacement *r);

/** replacement_discard() - remove the temporary file, if there is one */
void replacement_discard(const struct replacement *r);

/** replacement_free() - release memory; the temporary file, if any, stays */
void replacement_free(struct replacement *r);

#endif
