/* SPDX-License-Identifier: GPL-2.0-or-later */
/* vpmu-run: counts what a program does, in a machine of its own. */
#include <argp.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "cli/builtin.h"
#include "vpmu/version.h"

const char *argp_program_version = "vpmu-run " VPMU_VERSION;

static const struct {
    const char *name;
    int (*run)(int argc, char **argv);
} commands[] = {
    {"cache", builtin_cache},   {"compare", builtin_compare},
    {"diff", builtin_diff},     {"flamegraph", builtin_flamegraph},
    {"record", builtin_record}, {"report", builtin_report},
    {"show", builtin_show},
};

int main(int argc, char **argv)
{
    static char name[32] = "vpmu-run ";

    setlocale(LC_CTYPE, "");
    for (size_t i = 0; argc > 1 && i < sizeof(commands) / sizeof(commands[0]); i++) {
        if (strcmp(argv[1], commands[i].name) == 0) {
            argv[1] = strcat(name, commands[i].name);
            return commands[i].run(argc - 1, argv + 1);
        }
    }
    return builtin_run(argc, argv);
}
