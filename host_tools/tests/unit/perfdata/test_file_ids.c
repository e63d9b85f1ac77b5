/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "perfdata/file-ids.h"

#include <stdio.h>

#include "unit/tests.h"

/* A file is kept once, unless its path, its build ID or the length of that differs. */
START_TEST(different)
{
    static const struct {
        const char *path;
        unsigned char byte[2];
        size_t size;
        size_t n; /* afterwards */
    } rows[] = {
        {"/a", {1, 2}, 2, 1}, {"/a", {1, 2}, 2, 1}, {"/b", {1, 2}, 2, 2}, {"/a", {1, 3}, 2, 3},
        {"/a", {1, 2}, 1, 4}, {"/a", {1, 3}, 1, 4}, {"/b", {1, 2}, 2, 4}, {"/c", {1, 2}, 1, 5},
    };
    struct file_ids ids = {0};

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        size_t before = ids.n;

        file_ids_add(&ids, rows[i].path, rows[i].byte, rows[i].size);
        ck_assert_msg(ids.n == rows[i].n, "row %zu: expected %zu got %zu", i, rows[i].n, ids.n);
        if (ids.n > before) {
            const struct file_id *file = &ids.file[before];

            ck_assert_str_eq(file->path, rows[i].path);
            ck_assert_uint_eq(file->size, rows[i].size);
            ck_assert_mem_eq(file->byte, rows[i].byte, rows[i].size);
        }
    }
    file_ids_free(&ids);
    ck_assert_uint_eq(ids.n, 0);
    ck_assert_ptr_null(ids.file);
}
END_TEST

START_TEST(many)
{
    struct file_ids ids = {0};
    char path[16];

    for (unsigned i = 0; i < FILE_IDS_MAX + 2; i++) {
        snprintf(path, sizeof(path), "/%u", i);
        file_ids_add(&ids, path, (const unsigned char *)"x", 1);
        ck_assert_uint_eq(ids.n, i < FILE_IDS_MAX ? i + 1 : FILE_IDS_MAX);
    }
    file_ids_free(&ids);
}
END_TEST

Suite *file_ids_suite(void)
{
    const TTest *const tests[] = {different, many};

    return suite_of("file_ids", tests, COUNT_OF(tests));
}
