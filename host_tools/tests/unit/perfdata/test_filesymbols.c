/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions in perf's file: what was written can be read back, and damaged parts are left out. */
#include "perfdata/filesymbols.h"

#include <stdlib.h>
#include <string.h>

#include "unit/tests.h"

#define START 0xffff800080001000ull

static const struct {
    const char *name;
    uint64_t start;
    uint64_t end;
    bool used;
    const char *module;
} rows[] = {
    {"first", START, START + 0x10, true, NULL},
    {"unused", START + 0x10, START + 0x20, false, NULL},
    {"without_an_end", START + 0x20, START + 0x20, true, NULL},
    {"of_a_module", START + 0x2000, START + 0x2004, true, "[made]"},
    {"last", START + 0x3000, START + 0x3004, true, NULL},
};

static char *write_rows(size_t *size)
{
    struct functions functions = {0};
    struct error t = {0};
    bool used[COUNT_OF(rows)];
    char *text = NULL;
    FILE *file = open_memstream(&text, size);

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct function f = {rows[i].start, rows[i].end, (char *)(uintptr_t)rows[i].name,
                             rows[i].module != NULL, (char *)(uintptr_t)rows[i].module};

        used[i] = rows[i].used;
        ck_assert_int_eq(functions_add(&functions, &f, &t), 0);
    }
    filesymbols_write(&functions, used, file);
    fclose(file);
    functions_free(&functions);
    return text;
}

/* Reads the first @size bytes of a feature whose size is @whole. */
static void read_back(struct functions *functions, char *text, size_t size, size_t whole)
{
    FILE *file = fmemopen(text, size, "r");
    struct error t = {0};

    ck_assert_int_eq(filesymbols_read(functions, file, whole, &t), 0);
    ck_assert_int_eq(t.code, ERROR_NONE);
    fclose(file);
}

START_TEST(filesymbols_back)
{
    struct functions functions = {0};
    size_t size;
    char *text = write_rows(&size);
    size_t n = 0;

    read_back(&functions, text, size, size);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        if (rows[i].used) {
            ck_assert_uint_eq(functions.function[n].start, rows[i].start);
            ck_assert_uint_eq(functions.function[n].end, rows[i].end);
            ck_assert_str_eq(functions.function[n].name, rows[i].name);
            ck_assert_pstr_eq(functions.function[n].module, rows[i].module);
            ck_assert_int_eq(functions.function[n].of_module, rows[i].module != NULL);
            n++;
        }
    }
    ck_assert_uint_eq(functions.n, n);
    functions_free(&functions);
    free(text);
}
END_TEST

/* The functions are written in parts that keep to the size limit. Long names are cut. */
START_TEST(filesymbols_in_parts)
{
    enum {
        N = 20,
        MOST = 1024
    };
    struct functions functions = {0};
    struct functions again = {0};
    struct error t = {0};
    bool used[N];
    char name[2000];
    char module[] = "[a_module_with_a_name_that_is_as_long_as_names_of_modules_are]";

    memset(name, 'n', sizeof(name));
    for (size_t i = 0; i < N; i++) {
        name[100 * i + 10] = '\0';
        used[i] = i % 4 != 1;
        ck_assert_int_eq(
            functions_add(&functions,
                          &(struct function){START + i * 8, START + i * 8 + 4, name, true, module},
                          &t),
            0);
        name[100 * i + 10] = 'n';
    }
    for (size_t from = 0, next; from < N; from = next) {
        char *text = NULL;
        size_t size;
        FILE *file = open_memstream(&text, &size);

        next = filesymbols_write_some(&functions, used, from, MOST, file);
        fclose(file);
        ck_assert_uint_gt(next, from);
        ck_assert_uint_le(size, MOST);
        read_back(&again, text, size, size);
        free(text);
    }
    ck_assert_uint_eq(again.n, 15);
    ck_assert_uint_eq(again.function[0].start, START);
    ck_assert_uint_eq(again.function[14].start, START + 19 * 8);
    ck_assert_uint_eq(strlen(again.function[0].name), 10);
    ck_assert_uint_eq(strlen(again.function[14].name), 511);
    functions_free(&functions);
    functions_free(&again);
}
END_TEST

/*
 * With the feature truncated at any byte, or any byte changed, each function that is read has a
 * name, and there are not more functions than were written.
 */
START_TEST(filesymbols_damaged)
{
    size_t size;
    char *text = write_rows(&size);

    for (size_t at = 1; at < size; at++) {
        struct functions functions = {0};

        read_back(&functions, text, at, size);
        ck_assert_uint_le(functions.n, 3);
        functions_free(&functions);
        text[at] = (char)~text[at];
        read_back(&functions, text, size, size);
        ck_assert_uint_le(functions.n, 4);
        text[at] = (char)~text[at];
        functions_free(&functions);
    }
    free(text);
}
END_TEST

Suite *filesymbols_suite(void)
{
    const TTest *const tests[] = {filesymbols_back, filesymbols_in_parts, filesymbols_damaged};

    return suite_of("filesymbols", tests, COUNT_OF(tests));
}
