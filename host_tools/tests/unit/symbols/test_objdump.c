/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A script in place of objdump, which prints its arguments and what objdump prints. */
#include "symbols/listing.h"

#include <elf.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include "unit/tests.h"

static char program[sizeof(TEMPORARY_PATH)];

static void make_program(const char *text)
{
    make_temporary(program, text, strlen(text));
    ck_assert_int_eq(chmod(program, 0700), 0);
}

/* The address of this program's first instruction, in its file. */
static uint64_t entry(void)
{
    Elf64_Ehdr head;
    FILE *file = fopen("/proc/self/exe", "re");

    ck_assert(file && fread(&head, sizeof(head), 1, file) == 1);
    fclose(file);
    return head.e_entry;
}

START_TEST(lines)
{
    static const struct {
        const char *printed; /* as printf takes it */
        const char *line;    /* NULL: it is skipped */
        const char *code;    /* NULL: no instruction */
        uint64_t address;
    } rows[] = {
        {"", NULL, NULL, 0},
        {"x:     file format elf64-littleaarch64", NULL, NULL, 0},
        {"    1000:\\tnop", NULL, NULL, 0}, /* before the first section */
        {"Disassembly of section .text:", NULL, NULL, 0},
        {"", NULL, NULL, 0},
        {"0000000000001000 <main>:", "0000000000001000 <main>:", NULL, 0},
        {"    1000:\\tmov\\tx0, #0x1", "    1000:\tmov\tx0, #0x1", "mov\tx0, #0x1", 0x1000},
        {"ffff800080001234:\\tret", "ffff800080001234:\tret", "ret", 0xffff800080001234},
        {"10000000000000000:\\tret", "10000000000000000:\tret", NULL, 0},
        {"    return 1;", "    return 1;", NULL, 0},
        {"    1000: case", "    1000: case", NULL, 0},
        {"    1000\\tcase", "    1000\tcase", NULL, 0},
        {"add:\\tlabel", "add:\tlabel", "label", 0xadd},
        {"\\033[31m\\tred\\033\\t\\007", "?[31m\tred?\t?", NULL, 0},
        {"Disassembly of section .init:", NULL, NULL, 0},
        {"  20:\\tret", "  20:\tret", "ret", 0x20},
    };
    char text[2048] = "#!/bin/sh\n";
    struct objdump o;
    struct error t = {0};

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        snprintf(text + strlen(text), sizeof(text) - strlen(text), "printf '%s\\n'\n",
                 rows[i].printed);
    }
    make_program(text);
    ck_assert_int_eq(objdump_open(&o, program, "FILE", 1, 2, false, &t), 0);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        if (rows[i].line) {
            ck_assert_msg(objdump_next(&o), "row %zu: there is no line", i);
            ck_assert_str_eq(o.line, rows[i].line);
            ck_assert_msg(o.is_code == !!rows[i].code, "row %zu", i);
            if (rows[i].code) {
                ck_assert_str_eq(o.code, rows[i].code);
                ck_assert_uint_eq(o.address, rows[i].address);
            }
        }
    }
    ck_assert(!objdump_next(&o));
    ck_assert_int_eq(objdump_close(&o, &t), 0);
    ck_assert_int_eq(t.code, ERROR_NONE);
    unlink(program);
}
END_TEST

/* A listing has the same lines, whether objdump or this program disassembles. */
START_TEST(listings)
{
    struct disassembly own;
    struct listing l;
    struct error t = {0};
    unsigned n = 0;

    make_program("#!/bin/sh\necho 'Disassembly of section .text:'\necho 'text'\n"
                 "printf '  20:\\tret\\n'\n");
    ck_assert_int_eq(listing_open(&l, program, "FILE", 1, 2, false, &t), 0);
    ck_assert(listing_next(&l) && !l.is_code);
    ck_assert_str_eq(l.line, "text");
    ck_assert(listing_next(&l) && l.is_code && l.address == 0x20);
    ck_assert_str_eq(l.line, "  20:\tret");
    ck_assert_str_eq(l.code, "ret");
    ck_assert(!listing_next(&l));
    ck_assert_int_eq(listing_close(&l, &t), 0);
    unlink(program);
    ck_assert_int_eq(listing_open(&l, NULL, "/proc/self/exe", entry(), entry() + 16, false, &t), 0);
    ck_assert_int_eq(disassembly_open(&own, "/proc/self/exe", entry(), entry() + 16, &t), 0);
    for (; disassembly_next(&own); n++) {
        ck_assert(listing_next(&l) && l.is_code && l.address == own.address);
        ck_assert_str_eq(l.line, own.line);
        ck_assert_str_eq(l.code, own.code);
    }
    ck_assert_uint_gt(n, 1);
    ck_assert(!listing_next(&l));
    ck_assert_int_eq(listing_close(&l, &t), 0);
    disassembly_close(&own);
    ck_assert_int_eq(listing_open(&l, NULL, "/dev/null", 0, 16, false, &t), -1);
    ck_assert_int_eq(t.code, ERROR_USAGE);
}
END_TEST

/* What objdump is called with: its arguments and the usual signals. */
START_TEST(call)
{
    static const struct {
        bool source;
        const char *arguments;
    } rows[] = {
        {false, "--demangle --no-show-raw-insn --disassemble --start-address=0x10 "
                "--stop-address=0xffffffffffffffff -- a file"},
        {true, "--demangle --no-show-raw-insn --source --start-address=0x10 "
               "--stop-address=0xffffffffffffffff -- a file"},
    };
    sigset_t blocked;

    /* A shell ignores SIGINT and SIGQUIT of what it starts in the background, nohup SIGHUP. */
    signal(SIGHUP, SIG_DFL);
    signal(SIGINT, SIG_DFL);
    signal(SIGQUIT, SIG_DFL);
    /* vpmu-stats blocks SIGINT and ignores SIGPIPE. */
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGINT);
    sigprocmask(SIG_BLOCK, &blocked, NULL);
    signal(SIGPIPE, SIG_IGN);
    make_program("#!/bin/sh\necho 'Disassembly of section x'\necho \"$*\"\n"
                 "exec awk '/^Sig(Blk|Ign)/ { print substr($2, 13) }' /proc/self/status\n");
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const char *const expected[] = {rows[i].arguments, "0000", "0000"};
        struct objdump o;
        struct error t = {0};

        ck_assert_int_eq(objdump_open(&o, program, "a file", 16, UINT64_MAX, rows[i].source, &t),
                         0);
        for (size_t n = 0; n < COUNT_OF(expected); n++) {
            ck_assert(objdump_next(&o));
            ck_assert_str_eq(o.line, expected[n]);
        }
        ck_assert(!objdump_next(&o));
        ck_assert_int_eq(objdump_close(&o, &t), 0);
    }
    unlink(program);
}
END_TEST

/* Disassemblers that fail, and the default one for each architecture where it is not installed. */
START_TEST(failing)
{
    static const struct {
        const char *program; /* NULL: the default */
        const char *head;
        size_t size;
        const char *text;
    } rows[] = {
        {"#!/bin/sh\nexit 1\n", "", 0, "the disassembler "},
        {"#!/bin/sh\nkill -9 $$\n", "", 0, "the disassembler "},
        {NULL, "01234567890123456\0\x3e\0", 20,
         "cannot run x86_64-linux-gnu-objdump: No such file or directory; install "
         "binutils-x86-64-linux-gnu or use --objdump"},
        {NULL, "01234567890123456\0\x3e\0", 19, "cannot run aarch64-linux-gnu-objdump: "},
        {NULL, "01234567890123456\0\x3e\1", 20, "install binutils-aarch64-linux-gnu or"},
        {NULL, "01234567890123456\0\xb7\0", 20, "cannot run aarch64-linux-gnu-objdump: "},
    };

    setenv("PATH", "/nowhere", 1);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        char path[sizeof(TEMPORARY_PATH)];
        struct objdump o;
        struct error t = {0};
        int err;

        make_temporary(path, rows[i].head, rows[i].size);
        if (rows[i].program) {
            make_program(rows[i].program);
        }
        err = objdump_open(&o, rows[i].program ? program : NULL, path, 1, 2, false, &t);
        ck_assert_int_eq(err, rows[i].program ? 0 : -1);
        if (!err) {
            ck_assert(!objdump_next(&o));
            ck_assert_int_eq(objdump_close(&o, &t), -1);
            unlink(program);
        }
        ck_assert_int_eq(t.code, ERROR_USAGE);
        ck_assert_msg(strstr(t.text, rows[i].text) != NULL, "row %zu: %s", i, t.text);
        unlink(path);
    }
}
END_TEST

/*
 * All sections of an object file, such as a kernel module, begin at address 0 for objdump, so it
 * would show the code of another section. Executables and shared libraries have addresses.
 */
START_TEST(object_files)
{
    static const char types[] = {ET_REL, ET_EXEC, ET_DYN};

    for (size_t i = 0; i < COUNT_OF(types); i++) {
        char head[20] = {[16] = types[i], [18] = EM_X86_64};
        char path[sizeof(TEMPORARY_PATH)], text[128];
        struct objdump o;
        struct error t = {0};

        make_temporary(path, head, sizeof(head));
        make_program("#!/bin/sh\nexit 0\n");
        if (types[i] == ET_REL) {
            ck_assert_int_eq(objdump_open(&o, program, path, 1, 2, false, &t), -1);
            ck_assert_int_eq(t.code, ERROR_USAGE);
            snprintf(text, sizeof(text), "cannot show the object file %s with --objdump", path);
            ck_assert_str_eq(t.text, text);
        } else {
            ck_assert_int_eq(objdump_open(&o, program, path, 1, 2, false, &t), 0);
            ck_assert_int_eq(objdump_close(&o, &t), 0);
        }
        unlink(program);
        unlink(path);
    }
}
END_TEST

static void ignore(int number)
{
    (void)number;
}

/* A signal that comes while the disassembler ends. */
START_TEST(interrupted)
{
    const struct sigaction action = {.sa_handler = ignore};
    const struct itimerval soon = {.it_value = {.tv_usec = 20000},
                                   .it_interval = {.tv_usec = 20000}};
    struct objdump o;
    struct error t = {0};

    ck_assert_int_eq(sigaction(SIGALRM, &action, NULL), 0);
    make_program("#!/bin/sh\nexec >&-\nsleep 0.2\n");
    ck_assert_int_eq(objdump_open(&o, program, "FILE", 1, 2, false, &t), 0);
    ck_assert(!objdump_next(&o));
    setitimer(ITIMER_REAL, &soon, NULL);
    ck_assert_int_eq(objdump_close(&o, &t), 0);
    unlink(program);
}
END_TEST

Suite *objdump_suite(void)
{
    const TTest *const tests[] = {lines, listings, call, failing, object_files, interrupted};

    return suite_of("objdump", tests, COUNT_OF(tests));
}
