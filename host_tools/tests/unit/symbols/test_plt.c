/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A procedure linkage table of arm64. The words are those that binutils 2.40 assembled and linked,
 * and the slots those that objdump -d shows behind them.
 */
#include <elf.h>
#include <libelf.h>
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

static const struct function entries[] = {
    {.name = ".plt", .start = TABLE_AT, .end = 0x420010},
    {.name = "near@plt", .start = 0x420010, .end = 0x420020},
    {.name = "far@plt", .start = 0x420020, .end = 0x420034},
    {.name = "before@plt", .start = 0x420038, .end = 0x420050},
    {.name = "last@plt", .start = 0x420068, .end = 0x420074},
};

enum section {
    NONE,
    CODE,
    RELOCATIONS,
    SYMBOLS,
    NAMES,
    SECTION_NAMES,
    SECTIONS
};

static struct {
    Elf64_Ehdr header;
    uint32_t code[COUNT_OF(code)];
    Elf64_Rela relocation[COUNT_OF(slots)];
    Elf64_Sym symbol[1 + COUNT_OF(slots)];
    char names[sizeof(names)];
    char sections[16];
    Elf64_Shdr section[SECTIONS];
} file;

#define PART(field) .sh_offset = offsetof(__typeof__(file), field), .sh_size = sizeof(file.field)

static void make_file(uint16_t machine)
{
    static const Elf64_Shdr section[SECTIONS] = {
        [CODE] = {.sh_name = 1,
                  .sh_type = SHT_PROGBITS,
                  .sh_flags = SHF_ALLOC | SHF_EXECINSTR,
                  .sh_addr = TABLE_AT,
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
    memcpy(file.code, code, sizeof(code));
    memcpy(file.names, names, sizeof(names));
    strcpy(file.sections + 1, ".plt");
    memcpy(file.section, section, sizeof(section));
    for (size_t i = 0; i < COUNT_OF(slots); i++) {
        uint32_t type = i == 0 ? R_AARCH64_GLOB_DAT : R_AARCH64_JUMP_SLOT;

        file.relocation[i] =
            (Elf64_Rela){.r_offset = slots[i], .r_info = ELF64_R_INFO(i + 1, type)};
        file.symbol[i + 1].st_name = (Elf64_Word)at;
        at += strlen(names + at) + 1;
    }
}

static struct functions read_file(uint16_t machine)
{
    struct functions functions = {0};
    struct error t = {0};
    Elf *elf;

    make_file(machine);
    elf_version(EV_CURRENT);
    elf = elf_memory((char *)&file, sizeof(file));
    ck_assert_ptr_nonnull(elf);
    ck_assert_int_eq(plt_add(&functions, elf, &t), 0);
    elf_end(elf);
    return functions;
}

START_TEST(arm64_table)
{
    struct functions functions = read_file(EM_AARCH64);
    struct error t = {0};

    ck_assert_int_eq(functions_sort(&functions, &t), 0);
    ck_assert_uint_eq(functions.n, COUNT_OF(entries));
    for (size_t i = 0; i < functions.n; i++) {
        const struct function *f = &functions.function[i];

        ck_assert_str_eq(f->name, entries[i].name);
        ck_assert_msg(f->start == entries[i].start && f->end == entries[i].end,
                      "%s: %#llx to %#llx", f->name, (unsigned long long)f->start,
                      (unsigned long long)f->end);
    }
    functions_free(&functions);
}
END_TEST

/* The same words are no code of another architecture. */
START_TEST(other_machines)
{
    static const uint16_t machines[] = {EM_X86_64, EM_ARM, EM_RISCV};

    for (size_t i = 0; i < COUNT_OF(machines); i++) {
        struct functions functions = read_file(machines[i]);

        ck_assert_msg(!functions_named(&functions, "near@plt"), "machine %u", machines[i]);
        functions_free(&functions);
    }
}
END_TEST

Suite *plt_suite(void)
{
    const TTest *const tests[] = {arm64_table, other_machines};

    return suite_of("plt", tests, COUNT_OF(tests));
}
