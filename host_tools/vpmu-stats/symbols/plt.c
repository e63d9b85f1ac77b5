/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Linkers write an entry for each relocation of .rela.plt, in their order. With Intel's CET,
 * programs call the entries of a second table, .plt.sec, which has no header. (System V ABI for
 * AMD64, 5.2 and 13.1; ELF for the Arm 64-bit architecture.) The guest may have made the file.
 */
#include "symbols/plt.h"

#include <gelf.h>
#include <stdio.h>
#include <string.h>

#define ENTRY 16u
/* The longest name. Longer ones are truncated. */
#define MAX_NAME 256

/**
 * struct tables - the sections
 * @entries: the address of the entry that belongs to the first relocation, or 0.
 */
struct tables {
    Elf_Scn *relocations;
    uint64_t entries;
    uint64_t end;
};

/* The first entry of .plt serves the others. */
static uint64_t header_of(Elf *elf)
{
    GElf_Ehdr header;

    return gelf_getehdr(elf, &header) && header.e_machine == EM_AARCH64 ? 2 * ENTRY : ENTRY;
}

static void take_section(struct tables *tables, Elf *elf, Elf_Scn *section, const char *name,
                         const GElf_Shdr *header)
{
    bool is_second = strcmp(name, ".plt.sec") == 0;

    if (strcmp(name, ".rela.plt") == 0 && header->sh_type == SHT_RELA) {
        tables->relocations = section;
    } else if (is_second || (strcmp(name, ".plt") == 0 && !tables->entries)) {
        tables->entries = header->sh_addr + (is_second ? 0 : header_of(elf));
        tables->end = header->sh_addr + header->sh_size;
    }
}

static struct tables find_tables(Elf *elf)
{
    struct tables tables = {0};
    Elf_Scn *section = NULL;
    GElf_Shdr header;
    size_t names;

    if (elf_getshdrstrndx(elf, &names)) {
        return tables;
    }
    while ((section = elf_nextscn(elf, section))) {
        const char *name =
            gelf_getshdr(section, &header) ? elf_strptr(elf, names, header.sh_name) : NULL;

        if (name) {
            take_section(&tables, elf, section, name, &header);
        }
    }
    return tables;
}

/* struct symbols_of - the symbols that relocations refer to, and their names */
struct symbols_of {
    Elf_Data *table;
    Elf_Data *names;
};

static bool find_symbols(struct symbols_of *symbols, Elf *elf, size_t index)
{
    Elf_Scn *section = elf_getscn(elf, index);
    GElf_Shdr header;

    if (!section || !gelf_getshdr(section, &header) || header.sh_type != SHT_DYNSYM) {
        return false;
    }
    symbols->table = elf_getdata(section, NULL);
    symbols->names = elf_getdata(elf_getscn(elf, header.sh_link), NULL);
    return symbols->table && symbols->names && symbols->names->d_buf;
}

/* In a file that somebody has made up, each name can be as long as the file. */
static int add(struct functions *functions, const struct symbols_of *symbols,
               const GElf_Rela *relocation, uint64_t start, struct error *t)
{
    const Elf_Data *names = symbols->names;
    uint64_t index = GELF_R_SYM(relocation->r_info);
    char name[MAX_NAME + sizeof("@plt")];
    GElf_Sym symbol;
    size_t left;

    if (index > INT32_MAX || !gelf_getsym(symbols->table, (int)index, &symbol) ||
        symbol.st_name >= names->d_size) {
        return 0;
    }
    left = names->d_size - symbol.st_name;
    snprintf(name, sizeof(name), "%.*s@plt", left < MAX_NAME ? (int)left : MAX_NAME,
             (const char *)names->d_buf + symbol.st_name);
    return *name == '@'
               ? 0
               : functions_add(
                     functions,
                     &(struct function){.start = start, .end = start + ENTRY, .name = name}, t);
}

int plt_add(struct functions *functions, Elf *elf, struct error *t)
{
    struct tables tables = find_tables(elf);
    struct symbols_of symbols;
    GElf_Rela relocation;
    GElf_Shdr header;
    Elf_Data *data;
    int err = 0;

    if (!tables.relocations || !tables.entries || !gelf_getshdr(tables.relocations, &header) ||
        !find_symbols(&symbols, elf, header.sh_link)) {
        return 0;
    }
    data = elf_getdata(tables.relocations, NULL);
    for (int i = 0; data && !err && gelf_getrela(data, i, &relocation); i++) {
        uint64_t start = tables.entries + (uint64_t)i * ENTRY;

        if (start + ENTRY > tables.end) {
            break;
        }
        err = add(functions, &symbols, &relocation, start, t);
    }
    return err;
}
