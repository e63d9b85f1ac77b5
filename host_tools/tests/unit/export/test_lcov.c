/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Coverage in lcov's format: of made-up lines, and of functions of this program itself. */
#include "export/lcov.h"

#include <elf.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "unit/tests.h"

#define SELF "/proc/self/exe"

/* The address at which this program is loaded. */
extern const Elf64_Ehdr __ehdr_start;

enum {
    LINE_CALLED = __LINE__ + 3
};
static __attribute__((noinline)) int lcov_called(int n)
{
    return n;
}

enum {
    LINE_NEVER = __LINE__ + 3
};
static __attribute__((noinline)) int lcov_never(int n)
{
    return n + 1;
}

/* Go has names with commas. */
int lcov_comma(int n) __asm__("\"lcov,comma\"");
__attribute__((noinline)) int lcov_comma(int n)
{
    return n + 2;
}

/* The linker keeps all. */
static int (*const volatile functions[])(int) = {lcov_called, lcov_never, lcov_comma};

/* Image, function, file, line, address. */
#define PARTS 5u

struct row {
    const char *part[PARTS];
    uint64_t count;
};

static void add_rows(struct profile *p, const struct row *row, size_t n)
{
    struct error t = {0};

    for (size_t i = 0; i < n; i++) {
        uint32_t key[PARTS];

        for (unsigned k = 0; k < PARTS; k++) {
            ck_assert_int_eq(string_table_number(&p->texts, row[i].part[k], &key[k], &t), 0);
        }
        ck_assert_int_eq(profile_add(p, 0, row[i].count, key, PARTS, &t), 0);
    }
}

/* write_rows() - of an image. Return: the file, to be freed; NULL with an error in @t. */
static char *write_rows(const struct row *row, size_t n, struct error *t)
{
    struct profile p = {0};
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);
    int err;

    ck_assert_int_eq(profile_events(&p, 1, t), 0);
    p.event[0].name = "instructions:u";
    add_rows(&p, row, n);
    err = lcov_write(&p, 0, NULL, to, t);
    fclose(to);
    profile_free(&p);
    if (err) {
        free(text);
        return NULL;
    }
    return text;
}

static void contains(const char *text, const char *part)
{
    ck_assert_msg(strstr(text, part) != NULL, "there is no\n%sin\n%s", part, text);
}

/*
 * geninfo(1): DA has the number of a line and how often it was executed; LF is the number of lines,
 * LH that of lines with a count above 0.
 */
START_TEST(made_up_lines)
{
    static const struct row rows[] = {
        /* Of the instructions of a line, the most frequent one counts: also of a second copy. */
        {{SELF, "f", "made/b.c", "4", "1"}, 7},
        {{SELF, "f", "made/b.c", "4", "2"}, 9},
        {{SELF, "f", "made/b.c", "4", "9"}, 8},
        /* Copies in other functions are added. */
        {{SELF, "g", "made/b.c", "4", "3"}, 20},
        {{SELF, "g", "made/b.c", "4", "4"}, 1},
        /* Lines are sorted as numbers, files as texts. */
        {{SELF, "g", "made/b.c", "10", "5"}, 3000000000000},
        {{SELF, "g", "made/b.c", "9", "6"}, 1},
        {{SELF, "", "made/a.h", "1", "7"}, 5},
        {{SELF, "", "/gone/d.c", "1", "8"}, 5},
    };
    char directory[] = "/tmp/vpmu-lcov-XXXXXX";
    struct error t = {0};
    const char *first;
    char *text;
    int here = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    ck_assert(here >= 0 && mkdtemp(directory) && chdir(directory) == 0);
    ck_assert_int_eq(system("mkdir made && touch made/a.h made/b.c"), 0);
    text = write_rows(rows, COUNT_OF(rows), &t);
    ck_assert_msg(text != NULL, "%s", t.text);
    ck_assert_int_eq(system("rm -r made"), 0);
    ck_assert(fchdir(here) == 0 && rmdir(directory) == 0);
    close(here);
    ck_assert_ptr_null(strstr(text, "/gone/d.c"));
    contains(text, "TN:\nSF:made/b.c\nFNF:0\nFNH:0\n"
                   "DA:4,29\nDA:9,1\nDA:10,3000000000000\nLF:3\nLH:3\nend_of_record\n");
    first = strstr(text, "TN:\nSF:made/a.h\nFNF:0\nFNH:0\nDA:1,5\nLF:1\nLH:1\nend_of_record\n");
    ck_assert_ptr_nonnull(first);
    ck_assert(first < strstr(text, "made/b.c"));
    free(text);
}
END_TEST

/* If no source can be read, all are elsewhere, and the file has them. */
START_TEST(no_sources)
{
    char directory[] = "/tmp/vpmu-lcov-XXXXXX", program[64], command[256], *text;
    const struct row rows[] = {{{program, "f", "/gone/d.c", "1", "8"}, 5}};
    struct error t = {0};

    ck_assert_ptr_nonnull(mkdtemp(directory));
    snprintf(program, sizeof(program), "%s/p", directory);
    snprintf(command, sizeof(command),
             "cd %s && echo 'int main(void) { return 0; }' >p.c && gcc -g -o p p.c && rm p.c",
             directory);
    ck_assert_int_eq(system(command), 0);
    text = write_rows(rows, COUNT_OF(rows), &t);
    ck_assert_msg(text != NULL, "%s", t.text);
    contains(text, "SF:/gone/d.c\n");
    contains(text, "/p.c\n");
    free(text);
    ck_assert(unlink(program) == 0 && rmdir(directory) == 0);
}
END_TEST

/* record_of() - the record of this source file; it ends with "end_of_record". */
static char *record_of(char *text)
{
    char *begin = strstr(text, "test_lcov.c\n");

    ck_assert_ptr_nonnull(begin);
    *strstr(begin, "end_of_record") = '\0';
    return begin;
}

/*
 * listed() - a function that begins at @line or, if the compiler has no code for its brace, at the
 * next one, and its line have this count.
 */
static void listed(const char *record, const char *name, int line, unsigned count)
{
    char part[128];

    snprintf(part, sizeof(part), "\nFN:%d,%s\n", line, name);
    line += strstr(record, part) == NULL;
    snprintf(part, sizeof(part), "\nFN:%d,%s\nFNDA:%u,%s\n", line, name, count, name);
    contains(record, part);
    snprintf(part, sizeof(part), "\nDA:%d,%u\n", line, count);
    contains(record, part);
}

/* Functions have the count of their first instruction; what was not executed has 0. */
START_TEST(listed_functions)
{
    struct error t = {0};
    char address[24], *text, *record;
    const struct row rows[] = {{{SELF, "lcov_called", "made/c.c", "1", address}, 6}};

    snprintf(address, sizeof(address), "%" PRIx64,
             (uint64_t)((uintptr_t)functions[0] - (uintptr_t)&__ehdr_start));
    text = write_rows(rows, COUNT_OF(rows), &t);
    ck_assert_msg(text != NULL, "%s", t.text);
    record = record_of(text);
    listed(record, "lcov_called", LINE_CALLED, 6);
    listed(record, "lcov_never", LINE_NEVER, 0);
    /* lcov 1.16 reads a name with /^FN:(\d+),([^,]+)/. */
    contains(record, "\nFNDA:0,\"lcov;comma\"\n");
    contains(record, "\nFNH:1\n");
    contains(record, "\nLH:1\n");
    free(text);
}
END_TEST

START_TEST(no_lines)
{
    static const struct row gone[] = {{{"/nothing", "f", "a.c", "1", "1"}, 7}};
    struct error t = {0};

    ck_assert_ptr_null(write_rows(NULL, 0, &t));
    ck_assert_ptr_nonnull(strstr(t.text, "no line is known: compile the program with -g"));
    ck_assert_ptr_null(write_rows(gone, COUNT_OF(gone), &t));
    ck_assert_ptr_nonnull(strstr(t.text, "cannot open /nothing again"));
}
END_TEST

Suite *lcov_suite(void)
{
    const TTest *const tests[] = {made_up_lines, no_sources, listed_functions, no_lines};

    return suite_of("lcov", tests, COUNT_OF(tests));
}
