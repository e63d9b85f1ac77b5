/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files that the machine brings back. What it sends is not trusted. */
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files/out.h"
#include "protocol.h"
#include "tests/tests.h"

/* put() - a piece of the stream. @odd: of so many bytes, so that pieces end anywhere. */
static void put(int fd, const void *data, size_t size, size_t odd)
{
    const char *at = data;

    for (size_t n; size > 0; at += n, size -= n) {
        struct perf_event_header head = {.type = RUN_RECORD_FILES};

        n = size < odd ? size : odd;
        head.size = (uint16_t)(sizeof(head) + n);
        ck_assert_int_eq(write(fd, &head, sizeof(head)), (ssize_t)sizeof(head));
        ck_assert_int_eq(write(fd, at, n), (ssize_t)n);
    }
}

static void put_file(int fd, unsigned mode, const char *path, const char *content)
{
    struct run_out head = {.mode = mode, .length = (uint32_t)strlen(path), .size = strlen(content)};

    put(fd, &head, sizeof(head), 7);
    put(fd, path, head.length, 5);
    put(fd, content, (size_t)head.size, 3);
}

/* start() - a job that brings /job/out back to DIRECTORY/out. Return: the recording. */
static int start(struct job *job, char *directory)
{
    static char host[64];
    int fd = memfd_create("record", 0);

    ck_assert_ptr_nonnull(mkdtemp(directory));
    snprintf(host, sizeof(host), "%s/out", directory);
    memset(job, 0, sizeof(*job));
    job->out[0] = (struct job_out){(char *)(uintptr_t) "/job/out", host};
    job->outs = 1;
    return fd;
}

/* content() - of a file, "none" without one */
static const char *content(const char *directory, const char *name)
{
    static char text[64];
    char path[128];
    ssize_t n = -1;
    int fd;

    snprintf(path, sizeof(path), "%s/%s", directory, name);
    fd = open(path, O_RDONLY);
    if (fd >= 0) {
        n = read(fd, text, sizeof(text) - 1);
        close(fd);
    }
    text[n < 0 ? 0 : n] = '\0';
    return n < 0 ? "none" : text;
}

START_TEST(test_fetch)
{
    char directory[] = "/tmp/vpmu-run-out-XXXXXX", name[64];
    struct perf_event_header other = {.type = PERF_RECORD_SAMPLE, .size = sizeof(other)};
    struct failure f = {0};
    struct stat st;
    struct job job;
    int fd = start(&job, directory);

    ck_assert_int_eq(write(fd, &other, sizeof(other)), (ssize_t)sizeof(other));
    put_file(fd, S_IFDIR | 0755, "/job/out", "");
    put_file(fd, S_IFREG | 04755, "/job/out/run", "a program");
    put_file(fd, S_IFDIR | 0700, "/job/out/d", "");
    put_file(fd, S_IFREG | 0600, "/job/out/d/empty", "");
    put_file(fd, S_IFLNK | 0777, "/job/out/link", "d/empty");
    put_file(fd, S_IFREG | 0644, "/job/out/run", "another");
    ck_assert_int_eq(out_fetch(&job, fd, &f), 0);
    ck_assert_str_eq(content(directory, "out/run"), "another");
    ck_assert_str_eq(content(directory, "out/link"), "");
    snprintf(name, sizeof(name), "%s/out/run", directory);
    ck_assert_int_eq(stat(name, &st), 0);
    ck_assert_int_eq(st.st_mode & 07000, 0);
    close(fd);
}
END_TEST

/* Each row: one or two files that the machine must not make. */
static const struct {
    unsigned mode;
    const char *first, *target;
    const char *path;
} refused[] = {
    {0, NULL, NULL, "/etc/passwd"},
    {0, NULL, NULL, "/job/outside"},
    {0, NULL, NULL, "/job/out/../escaped"},
    {0, NULL, NULL, "/job/out//escaped"},
    {0, NULL, NULL, "/job/out/./escaped"},
    {S_IFLNK, "/job/out", "..", "/job/out/escaped"},
    {S_IFDIR, "/job/out", "", "/job/out/missing/file"},
    {S_IFREG, "/job/out", "text", "/job/out/file"},
};

START_TEST(test_refused)
{
    char directory[] = "/tmp/vpmu-run-out-XXXXXX";
    struct failure f = {0};
    struct job job;
    int fd = start(&job, directory);

    if (refused[_i].first) {
        put_file(fd, refused[_i].mode | 0755, refused[_i].first, refused[_i].target);
    }
    put_file(fd, S_IFREG | 0644, refused[_i].path, "escaped");
    ck_assert_int_eq(out_fetch(&job, fd, &f), -1);
    ck_assert_str_eq(content(directory, "escaped"), "none");
    ck_assert_str_eq(content(directory, "../escaped"), "none");
    close(fd);
}
END_TEST

/* A stream that ends anywhere is an error, or nothing is missing but the end. */
START_TEST(test_truncated)
{
    char directory[] = "/tmp/vpmu-run-out-XXXXXX";
    struct job job;
    int fd = start(&job, directory);
    struct stat st;

    /* It warns of nothing that came back. */
    ck_assert_ptr_nonnull(freopen("/dev/null", "w", stderr));
    put_file(fd, S_IFREG | 0644, "/job/out", "12345678");
    ck_assert_int_eq(fstat(fd, &st), 0);
    while (st.st_size-- > 0) {
        struct failure f = {0};

        ck_assert_int_eq(ftruncate(fd, st.st_size), 0);
        if (out_fetch(&job, fd, &f) == 0) {
            ck_assert_int_lt(st.st_size, 3 * (off_t)(sizeof(struct perf_event_header) + 7));
        }
    }
    close(fd);
}
END_TEST

/* A file that claims more than was sent needs no memory for it. */
START_TEST(test_large)
{
    char directory[] = "/tmp/vpmu-run-out-XXXXXX";
    struct run_out head = {.mode = S_IFREG | 0644, .length = 8, .size = UINT64_MAX};
    struct failure f = {0};
    struct job job;
    int fd = start(&job, directory);

    put(fd, &head, sizeof(head), sizeof(head));
    put(fd, "/job/out", 8, 8);
    ck_assert_int_eq(out_fetch(&job, fd, &f), -1);
    head.length = UINT32_MAX;
    ck_assert_int_eq(ftruncate(fd, 0), 0);
    lseek(fd, 0, SEEK_SET);
    put(fd, &head, sizeof(head), sizeof(head));
    ck_assert_int_eq(out_fetch(&job, fd, &f), -1);
    close(fd);
}
END_TEST

/* What cannot be written is known before the program runs. Root can write everywhere. */
START_TEST(test_unwritable)
{
    char directory[] = "/tmp/vpmu-run-out-XXXXXX", below[64];
    struct job job = {.root = ""};
    struct failure f = {0};

    ck_assert_ptr_nonnull(mkdtemp(directory));
    ck_assert_int_eq(chmod(directory, 0555), 0);
    snprintf(below, sizeof(below), "%s/file", directory);
    ck_assert(getuid() != 0 || setuid(65534) == 0);
    ck_assert_int_eq(out_add(&job, "/etc/passwd", &f), -1);
    ck_assert_int_eq(out_add(&job, below, &f), -1);
    ck_assert_ptr_nonnull(strstr(f.text, "/file: Permission denied"));
    ck_assert_int_eq(out_add(&job, directory, &f), -1);
}
END_TEST

void add_out_tests(Suite *suite)
{
    TCase *fetch = tcase_create("out.fetch"), *hostile = tcase_create("out.hostile");

    tcase_add_test(fetch, test_fetch);
    tcase_add_loop_test(hostile, test_refused, 0, COUNT_OF(refused));
    tcase_add_test(hostile, test_truncated);
    tcase_add_test(hostile, test_large);
    tcase_add_test(fetch, test_unwritable);
    suite_add_tcase(suite, fetch);
    suite_add_tcase(suite, hostile);
}
