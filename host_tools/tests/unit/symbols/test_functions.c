/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions by address, from lists and ELF files, and thread names by time. */
#include "symbols/functions.h"

#include <elf.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/signals.h"
#include "symbols/elffile.h"
#include "symbols/programs.h"
#include "symbols/symbols.h"
#include "unit/tests.h"
#include "profile/threads.h"

static int read_list(struct functions *f, const char *text, struct error *t)
{
    char path[sizeof(TEMPORARY_PATH)];
    int err;

    make_temporary(path, text, strlen(text));
    *t = (struct error){0};
    err = symbols_functions(f, path, t);
    unlink(path);
    return err ? -1 : functions_sort(f, t);
}

#define TEN "aaaaaaaaaa"
#define HUNDRED TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN

/*
 * Lists of compilers (tools/perf/Documentation/jit-interface.txt of Linux: "START SIZE name" in
 * hexadecimal) have names of any length. The rest of such a name can look like a line of a kernel's
 * list, and a size like a type of its symbols.
 */
START_TEST(functions_of_compilers)
{
    static const struct {
        const char *text;
        bool data;
        uint64_t address;
        const char *name; /* the beginning of it; NULL: there is no function */
    } rows[] = {
        {"7f00 20 first\n7f40 10 " HUNDRED HUNDRED TEN TEN TEN TEN "atTheEnd(int)\n7f80 8 last\n",
         false, 0x7f00, "first"},
        {"7f00 20 first\n7f40 10 " HUNDRED HUNDRED TEN TEN TEN TEN "atTheEnd(int)\n7f80 8 last\n",
         false, 0x7f80, "last"},
        {"7f00 20 first\n7f40 10 " HUNDRED HUNDRED HUNDRED HUNDRED HUNDRED HUNDRED HUNDRED HUNDRED
             HUNDRED HUNDRED "a T b\n7f80 8 last\n",
         false, 0x7f40, TEN},
        {"7f00 20 first\n7f40 d0 second\n", true, 0x7f00, "first"},
        {"7f00 20 first\n7f40 d0 second\n", true, 0x7f40, "second"},
        {"7f00 d first\n7f40 20 second\n", true, 0x7f00, "first"},
        {"7f00 20 first\n7f40 t second\n", false, 0x7f40, NULL},
        {"7f00 20 first\r\n", false, 0x7f00, "first"},
        {"7f00 b data\n7f40 T code\n7f80 20 other\n", false, 0x7f40, "code"},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct functions f = {.data = rows[i].data};
        const struct function *found;
        struct error t;

        ck_assert_msg(read_list(&f, rows[i].text, &t) == 0, "row %zu: %s", i, t.text);
        found = functions_find(&f, rows[i].address);
        ck_assert_msg(!found == !rows[i].name, "row %zu: %s", i, found ? found->name : "none");
        ck_assert_msg(!found || strncmp(found->name, rows[i].name, strlen(rows[i].name)) == 0,
                      "row %zu: %s", i, found->name);
        ck_assert_msg(!found || !strchr(found->name, '\r'), "row %zu: a CR", i);
        functions_free(&f);
    }
}
END_TEST

START_TEST(functions_of_lists)
{
    static const char list[] = "ffff800080001000 T first\n"
                               "ffff800080000000 T _text\n"
                               "ffff800080001000 t $x\n"
                               "ffff800080001000 T last_of_two\n"
                               "ffff800080001200 d some_data\n"
                               "ffff800080001800 W wea\x1bk\n"
                               "ffff800090000010 t module_a\t[mod]\n"
                               "ffff800090000020 t module_b\t[mod]\n"
                               "ffff800090004000 t other\t[other]\n"
                               "not a line\n";
    static const struct {
        uint64_t address;
        const char *name; /* NULL: there is no function */
    } rows[] = {
        {0, NULL},
        {0xffff80007fffffff, NULL},
        {0xffff800080000000, "_text"},
        {0xffff800080000fff, "_text"},
        {0xffff800080001000, "last_of_two"},
        {0xffff8000800017ff, "last_of_two"},
        {0xffff800080001800, "wea?k"},
        {0xffff800080002fff, "wea?k"}, /* ends with the next page, as in perf */
        {0xffff800080003000, NULL},
        {0xffff80009000001f, "module_a"},
        {0xffff800090000020, "module_b"},
        {0xffff800090001fff, "module_b"},
        {0xffff800090002000, NULL}, /* between modules */
        {0xffff800090003fff, NULL},
        {0xffff800090004000, "other"},
        {0xffff800090005000, NULL},
        {UINT64_MAX, NULL},
    };
    struct functions f = {0};
    struct error t;

    ck_assert_msg(read_list(&f, list, &t) == 0, "%s", t.text);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const struct function *found = functions_find(&f, rows[i].address);

        ck_assert_msg(found ? rows[i].name && strcmp(found->name, rows[i].name) == 0
                            : !rows[i].name,
                      "%#llx: expected %s got %s", (unsigned long long)rows[i].address,
                      rows[i].name ? rows[i].name : "nothing", found ? found->name : "nothing");
    }
    ck_assert(functions_named(&f, "module_b")->start == 0xffff800090000020);
    ck_assert_ptr_null(functions_named(&f, "none"));
    functions_free(&f);
}
END_TEST

/* Data are only taken if they are asked for, and only what is a name of data. */
START_TEST(functions_and_data)
{
    static const char list[] = "ffff800080000000 T _text\n"
                               "ffff800080001000 D global\n"
                               "ffff800080001100 d $d\n"
                               "ffff800080001200 b local\n"
                               "0000000000000000 D per_cpu\n"
                               "ffff800080001300 A absolute\n"
                               "ffff800080001400 V weak\n"
                               "ffff800080001500 r constant\n";

    for (unsigned data = 0; data < 2; data++) {
        struct functions f = {.data = data};
        struct error t;
        char names[128] = "";

        ck_assert_msg(read_list(&f, list, &t) == 0, "%s", t.text);
        for (size_t i = 0; i < f.n; i++) {
            strcat(strcat(names, f.function[i].name), " ");
        }
        ck_assert_str_eq(names, data ? "_text global local weak constant " : "_text ");
        functions_free(&f);
    }
}
END_TEST

START_TEST(functions_refused)
{
    static const char *const lists[] = {"", "0000000000000000 T _text\n", "text\n",
                                        "1000 D data\n"};

    for (size_t i = 0; i < COUNT_OF(lists); i++) {
        struct functions f = {0};
        struct error t;

        ck_assert_int_eq(read_list(&f, lists[i], &t), -1);
        ck_assert_int_eq(t.code, ERROR_USAGE);
        ck_assert(strstr(t.text, "kallsyms"));
        functions_free(&f);
    }
}
END_TEST

/* The list of a compiler at run time, and lists that are not. */
START_TEST(functions_made_at_run_time)
{
    static const struct {
        const char *list;
        uint64_t address;
        const char *name; /* NULL: there is none there */
    } rows[] = {
        {"7f00 2a JS:*hot /app/x y.js:12\n", 0x7f29, "JS:*hot /app/x y.js:12"},
        {"7f00 2a JS:*hot /app/x y.js:12\n", 0x7f2a, NULL},
        {"7f00 b short\n", 0x7f0a, "short"},
        {"7f00 b short\n7f10 10 long\n", 0x7f1f, "long"},
        {"7f00 0 nothing\n7f10 10 long\n", 0x7f00, NULL},
        /* nm's, with a function: the others are data. */
        {"7f00 b data\n7f10 t function\n", 0x7f00, NULL},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct functions f = {0};
        const struct function *found;
        struct error t = {0};

        ck_assert_msg(read_list(&f, rows[i].list, &t) == 0, "%s", t.text);
        found = functions_find(&f, rows[i].address);
        ck_assert_msg(found ? rows[i].name && strcmp(found->name, rows[i].name) == 0
                            : !rows[i].name,
                      "row %zu: got %s", i, found ? found->name : "nothing");
        functions_free(&f);
    }
}
END_TEST

/* A function with a size ends there. Of two functions at an address the one with a size is kept. */
START_TEST(functions_of_sizes)
{
    struct functions f = {0};
    struct error t = {0};
    char a[] = "a", label[] = "label", wild[] = "wild";

    functions_add(&f, &(struct function){.start = 100, .end = 110, .name = a}, &t);
    functions_add(&f, &(struct function){.start = 100, .name = label}, &t);
    functions_add(&f, &(struct function){.start = UINT64_MAX - 5, .end = 5, .name = wild}, &t);
    ck_assert_int_eq(functions_sort(&f, &t), 0);
    ck_assert_str_eq(functions_find(&f, 109)->name, "a");
    ck_assert_ptr_null(functions_find(&f, 110));
    ck_assert_str_eq(functions_find(&f, UINT64_MAX - 1)->name, "wild");
    functions_free(&f);
    ck_assert_int_eq(functions_sort(&f, &t), 0);
    ck_assert_ptr_null(functions_find(&f, 0));
    functions_free(&f);
}
END_TEST

/* Functions of this program, which is position-independent, so its load address matters. */
START_TEST(functions_of_programs)
{
    static struct programs p;
    struct error t = {0};
    const struct program *found;
    const struct function *here;

    ck_assert_msg(programs_add(&p, "prog=/proc/self/exe@0x10000", &t) == 0, "%s", t.text);
    ck_assert_ptr_null(programs_find(&p, "pro", NULL));
    found = programs_find(&p, "prog", NULL);
    ck_assert_uint_eq(found->base, 0x10000);
    here = functions_named(&found->functions, "functions_suite");
    ck_assert_ptr_nonnull(here);
    ck_assert_ptr_eq(functions_find(&found->functions, here->start + 1), here);
    programs_free(&p);
}
END_TEST

/* The output of nm contains names but no code. */
START_TEST(programs_of_lists)
{
    static struct programs p;
    struct error t = {0};
    char path[] = "/tmp/vpmu-XXXXXX";
    char text[64];
    int fd = mkstemp(path);

    ck_assert_int_eq(write(fd, "0000000000001000 T one\n0000000000001010 t two\n", 46), 46);
    close(fd);
    snprintf(text, sizeof(text), "guest-1=%s@20000", path);
    ck_assert_msg(programs_add(&p, text, &t) == 0, "%s", t.text);
    ck_assert_uint_eq(p.program[0].base, 0x20000);
    ck_assert_ptr_null(p.program[0].path);
    ck_assert_str_eq(functions_find(&p.program[0].functions, 0x100f)->name, "one");
    ck_assert_str_eq(functions_find(&p.program[0].functions, 0x1010)->name, "two");
    programs_free(&p);
    unlink(path);
}
END_TEST

/* The first program with the name of a thread, or with its number. */
START_TEST(programs_of_threads)
{
    static const struct {
        const char *comm, *pid;
        int number; /* -1: none */
    } rows[] = {
        {"first", NULL, 0}, {"second", NULL, 1}, {":7", NULL, 2},     {"none", NULL, -1},
        {"none", ":7", 2},  {"none", ":8", -1},  {"second", ":7", 1}, {"firs", NULL, -1},
    };
    static struct programs p;
    struct error t = {0};

    ck_assert_int_eq(programs_add(&p, "first=/proc/self/exe", &t), 0);
    ck_assert_int_eq(programs_add(&p, "second=/proc/self/exe", &t), 0);
    ck_assert_int_eq(programs_add(&p, ":7=/proc/self/exe", &t), 0);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const struct program *found = programs_find(&p, rows[i].comm, rows[i].pid);

        ck_assert_msg(found ? found == &p.program[rows[i].number] && rows[i].number >= 0
                            : rows[i].number < 0,
                      "row %zu", i);
    }
    programs_free(&p);
}
END_TEST

/* An @ without a hexadecimal number behind it belongs to the name. */
START_TEST(programs_bases)
{
    static const struct {
        const char *name; /* of the file */
        const char *base; /* behind it */
        uint64_t expected;
    } rows[] = {
        {"exe", "", 0},       {"exe", "@0", 0},     {"exe", "@10000", 0x10000},
        {"exe", "@0x1f", 31}, {"exe@x", "", 0},     {"exe@1x", "", 0},
        {"exe@", "", 0},      {"exe@x", "@20", 32}, {"exe@fffffffffffffffff", "", 0},
    };
    char directory[] = TEMPORARY_PATH;
    char text[200];
    char path[100];

    ck_assert_ptr_nonnull(mkdtemp(directory));
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        static struct programs p;
        struct error t = {0};

        snprintf(path, sizeof(path), "%s/%s", directory, rows[i].name);
        ck_assert_int_eq(symlink("/proc/self/exe", path), 0);
        snprintf(text, sizeof(text), "prog=%s%s", path, rows[i].base);
        ck_assert_msg(programs_add(&p, text, &t) == 0, "row %zu: %s", i, t.text);
        ck_assert_msg(p.program[0].base == rows[i].expected, "row %zu", i);
        ck_assert_str_eq(p.program[0].path, path);
        programs_free(&p);
        unlink(path);
    }
    rmdir(directory);
}
END_TEST

START_TEST(programs_refused)
{
    static const struct {
        const char *text;
        const char *trouble;
    } rows[] = {
        {"", "is not COMM=FILE"},
        {"prog", "is not COMM=FILE"},
        {"=/bin/sh", "is not COMM=FILE"},
        {"prog=", "is not COMM=FILE"},
        {"prog=/nowhere/file", "cannot read /nowhere/file: No such file"},
        {"prog=/nowhere/file@home", "cannot read /nowhere/file@home: No such file"},
        {"prog=/dev/null", "/dev/null has no address of a function"},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        static struct programs p;
        struct error t = {0};

        ck_assert_int_eq(programs_add(&p, rows[i].text, &t), -1);
        ck_assert_int_eq(t.code, ERROR_USAGE);
        ck_assert_msg(strstr(t.text, rows[i].trouble), "expected %s got %s", rows[i].trouble,
                      t.text);
        programs_free(&p);
    }
}
END_TEST

/* A single function is no reason to name code by its unwind tables. */
START_TEST(functions_of_one)
{
    static const char make[] = "echo 'int other(void); int only(void) { return other() + 1; } "
                               "__asm__(\".text; .cfi_startproc; nop; ret; .cfi_endproc\");' | "
                               "gcc -shared -nostdlib -fPIC -x c -o %s -";
    struct functions functions = {0};
    struct error t = {0};
    char path[sizeof(TEMPORARY_PATH)];
    char command[sizeof(make) + sizeof(path)];

    make_temporary(path, "", 0);
    snprintf(command, sizeof(command), make, path);
    ck_assert_int_eq(system(command), 0);
    ck_assert_msg(elffile_functions(&functions, NULL, path, &t) == 0, "%s", t.text);
    unlink(path);
    ck_assert_int_eq(functions_sort(&functions, &t), 0);
    ck_assert_uint_eq(functions.n, 3);
    ck_assert_str_eq(functions.function[0].name, ".plt");
    ck_assert_str_eq(functions.function[1].name, "other@plt");
    ck_assert_str_eq(functions.function[2].name, "only");
    functions_free(&functions);
}
END_TEST

/*
 * What is called in a file ends with its section, at the latest, or with its segment, such as the
 * first one, whose section headers are missing, or nobody knows where.
 */
static void check_limits(const char *path, uint64_t start, uint64_t end)
{
    struct functions called = {0};
    struct functions f = {0};
    struct error t = {0};
    char name[] = "called";
    const struct function functions[] = {{.start = start, .name = name},
                                         {.start = UINT64_MAX - 1, .name = name},
                                         {.start = sizeof(Elf64_Ehdr), .name = name}};

    for (size_t i = 0; i < COUNT_OF(functions); i++) {
        ck_assert_int_eq(functions_add(&called, &functions[i], &t), 0);
    }
    ck_assert_int_eq(elffile_add_called(&f, &called, path, &t), 0);
    ck_assert_uint_eq(f.n, 3);
    ck_assert_uint_eq(f.function[0].limit, end);
    ck_assert_uint_eq(f.function[1].limit, 0);
    ck_assert(f.function[2].limit > sizeof(Elf64_Ehdr) && f.function[2].limit <= start);
    functions_free(&called);
    functions_free(&f);
}

/*
 * Functions without a symbol end where their unwind tables end, with and without the index of these
 * tables. Labels without a size end where the next section of code begins, at the latest.
 */
START_TEST(functions_end)
{
    static const char make[] =
        "echo '__asm__(\".section one,\\\"ax\\\"; .globl label; label: .zero 4; "
        ".section two,\\\"ax\\\"; person: .zero 8; .cfi_startproc; .zero 16; .cfi_endproc; .zero "
        "8; "
        ".cfi_startproc; .cfi_personality 0x1b, person; .zero 12; .cfi_endproc; .zero 8;\");' | "
        "gcc -shared -nostdlib -fPIC -Wl,--%seh-frame-hdr -x c -o %s - && strip %s";
    static const char *const index[] = {"", "no-"};

    for (size_t i = 0; i < COUNT_OF(index); i++) {
        struct functions f = {0};
        struct error t = {0};
        char path[sizeof(TEMPORARY_PATH)];
        char command[sizeof(make) + 2 * sizeof(path) + 3];

        make_temporary(path, "", 0);
        snprintf(command, sizeof(command), make, index[i], path, path);
        ck_assert_int_eq(system(command), 0);
        ck_assert_msg(elffile_functions(&f, NULL, path, &t) == 0, "%s", t.text);
        ck_assert_int_eq(functions_sort(&f, &t), 0);
        ck_assert_uint_eq(f.n, 3);
        ck_assert_str_eq(f.function[0].name, "label");
        ck_assert_uint_eq(f.function[0].end - f.function[0].start, 4);
        ck_assert_uint_eq(f.function[1].end - f.function[1].start, 16);
        ck_assert_uint_eq(f.function[2].start - f.function[1].end, 8);
        ck_assert_uint_eq(f.function[2].end - f.function[2].start, 12);
        check_limits(path, f.function[0].start, f.function[0].end);
        unlink(path);
        functions_free(&f);
    }
}
END_TEST

/* Reads the functions of the file that a command makes, which has %s for its path. */
static void read_made(struct functions *f, const char *make, char path[sizeof(TEMPORARY_PATH)])
{
    const struct debug_dirs none = {0};
    struct functions named = {0};
    struct error t = {0};
    char command[1024];
    int fd, err;

    make_temporary(path, "", 0);
    snprintf(command, sizeof(command), make, path, path);
    ck_assert_int_eq(system(command), 0);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    ck_assert_int_ge(fd, 0);
    ck_assert_msg(elffile_take(f, &none, fd, path, &t) == 0, "%s", t.text);
    close(fd);
    ck_assert_int_eq(functions_sort(f, &t), 0);
    /* A file that the user names has more functions than its beginning. */
    err = elffile_functions(&named, NULL, path, &t);
    ck_assert_int_eq(err, f->n == 1 && f->function[0].called ? -1 : 0);
    ck_assert_msg(!err || strstr(t.text, "has no functions: it is stripped"), "%s", t.text);
    functions_free(&named);
    unlink(path);
}

/*
 * A stripped program without unwind tables begins at a function, also if that is the first one of
 * the file. A library, which has no beginning, does not.
 */
START_TEST(program_begins)
{
    static const struct {
        const char *make;
        uint64_t start;
    } files[] = {
        {"echo '__asm__(\".globl begin; .zero 36; begin: .zero 8;\");' | gcc -static -nostdlib "
         "-Wl,-Ttext=0x400100,--build-id=none,-e,begin -x c -o %s - && strip %s",
         0x400124},
        {"echo '__asm__(\".globl _start; _start: .zero 8;\");' | gcc -static -nostdlib "
         "-Wl,--build-id=none -x c -o %s - && strip %s",
         0x401000},
        {"echo '__asm__(\".zero 8; .globl label; label: .zero 8;\");' | gcc -shared -nostdlib "
         "-Wl,-z,noseparate-code -x c -o %s - && strip %s",
         0},
    };

    for (size_t i = 0; i < COUNT_OF(files); i++) {
        struct functions f = {0};
        char path[sizeof(TEMPORARY_PATH)], name[sizeof(path) + 32];

        read_made(&f, files[i].make, path);
        ck_assert_uint_eq(f.n, 1);
        ck_assert_int_eq(f.function[0].called, files[i].start != 0);
        if (files[i].start) {
            ck_assert_uint_eq(f.function[0].start, files[i].start);
            snprintf(name, sizeof(name), "%s+0x%" PRIx64, strrchr(path, '/') + 1, files[i].start);
            ck_assert_str_eq(f.function[0].name, name);
        }
        functions_free(&f);
    }
}
END_TEST

/* The entry of an ifunc is called as the ifunc, although its resolver has a better name. */
START_TEST(entries_of_ifuncs)
{
    struct functions f = {0};
    char path[sizeof(TEMPORARY_PATH)];

    read_made(&f,
              "echo 'int a(void) { return 1; } void *chooses(void) { return a; } "
              "int called(void) __attribute__((ifunc(\"chooses\"))); "
              "int main(void) { return called(); }' | gcc -x c -o %s -",
              path);
    ck_assert_ptr_nonnull(functions_named(&f, "called@plt"));
    ck_assert_ptr_nonnull(functions_named(&f, "chooses"));
    ck_assert_ptr_null(functions_named(&f, "chooses@plt"));
    functions_free(&f);
}
END_TEST

/* A kernel's code ends at _etext; in a list without it, a page behind its last function. */
START_TEST(ends_of_lists)
{
#define TEXT "ffff800080000000 T _text\nffff800080003000 t last\n"
    static const struct {
        const char *list;
        uint64_t end; /* 0: it is refused */
    } rows[] = {
        {TEXT "ffff800080001000 T first\n", 0xffff800080004000},
        {TEXT "ffff800080007000 D data\n", 0xffff800080004000},
        {TEXT "ffff800090000000 t far\t[module]\n", 0xffff800080004000},
        {TEXT "ffff800080009000 T _etext\n", 0xffff800080009000},
        {"ffff800080001000 T first\n", 0},
        {"0000000000000000 T _text\n0000000000000000 T first\n", 0},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        char path[sizeof(TEMPORARY_PATH)];
        struct symbols symbols = {0};
        struct error t = {0};
        int err;

        make_temporary(path, rows[i].list, strlen(rows[i].list));
        err = symbols_read(&symbols, path, &t);
        unlink(path);
        ck_assert_msg(err == (rows[i].end ? 0 : -1), "row %zu: %s", i, t.text);
        ck_assert(rows[i].end || strstr(t.text, "no address of _text"));
        ck_assert(err || symbols.end == rows[i].end);
        symbols_free(&symbols);
    }
}
END_TEST

/* A module has the pages of its functions; what the kernel makes at run time is no module. */
START_TEST(modules_of_lists)
{
    static const char list[] = "ffff800080000000 T _text\nffff800080009000 T _etext\n"
                               "ffff800090003010 t late\t[two]\nffff800090001ff0 t early\t[two]\n"
                               "ffff800090008000 d data\t[two]\nffff8000a0000000 t one\t[one]\n"
                               "ffff8000a0001000 t next\t[one]\n"
                               "ffff8000b0000000 t prog\t[bpf]\n"
                               "ffff8000b0001000 t made\t[__builtin__ftrace]\n";
    char path[sizeof(TEMPORARY_PATH)];
    struct symbols symbols = {0};
    struct error t = {0};

    make_temporary(path, list, strlen(list));
    ck_assert_msg(symbols_read(&symbols, path, &t) == 0, "%s", t.text);
    unlink(path);
    ck_assert_uint_eq(symbols.modules, 2);
    ck_assert_str_eq(symbols.module[0].name, "[two]");
    ck_assert_uint_eq(symbols.module[0].start, 0xffff800090001000);
    ck_assert_uint_eq(symbols.module[0].end, 0xffff800090004000);
    ck_assert_str_eq(symbols.module[1].name, "[one]");
    ck_assert_uint_eq(symbols.module[1].start, 0xffff8000a0000000);
    ck_assert_uint_eq(symbols.module[1].end, 0xffff8000a0002000);
    symbols_free(&symbols);
}
END_TEST

static int as_symbols(const char *path, struct error *t)
{
    struct symbols symbols = {0};

    return symbols_read(&symbols, path, t);
}

static int as_functions(const char *path, struct error *t)
{
    struct functions functions = {0};

    return symbols_functions(&functions, path, t);
}

/* The status of a process that reads a FIFO and gets a signal, which vpmu-stats blocks. */
static int status_of_reader(int (*take)(const char *path, struct error *t), const char *path)
{
    sigset_t ending = signals_ending();
    struct error t = {0};
    int status;
    pid_t pid = fork();

    ck_assert_int_ge(pid, 0);
    if (pid == 0) {
        sigprocmask(SIG_BLOCK, &ending, NULL);
        signal(SIGTERM, SIG_DFL); /* libcheck's handler ends all processes of a test */
        /* The signal is due before the wait, so the test needs no delay. */
        raise(SIGTERM);
        take(path, &t);
        _exit(EXIT_SUCCESS);
    }
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    return status;
}

/* A signal ends the wait for the writer of a FIFO, and for what it writes. */
START_TEST(lists_wait)
{
    static int (*const take[])(const char *path, struct error *t) = {as_symbols, as_functions,
                                                                     elffile_is};
    char path[sizeof(TEMPORARY_PATH)];

    make_temporary(path, "", 0);
    unlink(path);
    ck_assert_int_eq(mkfifo(path, 0600), 0);
    for (size_t i = 0; i < COUNT_OF(take); i++) {
        for (int has_writer = 0; has_writer < 2; has_writer++) {
            int writer = has_writer ? open(path, O_RDWR | O_CLOEXEC) : -1;
            int status = status_of_reader(take[i], path);

            ck_assert_msg(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM,
                          "row %zu, writer %d: status %x", i, has_writer, (unsigned)status);
            close(writer);
        }
    }
    unlink(path);
}
END_TEST

/*
 * Names may be added in any order. A forked thread has the name that its parent had at that time.
 */
START_TEST(names_of_threads)
{
    enum {
        NONE = -1,
        FIRST,
        SECOND,
        LATE
    };
    static const struct {
        uint32_t tid;
        uint64_t time;
        int name;
    } rows[] = {
        {1, 9, NONE},  {1, 10, FIRST}, {1, 19, FIRST}, {1, 20, SECOND}, {1, UINT64_MAX, SECOND},
        {2, 14, NONE}, {2, 15, FIRST}, {2, 30, FIRST}, {3, 25, SECOND}, {4, 15, FIRST},
        {4, 40, LATE}, {5, 99, NONE},  {0, 10, NONE},  {6, 5, NONE},
    };
    struct threads threads = {0};
    struct error t = {0};

    threads_fork(&threads, 4, 15, 2, &t);
    threads_name(&threads, 1, 20, SECOND, &t);
    threads_fork(&threads, 2, 15, 1, &t);
    threads_fork(&threads, 4, 15, 2, &t);
    threads_name(&threads, 4, 40, FIRST, &t);
    threads_name(&threads, 4, 40, LATE, &t);
    threads_fork(&threads, 3, 21, 1, &t);
    threads_fork(&threads, 6, 5, 1, &t);
    threads_name(&threads, 1, 10, FIRST, &t);
    ck_assert_int_eq(threads_settle(&threads, &t), 0);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        uint32_t name = threads_find(&threads, rows[i].tid, rows[i].time);

        ck_assert_msg(name == (uint32_t)rows[i].name, "thread %u at %llu: expected %d got %d",
                      rows[i].tid, (unsigned long long)rows[i].time, rows[i].name, (int)name);
    }
    threads_free(&threads);
}
END_TEST

/* Of functions with the same start, the one that perf shows. */
START_TEST(functions_as_perf_chooses)
{
    static const struct {
        const char *list;
        const char *name;
    } rows[] = {
        {"1000 t __pthread_mutex_unlock_usercnt\n1000 t __GI___pthread_mutex_unlock_usercnt\n",
         "__GI___pthread_mutex_unlock_usercnt"},
        {"1000 t __memmove_avx512_unaligned_erms\n1000 t __memcpy_avx512_unaligned_erms\n",
         "__memmove_avx512_unaligned_erms"},
        {"1000 t __libc_free\n1000 T __free\n1000 W free\n", "__free"},
        {"1000 W __fputs\n1000 W fputs\n", "fputs"},
        {"1000 T same_1\n1000 T same_2\n", "same_1"},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct functions f = {0};
        struct error t = {0};

        ck_assert_msg(read_list(&f, rows[i].list, &t) == 0, "%s", t.text);
        ck_assert_uint_eq(f.n, 1);
        ck_assert_str_eq(f.function[0].name, rows[i].name);
        functions_free(&f);
    }
}
END_TEST

Suite *functions_suite(void)
{
    const TTest *const tests[] = {functions_of_lists,
                                  functions_of_compilers,
                                  functions_and_data,
                                  functions_refused,
                                  functions_of_sizes,
                                  functions_as_perf_chooses,
                                  functions_made_at_run_time,
                                  functions_of_programs,
                                  programs_of_lists,
                                  programs_bases,
                                  programs_refused,
                                  programs_of_threads,
                                  ends_of_lists,
                                  modules_of_lists,
                                  functions_of_one,
                                  functions_end,
                                  program_begins,
                                  entries_of_ifuncs,
                                  lists_wait,
                                  names_of_threads};

    return suite_of("functions", tests, COUNT_OF(tests));
}
