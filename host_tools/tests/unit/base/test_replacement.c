/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/replacement.h"
#include "record/samplefile.h"
#include "unit/tests.h"

static char directory[sizeof(TEMPORARY_PATH)];

static void enter(void)
{
    strcpy(directory, TEMPORARY_PATH);
    ck_assert_ptr_nonnull(mkdtemp(directory));
    ck_assert_int_eq(chdir(directory), 0);
    ck_assert_int_eq(mkdir("other", 0700), 0);
}

static void leave(void)
{
    char command[64];

    ck_assert_int_eq(chdir("/"), 0);
    snprintf(command, sizeof(command), "rm -r %s", directory);
    ck_assert_int_eq(system(command), 0);
}

static void put(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);

    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    close(fd);
}

static const char *get(const char *path)
{
    static char text[64];
    int fd = open(path, O_RDONLY);
    ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

    close(fd);
    text[n < 0 ? 0 : n] = '\0';
    return n < 0 ? "(none)" : text;
}

static mode_t mode_of(const char *path)
{
    struct stat st;

    return lstat(path, &st) ? 0 : st.st_mode;
}

static unsigned files_in(const char *path)
{
    DIR *d = opendir(path);
    unsigned n = 0;

    while (d && readdir(d)) {
        n++;
    }
    closedir(d);
    return n - 2;
}

/* What is at the path, and what is there after a new file has been written to it. */
START_TEST(kinds)
{
    static const struct {
        const char *path;
        const char *link; /* what the path is a link to; NULL if it is none */
        const char *target;
        const char *old;
    } rows[] = {
        {"new", NULL, "new", NULL},
        {"old", NULL, "old", "older and longer"},
        {"link", "old", "old", "older and longer"},
        {"link", "other/old", "other/old", "older and longer"},
        {"other/link", "../old", "old", "older and longer"},
        {"other/link", "old", "other/old", "older and longer"},
        {"link", "other/new", "other/new", NULL}, /* a link to what does not exist yet */
    };

    for (size_t i = 0; i < COUNT_OF(rows) * 2; i++) {
        bool secret = i & 1;
        const char *path = rows[i / 2].path;
        const char *target = rows[i / 2].target;
        struct replacement r;

        enter();
        umask(022);
        ck_assert(!rows[i / 2].link || symlink(rows[i / 2].link, path) == 0);
        if (rows[i / 2].old) {
            put(target, rows[i / 2].old);
        }
        ck_assert_int_eq(replacement_open(&r, path, secret), 0);
        ck_assert_ptr_nonnull(r.target);
        ck_assert_int_eq(write(r.fd, "new", 3), 3);
        ck_assert_str_eq(get(target), rows[i / 2].old ? rows[i / 2].old : "(none)");
        close(r.fd);
        ck_assert_int_eq(replacement_publish(&r), 0);
        ck_assert_str_eq(get(target), "new");
        ck_assert_uint_eq(mode_of(target), (mode_t)S_IFREG | (secret ? 0600 : 0644));
        ck_assert(!rows[i / 2].link || S_ISLNK(mode_of(path)));
        ck_assert_uint_eq(files_in(".") + files_in("other"), rows[i / 2].link ? 3 : 2);
        replacement_free(&r);
        leave();
    }
}
END_TEST

START_TEST(refused)
{
    struct replacement r;

    enter();
    ck_assert_int_eq(symlink("b", "a"), 0);
    ck_assert_int_eq(symlink("a", "b"), 0);
    ck_assert_int_eq(replacement_open(&r, "a", true), -1);
    ck_assert_int_eq(errno, ELOOP);
    ck_assert_int_eq(replacement_open(&r, "other", true), -1);
    ck_assert_int_eq(errno, EISDIR);
    ck_assert_int_eq(replacement_open(&r, "gone/x", true), -1);
    ck_assert_int_eq(errno, ENOENT);
    ck_assert_int_eq(symlink("gone/x", "c"), 0);
    ck_assert_int_eq(replacement_open(&r, "c", true), -1);
    ck_assert_int_eq(errno, ENOENT);
    leave();
}
END_TEST

/* A file that is open already keeps what it has: the shell may have opened it to append. */
START_TEST(open_file)
{
    struct replacement r;
    char path[32];
    int fd;

    enter();
    put("shell", "before ");
    fd = open("shell", O_WRONLY | O_APPEND);
    snprintf(path, sizeof(path), "/dev/fd/%d", fd);
    ck_assert_int_eq(replacement_open(&r, path, true), 0);
    ck_assert_ptr_null(r.target);
    ck_assert_int_eq(write(r.fd, "new ", 4), 4);
    ck_assert_int_eq(replacement_publish(&r), 0);
    close(r.fd);
    replacement_free(&r);
    ck_assert_str_eq(get("shell"), "before new ");
    close(fd);
    leave();
}
END_TEST

/* Samples of a recording that fails do not replace those of an older one. */
START_TEST(samples)
{
    static const struct {
        bool old;
        enum samplefile_end end;
        const char *left;
        const char *where; /* NULL: a temporary file */
    } rows[] = {
        {true, SAMPLEFILE_WHOLE, "new", "perf.data"},
        {true, SAMPLEFILE_PART, "old", NULL},
        {true, SAMPLEFILE_NOTHING, "old", "perf.data"},
        {false, SAMPLEFILE_WHOLE, "new", "perf.data"},
        {false, SAMPLEFILE_PART, "new", "perf.data"},
        {false, SAMPLEFILE_NOTHING, "(none)", "perf.data"},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct error t = {0};
        struct samplefile f;

        enter();
        if (rows[i].old) {
            put("perf.data", "old");
        }
        ck_assert_int_eq(samplefile_open(&f, "perf.data", &t), 0);
        fputs("new", f.file);
        if (rows[i].end == SAMPLEFILE_PART) {
            error_set(&t, ERROR_ENDED, "the machine ended");
        }
        ck_assert_int_eq(samplefile_close(&f, rows[i].end, &t), 0);
        ck_assert_str_eq(get("perf.data"), rows[i].left);
        if (rows[i].where) {
            ck_assert_str_eq(f.where, rows[i].where);
            ck_assert_ptr_null(strstr(t.text, "until then"));
        } else {
            ck_assert_str_eq(get(f.where), "new");
            ck_assert_ptr_nonnull(strstr(t.text, "the machine ended; the samples until then are "));
            ck_assert_ptr_nonnull(strstr(t.text, f.where));
        }
        samplefile_free(&f);
        leave();
    }
}
END_TEST

/* A reader that closes the standard output ends a recording as it ends any program. */
START_TEST(samples_to_a_pipe)
{
    struct samplefile f;
    struct error t = {0};
    int saved = dup(STDOUT_FILENO);
    int ends[2];

    ck_assert_int_eq(pipe(ends), 0);
    ck_assert_int_eq(dup2(ends[1], STDOUT_FILENO), STDOUT_FILENO);
    signal(SIGPIPE, SIG_IGN);
    ck_assert_int_eq(samplefile_open(&f, "-", &t), 0);
    ck_assert(f.pipe);
    fputs("new", f.file);
    fflush(f.file);
    ck_assert_int_eq(samplefile_check(&f, &t), 0);
    close(ends[0]);
    fputs("new", f.file);
    fflush(f.file);
    ck_assert_int_eq(samplefile_check(&f, &t), -1);
    ck_assert_int_eq(t.code, ERROR_PIPE);
    ck_assert_int_eq(samplefile_close(&f, SAMPLEFILE_WHOLE, &t), -1);
    ck_assert_int_eq(t.code, ERROR_PIPE);
    samplefile_free(&f);
    dup2(saved, STDOUT_FILENO);
    close(saved);
    close(ends[1]);
}
END_TEST

Suite *replacement_suite(void)
{
    const TTest *const tests[] = {kinds, refused, open_file, samples, samples_to_a_pipe};

    return suite_of("replacement", tests, COUNT_OF(tests));
}
