/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbols/programs.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/elffile.h"
#include "symbols/symbols.h"

/*
 * Remove "@BASE" from the end of a path. Return: BASE; 0 if there is none. An @ that is followed by
 * anything else belongs to the name of the file.
 */
static uint64_t take_base(char *path)
{
    char *at = strrchr(path, '@');
    uint64_t base;
    char *end;

    if (!at || !isxdigit((unsigned char)at[1])) {
        return 0;
    }
    errno = 0;
    base = strtoull(at + 1, &end, 16);
    if (*end || errno) {
        return 0;
    }
    *at = '\0';
    return base;
}

/* Read the functions from an ELF file or from a list of symbols. */
static int read_functions(struct program *p, const char *debug_dir, struct error *t)
{
    int is_elf = elffile_is(p->path, t);

    if (is_elf < 0) {
        return -1;
    }
    if (is_elf) {
        return elffile_functions(&p->functions, debug_dir, p->path, t);
    }
    if (symbols_functions(&p->functions, p->path, t)) {
        return -1;
    }
    free(p->path);
    p->path = NULL;
    return 0;
}

int programs_add(struct programs *p, const char *text, struct error *t)
{
    struct program *new = &p->program[p->n];
    const char *equals = strchr(text, '=');

    if (!equals || equals == text || !equals[1]) {
        return error_set(t, ERROR_USAGE, "'%s' is not COMM=FILE or COMM=FILE@BASE", text);
    }
    if (p->n == PROGRAMS_MAX) {
        return error_set(t, ERROR_USAGE, "--map can be given at most %u times", PROGRAMS_MAX);
    }
    new->path = strdup(equals + 1);
    new->comm = strndup(text, (size_t)(equals - text));
    p->n++;
    if (!new->path || !new->comm) {
        return error_memory(t);
    }
    new->base = take_base(new->path);
    new->functions.data = p->data;
    return read_functions(new, p->debug_dir, t) ? -1 : functions_sort(&new->functions, t);
}

const struct program *programs_find(const struct programs *p, const char *comm, const char *pid)
{
    for (size_t i = 0; i < p->n; i++) {
        if (strcmp(p->program[i].comm, comm) == 0 ||
            (pid && strcmp(p->program[i].comm, pid) == 0)) {
            return &p->program[i];
        }
    }
    return NULL;
}

void programs_free(struct programs *p)
{
    for (size_t i = 0; i < p->n; i++) {
        free(p->program[i].comm);
        free(p->program[i].path);
        functions_free(&p->program[i].functions);
    }
    p->n = 0;
}
