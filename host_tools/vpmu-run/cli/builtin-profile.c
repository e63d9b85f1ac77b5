/* SPDX-License-Identifier: GPL-2.0-or-later */
/* vpmu-run report, annotate, flamegraph and diff: vpmu-stats shows what vpmu-run has written. */
#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/builtin.h"
#include "failure.h"
#include "machine/emulator.h"

#define ARGUMENTS_MAX DIFF_ARGUMENTS_MAX
#define PROFILE "vpmu.out"

/*
 * become() - vpmu-stats, with these arguments before those of the user
 * @name: the command whose name the help shows.
 */
static int become(const char *name, const char *const *first, int argc, char **argv)
{
    const char *arguments[ARGUMENTS_MAX + 8] = {name};
    char path[PATH_MAX];
    struct failure f = {0};
    size_t n = 1;

    if (!emulator_beside("vpmu-stats", path, sizeof(path))) {
        failure_set(&f, FAILURE_RUN, "there is no vpmu-stats: install it (make install-tools)");
        return failure_print(&f);
    }
    for (; *first; first++) {
        arguments[n++] = *first;
    }
    for (int i = 1; i < argc && n < ARGUMENTS_MAX; i++) {
        arguments[n++] = argv[i];
    }
    execv(path, (char **)(uintptr_t)arguments);
    failure_set(&f, FAILURE_RUN, "cannot execute %s: %s", path, strerror(errno));
    return failure_print(&f);
}

/* modified() - the time of a file's last change; 0 if the file does not exist */
static struct timespec modified(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 ? st.st_mtim : (struct timespec){0};
}

/* names_input() - has the user chosen a file? */
static bool names_input(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        if (strncmp(argv[i], "--input", 7) == 0 ||
            (argv[i][0] == '-' && argv[i][1] == 'i' && strcmp(argv[i], "-inline") != 0)) {
            return true;
        }
    }
    return false;
}

/* become_newer() - a command that reads a file: without a name, the newer one, which is said */
static int become_newer(const char *command, int argc, char **argv)
{
    struct timespec recorded = modified("perf.data"), profiled = modified(PROFILE);
    bool newer = profiled.tv_sec != recorded.tv_sec ? profiled.tv_sec > recorded.tv_sec
                                                    : profiled.tv_nsec > recorded.tv_nsec;
    const char *first[] = {command, NULL, NULL, NULL};
    char name[64];

    if (newer && !names_input(argc, argv)) {
        first[1] = "-i";
        first[2] = PROFILE;
        if (recorded.tv_sec) {
            fprintf(stderr, "[ vpmu-run %s: %s, which is newer than perf.data ]\n", command,
                    PROFILE);
        }
    }
    snprintf(name, sizeof(name), "vpmu-run %s", command);
    return become(name, first, argc, argv);
}

int builtin_report(int argc, char **argv)
{
    return become_newer("report", argc, argv);
}

int builtin_annotate(int argc, char **argv)
{
    return become_newer("annotate", argc, argv);
}

int builtin_diff(int argc, char **argv)
{
    static const char *const first[] = {"diff", NULL};

    return become("vpmu-run diff", first, argc, argv);
}

/* is_page() - is the output a file whose name says that it is a page? */
static bool is_page(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        const char *dot = strrchr(argv[i], '.');

        if (dot && strcmp(dot, ".html") == 0) {
            return true;
        }
    }
    return false;
}

int builtin_flamegraph(int argc, char **argv)
{
    static const char *const svg[] = {"convert", "--to", "flamegraph", NULL};
    static const char *const html[] = {"convert", "--to", "html", NULL};

    return become("vpmu-run flamegraph", is_page(argc, argv) ? html : svg, argc, argv);
}
