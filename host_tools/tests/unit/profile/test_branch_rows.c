/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests branches of a synthetic file: rows of report -b, edges, and the input of BOLT and AutoFDO.
 */
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "export/branch-profile.h"
#include "export/folded.h"
#include "fixtures/perffiles.h"
#include "profile/report.h"
#include "profile/stacks.h"
#include "unit/tests.h"

/* Bits of a branch's third word: mispredicted, predicted. */
#define WRONG 1ull
#define RIGHT 2ull
#define KERNEL 0xffff800000000000ull

static const char kallsyms[] = "ffff800000000000 T _text\n"
                               "ffff800000000000 T main\n"
                               "ffff800000000100 T parse\n"
                               "ffff800000000200 T copy\n"
                               "ffff800000001000 T vector\n";

/*
 * main calls parse, which calls copy, which returns. In the second sample, the loop of copy is
 * taken twice, once mispredicted. An interrupt comes last. A sample of a program has these
 * branches, too.
 */
#define BRANCH(from, to, flags) KERNEL + (from), KERNEL + (to), flags

static const uint64_t first[] = {
    BRANCH(0x208, 0x1000, 0),
    BRANCH(0x110, 0x200, 0),
    BRANCH(0x004, 0x100, RIGHT),
};
static const uint64_t second[] = {
    BRANCH(0x208, 0x200, WRONG),
    BRANCH(0x208, 0x200, RIGHT),
    BRANCH(0x004, 0x100, RIGHT),
};

static void make_file(struct made_file *m)
{
    const struct made_sample samples[] = {
        {.mode = 2,
         .id = 1,
         .ip = 0x1004,
         .tid = 7,
         .time = 5,
         .period = 40,
         .branches = first,
         .n_branches = 3},
        {.mode = 1,
         .id = 1,
         .ip = 0x1204,
         .tid = 7,
         .time = 6,
         .period = 40,
         .branches = second,
         .n_branches = 3},
        {.mode = 1, .id = 1, .ip = 0x1204, .tid = 7, .time = 7, .period = 40, .branches = first},
        {.mode = 1,
         .id = 2,
         .ip = 0x1204,
         .tid = 7,
         .time = 8,
         .period = 40,
         .branches = second,
         .n_branches = 1},
    };

    perffiles_begin(m, false, PERFFILES_TYPE | PERF_SAMPLE_BRANCH_STACK);
    for (size_t i = 0; i < COUNT_OF(samples); i++) {
        perffiles_sample(m, &samples[i]);
    }
    perffiles_comm(m, 7, 5, "prog");
    perffiles_end(m);
}

static void read_file(struct sample_input *g, const char *kernel)
{
    static const struct programs none;
    struct made_file m;
    struct error t = {0};

    make_file(&m);
    g->programs = &none;
    g->kallsyms = kernel;
    g->input = perffiles_save(&m);
    ck_assert_msg(sample_input_read(g, -1, &t) == 0, "%s", t.text);
}

static void expect_text(const char *row, char *got, const char *want)
{
    ck_assert_msg(strcmp(got, want) == 0, "%s: expected\n%sgot\n%s", row, want, got);
    free(got);
}

START_TEST(branch_rows)
{
    static const struct {
        const char *sort;
        const char *text;
    } rows[] = {
        {"symbol_from,symbol_to", "event-a 2 copy copy\n"
                                  "event-a 2 main parse\n"
                                  "event-a 1 copy vector\n"
                                  "event-a 1 parse copy\n"
                                  "event-b 1 copy copy\n"},
        {"mispredict", "event-a 3 N\nevent-a 2 N/A\nevent-a 1 Y\nevent-b 1 Y\n"},
        {"comm,dso_to", "event-a 6 prog [kernel.kallsyms]\nevent-b 1 prog [kernel.kallsyms]\n"},
    };
    char path[sizeof(TEMPORARY_PATH)];

    make_temporary(path, kallsyms, strlen(kallsyms));
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct report r = {.branches = true};
        struct profile p = {0};
        struct sample_input g = {.key = report_key, .opaque = &r, .branches = true, .profile = &p};
        struct error t = {0};
        char *text = NULL;
        size_t size;
        FILE *file = open_memstream(&text, &size);

        ck_assert_int_eq(report_choose(&r, rows[i].sort, &t), 0);
        read_file(&g, path);
        ck_assert_uint_eq(g.branched, 3);
        profile_sort_by_period(&p);
        for (size_t n = 0; n < p.n; n++) {
            fprintf(file, "%s %u", p.event[p.entry[n]->event].name, (unsigned)p.entry[n]->period);
            for (uint32_t part = 0; part < r.n; part++) {
                const char *of = profile_text(&p, p.entry[n], part);

                fprintf(file, " %s", report_is_symbol(&r, part) ? of + REPORT_LEVEL_SIZE : of);
            }
            fputc('\n', file);
        }
        fclose(file);
        expect_text(rows[i].sort, text, rows[i].text);
        profile_free(&p);
    }
    unlink(path);
}
END_TEST

START_TEST(branch_columns_need_branches)
{
    struct report r = {0};
    struct error t = {0};

    ck_assert_int_eq(report_choose(&r, "comm,symbol_to", &t), -1);
    ck_assert_ptr_nonnull(strstr(t.text, "'symbol_to' needs report -b"));
}
END_TEST

START_TEST(branch_edges)
{
    struct stacks_options o = {0};
    struct profile p = {0};
    struct sample_input g = {.key = stacks_edge_key, .opaque = &o, .branches = true, .profile = &p};
    char path[sizeof(TEMPORARY_PATH)];
    struct error t = {0};
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);

    make_temporary(path, kallsyms, strlen(kallsyms));
    read_file(&g, path);
    unlink(path);
    ck_assert_int_eq(folded_write(&p, 0, false, file, &t), 0);
    fclose(file);
    expect_text("edges", text,
                "prog;copy;copy 2\nprog;copy;vector 1\nprog;main;parse 2\nprog;parse;copy 1\n");
    profile_free(&p);
}
END_TEST

/* An ELF file is used as the kernel. Without one, no branch is in a known file. */
START_TEST(branch_profile_unknown)
{
    struct branch_profile b = {0};
    struct profile p = {0};
    struct sample_input g = {.each = branch_profile_sample, .sink = &b, .profile = &p};
    char path[sizeof(TEMPORARY_PATH)];
    struct error t = {0};

    make_temporary(path, kallsyms, strlen(kallsyms));
    read_file(&g, path);
    unlink(path);
    ck_assert_uint_eq(b.branches, 6);
    ck_assert_int_eq(branch_profile_choose(&b, &p, &t), -1);
    ck_assert_ptr_nonnull(strstr(t.text, "no branch is in a file that is known"));
    profile_free(&p);
}
END_TEST

/* Between two calls, other branches were executed. */
START_TEST(branch_profile_needs_all_kinds)
{
    struct profile_event event = {.name = "event-a", .branches = PERF_SAMPLE_BRANCH_ANY_CALL};
    struct branch_profile b = {0};
    struct profile p = {.event = &event, .events = 1};
    struct sample_input g = {.sink = &b, .profile = &p};
    struct perfsample sample = {.branches = (const unsigned char *)first, .n_branches = 3};
    struct input_sample s = {.s = &sample};
    struct error t = {0};

    ck_assert_int_eq(branch_profile_sample(&g, &s, &t), -1);
    ck_assert_ptr_nonnull(strstr(t.text, "only some kinds of branches are in the recording"));
}
END_TEST

/* Adds an entry as branch_profile_sample() does. */
static void add(struct profile *p, const char *image, const char *kind, const char *from,
                const char *to, unsigned samples, unsigned mispredicted)
{
    const char *parts[] = {image, kind, from, to};
    uint32_t key[COUNT_OF(parts)];
    struct error t = {0};

    for (size_t i = 0; i < COUNT_OF(parts); i++) {
        ck_assert_int_eq(string_table_number(&p->texts, parts[i], &key[i], &t), 0);
    }
    for (unsigned i = 0; i < samples; i++) {
        ck_assert_int_eq(profile_add(p, 0, i < mispredicted, key, COUNT_OF(parts), &t), 0);
    }
}

/* Makes two ELF files whose code is at 0x1000, from offset 0x200 on. */
static void make_images(char path[2][sizeof(TEMPORARY_PATH)])
{
    const struct {
        Elf64_Ehdr header;
        Elf64_Phdr code;
    } file = {
        .header = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
                               EV_CURRENT},
                   .e_type = ET_EXEC,
                   .e_machine = EM_AARCH64,
                   .e_version = EV_CURRENT,
                   .e_phoff = sizeof(file.header),
                   .e_ehsize = sizeof(file.header),
                   .e_phentsize = sizeof(file.code),
                   .e_phnum = 1},
        .code = {.p_type = PT_LOAD,
                 .p_flags = PF_R | PF_X,
                 .p_offset = 0x200,
                 .p_vaddr = 0x1000,
                 .p_filesz = 0x500,
                 .p_memsz = 0x500},
    };

    for (size_t i = 0; i < 2; i++) {
        make_temporary(path[i], &file, sizeof(file));
    }
}

static void make_profile(struct profile *p, char image[2][sizeof(TEMPORARY_PATH)])
{
    struct error t = {0};

    ck_assert_int_eq(profile_events(p, 1, &t), 0);
    add(p, image[0], "B", "0000000000001208", "0000000000001200", 3, 1);
    add(p, image[0], "B", "0000000000001004", "0000000000001100", 2, 0);
    add(p, image[0], "F", "0000000000001100", "0000000000001208", 1, 0);
    add(p, image[0], "F", "0000000000001200", "0000000000001208", 5, 3);
    add(p, image[0], "F", "0000000000001300", "0000000000001308", 2, 2);
    add(p, image[0], "E", "0000000000000000", "0000000000001300", 2, 0);
    add(p, image[0], "L", "0000000000001308", "0000000000000000", 2, 1);
    add(p, image[1], "B", "0000000000001004", "0000000000001100", 9, 0);
    add(p, image[1], "B", "0000000000001004", "0000000000001500", 9, 0);
}

START_TEST(branch_profile_files)
{
    static const struct {
        int file; /* -1: no file is selected; 2: a file that does not exist */
        const char *bolt;
        const char *autofdo; /* without the branch to a place where the file has no code */
        const char *error;
    } rows[] = {
        {0,
         "B 1004 1100 2 0\nB 1208 1200 3 1\nB 0 1300 2 0\nF 1100 1208 1\nF 1200 1208 2\n"
         "f 1200 1208 3\nf 1300 1308 2\nB 1308 0 2 1\n",
         "3\n300-408:1\n400-408:5\n500-508:2\n0\n2\n204->300:2\n408->400:3\n", NULL},
        {1, "B 1004 1100 9 0\nB 1004 1500 9 0\n", "0\n0\n1\n204->300:9\n", NULL},
        {-1, "", "", "choose one with --dso"},
        {2, "", "", "there are no branches"},
    };
    char image[2][sizeof(TEMPORARY_PATH)];

    make_images(image);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct branch_profile b = {.file = rows[i].file < 0 ? NULL
                                           : rows[i].file > 1
                                               ? "none"
                                               : strrchr(image[rows[i].file], '/') + 1};
        struct profile p = {0};
        struct error t = {0};
        char *text[2] = {NULL, NULL};
        size_t size;
        FILE *bolt = open_memstream(&text[0], &size);
        FILE *autofdo = open_memstream(&text[1], &size);

        make_profile(&p, image);
        ck_assert_int_eq(branch_profile_choose(&b, &p, &t), rows[i].error ? -1 : 0);
        if (!rows[i].error) {
            branch_profile_bolt(&b, &p, bolt);
            ck_assert_int_eq(branch_profile_autofdo(&b, &p, autofdo, &t), 0);
        }
        fclose(bolt);
        fclose(autofdo);
        ck_assert_msg(!rows[i].error || strstr(t.text, rows[i].error), "%s", t.text);
        expect_text("bolt", text[0], rows[i].bolt);
        expect_text("autofdo", text[1], rows[i].autofdo);
        profile_free(&p);
    }
    unlink(image[0]);
    unlink(image[1]);
}
END_TEST

Suite *branch_rows_suite(void)
{
    const TTest *const tests[] = {branch_rows,
                                  branch_columns_need_branches,
                                  branch_edges,
                                  branch_profile_unknown,
                                  branch_profile_needs_all_kinds,
                                  branch_profile_files};

    return suite_of("branch_rows", tests, COUNT_OF(tests));
}
