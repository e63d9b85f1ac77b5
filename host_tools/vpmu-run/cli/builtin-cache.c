/* SPDX-License-Identifier: GPL-2.0-or-later */
/* vpmu-run cache: what the cache contains, and removing it. */
#include <argp.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cli/builtin.h"
#include "machine/cache.h"
#include "machine/emulator.h"

struct options {
    bool clean;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct options *o = state->input;

    if (key != ARGP_KEY_ARG) {
        return ARGP_ERR_UNKNOWN;
    }
    if (strcmp(arg, "clean") != 0 || o->clean) {
        argp_error(state, "unexpected '%s'; the only argument is clean", arg);
    }
    o->clean = true;
    return 0;
}

static const struct argp argp = {
    NULL,
    parse,
    "[clean]",
    "Lists the kernels that machines boot and the saved states of started machines. "
    "clean removes the states, and the lists of files that programs looked for: the next run boots "
    "the machine again.",
    0,
    0,
    0,
};

/* print_row() - Ages are whole units, as they are read: 5 min, 3 h, 12 d. */
static void print_row(const char *what, const char *path, off_t size, time_t used)
{
    time_t minutes = (time(NULL) - used) / 60;
    char age[32];

    if (minutes < 60) {
        snprintf(age, sizeof(age), "%lld min", (long long)minutes);
    } else if (minutes < 48 * 60) {
        snprintf(age, sizeof(age), "%lld h", (long long)minutes / 60);
    } else {
        snprintf(age, sizeof(age), "%lld d", (long long)minutes / 60 / 24);
    }
    printf("%-7s %8.1f MB %8s  %s\n", what, (double)size / 1e6, age, path);
}

static void print_kernels(void)
{
    static const char *const machines[] = {"amd64", "arm64"};
    static struct emulator e;

    for (size_t i = 0; i < sizeof(machines) / sizeof(machines[0]); i++) {
        struct failure f = {0};
        struct stat st;

        e.machine = emulator_machine(machines[i]);
        if (emulator_find_kernel(&e, NULL, &f) == 0 && stat(e.kernel, &st) == 0) {
            print_row("kernel", e.kernel, st.st_size, st.st_mtime);
        }
    }
}

int builtin_cache(int argc, char **argv)
{
    struct options o = {0};
    struct failure f = {0};
    struct cache_entry *entries;
    size_t n;

    argp_err_exit_status = FAILURE_USAGE;
    argp_parse(&argp, argc, argv, 0, NULL, &o);
    cache_remove_abandoned();
    n = cache_list(&entries);
    if (o.clean) {
        cache_files_clean();
    } else {
        print_kernels();
    }
    for (size_t i = 0; i < n; i++) {
        if (!o.clean) {
            print_row("state", entries[i].path, entries[i].size, entries[i].used);
        } else if (unlink(entries[i].path) != 0 && errno != ENOENT) {
            failure_set(&f, FAILURE_RUN, "cannot remove %s: %s", entries[i].path, strerror(errno));
        }
    }
    free(entries);
    return failure_print(&f);
}
