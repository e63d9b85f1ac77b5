/* SPDX-License-Identifier: GPL-2.0-or-later */
/* vpmu-stats annotate: shows the instructions of a function with their samples. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "export/annotate-lines.h"
#include "profile/annotate.h"
#include "cli/builtin.h"
#include "base/number.h"
#include "session/options.h"
#include "options/profile-options.h"

#define DEFAULT_FUNCTIONS 3
/* The default for files of callgrind and cachegrind. */
#define DEFAULT_FUNCTIONS_OF_LINES 20
#define MAX_FUNCTIONS 1000000000

enum {
    KEY_OBJDUMP = 0x200,
    KEY_STDIO,
    KEY_INCLUSIVE,
};

struct annotate_options {
    struct profile_options common;
    struct annotate what;
    const char **symbol;
    size_t symbols;
    bool inclusive;
    enum out_kind kind;
    const char *separator;
};

static const struct argp_option table[] = {
    {"limit", 'n', "N", 0,
     "Show the N functions with the most samples of each event (3; of a file with source lines 20, "
     "and all with -j and -x)",
     1},
    {"symbol", 's', "FUNCTION", 0, "Show only this function, as an argument does; can be repeated",
     1},
    {"source", 'S', 0, 0, "Include source lines, if the file has debug information", 1},
    {"inclusive", KEY_INCLUSIVE, 0, 0,
     "Of a file with calls, show what each function costs with all that it calls, in all columns",
     1},
    {"stdio", KEY_STDIO, 0, 0, "Accepted for compatibility with perf: the output is always text",
     1},
    {"objdump", KEY_OBJDUMP, "PROGRAM", 0, "Disassemble with PROGRAM instead of libcapstone", 1},
    {"json", 'j', 0, 0, "Print one JSON object per line; vpmu-stats(1) lists the members", 12},
    {"field-separator", 'x', "SEP", 0, "Print only values, separated by SEP", 12},
    {0},
};

static void take_limit(struct annotate_options *o, const char *text, struct argp_state *state)
{
    long limit;

    if (!number_parse(text, 1, MAX_FUNCTIONS, &limit)) {
        argp_error(state, "'%s' is not a number of functions, 1 or more", text);
    }
    o->what.limit = (size_t)limit;
}

static void take_symbol(struct annotate_options *o, const char *name, struct argp_state *state)
{
    const char **more = reallocarray(o->symbol, o->symbols + 1, sizeof(*more));

    if (!more) {
        argp_failure(state, argp_err_exit_status, errno, "-s %s", name);
        return;
    }
    more[o->symbols++] = name;
    o->symbol = more;
    o->what.symbols = (const char *const *)more;
    o->what.n = o->symbols;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct annotate_options *o = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &o->common;
        return 0;
    case 'n':
        take_limit(o, arg, state);
        return 0;
    case 's':
        take_symbol(o, arg, state);
        return 0;
    case 'S':
        o->what.source = true;
        return 0;
    case KEY_INCLUSIVE:
        o->inclusive = true;
        return 0;
    case KEY_STDIO:
        return 0;
    case KEY_OBJDUMP:
        o->what.objdump = arg;
        return 0;
    case ARGP_KEY_ARGS:
        if (o->symbol) {
            argp_error(state, "-s excludes functions as arguments");
        }
        o->what.symbols = (const char *const *)(state->argv + state->next);
        o->what.n = (size_t)(state->argc - state->next);
        return 0;
    default:
        return options_take_kind(key, arg, state, &o->kind, &o->separator);
    }
}

static const struct argp_child children[] = {{&profile_options_argp, 0, 0, 0}, {0}};

static const struct argp argp = {
    table,
    parse,
    "[FUNCTION...]",
    "Shows the instructions of a function with their shares of the samples, as perf annotate "
    "--stdio does. Without FUNCTION, shows the functions with the most samples. Of a file of "
    "callgrind or cachegrind, shows functions, and then the source with what each line cost.\v"
    "Show what each line of a program cost:\n\n"
    "    vpmu-run profile ./bench && vpmu-stats annotate -i vpmu.out\n\n"
    "Annotate firmware or another ELF file:\n\n"
    "    vpmu-stats record -e cache-misses -c 1000 vm\n"
    "    vpmu-stats annotate --vmlinux firmware.elf\n\n"
    "Annotate a program in the guest, with its source:\n\n"
    "    vpmu-stats annotate -S --map sh=busybox.debug@0xaaaab0000000 main\n\n"
    "The address of a sample is that of the instruction after the one that ended the period.",
    children,
    0,
    0,
};

/* When a file was written. A profile from a pipe is taken to be new. */
static time_t time_of(const char *path)
{
    struct stat status;

    return path && strcmp(path, "-") != 0 && stat(path, &status) == 0 && S_ISREG(status.st_mode)
               ? status.st_mtime
               : 0;
}

static int print(const struct annotate_options *o, bool lines, struct profile *p, struct error *t)
{
    const struct annotate_lines of_lines = {o->what.symbols, o->what.n, o->what.limit, o->inclusive,
                                            time_of(o->common.input)};
    struct out out = {.kind = o->kind, .separator = o->separator};

    return out_open(&out, o->common.output, false, OUT_COLOR_NEVER, t)
               ? -1
               : out_end(&out,
                         lines ? annotate_lines_print(&of_lines, p, &out, t)
                               : annotate_print(&o->what, p, &out, t),
                         t);
}

int builtin_annotate(int argc, char **argv, int stop_fd)
{
    struct annotate_options o = {.common = profile_options_default};
    struct profile p = {0};
    struct sample_input g = {.key = annotate_key,
                             .line_key = annotate_line_key,
                             .call_line = annotate_call_line,
                             .profile = &p};
    struct error t = {0};

    argp_parse(&argp, argc, argv, 0, NULL, &o);
    if (profile_options_read_input(&o.common, &g, stop_fd, &t) == 0) {
        if (!o.what.limit) {
            o.what.limit = !g.has_lines         ? DEFAULT_FUNCTIONS
                           : o.kind == OUT_TEXT ? DEFAULT_FUNCTIONS_OF_LINES
                                                : MAX_FUNCTIONS;
        }
        print(&o, g.has_lines, &p, &t);
    }
    profile_free(&p);
    free(o.symbol);
    error_print(&t);
    return (int)t.code;
}
