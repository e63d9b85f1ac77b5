/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Build IDs of a guest's files, seen in its memory or read from a copy that gcc has made. */
#include "record/buildids.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unit/tests.h"

#define PREPARE                                                                                    \
    "mkdir %s/in && echo 'int main(void) { return 0; }' | "                                        \
    "gcc -x c -Wl,--build-id=0x%s -o %s/in/prog -"
#define IN_FILE "0123456789abcdef0123456789abcdef01234567"

static const struct buildid none = {.size = 0};

/* In hexadecimal, as the linker has got it. */
static const char *text_of(const struct buildid *id)
{
    static char text[2 * IMAGE_BUILD_ID + 1];

    text[0] = '\0';
    for (size_t i = 0; i < id->size; i++) {
        snprintf(text + 2 * i, 3, "%02x", id->byte[i]);
    }
    return text;
}

START_TEST(copies)
{
    static const struct {
        const char *path, *want;
    } rows[] = {
        {"/prog", IN_FILE},         {"/missing", ""}, {"prog", ""},        {"/../prog", ""},
        {"/sub/../../in/prog", ""}, {"/..", ""},      {"//prog", IN_FILE},
    };
    static struct buildids b;
    char directory[] = "/tmp/vpmu-stats-test-XXXXXX";
    char symfs[sizeof(directory) + 8];
    char command[256];

    ck_assert(mkdtemp(directory));
    snprintf(command, sizeof(command), PREPARE, directory, IN_FILE, directory);
    ck_assert_int_eq(system(command), 0);
    snprintf(symfs, sizeof(symfs), "%s/in", directory);
    b.symfs = symfs;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        ck_assert_str_eq(text_of(buildids_find(&b, rows[i].path, 0, &none)), rows[i].want);
    }
    b = (struct buildids){.symfs = NULL};
    ck_assert_str_eq(text_of(buildids_find(&b, "/prog", 0, &none)), "");
    snprintf(command, sizeof(command), "rm -r %s", directory);
    ck_assert_int_eq(system(command), 0);
}
END_TEST

/* What memory has shown stays known. Another file with the same path has an ID of its own. */
START_TEST(seen)
{
    static struct buildids b;
    const struct buildid first = {.byte = {1, 2}, .size = 2};
    const struct buildid second = {.byte = {3}, .size = 1};

    ck_assert(!buildids_has(&b, "/prog", 1));
    ck_assert_str_eq(text_of(buildids_find(&b, "/prog", 1, &none)), "");
    ck_assert(buildids_has(&b, "/prog", 1));
    ck_assert_str_eq(text_of(buildids_find(&b, "/prog", 1, &first)), "0102");
    ck_assert_str_eq(text_of(buildids_find(&b, "/prog", 1, &none)), "0102");
    ck_assert(!buildids_has(&b, "/prog", 2));
    ck_assert(!buildids_has(&b, "/prog2", 1));
    ck_assert_str_eq(text_of(buildids_find(&b, "/prog", 2, &second)), "03");
    ck_assert_str_eq(text_of(buildids_find(&b, "/prog", 1, &none)), "0102");
    ck_assert_str_eq(text_of(buildids_find(&b, "/prog", 1, &second)), "03");
}
END_TEST

/* A guest has more files than there are slots: a file that lost its slot is looked for again. */
START_TEST(many)
{
    static struct buildids b;
    const struct buildid id = {.byte = {1}, .size = 1};
    char path[32];

    for (unsigned i = 0; i < 16 * BUILDIDS_SLOTS; i++) {
        snprintf(path, sizeof(path), "/file%u", i);
        ck_assert(!buildids_has(&b, path, 0));
        ck_assert_str_eq(text_of(buildids_find(&b, path, 0, i % 2 ? &id : &none)),
                         i % 2 ? "01" : "");
        ck_assert(buildids_has(&b, path, 0));
    }
}
END_TEST

Suite *buildids_suite(void)
{
    const TTest *const tests[] = {copies, seen, many};

    return suite_of("buildids", tests, COUNT_OF(tests));
}
