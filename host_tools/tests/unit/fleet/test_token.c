/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "unit/tests.h"
#include "fleet/token.h"

/* Reads a token from a file that holds @n bytes of @text and has the given mode. */
static int read_token(const char *text, size_t n, mode_t mode, char *token, struct error *t)
{
    char name[sizeof(TEMPORARY_PATH)];
    int result;

    make_temporary(name, text, n);
    ck_assert_int_eq(chmod(name, mode), 0);
    result = token_read(name, token, t);
    unlink(name);
    return result;
}

START_TEST(tokens)
{
    static const struct {
        const char *text;
        mode_t mode;
        int result;
    } rows[] = {
        {"0123456789abcdef", 0600, 0},      {"0123456789abcdef\n", 0640, 0},
        {"0123456789-._~+/=", 0400, 0},     {"0123456789abcdef\n", 0644, -1},
        {"0123456789abcdef\n", 0602, -1},   {"0123456789abcdef\n\n", 0600, -1},
        {"0123456789abcde", 0600, -1},      {"0123456789 abcdef", 0600, -1},
        {"0123456789abcdef\r\n", 0600, -1}, {"", 0600, -1},
    };
    char token[TOKEN_MAX + 1];

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct error t = {0};
        size_t len = strcspn(rows[i].text, "\n");

        ck_assert_int_eq(read_token(rows[i].text, strlen(rows[i].text), rows[i].mode, token, &t),
                         rows[i].result);
        ck_assert_int_eq(t.code, rows[i].result ? ERROR_USAGE : ERROR_NONE);
        if (rows[i].result == 0) {
            ck_assert_uint_eq(strlen(token), len);
            ck_assert(strncmp(token, rows[i].text, len) == 0);
        }
    }
}
END_TEST

START_TEST(lengths)
{
    static const struct {
        size_t n;
        int result;
    } rows[] = {{TOKEN_MAX, 0}, {TOKEN_MAX + 1, -1}, {TOKEN_MAX + 2, -1}, {4000, -1}};
    char text[4000];
    char token[TOKEN_MAX + 1];

    memset(text, 'x', sizeof(text));
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct error t = {0};

        ck_assert_int_eq(read_token(text, rows[i].n, 0600, token, &t), rows[i].result);
    }
    memset(text, 0, sizeof(text));
    ck_assert_int_eq(read_token(text, 20, 0600, token, &(struct error){0}), -1);
    ck_assert_int_eq(token_read("/nonexistent/token", token, &(struct error){0}), -1);
    ck_assert_int_eq(token_read("/", token, &(struct error){0}), -1);
}
END_TEST

Suite *token_suite(void)
{
    const TTest *const tests[] = {tokens, lengths};

    return suite_of("token", tests, COUNT_OF(tests));
}
