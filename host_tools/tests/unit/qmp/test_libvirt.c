/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lists of libvirt's domains, as the child process sends them. This program is its own child. */
#include "qmp/libvirt.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "unit/tests.h"

#define UUID "6695eb01-f6a4-8304-79aa-97f2502e193f"

/* The test of a list passes it as the URI, and main() of the child sends it byte by byte. */
START_TEST(libvirt_lists)
{
    static const struct {
        const char *list, *uri;
        const char *names[3]; /* sorted */
        int ids[3];
        enum domain_arch arch[3];
        const char *error; /* NULL: the list is read */
    } rows[] = {
        {"qemu:///system\n", "qemu:///system", {NULL}, {0}, {0}, NULL},
        {"", "", {NULL}, {0}, {0}, NULL},
        {"qemu:///system\n7 1 " UUID " b\n-1 0 " UUID " c d\n3 2 " UUID " a\n",
         "qemu:///system",
         {"a", "b", "c d"},
         {3, 7, -1},
         {DOMAIN_X86, DOMAIN_ARM, DOMAIN_OTHER},
         NULL},
        {"qemu:///system\n7 1 " UUID " b\nno domain\n", "", {NULL}, {0}, {0}, "no domain"},
        {"qemu:///system\n7 x " UUID " b\n", "", {NULL}, {0}, {0}, "not a domain description"},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct domains domains;
        struct error t = {0};
        int err = libvirt_list(rows[i].list, -1, 60000, &domains, &t);
        size_t n = 0;

        ck_assert_msg(err == (rows[i].error ? -1 : 0), "row %zu: %s", i, t.text);
        ck_assert_msg(strstr(t.text, rows[i].error ? rows[i].error : ""), "row %zu: %s", i, t.text);
        ck_assert_str_eq(domains.uri ? domains.uri : "", rows[i].uri);
        for (; n < COUNT_OF(rows[i].names) && rows[i].names[n]; n++) {
            ck_assert_uint_lt(n, domains.n);
            ck_assert_str_eq(domains.domain[n].name, rows[i].names[n]);
            ck_assert_str_eq(domains.domain[n].uuid, UUID);
            ck_assert_int_eq(domains.domain[n].id, rows[i].ids[n]);
            ck_assert_int_eq(domains.domain[n].arch, rows[i].arch[n]);
        }
        ck_assert_uint_eq(domains.n, n);
        domains_free(&domains);
    }
}
END_TEST

/* A child that does not answer, or without end, until its time is over or the user has had enough.
 */
START_TEST(libvirt_silent)
{
    static const struct {
        const char *child;
        bool stop;
        int patience;
        enum error_code code;
        const char *error;
    } rows[] = {
        {"silent", false, 0, ERROR_TALK, "no response within 0 ms"},
        {"silent", false, 30, ERROR_TALK, "no response within 30 ms"},
        {"silent", true, 60000, ERROR_STOPPED, "stopped"},
        {"endless", false, 60000, ERROR_TALK, "libvirt has too many domains"},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct domains domains;
        struct error t = {0};
        int ends[2];

        ck_assert_int_eq(pipe(ends), 0);
        ck_assert(!rows[i].stop || write(ends[1], "", 1) == 1);
        ck_assert_int_eq(libvirt_list(rows[i].child, ends[0], rows[i].patience, &domains, &t), -1);
        ck_assert_msg(t.code == rows[i].code && strstr(t.text, rows[i].error), "row %zu: %s", i,
                      t.text);
        domains_free(&domains);
        close(ends[0]);
        close(ends[1]);
    }
}
END_TEST

Suite *libvirt_suite(void)
{
    const TTest *const tests[] = {libvirt_lists, libvirt_silent};

    return suite_of("libvirt", tests, COUNT_OF(tests));
}
