/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_RUN_JOB_H
#define VPMU_RUN_JOB_H

#include <stdbool.h>

#include "files/archive.h"
#include "report/events.h"
#include "files/input.h"
#include "protocol.h"

struct learned;

/** struct job_out - what the program writes at @path of the machine goes to @host here */
struct job_out {
    char *path, *host;
};

#define JOB_ENV_MAX 256u
#define JOB_COPIES_MAX 256u

/**
 * struct job - what to run
 * @root: directory of this computer that is "/" for the program; "" for this computer's own.
 * @argv: of the program, NULL at the end.
 * @env: "NAME=VALUE" or "NAME", which is passed on; @all_env: everything is passed on.
 * @machine: count everything that the machine does, not only the program.
 * @joined: standard output and standard error are the same file, so that their order counts.
 * @syscalls: also count system calls by number.
 * @net: the machine has a network.
 * @learned: the files that the program looked for before; NULL if there are none.
 * @learn: only find out which files the program looks for: nothing is counted.
 * @record: sample the events, each @period events or @frequency times a second. With each sample
 *     comes this many bytes of the program's stack, and the registers of a mask.
 * @copies: more files; @programs: more programs, with their libraries; @binds: SOURCE:PATH, files
 *          that have another path in the machine.
 * @out: @outs paths of --out, see out_add().
 */
struct job {
    const char *root;
    char **argv;
    const char *env[JOB_ENV_MAX], *copies[JOB_COPIES_MAX], *programs[JOB_COPIES_MAX],
        *binds[JOB_COPIES_MAX];
    size_t n_env, n_copies, n_programs, n_binds;
    bool all_env, machine, syscalls, joined, learn, net;
    const struct learned *learned;
    struct job_out out[RUN_OUTS_MAX];
    size_t outs;
    struct {
        bool on, chains, branches;
        unsigned long long period, frequency, registers;
        unsigned stack;
    } record;
    struct events events;
};

/**
 * job_pack() - makes the archive of the machine's files
 * @machine: e_machine.
 * @seed: other than 0: choose the layout of the program's memory with it.
 * @archive: archive_close() is needed after 0.
 * @limit: of its size, in bytes.
 */
int job_pack(const struct job *job, unsigned machine, const struct input *in,
             unsigned long long seed, struct archive *archive, uint64_t limit, struct failure *f);

struct tree_bind;

/**
 * job_read_binds() - reads the arguments of --bind
 * @binds: of JOB_COPIES_MAX. bind_free() is needed for each.
 *
 * Return: how many there are; fewer than @job has with an error.
 */
size_t job_read_binds(const struct job *job, struct tree_bind *binds, struct failure *f);

/**
 * job_where() - where this computer has, or would have, a file of the machine
 * @host: of PATH_MAX bytes.
 *
 * Return: 0, or -1 if that is nowhere.
 */
int job_where(const struct job *job, const char *path, char *host);

/**
 * job_host_path() - where this computer has a file of the machine
 * @path: absolute.
 * @host: of PATH_MAX bytes.
 *
 * Return: false if it has no such file.
 */
bool job_host_path(const struct job *job, const char *path, char *host);

#endif
