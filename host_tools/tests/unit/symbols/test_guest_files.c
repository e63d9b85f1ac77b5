/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers and build IDs of a guest's files. */
#include "symbols/guest-files.h"

#include <stdio.h>
#include <string.h>

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

/* The last build ID that is known, if it has a size that one can have. */
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
    } rows[] = {
        {NULL, 0, NULL, 0},
        {second, IMAGE_BUILD_ID + 1, NULL, 0},
        {first, 3, first, 3},
        {NULL, 0, first, 3},
        {second, IMAGE_BUILD_ID + 1, first, 3},
        {second, IMAGE_BUILD_ID, second, IMAGE_BUILD_ID},
        {first, 1, first, 1},
    };
    struct guest_files files = {0};
    struct error t = {0};

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const struct image *image;
        uint32_t number;

        ck_assert_int_eq(
            guest_files_number(&files, "/file", rows[i].given, rows[i].size, &number, &t), 0);
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

Suite *guest_files_suite(void)
{
    const TTest *const tests[] = {numbers, build_ids};

    return suite_of("guest_files", tests, COUNT_OF(tests));
}
