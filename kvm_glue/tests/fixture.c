/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include "fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#define MAX_TESTS 128
#define MAX_NAME 80

/* Tests run in processes of their own and report skipped checks here. */
static struct {
    unsigned count;
    char name[MAX_TESTS][MAX_NAME];
} * skipped;

void skip_begin(void)
{
    skipped =
        mmap(NULL, sizeof(*skipped), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (skipped == MAP_FAILED) {
        fprintf(stderr, "fixture.c: no memory\n");
        abort();
    }
}

bool is_skipped(const char *test)
{
    for (unsigned i = 0; i < skipped->count; i++) {
        if (strcmp(skipped->name[i], test) == 0) {
            return true;
        }
    }
    return false;
}

void expect(const char *what, long long want, long long got)
{
    ck_assert_msg(want == got, "%s: expected %lld got %lld", what, want, got);
}

void expect_text(const char *what, const char *part, const char *text)
{
    ck_assert_msg(strstr(text, part) != NULL, "%s: expected '%s' in it got '%s'", what, part, text);
}

void skip(const char *test, const char *reason)
{
    printf("SKIP kvm_glue unit %s: %s\n", test, reason);
    fflush(stdout);
    if (skipped->count < MAX_TESTS) {
        snprintf(skipped->name[skipped->count++], MAX_NAME, "%s", test);
    }
}

/* libcheck keeps the pointer to a case's name, so the names are stored here. */
static const char *case_name(const char *suite, const char *test)
{
    static char names[MAX_TESTS][MAX_NAME];
    static unsigned used;

    if (used == MAX_TESTS) {
        fprintf(stderr, "fixture.c: MAX_TESTS is too small\n");
        abort();
    }
    snprintf(names[used], MAX_NAME, "%s.%s", suite, test);
    return names[used++];
}

Suite *suite_of(const char *name, const TTest *const tests[], size_t count)
{
    Suite *suite = suite_create(name);

    for (size_t i = 0; i < count; i++) {
        TCase *tcase = tcase_create(case_name(name, tests[i]->name));

        tcase_add_checked_fixture(tcase, fake_start, NULL);
        tcase_add_test(tcase, tests[i]);
        suite_add_tcase(suite, tcase);
    }
    return suite;
}
