/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An entry jumps to the address in a slot, which a relocation fills in: so the slot, and not its
 * place in the table, shows which function an entry is for. Linkers write the entries of functions
 * that a program chooses when it starts (ifuncs) and of others in another order than their
 * relocations. With Intel's CET, programs call the entries of a second table, .plt.sec. On x86-64,
 * a function whose address the program needs as well has an entry in .plt.got. (System V ABI for
 * AMD64, 5.2 and 13.1; ELF for the Arm 64-bit architecture.)
 *
 * The guest may have made the file.
 */
#include "symbols/plt.h"

#include <endian.h>
#include <gelf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The longest name. Longer ones are truncated. */
#define MAX_NAME 256
/* A table, or the part of it that belongs to no function: the header, as perf calls it. */
#define TABLE ".plt"
/* The size of an entry, unless the table says that it is another one. */
#define ENTRY 16u

/**
 * struct slot - a slot, and what fills it in
 * @symbols, @symbol: the number of the section with symbols, and that of the symbol.
 * @chooser: the address of the function that chooses the one to call, if there is no symbol.
 * @named: the number of this function plus 1, or 0.
 */
struct slot {
    uint64_t address;
    size_t symbols;
    uint64_t symbol, chooser;
    size_t named;
};

/* struct slots - in the order of their addresses */
struct slots {
    struct slot *slot;
    size_t n, room;
};

/**
 * struct machine - what entries are on a machine
 * @step: they are aligned to so many bytes.
 * @entry: finds the slot of an entry, or 0. Of the @size bytes of code at @address, *@length is
 *     set to those of the entry.
 */
struct machine {
    unsigned named, jump, chosen;
    size_t step;
    uint64_t (*entry)(const unsigned char *code, size_t size, uint64_t address, size_t *length);
};

/* Has the code these bytes there? */
static size_t skip(const unsigned char *code, size_t size, size_t at, const char *bytes, size_t n)
{
    return at <= size && size - at >= n && memcmp(code + at, bytes, n) == 0 ? at + n : at;
}

/* FF 25 DISPLACEMENT, behind ENDBR64, mold's MOV of a number to R11D, or BND */
static uint64_t x86_entry(const unsigned char *code, size_t size, uint64_t address, size_t *length)
{
    size_t at = skip(code, size, 0, "\xf3\x0f\x1e\xfa", 4);
    size_t moved = skip(code, size, at, "\x41\xbb", 2);
    int32_t displacement;

    at = moved == at ? at : moved + 4;
    at = skip(code, size, at, "\xf2", 1);
    if (at + 6 > size || code[at] != 0xff || code[at + 1] != 0x25) {
        return 0;
    }
    memcpy(&displacement, code + at + 2, sizeof(displacement));
    *length = at + 6;
    return address + at + 6 + (uint64_t)(int64_t)(int32_t)le32toh((uint32_t)displacement);
}

static uint32_t arm64_word(const unsigned char *code, size_t size, size_t at)
{
    uint32_t word = 0;

    if (at <= size && size - at >= sizeof(word)) {
        memcpy(&word, code + at, sizeof(word));
    }
    return le32toh(word);
}

/* BTI C, which may be missing; ADRP X16, PAGE; LDR X17, [X16, OFFSET]; and so on until BR X17 */
static uint64_t arm64_entry(const unsigned char *code, size_t size, uint64_t address,
                            size_t *length)
{
    size_t at = arm64_word(code, size, 0) == 0xd503245f ? 4 : 0;
    uint32_t adrp = arm64_word(code, size, at), ldr = arm64_word(code, size, at + 4);
    uint64_t pages = (adrp >> 5 & 0x7ffff) << 2 | (adrp >> 29 & 3);

    if ((adrp & 0x9f00001f) != 0x90000010 || (ldr & 0xffc003ff) != 0xf9400211) {
        return 0;
    }
    /* The number of pages has 21 bits and a sign. */
    pages = (pages ^ 0x100000) - 0x100000;
    *length = at + 8;
    while (*length < size && *length < at + 20 &&
           arm64_word(code, size, *length - 4) != 0xd61f0220) {
        *length += 4;
    }
    return ((address + at) & ~0xfffull) + (pages << 12) + ((ldr >> 10 & 0xfff) << 3);
}

static const struct machine machine_x86 = {R_X86_64_GLOB_DAT, R_X86_64_JUMP_SLOT,
                                           R_X86_64_IRELATIVE, 8, x86_entry};
static const struct machine machine_arm64 = {R_AARCH64_GLOB_DAT, R_AARCH64_JUMP_SLOT,
                                             R_AARCH64_IRELATIVE, 4, arm64_entry};

static const struct machine *machine_of(Elf *elf)
{
    GElf_Ehdr header;

    if (!gelf_getehdr(elf, &header) || gelf_getclass(elf) != ELFCLASS64) {
        return NULL;
    }
    return header.e_machine == EM_X86_64    ? &machine_x86
           : header.e_machine == EM_AARCH64 ? &machine_arm64
                                            : NULL;
}

/*
 * Slots
 */

static int add_slot(struct slots *slots, const struct slot *slot, struct error *t)
{
    if (slots->n == slots->room) {
        size_t room = slots->room ? 2 * slots->room : 64;
        struct slot *more = reallocarray(slots->slot, room, sizeof(*more));

        if (!more) {
            return error_memory(t);
        }
        slots->slot = more;
        slots->room = room;
    }
    slots->slot[slots->n++] = *slot;
    return 0;
}

static int read_relocations(struct slots *slots, const struct machine *m, Elf_Scn *section,
                            size_t symbols, struct error *t)
{
    Elf_Data *data = elf_getdata(section, NULL);
    GElf_Rela relocation;
    int err = 0;

    for (int i = 0; data && !err && gelf_getrela(data, i, &relocation); i++) {
        uint64_t type = GELF_R_TYPE(relocation.r_info);
        struct slot slot = {.address = relocation.r_offset, .symbols = symbols};

        if (type == m->chosen) {
            slot.chooser = (uint64_t)relocation.r_addend;
        } else if (type == m->named || type == m->jump) {
            slot.symbol = GELF_R_SYM(relocation.r_info);
        } else {
            continue;
        }
        err = add_slot(slots, &slot, t);
    }
    return err;
}

static int compare_slots(const void *a, const void *b)
{
    const struct slot *left = a;
    const struct slot *right = b;

    return left->address < right->address ? -1 : left->address > right->address;
}

static int compare_choosers(const void *a, const void *b)
{
    const struct slot *left = a;
    const struct slot *right = b;

    return left->chooser < right->chooser ? -1 : left->chooser > right->chooser;
}

static void sort_slots(const struct slots *slots, int (*compare)(const void *, const void *))
{
    if (slots->n) {
        qsort(slots->slot, slots->n, sizeof(*slots->slot), compare);
    }
}

/* The first slot of a function that chooses. The slots are in the order of these functions. */
static size_t first_chosen(const struct slots *slots, uint64_t chooser)
{
    size_t low = 0, high = slots->n;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (slots->slot[middle].chooser < chooser) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/*
 * The symbol of an ifunc has the name by which it is called, another one that of its resolver.
 * Others know the ifunc by a name that is not local.
 */
static bool is_better(const struct function *f, const struct function *other)
{
    bool local = f->binding == FUNCTION_LOCAL, other_local = other->binding == FUNCTION_LOCAL;

    if (f->chooses != other->chooses) {
        return f->chooses;
    }
    return f->chooses && local != other_local ? other_local : functions_better(f, other);
}

static void name_choosers(const struct slots *slots, const struct functions *functions)
{
    sort_slots(slots, compare_choosers);
    for (size_t i = 0; i < functions->n; i++) {
        const struct function *f = &functions->function[i];

        for (size_t k = first_chosen(slots, f->start);
             f->start && k < slots->n && slots->slot[k].chooser == f->start; k++) {
            size_t *named = &slots->slot[k].named;

            if (!*named || is_better(f, &functions->function[*named - 1])) {
                *named = i + 1;
            }
        }
    }
    sort_slots(slots, compare_slots);
}

static int read_slots(struct slots *slots, const struct machine *m, Elf *elf, struct error *t)
{
    Elf_Scn *section = NULL;
    GElf_Shdr header;
    int err = 0;

    while (!err && (section = elf_nextscn(elf, section))) {
        if (gelf_getshdr(section, &header) && header.sh_type == SHT_RELA &&
            header.sh_flags & SHF_ALLOC) {
            err = read_relocations(slots, m, section, header.sh_link, t);
        }
    }
    return err;
}

/*
 * Names
 */

/* In a file that somebody has made up, each name can be as long as the file. */
static void take_symbol(char name[MAX_NAME + 1], Elf *elf, const struct slot *slot)
{
    Elf_Scn *section = elf_getscn(elf, slot->symbols);
    Elf_Data *table, *names;
    GElf_Shdr header;
    GElf_Sym symbol;
    size_t left;

    if (!section || !gelf_getshdr(section, &header) || header.sh_type != SHT_DYNSYM ||
        slot->symbol > INT32_MAX) {
        return;
    }
    table = elf_getdata(section, NULL);
    names = elf_getdata(elf_getscn(elf, header.sh_link), NULL);
    if (!table || !names || !names->d_buf || !gelf_getsym(table, (int)slot->symbol, &symbol) ||
        symbol.st_name >= names->d_size) {
        return;
    }
    left = names->d_size - symbol.st_name;
    snprintf(name, MAX_NAME + 1, "%.*s", left < MAX_NAME ? (int)left : MAX_NAME,
             (const char *)names->d_buf + symbol.st_name);
}

/* The name of an ifunc is that of the function that chooses. Without one, it is that of objdump. */
static void take_chooser(char name[MAX_NAME + 1], const struct functions *functions,
                         const struct slot *slot)
{
    if (slot->named) {
        const char *whole = functions->function[slot->named - 1].name;

        /* Debug files have the version, too: "memcpy@@GLIBC_2.14". */
        snprintf(name, MAX_NAME + 1, "%.*s", (int)strcspn(whole, "@"), whole);
    } else {
        snprintf(name, MAX_NAME + 1, "*ABS*+0x%" PRIx64, slot->chooser);
    }
}

/**
 * struct table - a section with entries
 * @has_header: its first entry may serve the others.
 */
struct table {
    GElf_Shdr header;
    const Elf_Data *code;
    bool has_header;
};

/** struct plt - a file, and the list that its entries are added to */
struct plt {
    Elf *elf;
    const struct machine *machine;
    struct slots slots;
    struct functions *functions;
};

static int add_range(const struct plt *p, const char *name, const char *behind, uint64_t start,
                     uint64_t end, struct error *t)
{
    char both[MAX_NAME + sizeof("@plt")];

    snprintf(both, sizeof(both), "%s%s", name, behind);
    return functions_add(p->functions, &(struct function){.start = start, .end = end, .name = both},
                         t);
}

static int add_entry(const struct plt *p, const struct slot *slot, uint64_t start, uint64_t end,
                     struct error *t)
{
    char name[MAX_NAME + 1] = "";

    if (slot->chooser) {
        take_chooser(name, p->functions, slot);
    } else {
        take_symbol(name, p->elf, slot);
    }
    return *name ? add_range(p, name, "@plt", start, end, t) : 0;
}

static const struct slot *find_slot(const struct slots *slots, uint64_t address)
{
    const struct slot wanted = {.address = address};

    return address && slots->n
               ? bsearch(&wanted, slots->slot, slots->n, sizeof(wanted), compare_slots)
               : NULL;
}

/* Return: the slot of the entry at an offset; NULL if there is no entry. */
static const struct slot *slot_at(const struct plt *p, const struct table *table, size_t at,
                                  size_t *length)
{
    const unsigned char *code = table->code->d_buf;

    return at < table->code->d_size
               ? find_slot(&p->slots, p->machine->entry(code + at, table->code->d_size - at,
                                                        table->header.sh_addr + at, length))
               : NULL;
}

/* The length of an entry, whose code has @length bytes. Static programs do not say it. */
static size_t length_of(const struct plt *p, const struct table *table, size_t at, size_t length)
{
    uint64_t said = table->header.sh_entsize;
    size_t room = said == ENTRY / 2 || said == ENTRY ? (size_t)said : ENTRY, ignored;

    if (room == ENTRY && slot_at(p, table, at + ENTRY / 2, &ignored)) {
        room = ENTRY / 2;
    }
    room = room < length ? length : room;
    return room < table->code->d_size - at ? room : table->code->d_size - at;
}

static int add_table(const struct plt *p, const struct table *table, struct error *t)
{
    uint64_t address = table->header.sh_addr;
    size_t size = table->code->d_size, next, first = size;
    int err = 0;

    for (size_t at = 0; at < size && !err; at = next) {
        size_t length = 0;
        const struct slot *found = slot_at(p, table, at, &length);

        next = at + p->machine->step;
        if (found) {
            length = length_of(p, table, at, length);
            err = add_entry(p, found, address + at, address + at + length, t);
            next = at + length;
            first = first < at ? first : at;
        }
    }
    return !err && table->has_header && first > 0
               ? add_range(p, TABLE, "", address, address + first, t)
               : err;
}

static bool find_table(struct table *table, Elf *elf, Elf_Scn *section, size_t names)
{
    static const char *const tables[] = {TABLE, ".plt.sec", ".plt.got", ".iplt"};
    const char *name = NULL;
    bool is = false;

    if (gelf_getshdr(section, &table->header) && table->header.sh_type == SHT_PROGBITS) {
        name = elf_strptr(elf, names, table->header.sh_name);
    }
    for (size_t i = 0; name && i < sizeof(tables) / sizeof(tables[0]); i++) {
        is |= strcmp(name, tables[i]) == 0;
    }
    if (!is) {
        return false;
    }
    table->code = elf_getdata(section, NULL);
    table->has_header = strcmp(name, TABLE) == 0;
    return table->code && table->code->d_buf;
}

static int add_tables(const struct plt *p, struct error *t)
{
    Elf_Scn *section = NULL;
    struct table table;
    size_t names;
    int err = 0;

    if (elf_getshdrstrndx(p->elf, &names)) {
        return 0;
    }
    while (!err && (section = elf_nextscn(p->elf, section))) {
        if (find_table(&table, p->elf, section, names)) {
            err = add_table(p, &table, t);
        }
    }
    return err;
}

int plt_add(struct functions *functions, Elf *elf, struct error *t)
{
    struct plt p = {.elf = elf, .machine = machine_of(elf), .functions = functions};
    int err = p.machine ? read_slots(&p.slots, p.machine, elf, t) : 0;

    if (!err && p.machine) {
        name_choosers(&p.slots, functions);
        err = add_tables(&p, t);
    }
    free(p.slots.slot);
    return err;
}
