/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Code that a kernel gets while it runs: modules, and BPF programs that it has compiled. */
#include "kernel/kernel-code.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/bpf-code.h"
#include "kernel/modules.h"

#define WHERE "the guest's memory"

static bool has_module(const struct symbols *s, const struct symbols_module *module)
{
    for (size_t i = 0; i < s->modules; i++) {
        if (s->module[i].start == module->start && strcmp(s->module[i].name, module->name) == 0) {
            return true;
        }
    }
    return false;
}

static int add_modules(struct symbols *s, const struct symbols *found, struct error *t)
{
    struct symbols_module *module =
        reallocarray(s->module, s->modules + found->modules + 1, sizeof(*module));

    if (!module) {
        return error_memory(t);
    }
    s->module = module;
    for (size_t i = 0; i < found->modules; i++) {
        if (!has_module(s, &found->module[i])) {
            s->module[s->modules++] = found->module[i];
        }
    }
    return 0;
}

/*
 * The modules' symbols as in /proc/kallsyms, after those of the kernel's two ends. @text and @size
 * are valid after close_list().
 */
struct list {
    char *text;
    size_t size;
    FILE *file;
};

static bool open_list(struct list *l, const struct symbols *symbols)
{
    l->file = open_memstream(&l->text, &l->size);
    return l->file && fprintf(l->file, "%016" PRIx64 " T _text\n%016" PRIx64 " T _etext\n",
                              symbols->text, symbols->end) > 0;
}

static bool close_list(struct list *l)
{
    bool is_complete = l->file && fclose(l->file) == 0;

    l->file = NULL;
    return is_complete;
}

static int take_list(struct symbols *symbols, struct functions *functions, const struct list *l,
                     struct error *t)
{
    FILE *list = fmemopen(l->text, l->size, "r");
    struct symbols found;
    int err;

    if (!list) {
        return error_memory(t);
    }
    err = symbols_take(&found, list, WHERE, t) || add_modules(symbols, &found, t) ? -1 : 0;
    symbols_free(&found);
    rewind(list);
    err = err || symbols_take_functions(functions, list, WHERE, t) ? -1 : 0;
    fclose(list);
    return err;
}

static int read_modules(const struct kernel_code *c, struct symbols *symbols,
                        struct functions *functions, struct orc_tables *orc, struct error *t)
{
    struct list l = {0};
    int err = 0;

    if (!c->layout->has_modules || !symbols->module_list) {
        return 0;
    }
    if (open_list(&l, symbols)) {
        modules_list(c->memory, c->info, symbols->module_list, c->layout, l.file, orc);
    }
    err = close_list(&l) ? take_list(symbols, functions, &l, t) : error_memory(t);
    free(l.text);
    return err;
}

static int read_bpf(const struct kernel_code *c, const struct symbols *symbols,
                    struct functions *functions, struct error *t)
{
    return c->layout->has_bpf ? bpf_code_add(c->memory, c->info, symbols, c->layout, functions, t)
                              : 0;
}

int kernel_code_add(const struct kernel_code *c, struct symbols *symbols,
                    struct functions *functions, struct orc_tables *orc, struct error *t)
{
    size_t n = functions->n;

    if (read_modules(c, symbols, functions, orc, t) || read_bpf(c, symbols, functions, t) ||
        functions_sort(functions, t)) {
        functions_cut(functions, n);
        return -1;
    }
    return 0;
}
