/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "options/profile-options.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const struct profile_options profile_options_default = {.input = "perf.data"};

static const struct argp_option output_option[] = {
    {0, 0, 0, 0, "Output:", 11},
    {"output", 'o', "FILE", 0, "Write the output to FILE", 0},
    {0},
};

static const struct argp_option input[] = {
    {"input", 'i', "FILE", 0,
     "Read a file of vpmu-stats record or perf record (perf.data); - reads the standard input", 10},
    {0},
};

static error_t parse_output(int key, char *arg, struct argp_state *state)
{
    struct profile_options *o = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &o->names;
        return 0;
    case 'o':
        o->output = strcmp(arg, "-") == 0 ? NULL : arg;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static error_t parse_input(int key, char *arg, struct argp_state *state)
{
    struct profile_options *o = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = o;
        return 0;
    case 'i':
        o->input = arg;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_child names[] = {{&name_options_argp, 0, "Function names:", 10}, {0}};

const struct argp profile_names_argp = {output_option, parse_output, 0, 0, names, 0, 0};

static const struct argp_child children[] = {{&profile_names_argp, 0, 0, 0}, {0}};

const struct argp profile_options_argp = {input, parse_input, 0, 0, children, 0, 0};

static bool is_same_file(const char *path, const struct stat *output)
{
    struct stat st;

    return (strcmp(path, "-") == 0 ? fstat(STDIN_FILENO, &st) : stat(path, &st)) == 0 &&
           st.st_dev == output->st_dev && st.st_ino == output->st_ino;
}

int profile_options_check_output(const struct profile_options *o, struct error *t)
{
    const char *const inputs[] = {o->input, o->names.kallsyms, o->names.vmlinux};
    struct stat st;

    if (!o->output || stat(o->output, &st) || !S_ISREG(st.st_mode)) {
        return 0;
    }
    for (size_t i = 0; i < sizeof(inputs) / sizeof(inputs[0]); i++) {
        if (inputs[i] && is_same_file(inputs[i], &st)) {
            return error_set(t, ERROR_USAGE, "cannot write %s: it is the input", o->output);
        }
    }
    return 0;
}

/* A command that takes samples one by one can print them meanwhile. */
static int read_with_progress(struct sample_input *g, int stop_fd, struct error *t)
{
    struct progress progress = {0};
    char what[64];
    int err;

    snprintf(what, sizeof(what), "reading %s",
             strcmp(g->input, "-") == 0 ? "the standard input" : g->input);
    if (!g->each || !isatty(STDOUT_FILENO)) {
        progress_start(&progress, what);
        g->progress = &progress;
    }
    err = sample_input_read(g, stop_fd, t);
    progress_stop(&progress);
    g->progress = NULL;
    return err;
}

int profile_options_read_input(const struct profile_options *o, struct sample_input *g, int stop_fd,
                               struct error *t)
{
    struct programs programs = {.data = g->accesses};
    int err = profile_options_check_output(o, t);

    err = err ? err : name_options_programs(&o->names, &programs, t);
    g->input = o->input;
    g->kallsyms = o->names.kallsyms;
    g->vmlinux = o->names.vmlinux;
    g->programs = &programs;
    g->symfs = o->names.symfs;
    g->debug_dir = o->names.debug_dir;
    if (!err) {
        err = read_with_progress(g, stop_fd, t);
    }
    if (!err) {
        sample_input_warn(g);
    }
    programs_free(&programs);
    return err;
}
