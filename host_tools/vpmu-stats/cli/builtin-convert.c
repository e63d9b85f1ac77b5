/* SPDX-License-Identifier: GPL-2.0-or-later */
/* vpmu-stats convert: converts a recording for programs that display it. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/builtin.h"
#include "export/branch-profile.h"
#include "export/callgrind.h"
#include "export/flamegraph.h"
#include "export/folded.h"
#include "export/html.h"
#include "export/kallsyms-file.h"
#include "export/lcov.h"
#include "base/number.h"
#include "base/out.h"
#include "export/pprof.h"
#include "options/profile-options.h"
#include "perfdata/costs.h"
#include "perfdata/perfdata.h"
#include "profile/stacks.h"
#include "export/timeline.h"

enum {
    KEY_TO = 0x200,
    KEY_EVENT,
    KEY_WORLDS,
    KEY_SAMPLES,
    KEY_ADDRESSES,
    KEY_PERCENT_LIMIT,
    KEY_INLINE,
    KEY_NO_INLINE,
    KEY_DSO,
    KEY_COMMAND,
    KEY_DUMP_INSTR,
};

enum format {
    FORMAT_NONE,
    FORMAT_FOLDED,
    FORMAT_PPROF,
    FORMAT_FLAMEGRAPH,
    FORMAT_FXT,
    FORMAT_HTML,
    FORMAT_KALLSYMS,
    FORMAT_BOLT,
    FORMAT_AUTOFDO,
    FORMAT_CALLGRIND,
    FORMAT_CACHEGRIND,
    FORMAT_LCOV,
};

struct convert_options {
    struct profile_options common;
    enum format to;
    const char *event;
    bool samples;
    double percent_limit;
    bool no_inline;
    bool branches;
    const char *dso;
    struct stacks_options stacks;
    struct callgrind callgrind;
    char program[64];
};

static const struct argp_option table[] = {
    {"to", KEY_TO, "FORMAT", 0,
     "folded (one line per stack), pprof (gzipped profile.proto), flamegraph (SVG), fxt (timeline "
     "for Perfetto), html (a page with flame graph, functions, timeline and instructions), "
     "kallsyms (kernel functions for perf report --kallsyms), callgrind (functions and lines, for "
     "callgrind_annotate and kcachegrind), cachegrind (for cg_annotate); of record --exact: lcov "
     "(how often each line was executed, for genhtml); of record -b: bolt (for perf2bolt -pa) or "
     "autofdo (for create_llvm_prof with --profiler=text)",
     1},
    {"branch-stack", 'b', 0, 0,
     "folded: convert branches, as edges between two functions, instead of call chains", 1},
    {"command", KEY_COMMAND, "TEXT", 0,
     "callgrind, cachegrind: the command line that the file names. folded, pprof, flamegraph: its "
     "program stands for all threads",
     1},
    {"dump-instr", KEY_DUMP_INSTR, "yes|no", OPTION_ARG_OPTIONAL,
     "callgrind: write a line for each instruction, with its address, for kcachegrind's assembly "
     "code",
     1},
    {"dso", KEY_DSO, "FILE", 0,
     "bolt, autofdo: the program's file, if the recording has branches of several", 1},
    {"event", KEY_EVENT, "NAME", 0,
     "Convert this event instead of the first; fxt always has all events", 1},
    {"worlds", KEY_WORLDS, 0, 0,
     "Start each stack with the host, its hypervisor, or the guest that ran", 1},
    {"samples", KEY_SAMPLES, 0, 0, "Count samples instead of events", 1},
    {"addresses", KEY_ADDRESSES, 0, 0, "Show addresses of code that belongs to no known function",
     1},
    {"percent-limit", KEY_PERCENT_LIMIT, "PERCENT", 0,
     "flamegraph: omit frames with less than PERCENT of the total", 1},
    {"inline", KEY_INLINE, 0, 0,
     "Show inlined functions in stacks, if a file has debug information (the default)", 1},
    {"no-inline", KEY_NO_INLINE, 0, 0, "Do not show inlined functions", 1},
    {0},
};

static enum format take_format(struct argp_state *state, const char *text)
{
    static const char *const names[] = {[FORMAT_FOLDED] = "folded",
                                        [FORMAT_PPROF] = "pprof",
                                        [FORMAT_FLAMEGRAPH] = "flamegraph",
                                        [FORMAT_FXT] = "fxt",
                                        [FORMAT_HTML] = "html",
                                        [FORMAT_KALLSYMS] = "kallsyms",
                                        [FORMAT_BOLT] = "bolt",
                                        [FORMAT_AUTOFDO] = "autofdo",
                                        [FORMAT_CALLGRIND] = "callgrind",
                                        [FORMAT_CACHEGRIND] = "cachegrind",
                                        [FORMAT_LCOV] = "lcov"};

    for (enum format f = FORMAT_FOLDED; f <= FORMAT_LCOV; f++) {
        if (strcmp(text, names[f]) == 0) {
            return f;
        }
    }
    argp_error(state,
               "--to: '%s' is not one of folded, pprof, flamegraph, fxt, html, kallsyms, bolt, "
               "autofdo, callgrind, cachegrind, lcov",
               text);
    return FORMAT_NONE;
}

/* The file name in the first word of a command line. */
static void take_program(struct convert_options *o, const char *command)
{
    size_t length = strcspn(command, " ");
    const char *slash = memrchr(command, '/', length);
    const char *name = slash ? slash + 1 : command;

    snprintf(o->program, sizeof(o->program), "%.*s", (int)(command + length - name), name);
    o->stacks.program = o->program;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct convert_options *o = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &o->common;
        return 0;
    case KEY_TO:
        o->to = take_format(state, arg);
        return 0;
    case KEY_EVENT:
        o->event = arg;
        return 0;
    case KEY_WORLDS:
        o->stacks.worlds = true;
        return 0;
    case KEY_SAMPLES:
        o->samples = true;
        return 0;
    case KEY_ADDRESSES:
        o->stacks.addresses = true;
        return 0;
    case KEY_PERCENT_LIMIT:
        if (!number_parse_percent(arg, &o->percent_limit)) {
            argp_error(state, "'%s' is not a percentage, 0 or more", arg);
        }
        return 0;
    case 'b':
        o->branches = true;
        return 0;
    case KEY_COMMAND:
        o->callgrind.command = arg;
        take_program(o, arg);
        return 0;
    case KEY_DUMP_INSTR:
        if (!costs_parse_choice(arg, &o->callgrind.instructions)) {
            argp_error(state, "'%s' is neither yes nor no", arg);
        }
        return 0;
    case KEY_DSO:
        o->dso = arg;
        return 0;
    case KEY_INLINE:
    case KEY_NO_INLINE:
        o->no_inline = key == KEY_NO_INLINE;
        return 0;
    case ARGP_KEY_END:
        if (o->to == FORMAT_NONE) {
            argp_error(state, "--to is missing: folded, pprof, flamegraph, fxt, html, kallsyms, "
                              "bolt, autofdo, callgrind, cachegrind or lcov");
        }
        if (o->callgrind.instructions && o->to != FORMAT_CALLGRIND) {
            argp_error(state, "only --to callgrind has addresses for --dump-instr");
        }
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_child children[] = {{&profile_options_argp, 0, 0, 0}, {0}};

static const struct argp argp = {
    table,
    parse,
    0,
    "Converts a file of vpmu-stats record or perf record to the format of another program. The "
    "same input always gives the same output.\v"
    "A flame graph for a browser:\n\n"
    "    vpmu-stats convert --to flamegraph -o guest.svg\n\n"
    "Stacks for FlameGraph or speedscope, including the machine's own guests:\n\n"
    "    vpmu-stats convert --to folded --worlds\n\n"
    "A profile for pprof:\n\n"
    "    vpmu-stats convert --to pprof -o guest.pb.gz\n"
    "    pprof -tagroot world,comm -http : guest.pb.gz\n\n"
    "A page for a browser, which needs no other file:\n\n"
    "    vpmu-stats convert --to html -o guest.html\n\n"
    "A timeline of each vCPU for ui.perfetto.dev:\n\n"
    "    vpmu-stats convert --to fxt -o guest.fxt\n\n"
    "Branches of a program, for BOLT:\n\n"
    "    vpmu-stats convert --to bolt --symfs files -o program.branches\n"
    "    perf2bolt -pa -p program.branches -o program.fdata program\n\n"
    "Functions and source lines, for valgrind's programs:\n\n"
    "    vpmu-stats convert --to callgrind -o callgrind.out && callgrind_annotate callgrind.out\n\n"
    "Coverage of source lines, from a program that was compiled with -g only:\n\n"
    "    vpmu-run profile --format lcov -o bench.info ./bench && genhtml -o html bench.info\n\n"
    "The kernel functions in the file, for perf:\n\n"
    "    vpmu-stats convert --to kallsyms -o perf.kallsyms\n"
    "    perf report --kallsyms perf.kallsyms",
    children,
    0,
    0,
};

/*
 * Finds the index of the event named @name. Without a name it selects the first event, and prints a
 * note if there are others.
 */
static int choose(const struct profile *p, const char *name, unsigned *event, struct error *t)
{
    for (*event = 0; name && *event < p->events; ++*event) {
        if (strcmp(p->event[*event].name, name) == 0) {
            return 0;
        }
    }
    if (name) {
        return error_set(t, ERROR_USAGE,
                         "no event '%s' in the file; the first of its %zu events is '%s'", name,
                         p->events, p->event[0].name);
    }
    if (p->events > 1 && strcmp(p->event[1].name, PERFDATA_CALLS) != 0 &&
        !costs_name(p->event[1].name)) {
        struct error note;

        error_set(&note, ERROR_USAGE,
                  "converting '%s', the first of %zu events; --event selects another",
                  p->event[0].name, p->events);
        error_print(&note);
    }
    return 0;
}

static int write_to(const struct convert_options *o, struct profile *p, unsigned event, FILE *file,
                    struct error *t)
{
    switch (o->to) {
    case FORMAT_PPROF:
        profile_sort_by_key(p);
        return pprof_write(p, event, file, t);
    case FORMAT_CALLGRIND:
    case FORMAT_CACHEGRIND:
        return callgrind_write(&o->callgrind, p, event, file, t);
    case FORMAT_LCOV:
        return lcov_write(p, event, o->common.names.debug_dir, file, t);
    case FORMAT_FLAMEGRAPH:
        profile_sort_by_key(p);
        return flamegraph_write(p, event, o->samples, o->percent_limit, file, t);
    default:
        return folded_write(p, event, o->samples, file, t);
    }
}

static int check_branches(const struct convert_options *o, const struct sample_input *g,
                          struct error *t)
{
    return o->branches && !g->branched
               ? error_set(t, ERROR_USAGE, "%s has no branches: record with -b", g->input)
               : 0;
}

static int check_exact(const struct profile *p, unsigned event, struct error *t)
{
    const struct profile_event *e = &p->event[event];

    return e->each && costs_is_instructions(e->name)
               ? 0
               : error_set(t, ERROR_USAGE,
                           "lcov needs every execution of each instruction, not samples of '%s': "
                           "record --exact",
                           e->name);
}

/* Sums up all samples and then writes the result. */
static void convert_sums(struct convert_options *o, int stop_fd, struct error *t)
{
    struct profile p = {0};
    bool lcov = o->to == FORMAT_LCOV;
    bool lines = lcov || o->to == FORMAT_CALLGRIND || o->to == FORMAT_CACHEGRIND;
    struct sample_input g = {.key = lcov          ? lcov_key
                                    : lines       ? callgrind_key
                                    : o->branches ? stacks_edge_key
                                                  : stacks_key,
                             .branches = o->branches,
                             .opaque = lines ? (const void *)&o->callgrind : &o->stacks,
                             .no_inline = o->no_inline || lines,
                             .profile = &p};
    struct out out = {0};
    unsigned event;

    o->stacks.worlds |= o->to == FORMAT_PPROF;
    o->callgrind.cachegrind = o->to == FORMAT_CACHEGRIND;
    if (profile_options_read_input(&o->common, &g, stop_fd, t) == 0 &&
        choose(&p, o->event, &event, t) == 0 && check_branches(o, &g, t) == 0 &&
        (!lcov || check_exact(&p, event, t) == 0) &&
        out_open(&out, o->common.output, false, OUT_COLOR_NEVER, t) == 0) {
        out_end(&out, write_to(o, &p, event, out.text, t), t);
    }
    profile_free(&p);
}

/* Writes each sample when it is read. */
static void convert_samples(const struct convert_options *o, int stop_fd, struct error *t)
{
    struct profile p = {0};
    struct timeline l = {.texts = &p.texts};
    struct sample_input g = {.each = timeline_sample, .sink = &l, .profile = &p};
    struct out out = {0};

    if (out_open(&out, o->common.output, false, OUT_COLOR_NEVER, t) == 0) {
        l.fxt.file = out.text;
        timeline_begin(&l);
        out_end(&out,
                profile_options_read_input(&o->common, &g, stop_fd, t) ? -1 : timeline_end(&l, t),
                t);
    }
    timeline_free(&l);
    profile_free(&p);
}

/* Samples of one event are summed up in several ways. */
static void convert_page(const struct convert_options *o, int stop_fd, struct error *t)
{
    struct profile p = {0};
    struct html h = {.event = o->event, .stacks = o->stacks};
    struct sample_input g = {.each = html_sample,
                             .sink = &h,
                             .opaque = &h.stacks,
                             .no_inline = o->no_inline,
                             .profile = &p};
    struct out out = {0};
    unsigned event;

    if (profile_options_read_input(&o->common, &g, stop_fd, t) == 0 &&
        choose(&p, o->event, &event, t) == 0 &&
        out_open(&out, o->common.output, false, OUT_COLOR_NEVER, t) == 0) {
        out_end(&out, html_write(&h, &p, event, out.text, t), t);
    }
    html_free(&h);
    profile_free(&p);
}

static int write_branches(const struct convert_options *o, const struct branch_profile *b,
                          const struct profile *p, FILE *file, struct error *t)
{
    if (o->to == FORMAT_AUTOFDO) {
        return branch_profile_autofdo(b, p, file, t);
    }
    branch_profile_bolt(b, p, file);
    return 0;
}

/* Sums up branches of one program, for tools that optimise it. */
static void convert_branches(const struct convert_options *o, int stop_fd, struct error *t)
{
    struct profile p = {0};
    struct branch_profile b = {.event = o->event, .file = o->dso};
    struct sample_input g = {.each = branch_profile_sample, .sink = &b, .profile = &p};
    struct out out = {0};
    unsigned event;

    if (profile_options_read_input(&o->common, &g, stop_fd, t) == 0 &&
        choose(&p, o->event, &event, t) == 0 && branch_profile_choose(&b, &p, t) == 0 &&
        out_open(&out, o->common.output, false, OUT_COLOR_NEVER, t) == 0) {
        out_end(&out, write_branches(o, &b, &p, out.text, t), t);
    }
    profile_free(&p);
}

/* Writes the names of kernel functions that record found in the guest's memory. */
static void convert_names(const struct convert_options *o, int stop_fd, struct error *t)
{
    struct out out = {0};

    if (profile_options_check_output(&o->common, t) == 0 &&
        out_open(&out, o->common.output, false, OUT_COLOR_NEVER, t) == 0) {
        out_end(&out, kallsyms_file_write(o->common.input, stop_fd, out.text, t), t);
    }
}

static int check(const struct convert_options *o, struct error *t)
{
    if ((o->to == FORMAT_PPROF || o->to == FORMAT_FXT) && !o->common.output &&
        isatty(STDOUT_FILENO)) {
        return error_set(t, ERROR_USAGE,
                         "%s is binary and is not written to a terminal: use -o FILE",
                         o->to == FORMAT_FXT ? "fxt" : "pprof's format");
    }
    if (o->branches && o->to != FORMAT_FOLDED) {
        return error_set(t, ERROR_USAGE, "-b is for folded: bolt and autofdo always have branches");
    }
    if (o->dso && o->to != FORMAT_BOLT && o->to != FORMAT_AUTOFDO) {
        return error_set(t, ERROR_USAGE, "--dso is for bolt and autofdo");
    }
    if (o->to == FORMAT_FXT && o->event) {
        return error_set(t, ERROR_USAGE, "a timeline always has all events: remove --event");
    }
    return 0;
}

int builtin_convert(int argc, char **argv, int stop_fd)
{
    struct convert_options o = {.common = profile_options_default};
    struct error t = {0};

    argp_parse(&argp, argc, argv, 0, NULL, &o);
    if (check(&o, &t) == 0) {
        if (o.to == FORMAT_FXT) {
            convert_samples(&o, stop_fd, &t);
        } else if (o.to == FORMAT_HTML) {
            convert_page(&o, stop_fd, &t);
        } else if (o.to == FORMAT_KALLSYMS) {
            convert_names(&o, stop_fd, &t);
        } else if (o.to == FORMAT_BOLT || o.to == FORMAT_AUTOFDO) {
            convert_branches(&o, stop_fd, &t);
        } else {
            convert_sums(&o, stop_fd, &t);
        }
    }
    error_print(&t);
    return (int)t.code;
}
