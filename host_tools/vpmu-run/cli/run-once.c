/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/run-once.h"

#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/format.h"
#include "files/out.h"
#include "files/program.h"
#include "machine/deadline.h"
#include "machine/machine.h"
#include "machine/process.h"
#include "machine/snapshot.h"
#include "report/contents.h"
#include "report/output.h"

/* Without --memory: files may become this large, in bytes. */
#define FILES_MAX (2ull << 30)
/* The smallest machine, and what its kernel needs besides the files, in MiB. */
#define MEMORY_MIN 512u
#define MEMORY_KERNEL 256u

/* choose_memory() - the archive and the files that are unpacked from it are there at the same time
 */
unsigned run_memory(const struct run_options *o, uint64_t archive)
{
    uint64_t needed = MEMORY_KERNEL + 3 * (archive >> 20), size = MEMORY_MIN;

    if (o->memory) {
        return o->memory;
    }
    /* Few sizes: each one needs a saved state of its own. */
    while (size < needed) {
        size *= 2;
    }
    return (unsigned)size;
}

uint64_t run_space(const struct run_options *o, uint64_t size)
{
    uint64_t fits = (uint64_t)(o->emulator.memory - MEMORY_KERNEL) / 3 << 20;

    return fits > size ? fits - size : 0;
}

uint64_t run_files_max(const struct run_options *o)
{
    return o->memory ? (uint64_t)(o->memory - 192) << 19 : FILES_MAX;
}

static int execute_failed(const struct run_options *o, const struct result *r, struct failure *f)
{
    return failure_set(f, r->failed == ENOENT ? FAILURE_NOT_FOUND : FAILURE_EXECUTE,
                       "the machine cannot execute %s: %s", o->job.argv[0], strerror(r->failed));
}

/* say_end() - as perf names a signal; a process that Linux killed for want of memory needs more */
static void say_end(const struct run_options *o, const struct result *r)
{
    char *name = strdup(o->job.argv[0]);

    if (WIFSIGNALED(r->status) && name) {
        format_tame(name);
        fprintf(stderr, "%s: %s\n", name, strsignal(WTERMSIG(r->status)));
    }
    if (r->killed) {
        fprintf(stderr,
                "vpmu-run: %u process%s of the program died because the machine's %u MiB of memory "
                "are used up: raise --memory\n",
                r->killed, r->killed == 1 ? "" : "es", o->emulator.memory);
    }
    free(name);
}

/* check_counters() - an event that has no counter at times would not be counted exactly */
static int check_counters(const struct run_options *o, const struct result *r, struct failure *f)
{
    for (size_t i = 0; i < o->job.events.n; i++) {
        const struct count *c = &r->count[i];

        if (c->counted && c->running < c->enabled) {
            return failure_set(f, FAILURE_RUN,
                               "the machine's CPU has too few counters for these events: run it "
                               "twice, with some of the events each");
        }
    }
    return 0;
}

int run_machine(struct emulator *e, const struct archive *archive, struct input *in, int record,
                struct supply *supply, char **text, struct failure *f)
{
    int err = MACHINE_NOT_STARTED;

    for (unsigned turn = 0; turn < 2 && err == MACHINE_NOT_STARTED; turn++) {
        int state;
        struct machine_files fds;

        if (turn > 0) {
            snapshot_discard(e);
            *f = (struct failure){0};
        }
        state = snapshot_open(e, f);
        fds = (struct machine_files){archive->fd, state, record, supply};
        err = state < 0 ? -1 : machine_run(e, &fds, in, text, f);
        if (state >= 0) {
            close(state);
        }
    }
    return err;
}

/* run() - one machine, and its files afterwards */
static int run(struct run_options *o, struct input *in, int record, struct result *r,
               struct failure *f)
{
    struct emulator *e = &o->emulator;
    struct archive archive;
    char *text;
    int err =
        job_pack(&o->job, e->machine, in, e->random ? e->seed : 0, &archive, run_files_max(o), f);

    if (err) {
        return -1;
    }
    o->date = archive.date;
    e->memory = run_memory(o, archive.size);
    err = run_machine(e, &archive, in, record, NULL, &text, f);
    if (!o->contents) {
        char cwd[PATH_MAX];

        o->contents = contents_of(&archive, getcwd(cwd, sizeof(cwd)) ? cwd : "");
        o->environment = contents_environment(&archive);
    }
    archive_close(&archive);
    if (!err) {
        err = result_parse(r, text, o->job.events.n, f);
        free(text);
    }
    if (!err && r->failed) {
        return execute_failed(o, r, f);
    }
    return err;
}

int run_once(struct run_options *o, struct input *in, int record, struct result *r,
             struct failure *f)
{
    /* The files of --out come on the same way as samples. */
    bool own = record < 0 && o->job.outs > 0;
    int fd = own ? process_file("vpmu-run-record", f) : record;
    int err = own && fd < 0 ? -1 : run(o, in, fd, r, f);

    /* Counts are not lost because files cannot be written. */
    if (!err && o->job.outs > 0 && out_fetch(&o->job, fd, own ? &o->unfetched : f) != 0) {
        err = own ? 0 : -1;
    }
    if (own && fd >= 0) {
        close(fd);
    }
    if (!err) {
        say_end(o, r);
    }
    return err ? -1 : check_counters(o, r, f);
}

static int check_root(const struct run_options *o, struct failure *f)
{
    struct stat st;

    if (o->job.root[0] && (stat(o->job.root, &st) != 0 || !S_ISDIR(st.st_mode))) {
        return failure_set(f, FAILURE_RUN, "--root %s is not a directory", o->job.root);
    }
    return 0;
}

/* choose_machine() - without --arch, that of the program. What none executes is refused later. */
static void choose_machine(struct run_options *o)
{
    unsigned machine = o->emulator.machine;

    if (machine == EM_NONE) {
        machine = program_machine(o->job.root, o->job.argv[0]);
        o->emulator.machine = emulator_executes(machine) ? machine : emulator_own;
    }
}

/* same_output() - do standard output and standard error go to the same place? */
static bool same_output(void)
{
    struct stat out, err, null;

    return fstat(STDOUT_FILENO, &out) == 0 && fstat(STDERR_FILENO, &err) == 0 &&
           out.st_dev == err.st_dev && out.st_ino == err.st_ino &&
           !(stat("/dev/null", &null) == 0 && null.st_rdev == out.st_rdev);
}

/*
 * prepare_output() - checks it, and removes an older file: at once if the user has named it, and
 * one of the default name when everything but the run is known to be right
 */
static int prepare_output(const struct run_options *o, bool late, struct failure *f)
{
    static char *const none[] = {NULL}; /* in another root, files have other names */

    if (!o->output) {
        return 0;
    }
    if (!late && output_check(o->output, o->job.root[0] ? none : o->job.argv, f) != 0) {
        return -1;
    }
    return late == o->default_output ? output_clear(o->output, f) : 0;
}

int run_prepare(struct run_options *o, struct failure *f)
{
    char program[PATH_MAX];

    /* What is wrong with the command is said before what is wrong with this computer. */
    if ((o->timeout && deadline_set(o->timeout, f) != 0) || check_root(o, f) != 0 ||
        prepare_output(o, false, f) != 0 ||
        program_find(o->job.root, o->job.argv[0], program, f) != 0) {
        return -1;
    }
    for (size_t i = 0; i < o->n_outs; i++) {
        if (out_add(&o->job, o->outs[i], f) != 0) {
            return -1;
        }
    }
    o->job.joined = same_output();
    o->job.net = o->emulator.net;
    choose_machine(o);
    if (events_check(&o->job.events, o->emulator.machine, f) != 0) {
        return -1;
    }
    if (o->cpu && emulator_set_cpu(&o->emulator, o->cpu, f) != 0) {
        return -1;
    }
    if (emulator_find(&o->emulator, o->qemu, o->kernel, f) != 0) {
        return -1;
    }
    return prepare_output(o, true, f);
}
