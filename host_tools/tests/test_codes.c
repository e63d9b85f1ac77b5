/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a process had in memory when, and which function of a copy of that file it is. */
#include "codes.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "copies.h"
#include "elffile.h"
#include "tests.h"

/* In a file's order, which is not that of time. */
static void make_codes(struct codes *codes)
{
    static const struct code rows[] = {
        {7, 200, 0x1000, 0x1000, 0, 2}, /* over a part of the next */
        {7, 100, 0x1000, 0x3000, 0, 1}, {8, 100, 0x1000, 0x1000, 0x40, 3},
        {7, 300, 0x1000, 0x1000, 0, 4}, {7, 300, 0x1000, 0x1000, 0, 5},
    };
    struct trouble t = {0};

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        ck_assert_int_eq(codes_add(codes, &rows[i], &t), 0);
    }
    ck_assert_int_eq(codes_fork(codes, 9, 250, 7, &t), 0);
    /* The number is another process's from then on. */
    ck_assert_int_eq(codes_fork(codes, 8, 400, 9, &t), 0);
    /* What cannot be: its own child. */
    ck_assert_int_eq(codes_fork(codes, 10, 10, 10, &t), 0);
    codes_settle(codes);
}

START_TEST(codes_found)
{
    static const struct {
        const char *row;
        uint32_t pid;
        uint64_t time;
        uint64_t address;
        uint32_t file; /* 0: none */
    } rows[] = {
        {"before", 7, 99, 0x1000, 0},
        {"its first byte", 7, 100, 0x1000, 1},
        {"its last", 7, 199, 0x3fff, 1},
        {"behind it", 7, 199, 0x4000, 0},
        {"what came over it", 7, 200, 0x1fff, 2},
        {"what is left of it", 7, 200, 0x2000, 1},
        {"two at the same time", 7, 300, 0x1000, 5},
        {"another process's", 8, 200, 0x1000, 3},
        {"nobody's", 6, 200, 0x1000, 0},
        {"a child's, as its parent had it", 9, 350, 0x1000, 2},
        {"before it was born", 9, 249, 0x1000, 0},
        {"a grandchild's", 8, 400, 0x1000, 2},
        {"not that of who had its number", 8, 400, 0x4000, 0},
        {"without an end", 10, 20, 0x1000, 0},
    };
    struct codes codes = {0};

    make_codes(&codes);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const struct code *code = codes_find(&codes, rows[i].pid, rows[i].time, rows[i].address);

        ck_assert_msg((code ? code->file : 0) == rows[i].file, "%s: expected %u got %u",
                      rows[i].row, rows[i].file, code ? code->file : 0);
    }
    codes_free(&codes);
}
END_TEST

/* This program itself is what a guest has. */
START_TEST(copies_found)
{
    static const struct {
        const char *row;
        const char *symfs;
        const char *name;
        int id; /* 1: it is known, -1: it is another */
        bool found;
    } rows[] = {
        {"a copy", "/proc/self", "/exe", 0, true},
        {"with its build ID", "/proc/self", "/exe", 1, true},
        {"with another", "/proc/self", "/exe", -1, false},
        {"none", "/nowhere", "/exe", 0, false},
        {"nothing to tell it from the host's", NULL, "/proc/self/exe", 0, false},
        {"the host's is the same", NULL, "/proc/self/exe", 1, true},
        {"outside", "/proc/self/task", "/../exe", 0, false},
        {"no file", "/proc", "/self", 0, false},
        {"no path", "/proc/self", "exe", 0, false},
    };
    struct functions own = {0};
    struct trouble t = {0};
    struct image image;
    const struct function *want;
    uint64_t offset;

    ck_assert_int_eq(image_read(&image, "/proc/self/exe", &t), 0);
    ck_assert_uint_eq(image.build_id_size, IMAGE_BUILD_ID);
    ck_assert_int_eq(elffile_functions(&own, "/proc/self/exe", &t), 0);
    want = functions_named(&own, "codes_suite");
    ck_assert(want && image.parts == 1);
    offset = want->start - image.part[0].address + image.part[0].offset;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct copies copies = {.symfs = rows[i].symfs};
        unsigned char id[IMAGE_BUILD_ID];
        const struct function *got;
        const char *path = NULL;
        uint64_t address = 0;
        uint32_t first, number;

        memcpy(id, image.build_id, sizeof(id));
        id[0] ^= rows[i].id < 0;
        ck_assert_int_eq(copies_number(&copies, "/other", NULL, 0, &first, &t), 0);
        ck_assert_int_eq(
            copies_number(&copies, rows[i].name, id, rows[i].id ? IMAGE_BUILD_ID : 0, &number, &t),
            0);
        ck_assert_uint_ne(first, number);
        ck_assert_int_eq(copies_number(&copies, "/other", NULL, 0, &number, &t), 0);
        ck_assert_uint_eq(first, number);
        got = copies_find(&copies, 1, offset + 1, &path, &address);
        ck_assert_msg(!!got == rows[i].found, "%s: expected %d", rows[i].row, rows[i].found);
        if (got) {
            ck_assert_str_eq(got->name, "codes_suite");
            ck_assert_uint_eq(address, want->start + 1);
            ck_assert(!copies_find(&copies, 1, UINT64_MAX, &path, &address));
        }
        copies_free(&copies);
    }
    functions_free(&own);
}
END_TEST

Suite *codes_suite(void)
{
    const TTest *const tests[] = {codes_found, copies_found};

    return suite_of("codes", tests, COUNT_OF(tests));
}
