/* SPDX-License-Identifier: GPL-2.0-or-later */
/* vpmu-stats profile: record --exact, and then convert --to callgrind or cachegrind. */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/replacement.h"
#include "base/signals.h"
#include "cli/builtin.h"
#include "perfdata/costs.h"

#define ARGUMENTS_MAX 200
#define OUTPUT "vpmu.out"
#define FORMAT "callgrind"

/* The arguments of one of the two commands. */
struct command {
    char *argument[ARGUMENTS_MAX + 1];
    int n;
};

struct arguments {
    const char *format;
    const char *output;
    const char *vmlinux;
    bool has_kallsyms;
    bool no_calls, instructions;
    struct command record;
    struct command convert;
};

static const char usage[] =
    "Usage: vpmu-stats profile [OPTION...] [MACHINE]\n"
    "Counts how often an emulated machine executes each instruction, until Ctrl-C, and writes\n"
    "functions and source lines for callgrind_annotate, kcachegrind, cg_annotate or genhtml.\n\n"
    "      --format=FORMAT        callgrind, cachegrind or lcov (" FORMAT ")\n"
    "      --branch-sim[=yes|no]  Also count branches and mispredictions (Bc, Bcm, Bi, Bim, Br, "
    "Brm)\n"
    "      --cache-sim[=yes|no]   Also count accesses to memory and misses (Dr, Dw, I1mr, D1mr, "
    "D1mw,\n"
    "                             ILmr, DLmr, DLmw)\n"
    "      --dump-instr[=yes|no]  Write a line for each instruction, for kcachegrind's assembly "
    "code\n"
    "      --no-calls             Do not count who calls whom, which takes less time\n"
    "  -o, --output=FILE          Write to FILE (" OUTPUT ")\n\n"
    "All options of record that --exact permits are valid, such as --timeout, --kernel, "
    "--kallsyms,\n"
    "--vmlinux, --map and --symfs:\n\n"
    "    vpmu-stats profile --timeout 5000 --vmlinux firmware.elf vm.qmp\n"
    "    callgrind_annotate " OUTPUT "\n\n"
    "To keep the counts of instructions, and for flame graphs and pprof, use record --exact.\n";

static int add(struct command *c, const char *text, struct error *t)
{
    if (c->n == ARGUMENTS_MAX) {
        return error_set(t, ERROR_USAGE, "more than %d arguments", ARGUMENTS_MAX);
    }
    c->argument[c->n] = strdup(text);
    return c->argument[c->n++] ? 0 : error_memory(t);
}

/* Returns the value of an option; NULL if @argv[*i] is another one, or if there is no value. */
static const char *value_of(const char *name, const char *letter, char **argv, int *i)
{
    size_t length = strlen(name);

    if (strncmp(argv[*i], name, length) == 0 && argv[*i][length] == '=') {
        return argv[*i] + length + 1;
    }
    if (strcmp(argv[*i], name) == 0 || (letter && strcmp(argv[*i], letter) == 0)) {
        return argv[++*i];
    }
    return NULL;
}

/*
 * Adds an option that both commands have. Files of kernel modules are for convert. Return: 1 if it
 * is one, 0 if not, -1 with an error.
 */
static int take_names(struct arguments *a, char **argv, int *i, struct error *t)
{
    static const char *const names[] = {"--kallsyms", "--map", "--symfs"};

    for (size_t k = 0; k < sizeof(names) / sizeof(names[0]); k++) {
        const char *value = value_of(names[k], NULL, argv, i);

        if (value) {
            bool module = k == 1 && value[0] == '[';

            a->has_kallsyms |= k == 0;
            return (!module && (add(&a->record, names[k], t) || add(&a->record, value, t))) ||
                           add(&a->convert, names[k], t) || add(&a->convert, value, t)
                       ? -1
                       : 1;
        }
    }
    return 0;
}

/* record wants the kernel's file only to find names of threads; that of firmware has none. */
static int add_vmlinux(struct arguments *a, struct error *t)
{
    if (a->vmlinux && a->has_kallsyms &&
        (add(&a->record, "--vmlinux", t) || add(&a->record, a->vmlinux, t))) {
        return -1;
    }
    return a->vmlinux ? add(&a->convert, "--vmlinux", t) || add(&a->convert, a->vmlinux, t) : 0;
}

/* Return: 1 if it is --dump-instr, 0 if not, -1 with an error. */
static int take_instructions(struct arguments *a, const char *text, struct error *t)
{
    static const char name[] = "--dump-instr";
    size_t length = strlen(name);

    if (strncmp(text, name, length) != 0 || (text[length] && text[length] != '=')) {
        return 0;
    }
    return costs_parse_choice(text[length] ? text + length + 1 : NULL, &a->instructions)
               ? 1
               : error_set(t, ERROR_USAGE, "'%s' is neither yes nor no", text + length + 1);
}

static int take(struct arguments *a, char **argv, int *i, struct error *t)
{
    const char *value = value_of("--format", NULL, argv, i);
    int taken;

    if (value) {
        a->format = value;
        return 0;
    }
    value = argv[*i] ? value_of("--output", "-o", argv, i) : NULL;
    if (value) {
        a->output = value;
        return 0;
    }
    value = argv[*i] ? value_of("--vmlinux", NULL, argv, i) : NULL;
    if (value) {
        a->vmlinux = value;
        return 0;
    }
    if (argv[*i] && strcmp(argv[*i], "--no-calls") == 0) {
        a->no_calls = true;
        return 0;
    }
    taken = argv[*i] ? take_instructions(a, argv[*i], t) : 0;
    taken = !taken && argv[*i] ? take_names(a, argv, i, t) : taken;
    if (!argv[*i]) {
        return error_set(t, ERROR_USAGE, "the option %s needs a value", argv[*i - 1]);
    }
    return taken ? (taken < 0 ? -1 : 0) : add(&a->record, argv[*i], t);
}

static int take_all(struct arguments *a, int argc, char **argv, struct error *t)
{
    *a = (struct arguments){.format = FORMAT, .output = OUTPUT};
    if (add(&a->record, "vpmu-stats profile", t) || add(&a->record, "--exact", t) ||
        add(&a->convert, "vpmu-stats convert", t)) {
        return -1;
    }
    for (int i = 1; i < argc; i++) {
        if (take(a, argv, &i, t)) {
            return -1;
        }
    }
    if (strcmp(a->format, "callgrind") != 0 && strcmp(a->format, "cachegrind") != 0 &&
        strcmp(a->format, "lcov") != 0) {
        return error_set(t, ERROR_USAGE, "--format: '%s' is not one of callgrind, cachegrind, lcov",
                         a->format);
    }
    if (a->instructions && strcmp(a->format, "callgrind") != 0) {
        return error_set(t, ERROR_USAGE, "--format %s has no addresses for --dump-instr",
                         a->format);
    }
    if (add_vmlinux(a, t) || (a->instructions && add(&a->convert, "--dump-instr", t))) {
        return -1;
    }
    return !a->no_calls && strcmp(a->format, "callgrind") == 0 ? add(&a->record, "--calls", t) : 0;
}

/* Finds out before the machine is measured whether the output can be written. */
static int check_output(const char *path, struct error *t)
{
    struct replacement r;

    if (replacement_is_stream(path)) {
        return 0;
    }
    if (replacement_open(&r, path, false)) {
        return error_set(t, ERROR_OUTPUT, "cannot write %s: %s", *path ? path : "''",
                         strerror(errno));
    }
    close(r.fd);
    replacement_discard(&r);
    replacement_free(&r);
    return 0;
}

/* Returns the exit code. */
static int run(struct arguments *a, const char *recording, int stop_fd, struct error *t)
{
    int code;

    if (add(&a->record, "-o", t) || add(&a->record, recording, t) || add(&a->convert, "--to", t) ||
        add(&a->convert, a->format, t) || add(&a->convert, "-i", t) ||
        add(&a->convert, recording, t) || add(&a->convert, "-o", t) ||
        add(&a->convert, a->output, t)) {
        return (int)t->code;
    }
    code = builtin_record(a->record.n, a->record.argument, stop_fd);
    /* The signal that ended the recording does not end the conversion, but another one does. */
    signals_drop();
    code = code ? code : builtin_convert(a->convert.n, a->convert.argument, stop_fd);
    if (code == 0) {
        fprintf(stderr, "[ vpmu-stats profile: %s ]\n", a->output);
    }
    return code;
}

static void free_command(struct command *c)
{
    for (int i = 0; i < c->n; i++) {
        free(c->argument[i]);
    }
}

/* The recording, and the directory that it is in. A wrong option of record ends the program. */
static char directory[] = "/tmp/vpmu-stats-XXXXXX";
static char path[sizeof(directory) + 16];

static void remove_recording(void)
{
    unlink(path);
    rmdir(directory);
}

int builtin_profile(int argc, char **argv, int stop_fd)
{
    struct arguments a;
    struct error t = {0};
    int code;

    if (argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-?") == 0)) {
        fputs(usage, stdout);
        return 0;
    }
    code = take_all(&a, argc, argv, &t) || check_output(a.output, &t) ? (int)t.code : 0;
    if (!code && !mkdtemp(directory)) {
        error_set(&t, ERROR_OUTPUT, "cannot create a directory in /tmp");
        code = (int)t.code;
    }
    if (!code) {
        snprintf(path, sizeof(path), "%s/perf.data", directory);
        atexit(remove_recording);
        code = run(&a, path, stop_fd, &t);
    }
    error_print(&t);
    free_command(&a.record);
    free_command(&a.convert);
    return code;
}
