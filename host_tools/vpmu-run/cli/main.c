/* SPDX-License-Identifier: GPL-2.0-or-later */
/* vpmu-run: counts what a program does, in a machine of its own. */
#include <argp.h>
#include <fcntl.h>
#include <locale.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/builtin.h"
#include "cli/run-options.h"
#include "failure.h"
#include "lines/valgrind-lines.h"
#include "vpmu/version.h"

const char *argp_program_version = "vpmu-run " VPMU_VERSION;

static const struct {
    const char *name;
    int (*run)(int argc, char **argv);
} commands[] = {
    {"annotate", builtin_annotate},
    {"cache", builtin_cache},
    {"compare", builtin_compare},
    {"diff", builtin_diff},
    {"flamegraph", builtin_flamegraph},
    {"profile", builtin_exact},
    {"record", builtin_record},
    {"report", builtin_report},
    {"show", builtin_show},
};

/* Options of commands, besides those of a run, whose value is the next word. */
static const char *const valued[] = {"-c",      "-F",           "-f",           "-i",
                                     "--count", "--freq",       "--input",      "--sort",
                                     "-s",      "--max-growth", "--max-shrink", NULL};

/* takes_value() - is the word after the option @word its value? */
static bool takes_value(const char *word, const char *next)
{
    for (size_t i = 0; valued[i]; i++) {
        if (strcmp(word, valued[i]) == 0) {
            return true;
        }
    }
    /* record -g has no value, and compare -g has a limit. */
    if (strcmp(word, "-g") == 0) {
        return next && (strchr("0123456789.", next[0]) || strchr(next, '='));
    }
    return run_options_take_value(word);
}

/* find_command() - the position of the first word that is not an option; @argc if there is none */
static int find_command(int argc, char **argv)
{
    int i = 1;

    while (i < argc && argv[i][0] == '-' && strcmp(argv[i], "--") != 0) {
        i += takes_value(argv[i], argv[i + 1]) ? 2 : 1;
    }
    return i < argc ? i : argc;
}

/* is_other() - can the file be read, and is it neither a recording nor a profile? */
static bool is_other(const char *path)
{
    static const char recording[] = "PERFILE2";
    char start[sizeof(recording)] = "";
    FILE *file = fopen(path, "re");
    size_t n = file ? fread(start, 1, sizeof(recording) - 1, file) : 0;
    bool other;

    if (file) {
        rewind(file);
    }
    other = n > 0 && strncmp(start, recording, n) != 0 && !valgrind_is(file);
    if (file) {
        fclose(file);
    }
    return other;
}

/*
 * check_diff() - diff is also a program that others mean: refuse files that are no recordings
 * Return: 0, or -1 with an error.
 */
static int check_diff(int argc, char **argv, struct failure *f)
{
    for (int i = 0; i < argc; i++) {
        /* The word after an option may be its value. */
        bool operand = argv[i][0] != '-' && (i == 0 || argv[i - 1][0] != '-');

        if (operand && is_other(argv[i])) {
            return failure_set(f, FAILURE_USAGE,
                               "%s is not a recording. To count the program diff, write: vpmu-run "
                               "-- diff FILE FILE",
                               argv[i]);
        }
    }
    return 0;
}

/* say_stat() - perf has a command of this name. Here it is a program, as any other. */
static void say_stat(int argc, char **argv)
{
    if (argc > 0 && strcmp(argv[0], "stat") == 0) {
        fprintf(stderr,
                "vpmu-run: counting the program stat; for what perf stat does, leave the word out: "
                "vpmu-run [OPTION...] COMMAND\n");
    }
}

/* open_standard() - no file may take the number of a standard stream that is closed */
static void open_standard(void)
{
    int fd;

    do {
        fd = open("/dev/null", O_RDWR);
    } while (fd >= 0 && fd <= STDERR_FILENO);
    close(fd);
}

int main(int argc, char **argv)
{
    static char name[32] = "vpmu-run ";
    struct failure f = {0};
    int at = find_command(argc, argv);

    open_standard();
    setlocale(LC_CTYPE, "");
    for (size_t i = 0; at < argc && i < sizeof(commands) / sizeof(commands[0]); i++) {
        if (strcmp(argv[at], commands[i].name) == 0) {
            /* The options before the command become options of the command. */
            memmove(argv + 2, argv + 1, (size_t)(at - 1) * sizeof(*argv));
            argv[1] = strcat(name, commands[i].name);
            if (commands[i].run == builtin_diff && check_diff(argc - 2, argv + 2, &f) != 0) {
                return failure_print(&f);
            }
            return commands[i].run(argc - 1, argv + 1);
        }
    }
    say_stat(argc - at, argv + at);
    return builtin_run(argc, argv);
}
