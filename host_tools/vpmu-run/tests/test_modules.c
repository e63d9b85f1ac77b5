/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which modules a kernel has as files. */
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "machine/modules.h"
#include "tests/tests.h"

START_TEST(test_path)
{
    static const struct {
        const char *kernel, *path;
    } cases[] = {
        {"/boot/vmlinuz-6.1.0", "/lib/modules/6.1.0/kernel/a/b.ko"},
        {"/k/boot/vmlinuz-6.1.0", "/k/lib/modules/6.1.0/kernel/a/b.ko"},
        {"boot/vmlinuz-6.1.0", ""},
        {"/k/vmlinuz-6.1.0", ""},
        {"/boot/bzImage", ""},
        {"vmlinuz", ""},
        {"", ""},
    };
    char path[64];

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        modules_path(cases[i].kernel, "a/b", 0, path, sizeof(path));
        ck_assert_str_eq(path, cases[i].path);
    }
    modules_path("/boot/vmlinuz-6", "a/b", 3, path, sizeof(path));
    ck_assert_str_eq(path, "/usr/lib/modules/6/kernel/a/b.ko.xz");
    modules_path(cases[1].kernel, "a/b", 0, path, strlen(cases[1].path));
    ck_assert_str_eq(path, "");
}
END_TEST

/* make_tree() - a kernel whose only module is virtio_console. @kernel: set to its path */
static void make_tree(char *kernel, size_t size)
{
    static const char *const names[] = {"boot",
                                        "lib",
                                        "lib/modules",
                                        "lib/modules/1",
                                        "lib/modules/1/kernel",
                                        "lib/modules/1/kernel/drivers",
                                        "lib/modules/1/kernel/drivers/char"};
    static const char *const files[] = {"boot/vmlinuz-1",
                                        "lib/modules/1/kernel/drivers/char/virtio_console.ko"};
    char top[] = "/tmp/vpmu-run-modules-XXXXXX", path[PATH_MAX];

    ck_assert_ptr_nonnull(mkdtemp(top));
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        snprintf(path, sizeof(path), "%s/%s", top, names[i]);
        ck_assert_int_eq(mkdir(path, 0755), 0);
    }
    for (size_t i = 0; i < COUNT_OF(files); i++) {
        snprintf(path, sizeof(path), "%s/%s", top, files[i]);
        int fd = open(path, O_CREAT | O_WRONLY, 0644);

        ck_assert_int_eq(write(fd, files[i], 4), 4);
        close(fd);
    }
    snprintf(kernel, size, "%s/boot/vmlinuz-1", top);
}

static void remove_tree(char *kernel)
{
    char command[PATH_MAX + 16];

    *strstr(kernel, "/boot") = '\0';
    snprintf(command, sizeof(command), "rm -rf '%s'", kernel);
    ck_assert_int_eq(system(command), 0);
}

START_TEST(test_pack)
{
    char kernel[PATH_MAX], text[512];
    struct failure f = {0};
    struct archive a;
    ssize_t n;

    make_tree(kernel, sizeof(kernel));
    ck_assert_int_eq(archive_open(&a, 1 << 20, &f), 0);
    ck_assert_int_eq(modules_pack(kernel, false, &a, &f), 0);
    ck_assert_uint_eq(a.entries, 1);
    n = pread(a.fd, text, sizeof(text), 0);
    ck_assert_ptr_nonnull(memmem(text, (size_t)n, ".vpmu-run/virtio_console.ko", 27));
    ck_assert_int_eq(modules_pack("/nowhere", true, &a, &f), 0);
    ck_assert_uint_eq(a.entries, 1);
    archive_close(&a);
    remove_tree(kernel);
}
END_TEST

void add_modules_tests(Suite *suite)
{
    TCase *tests = tcase_create("modules");

    tcase_add_test(tests, test_path);
    tcase_add_test(tests, test_pack);
    suite_add_tcase(suite, tests);
}
