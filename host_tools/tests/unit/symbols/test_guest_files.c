/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers and build IDs of a guest's files. */
#include "symbols/guest-files.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
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
        char name[] = "/file"; /* which need not be kept */
        uint32_t number;

        ck_assert_int_eq(guest_files_number(&files, name, rows[i].given, rows[i].size, &number, &t),
                         0);
        memset(name, 'x', sizeof(name) - 1);
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

/* Build IDs of zeros are different ones if their sizes are, whichever comes first. */
START_TEST(build_ids_of_zeros)
{
    static const unsigned char zeros[IMAGE_BUILD_ID];
    static const size_t sizes[] = {8, 20, 16, 4, 20, 16, 8, 4};
    static const uint32_t wanted[] = {0, 1, 2, 3, 1, 2, 0, 3};
    struct guest_files files = {0};
    struct error t = {0};

    for (size_t i = 0; i < COUNT_OF(sizes); i++) {
        uint32_t number;

        ck_assert_int_eq(guest_files_number(&files, "/file", zeros, sizes[i], &number, &t), 0);
        ck_assert_msg(number == wanted[i], "row %zu: file %u", i, number);
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

/* Writes a file below a directory that stands for the guest's root. */
static void write_below(const char *root, const char *path, const char *text)
{
    char whole[128];
    FILE *file;

    snprintf(whole, sizeof(whole), "%s%s", root, path);
    file = fopen(whole, "we");
    ck_assert(file && fputs(text, file) >= 0);
    fclose(file);
}

/*
 * A compiler's list of functions is read in place of a program: offsets are addresses, the code has
 * no file. Names that lead out of the root, and files that are not there, have no functions.
 */
START_TEST(lists)
{
    static const struct {
        const char *name;
        uint64_t offset;
        const char *function;
    } rows[] = {
        {"/tmp/perf-7.map", 0x1000, "first"}, {"/tmp/perf-7.map", 0x103f, "first"},
        {"/tmp/perf-7.map", 0x1040, NULL},    {"/tmp/perf-7.map", 0x2000, "second"},
        {"/tmp/perf-8.map", 0x1000, NULL},    {"/tmp/../tmp/perf-7.map", 0x1000, NULL},
        {"tmp/perf-7.map", 0x1000, NULL},     {"/tmp/map-7", 0x1000, NULL},
        {"/tmp/perf-9.map", 0x1000, NULL},
    };
    char root[] = TEMPORARY_PATH;
    char command[64];
    struct guest_files files = {.symfs = root};
    struct error t = {0};

    ck_assert(mkdtemp(root));
    snprintf(command, sizeof(command), "mkdir %s/tmp", root);
    ck_assert_int_eq(system(command), 0);
    write_below(root, "/tmp/perf-7.map", "1000 40 first\n2000 10 second\n");
    write_below(root, "/tmp/map-7", "1000 40 first\n2000 10 second\n");
    write_below(root, "/tmp/perf-9.map", "");
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const struct function *function;
        const char *path = "none";
        uint64_t address = 0;
        uint32_t number;

        ck_assert_int_eq(guest_files_number(&files, rows[i].name, NULL, 0, &number, &t), 0);
        function = guest_files_find(&files, number, rows[i].offset, &path, &address);
        ck_assert_msg((function != NULL) == (rows[i].function != NULL), "row %zu", i);
        ck_assert(!function || strcmp(function->name, rows[i].function) == 0);
        ck_assert(!function || (!path && address == rows[i].offset));
    }
    guest_files_free(&files);
    snprintf(command, sizeof(command), "rm -r %s", root);
    ck_assert_int_eq(system(command), 0);
}
END_TEST

/* A variable is found from an instruction of the file, by its distance. */
START_TEST(data)
{
    static const char make[] =
        "echo 'int before, variable[4] = {1}; int code(void) { return 0; }' | "
        "gcc -shared -nostdlib -fPIC -x c -o %s -";
    struct guest_files files = {.data = true};
    struct error t = {0};
    uint32_t number;
    struct image id = {.build_id_size = 0};
    const struct function *code = NULL, *variable = NULL;
    char path[sizeof(TEMPORARY_PATH)], command[sizeof(make) + sizeof(path)];
    static unsigned char contents[1u << 16];
    size_t size;
    FILE *file;

    make_temporary(path, "", 0);
    snprintf(command, sizeof(command), make, path);
    ck_assert_int_eq(system(command), 0);
    file = fopen(path, "re");
    unlink(path);
    size = fread(contents, 1, sizeof(contents), file);
    fclose(file);
    ck_assert_int_eq(guest_files_number(&files, "/lib", NULL, 0, &number, &t), 0);
    files.file[number].functions.data = true;
    ck_assert_uint_eq(give(&files, "/lib", &id, contents, size), number);
    for (size_t i = 0; i < files.file[0].functions.n; i++) {
        const struct function *f = &files.file[0].functions.function[i];

        code = strcmp(f->name, "code") == 0 ? f : code;
        variable = strcmp(f->name, "variable") == 0 ? f : variable;
    }
    ck_assert(code && variable);
    /* The code of this file is where it is in memory. */
    ck_assert_ptr_eq(
        guest_files_data(&files, 0, code->start, (int64_t)(variable->start - code->start) + 12),
        variable);
    ck_assert_ptr_ne(
        guest_files_data(&files, 0, code->start, (int64_t)(variable->start - code->start) + 16),
        variable);
    ck_assert_ptr_null(guest_files_data(&files, 0, 1u << 30, 0));
    guest_files_free(&files);
}
END_TEST

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
    int fd;

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
    /* Other contents replace the ones before. */
    fd = files.file[3].fd;
    ck_assert_uint_eq(give(&files, "[late]", &id, vdso, size), 3);
    ck_assert_int_eq(fcntl(fd, F_GETFD), -1);
    ck_assert_uint_eq(files.file[3].functions.n, files.file[0].functions.n);
    ck_assert_uint_eq(give(&files, "[late]", &id, "\177ELF?", 5), 3);
    ck_assert_uint_eq(files.file[3].functions.n, 0);
    ck_assert_ptr_null(guest_files_find(&files, 3, 0, &path, &address));
    fd = files.file[3].fd;
    ck_assert_int_ne(fcntl(fd, F_GETFD), -1);
    guest_files_free(&files);
    ck_assert_int_eq(fcntl(fd, F_GETFD), -1);
}
END_TEST

/* Records two functions at addresses, one of which has no name, and offsets 0x1000 below them. */
static void record(struct guest_files *files, const char *name, uint64_t first, uint64_t second)
{
    struct functions functions = {0};
    struct error t = {0};
    char nameless[32];

    snprintf(nameless, sizeof(nameless), "a+0x%" PRIx64, second);
    functions_add(
        &functions,
        &(struct function){.start = first, .end = first + 0x10, .name = (char[]){"named"}}, &t);
    functions_add(&functions,
                  &(struct function){.start = second, .end = second + 0x10, .name = nameless}, &t);
    ck_assert_int_eq(guest_files_record(files, name, &functions, 0x3000, 0x2000, &t), 0);
    functions_free(&functions);
}

/* Functions that a recording has of a file that is not here, and such that are only called. */
START_TEST(recorded)
{
    static const struct {
        uint64_t offset;
        const char *name; /* NULL: none */
    } rows[] = {
        {0x2000, "named"},    {0x200f, "named"}, {0x2010, NULL}, {0x2100, "a+0x3100"},
        {0x210f, "a+0x3100"}, {0x2110, NULL},    {0x1fff, NULL}, {0x2200, "a+0x3200"},
    };
    struct guest_files files = {0};
    struct error t = {0};

    record(&files, "/lib/a", 0x3000, 0x3100);
    ck_assert_int_eq(guest_files_call(&files, 0, 0x2200, &t), 0);
    record(&files, "/lib/b", 0x3000, 0x3100);
    ck_assert_int_eq(guest_files_call(&files, 1, 0x2300, &t), 0);
    ck_assert_int_eq(guest_files_add_called(&files, &t), 0);
    ck_assert_uint_eq(files.file[0].called.n, 0);
    ck_assert_ptr_nonnull(functions_named(&files.file[1].recorded, "b+0x3300"));
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const char *path = "none";
        uint64_t address = 0;
        const struct function *f = guest_files_find(&files, 0, rows[i].offset, &path, &address);

        ck_assert_msg(f ? rows[i].name && strcmp(f->name, rows[i].name) == 0 : !rows[i].name,
                      "row %zu: %s", i, f ? f->name : "none");
        ck_assert(f ? !path && address == rows[i].offset + 0x1000 : address == 0);
        ck_assert(!f || f->called == (strcmp(f->name, "named") != 0));
    }
    guest_files_free(&files);
}
END_TEST

/* A function of a file of which nothing is known has its offset for a name. */
START_TEST(called_only)
{
    static const char *const names[][2] = {{"/lib/b", "b+0x1230"}, {"[vdso]", "[vdso]+0x1230"}};

    for (size_t i = 0; i < COUNT_OF(names); i++) {
        struct guest_files files = {0};
        const char *path = "none";
        struct error t = {0};
        const struct function *f;
        uint64_t address;
        uint32_t number;

        ck_assert_int_eq(guest_files_number(&files, names[i][0], NULL, 0, &number, &t), 0);
        ck_assert_int_eq(guest_files_call(&files, number, 0x1230, &t), 0);
        ck_assert_int_eq(guest_files_add_called(&files, &t), 0);
        f = guest_files_find(&files, number, 0x1234, &path, &address);
        ck_assert(f && !path && f->called && f->start == 0x1230);
        ck_assert_str_eq(f->name, names[i][1]);
        guest_files_free(&files);
    }
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

/* A copy is used if it is an ELF file. A file that had no build ID gets its number. */
START_TEST(copies)
{
    static const unsigned char id[] = {1, 2, 3};
    struct guest_files files = {.symfs = ""};
    struct error t = {0};
    uint32_t list, library;
    char path[256];

    find_library(path, sizeof(path));
    ck_assert_int_eq(guest_files_number(&files, "/etc/passwd", NULL, 0, &list, &t), 0);
    ck_assert_int_eq(guest_files_number(&files, path, NULL, 0, &library, &t), 0);
    ck_assert(!guest_files_has(&files, list));
    ck_assert_uint_eq(files.file[list].functions.n, 0);
    ck_assert(guest_files_has(&files, library));
    ck_assert_uint_gt(files.file[library].functions.n, 100);
    ck_assert_int_eq(guest_files_number(&files, "/b", NULL, 0, &list, &t), 0);
    ck_assert_int_eq(guest_files_number(&files, "/b", id, sizeof(id), &library, &t), 0);
    ck_assert(list == 2 && library == list);
    guest_files_free(&files);
}
END_TEST

/* struct ifuncs - those that a library exports */
struct ifuncs {
    struct {
        uint64_t address;
        char name[128];
    } row[1000];
    size_t n;
};

static void read_ifuncs(struct ifuncs *i, const char *path)
{
    char text[512];
    FILE *readelf;

    snprintf(text, sizeof(text), "readelf -W --dyn-syms %s", path);
    readelf = popen(text, "r");
    ck_assert_ptr_nonnull(readelf);
    while (fgets(text, sizeof(text), readelf)) {
        ck_assert_uint_lt(i->n, COUNT_OF(i->row));
        i->n += sscanf(text, "%*u: %" SCNx64 " %*u IFUNC %*s %*s %*s %127[^@ \n]",
                       &i->row[i->n].address, i->row[i->n].name) == 2;
    }
    ck_assert_int_eq(pclose(readelf), 0);
    ck_assert_uint_gt(i->n, 10);
}

/* Is an entry called as an ifunc that the library exports? *@known: it exports one. */
static bool has_name_of(const struct ifuncs *i, uint64_t address, const char *entry, bool *known)
{
    bool has = false;

    *known = false;
    for (size_t k = 0; k < i->n; k++) {
        size_t length = strlen(i->row[k].name);

        if (i->row[k].address == address) {
            *known = true;
            has |=
                strncmp(i->row[k].name, entry, length) == 0 && strcmp(entry + length, "@plt") == 0;
        }
    }
    return has;
}

/*
 * Compares an entry with a line of objdump. Of ifuncs, this shows the address of the function that
 * chooses: "*ABS*+0xADDRESS". Return: whether the line is one of an entry, 2 of an ifunc, 3 of one
 * that others can call as well.
 */
static int compare_entry(const struct functions *functions, const struct ifuncs *ifuncs,
                         const char *line)
{
    char name[256], wanted[300];
    uint64_t start, chooser;
    const struct function *entry, *function;
    bool known, has;

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
    has = has_name_of(ifuncs, chooser, entry->name, &known);
    if (known) {
        ck_assert_msg(has, "%s at %" PRIx64, entry->name, chooser);
        return 3;
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
    static struct ifuncs ifuncs;
    struct functions functions = {0};
    struct error t = {0};
    char path[256], text[512];
    unsigned named = 0, chosen = 0, exported = 0;
    FILE *objdump;

    find_library(path, sizeof(path));
    read_ifuncs(&ifuncs, path);
    ck_assert_msg(elffile_functions(&functions, NULL, path, &t) == 0, "%s", t.text);
    ck_assert_int_eq(functions_sort(&functions, &t), 0);
    snprintf(text, sizeof(text), "objdump -d -w -j .plt -j .plt.sec %s", path);
    objdump = popen(text, "r");
    ck_assert_ptr_nonnull(objdump);
    while (fgets(text, sizeof(text), objdump)) {
        int is = compare_entry(&functions, &ifuncs, text);

        named += is == 1;
        chosen += is >= 2;
        exported += is == 3;
    }
    ck_assert_int_eq(pclose(objdump), 0);
    ck_assert_uint_gt(named, 3);
    ck_assert_uint_gt(chosen, 3);
    ck_assert_uint_gt(exported, 3);
    ck_assert_ptr_nonnull(functions_named(&functions, ".plt"));
    functions_free(&functions);
}
END_TEST

Suite *guest_files_suite(void)
{
    const TTest *const tests[] = {
        numbers, build_ids, build_ids_of_zeros, contents,    jumps, entries,
        lists,   data,      recorded,           called_only, copies};

    return suite_of("guest_files", tests, COUNT_OF(tests));
}
