/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Traces in Fuchsia's format with more strings than the format has numbers for, and with strings
 * that are longer than it allows.
 */
#include "export/fxt.h"

#include <stdlib.h>
#include <string.h>

#include "unit/tests.h"

#define EVENTS 40000u
#define LAST_NUMBER 0x7fffu

/* A trace that is being read. */
struct trace {
    const uint64_t *word;
    size_t at;
};

static char *write_trace(size_t *size)
{
    struct fxt f = {0};
    char *text = NULL;
    char name[16];
    char longer[300];
    struct fxt_place place = {.process = 1, .thread = 2, .category = "category", .name = name};
    const struct fxt_argument argument[] = {{.name = "", .number = 5},
                                            {.name = "text", .text = longer},
                                            {.name = "text", .real = 0.5, .is_real = true}};

    memset(longer, 'x', sizeof(longer) - 1);
    longer[sizeof(longer) - 1] = '\0';
    f.file = open_memstream(&text, size);
    fxt_begin(&f, 1000);
    for (unsigned i = 0; i < EVENTS; i++) {
        snprintf(name, sizeof(name), "name%u", i);
        place.time = i;
        fxt_event(&f, FXT_COUNTER, &place, argument, COUNT_OF(argument), 7);
    }
    ck_assert_int_eq(f.error.code, ERROR_NONE);
    fxt_free(&f);
    fclose(f.file);
    return text;
}

static size_t words_of(uint64_t head)
{
    return head >> 4 & 0xfff;
}

/* Checks a string reference. Returns the length of its text if that is inline, otherwise 0. */
static size_t take_inline(struct trace *t, uint64_t reference, const char *want)
{
    size_t length = reference & 0x8000 ? reference & 0x7fff : 0;

    if (length) {
        ck_assert_uint_eq(length, strlen(want));
        ck_assert_int_eq(memcmp(t->word + t->at, want, length), 0);
        t->at += (length + 7) / 8;
    }
    return length;
}

static void check_event(struct trace *t, unsigned i, uint64_t strings)
{
    uint64_t head = t->word[t->at];
    size_t end = t->at + words_of(head);
    char name[16];

    snprintf(name, sizeof(name), "name%u", i);
    ck_assert_uint_eq(head & 0xf, 4);
    ck_assert_uint_eq(head >> 16 & 0xff, FXT_COUNTER | 3 << 4);
    ck_assert_uint_eq(t->word[t->at + 1], i);
    ck_assert_uint_eq(head >> 32 & 0xffff, 1);
    t->at += 4;
    if (take_inline(t, head >> 48, name) == 0) {
        ck_assert_uint_eq(head >> 48, strings - (i == 0 ? 2 : 0));
    } else {
        ck_assert_uint_eq(strings, LAST_NUMBER);
    }
    /* A number, a string reference and a real number. Each argument says how long it is. */
    for (unsigned n = 0; n < 3; n++) {
        t->at += words_of(t->word[t->at]);
    }
    ck_assert_uint_eq(t->word[t->at], 7);
    ck_assert_uint_eq(t->at + 1, end);
    t->at = end;
}

START_TEST(fxt_strings)
{
    size_t size;
    char *text = write_trace(&size);
    struct trace t = {.word = (const uint64_t *)(const void *)text, .at = 3};
    uint64_t strings = 0;
    size_t longest = 0;

    ck_assert_uint_eq(t.word[0], 0x0016547846040010u);
    for (unsigned i = 0; i < EVENTS; i++) {
        while ((t.word[t.at] & 0xf) == 2) {
            size_t length = t.word[t.at] >> 32 & 0x7fff;

            strings++;
            ck_assert_uint_eq(t.word[t.at] >> 16 & 0x7fff, strings);
            longest = length > longest ? length : longest;
            t.at += words_of(t.word[t.at]);
        }
        check_event(&t, i, strings);
    }
    ck_assert_uint_eq(t.at * sizeof(t.word[0]), size);
    ck_assert_uint_eq(strings, LAST_NUMBER);
    ck_assert_uint_eq(longest, 255);
    free(text);
}
END_TEST

Suite *fxt_suite(void)
{
    const TTest *const tests[] = {fxt_strings};

    return suite_of("fxt", tests, COUNT_OF(tests));
}
