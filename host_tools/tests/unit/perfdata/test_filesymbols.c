/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions in perf's file: what was written can be read back, and damaged parts are left out. */
#include "perfdata/filesymbols.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "symbols/guest-files.h"
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
        struct function f = {.start = rows[i].start,
                             .end = rows[i].end,
                             .name = (char *)(uintptr_t)rows[i].name,
                             .of_module = rows[i].module != NULL,
                             .module = (char *)(uintptr_t)rows[i].module};

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

    ck_assert_int_eq(filesymbols_read(functions, file, whole, NULL, NULL, &t), 0);
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

/* A later version may write fields of other numbers: a string with such a one is not a module. */
START_TEST(filesymbols_later)
{
    struct functions functions = {0};
    size_t size, modules = 0;
    char *text = write_rows(&size);

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        char *at = rows[i].used && rows[i].module
                       ? memmem(text, size, rows[i].module, strlen(rows[i].module))
                       : NULL;

        if (at) {
            ck_assert_int_eq(at[-1], (char)strlen(rows[i].module));
            at[-2] = 15 << 3 | 2;
            modules++;
        }
    }
    ck_assert_uint_gt(modules, 0);
    read_back(&functions, text, size, size);
    ck_assert_uint_ge(functions.n, modules);
    for (size_t i = 0; i < functions.n; i++) {
        ck_assert_ptr_null(functions.function[i].module);
    }
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
        ck_assert_int_eq(functions_add(&functions,
                                       &(struct function){.start = START + i * 8,
                                                          .end = START + i * 8 + 4,
                                                          .name = name,
                                                          .of_module = true,
                                                          .module = module},
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

/* The limit is exact: with one byte less, the last function does not fit. */
START_TEST(filesymbols_limit)
{
    struct function function[] = {
        {.start = START, .end = START + 4, .name = (char[]){"a"}},
        {.start = START + 4, .end = START + 4, .name = (char[]){"bb"}},
        {.start = START + 8, .end = START + 8 + UINT32_MAX, .name = (char[]){"unused"}},
        {.start = START + 12, .name = (char[]){"c"}, .module = (char[]){"[made]"}},
    };
    static const bool used[] = {true, true, false, true};
    const struct functions functions = {.function = function, .n = COUNT_OF(function)};
    char *text = NULL;
    size_t whole;
    FILE *file = open_memstream(&text, &whole);

    ck_assert_uint_eq(filesymbols_write_some(&functions, used, 0, SIZE_MAX, file), 4);
    fclose(file);
    free(text);
    for (size_t most = whole - 1; most <= whole + 1; most++) {
        size_t size;

        file = open_memstream(&text, &size);
        ck_assert_uint_eq(filesymbols_write_some(&functions, used, 0, most, file),
                          most < whole ? 3 : 4);
        fclose(file);
        ck_assert(most < whole ? size < most : size == whole);
        free(text);
    }
}
END_TEST

/* Something else that looks like a function is none, and neither is one without address or name. */
START_TEST(filesymbols_not_all)
{
    /* Fields: 1, the path; 15, something else; 4, functions with an address, a length and a name */
    static char text[] = "\x2c\0\0\0"
                         "\x0a\x11[kernel.kallsyms]"
                         "\x22\x05\x08\x07\x1a\x01z"
                         "\x7a\x07\x08\x05\x10\x04\x1a\x01x"
                         "\x22\x03\x1a\x01y"
                         "\x22\x02\x08\x06";
    struct functions functions = {0};

    ck_assert_int_eq(text[0], sizeof(text) - 1 - sizeof(uint32_t));
    read_back(&functions, text, sizeof(text) - 1, sizeof(text) - 1);
    ck_assert_uint_eq(functions.n, 1);
    ck_assert_uint_eq(functions.function[0].start, 7);
    ck_assert_str_eq(functions.function[0].name, "z");
    functions_free(&functions);
    /* A part that is longer than the feature is not read. */
    for (size_t less = 1; less <= 2 * sizeof(uint32_t); less++) {
        size_t size = sizeof(text) - 1 - less;

        functions = (struct functions){0};
        read_back(&functions, text, size, size);
        ck_assert_uint_eq(functions.n, 0);
    }
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

static int take_program(void *opaque, const struct filesymbols *from, struct error *t)
{
    return guest_files_record(opaque, from->path, from->functions, from->address, from->offset, t);
}

/*
 * The functions of a program's file follow those of the kernel. They are used if the file itself
 * cannot be found. The offsets in the file are 0x400000 below the addresses.
 */
START_TEST(filesymbols_of_program)
{
    static const struct {
        uint64_t offset;
        const char *name;
    } places[] = {{0xfff, NULL}, {0x1000, "one"}, {0x100f, "one"}, {0x1010, NULL}, {0x1020, "two"}};
    struct functions functions = {0};
    struct functions kernel = {0};
    struct guest_files files = {0};
    struct error t = {0};
    size_t size;
    char *text = write_rows(&size);
    char *whole = NULL;
    uint32_t number;
    FILE *file = open_memstream(&whole, &size);

    functions_add(&functions,
                  &(struct function){.start = 0x401000, .end = 0x401010, .name = (char[]){"one"}},
                  &t);
    functions_add(
        &functions,
        &(struct function){.start = 0x401010, .end = 0x401020, .name = (char[]){"unused"}}, &t);
    functions_add(&functions,
                  &(struct function){.start = 0x401020, .end = 0x401030, .name = (char[]){"two"}},
                  &t);
    fwrite(text, 1, *(uint32_t *)(void *)text + sizeof(uint32_t), file);
    filesymbols_write_program(&(struct filesymbols){.path = "/no/such/program",
                                                    .address = 0x401000,
                                                    .offset = 0x1000,
                                                    .functions = &functions,
                                                    .used = (const bool[]){true, false, true}},
                              file);
    fclose(file);
    file = fmemopen(whole, size, "r");
    ck_assert_int_eq(filesymbols_read(&kernel, file, size, take_program, &files, &t), 0);
    fclose(file);
    ck_assert_uint_eq(kernel.n, 4);
    ck_assert_int_eq(guest_files_number(&files, "/no/such/program", NULL, 0, &number, &t), 0);
    for (size_t i = 0; i < COUNT_OF(places); i++) {
        const char *path = "unset";
        uint64_t address = 0;
        const struct function *f =
            guest_files_find(&files, number, places[i].offset, &path, &address);

        ck_assert_pstr_eq(f ? f->name : NULL, places[i].name);
        ck_assert(!f || (path == NULL && address == places[i].offset + 0x400000));
    }
    functions_free(&functions);
    functions_free(&kernel);
    guest_files_free(&files);
    free(whole);
    free(text);
}
END_TEST

/*
 * The message of a program, as record_file.proto of simpleperf describes it: 1 is the path, 2 the
 * type (2: ELF), 3 the lowest address, 4 a symbol and 6 {1: the offset}. A symbol has an address, a
 * length of 32 bits and a name.
 */
START_TEST(filesymbols_message)
{
    static const char expected[] = "\x20\0\0\0"
                                   "\x0a\x02/x\x10\x02\x18\x80\x20"
                                   "\x22\x08\x08\x80\x20\x10\x04\x1a\x01y"
                                   "\x22\x07\x08\x01\x10\x7f\x1a\x01z"
                                   "\x32\x02\x08\x05";
    struct function function[] = {
        {.start = 0x1000, .end = 0x1004, .name = (char[]){"y"}},
        {.start = 0x1004, .end = 0x1008, .name = (char[]){"unused"}},
        {.start = 1, .end = 0x80, .name = (char[]){"z"}},
    };
    const struct functions functions = {.function = function, .n = COUNT_OF(function)};
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);

    filesymbols_write_program(&(struct filesymbols){.path = "/x",
                                                    .address = 0x1000,
                                                    .offset = 5,
                                                    .functions = &functions,
                                                    .used = (const bool[]){true, false, true}},
                              file);
    fclose(file);
    ck_assert_uint_eq(size, sizeof(expected) - 1);
    ck_assert_mem_eq(text, expected, size);
    free(text);
}
END_TEST

/* How often a byte is there. */
static size_t count_of(const char *text, size_t size, char byte)
{
    size_t n = 0;

    for (size_t i = 0; i < size; i++) {
        n += text[i] == byte;
    }
    return n;
}

/* Names have up to 511 bytes, those of modules 63, and a length has 32 bits. */
START_TEST(filesymbols_long)
{
    char name[600] = "", module[100] = "";
    struct function function = {
        .start = START, .end = START + (5ull << 32), .name = name, .module = module};
    static const bool used[] = {true};
    struct functions again = {0};
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);

    memset(name, '@', sizeof(name) - 1);
    memset(module, '~', sizeof(module) - 1);
    filesymbols_write(&(struct functions){.function = &function, .n = 1}, used, file);
    fclose(file);
    ck_assert_uint_eq(count_of(text, size, '@'), 511);
    ck_assert_uint_eq(count_of(text, size, '~'), 63);
    read_back(&again, text, size, size);
    ck_assert_uint_eq(again.n, 1);
    ck_assert_uint_eq(again.function[0].end, START + UINT32_MAX);
    ck_assert_uint_eq(strlen(again.function[0].name), 511);
    ck_assert_uint_eq(strlen(again.function[0].module), 63);
    functions_free(&again);
    free(text);
}
END_TEST

static int see_program(void *opaque, const struct filesymbols *from, struct error *t)
{
    char *seen = opaque;

    (void)t;
    seen += sprintf(seen, "%s %llx %llx", from->path, (unsigned long long)from->address,
                    (unsigned long long)from->offset);
    for (size_t i = 0; i < from->functions->n; i++) {
        const struct function *f = &from->functions->function[i];

        seen += sprintf(seen, " %s %llx-%llx", f->name, (unsigned long long)f->start,
                        (unsigned long long)f->end);
    }
    return 0;
}

/* Messages of a program, of which parts are other than they should be. */
START_TEST(filesymbols_odd)
{
#define SYMBOL "\x22\x07\x08\x09\x10\x02\x1a\x01y"
    static const struct {
        const char *row, *message, *seen;
        size_t size;
    } odd[] = {
#define ROW(row, message, seen) {row, message, seen, sizeof(message) - 1}
        ROW("whole", "\x0a\x02/x\x18\x07\x32\x02\x08\x05" SYMBOL, "/x 7 5 y 9-b"),
        ROW("no path", "\x18\x07" SYMBOL, ""),
        ROW("a path that is a number", "\x0a\x02/x\x08\x01" SYMBOL, "/x 0 0 y 9-b"),
        ROW("another field of an ELF file", "\x0a\x02/x\x32\x02\x10\x05", "/x 0 0"),
        ROW("an ELF file that is a number", "\x0a\x02/x\x30\x01\x08\x01", "/x 0 0"),
        ROW("an offset of a later file", "\x0a\x02/x\x3a\x02\x08\x05", "/x 0 0"),
        ROW("an empty ELF file", "\x0a\x02/x\x32\0" SYMBOL, "/x 0 0 y 9-b"),
        ROW("a symbol that is a number", "\x0a\x02/x\x20\x05" SYMBOL, "/x 0 0 y 9-b"),
        ROW("a name that is a number", "\x0a\x02/x\x22\x07\x08\x09\x1a\x01y\x18\x01",
            "/x 0 0 y 9-9"),
        ROW("a module that is a number", "\x0a\x02/x\x22\x08\x08\x09\x1a\x01y\xa0\x06\x01",
            "/x 0 0 y 9-9"),
        ROW("a number of 32 bits", "\x0a\x02/x\x1d\x07\0\0\0" SYMBOL, "/x 0 0"),
        ROW("a number of ten bytes", "\x0a\x02/x\x18\x81\x80\x80\x80\x80\x80\x80\x80\x80\x01",
            "/x 8000000000000001 0"),
        ROW("a number of eleven bytes",
            "\x0a\x02/x\x18\x81\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01\x18\x07", "/x 0 0"),
        ROW("an end within a number", "\x0a\x02/x\x18\x87", "/x 0 0"),
    };

    for (size_t i = 0; i < COUNT_OF(odd); i++) {
        uint32_t size = (uint32_t)odd[i].size;
        unsigned char text[64] = {0};
        struct functions kernel = {0};
        struct error t = {0};
        char seen[64] = "";
        FILE *file;

        memcpy(text, &size, sizeof(size));
        memcpy(text + sizeof(size), odd[i].message, size);
        file = fmemopen(text, sizeof(size) + size, "r");
        ck_assert_int_eq(
            filesymbols_read(&kernel, file, sizeof(size) + size, see_program, seen, &t), 0);
        ck_assert_msg(strcmp(seen, odd[i].seen) == 0, "%s: expected '%s' got '%s'", odd[i].row,
                      odd[i].seen, seen);
        ck_assert_uint_eq(kernel.n, 0);
        fclose(file);
    }
}
END_TEST

/* No kernel has more than 64 MiB of functions. */
START_TEST(filesymbols_largest)
{
    /* A field with a fixed size, which is not used, ends the message. */
    static const char start[] = "\x0a\x11[kernel.kallsyms]" SYMBOL "\x7d";

    for (uint32_t more = 0; more < 2; more++) {
        const uint32_t size = (64u << 20) + more;
        struct functions functions = {0};
        struct error t = {0};
        FILE *file = tmpfile();

        fwrite(&size, sizeof(size), 1, file);
        fwrite(start, sizeof(start) - 1, 1, file);
        ck_assert(fflush(file) == 0 && ftruncate(fileno(file), (off_t)(sizeof(size) + size)) == 0);
        rewind(file);
        ck_assert_int_eq(filesymbols_read(&functions, file, sizeof(size) + size, NULL, NULL, &t),
                         0);
        ck_assert_uint_eq(functions.n, 1 - more);
        functions_free(&functions);
        fclose(file);
    }
}
END_TEST

Suite *filesymbols_suite(void)
{
    const TTest *const tests[] = {filesymbols_back,       filesymbols_later,   filesymbols_in_parts,
                                  filesymbols_limit,      filesymbols_not_all, filesymbols_damaged,
                                  filesymbols_of_program, filesymbols_message, filesymbols_long,
                                  filesymbols_odd,        filesymbols_largest};

    return suite_of("filesymbols", tests, COUNT_OF(tests));
}
