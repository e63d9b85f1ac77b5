/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_PERFREADER_H
#define VPMU_STATS_PERFREADER_H

#include <stdio.h>

#include "symbols/functions.h"
#include "perfdata/perfevents.h"
#include "perfdata/perfsample.h"

/**
 * struct perfreader_code - from @time on @length bytes at @start of a process are those of @path
 * from
 * @offset on
 * @build_id: the file's, of @build_id_size bytes; 0 if it is not known.
 */
struct perfreader_code {
    uint32_t pid;
    uint64_t time;
    uint64_t start;
    uint64_t length;
    uint64_t offset;
    const char *path;
    const unsigned char *build_id;
    size_t build_id_size;
};

/**
 * struct perfreader_ops - what becomes of records; NULL: nothing
 * @sample: of @event. @mode is its PERF_RECORD_MISC_KERNEL, _USER, ... @s->period is what it stands
 *     for, also of an event that is read with another's samples.
 * @comm: a thread has this name from @time on.
 * @fork: it has that of another thread, as of then.
 * @cgroup: the number of a cgroup has this path.
 * @kernel: the kernel's function @name is at @address.
 * @process: a process has what another one had in memory, as of then.
 * @code: a process has code there.
 * @lost: so many samples are missing; of @event, or of an unknown event if that is UINT32_MAX.
 *
 * Texts are the file's: hostile. Each returns 0, or -1 with an error, which ends it.
 */
struct perfreader_ops {
    int (*sample)(void *opaque, unsigned event, unsigned mode, const struct perfsample *s,
                  struct error *t);
    int (*comm)(void *opaque, uint32_t tid, uint64_t time, const char *name, struct error *t);
    int (*fork)(void *opaque, uint32_t tid, uint64_t time, uint32_t parent, struct error *t);
    int (*cgroup)(void *opaque, uint64_t number, const char *path, struct error *t);
    int (*kernel)(void *opaque, const char *name, uint64_t address, struct error *t);
    int (*process)(void *opaque, uint32_t pid, uint64_t time, uint32_t parent, struct error *t);
    int (*code)(void *opaque, const struct perfreader_code *code, struct error *t);
    int (*lost)(void *opaque, unsigned event, uint64_t n, struct error *t);
};

/**
 * struct perfreader - a file of perf's, as "vpmu-stats record" or perf itself writes it
 * @name: what a person calls it.
 * @stop_fd: becomes readable when the user interrupts; -1: never.
 * @events: those of a pipe are known after the first walk.
 * @cut: after a walk: it ends in the middle, at byte @end.
 * @strangers: after a walk: samples of no event.
 *
 * The rest is private.
 */
struct perfreader {
    FILE *file;
    const char *name;
    int stop_fd;
    struct perfevents events;
    bool cut;
    uint64_t end;
    uint64_t strangers;
    bool pipe;
    bool walked;
    uint64_t data;
    uint64_t symbols;
    uint64_t symbols_size;
    struct functions *functions;
    uint64_t record[8192 + 1];
};

/**
 * perfreader_open() - reads what a file begins with
 * @r: name and stop_fd are set, all else 0; perfreader_close() is needed in any case.
 * @file: can be read from any place; it may be what was written for a pipe. It stays the caller's.
 *
 * Return: 0, or -1: ERROR_USAGE and what is wrong with it.
 */
int perfreader_open(struct perfreader *r, FILE *file, struct error *t);

/**
 * perfreader_walk() - all records of the file, in its order; can be repeated, with samples once
 * Return: 0, also if the file is cut; or -1: what a callback says, ERROR_USAGE if something in
 * the file cannot be, ERROR_STOPPED if the user has had enough.
 */
int perfreader_walk(struct perfreader *r, const struct perfreader_ops *ops, void *opaque,
                    struct error *t);

/**
 * perfreader_functions() - adds functions of the kernel that the file tells of, if it does
 * @functions: what was written for a pipe has them at its end: they are added by the first walk.
 */
int perfreader_functions(struct perfreader *r, struct functions *functions, struct error *t);

void perfreader_close(struct perfreader *r);

#endif
