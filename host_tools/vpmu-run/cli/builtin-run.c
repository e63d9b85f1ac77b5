/* SPDX-License-Identifier: GPL-2.0-or-later */
/* vpmu-run COMMAND: runs it, once or more often, and writes the report. */
#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/builtin.h"
#include "files/program.h"
#include "machine/machine.h"
#include "report/report.h"
#include "cli/run-options.h"
#include "machine/snapshot.h"

/* Without --memory: files may become this large, in bytes. */
#define FILES_MAX (2ull << 30)
/* The smallest machine, and what its kernel needs besides the files, in MiB. */
#define MEMORY_MIN 512u
#define MEMORY_KERNEL 256u

/* choose_memory() - the archive and the files that are unpacked from it are there at the same time
 */
static unsigned choose_memory(const struct run_options *o, uint64_t archive)
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

static uint64_t files_max(const struct run_options *o)
{
    return o->memory ? (uint64_t)(o->memory - 192) << 19 : FILES_MAX;
}

static int execute_failed(const struct run_options *o, const struct result *r, struct failure *f)
{
    return failure_set(f, r->failed == ENOENT ? FAILURE_NOT_FOUND : FAILURE_EXECUTE,
                       "the machine cannot execute %s: %s", o->job.argv[0], strerror(r->failed));
}

static int run_once(struct run_options *o, const struct input *in, struct result *r,
                    struct failure *f)
{
    struct emulator *e = &o->emulator;
    struct archive archive;
    char *text;
    int state,
        err = job_pack(&o->job, e->machine, in, e->random ? e->seed : 0, &archive, files_max(o), f);

    if (err) {
        return -1;
    }
    e->memory = choose_memory(o, archive.size);
    state = snapshot_open(e, f);
    err = state < 0 ? -1 : machine_run(e, archive.fd, state, in->live, o->timeout, &text, f);
    if (state >= 0) {
        close(state);
    }
    archive_close(&archive);
    if (!err) {
        err = result_parse(r, text, o->job.events.n, f);
        free(text);
    }
    return !err && r->failed ? execute_failed(o, r, f) : err;
}

static int run_all(struct run_options *o, struct result *results, struct failure *f)
{
    struct input in;
    unsigned long long seed = o->emulator.seed;
    int err = input_open(&in, files_max(o), o->live, f);

    for (unsigned i = 0; !err && i < o->runs; i++) {
        o->emulator.seed = o->vary ? seed + i : seed;
        err = run_once(o, &in, &results[i], f);
    }
    o->emulator.seed = seed;
    input_close(&in);
    return err;
}

/* mark_machine() - says in the report that it is not about the program alone */
static void mark_machine(struct json_object *report)
{
    struct json_object *machine;

    if (json_object_object_get_ex(report, "machine", &machine)) {
        json_object_object_add(machine, "scope", json_object_new_string("machine"));
    }
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

int builtin_run(int argc, char **argv)
{
    static struct run_options o;
    struct failure f = {0};
    struct json_object *report;
    struct result *results;
    int err;

    run_options_parse(&o, argc, argv);
    results = calloc(o.runs, sizeof(*results));
    if (!results) {
        failure_memory(&f);
        return failure_print(&f);
    }
    err = check_root(&o, &f);
    choose_machine(&o);
    err = err ? err : emulator_find(&o.emulator, o.qemu, o.kernel, &f);
    if (!err) {
        err = run_all(&o, results, &f);
    }
    if (!err) {
        report = report_new(o.job.argv, &o.emulator, &o.job.events, results, o.runs);
        if (o.job.machine) {
            mark_machine(report);
        }
        err = format_write(report, o.format, o.output, stderr, &f);
        json_object_put(report);
    }
    err = err ? failure_print(&f) : result_exit_status(&results[o.runs - 1]);
    for (unsigned i = 0; i < o.runs; i++) {
        result_free(&results[i]);
    }
    free(results);
    return err;
}
