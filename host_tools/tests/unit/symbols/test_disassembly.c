/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ELF files with a few instructions. Their text is that of the Arm ARM and of AT&T. */
#include "symbols/disassembly.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "symbols/elffile.h"
#include "unit/tests.h"

#define ADDRESS 0x1000u
#define CODE (sizeof(Elf64_Ehdr) + 4 * sizeof(Elf64_Shdr))

/* How the file says where its code is. */
enum place {
    SECTION,
    SEGMENT,
    NOBITS,
    DATA,
    NAMED, /* with the symbols outer and inner, of 8 bytes each */
    THUMB, /* the same, whose addresses are odd */
};

/* Adds symbols behind the code. */
static void add_symbols(unsigned char bytes[CODE + 256], bool thumb)
{
    static const char names[] = "\0outer\0inner";
    const Elf64_Sym symbols[] = {
        {.st_name = 0},
        {1, ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), STV_DEFAULT, 1, ADDRESS + thumb, 8},
        {7, ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), STV_DEFAULT, 1, ADDRESS + 8 + thumb, 8}};
    const Elf64_Shdr sections[] = {{.sh_type = SHT_SYMTAB,
                                    .sh_offset = CODE + 64,
                                    .sh_size = sizeof(symbols),
                                    .sh_link = 3,
                                    .sh_entsize = sizeof(symbols[0])},
                                   {.sh_type = SHT_STRTAB,
                                    .sh_offset = CODE + 64 + sizeof(symbols),
                                    .sh_size = sizeof(names)}};

    memcpy(bytes + CODE - sizeof(sections), sections, sizeof(sections));
    memcpy(bytes + CODE + 64, symbols, sizeof(symbols));
    memcpy(bytes + CODE + 64 + sizeof(symbols), names, sizeof(names));
}

/* Writes a file that has @n bytes of code at ADDRESS, of which the last @cut are missing. */
static void make_file(char path[sizeof(TEMPORARY_PATH)], unsigned machine, enum place place,
                      const char *code, size_t n, size_t cut)
{
    unsigned char bytes[CODE + 256] = {0};
    Elf64_Ehdr head = {
        .e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
        .e_type = ET_EXEC,
        .e_machine = (Elf64_Half)machine,
        .e_version = EV_CURRENT,
        .e_ehsize = sizeof(head),
        .e_phentsize = sizeof(Elf64_Phdr),
        .e_shentsize = sizeof(Elf64_Shdr)};
    Elf64_Shdr section = {.sh_type = place == NOBITS ? SHT_NOBITS : SHT_PROGBITS,
                          .sh_flags = SHF_ALLOC | (place == DATA ? 0 : SHF_EXECINSTR),
                          .sh_addr = ADDRESS,
                          .sh_offset = CODE,
                          .sh_size = n};
    Elf64_Phdr segment = {.p_type = PT_LOAD, .p_vaddr = ADDRESS, .p_offset = CODE, .p_filesz = n};
    Elf64_Phdr other = {.p_type = PT_NOTE, .p_vaddr = ADDRESS, .p_filesz = n};

    if (place == SEGMENT) {
        head.e_phoff = sizeof(head);
        head.e_phnum = 2;
        memcpy(bytes + sizeof(head), &other, sizeof(other));
        memcpy(bytes + sizeof(head) + sizeof(other), &segment, sizeof(segment));
    } else {
        head.e_shoff = sizeof(head);
        head.e_shnum = place >= NAMED ? 4 : 2;
        memcpy(bytes + sizeof(head) + sizeof(section), &section, sizeof(section));
    }
    if (place >= NAMED) {
        add_symbols(bytes, place == THUMB);
    }
    memcpy(bytes, &head, sizeof(head));
    memcpy(bytes + CODE, code, n);
    make_temporary(path, bytes, place >= NAMED ? sizeof(bytes) : CODE + n - cut);
}

START_TEST(instructions)
{
    static const struct {
        unsigned machine;
        enum place place;
        const char *code;
        size_t n;
        unsigned start, end; /* from ADDRESS on */
        const char *text;
    } rows[] = {
        {EM_AARCH64, SECTION, "\x1f\x20\x03\xd5\xc0\x03\x5f\xd6", 8, 0, 8,
         "    1000:\tnop\n    1004:\tret\n"},
        {EM_AARCH64, SECTION, "\x1f\x20\x03\xd5\xc0\x03\x5f\xd6", 8, 4, 100, "    1004:\tret\n"},
        {EM_AARCH64, SECTION, "\x1f\x20\x03\xd5\xc0\x03\x5f\xd6", 8, 0, 4, "    1000:\tnop\n"},
        {EM_AARCH64, SEGMENT, "\x1f\x20\x03\xd5\xc0\x03\x5f\xd6", 8, 4, 100, "    1004:\tret\n"},
        /* BTI c and an instruction that is not allocated. */
        {EM_AARCH64, SECTION, "\x5f\x24\x03\xd5\x78\x56\x00\x00\x1f\x20\x03\xd5", 12, 0, 12,
         "    1000:\tbti\tc\n    1004:\t.inst\t0x00005678\n    1008:\tnop\n"},
        {EM_AARCH64, SECTION, "\x1f\x20\x03\xd5\x11\x22\x33", 7, 0, 7,
         "    1000:\tnop\n    1004:\t.inst\t0x332211\n"},
        {EM_X86_64, SECTION, "\x48\x89\xe5\xc3", 4, 0, 4,
         "    1000:\tmovq\t%rsp, %rbp\n    1003:\tretq\n"},
        {EM_X86_64, SECTION, "\x06\x90", 2, 0, 2, "    1000:\t.byte\t0x06\n    1001:\tnop\n"},
        {EM_ARM, SECTION, "\x00\xf0\x20\xe3\x1e\xff\x2f\xe1", 8, 0, 8,
         "    1000:\tnop\n    1004:\tbx\tlr\n"},
        {EM_ARM, SECTION, "\x00\xbf\x70\x47", 4, 1, 4, "    1000:\tnop\n    1002:\tbx\tlr\n"},
        /* Branches to inner, into it, back to outer and elsewhere; and the same number. */
        {EM_AARCH64, NAMED,
         "\x02\x00\x00\x94\x02\x00\x00\x14\xfe\xff\xff\x17\x0c\x00\x00\x14\x00\x00\x82\xd2", 20, 0,
         20,
         "    1000:\tbl\t#0x1008 <inner>\n    1004:\tb\t#0x100c <inner+0x4>\n"
         "    1008:\tb\t#0x1000 <outer>\n    100c:\tb\t#0x103c\n    1010:\tmovz\tx0, #0x1000\n"},
        {EM_ARM, THUMB, "\x00\xbf\x00\xbf\x00\xbf\x70\x47\x00\xbf\x70\x47", 12, 8, 12,
         "    1008:\tnop\n    100a:\tbx\tlr\n"},
        {EM_386, SECTION, "\x40\xc3", 2, 0, 2, "    1000:\tincl\t%eax\n    1001:\tretl\n"},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        char path[sizeof(TEMPORARY_PATH)];
        char text[512] = "";
        struct disassembly d;
        struct error t = {0};

        make_file(path, rows[i].machine, rows[i].place, rows[i].code, rows[i].n, 0);
        ck_assert_msg(
            disassembly_open(&d, path, ADDRESS + rows[i].start, ADDRESS + rows[i].end, &t) == 0,
            "row %zu: %s", i, t.text);
        while (disassembly_next(&d)) {
            ck_assert_ptr_eq(d.code, strchr(d.line, '\t') + 1);
            ck_assert_uint_eq(d.address, strtoull(d.line, NULL, 16));
            snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s\n", d.line);
        }
        ck_assert_msg(strcmp(text, rows[i].text) == 0, "row %zu: expected %s got %s", i,
                      rows[i].text, text);
        disassembly_close(&d);
        unlink(path);
    }
}
END_TEST

START_TEST(refused)
{
    static const struct {
        unsigned machine;
        enum place place;
        unsigned start;
        size_t cut;
        const char *text;
    } rows[] = {
        {EM_AARCH64, SECTION, 8, 0, "it has no code there"},
        {EM_AARCH64, SECTION, UINT32_MAX, 0, "it has no code there"},
        {EM_AARCH64, SEGMENT, 8, 0, "it has no code there"},
        {EM_AARCH64, NOBITS, 0, 0, "it has no code there"},
        {EM_AARCH64, DATA, 0, 0, "it has no code there"},
        {EM_AARCH64, SECTION, 0, 1, "it is truncated"},
        {EM_PPC64, SECTION, 0, 0, "it is for neither Arm nor x86 machines; use --objdump"},
        {EM_NONE, SECTION, 0, CODE, "is not an ELF file"},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        char path[sizeof(TEMPORARY_PATH)];
        struct disassembly d;
        struct error t = {0};

        make_file(path, rows[i].machine, rows[i].place, "\x1f\x20\x03\xd5\xc0\x03\x5f\xd6", 8,
                  rows[i].cut);
        ck_assert_msg(disassembly_open(&d, path, ADDRESS + rows[i].start, ADDRESS + 8, &t) == -1,
                      "row %zu", i);
        ck_assert_int_eq(t.code, ERROR_USAGE);
        ck_assert_msg(strstr(t.text, rows[i].text) && strstr(t.text, path), "row %zu: %s", i,
                      t.text);
        ck_assert_ptr_null(d.state);
        unlink(path);
    }
}
END_TEST

/*
 * The lowest bit of a function's address is a flag in files for 32-bit Arm (ELF for the Arm
 * Architecture, "Symbol Values"), and a part of the address in others.
 */
START_TEST(starts)
{
    static const struct {
        unsigned machine;
        uint64_t address;
        const char *name; /* NULL: none */
    } rows[] = {
        {EM_ARM, ADDRESS, "outer"},     {EM_ARM, ADDRESS + 7, "outer"},
        {EM_ARM, ADDRESS + 8, "inner"}, {EM_ARM, ADDRESS + 16, NULL},
        {EM_AARCH64, ADDRESS, NULL},    {EM_AARCH64, ADDRESS + 1, "outer"},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        char path[sizeof(TEMPORARY_PATH)];
        struct functions functions = {0};
        const struct function *found;
        struct error t = {0};

        make_file(path, rows[i].machine, THUMB, "\x00\xbf\x00\xbf\x00\xbf\x70\x47", 8, 0);
        ck_assert_msg(elffile_functions(&functions, NULL, path, &t) == 0, "%s", t.text);
        ck_assert_int_eq(functions_sort(&functions, &t), 0);
        found = functions_find(&functions, rows[i].address);
        ck_assert_msg(found ? rows[i].name && strcmp(found->name, rows[i].name) == 0
                            : !rows[i].name,
                      "row %zu: %s", i, found ? found->name : "none");
        ck_assert(!found || found->thumb == (rows[i].machine == EM_ARM));
        functions_free(&functions);
        unlink(path);
    }
}
END_TEST

Suite *disassembly_suite(void)
{
    const TTest *const tests[] = {instructions, refused, starts};

    return suite_of("disassembly", tests, COUNT_OF(tests));
}
