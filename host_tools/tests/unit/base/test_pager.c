/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests what a terminal shows of a long report. */
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/pager.h"
#include "unit/tests.h"

/* Prints a report of @lines lines in a child with a terminal. */
static void show(int lines, const char *pager)
{
    struct out out = {0};
    struct pager p = {0};
    struct error t = {0};

    signal(SIGPIPE, SIG_IGN);
    if (pager) {
        setenv("PAGER", pager, 1);
    } else {
        unsetenv("PAGER");
        setenv("PATH", "/nowhere", 1);
    }
    if (out_open(&out, NULL, false, OUT_COLOR_NEVER, &t)) {
        _exit(1);
    }
    for (int i = 1; i <= lines; i++) {
        fprintf(out.text, "line %d of \xc3\xa4 report that is wider than the terminal\n", i);
    }
    if (!pager_start(&p, -1)) {
        pager_first_screen(&out);
    }
    out_close(&out, true, &t);
    pager_end(&p);
    _exit((int)t.code);
}

/* Reads what the terminal received, without carriage returns. */
static void watch(int lines, const char *pager, char *text, size_t room, int *status)
{
    struct winsize size = {.ws_row = 6, .ws_col = 20};
    size_t n = 0;
    int terminal;
    pid_t pid = forkpty(&terminal, NULL, NULL, &size);
    char c;

    ck_assert_int_ge(pid, 0);
    if (pid == 0) {
        show(lines, pager);
    }
    while (n + 1 < room && read(terminal, &c, 1) == 1) {
        if (c != '\r') {
            text[n++] = c;
        }
    }
    text[n] = '\0';
    waitpid(pid, status, 0);
    close(terminal);
}

START_TEST(pager_shows)
{
    static const struct {
        int lines;
        const char *pager;
        const char *text;
    } rows[] = {
        /* The pager gets the complete report, and all of it is shown when the program ends. */
        {7, "sleep 0.1; wc -l", "7\n"},
        {1, "sed s/wider.*/paged/", "line 1 of \xc3\xa4 report that is paged\n"},
        {1, "echo $LESS; cat >/dev/null", "FRSX\n"},
        /* Without a pager, the lines that fit are printed. One line stays free for the shell. */
        {5, NULL,
         "line 1 of \xc3\xa4 report t\nline 2 of \xc3\xa4 report t\nline 3 of \xc3\xa4 report t\n"
         "line 4 of \xc3\xa4 report t\nline 5 of \xc3\xa4 report t\n"},
        {6, "cat",
         "line 1 of \xc3\xa4 report t\nline 2 of \xc3\xa4 report t\nline 3 of \xc3\xa4 report t\n"
         "line 4 of \xc3\xa4 report t\n"
         "# 2 more lines; less or $PAGER shows all, -o FILE writes all\n"},
        {1000, "",
         "line 1 of \xc3\xa4 report t\nline 2 of \xc3\xa4 report t\nline 3 of \xc3\xa4 report t\n"
         "line 4 of \xc3\xa4 report t\n"
         "# 996 more lines; less or $PAGER shows all, -o FILE writes all\n"},
    };

    unsetenv("LESS");
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        char text[4096];
        int status;

        watch(rows[i].lines, rows[i].pager, text, sizeof(text), &status);
        ck_assert_str_eq(text, rows[i].text);
        ck_assert_int_eq(status, 0);
    }
}
END_TEST

/* If the user quits early, the result is as if the reader of a pipe had closed it. */
START_TEST(pager_quits)
{
    char text[64];
    int status;

    watch(100000, "head -c 6", text, sizeof(text), &status);
    ck_assert_str_eq(text, "line 1");
    ck_assert_int_eq(WEXITSTATUS(status), ERROR_PIPE);
}
END_TEST

Suite *pager_suite(void)
{
    const TTest *const tests[] = {pager_shows, pager_quits};

    return suite_of("pager", tests, COUNT_OF(tests));
}
