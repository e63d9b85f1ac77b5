/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lists of libvirt's domains, as the child process sends them. This program is its own child. */
#include "qmp/libvirt.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
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

/* The number of descriptors and children of this process. */
static unsigned held(void)
{
    unsigned n = 0;

    for (int fd = 0; fd < 256; fd++) {
        n += fcntl(fd, F_GETFD) >= 0;
    }
    return n + (waitpid(-1, NULL, WNOHANG) >= 0);
}

/* Commands go through a child; what it says when it ends is the error; nothing is left of it. */
START_TEST(libvirt_monitor)
{
    static const struct {
        const char *uri;
        int patience;
        enum error_code code;
        const char *text;
    } rows[] = {
        {"qemu:///system", 60000, ERROR_NONE, ""},
        {"ends", 60000, ERROR_NO_MACHINE, "the domain " UUID " is shut off"},
        {"silent", 50, ERROR_TALK, "no response within 50 ms"},
        {"silent", 60000, ERROR_STOPPED, "stopped"},
    };
    int ends[2];

    ck_assert(pipe(ends) == 0 && write(ends[1], "", 1) == 1);

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        unsigned before = held();
        struct json_object *o = NULL;
        struct error t = {0};
        struct qmp *q;

        ck_assert_msg(libvirt_open(rows[i].uri, UUID, -1, 60000, &q, &t) == 0, "%s", t.text);
        q->patience = rows[i].patience;
        q->stop_fd = rows[i].code == ERROR_STOPPED ? ends[0] : -1;
        for (int n = 0; n < 2 && t.code == ERROR_NONE; n++) {
            if (qmp_call(q, "query-name", NULL, &o, &t) == 0) {
                ck_assert_str_eq(json_object_get_string(json_object_object_get(o, "uri")),
                                 rows[i].uri);
                ck_assert_str_eq(json_object_get_string(json_object_object_get(o, "uuid")), UUID);
                json_object_put(o);
            }
        }
        ck_assert_msg(t.code == rows[i].code && strstr(t.text, rows[i].text), "%s: got %d '%s'",
                      rows[i].uri, t.code, t.text);
        qmp_close(q);
        ck_assert_uint_eq(held(), before);
    }
    close(ends[0]);
    close(ends[1]);
}
END_TEST

/* A domain by its number, its UUID in any case, or its name; in this order if one text is all. */
START_TEST(libvirt_finds)
{
    struct domain all[] = {
        {.name = (char[]){"a"}, .id = 3, .uuid = "6695eb01-f6a4-8304-79aa-97f2502e193f"},
        {.name = (char[]){"3"}, .id = -1, .uuid = "00000000-f6a4-8304-79aa-97f2502e193f"},
        {.name = (char[]){"5"}, .id = 4, .uuid = "11111111-f6a4-8304-79aa-97f2502e193f"}};
    const struct domains domains = {.domain = all, .n = COUNT_OF(all)};
    static const struct {
        const char *text;
        int number; /* -1: none */
    } rows[] = {
        {"a", 0},
        {"3", 0},
        {"4", 2},
        {"5", 2},
        {"-1", -1},
        {"A", -1},
        {"", -1},
        {"6", -1},
        {"6695EB01-F6A4-8304-79AA-97F2502E193F", 0},
        {"00000000-f6a4-8304-79aa-97f2502e193f", 1},
        {"00000000-f6a4-8304-79aa-97f2502e193", -1},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const struct domain *found = domains_find(&domains, rows[i].text);

        ck_assert_msg(found == (rows[i].number < 0 ? NULL : &all[rows[i].number]), "%s",
                      rows[i].text);
    }
}
END_TEST

Suite *libvirt_suite(void)
{
    const TTest *const tests[] = {libvirt_lists, libvirt_silent, libvirt_monitor, libvirt_finds};

    return suite_of("libvirt", tests, COUNT_OF(tests));
}
