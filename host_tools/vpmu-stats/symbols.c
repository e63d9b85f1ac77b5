/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where a guest's kernel and its functions lie, from its list of symbols. */
#include "symbols.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* "ffff800080000000 T _text", and what is longer than this is not looked at. */
#define LINE_SIZE 256

#define PAGE 4096

/* A line of it, if it is one. */
struct line {
    uint64_t address;
    char type;
    char name[LINE_SIZE];
    bool of_module; /* whose name comes behind, in brackets */
};

static bool parse(struct line *to, const char *text)
{
    to->of_module = strchr(text, '[') != NULL;
    return sscanf(text, "%" SCNx64 " %c %255s", &to->address, &to->type, to->name) == 3;
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

/* What becomes of a line. Return: 0, or -1 with trouble. */
typedef int (*line_taker)(void *opaque, const struct line *line, struct trouble *t);

static int each_line(const char *path, line_taker take, void *opaque, struct trouble *t)
{
    char text[LINE_SIZE];
    struct line line;
    FILE *file = fopen(path, "re");
    int err = 0;

    if (!file) {
        return cannot_read(path, t);
    }
    while (!err && fgets(text, sizeof(text), file)) {
        err = parse(&line, text) ? take(opaque, &line, t) : 0;
    }
    if (!err && ferror(file)) {
        err = cannot_read(path, t);
    }
    fclose(file);
    return err;
}

/* What is looked for, and a page behind the last function so far. */
struct found {
    uint64_t text;
    uint64_t end;
    uint64_t current;
    uint64_t kernels;
    uint64_t programs;
    uint64_t last;
};

static int take_place(void *opaque, const struct line *line, struct trouble *t)
{
    struct found *f = opaque;
    const struct {
        const char *name;
        uint64_t *address;
    } places[] = {
        {"_text", &f->text},
        {"_etext", &f->end},
        {"__entry_task", &f->current},
        {"swapper_pg_dir", &f->kernels},
        {"tramp_pg_dir", &f->programs},
    };

    (void)t;
    if (line->of_module) {
        return 0;
    }
    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
        if (strcmp(line->name, places[i].name) == 0) {
            *places[i].address = line->address;
        }
    }
    if ((line->type == 'T' || line->type == 't') && line->address >= f->last) {
        f->last = line->address + PAGE;
    }
    return 0;
}

int symbols_read(struct symbols *symbols, const char *path, struct trouble *t)
{
    struct found f = {0};

    if (each_line(path, take_place, &f, t)) {
        return -1;
    }
    *symbols =
        (struct symbols){.text = f.text,
                         .end = f.end ? f.end : f.last,
                         .current = f.current,
                         .hidden = f.kernels && f.programs ? (int64_t)(f.kernels - f.programs) : 0};
    return check(symbols, path, t);
}

/* Names with a dollar in front say where code and data are among each other. */
static int take_function(void *opaque, const struct line *line, struct trouble *t)
{
    if (!strchr("TtWw", line->type) || line->address == 0 || line->name[0] == '$') {
        return 0;
    }
    return functions_add(opaque,
                         &(struct function){.start = line->address,
                                            .name = (char *)(uintptr_t)line->name,
                                            .of_module = line->of_module},
                         t);
}

int symbols_functions(struct functions *functions, const char *path, struct trouble *t)
{
    int err = each_line(path, take_function, functions, t);

    if (!err && functions->n == 0) {
        err = trouble_set(t, TROUBLE_USAGE,
                          "%s has no address of a function: it must be the guest's /proc/kallsyms "
                          "as root sees it, its System.map, or what nm prints",
                          path);
    }
    return err;
}
