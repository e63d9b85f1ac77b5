/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_PERFREADER_H
#define VPMU_STATS_PERFREADER_H

#include <stdio.h>

#include "base/progress.h"
#include "perfdata/filesymbols.h"
#include "symbols/functions.h"
#include "perfdata/perfevents.h"
#include "perfdata/perfsample.h"

/**
 * struct perfreader_code - a mapping of a process
 * @pid: process.
 * @time: when it was mapped, in nanoseconds.
 * @start: virtual address.
 * @length: size in bytes.
 * @offset: offset in the file.
 * @path: path of the file.
 * @build_id: build ID of the file.
 * @build_id_size: its size in bytes; 0 if it is unknown.
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
 * struct perfreader_ops - callbacks for records; NULL ignores a kind of record
 * @sample: a sample of @event. @mode is PERF_RECORD_MISC_KERNEL, _USER and so on. @s->period is the
 *     number of events that the sample stands for, also if the event is read with another event's
 *     samples.
 * @comm: a thread has this name from @time on.
 * @fork: a thread has the name that thread @parent had at @time.
 * @cgroup: the path of the cgroup with this number.
 * @kernel: the kernel's function @name has this address.
 * @process: a process has the mappings that process @parent had at @time.
 * @code: a process has mapped code.
 * @lost: @n samples of @event were lost. UINT32_MAX means that the event is unknown.
 *
 * Names and paths come from the file and can contain anything. Each callback returns 0, or -1 with
 * an error, which ends the walk.
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
 * struct perfreader - a file that "vpmu-stats record" or perf has written
 * @file: the file.
 * @name: its name for messages.
 * @stop_fd: becomes readable when the user interrupts; -1 if this cannot happen.
 * @progress: shows how much of the file has been read; NULL for none.
 * @events: the events. Those of a pipe are complete after the first walk.
 * @cut: after a walk: the file is truncated at byte @end.
 * @strangers: after a walk: number of samples that belong to no event.
 *
 * The other fields are private.
 */
struct perfreader {
    FILE *file;
    const char *name;
    int stop_fd;
    struct progress *progress;
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
 * perfreader_open() - read the header of a file
 * @r: the caller has set name and stop_fd, and all other fields to 0. Call perfreader_close() in
 *     any case.
 * @file: must be seekable. Its contents may have been written for a pipe. The caller closes it.
 *
 * Return: 0, or -1 with an error: ERROR_USAGE if the file is damaged.
 */
int perfreader_open(struct perfreader *r, FILE *file, struct error *t);

/**
 * perfreader_walk() - call @ops for all records, in the file's order
 *
 * It can be called several times, but only one walk may have a callback for samples.
 *
 * Return: 0, even if the file is truncated; or -1 with a callback's error, with ERROR_USAGE if the
 * file is damaged, or with ERROR_STOPPED.
 */
int perfreader_walk(struct perfreader *r, const struct perfreader_ops *ops, void *opaque,
                    struct error *t);

/**
 * perfreader_functions() - add the kernel functions that the file contains, if any
 * @functions: if the file is in the format for pipes, the first walk adds them, since they are at
 *     the end. @functions must be valid until then.
 *
 * Return: 0, or -1 with an error.
 */
int perfreader_functions(struct perfreader *r, struct functions *functions, struct error *t);

/**
 * perfreader_programs() - read the functions of programs that the file contains, if any
 * @program: is called for each file of a program.
 *
 * Return: 0, or -1 with an error, also if @program fails.
 */
int perfreader_programs(struct perfreader *r, filesymbols_program program, void *opaque,
                        struct error *t);

void perfreader_close(struct perfreader *r);

#endif
