/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Procedure linkage tables. The words of arm64 are those that binutils 2.40 assembled and linked,
 * and the slots those that objdump -d shows behind them.
 */
#include <elf.h>
#include <endian.h>
#include <inttypes.h>
#include <libelf.h>
#include <stdio.h>
#include <string.h>

#include "symbols/plt.h"
#include "unit/tests.h"

#define TABLE_AT 0x41fff0u

/* clang-format off */
static const uint32_t code[] = {
    0xa9bf7bf0, 0xb0000090, 0xf947fe11, 0x913fe210, /* The header, with a slot that has no symbol */
    0xd61f0220, 0xd503201f, 0xd503201f, 0xd503201f,
    0xf0fffff0, 0xf9400611, 0x91002210, 0xd61f0220, /* 0x420010: adrp x16, 41f000; the slot + 0x8 */
    0xd503245f, 0x900391b0, 0xf947fe11, 0x913fe210, /* 0x420020: bti c; adrp x16, 7654000; + 0xff8 */
    0xd61f0220, 0xd503201f,
    0xd503245f, 0xb000f930, 0xf9433e11, 0x9119e210, /* 0x420038: bti c; adrp x16, 2345000; + 0x678 */
    0xd503219f, 0xd61f0220,                         /* autia1716; br x17 */
    0x90000090, 0xf9400212, 0xd61f0240,             /* adrp x16, 430000; ldr x18, [x16]; br x18 */
    0x90000091, 0xf9400231, 0xd61f0220,             /* adrp x17, 430000; ldr x17, [x17]; br x17 */
    0x90000410, 0xf9400a11, 0x91004210,             /* 0x420068: adrp x16, 4a0000; + 0x10 */
};
/* clang-format on */

static const char names[] = "\0near\0far\0before\0other\0last";
static const uint64_t slots[] = {0x41f008, 0x7654ff8, 0x2345678, 0x430000, 0x4a0010};

static const char entries[] = ".plt 41fff0 420010\n"
                              "near@plt 420010 420020\n"
                              "far@plt 420020 420034\n"
                              "before@plt 420038 420050\n"
                              "last@plt 420068 420074\n";

enum section {
    NONE,
    CODE,
    RELOCATIONS,
    SYMBOLS,
    NAMES,
    SECTION_NAMES,
    SECTIONS
};

#define MANY 70

static struct {
    Elf64_Ehdr header;
    unsigned char code[176];
    Elf64_Rela relocation[MANY];
    Elf64_Sym symbol[1 + COUNT_OF(slots)];
    char names[300];
    char sections[16];
    Elf64_Shdr section[SECTIONS];
} file;

#define PART(field) .sh_offset = offsetof(__typeof__(file), field), .sh_size = sizeof(file.field)

static const Elf64_Shdr parts[SECTIONS] = {
    [CODE] = {.sh_name = 1,
              .sh_type = SHT_PROGBITS,
              .sh_flags = SHF_ALLOC | SHF_EXECINSTR,
              PART(code)},
    [RELOCATIONS] = {.sh_type = SHT_RELA,
                     .sh_flags = SHF_ALLOC,
                     .sh_link = SYMBOLS,
                     .sh_entsize = sizeof(Elf64_Rela),
                     PART(relocation)},
    [SYMBOLS] = {.sh_type = SHT_DYNSYM,
                 .sh_link = NAMES,
                 .sh_entsize = sizeof(Elf64_Sym),
                 PART(symbol)},
    [NAMES] = {.sh_type = SHT_STRTAB, PART(names)},
    [SECTION_NAMES] = {.sh_type = SHT_STRTAB, PART(sections)},
};

/* Makes a file that has @n bytes of code at an address, in a section with a name. */
static void make_file(uint16_t machine, const char *name, uint64_t address, const void *bytes,
                      size_t n)
{
    size_t at = 1;

    memset(&file, 0, sizeof(file));
    file.header = (Elf64_Ehdr){
        .e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
        .e_type = ET_EXEC,
        .e_machine = machine,
        .e_version = EV_CURRENT,
        .e_ehsize = sizeof(Elf64_Ehdr),
        .e_shoff = offsetof(__typeof__(file), section),
        .e_shentsize = sizeof(Elf64_Shdr),
        .e_shnum = SECTIONS,
        .e_shstrndx = SECTION_NAMES};
    memcpy(file.code, bytes, n);
    memcpy(file.names, names, sizeof(names));
    strcpy(file.sections + 1, name);
    memcpy(file.section, parts, sizeof(parts));
    file.section[CODE].sh_addr = address;
    file.section[CODE].sh_size = n;
    for (size_t i = 0; i < COUNT_OF(slots); i++) {
        file.symbol[i + 1].st_name = (Elf64_Word)at;
        at += strlen(names + at) + 1;
    }
}

static void make_arm64(uint16_t machine)
{
    make_file(machine, ".plt", TABLE_AT, code, sizeof(code));
    for (size_t i = 0; i < COUNT_OF(slots); i++) {
        uint32_t type = i == 0 ? R_AARCH64_GLOB_DAT : R_AARCH64_JUMP_SLOT;

        file.relocation[i] =
            (Elf64_Rela){.r_offset = slots[i], .r_info = ELF64_R_INFO(i + 1, type)};
    }
}

/* An address of x86 code, whose slots are X86_SLOT and so on. CHOOSER chooses a function. */
#define X86_AT 0x1000u
#define X86_SLOT 0x2000u
#define CHOOSER 0x5000

static void make_x86(const char *name, const void *bytes, size_t n)
{
    static const Elf64_Rela relocations[] = {
        {X86_SLOT + 0x18, ELF64_R_INFO(4, R_X86_64_64), 0},
        {X86_SLOT + 0x10, ELF64_R_INFO(0, R_X86_64_IRELATIVE), CHOOSER},
        {X86_SLOT + 0x08, ELF64_R_INFO(2, R_X86_64_JUMP_SLOT), 0},
        {X86_SLOT, ELF64_R_INFO(1, R_X86_64_GLOB_DAT), 0},
        {X86_AT - 0x800, ELF64_R_INFO(3, R_X86_64_JUMP_SLOT), 0},
        /* No entry has these. */
        {1, ELF64_R_INFO(2, R_X86_64_JUMP_SLOT), 0},
        {0, ELF64_R_INFO(2, R_X86_64_JUMP_SLOT), 0},
    };

    make_file(EM_X86_64, name, X86_AT, bytes, n);
    memcpy(file.relocation, relocations, sizeof(relocations));
}

/* Reads the file, and adds what it has to a list. */
static void read_into(struct functions *functions)
{
    struct error t = {0};
    Elf *elf;

    elf_version(EV_CURRENT);
    elf = elf_memory((char *)&file, sizeof(file));
    ck_assert_ptr_nonnull(elf);
    ck_assert_int_eq(plt_add(functions, elf, &t), 0);
    elf_end(elf);
    ck_assert_int_eq(functions_sort(functions, &t), 0);
}

/* Checks the names, starts and ends of entries. */
static void expect(const char *row, const char *wanted)
{
    struct functions functions = {0};
    char text[1024] = "";

    read_into(&functions);
    for (size_t i = 0; i < functions.n; i++) {
        const struct function *f = &functions.function[i];

        snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s %" PRIx64 " %" PRIx64 "\n",
                 f->name, f->start, f->end);
    }
    ck_assert_msg(strcmp(text, wanted) == 0, "%s: expected %s got %s", row, wanted, text);
    functions_free(&functions);
}

START_TEST(arm64_table)
{
    make_arm64(EM_AARCH64);
    expect("arm64", entries);
}
END_TEST

/* The same words are no code of another architecture. */
START_TEST(other_machines)
{
    static const uint16_t machines[] = {EM_X86_64, EM_ARM, EM_RISCV};

    for (size_t i = 0; i < COUNT_OF(machines); i++) {
        struct functions functions = {0};

        make_arm64(machines[i]);
        read_into(&functions);
        ck_assert_msg(!functions_named(&functions, "near@plt"), "machine %u", machines[i]);
        functions_free(&functions);
    }
}
END_TEST

#define NEAR "\xff\x25\xfa\x0f\x00\x00"   /* jmp *0x2000, at 0x1000 */
#define NEAR_8 "\xff\x25\xf2\x0f\x00\x00" /* the same at 0x1008 */
#define FAR_8 "\xff\x25\xfa\x0f\x00\x00"  /* jmp *0x2008, at 0x1008 */
#define FAR_10 "\xff\x25\xf2\x0f\x00\x00" /* the same at 0x1010 */
#define LAZY "\x68\x00\x00\x00\x00\xe9\xe0\xff\xff\xff"
#define HEADER "\xff\x35\x02\x30\x00\x00\xff\x25\x04\x30\x00\x00\x0f\x1f\x40\x00"
#define ENDBR64 "\xf3\x0f\x1e\xfa"
#define NOP_8 "\x0f\x1f\x84\x00\x00\x00\x00\x00"
#define BOTH_8 "near@plt 1000 1008\nfar@plt 1008 1010\n"
#define BOTH_16 "near@plt 1000 1010\nfar@plt 1010 1020\n"
#define BYTES(text) text, sizeof(text) - 1

/*
 * The forms that the psABI (5.2, 13.1) and linkers have. The displacement of a jump is relative to
 * the next instruction.
 */
START_TEST(x86_tables)
{
    static const struct {
        const char *row, *section;
        uint64_t entry;
        const char *code;
        size_t n;
        const char *entries;
    } rows[] = {
        {"lazy", ".plt", 16,
         BYTES(HEADER "\xff\x25\xea\x0f\x00\x00" LAZY "\xff\x25\xe2\x0f\x00\x00" LAZY),
         ".plt 1000 1010\nnear@plt 1010 1020\nfar@plt 1020 1030\n"},
        {"CET, with and without BND", ".plt.sec", 16,
         BYTES(ENDBR64 "\xf2\xff\x25\xf5\x0f\x00\x00\x0f\x1f\x44\x00\x00" ENDBR64
                       "\xff\x25\xee\x0f\x00\x00\x66\x0f\x1f\x44\x00\x00"),
         BOTH_16},
        {"of 8 bytes", ".plt.got", 8, BYTES(NEAR "\x66\x90" FAR_8 "\x66\x90"), BOTH_8},
        {"of 8 bytes, 0 said", ".iplt", 0, BYTES(NEAR "\x66\x90" FAR_8 "\x66\x90"), BOTH_8},
        {"of 8 bytes, 16 said", ".iplt", 16, BYTES(NEAR "\x66\x90" FAR_8 "\x66\x90"), BOTH_8},
        {"of 8 bytes, 24 said", ".iplt", 24, BYTES(NEAR "\x66\x90" FAR_8 "\x66\x90"), BOTH_8},
        {"of 16 bytes, 0 said", ".iplt", 0, BYTES(NEAR LAZY FAR_10 LAZY), BOTH_16},
        {"of 16 bytes, 24 said", ".iplt", 24, BYTES(NEAR LAZY FAR_10 LAZY), BOTH_16},
        {"8 said", ".plt.got", 8, BYTES(NEAR LAZY FAR_10 LAZY),
         "near@plt 1000 1008\nfar@plt 1010 1018\n"},
        {"mold's", ".plt", 16, BYTES(ENDBR64 "\x41\xbb\x01\x00\x00\x00\xff\x25\xf0\x0f\x00\x00"),
         "near@plt 1000 1010\n"},
        {"mold's, longer than it says", ".plt.got", 8,
         BYTES(ENDBR64 "\x41\xbb\x01\x00\x00\x00\xff\x25\xf0\x0f\x00\x00" NOP_8),
         "near@plt 1000 1010\n"},
        {"a slot before the table", ".plt.got", 8, BYTES("\xff\x25\xfa\xf7\xff\xff\x66\x90"),
         "before@plt 1000 1008\n"},
        {"the end of the table", ".plt.got", 16, BYTES(NEAR), "near@plt 1000 1006\n"},
        {"behind the end", ".plt.got", 16, BYTES("\xff\x25\xfa\x0f\x00"), ""},
        {"behind the end, later", ".plt.got", 16, BYTES(NOP_8 "\xff\x25\xf2\x0f\x00"), ""},
        {"only ENDBR64", ".plt.sec", 16, BYTES(ENDBR64), ""},
        {"aligned to 8", ".plt", 16, BYTES(NOP_8 NEAR_8 LAZY),
         ".plt 1000 1008\nnear@plt 1008 1018\n"},
        {"not aligned", ".plt", 16, BYTES("\x90\x90\x90\x90\xff\x25\xf6\x0f\x00\x00"),
         ".plt 1000 100a\n"},
        {"no header", ".plt.sec", 16, BYTES(NOP_8 NEAR_8 LAZY), "near@plt 1008 1018\n"},
        {"an ifunc", ".iplt", 16, BYTES("\xff\x25\x0a\x10\x00\x00" LAZY),
         "*ABS*+0x5000@plt 1000 1010\n"},
        {"filled in otherwise", ".plt.got", 8, BYTES("\xff\x25\x12\x10\x00\x00\x66\x90"), ""},
        {"another section", ".text", 16, BYTES(NEAR LAZY), ""},
        {"other code", ".plt.got", 16, BYTES("\xff\x24\xfa\x0f\x00\x00" LAZY), ""},
        {"other code", ".plt.got", 16, BYTES("\xfe\x25\xfa\x0f\x00\x00" LAZY), ""},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        make_x86(rows[i].section, rows[i].code, rows[i].n);
        file.section[CODE].sh_entsize = rows[i].entry;
        expect(rows[i].row, rows[i].entries);
    }
}
END_TEST

/* Files without entries, and symbols that are not there: an entry without a name is none. */
START_TEST(x86_nonsense)
{
    const struct {
        const char *row;
        void *at;
        uint32_t value;
    } rows[] = {
        {"no code in the file", &file.section[CODE].sh_type, SHT_NOBITS},
        {"relocations that are not loaded", &file.section[RELOCATIONS].sh_flags, 0},
        {"relocations without addends", &file.section[RELOCATIONS].sh_type, SHT_REL},
        {"other symbols", &file.section[SYMBOLS].sh_type, SHT_SYMTAB},
        {"no symbols", &file.section[RELOCATIONS].sh_link, SECTIONS},
        {"no names", &file.section[SYMBOLS].sh_link, SECTIONS},
        {"empty names", &file.section[NAMES].sh_size, 0},
        {"no names of sections", &file.header.e_shstrndx, 0},
        {"a name behind the end", &file.symbol[1].st_name, sizeof(file.names)},
        {"an empty name", &file.symbol[1].st_name, 0},
        {"a symbol behind the end", (char *)&file.relocation[3].r_info + 4, 1 + COUNT_OF(slots)},
        {"a negative symbol", (char *)&file.relocation[3].r_info + 4, UINT32_MAX},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        make_x86(".plt.got", BYTES(NEAR "\x66\x90"));
        file.section[CODE].sh_entsize = 8;
        /* All have 32 bits, but that one 16. */
        memcpy(rows[i].at, &rows[i].value, rows[i].at == &file.header.e_shstrndx ? 2 : 4);
        expect(rows[i].row, "");
    }
}
END_TEST

/* A name is cut after 256 characters, and where the table of names ends. */
START_TEST(x86_long_names)
{
    struct functions functions = {0};
    static const size_t sizes[] = {255, 256, 257, 290};

    for (size_t i = 0; i < COUNT_OF(sizes); i++) {
        make_x86(".plt.got", BYTES(NEAR "\x66\x90"));
        memset(file.names, 'n', sizeof(file.names));
        file.section[NAMES].sh_size = 1 + sizes[i];
        read_into(&functions);
        ck_assert_uint_eq(functions.n, 1);
        ck_assert_uint_eq(strlen(functions.function[0].name), (i ? 256 : 255) + strlen("@plt"));
        functions_free(&functions);
    }
}
END_TEST

/*
 * Of the symbols at the address of a function that chooses, the name is that of the ifunc, and of
 * several ifuncs, of one that is not local. Versions are not shown.
 */
START_TEST(x86_choosers)
{
#define AT(symbol, ...)                                                                            \
    {                                                                                              \
        .start = CHOOSER, .name = (char *)(uintptr_t)(symbol), __VA_ARGS__                         \
    }
#define GLOBAL .binding = FUNCTION_GLOBAL
    static const struct {
        struct function a, b;
        const char *name;
    } rows[] = {
        {AT("called", .chooses = true), AT("chooses", GLOBAL), "called@plt"},
        {AT("local", .chooses = true, .end = CHOOSER + 4), AT("global", .chooses = true, GLOBAL),
         "global@plt"},
        {AT("global", .chooses = true, GLOBAL),
         AT("weak", .chooses = true, .binding = FUNCTION_WEAK), "global@plt"},
        {AT("_first", GLOBAL), AT("first", GLOBAL), "first@plt"},
        {AT("longer"), AT("short"), "longer@plt"},
        {AT("memcpy@@GLIBC_2.14", .chooses = true), AT("other"), "memcpy@plt"},
        {AT("other", .limit = 0),
         {.start = CHOOSER + 1, .name = (char *)(uintptr_t) "near"},
         "other@plt"},
        {{.start = CHOOSER - 1, .name = (char *)(uintptr_t) "near"},
         {.name = (char *)(uintptr_t) "none"},
         "*ABS*+0x5000@plt"},
    };

    for (size_t i = 0; i < 2 * COUNT_OF(rows); i++) {
        const struct function *a = i % 2 ? &rows[i / 2].b : &rows[i / 2].a;
        const struct function *b = i % 2 ? &rows[i / 2].a : &rows[i / 2].b;
        struct functions functions = {0};
        struct error t = {0};

        make_x86(".iplt", BYTES("\xff\x25\x0a\x10\x00\x00" LAZY));
        functions_add(&functions, a, &t);
        functions_add(&functions, b, &t);
        read_into(&functions);
        ck_assert_msg(functions_named(&functions, rows[i / 2].name), "row %zu", i);
        functions_free(&functions);
    }
}
END_TEST

/* More slots than fit at first, in the opposite order of their addresses and of their functions. */
START_TEST(x86_many_choosers)
{
    static unsigned char bytes[8 * 20];
    struct functions functions = {0};
    struct error t = {0};
    char name[16];

    for (uint32_t i = 0; i < 20; i++) {
        uint32_t displacement = htole32(X86_SLOT + 8 * i - (X86_AT + 8 * i + 6));

        memcpy(bytes + 8 * i, "\xff\x25", 2);
        memcpy(bytes + 8 * i + 2, &displacement, 4);
        snprintf(name, sizeof(name), "f%u", i / 2);
        functions_add(&functions,
                      &(struct function){.start = CHOOSER + i / 2, .name = name, .chooses = true},
                      &t);
    }
    make_x86(".iplt", bytes, sizeof(bytes));
    for (uint32_t i = 0; i < MANY; i++) {
        file.relocation[MANY - 1 - i] = (Elf64_Rela){
            X86_SLOT + 8 * i, ELF64_R_INFO(0, R_X86_64_IRELATIVE), CHOOSER + (i ^ 2) / 2};
    }
    read_into(&functions);
    for (uint32_t i = 0; i < 20; i++) {
        const struct function *f = functions_find(&functions, X86_AT + 8 * i);

        snprintf(name, sizeof(name), "f%u@plt", (i ^ 2) / 2);
        ck_assert_msg(f && strcmp(f->name, name) == 0, "entry %u: %s", i, f ? f->name : "none");
    }
    functions_free(&functions);
}
END_TEST

Suite *plt_suite(void)
{
    const TTest *const tests[] = {arm64_table,    other_machines, x86_tables,       x86_nonsense,
                                  x86_long_names, x86_choosers,   x86_many_choosers};

    return suite_of("plt", tests, COUNT_OF(tests));
}
