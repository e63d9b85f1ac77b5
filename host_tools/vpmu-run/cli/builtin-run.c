/* SPDX-License-Identifier: GPL-2.0-or-later */
/* vpmu-run COMMAND: runs it, once or more often, and writes the report. */
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "cli/builtin.h"
#include "cli/learn.h"
#include "cli/run-once.h"
#include "report/report.h"

static int run_all(struct run_options *o, struct input *in, struct result *results,
                   struct failure *f)
{
    unsigned long long seed = o->emulator.seed;
    int err = input_open(in, run_files_max(o), o->live, f);

    if (!err) {
        err = learn(o, in, f);
    }
    if (!err && o->list_files) {
        learned_print(&o->learned, stdout);
        return 0;
    }
    for (unsigned i = 0; !err && i < o->runs; i++) {
        o->emulator.seed = o->vary ? seed + i : seed;
        err = run_once(o, in, -1, &results[i], f);
    }
    o->emulator.seed = seed;
    input_close(in);
    return err;
}

/* mark() - says in the report what options, directory, dates of files and the output change */
static void mark(struct json_object *report, const struct run_options *o)
{
    const struct job *job = &o->job;
    const time_t date = o->date;
    struct json_object *machine;
    char day[sizeof("2025-01-01")], cwd[PATH_MAX] = "/";

    if (!json_object_object_get_ex(report, "machine", &machine)) {
        return;
    }
    strftime(day, sizeof(day), "%Y-%m-%d", gmtime(&date));
    json_object_object_add(machine, "date", json_object_new_string(day));
    if (job->root[0] || getcwd(cwd, sizeof(cwd))) {
        json_object_object_add(machine, "directory", report_text(cwd));
    }
    if (job->machine) {
        json_object_object_add(machine, "scope", json_object_new_string("machine"));
    }
    if (job->syscalls) {
        json_object_object_add(machine, "syscalls", json_object_new_string("by number"));
    }
    if (job->outs > 0) {
        json_object_object_add(machine, "out", json_object_new_int64((int64_t)job->outs));
    }
    if (job->joined) {
        json_object_object_add(machine, "output", json_object_new_string("joined"));
    }
}

/* add_files() - lists the files that are copied though nobody named them */
static void add_files(struct json_object *report, const struct learned *l)
{
    struct json_object *files = json_object_new_array();

    for (size_t i = 0; i < l->n; i++) {
        if (l->entry[i]->kind == LEARNED_FILE) {
            json_object_array_add(files, report_text(l->entry[i]->path));
        }
    }
    if (json_object_array_length(files) > 0) {
        json_object_object_add(report, "files", json_object_get(files));
    }
    json_object_put(files);
}

int builtin_run(int argc, char **argv)
{
    static struct run_options o;
    struct failure f = {0};
    struct json_object *report;
    struct result *results;
    struct input in;
    int err;

    run_options_parse(&o, argc, argv);
    results = calloc(o.runs, sizeof(*results));
    if (!results) {
        failure_memory(&f);
        return failure_print(&f);
    }
    err = run_prepare(&o, &f);
    if (!err) {
        err = run_all(&o, &in, results, &f);
    }
    if (!err && !o.list_files) {
        report = report_new(o.job.argv, &o.emulator, &in, &o.job.events, results, o.runs);
        mark(report, &o);
        add_files(report, &o.learned);
        json_object_object_add(report, "environment", json_object_get(o.environment));
        json_object_object_add(report, "contents", json_object_get(o.contents));
        err = format_write(&report, 1, o.format, o.output, stderr, &f);
        json_object_put(report);
    }
    if (!err && o.unfetched.status != FAILURE_NONE) {
        f = o.unfetched;
        err = -1;
    }
    err = err            ? failure_print(&f)
          : o.list_files ? 0
                         : result_exit_status(result_worst(results, o.runs));
    for (unsigned i = 0; i < o.runs; i++) {
        result_free(&results[i]);
    }
    free(results);
    json_object_put(o.contents);
    json_object_put(o.environment);
    return err;
}
