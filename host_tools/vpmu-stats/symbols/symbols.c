/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads the addresses of a guest's kernel and its functions from its list of symbols. */
#include "symbols/symbols.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/signals.h"

/*
 * How much of a line is used, with its NUL. A line looks like "ffff800080000000 T _text". Names of
 * compilers at run time may be longer, and are cut.
 */
#define LINE_SIZE 1024

#define PAGE 4096

/* A parsed line. @size is 0 if the line does not have it. */
struct line {
    uint64_t address;
    uint64_t size;
    char type;
    char name[LINE_SIZE];
    bool of_module; /* @module is its name in brackets; empty if it is too long */
    char module[SYMBOLS_MODULE];
};

/*
 * A line of a compiler at run time: "7f0012345000 2a LazyCompile:~main app.js", see
 * tools/perf/Documentation/jit-interface.txt of Linux. The name may have
 * blanks. Capital letters are types of symbols.
 */
static bool parse_jit(struct line *to, const char *text)
{
    char size[LINE_SIZE];
    char *end;
    int at = 0;

    *to = (struct line){.type = 't'};
    if (sscanf(text, "%" SCNx64 " %1023s %n", &to->address, size, &at) != 2 || !at ||
        strpbrk(size, "ABCDEF")) {
        return false;
    }
    to->size = strtoull(size, &end, 16);
    snprintf(to->name, sizeof(to->name), "%.*s", (int)strcspn(text + at, "\r\n"), text + at);
    return !*end && to->size && to->name[0];
}

static bool parse(struct line *to, const char *text)
{
    const char *module = strchr(text, '[');
    size_t size = module ? strcspn(module, "] \t\n") + 1 : 0;
    char type[3];

    to->size = 0;
    to->of_module = module != NULL;
    to->module[0] = '\0';
    if (module && size < sizeof(to->module) && module[size - 1] == ']') {
        memcpy(to->module, module, size);
        to->module[size] = '\0';
    }
    if (sscanf(text, "%" SCNx64 " %2s %1023s", &to->address, type, to->name) != 3) {
        return false;
    }
    to->type = type[0];
    return !type[1] && !isdigit((unsigned char)type[0]);
}

/* A kernel that hides its addresses from the user lists all of them as 0. */
static int check(const struct symbols *symbols, const char *path, struct error *t)
{
    if (!symbols->text || symbols->end <= symbols->text) {
        return error_set(t, ERROR_USAGE,
                         "%s has no address of _text: use the guest's /proc/kallsyms as read by "
                         "root, or its System.map",
                         path);
    }
    return 0;
}

static int cannot_read(const char *path, struct error *t)
{
    return error_set(t, ERROR_USAGE, "cannot read %s: %s", path, strerror(errno));
}

/* A function that parses a line. Return: false if it is not one. */
typedef bool (*line_parser)(struct line *to, const char *text);

/* A function that processes a line. Return: 0, or -1 with an error. */
typedef int (*line_taker)(void *opaque, const struct line *line, struct error *t);

/* Read the beginning of a line, and skip its rest. Return: false at the end of the file. */
static bool next_line(FILE *file, char text[LINE_SIZE])
{
    int c = 0;

    if (!fgets(text, LINE_SIZE, file)) {
        return false;
    }
    if (!strchr(text, '\n')) {
        while (c != '\n' && c != EOF) {
            c = getc(file);
        }
    }
    return true;
}

static int each_line(FILE *file, const char *path, line_parser parse_one, line_taker take,
                     void *opaque, struct error *t)
{
    char text[LINE_SIZE];
    struct line line;
    int err = 0;

    while (!err && next_line(file, text)) {
        err = parse_one(&line, text) ? take(opaque, &line, t) : 0;
    }
    return !err && ferror(file) ? cannot_read(path, t) : err;
}

/*
 * An open list. It may be a FIFO, so signals end the program while it is opened and read; nothing
 * is switched on yet.
 */
struct list {
    FILE *file;
    sigset_t blocked;
};

static int open_list(struct list *l, const char *path, struct error *t)
{
    l->blocked = signals_admit();
    l->file = fopen(path, "re");
    return l->file ? 0 : cannot_read(path, t);
}

static void close_list(struct list *l)
{
    if (l->file) {
        fclose(l->file);
    }
    sigprocmask(SIG_SETMASK, &l->blocked, NULL);
}

static bool is_function(const struct line *line)
{
    return strchr("TtWw", line->type) && line->address && line->name[0] != '$';
}

/* Find the module of a line, or add it. All lines of a module are adjacent in the list. */
static struct symbols_module *module_of(struct symbols *s, const struct line *line)
{
    struct symbols_module *module;

    if (s->modules && strcmp(s->module[s->modules - 1].name, line->module) == 0) {
        return &s->module[s->modules - 1];
    }
    module = reallocarray(s->module, s->modules + 1, sizeof(*module));
    if (!module) {
        return NULL;
    }
    s->module = module;
    module += s->modules++;
    *module = (struct symbols_module){.start = UINT64_MAX};
    strcpy(module->name, line->module);
    return module;
}

/*
 * Extend the module of a line to the page of its address. Symbols that the kernel creates at run
 * time have no range of addresses of their own.
 */
static int take_module(struct symbols *s, const struct line *line, struct error *t)
{
    uint64_t start = line->address & -(uint64_t)PAGE;
    struct symbols_module *module;

    if (!line->module[0] || !is_function(line) || strcmp(line->module, "[bpf]") == 0 ||
        strncmp(line->module, "[__builtin", 10) == 0) {
        return 0;
    }
    module = module_of(s, line);
    if (!module) {
        return error_memory(t);
    }
    module->start = start < module->start ? start : module->start;
    module->end = start + PAGE > module->end ? start + PAGE : module->end;
    return 0;
}

/*
 * The results, and values that are needed until the end of the list. @last is a page behind the
 * last function so far.
 */
struct found {
    struct symbols *symbols;
    uint64_t kernels;
    uint64_t programs;
    uint64_t last;
    bool is_partial;
};

static int take_place(void *opaque, const struct line *line, struct error *t)
{
    struct found *f = opaque;
    const struct {
        const char *name;
        uint64_t *address;
    } places[] = {
        {"_text", &f->symbols->text},
        {"_etext", &f->symbols->end},
        {"__entry_task", &f->symbols->current},
        {"swapper_pg_dir", &f->kernels},
        {"current_task", &f->symbols->current},
        {"pcpu_hot", &f->symbols->current},
        {"tramp_pg_dir", &f->programs},
        {"kimage_voffset", &f->symbols->distance},
        {"phys_base", &f->symbols->distance},
        {"__start_BTF", &f->symbols->types},
        {"__stop_BTF", &f->symbols->types_end},
        {"modules", &f->symbols->module_list},
        {"bpf_kallsyms", &f->symbols->bpf_list},
        {"pack_list", &f->symbols->bpf_packs},
        {"__start_orc_unwind_ip", &f->symbols->orc_addresses},
        {"__stop_orc_unwind_ip", &f->symbols->orc_addresses_end},
        {"__start_orc_unwind", &f->symbols->orc_entries},
        {"vmemmap_base", &f->symbols->pages},
        {"vdso_start", &f->symbols->vdso},
        {"vdso_end", &f->symbols->vdso_end},
        {"vdso_image_64", &f->symbols->vdso_image},
        {"vdso64_image", &f->symbols->vdso_image},
    };

    if (line->of_module) {
        return take_module(f->symbols, line, t);
    }
    f->is_partial |= strcmp(line->name, SYMBOLS_PARTIAL) == 0;
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

int symbols_take(struct symbols *symbols, FILE *list, const char *path, struct error *t)
{
    struct found f = {.symbols = symbols};

    *symbols = (struct symbols){0};
    if (each_line(list, path, parse, take_place, &f, t)) {
        return -1;
    }
    if (f.is_partial) {
        return error_set(t, ERROR_USAGE,
                         "%s is a partial list of convert: use the guest's /proc/kallsyms as read "
                         "by root, or no --kallsyms",
                         path);
    }
    symbols->end = symbols->end ? symbols->end : f.last;
    symbols->hidden = f.kernels && f.programs ? (int64_t)(f.kernels - f.programs) : 0;
    return check(symbols, path, t);
}

int symbols_read(struct symbols *symbols, const char *path, struct error *t)
{
    struct list list;
    int err = open_list(&list, path, t);

    err = err ? err : symbols_take(symbols, list.file, path, t);
    close_list(&list);
    return err;
}

void symbols_free(struct symbols *symbols)
{
    free(symbols->module);
    *symbols = (struct symbols){0};
}

static bool is_data(const struct line *line)
{
    return strchr("DdBbRrVv", line->type) && line->address && line->name[0] != '$';
}

/* Lists have capital letters for global symbols, and W or V for weak ones. */
static enum function_binding binding_of(char type)
{
    return strchr("WwVv", type)           ? FUNCTION_WEAK
           : isupper((unsigned char)type) ? FUNCTION_GLOBAL
                                          : FUNCTION_LOCAL;
}

static int take_function(void *opaque, const struct line *line, struct error *t)
{
    const struct functions *functions = opaque;
    char *module = *line->module ? (char *)(uintptr_t)line->module : NULL;

    if (!is_function(line) && !(functions->data && is_data(line))) {
        return 0;
    }
    return functions_add(opaque,
                         &(struct function){.start = line->address,
                                            .end = line->address + line->size,
                                            .name = (char *)(uintptr_t)line->name,
                                            .binding = binding_of(line->type),
                                            .of_module = line->of_module,
                                            .module = module},
                         t);
}

/*
 * Find out what a file is by one of its lines. Return: NULL if the line can be of a kernel's list
 * or of a compiler's: the size of a function can look like a type.
 */
static line_parser parser_of(const char *text)
{
    struct line line;
    bool of_list = parse(&line, text);
    bool of_compiler = parse_jit(&line, text);

    return of_list == of_compiler ? NULL : of_list ? parse : parse_jit;
}

/* What a file is: NULL until a line has decided; and whether there are lines before that one. */
struct decision {
    line_parser parser;
    bool is_late;
};

/* Take the functions of a file. The first line that only one kind of file can have decides. */
static int take_either(struct functions *functions, FILE *list, const char *path,
                       struct decision *is, struct error *t)
{
    char text[LINE_SIZE];
    struct line line;
    int err = 0;

    while (!err && next_line(list, text)) {
        is->parser = is->parser ? is->parser : parser_of(text);
        is->is_late |= !is->parser;
        err =
            (is->parser ? is->parser : parse)(&line, text) ? take_function(functions, &line, t) : 0;
    }
    return !err && ferror(list) ? cannot_read(path, t) : err;
}

int symbols_take_functions(struct functions *functions, FILE *list, const char *path,
                           struct error *t)
{
    struct decision is = {0};
    size_t n = functions->n;
    int err = take_either(functions, list, path, &is, t);

    if (!err && is.is_late && is.parser != parse && fseek(list, 0, SEEK_SET) == 0) {
        functions_cut(functions, n);
        err = each_line(list, path, parse_jit, take_function, functions, t);
    }
    if (!err && functions->n == 0) {
        err = error_set(t, ERROR_USAGE,
                        "%s has no address of a function: use the guest's /proc/kallsyms as read "
                        "by root, its System.map, or the output of nm",
                        path);
    }
    return err;
}

int symbols_functions(struct functions *functions, const char *path, struct error *t)
{
    struct list list;
    int err = open_list(&list, path, t);

    err = err ? err : symbols_take_functions(functions, list.file, path, t);
    close_list(&list);
    return err;
}
