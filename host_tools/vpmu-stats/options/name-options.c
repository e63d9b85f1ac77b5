/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "options/name-options.h"

#include "symbols/demangle.h"

enum {
    KEY_KALLSYMS = 0x300,
    KEY_MAP,
    KEY_SYMFS,
    KEY_DEBUG_DIR,
    KEY_NO_DEMANGLE,
};

static const struct argp_option table[] = {
    {"kallsyms", KEY_KALLSYMS, "FILE", 0,
     "Kernel functions: the guest's /proc/kallsyms, its System.map, or the output of nm", 0},
    {"vmlinux", 'k', "ELF", 0,
     "Kernel or firmware functions from an ELF file, instead of --kallsyms", 0},
    {"map", KEY_MAP, "COMM=FILE[@BASE]", 0,
     "Functions of the program that threads named COMM run: an ELF file, loaded at BASE "
     "(hexadecimal) if it is position-independent, the output of nm, or a perf-PID.map; COMM can "
     "be the number of a process, or [NAME] for the file of a kernel module; may be repeated",
     0},
    {"symfs", KEY_SYMFS, "DIR", 0, "Functions of programs from copies of the guest's files in DIR",
     0},
    {"debug-dir", KEY_DEBUG_DIR, "DIR", 0,
     "Look for what was stripped from files in DIR before /usr/lib/debug", 0},
    {"no-demangle", KEY_NO_DEMANGLE, 0, 0,
     "Show names of functions in C++ and Rust as the files have them", 0},
    {0},
};

static void add_map(struct name_options *o, const char *text, struct argp_state *state)
{
    if (o->n_maps == PROGRAMS_MAX) {
        argp_error(state, "--map can be given at most %u times", PROGRAMS_MAX);
        return;
    }
    o->maps[o->n_maps++] = text;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct name_options *o = state->input;

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
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

const struct argp name_options_argp = {table, parse, 0, 0, 0, 0, 0};

int name_options_programs(const struct name_options *o, struct programs *p, struct error *t)
{
    p->debug_dir = o->debug_dir;
    for (size_t i = 0; i < o->n_maps; i++) {
        if (programs_add(p, o->maps[i], t)) {
            return -1;
        }
    }
    return 0;
}
