/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The symbols of a library of this computer, libelf, as a guest's memory has it: without its
 * section headers. They are those that its section headers describe.
 */
#include <dlfcn.h>
#include <elf.h>
#include <libelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "symbols/elffile.h"
#include "unit/tests.h"

static unsigned char *library;
static size_t size;

static void read_library(void)
{
    Dl_info info;
    FILE *file;

    ck_assert(dladdr((void *)(uintptr_t)elf_begin, &info));
    file = fopen(info.dli_fname, "r");
    ck_assert(file && fseek(file, 0, SEEK_END) == 0);
    size = (size_t)ftell(file);
    library = malloc(size);
    rewind(file);
    ck_assert(library && fread(library, 1, size, file) == size);
    fclose(file);
}

static void take(struct functions *functions)
{
    char path[sizeof(TEMPORARY_PATH)];
    struct error t = {0};

    *functions = (struct functions){0};
    make_temporary(path, library, size);
    /* Without symbols there are names by the unwind tables. */
    ck_assert_msg(elffile_functions(functions, NULL, path, &t) == 0, "%s", t.text);
    unlink(path);
    ck_assert_int_eq(functions_sort(functions, &t), 0);
}

static void drop_headers(void)
{
    Elf64_Ehdr *header = (void *)library;

    memset(library + header->e_shoff, 0, size - header->e_shoff);
}

/* Finds an entry of the dynamic section. */
static Elf64_Dyn *dynamic(Elf64_Sxword tag)
{
    const Elf64_Ehdr *header = (void *)library;
    const Elf64_Phdr *part = (void *)(library + header->e_phoff);
    Elf64_Dyn *entry;

    while (part->p_type != PT_DYNAMIC) {
        part++;
    }
    for (entry = (void *)(library + part->p_offset); entry->d_tag != tag; entry++) {
        ck_assert_int_ne(entry->d_tag, DT_NULL);
    }
    return entry;
}

/* Unwind tables and PLTs, whose header is ".plt", add other names. */
static bool is_symbol(const struct function *function)
{
    return !strpbrk(function->name, "+@") && strcmp(function->name, ".plt") != 0;
}

/* Counts functions by whether they have the name of a symbol. */
static size_t named(const struct functions *f)
{
    size_t n = 0;

    for (size_t i = 0; i < f->n; i++) {
        n += is_symbol(&f->function[i]);
    }
    return n;
}

static void expect_all(const struct functions *wanted)
{
    struct functions found;
    size_t n = 0;

    take(&found);
    for (size_t i = 0; i < wanted->n; i++) {
        const struct function *function = &wanted->function[i];
        const struct function *same = functions_find(&found, function->start);

        if (is_symbol(function)) {
            ck_assert_msg(same && same->start == function->start && same->end == function->end &&
                              strcmp(same->name, function->name) == 0,
                          "%s", function->name);
            n++;
        }
    }
    ck_assert_uint_gt(n, 100);
    ck_assert_uint_eq(named(&found), n);
    functions_free(&found);
}

START_TEST(dynamic_symbols)
{
    struct functions wanted;
    uint32_t *hash;
    uint32_t n;

    read_library();
    take(&wanted);
    drop_headers();
    expect_all(&wanted);
    /* The older table begins with its number of buckets, and that of symbols. */
    n = (uint32_t)((dynamic(DT_STRTAB)->d_un.d_ptr - dynamic(DT_SYMTAB)->d_un.d_ptr) /
                   sizeof(Elf64_Sym));
    hash = (void *)(library + dynamic(DT_GNU_HASH)->d_un.d_ptr);
    hash[0] = 1;
    hash[1] = n;
    dynamic(DT_GNU_HASH)->d_tag = DT_HASH;
    expect_all(&wanted);
    functions_free(&wanted);
    free(library);
}
END_TEST

/* Tables that are not in memory, or are wrong. */
START_TEST(dynamic_symbols_of_nonsense)
{
    static const struct {
        Elf64_Sxword tag;
        uint64_t value;
    } rows[] = {
        {DT_SYMTAB, 0}, {DT_SYMTAB, UINT64_MAX}, {DT_STRTAB, UINT64_MAX},   {DT_STRTAB, 0},
        {DT_STRSZ, 0},  {DT_GNU_HASH, 0},        {DT_GNU_HASH, UINT64_MAX},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct functions found;

        read_library();
        drop_headers();
        dynamic(rows[i].tag)->d_un.d_val = rows[i].value;
        take(&found);
        ck_assert_msg(named(&found) == 0, "row %zu: %zu", i, named(&found));
        functions_free(&found);
        free(library);
    }
    /* A hash table of each size, and one that never ends. */
    for (uint32_t fill = 0; fill < 9; fill++) {
        struct functions found;
        uint32_t *hash;

        read_library();
        drop_headers();
        hash = (void *)(library + dynamic(DT_GNU_HASH)->d_un.d_ptr);
        hash[fill % 3] = fill < 3 ? 0 : fill < 6 ? UINT32_MAX : 1u << 20;
        take(&found);
        functions_free(&found);
        free(library);
    }
}
END_TEST

Suite *dynamic_symbols_suite(void)
{
    const TTest *const tests[] = {dynamic_symbols, dynamic_symbols_of_nonsense};

    return suite_of("dynamic-symbols", tests, COUNT_OF(tests));
}
