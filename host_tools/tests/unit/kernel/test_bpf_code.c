/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds a kernel's compiled BPF programs in a machine's memory, and leaves out wrong data. */
#include "kernel/bpf-code.h"

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
    const struct function *f = functions_find(&k->functions, KERNELS_BPF_CODE + offset);

    return f && f->of_module && strcmp(f->module, "[bpf]") == 0 ? f->name : "none";
}

/* Programs have the names of the kernel's list. The rest of their area has one name. */
START_TEST(bpf_found)
{
    static const struct {
        uint64_t offset;
        const char *name;
    } rows[] = {
        {UINT64_MAX, "none"},
        {0, "bpf_prog_pack"},
        {0x7f, "bpf_prog_pack"},
        {0x80, "bpf_trampoline_7"},
        {0xff, "bpf_trampoline_7"},
        {0x100, "bpf_prog_pack"},
        {0x103f, "bpf_prog_pack"},
        {0x1040, "bpf_prog_0123456789abcdef_first"},
        {0x107f, "bpf_prog_0123456789abcdef_first"},
        {0x1080, "bpf_prog_pack"},
        {BPF_CODE_PACK - 1, "bpf_prog_pack"},
        {BPF_CODE_PACK, "none"},
    };

    for (unsigned kind = 0; kind < 3; kind++) {
        struct kernel k;

        if (kind < 2) {
            kernels_make(&made, kind);
        } else {
            kernels_make_x86(&made, true);
        }
        find(&k, "found");
        for (size_t i = 0; i < COUNT_OF(rows); i++) {
            const char *name = name_at(&k, rows[i].offset);

            ck_assert_msg(strcmp(name, rows[i].name) == 0, "kernel %u, %#llx: expected %s got %s",
                          kind, (unsigned long long)rows[i].offset, rows[i].name, name);
        }
        ck_assert_uint_eq(k.symbols.modules, 1);
        kernel_free(&k);
    }
}
END_TEST

/* Each row changes bytes. @program and @gap: the names at 0x1040 and at 0 after them. */
START_TEST(bpf_refused)
{
    static const unsigned first = KERNELS_BPF_PROGRAM;
    static const struct {
        const char *row;
        unsigned at;
        const char *bytes;
        size_t n;
        const char *program, *gap;
    } rows[] = {
        {"no name", first + KERNELS_IN_KSYM_NAME, "\0", 1, "bpf_prog_pack", "bpf_prog_pack"},
        {"a name of the terminal", first + KERNELS_IN_KSYM_NAME, "\x1b[31m", 5,
         "??31mrog_0123456789abcdef_first", "bpf_prog_pack"},
        {"an address of a program", first + KERNELS_IN_KSYM_START + 4, "\0\0\0\0", 4,
         "bpf_prog_pack", "bpf_prog_pack"},
        {"no size", first + KERNELS_IN_KSYM_END, "\x40", 1, "bpf_prog_pack", "bpf_prog_pack"},
        {"a size of 4 GiB", first + KERNELS_IN_KSYM_END + 4, "\1\x80\xff\xff", 4, "bpf_prog_pack",
         "bpf_prog_pack"},
        {"a list that leads nowhere", KERNELS_BPF_LIST + 4, "\0\0\0\0", 4, "bpf_prog_pack",
         "bpf_prog_pack"},
        {"an empty list", KERNELS_BPF_LIST, "\0\7\0\x80", 4, "bpf_prog_pack", "bpf_prog_pack"},
        {"no area", KERNELS_BPF_PACKS, "\x10\7\0\x80", 4, "bpf_prog_0123456789abcdef_first",
         "none"},
        {"an area that is not a page", KERNELS_BPF_PACK + KERNELS_IN_PACK_START, "\1", 1,
         "bpf_prog_0123456789abcdef_first", "none"},
        {"an area of a program", KERNELS_BPF_PACK + KERNELS_IN_PACK_START + 7, "\0", 1,
         "bpf_prog_0123456789abcdef_first", "none"},
        {"an area at the end", KERNELS_BPF_PACK + KERNELS_IN_PACK_START,
         "\0\xf0\xff\xff\xff\xff\xff\xff", 8, "bpf_prog_0123456789abcdef_first", "none"},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct kernel k;

        kernels_make(&made, false);
        memcpy(made.ram + rows[i].at, rows[i].bytes, rows[i].n);
        find(&k, rows[i].row);
        ck_assert_msg(strcmp(name_at(&k, 0x1040), rows[i].program) == 0, "%s: got %s", rows[i].row,
                      name_at(&k, 0x1040));
        ck_assert_msg(strcmp(name_at(&k, 0), rows[i].gap) == 0, "%s: got %s", rows[i].row,
                      name_at(&k, 0));
        kernel_free(&k);
    }
}
END_TEST

/* Lists that never return to their heads end all the same. */
START_TEST(bpf_hostile)
{
    const uint64_t program = KERNELS_TEXT + KERNELS_BPF_PROGRAM + KERNELS_IN_KSYM_LIST;
    const uint64_t pack = KERNELS_TEXT + KERNELS_BPF_PACK + KERNELS_IN_PACK_LIST;
    struct kernel k;

    kernels_make(&made, false);
    memcpy(made.ram + KERNELS_BPF_PROGRAM + KERNELS_IN_KSYM_LIST, &program, sizeof(program));
    memcpy(made.ram + KERNELS_BPF_PACK + KERNELS_IN_PACK_LIST, &pack, sizeof(pack));
    find(&k, "circles");
    ck_assert_str_eq(name_at(&k, 0x1040), "bpf_prog_0123456789abcdef_first");
    ck_assert_str_eq(name_at(&k, 0x80), "bpf_prog_pack");
    kernel_free(&k);
}
END_TEST

Suite *bpf_code_suite(void)
{
    const TTest *const tests[] = {bpf_found, bpf_refused, bpf_hostile};

    return suite_of("bpf_code", tests, COUNT_OF(tests));
}
