/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Symbols of stripped files. gcc, strip and objcopy make the files, and nm says where a function
 * is. */
#include "symbols/debug-file.h"

#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "symbols/elffile.h"
#include "symbols/image.h"
#include "unit/tests.h"

#define DIRECTORY "/tmp/vpmu-debug-XXXXXX"

/* inner() is static, so it has no dynamic symbol; outer() has one. */
#define PREPARE                                                                                    \
    "set -e; cd %s\n"                                                                              \
    "cat >p.c <<END\n"                                                                             \
    "static int __attribute__((noinline)) inner(int x) { return x * 3; }\n"                        \
    "int outer(int x); int outer(int x) { return inner(x) + 1; }\n"                                \
    "int main(int n, char **a) { (void)a; return outer(n); }\n"                                    \
    "END\n"                                                                                        \
    "gcc -O1 -rdynamic -Wl,--build-id=sha1 -o full p.c\n"                                          \
    "gcc -O1 -rdynamic -Wl,--build-id=none -o anonymous p.c\n"                                     \
    "objcopy --only-keep-debug full full.debug; strip -o stripped full\n"                          \
    "objcopy --only-keep-debug anonymous anonymous.debug; strip -o unnamed anonymous\n"            \
    "objcopy --add-gnu-debuglink=full.debug stripped linked\n"                                     \
    "objcopy --add-gnu-debuglink=anonymous.debug unnamed crc\n"                                    \
    "nm full --format=posix --defined-only | sed -n 's/^inner [^ ]* \\([^ ]*\\) .*/\\1/p' "        \
    ">inner\n"                                                                                     \
    "id=$(readelf -n full | sed -n 's/.*Build ID: //p')\n"                                         \
    "echo \"$(echo $id | cut -c1-2)/$(echo $id | cut -c3-)\" >id\n"

static void run(const char *directory, const char *script)
{
    char text[4096];

    ck_assert_int_lt(snprintf(text, sizeof(text), "cd %s && %s", directory, script), sizeof(text));
    ck_assert_msg(system(text) == 0, "%s", script);
}

static void prepare(char *directory)
{
    char text[4096];

    ck_assert(mkdtemp(directory));
    ck_assert_int_lt(snprintf(text, sizeof(text), PREPARE, directory), sizeof(text));
    ck_assert_int_eq(system(text), 0);
}

/* The address that nm prints. */
static uint64_t address_of(const char *directory)
{
    char path[256];
    uint64_t address = 0;
    FILE *file;

    snprintf(path, sizeof(path), "%s/inner", directory);
    file = fopen(path, "re");
    ck_assert(file && fscanf(file, "%" SCNx64, &address) == 1 && address);
    fclose(file);
    return address;
}

/**
 * struct row - a stripped file, and where its symbols are
 * @script: puts the files into the directory "at".
 * @name: the stripped file, relative to @symfs if that is set, else to the directory.
 * @dir, @symfs: relative to the directory; NULL: none.
 * @want: the name of the function; "+" for the name of the file and the address.
 */
struct row {
    const char *row;
    const char *script;
    const char *name;
    const char *dir;
    const char *symfs;
    const char *want;
};

static void check_row(const char *directory, uint64_t address, const struct row *row)
{
    struct functions functions = {0};
    const struct function *found;
    char dir[256], symfs[256], name[256], want[64];
    struct debug_dirs dirs = {.dir = row->dir ? dir : NULL, .symfs = row->symfs ? symfs : NULL};
    struct error t = {0};
    int fd;

    snprintf(dir, sizeof(dir), "%s/%s", directory, row->dir);
    snprintf(symfs, sizeof(symfs), "%s/%s", directory, row->symfs);
    snprintf(name, sizeof(name), "%s/%s", row->symfs ? "" : directory, row->name);
    snprintf(want, sizeof(want), "file+0x%" PRIx64, address);
    run(directory, "rm -rf at; mkdir at");
    run(directory, row->script);
    fd = image_open(dirs.symfs, name, &t);
    ck_assert_msg(fd >= 0, "%s: %s", row->row, t.text);
    ck_assert_msg(elffile_take(&functions, &dirs, fd, name, &t) == 0, "%s: %s", row->row, t.text);
    ck_assert_int_eq(functions_sort(&functions, &t), 0);
    close(fd);
    found = functions_find(&functions, address);
    ck_assert_msg(found && strcmp(found->name, row->want[0] == '+' ? want : row->want) == 0,
                  "%s: expected %s got %s", row->row, row->want, found ? found->name : "none");
    ck_assert_msg(found->start == address, "%s: wrong start", row->row);
    functions_free(&functions);
}

static const struct row rows[] = {
    {"its own", "cp full at/file", "at/file", NULL, NULL, "inner"},
    {"nowhere", "cp stripped at/file", "at/file", NULL, NULL, "+"},
    {"nowhere, without a table of functions, as in static programs",
     "gcc -O1 -rdynamic -Wl,--build-id=sha1,--no-eh-frame-hdr -o at/file p.c; "
     "nm at/file | grep -q \"$(cat inner) t inner\"; strip at/file",
     "at/file", NULL, NULL, "+"},
    {"by build ID",
     "cp stripped at/file; mkdir -p at/d/.build-id/$(dirname $(cat id)); "
     "cp full.debug at/d/.build-id/$(cat id).debug",
     "at/file", "at/d", NULL, "inner"},
    {"another file by build ID",
     "cp stripped at/file; mkdir -p at/d/.build-id/$(dirname $(cat id)); "
     "cp anonymous.debug at/d/.build-id/$(cat id).debug",
     "at/file", "at/d", NULL, "+"},
    {"by build ID in a copy of the guest's files",
     "mkdir -p at/usr/lib/debug/.build-id/$(dirname $(cat id)); cp stripped at/file; "
     "cp full.debug at/usr/lib/debug/.build-id/$(cat id).debug",
     "file", NULL, "at", "inner"},
    {"a link that leads out of the guest's files",
     "mkdir -p at/in/usr/lib/debug; cp stripped at/in/file; "
     "mkdir -p at/out/$(dirname $(cat id)); cp full.debug at/out/$(cat id).debug; "
     "ln -s ../../../../out at/in/usr/lib/debug/.build-id",
     "file", NULL, "at/in", "+"},
    {"beside", "cp linked at/file; cp full.debug at", "at/file", NULL, NULL, "inner"},
    {"in .debug", "cp linked at/file; mkdir at/.debug; cp full.debug at/.debug", "at/file", NULL,
     NULL, "inner"},
    {"beside, in a copy of the guest's files", "cp linked at/file; cp full.debug at", "file", NULL,
     "at", "inner"},
    {"below a directory", "cp linked at/file; mkdir -p at/d/$PWD/at; cp full.debug at/d/$PWD/at",
     "at/file", "at/d", NULL, "inner"},
    {"another file beside", "cp linked at/file; cp anonymous.debug at/full.debug", "at/file", NULL,
     NULL, "+"},
    {"another file beside, and the right one in .debug",
     "cp linked at/file; cp anonymous.debug at/full.debug; mkdir at/.debug; "
     "cp full.debug at/.debug",
     "at/file", NULL, NULL, "inner"},
    {"by its CRC", "cp crc at/file; cp anonymous.debug at", "at/file", NULL, NULL, "inner"},
    {"by its CRC, and longer than what is read at once",
     "cp anonymous.debug at/long.debug; truncate -s 200000 at/long.debug; "
     "objcopy --remove-section .gnu_debuglink crc at/file; "
     "objcopy --add-gnu-debuglink=at/long.debug at/file",
     "at/file", NULL, NULL, "inner"},
    {"with another CRC", "cp crc at/file; cp full.debug at/anonymous.debug", "at/file", NULL, NULL,
     "+"},
    {"a FIFO beside", "cp linked at/file; mkfifo at/full.debug", "at/file", NULL, NULL, "+"},
    {"compressed",
     "objcopy -S --keep-symbol=inner full.debug mini; xz -kf mini; "
     "objcopy --add-section .gnu_debugdata=mini.xz stripped at/file",
     "at/file", NULL, NULL, "inner"},
    {"not compressed",
     "objcopy -S --keep-symbol=inner full.debug mini; "
     "objcopy --add-section .gnu_debugdata=mini stripped at/file",
     "at/file", NULL, NULL, "+"},
};

START_TEST(debug_file_found)
{
    char directory[] = DIRECTORY;
    uint64_t address;

    prepare(directory);
    address = address_of(directory);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        check_row(directory, address, &rows[i]);
    }
    run(directory, "rm -rf ../$(basename $PWD)");
}
END_TEST

/* The name of a file can be too long to look beside it. */
START_TEST(debug_file_of_long_name)
{
    const struct debug_dirs none = {0};
    static char name[2 * PATH_MAX];
    int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

    ck_assert_int_ge(fd, 0);
    memset(name, 'n', sizeof(name) - 1);
    name[PATH_MAX] = '/';
    ck_assert_int_eq(debug_file_open(&none, fd, name), -1);
    close(fd);
}
END_TEST

Suite *debug_file_suite(void)
{
    const TTest *const tests[] = {debug_file_found, debug_file_of_long_name};

    return suite_of("debug_file", tests, COUNT_OF(tests));
}
