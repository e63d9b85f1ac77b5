/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the symbols of loaded modules (kernel/module/kallsyms.c of Linux). Each struct module is in
 * a list and points to its struct mod_kallsyms: an ELF symbol table, its names, and a type for each
 * symbol. The types are behind the names. The guest can write anything to this memory, so all of it
 * is checked.
 */
#include "kernel/modules.h"

#include <elf.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/kallsyms.h"

/* The longest names of a symbol and of a module: a line of the list has a limited length. */
#define MAX_NAME 160u
#define MAX_MODULE 56u

/* MODULE_STATE_LIVE: other modules have their symbols elsewhere, or none. */
#define STATE_LIVE 0u

/**
 * struct reader - what is needed to read modules
 * @layout: offsets, indexed by MODULE_*.
 * @orc_layout: offsets, indexed by MODULE_ORC_*; NULL if they are not known.
 * @orc: receives the modules' tables for call chains.
 * @names: the names of the module's symbols, with a NUL at the end.
 */
struct reader {
    struct page_walk walk;
    const uint32_t *layout;
    const uint32_t *orc_layout;
    struct orc_tables *orc;
    FILE *list;
    char module[MAX_MODULE + 1];
    Elf64_Sym *symbol;
    uint32_t n;
    char *types;
    char *names;
    uint64_t size;
};

static bool read_u64(struct reader *r, uint64_t at, uint64_t *value)
{
    return page_walk_read(&r->walk, at, value, sizeof(*value));
}

static void tame(char *text)
{
    for (; *text; text++) {
        *text = kallsyms_tame(*text);
    }
}

/* Read the arrays of a struct mod_kallsyms into allocated memory. */
static bool read_symbols(struct reader *r, uint64_t at)
{
    uint64_t symbols;
    uint64_t names;
    uint64_t types;

    if (!read_u64(r, at + r->layout[MODULE_SYMBOLS], &symbols) ||
        !page_walk_read(&r->walk, at + r->layout[MODULE_NUMBER], &r->n, sizeof(r->n)) ||
        !read_u64(r, at + r->layout[MODULE_NAMES], &names) ||
        !read_u64(r, at + r->layout[MODULE_TYPES], &types)) {
        return false;
    }
    r->size = types - names;
    if (r->n == 0 || r->n > MODULES_MAX_SYMBOLS || r->size == 0 || r->size > MODULES_MAX_NAMES) {
        return false;
    }
    r->symbol = reallocarray(NULL, r->n, sizeof(*r->symbol));
    r->types = malloc(r->n);
    r->names = calloc(1, (size_t)r->size + 1);
    return r->symbol && r->types && r->names &&
           page_walk_read(&r->walk, symbols, r->symbol, r->n * sizeof(*r->symbol)) &&
           page_walk_read(&r->walk, types, r->types, r->n) &&
           page_walk_read(&r->walk, names, r->names, (size_t)r->size);
}

static void write_symbols(const struct reader *r)
{
    for (uint32_t i = 0; i < r->n; i++) {
        const Elf64_Sym *s = &r->symbol[i];
        char name[MAX_NAME + 1];

        if (s->st_shndx == SHN_UNDEF || s->st_name >= r->size) {
            continue;
        }
        snprintf(name, sizeof(name), "%s", r->names + s->st_name);
        tame(name);
        if (name[0]) {
            fprintf(r->list, "%016" PRIx64 " %c %s\t[%s]\n", s->st_value,
                    kallsyms_tame(r->types[i]), name, r->module);
        }
    }
}

static void take_orc(struct reader *r, uint64_t module)
{
    uint64_t addresses;
    uint64_t entries;
    uint32_t number;

    if (r->orc_layout && read_u64(r, module + r->orc_layout[MODULE_ORC_ADDRESSES], &addresses) &&
        read_u64(r, module + r->orc_layout[MODULE_ORC_ENTRIES], &entries) &&
        page_walk_read(&r->walk, module + r->orc_layout[MODULE_ORC_NUMBER], &number,
                       sizeof(number))) {
        orc_tables_add(r->orc, addresses, entries, number);
    }
}

static void take_module(struct reader *r, uint64_t module)
{
    uint32_t state;
    uint64_t at;

    if (!page_walk_read(&r->walk, module + r->layout[MODULE_STATE], &state, sizeof(state)) ||
        state != STATE_LIVE ||
        !page_walk_read(&r->walk, module + r->layout[MODULE_NAME], r->module, MAX_MODULE) ||
        !read_u64(r, module + r->layout[MODULE_KALLSYMS], &at)) {
        return;
    }
    take_orc(r, module);
    tame(r->module);
    if (r->module[0] && read_symbols(r, at)) {
        write_symbols(r);
    }
    free(r->symbol);
    free(r->types);
    free(r->names);
    r->symbol = NULL;
    r->types = r->names = NULL;
}

void modules_list(struct memory *m, const struct vmcoreinfo *v, uint64_t head,
                  const struct task_layout *layout, FILE *list, struct orc_tables *orc)
{
    struct reader *r = calloc(1, sizeof(*r));
    uint64_t at = head;

    if (r && page_walk_init(&r->walk, m, v)) {
        r->layout = layout->modules;
        r->orc_layout = layout->has_module_orc ? layout->module_orc : NULL;
        r->orc = orc;
        r->list = list;
        for (unsigned i = 0; i < MODULES_MAX && read_u64(r, at, &at) && at != head; i++) {
            take_module(r, at - r->layout[MODULE_LIST]);
        }
    }
    free(r);
}
