/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/seekable.h"

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "unit/tests.h"

static int catch_signals(void)
{
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, SIGHUP);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    sigprocmask(SIG_BLOCK, &set, NULL);
    return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

/*
 * A terminal sends SIGINT to all programs of a pipeline, so the reader goes on to the end that the
 * writer makes. Other signals are meant for the reader.
 */
START_TEST(signals)
{
    static const struct {
        int first;
        int second; /* a moment later */
        bool ended; /* the writer has ended */
        enum error_code code;
    } rows[] = {
        {0, 0, true, ERROR_NONE},
        {SIGINT, 0, true, ERROR_NONE},
        {SIGINT, SIGINT, false, ERROR_STOPPED},
        {SIGINT, SIGTERM, false, ERROR_STOPPED},
        {SIGTERM, 0, false, ERROR_STOPPED},
        {SIGHUP, 0, false, ERROR_STOPPED},
    };
    int stop_fd = catch_signals();

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct error t = {0};
        char path[32];
        char text[8] = "";
        FILE *file = NULL;
        int ends[2];
        int err;

        ck_assert_int_eq(pipe(ends), 0);
        ck_assert_int_eq(write(ends[1], "text", 4), 4);
        if (rows[i].ended) {
            close(ends[1]);
        }
        ck_assert(!rows[i].first || raise(rows[i].first) == 0);
        if (rows[i].second && fork() == 0) {
            usleep(200000);
            kill(getppid(), rows[i].second);
            _exit(0);
        }
        snprintf(path, sizeof(path), "/proc/self/fd/%d", ends[0]);
        err = seekable_open(path, stop_fd, NULL, &file, &t);
        ck_assert_msg(t.code == rows[i].code && !err == !rows[i].code, "row %zu: %s", i, t.text);
        if (!err) {
            rewind(file);
            ck_assert_uint_eq(fread(text, 1, sizeof(text), file), 4);
            ck_assert_str_eq(text, "text");
            fclose(file);
        }
        while (rows[i].second && wait(NULL) < 0) {
        }
        close(ends[0]);
        if (!rows[i].ended) {
            close(ends[1]);
        }
    }
    close(stop_fd);
}
END_TEST

static bool begins(const char *start, size_t n)
{
    return n == SEEKABLE_START && start[0] == 'y';
}

/* Of a pipe whose beginning is not wanted, only that is read, though it never ends. */
START_TEST(beginning)
{
    for (int wanted = 0; wanted < 2; wanted++) {
        char path[32];
        struct error t = {0};
        FILE *file = NULL;
        int ends[2];
        pid_t writer;

        ck_assert_int_eq(pipe(ends), 0);
        writer = fork();
        if (writer == 0) {
            const char *text = wanted ? "yes\n" : "no\n";

            close(ends[0]);
            for (int i = 0; !wanted || i < 50000; i++) {
                if (write(ends[1], text, strlen(text)) < 0) {
                    _exit(1);
                }
            }
            _exit(0);
        }
        close(ends[1]);
        snprintf(path, sizeof(path), "/proc/self/fd/%d", ends[0]);
        ck_assert_int_eq(seekable_open(path, -1, begins, &file, &t), 0);
        ck_assert_int_eq(fseek(file, 0, SEEK_END), 0);
        ck_assert_msg(wanted ? ftell(file) == 200000 : ftell(file) < 100000, "%ld bytes",
                      ftell(file));
        fclose(file);
        close(ends[0]);
        kill(writer, SIGKILL);
        waitpid(writer, NULL, 0);
    }
}
END_TEST

/* A file that is shorter than what is asked for. */
START_TEST(short_file)
{
    struct error t = {0};
    char path[32], text[8] = "";
    FILE *file = NULL;
    int ends[2];

    ck_assert_int_eq(pipe(ends), 0);
    ck_assert_int_eq(write(ends[1], "n", 1), 1);
    ck_assert_int_eq(write(ends[1], "o", 1), 1);
    close(ends[1]);
    snprintf(path, sizeof(path), "/proc/self/fd/%d", ends[0]);
    ck_assert_int_eq(seekable_open(path, -1, begins, &file, &t), 0);
    rewind(file);
    ck_assert_uint_eq(fread(text, 1, sizeof(text), file), 2);
    ck_assert_str_eq(text, "no");
    fclose(file);
    close(ends[0]);
}
END_TEST

Suite *seekable_suite(void)
{
    const TTest *const tests[] = {signals, beginning, short_file};

    return suite_of("seekable", tests, COUNT_OF(tests));
}
