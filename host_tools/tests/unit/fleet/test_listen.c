/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fleet/listen.h"
#include "unit/tests.h"

START_TEST(addresses)
{
    static const struct {
        const char *text;
        const char *name;
        bool is_local;
        bool is_private;
    } rows[] = {
        {"", "127.0.0.1:9848", true, false},
        {":80", "127.0.0.1:80", true, false},
        {"127.0.0.1", "127.0.0.1:9848", true, false},
        {"127.9.9.9:0", "127.9.9.9:0", true, false},
        {"0.0.0.0", "0.0.0.0:9848", false, false},
        {"192.0.2.1:65535", "192.0.2.1:65535", false, false},
        {"[::1]", "[::1]:9848", true, false},
        {"[::]:1", "[::]:1", false, false},
        {"[2001:db8::1]:1", "[2001:db8::1]:1", false, false},
        {"unix:/run/x.sock", "unix:/run/x.sock", true, true},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct listen_address a;
        struct error t = {0};

        ck_assert_int_eq(listen_parse(&a, rows[i].text, 9848, &t), 0);
        ck_assert_str_eq(a.name, rows[i].name);
        ck_assert_int_eq(a.is_local, rows[i].is_local);
        ck_assert_int_eq(a.is_private, rows[i].is_private);
    }
}
END_TEST

START_TEST(wrong_addresses)
{
    static const char *const rows[] = {
        "localhost",    "localhost:80", "127.0.0.1:",     "127.0.0.1:65536",
        "127.0.0.1:-1", "127.0.0.1:+1", "127.0.0.1:http", "127.0.0.1:80:80",
        "1.2.3.4.5",    "::1",          "[::1",           "[]",
        "[]:80",        "[::1]80",      "unix:",          "127.0.0.1:0x50",
        " 127.0.0.1",
    };
    char longest[400] = "unix:";
    struct listen_address a;
    struct error t = {0};

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        ck_assert_msg(listen_parse(&a, rows[i], 9848, &t) == -1, "%s", rows[i]);
        ck_assert_int_eq(t.code, ERROR_USAGE);
    }
    memset(longest + 5, 'x', sizeof(longest) - 6);
    ck_assert_int_eq(listen_parse(&a, longest, 9848, &t), -1);
    ck_assert_int_eq(listen_parse(&a, longest + 5, 9848, &t), -1);
}
END_TEST

/* Only the owner can connect. A socket that nobody listens on is replaced; one in use is not. */
START_TEST(unix_socket)
{
    char directory[] = "/tmp/vpmu-stats-test-XXXXXX";
    char text[64];
    struct listen_address a;
    struct error t = {0};
    struct stat st;
    int fd;
    int second;

    ck_assert_ptr_nonnull(mkdtemp(directory));
    snprintf(text, sizeof(text), "unix:%s/s", directory);
    ck_assert_int_eq(listen_parse(&a, text, 0, &t), 0);
    ck_assert_int_eq(listen_open(&a, &fd, &t), 0);
    ck_assert_int_eq(stat(text + 5, &st), 0);
    ck_assert_uint_eq(st.st_mode & 0777, 0600);
    ck_assert_int_eq(listen_open(&a, &second, &t), -1);
    ck_assert_int_eq(t.code, ERROR_LISTEN);
    close(fd);
    ck_assert_int_eq(listen_open(&a, &fd, &t), 0);
    listen_close(&a, fd);
    ck_assert_int_eq(stat(text + 5, &st), -1);
    rmdir(directory);
}
END_TEST

/* Port 0 becomes the port that the system selected. */
START_TEST(port)
{
    struct listen_address a;
    struct listen_address same;
    struct error t = {0};
    int fd;
    int second;

    ck_assert_int_eq(listen_parse(&a, "127.0.0.1:0", 0, &t), 0);
    ck_assert_int_eq(listen_open(&a, &fd, &t), 0);
    ck_assert_str_ne(a.name, "127.0.0.1:0");
    ck_assert_int_eq(listen_parse(&same, a.name, 0, &t), 0);
    ck_assert_int_eq(listen_open(&same, &second, &t), -1);
    ck_assert_int_eq(t.code, ERROR_LISTEN);
    listen_close(&a, fd);
}
END_TEST

Suite *listen_suite(void)
{
    const TTest *const tests[] = {addresses, wrong_addresses, unix_socket, port};

    return suite_of("listen", tests, COUNT_OF(tests));
}
