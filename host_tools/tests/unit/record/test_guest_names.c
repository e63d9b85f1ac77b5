/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/guest-names.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fixtures/kernels.h"
#include "unit/tests.h"

#define LIST "ffff800080000000 T _text\nffff800080001000 T first\nffff800080009000 T _etext\n"

/* What the files of a kernel must have for names of functions and of threads. */
START_TEST(files)
{
    static const struct {
        const char *list; /* NULL: none is given */
        const char *vmlinux;
        const char *text; /* NULL: they are read */
    } rows[] = {
        {NULL, NULL, NULL},
        {LIST, NULL, NULL},
        {"text\n", NULL, "has no address"},
        {NULL, "/dev/null", "--vmlinux needs --kallsyms"},
        {LIST, "/dev/null", "has no address of __entry_task"},
        {LIST "ffff800080003000 D __entry_task\n", "/dev/null", "/dev/null"},
        {LIST "000000000001ad40 A current_task\n", "/dev/null", "/dev/null"},
        {LIST "0000000000034480 A pcpu_hot\n", "/dev/null", "/dev/null"},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        static struct guest_names n;
        struct error t = {0};
        char path[sizeof(TEMPORARY_PATH)];
        int err;

        memset(&n, 0, sizeof(n));
        make_temporary(path, rows[i].list ? rows[i].list : "",
                       rows[i].list ? strlen(rows[i].list) : 0);
        err = guest_names_read(&n, rows[i].list ? path : NULL, rows[i].vmlinux, &t);
        ck_assert_msg(err == (rows[i].text ? -1 : 0), "row %zu: %s", i, t.text);
        ck_assert_msg(!rows[i].text || strstr(t.text, rows[i].text), "row %zu: %s", i, t.text);
        if (rows[i].list && strncmp(rows[i].list, LIST, strlen(LIST)) == 0) {
            ck_assert_str_eq(functions_find(&n.functions, 0xffff800080001004)->name, "first");
            ck_assert_uint_eq(n.kernel.text, 0xffff800080000000);
        }
        guest_names_free(&n);
        unlink(path);
    }
}
END_TEST

START_TEST(reasons)
{
    static struct guest_names n;

    ck_assert_ptr_null(guest_names_why(&n));
    error_set(&n.nameless, ERROR_NO_VPMU, "no command");
    ck_assert_str_eq(guest_names_why(&n), "this QEMU is too old");
    error_set(&n.nameless, ERROR_USAGE, "no kernel");
    ck_assert_str_eq(guest_names_why(&n), "no kernel");
}
END_TEST

/**
 * struct fake - a machine whose memory has a kernel
 * @fails: how each command fails after @asked others; ERROR_NONE if it does not.
 */
struct fake {
    struct qmp q;
    struct made_kernel *made;
    enum error_code fails;
    unsigned asked;
};

static struct json_object *base64(const unsigned char *bytes, size_t n)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    char *text = malloc(n / 3 * 4 + 8), *at = text;
    struct json_object *o;

    ck_assert(text);
    for (size_t i = 0; i < n; i += 3) {
        unsigned three = (unsigned)bytes[i] << 16 | (i + 1 < n ? bytes[i + 1] : 0u) << 8 |
                         (i + 2 < n ? bytes[i + 2] : 0u);

        *at++ = digits[three >> 18];
        *at++ = digits[three >> 12 & 63];
        *at++ = '=';
        *at++ = '=';
        at[-2] = i + 1 < n ? digits[three >> 6 & 63] : '=';
        at[-1] = i + 2 < n ? digits[three & 63] : '=';
    }
    *at = '\0';
    o = json_object_new_string(text);
    free(text);
    return o;
}

static struct json_object *numbers(const uint64_t *number, size_t n)
{
    struct json_object *list = json_object_new_array();

    for (size_t i = 0; i < n; i++) {
        json_object_array_add(list, json_object_new_uint64(number[i]));
    }
    return list;
}

static struct json_object *object(const char *key, struct json_object *value)
{
    struct json_object *o = json_object_new_object();

    json_object_object_add(o, key, value);
    return o;
}

/* Return: NULL if the memory does not answer. */
static struct json_object *answer_to(const char *name, struct json_object *a, struct memory *m,
                                     struct error *t)
{
    static uint64_t found[MEMORY_TABLES];
    uint64_t at = json_object_get_uint64(json_object_object_get(a, "address"));
    size_t n = json_object_get_uint64(json_object_object_get(a, "size"));
    struct json_object *o = NULL;
    unsigned char *bytes;

    if (strcmp(name, "vpmu-read") == 0) {
        bytes = malloc(n);
        o = m->read(m, at, bytes, n, t) ? NULL : object("data", base64(bytes, n));
        free(bytes);
    } else if (strcmp(name, "vpmu-find") == 0) {
        o = m->find(m, json_object_get_string(json_object_object_get(a, "text")), found, &n, t)
                ? NULL
                : object("pages", numbers(found, n));
    } else if (m->tables(m, found, &n, t) == 0) {
        o = json_object_new_array();
        json_object_array_add(o, object("tables", numbers(found, n)));
    }
    return o;
}

static int fake_ask(struct qmp *q, struct json_object *command, int fd, struct json_object **answer,
                    struct error *t)
{
    struct fake *f = (struct fake *)q;
    struct json_object *result;

    (void)fd;
    if (f->asked > 0) {
        f->asked--;
    } else if (f->fails != ERROR_NONE) {
        return error_set(t, f->fails, "it failed");
    }
    result = answer_to(json_object_get_string(json_object_object_get(command, "execute")),
                       json_object_object_get(command, "arguments"), &f->made->memory, t);
    *answer = result ? object("return", result) : NULL;
    return result ? 0 : -1;
}

static const struct qmp_ops fake_ops = {.ask = fake_ask};

/* Names of functions and of threads; the latter not if the guest runs guests of KVM. */
START_TEST(found)
{
    static const struct {
        bool x86, kvm, threads;
    } rows[] = {{false, false, true}, {false, true, false}, {true, false, true}};

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        static struct made_kernel made;
        static struct guest_names n;
        struct fake f = {.q.ops = &fake_ops, .made = &made};
        struct error t = {0};

        memset(&n, 0, sizeof(n));
        if (rows[i].x86) {
            kernels_make_x86(&made, false);
        } else {
            kernels_make(&made, false);
        }
        ck_assert_msg(guest_names_find(&n, &f.q, rows[i].kvm, &t) == 0, "%s", t.text);
        ck_assert_msg(!guest_names_why(&n), "row %zu: %s", i, guest_names_why(&n));
        ck_assert_int_eq(n.has_threads, rows[i].threads);
        ck_assert_str_eq(n.release, "6.1-made");
        ck_assert(n.has_build_id && n.build_id[0] == 0x01 && n.build_id[19] == 0xbb);
        ck_assert_uint_eq(n.layout.comm, 16);
        ck_assert_uint_eq(n.kernel.text, KERNELS_TEXT);
        ck_assert_ptr_nonnull(functions_named(&n.functions, "second"));
        guest_names_free(&n);
    }
}
END_TEST

/* What only means that there are no names, and what ends the recording. */
START_TEST(not_found)
{
    static const struct {
        enum error_code code;
        bool ends;
    } rows[] = {{ERROR_USAGE, false},
                {ERROR_TALK, false},
                {ERROR_NO_VPMU, false},
                {ERROR_STOPPED, true},
                {ERROR_ENDED, true}};

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        static struct guest_names n;
        struct fake f = {.q.ops = &fake_ops, .fails = rows[i].code};
        struct error t = {0};

        memset(&n, 0, sizeof(n));
        ck_assert_msg(guest_names_find(&n, &f.q, false, &t) == (rows[i].ends ? -1 : 0), "row %zu",
                      i);
        ck_assert_int_eq(t.code, rows[i].ends ? rows[i].code : ERROR_NONE);
        ck_assert_ptr_nonnull(guest_names_why(&n));
        ck_assert_uint_eq(n.functions.n, 0);
        guest_names_free(&n);
    }
}
END_TEST

/* The user stops at each moment of the search. Nothing stays allocated. */
START_TEST(stopped)
{
    unsigned asked = 0;
    bool named = false;

    for (; !named; asked++) {
        static struct made_kernel made;
        static struct guest_names n;
        struct fake f = {.q.ops = &fake_ops, .made = &made, .fails = ERROR_STOPPED, .asked = asked};
        struct error t = {0};
        int err;

        memset(&n, 0, sizeof(n));
        kernels_make(&made, false);
        err = guest_names_find(&n, &f.q, false, &t);
        ck_assert_int_eq(t.code, err ? ERROR_STOPPED : ERROR_NONE);
        named = !guest_names_why(&n);
        ck_assert(named || n.functions.n == 0);
        guest_names_free(&n);
    }
    ck_assert_uint_ge(asked, 10);
}
END_TEST

Suite *guest_names_suite(void)
{
    const TTest *const tests[] = {files, reasons, found, not_found, stopped};

    return suite_of("guest_names", tests, COUNT_OF(tests));
}
