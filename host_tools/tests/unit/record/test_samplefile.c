/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Outputs that cannot be written. test_replacement.c has files that replace others. */
#include "record/samplefile.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/signals.h"
#include "unit/tests.h"

/* /dev/full fails when it is written, which is when the buffer of the stream is emptied. */
START_TEST(full)
{
    static const struct {
        bool flushed;
        enum samplefile_end end;
        int closed;
    } rows[] = {
        {true, SAMPLEFILE_WHOLE, -1},   {true, SAMPLEFILE_PART, -1},
        {false, SAMPLEFILE_WHOLE, -1},  {true, SAMPLEFILE_NOTHING, 0},
        {false, SAMPLEFILE_NOTHING, 0},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct error t = {0};
        struct samplefile f;

        ck_assert_int_eq(samplefile_open(&f, "/dev/full", &t), 0);
        ck_assert(f.pipe);
        ck_assert_str_eq(f.where, "/dev/full");
        fputs("new", f.file);
        ck_assert_int_eq(samplefile_check(&f, &t), 0);
        if (rows[i].flushed) {
            fflush(f.file);
            ck_assert_int_eq(samplefile_check(&f, &t), -1);
            ck_assert_int_eq(t.code, ERROR_OUTPUT);
            /* The first error counts. */
            errno = EIO;
            ck_assert_int_eq(samplefile_check(&f, &t), -1);
            ck_assert_str_eq(t.text, "cannot write /dev/full: No space left on device");
        }
        t = (struct error){0};
        ck_assert_int_eq(samplefile_close(&f, rows[i].end, &t), rows[i].closed);
        ck_assert_str_eq(t.text,
                         rows[i].closed ? "cannot write /dev/full: No space left on device" : "");
        samplefile_free(&f);
    }
}
END_TEST

START_TEST(no_directory)
{
    struct error t = {0};
    struct samplefile f;

    ck_assert_int_eq(samplefile_open(&f, "/no/such/file", &t), -1);
    ck_assert_int_eq(t.code, ERROR_OUTPUT);
    ck_assert_str_eq(t.text, "cannot write /no/such/file: No such file or directory");
}
END_TEST

/* count_files() - in a directory */
static unsigned count_files(const char *path)
{
    DIR *directory = opendir(path);
    unsigned n = 0;

    while (directory && readdir(directory)) {
        n++;
    }
    closedir(directory);
    return n - 2;
}

/* A disk that is full after some bytes: the part is kept if there is one. Nothing else is left. */
START_TEST(kept)
{
    static const struct {
        rlim_t space;
        enum samplefile_end end;
        int closed;
        unsigned files;
        const char *text;
    } rows[] = {
        {RLIM_INFINITY, SAMPLEFILE_WHOLE, 0, 1, ""},
        {RLIM_INFINITY, SAMPLEFILE_NOTHING, 0, 0, ""},
        {0, SAMPLEFILE_WHOLE, -1, 0, "File too large"},
        {1, SAMPLEFILE_WHOLE, -1, 1, "; the samples until then are in "},
        {1, SAMPLEFILE_PART, -1, 1, "; the samples until then are in "},
        {1, SAMPLEFILE_NOTHING, 0, 0, ""},
    };

    signal(SIGXFSZ, SIG_IGN);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        char directory[] = TEMPORARY_PATH, path[sizeof(directory) + 8], command[64];
        struct rlimit limit, old;
        struct error t = {0};
        struct samplefile f;

        ck_assert_ptr_nonnull(mkdtemp(directory));
        snprintf(path, sizeof(path), "%s/data", directory);
        ck_assert_int_eq(samplefile_open(&f, path, &t), 0);
        ck_assert(!f.pipe);
        fputs("new", f.file);
        getrlimit(RLIMIT_FSIZE, &old);
        limit = (struct rlimit){rows[i].space, old.rlim_max};
        ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
        ck_assert_int_eq(samplefile_close(&f, rows[i].end, &t), rows[i].closed);
        ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &old), 0);
        ck_assert_msg(strstr(t.text, rows[i].text) != NULL, "row %zu: %s", i, t.text);
        ck_assert_msg(count_files(directory) == rows[i].files, "row %zu", i);
        samplefile_free(&f);
        snprintf(command, sizeof(command), "rm -r %s", directory);
        ck_assert_int_eq(system(command), 0);
    }
}
END_TEST

/* What has been written is kept if the file cannot get its name, and the error says where. */
START_TEST(unpublished)
{
    char directory[] = TEMPORARY_PATH, path[sizeof(directory) + 8], command[64], want[256];
    struct error t = {0};
    struct samplefile f;

    ck_assert_ptr_nonnull(mkdtemp(directory));
    snprintf(path, sizeof(path), "%s/data", directory);
    ck_assert_int_eq(samplefile_open(&f, path, &t), 0);
    fputs("new", f.file);
    ck_assert_int_eq(mkdir(path, 0700), 0);
    ck_assert_int_eq(samplefile_close(&f, SAMPLEFILE_WHOLE, &t), -1);
    ck_assert_int_eq(t.code, ERROR_OUTPUT);
    snprintf(want, sizeof(want), "cannot write %s: Is a directory; the samples until then are in ",
             path);
    ck_assert_msg(strncmp(t.text, want, strlen(want)) == 0, "%s", t.text);
    ck_assert_uint_eq(count_files(directory), 2);
    samplefile_free(&f);
    snprintf(command, sizeof(command), "rm -r %s", directory);
    ck_assert_int_eq(system(command), 0);
}
END_TEST

/* Opens a file for the standard output, which is a new pipe. Return: the end to read from. */
static int open_piped(struct samplefile *f)
{
    int saved = dup(STDOUT_FILENO), ends[2];
    struct error t = {0};

    ck_assert_int_eq(pipe2(ends, O_CLOEXEC), 0);
    ck_assert_int_ge(dup2(ends[1], STDOUT_FILENO), 0);
    close(ends[1]);
    ck_assert_int_eq(samplefile_open(f, "-", &t), 0);
    ck_assert_int_ge(dup2(saved, STDOUT_FILENO), 0);
    close(saved);
    ck_assert(f->pipe);
    return ends[0];
}

/* A reader gets all that is written, in pieces that a pipe has room for. A signal ends the wait for
 * one that does not read. */
START_TEST(piped)
{
    enum {
        WORDS = 100000
    };
    struct samplefile f;
    struct error t = {0};
    int end = open_piped(&f), status, stop[2];
    pid_t reader = fork();

    ck_assert_int_eq(pipe(stop), 0);
    signals_watch(stop[0]);
    if (reader == 0) {
        FILE *from = fdopen(end, "r");
        uint32_t word, n = 0;

        fclose(f.file);
        while (fread(&word, sizeof(word), 1, from) == 1 && word == n) {
            n++;
        }
        _exit(n == WORDS ? 0 : 1);
    }
    for (uint32_t i = 0; i < WORDS; i++) {
        ck_assert_uint_eq(fwrite(&i, sizeof(i), 1, f.file), 1);
    }
    ck_assert_int_eq(samplefile_close(&f, SAMPLEFILE_WHOLE, &t), 0);
    samplefile_free(&f);
    close(end);
    ck_assert_int_eq(waitpid(reader, &status, 0), reader);
    ck_assert_int_eq(status, 0);
    end = open_piped(&f);
    ck_assert_int_eq(write(stop[1], "s", 1), 1);
    for (uint32_t i = 0; i < WORDS; i++) {
        fwrite(&i, sizeof(i), 1, f.file);
    }
    ck_assert_int_eq(samplefile_check(&f, &t), -1);
    ck_assert_int_eq(t.code, ERROR_STOPPED);
    samplefile_close(&f, SAMPLEFILE_PART, &t);
    samplefile_free(&f);
    close(end);
    signals_watch(-1);
    close(stop[0]);
    close(stop[1]);
}
END_TEST

/* Samples would garble a terminal. */
START_TEST(terminal)
{
    int saved = dup(STDOUT_FILENO), main_end = posix_openpt(O_RDWR | O_NOCTTY), end, opened;
    struct error t = {0};
    struct samplefile f;

    ck_assert(main_end >= 0 && grantpt(main_end) == 0 && unlockpt(main_end) == 0);
    end = open(ptsname(main_end), O_RDWR | O_NOCTTY);
    ck_assert_int_ge(end, 0);
    ck_assert_int_eq(dup2(end, STDOUT_FILENO), STDOUT_FILENO);
    ck_assert_int_eq(samplefile_open(&f, "-", &t), -1);
    ck_assert_int_eq(t.code, ERROR_USAGE);
    ck_assert_ptr_nonnull(strstr(t.text, "not written to a terminal"));
    /* Its descriptor is free again. */
    opened = dup(STDOUT_FILENO);
    ck_assert_int_eq(opened, f.to.fd);
    dup2(saved, STDOUT_FILENO);
    close(opened);
    close(end);
    close(main_end);
    close(saved);
}
END_TEST

Suite *samplefile_suite(void)
{
    const TTest *const tests[] = {full, kept, unpublished, piped, no_directory, terminal};

    return suite_of("samplefile", tests, COUNT_OF(tests));
}
