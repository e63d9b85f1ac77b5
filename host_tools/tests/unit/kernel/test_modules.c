/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds the functions of a kernel's modules in a machine's memory, and leaves out wrong data. */
#include "kernel/modules.h"

#include <string.h>

#include "fixtures/kernels.h"
#include "kernel/kernel.h"
#include "unit/tests.h"

static struct made_kernel made;

/* Finds the kernel. Its own functions must be there in any case. */
static void find(struct kernel *k, const char *row)
{
    struct error t = {0};
    const struct function *own;

    *k = (struct kernel){0};
    ck_assert_msg(kernel_find(k, &made.memory, &t) == 0, "%s: %s", row, t.text);
    own = functions_find(&k->functions, KERNELS_TEXT + 0x100);
    ck_assert_msg(own && strcmp(own->name, "first") == 0, "%s", row);
}

static const char *name_at(const struct kernel *k, uint64_t offset)
{
    const struct function *f = functions_find(&k->functions, KERNELS_MODULE_CODE + offset);

    return f && f->of_module ? f->name : "none";
}

static void expect_module(const char *row)
{
    struct kernel k;

    find(&k, row);
    ck_assert_str_eq(name_at(&k, 0), "one");
    ck_assert_str_eq(name_at(&k, 0x3f), "one");
    ck_assert_str_eq(name_at(&k, 0x40), "two?3?");
    ck_assert_str_eq(name_at(&k, 0x5f), "two?3?");
    ck_assert_uint_eq(k.symbols.modules, 1);
    ck_assert_str_eq(k.symbols.module[0].name, "[made]");
    ck_assert_uint_eq(k.symbols.module[0].start, KERNELS_MODULE_CODE);
    ck_assert_uint_eq(k.symbols.module[0].end, KERNELS_MODULE_CODE + 0x1000);
    kernel_free(&k);
}

static void append(const char *line)
{
    strcat((char *)made.ram + KERNELS_INFO, line);
}

START_TEST(modules_found)
{
    kernels_make(&made, false);
    expect_module("arm64");
    kernels_make(&made, true);
    expect_module("arm64, Linux 7");
    kernels_make_x86(&made, true);
    expect_module("x86-64");
    /* The kernel is built for 52 bits, but the CPU has 48. */
    kernels_make(&made, false);
    append("NUMBER(VA_BITS)=52\nNUMBER(TCR_EL1_T1SZ)=0x10\n");
    expect_module("smaller addresses");
}
END_TEST

/* Each row changes bytes. The kernel's own functions have names, those of the module have none. */
START_TEST(modules_refused)
{
    static const unsigned kallsyms = KERNELS_MODULE + KERNELS_MODULE_KALLSYMS;
    static const struct {
        const char *row;
        unsigned at;
        const char *bytes;
        size_t n;
    } rows[] = {
        {"not live", KERNELS_MODULE, "\2", 1},
        {"without a name", KERNELS_MODULE + KERNELS_IN_MODULE_NAME, "\0", 1},
        {"symbols elsewhere", KERNELS_MODULE + KERNELS_IN_MODULE_KALLSYMS + 4, "\x11", 1},
        {"no symbols", kallsyms + 8, "\0\0\0\0", 4},
        {"too many symbols", kallsyms + 8, "\1\0\1\0", 4},
        {"types before names", kallsyms + 24, "\0\0\0\x70", 4},
        {"names that are too long", kallsyms + 24, "\0\0\0\x7f", 4},
        {"a table elsewhere", KERNELS_LAST_TABLE + 4, "\xff", 1},
        {"a page without an entry", KERNELS_LAST_TABLE, "\0", 1},
        {"an empty list", KERNELS_MODULES, "\0\6\0\x80", 4},
        {"a list that leads nowhere", KERNELS_MODULES + 4, "\0\0\0\0", 4},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct kernel k;

        kernels_make(&made, false);
        memcpy(made.ram + rows[i].at, rows[i].bytes, rows[i].n);
        find(&k, rows[i].row);
        ck_assert_msg(strcmp(name_at(&k, 0), "none") == 0, "%s", rows[i].row);
        ck_assert_msg(k.symbols.modules == 0, "%s", rows[i].row);
        kernel_free(&k);
    }
}
END_TEST

/* A list that never returns to its head ends all the same, and other lists of pages are refused. */
START_TEST(modules_hostile)
{
    static const char *const lines[] = {
        "NUMBER(VA_BITS)=0\n",         "NUMBER(VA_BITS)=64\n",       "NUMBER(VA_BITS)=12\n",
        "NUMBER(VA_BITS)=1000\n",      "NUMBER(TCR_EL1_T1SZ)=0x1\n", "NUMBER(TCR_EL1_T1SZ)=0x3f\n",
        "NUMBER(TCR_EL1_T1SZ)=0x22\n",
    };
    const uint64_t itself = KERNELS_MODULE_AT + KERNELS_IN_MODULE_LIST;
    struct kernel k;

    for (size_t i = 0; i < COUNT_OF(lines); i++) {
        kernels_make(&made, false);
        append(lines[i]);
        find(&k, lines[i]);
        ck_assert_str_eq(name_at(&k, 0), "none");
        kernel_free(&k);
    }
    kernels_make(&made, false);
    memcpy(made.ram + KERNELS_MODULE + KERNELS_IN_MODULE_LIST, &itself, sizeof(itself));
    find(&k, "a circle");
    ck_assert_str_eq(name_at(&k, 0), "one");
    kernel_free(&k);
}
END_TEST

Suite *modules_suite(void)
{
    const TTest *const tests[] = {modules_found, modules_refused, modules_hostile};

    return suite_of("modules", tests, COUNT_OF(tests));
}
