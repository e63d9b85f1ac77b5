/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where a guest's kernel and its functions lie, from its list of symbols. */
#include "symbols.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* "ffff800080000000 T _text", and what is longer than this is not looked at. */
#define LINE_SIZE 256

#define PAGE 4096

/* @last: a page behind the last function. */
static void take_line(struct symbols *symbols, uint64_t *last, const char *line)
{
    char name[LINE_SIZE];
    uint64_t address;
    char type;

    /* What a module has comes with its name in brackets. */
    if (sscanf(line, "%" SCNx64 " %c %255s", &address, &type, name) != 3 || strchr(line, '[')) {
        return;
    }
    if (strcmp(name, "_text") == 0) {
        symbols->text = address;
    } else if (strcmp(name, "_etext") == 0) {
        symbols->end = address;
    }
    if ((type == 'T' || type == 't') && address >= *last) {
        *last = address + PAGE;
    }
}

/* A kernel that hides addresses from a user shows zeroes. */
static int check(const struct symbols *symbols, const char *path, struct trouble *t)
{
    if (!symbols->text || symbols->end <= symbols->text) {
        return trouble_set(
            t, TROUBLE_USAGE,
            "%s has no address of _text, or nothing behind it: it must be the guest's "
            "/proc/kallsyms as root sees it, or its System.map",
            path);
    }
    return 0;
}

static int cannot_read(const char *path, struct trouble *t)
{
    return trouble_set(t, TROUBLE_USAGE, "cannot read %s: %s", path, strerror(errno));
}

int symbols_read(struct symbols *symbols, const char *path, struct trouble *t)
{
    char line[LINE_SIZE];
    uint64_t last = 0;
    FILE *file = fopen(path, "re");
    int error;

    *symbols = (struct symbols){0};
    if (!file) {
        return cannot_read(path, t);
    }
    while (fgets(line, sizeof(line), file)) {
        take_line(symbols, &last, line);
    }
    symbols->end = symbols->end ? symbols->end : last;
    error = ferror(file);
    fclose(file);
    return error ? cannot_read(path, t) : check(symbols, path, t);
}

/* Names with a dollar in front say where code and data are among each other. */
static int take_function(struct functions *functions, const char *line, struct trouble *t)
{
    char name[LINE_SIZE];
    uint64_t address;
    char type;

    if (sscanf(line, "%" SCNx64 " %c %255s", &address, &type, name) != 3 || !strchr("TtWw", type) ||
        address == 0 || name[0] == '$') {
        return 0;
    }
    return functions_add(
        functions,
        &(struct function){.start = address, .name = name, .of_module = strchr(line, '[')}, t);
}

int symbols_functions(struct functions *functions, const char *path, struct trouble *t)
{
    char line[LINE_SIZE];
    FILE *file = fopen(path, "re");
    int err = 0;

    if (!file) {
        return cannot_read(path, t);
    }
    while (!err && fgets(line, sizeof(line), file)) {
        err = take_function(functions, line, t);
    }
    if (!err && ferror(file)) {
        err = cannot_read(path, t);
    }
    fclose(file);
    if (!err && functions->n == 0) {
        err = trouble_set(t, TROUBLE_USAGE,
                          "%s has no address of a function: it must be the guest's /proc/kallsyms "
                          "as root sees it, its System.map, or what nm prints",
                          path);
    }
    return err;
}
