/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "options/profile-options.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "symbols/demangle.h"

enum {
    KEY_KALLSYMS = 0x300,
    KEY_MAP,
    KEY_SYMFS,
    KEY_DEBUG_DIR,
    KEY_NO_DEMANGLE,
};

const struct profile_options profile_options_default = {.input = "perf.data"};

static const struct argp_option names[] = {
    {0, 0, 0, 0, "Input and function names:", 10},
    {"kallsyms", KEY_KALLSYMS, "FILE", 0,
     "Kernel functions: the guest's /proc/kallsyms, its System.map, or the output of nm", 0},
    {"vmlinux", 'k', "ELF", 0,
     "Kernel or firmware functions from an ELF file, instead of --kallsyms", 0},
    {"map", KEY_MAP, "COMM=FILE[@BASE]", 0,
     "Functions of the program that threads named COMM run: an ELF file, loaded at BASE "
     "(hexadecimal) if it is position-independent, the output of nm, or a perf-PID.map; COMM can "
     "be "
     "the number of a process; may be repeated",
     0},
    {"symfs", KEY_SYMFS, "DIR", 0, "Functions of programs from copies of the guest's files in DIR",
     0},
    {"debug-dir", KEY_DEBUG_DIR, "DIR", 0,
     "Look for what was stripped from files in DIR before /usr/lib/debug", 0},
    {"no-demangle", KEY_NO_DEMANGLE, 0, 0,
     "Show names of functions in C++ and Rust as the files have them", 0},
    {0, 0, 0, 0, "Output:", 11},
    {"output", 'o', "FILE", 0, "Write the output to FILE", 0},
    {0},
};

static const struct argp_option input[] = {
    {"input", 'i', "FILE", 0,
     "Read a file of vpmu-stats record or perf record (perf.data); - reads the standard input", 10},
    {0},
};

static void add_map(struct profile_options *o, const char *text, struct argp_state *state)
{
    if (o->n_maps == PROGRAMS_MAX) {
        argp_error(state, "--map can be given at most %u times", PROGRAMS_MAX);
        return;
    }
    o->maps[o->n_maps++] = text;
}

static error_t parse_name(int key, char *arg, struct argp_state *state)
{
    struct profile_options *o = state->input;

    switch (key) {
    case KEY_KALLSYMS:
        o->kallsyms = arg;
        return 0;
    case 'k':
        o->vmlinux = arg;
        return 0;
    case KEY_SYMFS:
        o->symfs = arg;
        return 0;
    case KEY_DEBUG_DIR:
        o->debug_dir = arg;
        return 0;
    case KEY_MAP:
        add_map(o, arg, state);
        return 0;
    case KEY_NO_DEMANGLE:
        demangle_off();
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

const struct argp profile_names_argp = {names, parse_name, 0, 0, 0, 0, 0};

static const struct argp_child children[] = {{&profile_names_argp, 0, 0, 0}, {0}};

const struct argp profile_options_argp = {input, parse_input, 0, 0, children, 0, 0};

static int add_programs(const struct profile_options *o, struct programs *p, struct error *t)
{
    for (size_t i = 0; i < o->n_maps; i++) {
        if (programs_add(p, o->maps[i], t)) {
            return -1;
        }
    }
    return 0;
}

static bool is_same_file(const char *path, const struct stat *output)
{
    struct stat st;

    return (strcmp(path, "-") == 0 ? fstat(STDIN_FILENO, &st) : stat(path, &st)) == 0 &&
           st.st_dev == output->st_dev && st.st_ino == output->st_ino;
}

int profile_options_check_output(const struct profile_options *o, struct error *t)
{
    const char *const inputs[] = {o->input, o->kallsyms, o->vmlinux};
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
    struct programs programs = {.data = g->accesses, .debug_dir = o->debug_dir};
    int err = profile_options_check_output(o, t);

    err = err ? err : add_programs(o, &programs, t);
    g->input = o->input;
    g->kallsyms = o->kallsyms;
    g->vmlinux = o->vmlinux;
    g->programs = &programs;
    g->symfs = o->symfs;
    g->debug_dir = o->debug_dir;
    if (!err) {
        err = read_with_progress(g, stop_fd, t);
    }
    if (!err) {
        sample_input_warn(g);
    }
    programs_free(&programs);
    return err;
}
