/* SPDX-License-Identifier: GPL-2.0-or-later */
/* vpmu-stats report: summarizes a recording. */
#include "base/number.h"
#include "base/pager.h"
#include "cli/builtin.h"
#include "options/call-graph-option.h"
#include "options/filter-options.h"
#include "options/profile-options.h"
#include "options/report-options.h"
#include "profile/report.h"

enum {
    KEY_CHILDREN = 0x200,
    KEY_MEM,
    KEY_NO_CHILDREN,
    KEY_STDIO,
    KEY_NO_PAGER,
    KEY_INLINE,
    KEY_NO_INLINE,
    KEY_PERCENT_LIMIT,
};

/* As perf has it. */
#define THRESHOLD 0.5

/* The default columns. */
#define COLUMNS "comm,sym"
#define BRANCH_COLUMNS "comm,symbol_from,symbol_to"
#define ACCESS_COLUMNS "mem,sym,symbol_daddr"

enum {
    UNSET = -1
};

/**
 * struct options_of_report
 * @children: 0, 1 or UNSET. @graph_text: the argument of -g.
 */
struct options_of_report {
    struct profile_options common;
    struct report_options rows;
    struct sample_filter filter;
    double percent_limit;
    int children;
    bool graph;
    bool inverted;
    const char *graph_text;
    bool no_pager;
    bool no_inline;
    bool branches;
    bool accesses;
};

static const struct argp_option table[] = {
    {"percent-limit", KEY_PERCENT_LIMIT, "PERCENT", 0, "Print only rows with at least this share",
     1},
    {"call-graph", 'g', "FORMAT", OPTION_ARG_OPTIONAL,
     "Print call trees: graph (the default), fractal or none; a threshold in percent (0.5) and a "
     "limit of entries; caller (the default with --children) or callee, separated by commas",
     2},
    {"branch-stack", 'b', 0, 0,
     "Count branches of record -b, not samples; more keys of --sort are symbol_from, symbol_to, "
     "dso_from, dso_to, srcline_from, srcline_to, mispredict (comm,symbol_from,symbol_to)",
     2},
    {"mem", KEY_MEM, 0, 0,
     "Show the accesses to memory of record --mem; more keys of --sort are op, mem, tlb, "
     "local_weight, symbol_daddr, dcacheline (" ACCESS_COLUMNS ")",
     2},
    {"mem-mode", 0, 0, OPTION_ALIAS, 0, 2},
    {"inverted", 'G', 0, 0, "As -g caller", 2},
    {"children", KEY_CHILDREN, 0, 0,
     "Add the samples of called functions to each row (the default with call trees)", 2},
    {"no-children", KEY_NO_CHILDREN, 0, 0, "Count a sample for the sampled function only", 2},
    {"inline", KEY_INLINE, 0, 0,
     "Show inlined functions in call chains, if the file has debug information (the default)", 2},
    {"no-inline", KEY_NO_INLINE, 0, 0, "Do not show inlined functions", 2},
    {"stdio", KEY_STDIO, 0, 0, "Accepted for compatibility with perf: the output is always text",
     12},
    {"no-pager", KEY_NO_PAGER, 0, 0, "In a terminal, print without $PAGER or less", 12},
    {0},
};

/* As in perf, the argument can be a separate word. */
static const char *take_graph(const char *arg, struct argp_state *state)
{
    const char *next = !arg && state->next < state->argc ? state->argv[state->next] : NULL;

    if (next && *next != '-') {
        state->next++;
        return next;
    }
    return arg;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct options_of_report *o = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &o->common;
        state->child_inputs[1] = &o->rows;
        state->child_inputs[2] = &o->filter;
        return 0;
    case 'g':
        o->graph_text = take_graph(arg, state);
        o->graph = true;
        return 0;
    case 'b':
        o->branches = true;
        return 0;
    case KEY_MEM:
        o->accesses = true;
        return 0;
    case 'G':
        o->inverted = o->graph = true;
        return 0;
    case KEY_CHILDREN:
    case KEY_NO_CHILDREN:
        o->children = key == KEY_CHILDREN;
        return 0;
    case KEY_STDIO:
        return 0;
    case KEY_INLINE:
    case KEY_NO_INLINE:
        o->no_inline = key == KEY_NO_INLINE;
        return 0;
    case KEY_PERCENT_LIMIT:
        if (!number_parse_percent(arg, &o->percent_limit)) {
            argp_error(state, "'%s' is not a percentage, 0 or more", arg);
        }
        return 0;
    case KEY_NO_PAGER:
        o->no_pager = true;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_child children[] = {{&profile_options_argp, 0, 0, 0},
                                             {&report_options_argp, 0, 0, 0},
                                             {&filter_options_argp, 0, 0, 0},
                                             {0}};

static const struct argp argp = {
    table,
    parse,
    0,
    "Summarizes a file of vpmu-stats record or perf record, as perf report --stdio does: for each "
    "event, the share of each thread and function.\v"
    "Find the kernel functions that miss the cache:\n\n"
    "    vpmu-stats record -e cache-misses:k -c 1000 vm\n"
    "    vpmu-stats report\n\n"
    "Show who calls the functions that take the time:\n\n"
    "    vpmu-stats record -g vm\n"
    "    vpmu-stats report -g --no-children\n\n"
    "Show the branches that were taken most often:\n\n"
    "    vpmu-stats record -b vm\n"
    "    vpmu-stats report -b\n\n"
    "Show which data loads and stores accessed, and which level of the cache had it:\n\n"
    "    vpmu-stats record --mem vm\n"
    "    vpmu-stats report --mem\n\n"
    "Show the shares of the host and of its guests, from a pipe:\n\n"
    "    vpmu-stats record -o - --duration 5 vm | vpmu-stats report -i - -s cgroup\n\n"
    "Name functions of firmware or of another ELF file:\n\n"
    "    vpmu-stats report --vmlinux firmware.elf",
    children,
    0,
    0,
};

static int choose(const struct options_of_report *o, struct report *r, struct error *t)
{
    r->addresses = o->rows.addresses;
    r->filter = o->filter;
    r->children = o->children == UNSET ? o->graph : o->children > 0;
    r->caller = r->children || o->inverted;
    r->threshold = THRESHOLD;
    r->percent_limit = o->percent_limit;
    r->branches = o->branches;
    r->accesses = o->accesses;
    if (r->branches && r->accesses) {
        return error_set(t, ERROR_USAGE, "-b and --mem exclude each other");
    }
    if (report_choose(r,
                      o->rows.sort  ? o->rows.sort
                      : o->branches ? BRANCH_COLUMNS
                      : o->accesses ? ACCESS_COLUMNS
                                    : COLUMNS,
                      t) ||
        (o->graph && call_graph_option_parse(r, o->graph_text, t))) {
        return -1;
    }
    if (r->branches && report_has_chains(r)) {
        return error_set(t, ERROR_USAGE, "-b excludes -g and --children: a branch has no callers");
    }
    return r->graph && o->rows.kind != OUT_TEXT
               ? error_set(t, ERROR_USAGE,
                           "-g prints text only: use convert --to folded for call chains")
               : 0;
}

/* A recording without call chains has no callers. */
static int check(const struct report *r, const struct sample_input *g, struct error *t)
{
    if (r->branches && !g->branched && g->profile->n) {
        return error_set(t, ERROR_USAGE, "%s has no branches: record with -b", g->input);
    }
    if (r->accesses && !g->accessed && g->profile->n) {
        return error_set(t, ERROR_USAGE, "%s has no accesses to memory: record with --mem",
                         g->input);
    }
    return report_has_chains(r) && !g->chains && g->profile->n
               ? error_set(t, ERROR_USAGE, "%s has no call chains: record with -g", g->input)
               : 0;
}

static int print(const struct options_of_report *o, const struct report *r, struct profile *p,
                 int stop_fd, struct error *t)
{
    struct out out = {.kind = o->rows.kind, .separator = o->rows.separator};
    bool paged = !o->common.output && !o->no_pager && out.kind == OUT_TEXT;
    struct pager pager = {0};
    bool in_pager;
    int err;

    if (out_open(&out, o->common.output, false, OUT_COLOR_NEVER, t)) {
        return -1;
    }
    err = report_print(r, p, (size_t)o->rows.limit, &out, t);
    if (!err && paged && !pager_start(&pager, stop_fd)) {
        pager_first_screen(&out);
    }
    in_pager = pager.pid != 0;
    err = out_end(&out, err, t);
    pager_end(&pager);
    /* The user has quit the pager. */
    if (in_pager && t->code == ERROR_PIPE) {
        *t = (struct error){0};
    }
    return err;
}

int builtin_report(int argc, char **argv, int stop_fd)
{
    struct options_of_report o = {.common = profile_options_default, .children = UNSET};
    struct report r = {0};
    struct profile p = {0};
    struct sample_input g = {
        .key = report_key, .line_key = report_line_key, .opaque = &r, .profile = &p};
    struct error t = {0};

    argp_parse(&argp, argc, argv, 0, NULL, &o);
    g.no_inline = o.no_inline;
    g.branches = o.branches;
    g.accesses = o.accesses;
    if (choose(&o, &r, &t) == 0 && profile_options_read_input(&o.common, &g, stop_fd, &t) == 0 &&
        check(&r, &g, &t) == 0) {
        r.has_kernel = g.has_kernel;
        print(&o, &r, &p, stop_fd, &t);
    }
    profile_free(&p);
    error_print(&t);
    return (int)t.code;
}
