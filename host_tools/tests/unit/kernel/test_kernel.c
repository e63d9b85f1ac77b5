/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds a Linux kernel in a machine's memory, and reports why it cannot if there is none or the
 * memory contains wrong data.
 */
#include "kernel/kernel.h"

#include <stdlib.h>
#include <string.h>

#include "base/base64.h"
#include "fixtures/kernels.h"
#include "unit/tests.h"

static const char *name_at(const struct kernel *k, uint64_t offset)
{
    const struct function *f = functions_find(&k->functions, KERNELS_TEXT + offset);

    return f ? f->name : "none";
}

static void expect_found(const char *row, struct made_kernel *made, uint64_t current)
{
    static const unsigned char id[] = {0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef, 0x00, 0x11,
                                       0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 0x99, 0xaa, 0xbb};
    struct kernel k = {0};
    struct error t = {0};

    ck_assert_msg(kernel_find(&k, &made->memory, &t) == 0, "%s: %s", row, t.text);
    ck_assert_str_eq(k.release, "6.1-made");
    ck_assert(k.has_build_id);
    ck_assert_mem_eq(k.build_id, id, sizeof(id));
    ck_assert_uint_eq(k.symbols.text, KERNELS_TEXT);
    ck_assert_uint_eq(k.symbols.end, KERNELS_TEXT + 0x400);
    ck_assert_uint_eq(k.symbols.current, current);
    ck_assert_int_eq(k.symbols.hidden, 0x2000);
    ck_assert_str_eq(name_at(&k, 0x1ff), "first");
    ck_assert_str_eq(name_at(&k, 0x200), "second");
    /* The symbol's type and name together have 200 characters. */
    ck_assert_uint_eq(strlen(name_at(&k, 0x3ff)), 199);
    ck_assert(k.has_layout);
    ck_assert_uint_eq(k.layout.pid, 8);
    ck_assert_uint_eq(k.layout.tgid, 12);
    ck_assert_uint_eq(k.layout.comm, 16);
    kernel_free(&k);
}

START_TEST(kernel_build_id)
{
    static const struct {
        const char *text;
        bool valid;
    } rows[] = {
        {"BUILD-ID=" KERNELS_BUILD_ID "\n", true},
        {"BUILD-ID=" KERNELS_BUILD_ID, true},
        {"BUILD-ID=" KERNELS_BUILD_ID "0\n", false},
        {"BUILD-ID=0123456789abcdef\n", false},
        {"BUILD-ID=\n", false},
        {"BUILD-ID=0x23456789abcdef00112233445566778899aabb\n", false},
        /* A kernel without one. */
        {"BUILD-ID=0000000000000000000000000000000000000000\n", false},
        {"PAGESIZE=4096\n", false},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct vmcoreinfo v;

        vmcoreinfo_parse(&v, rows[i].text);
        ck_assert_msg(v.has_build_id == rows[i].valid, "%s", rows[i].text);
    }
}
END_TEST

START_TEST(kernel_found)
{
    static struct made_kernel made;
    static const uint64_t tables[] = {
        KERNELS_RAM + KERNELS_TABLES,
        /* A table with an ASID and CnP; a program's table with KPTI. */
        1ull << 48 | KERNELS_RAM | KERNELS_TABLES | 1,
        KERNELS_RAM + KERNELS_TABLES - 0x2000,
    };

    for (size_t i = 0; i < 2 * COUNT_OF(tables); i++) {
        kernels_make(&made, i % 2);
        made.table = tables[i / 2];
        expect_found("a kernel", &made, KERNELS_TEXT + KERNELS_CURRENT);
    }
}
END_TEST

/* Each process has a page table, and with KPTI another one without the kernel. */
START_TEST(kernel_of_x86)
{
    static struct made_kernel made;
    static const struct {
        uint64_t table;
        bool absolute;
        uint64_t current; /* 0: the kernel is not found */
    } rows[] = {
        {KERNELS_RAM + KERNELS_TABLES, true, KERNELS_CURRENT},
        {KERNELS_RAM + KERNELS_TABLES, false, KERNELS_TEXT + KERNELS_CURRENT},
        {KERNELS_RAM + KERNELS_PROCESS, true, KERNELS_CURRENT},
        {KERNELS_RAM + KERNELS_PROCESS + 0x1000 + 0x806, true, KERNELS_CURRENT}, /* with a PCID */
        {KERNELS_RAM + KERNELS_NAMES, true, 0},
        {KERNELS_RAM + KERNELS_SIZE, true, 0},
    };
    struct error ignored = {0};
    struct kernel wrong = {0};

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct kernel k = {0};
        struct error t = {0};

        kernels_make_x86(&made, rows[i].absolute);
        made.table = rows[i].table;
        if (rows[i].current) {
            expect_found("of x86", &made, rows[i].current);
        } else {
            ck_assert_int_eq(kernel_find(&k, &made.memory, &t), -1);
            ck_assert_msg(strstr(t.text, "no Linux"), "%zu: %s", i, t.text);
            kernel_free(&k);
        }
    }
    kernels_make_x86(&made, true);
    /* The data are not at the address that the variable contains. */
    made.ram[KERNELS_VARIABLE]++;
    ck_assert_int_eq(kernel_find(&wrong, &made.memory, &ignored), -1);
    kernel_free(&wrong);
}
END_TEST

/* Data left by an earlier boot or put there by a program: the right data are found after them. */
START_TEST(kernel_among_others)
{
    static struct made_kernel made;

    kernels_make(&made, false);
    /* Before the reset, the same kernel had another virtual address. */
    kernels_info(&made, KERNELS_BEFORE, KERNELS_DISTANCE + 0x200000, false);
    expect_found("another boot's", &made, KERNELS_TEXT + KERNELS_CURRENT);
    kernels_make(&made, true);
    kernels_info(&made, KERNELS_BEFORE, KERNELS_DISTANCE + 0x200000, true);
    expect_found("another boot's of Linux 7", &made, KERNELS_TEXT + KERNELS_CURRENT);
    strcpy((char *)made.ram + KERNELS_BEFORE, "OSRELEASE=a program's\n");
    expect_found("a program's", &made, KERNELS_TEXT + KERNELS_CURRENT);
    /* No CPU has loaded the page table of this kernel. */
    strcpy((char *)made.ram + KERNELS_BEFORE,
           "OSRELEASE=5.0\nPAGESIZE=4096\nSYMBOL(swapper_pg_dir)=ffff800080100000\n"
           "NUMBER(kimage_voffset)=0xffff800040000000\n");
    expect_found("an old kernel's", &made, KERNELS_TEXT + KERNELS_CURRENT);
}
END_TEST

/* Each row changes bytes of RAM and expects an error. */
START_TEST(kernel_refused)
{
    static const struct {
        const char *row;
        unsigned at;
        const char *bytes;
        size_t n;
        const char *text;
    } rows[] = {
        {"no text", KERNELS_INFO, "X", 1, "no Linux"},
        {"no symbols", 0, NULL, 0,
         "Linux 5.10\?[m does not give the address of its symbol table; 6.0"},
        {"none", KERNELS_NUMBER, "\0\0\0\0", 4, "no symbol table"},
        {"too many", KERNELS_NUMBER, "\0\0\0\x7f", 4, "no symbol table"},
        {"more than there are names", KERNELS_NUMBER, "\0\1\0\0", 4, "no symbol table"},
        {"a name without a length", KERNELS_NAMES, "\0", 1, "no symbol table"},
        {"a name that is a type alone", KERNELS_NAMES, "\1", 1, "no symbol table"},
        {"one that is too long", KERNELS_NAMES, "\xff\xff", 2, "no symbol table"},
        {"another place than its variable says", KERNELS_VARIABLE, "\1", 1, "no Linux"},
        {"names without _text", KERNELS_NAMES + 3, "x", 1, "no address of _text"},
    };
    static struct made_kernel made;

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct kernel k = {0};
        struct error t = {0};

        kernels_make(&made, false);
        if (rows[i].bytes) {
            memcpy(made.ram + rows[i].at, rows[i].bytes, rows[i].n);
        } else {
            strcpy((char *)made.ram + KERNELS_INFO,
                   "OSRELEASE=5.10\033[m\nPAGESIZE=4096\nSYMBOL(swapper_pg_dir)=ffff80008000c000\n"
                   "NUMBER(kimage_voffset)=0xffff800040000000\n");
        }
        ck_assert_int_eq(kernel_find(&k, &made.memory, &t), -1);
        ck_assert_msg(t.code == ERROR_USAGE && strstr(t.text, rows[i].text), "%s: %d: %s",
                      rows[i].row, (int)t.code, t.text);
        kernel_free(&k);
    }
}
END_TEST

/* The tables' addresses are wrong. All reads stay within the memory. */
START_TEST(tables_elsewhere)
{
    static const char *const texts[] = {
        "SYMBOL(kallsyms_token_index)=%llx\n", "SYMBOL(kallsyms_names)=%llx\n",
        "SYMBOL(kallsyms_token_table)=%llx\n", "SYMBOL(kallsyms_num_syms)=%llx\n",
        "SYMBOL(kallsyms_offsets)=%llx\n",     "SYMBOL(kallsyms_relative_base)=%llx\n",
    };
    static const uint64_t places[] = {1, KERNELS_TEXT + KERNELS_SIZE - 1, KERNELS_TEXT + 0x4000000,
                                      UINT64_MAX};
    static struct made_kernel made;

    for (size_t i = 0; i < COUNT_OF(texts) * COUNT_OF(places); i++) {
        struct kernel k = {0};
        struct error t = {0};
        char *info = (char *)made.ram + KERNELS_INFO;

        kernels_make(&made, false);
        sprintf(info + strlen(info), texts[i / COUNT_OF(places)],
                (unsigned long long)places[i % COUNT_OF(places)]);
        ck_assert_msg(kernel_find(&k, &made.memory, &t) == -1, "%zu", i);
        ck_assert_msg(t.code == ERROR_USAGE || t.code == ERROR_TALK, "%zu: %s", i, t.text);
        kernel_free(&k);
    }
}
END_TEST

/* Without types, or with damaged ones, functions still have names. */
START_TEST(kernel_without_types)
{
    static struct made_kernel made;
    struct kernel k = {0};
    struct error t = {0};

    kernels_make(&made, false);
    made.ram[KERNELS_TYPES] ^= 1;
    ck_assert_msg(kernel_find(&k, &made.memory, &t) == 0, "%s", t.text);
    ck_assert(!k.has_layout);
    ck_assert_str_eq(name_at(&k, 0x100), "first");
    kernel_free(&k);
}
END_TEST

START_TEST(kernel_base64)
{
    /* RFC 4648, section 10, and each digit. */
    static const struct {
        const char *text;
        const char *bytes;
        size_t size;
        bool right;
    } rows[] = {
        {"", "", 0, true},
        {"Zg==", "f", 1, true},
        {"Zm8=", "fo", 2, true},
        {"Zm9v", "foo", 3, true},
        {"Zm9vYmE=", "fooba", 5, true},
        {"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
         "\x00\x10\x83\x10\x51\x87\x20\x92\x8b\x30\xd3\x8f\x41\x14\x93\x51\x55\x97\x61\x96\x9b\x71"
         "\xd7\x9f\x82\x18\xa3\x92\x59\xa7\xa2\x9a\xab\xb2\xdb\xaf\xc3\x1c\xb3\xd3\x5d\xb7\xe3\x9e"
         "\xbb\xf3\xdf\xbf",
         48, true},
        {"Zm9v", "", 2, false},
        {"Zm9", "", 3, false},
        {"Zm9=", "", 3, false},
        {"Zm-v", "", 3, false},
        {"Zm9vY", "", 3, false},
        {"=m9v", "", 3, false},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        unsigned char bytes[64];

        ck_assert_msg(base64_decode(rows[i].text, bytes, rows[i].size) == rows[i].right, "%s",
                      rows[i].text);
        ck_assert_msg(!rows[i].right || memcmp(bytes, rows[i].bytes, rows[i].size) == 0, "%s",
                      rows[i].text);
    }
}
END_TEST

Suite *kernel_suite(void)
{
    const TTest *const tests[] = {
        kernel_build_id, kernel_found,     kernel_of_x86,        kernel_among_others,
        kernel_refused,  tables_elsewhere, kernel_without_types, kernel_base64,
    };

    return suite_of("kernel", tests, COUNT_OF(tests));
}
