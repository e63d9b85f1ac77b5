/* SPDX-License-Identifier: GPL-2.0-or-later */
/* init of the machine that vpmu-run starts. */
#ifndef VPMU_RUN_GUEST_H
#define VPMU_RUN_GUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "protocol.h"

#define GUEST_EVENTS_MAX 64
#define GUEST_GROUPS_MAX 64
#define GUEST_CPUS_MAX 64
/* Of samples, for each CPU. A power of 2. */
#define GUEST_RING_SIZE (4u << 20)

/**
 * struct job - what to run and what to count
 * @argv, @envp: NULL at the end; they point into the job's file.
 * @learn: ask for the files that the program looks for.
 * @date: that the machine has when the program starts; 0 for its own.
 * @event: @events of them, as in the file.
 * @out: @outs paths: bring back what the program writes there.
 * @record: sample the events, each @period events or @frequency times a second.
 */
struct job {
    char **argv, **envp;
    const char *path, *cwd;
    uid_t uid;
    gid_t gid;
    gid_t groups[GUEST_GROUPS_MAX];
    size_t n_groups;
    bool live, joined, syscalls, machine, learn, net;
    struct {
        bool on, chains, branches;
        unsigned long long period, frequency, registers;
        unsigned stack;
    } record;
    unsigned long long seed, date;
    struct {
        bool tracepoint;
        const char *text;
    } event[GUEST_EVENTS_MAX];
    size_t events;
    const char *out[RUN_OUTS_MAX];
    size_t outs;
};

/** guest_die() - reports an error to vpmu-run and stops the machine */
void guest_die(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));

/** guest_result() - adds a line to the result */
void guest_result(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** guest_stop() - stops the machine */
void guest_stop(void) __attribute__((noreturn));

/** guest_port() - opens a port of the machine; one that is open already stays so */
int guest_port(enum run_port port, int flags);

/** platform_open() - gets access to devices */
void platform_open(void);

/** platform_stop_here() - QEMU stops the machine here, to save its state, and continues it later */
void platform_stop_here(void);

/** platform_dma() - gives a request to the firmware configuration device. @request: its address */
void platform_dma(uint64_t request);

/** firmware_prepare() - gets the pages that small items are read into, before the state is saved */
void firmware_prepare(void);

/** firmware_read() - reads an item of that device. Return: what firmware_free() frees. */
char *firmware_read(const char *name, size_t *size);

/** firmware_free() - returns the pages of an item */
void firmware_free(char *data, size_t size);

/** unpack() - unpacks RUN_FILES */
void unpack(void);

/** unpack_skip_fn - leaves a file out if it returns true */
typedef bool unpack_skip_fn(const char *path);

/** unpack_archive() - unpacks an archive; umask() has to be 0. @skip: NULL to unpack all files. */
void unpack_archive(const char *archive, size_t size, unpack_skip_fn *skip);

struct stat;

/** unpack_is_hollow() - has this file only its name, size, owner and date so far? */
bool unpack_is_hollow(const struct stat *st);

/** unpack_filled() - it has its content now */
void unpack_filled(const struct stat *st);

/** setup_mount() - makes the file systems that programs expect */
void setup_mount(void);

/** setup_modules() - loads the modules that the ports need, if the kernel has modules for them */
void setup_modules(void);

/** setup_ports() - opens what guest_result() writes to, and the ports of input and output */
void setup_ports(void);

/** setup_kernel() - settings that counting needs, the loopback interface, the machine's name */
void setup_kernel(void);

/**
 * setup_clean() - fills memory that was freed during the boot with zeros
 * A saved state does not contain pages of zeros. The kernel's code for its boot has 8 MB.
 */
void setup_clean(void);

/** network_loopback() - makes addresses such as 127.0.0.1 reachable */
void network_loopback(void);

/** network_user() - configures the interface of --net */
void network_user(void);

/** setup_report() - reports processes that the kernel has killed because memory is used up */
void setup_report(void);

/** setup_random() - chooses the random numbers of the kernel. @seed: 0 for those that it has */
void setup_random(unsigned long long seed);

/** setup_date() - sets the date, in seconds since 1970; 0 changes nothing */
void setup_date(unsigned long long date);

/** job_read() - reads RUN_JOB */
void job_read(struct job *job);

/**
 * tracepoint_number() - the number of "SUBSYSTEM/NAME" for perf
 * If the kernel has none of this name, it reports an error, with the name that is most like it.
 */
uint64_t tracepoint_number(const char *name);

/** count_open() - creates the counters of a program that is about to execute */
void count_open(const struct job *job, pid_t pid);

/** count_start() - lets counters of the whole machine count; others start when the program executes
 */
void count_start(const struct job *job);

/** struct reading - an event's count, and the time that it was enabled and was counted */
struct reading {
    uint64_t value, enabled, running;
};

/** count_is_open() - is event @i counted? */
bool count_is_open(size_t i);

/** count_read() - reads all counters. @readings: of GUEST_EVENTS_MAX */
void count_read(const struct job *job, struct reading *readings);

/** count_fds() - the descriptors of event @i, one for each CPU. Return: how many there are. */
unsigned count_fds(size_t i, const int **fds);

/** count_stop() - nothing is counted any more */
void count_stop(const struct job *job);

/** count_report() - reads all counters and adds them to the result */
void count_report(const struct job *job);

/** out_note() - notes what the paths of --out have before the program starts */
void out_note(const struct job *job);

/** out_bring() - after record_finish(), passes on what the program has made or changed there */
void out_bring(const struct job *job);

/** record_port() - opens RUN_PORT_RECORD, once */
int record_port(void);

/** record_start() - begins to pass samples on, after count_open() */
void record_start(const struct job *job);

/**
 * record_finish() - after count_stop(), passes on what is left, and the symbols of the kernel
 * Without events that count in the kernel, no sample needs these.
 */
void record_finish(const struct job *job);

/** write_all() - writes everything, unless an error prevents it */
void write_all(int fd, const void *data, size_t size);

/** read_exactly() - Return: false if the end or an error comes before */
bool read_exactly(int fd, void *data, size_t size);

/** syscalls_open() - counts system calls by number from the next execve() on, but for one process
 */
void syscalls_open(pid_t excluded);

/** syscalls_report() - adds the counts of system calls to the result */
void syscalls_report(void);

/**
 * struct child - the program
 * @go: closing it lets the program start.
 * @failed: brings errno if it could not be executed.
 * @in: the write end of its standard input, if that is live; or -1.
 * @out, @err: the read ends of its output.
 */
struct child {
    pid_t pid;
    int go;
    int failed;
    int in;
    int out, err;
};

/**
 * child_start() - forks a process that waits for child_go(), and then reads the job
 * It is forked before the machine's state is saved, so that not each run has to translate that.
 */
void child_start(struct child *child);

/** child_settle() - closes the pipes that this job does not need */
void child_settle(const struct job *job, struct child *child);

/** child_go() - lets the process execute the program. Return: 0 or errno. */
int child_go(struct child *child);

/** child_leave() - closes copies of what init has: the program would not see the end of its pipes
 */
void child_leave(const struct child *child);

/** confine_prepare() - before child_start(), for a job that learns */
void confine_prepare(void);

/** confine_self() - lets the calling process wait for its files from now on. Return: 0 or errno. */
int confine_self(void);

/** confine_listener() - what confine_self() of the other process made. Return: a descriptor or -1.
 */
int confine_listener(void);

/** confine_leave() - neither process is this one, or the job does not learn */
void confine_leave(void);

/** supply_start() - starts the process that asks for the files that the program looks for */
void supply_start(const struct child *child);

/** regions_prepare() - makes the socket of regions_start(), before the state is saved */
void regions_prepare(void);

/**
 * regions_leave() - closes what regions_prepare() has opened
 * For a process that is forked before regions_start(): its pipe would keep that process from
 * ending.
 */
void regions_leave(void);

/**
 * regions_start() - starts a process that counts the regions of the program, see vpmu_run.h
 * count_open() must have created the counters. Return: that process.
 */
pid_t regions_start(const struct job *job, const struct child *child);

/** regions_report() - ends that process, which adds the counts of regions to the result */
void regions_report(void);

/**
 * forward() - copies input and output until the program has ended
 * @input: also from vpmu-run to the program.
 *
 * Return: the status of waitpid().
 */
int forward(struct child *child, bool input);

#endif
