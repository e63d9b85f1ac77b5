/* SPDX-License-Identifier: GPL-2.0-or-later */
/* vpmu-run compare: what changed between two reports. */
#include <argp.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/builtin.h"
#include "lines/valgrind-lines.h"
#include "perfdata/perffile.h"
#include "report/comparison.h"

/** struct options - @diff: @words of a command line of diff that means the same, for profiles */
struct options {
    const char *file[2];
    unsigned files;
    char *diff[DIFF_ARGUMENTS_MAX];
    int words;
    struct compare_options compare;
    comparison_fn *write;
    bool quiet;
};

enum {
    KEY_ALLOW_COMMAND = 0x100,
    KEY_ALLOW_MISSING,
    KEY_MAX_SHRINK,
};

static const struct argp_option options[] = {
    {"event", 'e', "LIST", 0, "compare only these events, which both reports must have", 0},
    {"max-growth", 'g', "[EVENT=]PERCENT[:FLOOR]", 0,
     "fail with status 9 if a count grew by more than PERCENT, or a function of a profile by more "
     "than PERCENT of the event's total, and by more than FLOOR events; may be repeated",
     0},
    {"max-shrink", KEY_MAX_SHRINK, "[EVENT=]PERCENT[:FLOOR]", 0, "the same for counts that shrank",
     0},
    {"allow-missing", KEY_ALLOW_MISSING, 0, 0,
     "do not fail because of events that only one report has", 0},
    {"allow-command", KEY_ALLOW_COMMAND, 0, 0,
     "do not fail because the reports are of two commands", 0},
    {"format", 'f', "FORMAT", 0, "text or markdown", 0},
    {"quiet", 'q', 0, 0, "print only warnings and errors", 0},
    {0},
};

/* add_word() - a copy, because diff's percentages have no sign; two files follow the last one */
static void add_word(struct options *o, const char *word)
{
    char *copy = strdup(word), *to = copy;

    for (const char *from = word; copy && *from; from++) {
        if (*from != '%') {
            *to++ = *from;
        }
    }
    if (copy && o->words < DIFF_ARGUMENTS_MAX - 2) {
        *to = '\0';
        o->diff[o->words++] = copy;
    } else {
        free(copy);
    }
}

static void add_words(struct options *o, const char *option, const char *value)
{
    add_word(o, option);
    if (value) {
        add_word(o, value);
    }
}

static void add_limit(struct argp_state *state, struct limits *l, const char *option,
                      const char *text)
{
    if (!limits_add(l, text)) {
        argp_error(state,
                   "%s takes a percentage such as 0.1%%, 0.1%%:1000 or instructions:u=0.1%%, at "
                   "most %u times, not '%s'",
                   option, LIMITS_MAX, text);
    }
}

static void add_events(struct argp_state *state, struct compare_options *o, const char *list)
{
    if (o->n_events == COMPARE_LISTS_MAX || !list[0]) {
        argp_error(state, "-e takes a list of events, at most %u times, not '%s'",
                   COMPARE_LISTS_MAX, list);
        return;
    }
    o->events[o->n_events++] = list;
}

static void add_file(struct argp_state *state, struct options *o, const char *path)
{
    if (o->files == 2) {
        argp_error(state, "only two reports can be compared; remove '%s'", path);
        return;
    }
    o->file[o->files++] = path;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct options *o = state->input;

    switch (key) {
    case 'e':
        add_events(state, &o->compare, arg);
        return 0;
    case 'g':
        add_limit(state, &o->compare.growth, "--max-growth", arg);
        add_words(o, "--max-growth", arg);
        return 0;
    case KEY_MAX_SHRINK:
        add_limit(state, &o->compare.shrink, "--max-shrink", arg);
        add_words(o, "--max-shrink", arg);
        return 0;
    case KEY_ALLOW_MISSING:
        o->compare.allow_missing = true;
        add_words(o, "--allow-missing", NULL);
        return 0;
    case KEY_ALLOW_COMMAND:
        o->compare.allow_command = true;
        return 0;
    case 'f':
        o->write = comparison_find(arg);
        if (!o->write) {
            argp_error(state, "no format '%s'; known: %s", arg, comparison_formats);
        }
        add_words(o, "--format", arg);
        return 0;
    case 'q':
        o->quiet = true;
        add_words(o, "--quiet", NULL);
        return 0;
    case ARGP_KEY_ARG:
        add_file(state, o, arg);
        return 0;
    case ARGP_KEY_END:
        if (o->files != 2) {
            argp_error(state, "two reports are needed, of vpmu-run -o");
        }
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp argp = {
    options,
    parse,
    "BASE NOW",
    "Compares two reports that vpmu-run -o has written, two files with several reports each, or "
    "two "
    "profiles, by function.\v"
    "If there is a limit, it also fails if an event is in one report only, is not counted any "
    "more, "
    "if the program ended with another exit status or by a signal, or if the commands differ.\n\n"
    "    vpmu-run compare --max-growth 0.1% base.json now.json\n"
    "    vpmu-run compare -g instructions:u=0.1%:1000 -g syscalls=0 base.json now.json\n"
    "    vpmu-run compare -g 1% base.out now.out\n\n"
    "Exit status:\n  0  success\n  2  invalid options, or a file is not a report\n"
    "  9  a limit is exceeded, or what both reports must have is missing or failed\n"
    "125  the table cannot be written",
    0,
    0,
    0,
};

static void write_all(const struct options *o, const struct comparison *c, struct failure *f)
{
    o->write(c, o->quiet, stdout);
    if (fflush(stdout) != 0 || ferror(stdout)) {
        failure_set(f, FAILURE_RUN, "cannot write the table: %s", strerror(errno));
    } else {
        compare_judge(c, f);
    }
}

/* has_magic() - does the file have perf's format, as --format perf writes it? Rewinds it. */
static bool has_magic(FILE *file)
{
    char start[sizeof(PERFFILE_MAGIC) - 1];
    size_t n = fread(start, 1, sizeof(start), file);

    rewind(file);
    return n == sizeof(start) && memcmp(start, PERFFILE_MAGIC, n) == 0;
}

/** enum format - NONE: the file is no profile */
enum format {
    NONE,
    VALGRIND,
    PERF
};

static enum format format_of(const char *path)
{
    FILE *file = fopen(path, "re");
    enum format format = !file               ? NONE
                         : valgrind_is(file) ? VALGRIND
                         : has_magic(file)   ? PERF
                                             : NONE;

    if (file) {
        fclose(file);
    }
    return format;
}

/* why_unreadable() - Return: why a file cannot be a profile; NULL if it has other contents. */
static const char *why_unreadable(const char *path)
{
    struct stat st;

    if (stat(path, &st) != 0 || access(path, R_OK) != 0) {
        return strerror(errno);
    }
    return S_ISDIR(st.st_mode) ? strerror(EISDIR) : st.st_size == 0 ? "it is empty" : NULL;
}

/* refuse_mixture() - of a profile and a file that is none, or one of another format */
static int refuse_mixture(const struct options *o, const enum format format[2], struct failure *f)
{
    unsigned profile = format[0] == NONE;
    const char *other = o->file[!profile];
    const char *why = format[!profile] == NONE ? why_unreadable(other) : NULL;

    if (why) {
        failure_set(f, FAILURE_USAGE, "cannot read %s: %s", other, why);
    } else {
        failure_set(f, FAILURE_USAGE,
                    format[!profile] ? "%s is a profile of another format than %s"
                                     : "%s is a profile, but %s is not",
                    o->file[profile], other);
    }
    return failure_print(f);
}

/* compare_profiles() - by function, as diff does it */
static int compare_profiles(struct options *o, const enum format format[2], struct failure *f)
{
    if (format[0] != format[1]) {
        return refuse_mixture(o, format, f);
    }
    if (o->compare.n_events) {
        failure_set(f, FAILURE_USAGE, "-e is for reports: a limit of a profile can name its event");
        return failure_print(f);
    }
    o->diff[o->words++] = (char *)(uintptr_t)o->file[0];
    o->diff[o->words++] = (char *)(uintptr_t)o->file[1];
    return builtin_diff(o->words, o->diff);
}

int builtin_compare(int argc, char **argv)
{
    static struct options o = {.diff = {"diff"}, .words = 1};
    struct failure f = {0};
    struct reports reports[2] = {{0}, {0}};
    struct comparison c = {0};
    enum format format[2];

    o.write = comparison_find("text");
    argp_err_exit_status = FAILURE_USAGE;
    argp_parse(&argp, argc, argv, 0, NULL, &o);
    format[0] = format_of(o.file[0]);
    format[1] = format_of(o.file[1]);
    if (format[0] || format[1]) {
        return compare_profiles(&o, format, &f);
    }
    if (reports_read(&reports[0], o.file[0], &f) == 0 &&
        reports_read(&reports[1], o.file[1], &f) == 0 &&
        compare_reports(&c, &o.compare, &reports[0], &reports[1], &f) == 0) {
        write_all(&o, &c, &f);
    }
    comparison_free(&c);
    reports_free(&reports[0]);
    reports_free(&reports[1]);
    return failure_print(&f);
}
