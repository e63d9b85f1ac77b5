/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A recording of an x86-64 machine, reported, annotated and converted on any host. */
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "export/folded.h"
#include "fixtures/perffiles.h"
#include "profile/annotate.h"
#include "profile/report.h"
#include "profile/stacks.h"
#include "unit/tests.h"

/* Addresses of the functions. */
#define HOT 0xffffffff81000000
#define CALLER 0xffffffff81000010

/*
 * hot:    add $1,%eax; ret
 * caller: call hot; ret
 */
static const unsigned char code[] = {
    0x83, 0xc0, 0x01, 0xc3, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90,
    0x90, 0x90, 0x90, 0x90, 0x90, 0xe8, 0xeb, 0xff, 0xff, 0xff, 0xc3,
};

static const char names[] = "\0.text\0.symtab\0.strtab\0hot\0caller";

enum {
    NAME_TEXT = 1,
    NAME_SYMTAB = 7,
    NAME_STRTAB = 15,
    NAME_HOT = 23,
    NAME_CALLER = 27,
};

/* A kernel. */
struct elf {
    Elf64_Ehdr head;
    Elf64_Phdr segment;
    Elf64_Shdr section[4];
    Elf64_Sym symbol[3];
    char names[sizeof(names)];
    unsigned char code[sizeof(code)];
};

static const struct elf kernel = {
    .head = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
             .e_type = ET_EXEC,
             .e_machine = EM_X86_64,
             .e_version = EV_CURRENT,
             .e_phoff = offsetof(struct elf, segment),
             .e_shoff = offsetof(struct elf, section),
             .e_ehsize = sizeof(Elf64_Ehdr),
             .e_phentsize = sizeof(Elf64_Phdr),
             .e_phnum = 1,
             .e_shentsize = sizeof(Elf64_Shdr),
             .e_shnum = 4,
             .e_shstrndx = 3},
    .segment = {.p_type = PT_LOAD,
                .p_flags = PF_X | PF_R,
                .p_offset = offsetof(struct elf, code),
                .p_vaddr = HOT,
                .p_filesz = sizeof(code),
                .p_memsz = sizeof(code)},
    .section = {{0},
                {.sh_name = NAME_TEXT,
                 .sh_type = SHT_PROGBITS,
                 .sh_flags = SHF_ALLOC | SHF_EXECINSTR,
                 .sh_addr = HOT,
                 .sh_offset = offsetof(struct elf, code),
                 .sh_size = sizeof(code)},
                {.sh_name = NAME_SYMTAB,
                 .sh_type = SHT_SYMTAB,
                 .sh_link = 3,
                 .sh_offset = offsetof(struct elf, symbol),
                 .sh_size = 3 * sizeof(Elf64_Sym),
                 .sh_entsize = sizeof(Elf64_Sym)},
                {.sh_name = NAME_STRTAB,
                 .sh_type = SHT_STRTAB,
                 .sh_offset = offsetof(struct elf, names),
                 .sh_size = sizeof(names)}},
    .symbol = {{0},
               {.st_name = NAME_HOT,
                .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
                .st_shndx = 1,
                .st_value = HOT,
                .st_size = 4},
               {.st_name = NAME_CALLER,
                .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
                .st_shndx = 1,
                .st_value = CALLER,
                .st_size = 6}},
};

/* 90 samples in hot, which caller calls, and 10 in caller. */
static void read_samples(struct sample_input *g)
{
    static const struct programs none;
    const uint64_t chain[] = {PERF_CONTEXT_KERNEL, HOT + 3, CALLER + 5};
    char path[sizeof(TEMPORARY_PATH)];
    struct made_file m;
    struct error t = {0};
    struct elf elf = kernel;

    memcpy(elf.names, names, sizeof(names));
    memcpy(elf.code, code, sizeof(code));
    make_temporary(path, &elf, sizeof(elf));
    perffiles_begin(&m, false, PERFFILES_TYPE | PERF_SAMPLE_CALLCHAIN);
    perffiles_sample(&m, &(struct made_sample){.mode = 1,
                                               .id = 1,
                                               .time = 5,
                                               .ip = HOT + 3,
                                               .period = 90,
                                               .chain = chain,
                                               .n_chain = COUNT_OF(chain)});
    perffiles_sample(
        &m, &(struct made_sample){.mode = 1, .id = 1, .time = 5, .ip = CALLER + 5, .period = 10});
    perffiles_end(&m);
    g->vmlinux = path;
    g->programs = &none;
    g->input = perffiles_save(&m);
    ck_assert_msg(sample_input_read(g, -1, &t) == 0, "%s", t.text);
    if (g->key != annotate_key) {
        unlink(path);
    }
}

START_TEST(x86_report)
{
    struct report r = {.graph = true};
    struct profile p = {0};
    struct sample_input g = {.key = report_key, .opaque = &r, .profile = &p};
    struct out out = {0};
    struct error t = {0};
    char *text = NULL;
    size_t size;

    ck_assert_int_eq(report_choose(&r, "sym", &t), 0);
    read_samples(&g);
    out.text = open_memstream(&text, &size);
    ck_assert_int_eq(report_print(&r, &p, 1, &out, &t), 0);
    fclose(out.text);
    profile_free(&p);
    ck_assert_ptr_nonnull(strstr(text, "    90.00%        1      90  [k] hot\n"
                                       "            |\n"
                                       "            ---hot\n"
                                       "               caller\n"));
    free(text);
}
END_TEST

START_TEST(x86_annotate)
{
    static const char *const symbols[] = {"caller", "hot"};
    const struct annotate a = {.symbols = symbols, .n = 2};
    struct profile p = {0};
    struct sample_input g = {.key = annotate_key, .profile = &p};
    struct out out = {0};
    struct error t = {0};
    char *text = NULL;
    size_t size;

    read_samples(&g);
    out.text = open_memstream(&text, &size);
    ck_assert_msg(annotate_print(&a, &p, &out, &t) == 0, "%s", t.text);
    fclose(out.text);
    unlink(profile_text(&p, p.entry[0], 0));
    ck_assert_ptr_nonnull(strstr(text, "   100.00%                90  ffffffff81000003:\tret"));
    ck_assert_ptr_nonnull(strstr(text, "ffffffff81000010:\tcall"));
    ck_assert_ptr_nonnull(strstr(text, "\t0xffffffff81000000 <hot>\n"));
    ck_assert_ptr_nonnull(strstr(text, "   100.00%                10  ffffffff81000015:\tret"));
    free(text);
    profile_free(&p);
}
END_TEST

START_TEST(x86_folded)
{
    struct stacks_options o = {0};
    struct profile p = {0};
    struct sample_input g = {.key = stacks_key, .opaque = &o, .profile = &p};
    struct error t = {0};
    char *text = NULL;
    size_t size;
    FILE *file;

    read_samples(&g);
    file = open_memstream(&text, &size);
    ck_assert_int_eq(folded_write(&p, 0, false, file, &t), 0);
    fclose(file);
    ck_assert_str_eq(text, "swapper;caller 10\nswapper;caller;hot 90\n");
    free(text);
    profile_free(&p);
}
END_TEST

Suite *x86_suite(void)
{
    const TTest *const tests[] = {x86_report, x86_annotate, x86_folded};

    return suite_of("x86", tests, COUNT_OF(tests));
}
