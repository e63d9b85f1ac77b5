/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers and build IDs of a guest's files. */
#include "symbols/guest-files.h"

#include <dlfcn.h>
#include <elf.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>

#include "symbols/elffile.h"
#include "unit/tests.h"

/* Many names, each of which has its number; the array grows. */
START_TEST(numbers)
{
    struct guest_files files = {0};
    struct error t = {0};

    for (uint32_t round = 0; round < 2; round++) {
        for (uint32_t i = 0; i < 200; i++) {
            char name[16];
            uint32_t number;

            snprintf(name, sizeof(name), "/file%u", i);
            ck_assert_int_eq(guest_files_number(&files, name, NULL, 0, &number, &t), 0);
            ck_assert_uint_eq(number, i);
            ck_assert_str_eq(files.file[number].name, name);
        }
    }
    ck_assert_uint_eq(files.n, 200);
    guest_files_free(&files);
}
END_TEST

/*
 * Files that share a name, such as those of containers, are known by their build IDs, as in perf
 * (dso_id__cmp() of tools/perf/util/dso.c). A file gets its ID when that is first known. A build ID
 * has 1 to 20 bytes.
 */
START_TEST(build_ids)
{
    static const unsigned char first[IMAGE_BUILD_ID + 1] = {1, 2, 3},
                                                      second[IMAGE_BUILD_ID + 1] = {
                                                          4, [IMAGE_BUILD_ID - 1] = 5};
    static const struct {
        const unsigned char *given;
        size_t size;
        const unsigned char *kept;
        size_t kept_size;
        uint32_t number;
        bool others;
    } rows[] = {
        {NULL, 0, NULL, 0, 0, false},
        {second, IMAGE_BUILD_ID + 1, NULL, 0, 0, false},
        {first, 3, first, 3, 0, false},
        {NULL, 0, first, 3, 0, false},
        {second, IMAGE_BUILD_ID + 1, first, 3, 0, false},
        {second, IMAGE_BUILD_ID, second, IMAGE_BUILD_ID, 1, true},
        {first, 3, first, 3, 0, true},
        {NULL, 0, second, IMAGE_BUILD_ID, 1, true},
        {first, 1, first, 1, 2, true},
        {second, IMAGE_BUILD_ID, second, IMAGE_BUILD_ID, 1, true},
        {NULL, 0, first, 1, 2, true},
    };
    struct guest_files files = {0};
    struct error t = {0};

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const struct image *image;
        uint32_t number;

        ck_assert_int_eq(
            guest_files_number(&files, "/file", rows[i].given, rows[i].size, &number, &t), 0);
        ck_assert_msg(number == rows[i].number, "row %zu: file %u", i, number);
        ck_assert_msg(files.file[number].others == rows[i].others, "row %zu", i);
        image = &files.file[number].image;
        ck_assert_msg(image->build_id_size == rows[i].kept_size, "row %zu: size %zu", i,
                      (size_t)image->build_id_size);
        ck_assert_msg(!rows[i].kept ||
                          memcmp(image->build_id, rows[i].kept, rows[i].kept_size) == 0,
                      "row %zu", i);
    }
    guest_files_free(&files);
}
END_TEST

/* Gives contents of a file with a name and a build ID. Returns its number. */
static uint32_t give(struct guest_files *files, const char *name, const struct image *id,
                     const void *contents, size_t size)
{
    uint32_t number;
    struct error t = {0};

    ck_assert_int_eq(guest_files_number(files, name, id->build_id, id->build_id_size, &number, &t),
                     0);
    ck_assert_int_eq(guest_files_give(files, number, contents, size, &t), 0);
    return number;
}

/*
 * The vDSO of this process, which has a function for the time, contents that are no file, and files
 * that share the name: with that build ID and with another one, whose contents they are not.
 */
START_TEST(contents)
{
    const char *vdso = (const char *)getauxval(AT_SYSINFO_EHDR);
    struct guest_files files = {0};
    struct image id = {.build_id_size = 0};
    const char *path = NULL;
    bool found = false;
    uint64_t address;
    Elf64_Ehdr head;
    size_t size;

    ck_assert_ptr_nonnull(vdso);
    memcpy(&head, vdso, sizeof(head));
    size = head.e_shoff + (size_t)head.e_shnum * head.e_shentsize;
    ck_assert_uint_eq(give(&files, "[vdso]", &id, vdso, size), 0);
    for (size_t i = 0; i < files.file[0].functions.n; i++) {
        const struct function *f = &files.file[0].functions.function[i];

        if (strstr(f->name, "clock_gettime")) {
            const struct function *again = guest_files_find(&files, 0, f->start, &path, &address);

            ck_assert_ptr_eq(again, f);
            ck_assert_uint_eq(address, f->start);
            found = true;
        }
    }
    ck_assert(found && path);
    /* The first byte belongs to the file as well. */
    path = NULL;
    guest_files_find(&files, 0, 0, &path, &address);
    ck_assert_ptr_nonnull(path);
    ck_assert_uint_eq(address, 0);
    ck_assert_uint_eq(give(&files, "[other]", &id, "\177ELF?", 5), 1);
    ck_assert_ptr_null(guest_files_find(&files, 1, 0, &path, &address));
    id = files.file[0].image;
    ck_assert_uint_gt(id.build_id_size, 0);
    id.build_id[0] ^= 1;
    ck_assert_uint_eq(give(&files, "[vdso]", &id, vdso, size), 2);
    ck_assert_uint_eq(files.file[2].functions.n, 0);
    ck_assert_uint_eq(files.file[2].image.build_id[0], id.build_id[0]);
    id.build_id[0] ^= 1;
    ck_assert_uint_eq(give(&files, "[late]", &id, vdso, size), 3);
    ck_assert_uint_eq(files.file[3].functions.n, files.file[0].functions.n);
    guest_files_free(&files);
}
END_TEST

/*
 * This program has an entry in .plt.got, because the compiler's code that ends a program calls
 * __cxa_finalize() if it has an address. The entries of .plt come before it.
 */
START_TEST(jumps)
{
#ifdef __x86_64__
    struct functions functions = {0};
    const struct function *finalize;
    const struct function *other;
    struct error t = {0};

    ck_assert_msg(elffile_functions(&functions, NULL, "/proc/self/exe", &t) == 0, "%s", t.text);
    ck_assert_int_eq(functions_sort(&functions, &t), 0);
    finalize = functions_named(&functions, "__cxa_finalize@plt");
    other = functions_named(&functions, "memfd_create@plt");
    ck_assert_ptr_nonnull(finalize);
    ck_assert_ptr_nonnull(other);
    ck_assert_uint_gt(finalize->start, other->start);
    ck_assert_uint_ge(finalize->end - finalize->start, 8);
    functions_free(&functions);
#endif
}
END_TEST

/* find_library() - the path of the C library that this program uses */
static void find_library(char *path, size_t size)
{
    Dl_info info = {.dli_fname = ""};

    ck_assert_int_ne(dladdr((void *)(uintptr_t)dlsym(RTLD_DEFAULT, "getppid"), &info), 0);
    ck_assert_msg(strstr(info.dli_fname, "libc") != NULL, "%s", info.dli_fname);
    snprintf(path, size, "%s", info.dli_fname);
}

/*
 * Compares an entry with a line of objdump. Of ifuncs, this shows the address of the function that
 * chooses: "*ABS*+0xADDRESS". Return: whether the line is one of an entry, 2 of an ifunc.
 */
static int compare_entry(const struct functions *functions, const char *line)
{
    char name[256], wanted[300];
    uint64_t start, chooser;
    const struct function *entry, *function;

    if (sscanf(line, "%" SCNx64 " <%255[^@>]@plt>:", &start, name) != 2 ||
        !strstr(line, "@plt>:")) {
        return 0;
    }
    entry = functions_find(functions, start);
    ck_assert_msg(entry && entry->start == start, "there is no entry for %s", line);
    if (sscanf(name, "*ABS*+%" SCNx64, &chooser) != 1) {
        snprintf(wanted, sizeof(wanted), "%s@plt", name);
        ck_assert_str_eq(entry->name, wanted);
        return 1;
    }
    function = functions_find(functions, chooser);
    snprintf(wanted, sizeof(wanted), "%s@plt",
             function && function->start == chooser ? function->name : name);
    ck_assert_str_eq(entry->name, wanted);
    return 2;
}

/* The C library calls its own functions by entries in another order than their relocations. */
START_TEST(entries)
{
    struct functions functions = {0};
    struct error t = {0};
    char path[256], text[512];
    unsigned named = 0, chosen = 0;
    FILE *objdump;

    find_library(path, sizeof(path));
    ck_assert_msg(elffile_functions(&functions, NULL, path, &t) == 0, "%s", t.text);
    ck_assert_int_eq(functions_sort(&functions, &t), 0);
    snprintf(text, sizeof(text), "objdump -d -w -j .plt -j .plt.sec %s", path);
    objdump = popen(text, "r");
    ck_assert_ptr_nonnull(objdump);
    while (fgets(text, sizeof(text), objdump)) {
        int is = compare_entry(&functions, text);

        named += is == 1;
        chosen += is == 2;
    }
    ck_assert_int_eq(pclose(objdump), 0);
    ck_assert_uint_gt(named, 3);
    ck_assert_uint_gt(chosen, 3);
    ck_assert_ptr_nonnull(functions_named(&functions, ".plt"));
    functions_free(&functions);
}
END_TEST

Suite *guest_files_suite(void)
{
    const TTest *const tests[] = {numbers, build_ids, contents, jumps, entries};

    return suite_of("guest_files", tests, COUNT_OF(tests));
}
