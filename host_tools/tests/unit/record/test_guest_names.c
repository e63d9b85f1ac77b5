/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/guest-names.h"

#include <string.h>
#include <unistd.h>

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

Suite *guest_names_suite(void)
{
    const TTest *const tests[] = {files, reasons};

    return suite_of("guest_names", tests, COUNT_OF(tests));
}
