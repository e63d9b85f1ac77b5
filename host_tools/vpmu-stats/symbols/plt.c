/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Linkers write an entry for each relocation of .rela.plt, in their order. With Intel's CET,
 * programs call the entries of a second table, .plt.sec, which has no header. (System V ABI for
 * AMD64, 5.2 and 13.1; ELF for the Arm 64-bit architecture.)
 *
 * On x86-64, a function whose address the program needs as well has an entry in .plt.got, which is
 * a jump to the address in a slot. A relocation of .rela.dyn fills in that slot.
 *
 * The guest may have made the file.
 */
#include "symbols/plt.h"

#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ENTRY 16u
/* The longest name. Longer ones are truncated. */
#define MAX_NAME 256

/**
 * struct tables - the sections
 * @relocations: .rela.plt.
 * @entries: the address of the entry that belongs to the first relocation, or 0.
 * @dynamic: .rela.dyn.
 * @got: .plt.got.
 */
struct tables {
    Elf_Scn *relocations;
    uint64_t entries;
    uint64_t end;
    Elf_Scn *dynamic;
    Elf_Scn *got;
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
    } else if (strcmp(name, ".rela.dyn") == 0 && header->sh_type == SHT_RELA) {
        tables->dynamic = section;
    } else if (strcmp(name, ".plt.got") == 0) {
        tables->got = section;
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
               const GElf_Rela *relocation, uint64_t start, uint64_t end, struct error *t)
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
               : functions_add(functions,
                               &(struct function){.start = start, .end = end, .name = name}, t);
}

static int add_entries(struct functions *functions, Elf *elf, const struct tables *tables,
                       struct error *t)
{
    struct symbols_of symbols;
    GElf_Rela relocation;
    GElf_Shdr header;
    Elf_Data *data;
    int err = 0;

    if (!tables->relocations || !tables->entries || !gelf_getshdr(tables->relocations, &header) ||
        !find_symbols(&symbols, elf, header.sh_link)) {
        return 0;
    }
    data = elf_getdata(tables->relocations, NULL);
    for (int i = 0; data && !err && gelf_getrela(data, i, &relocation); i++) {
        uint64_t start = tables->entries + (uint64_t)i * ENTRY;

        if (start + ENTRY > tables->end) {
            break;
        }
        err = add(functions, &symbols, &relocation, start, start + ENTRY, t);
    }
    return err;
}

/* struct slots - the relocations that fill in slots, in the order of these */
struct slots {
    GElf_Rela *relocation;
    size_t n;
};

static int compare_slots(const void *a, const void *b)
{
    const GElf_Rela *left = a;
    const GElf_Rela *right = b;

    return left->r_offset < right->r_offset ? -1 : left->r_offset > right->r_offset;
}

static int read_slots(struct slots *slots, Elf_Data *data, struct error *t)
{
    GElf_Rela relocation;

    slots->relocation = calloc(data->d_size / sizeof(Elf32_Rela) + 1, sizeof(relocation));
    if (!slots->relocation) {
        return error_memory(t);
    }
    for (int i = 0; gelf_getrela(data, i, &relocation); i++) {
        if (GELF_R_TYPE(relocation.r_info) == R_X86_64_GLOB_DAT) {
            slots->relocation[slots->n++] = relocation;
        }
    }
    qsort(slots->relocation, slots->n, sizeof(*slots->relocation), compare_slots);
    return 0;
}

/* The address of the pointer that an entry jumps through (FF 25 DISPLACEMENT), or 0. */
static uint64_t slot_of(const unsigned char *code, size_t size, uint64_t address)
{
    static const unsigned char endbr[] = {0xf3, 0x0f, 0x1e, 0xfa};
    size_t at = size > sizeof(endbr) && memcmp(code, endbr, sizeof(endbr)) == 0 ? 4 : 0;
    int32_t displacement;

    at += at < size && code[at] == 0xf2; /* BND */
    if (at + 6 > size || code[at] != 0xff || code[at + 1] != 0x25) {
        return 0;
    }
    memcpy(&displacement, code + at + 2, sizeof(displacement));
    return address + at + 6 + (uint64_t)(int64_t)displacement;
}

static int add_jumps(struct functions *functions, const struct symbols_of *symbols,
                     const struct slots *slots, const GElf_Shdr *got, const Elf_Data *code,
                     struct error *t)
{
    size_t entry = got->sh_entsize == ENTRY ? ENTRY : ENTRY / 2;
    int err = 0;

    for (size_t at = 0; !err && at + entry <= code->d_size; at += entry) {
        const GElf_Rela wanted = {
            .r_offset = slot_of((const unsigned char *)code->d_buf + at, entry, got->sh_addr + at)};
        const GElf_Rela *found =
            bsearch(&wanted, slots->relocation, slots->n, sizeof(wanted), compare_slots);

        if (found) {
            err = add(functions, symbols, found, got->sh_addr + at, got->sh_addr + at + entry, t);
        }
    }
    return err;
}

static int add_got(struct functions *functions, Elf *elf, const struct tables *tables,
                   struct error *t)
{
    Elf_Data *relocations = tables->dynamic ? elf_getdata(tables->dynamic, NULL) : NULL;
    Elf_Data *code = tables->got ? elf_getdata(tables->got, NULL) : NULL;
    struct symbols_of symbols;
    struct slots slots = {0};
    GElf_Ehdr elf_header;
    GElf_Shdr header;
    int err;

    if (!relocations || !code || !code->d_buf || !gelf_getehdr(elf, &elf_header) ||
        elf_header.e_machine != EM_X86_64 || !gelf_getshdr(tables->dynamic, &header) ||
        !find_symbols(&symbols, elf, header.sh_link) || !gelf_getshdr(tables->got, &header)) {
        return 0;
    }
    err = read_slots(&slots, relocations, t);
    err = err ? err : add_jumps(functions, &symbols, &slots, &header, code, t);
    free(slots.relocation);
    return err;
}

int plt_add(struct functions *functions, Elf *elf, struct error *t)
{
    struct tables tables = find_tables(elf);

    return add_entries(functions, elf, &tables, t) || add_got(functions, elf, &tables, t) ? -1 : 0;
}
