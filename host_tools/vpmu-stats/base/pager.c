/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shows long output in a terminal. */
#include "base/pager.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/format.h"

/* Is a program in PATH? */
static bool is_installed(const char *name)
{
    const char *path = getenv("PATH");
    char file[4096];

    for (const char *p = path ? path : ""; *p; p += strspn(p, ":")) {
        int len = (int)strcspn(p, ":");

        snprintf(file, sizeof(file), "%.*s/%s", len, p, name);
        if (access(file, X_OK) == 0) {
            return true;
        }
        p += len;
    }
    return false;
}

/* Returns the pager's command for the shell, or NULL. */
static const char *command_of(void)
{
    const char *chosen = getenv("PAGER");

    if (!chosen) {
        return is_installed("less") ? "less" : NULL;
    }
    return *chosen && strcmp(chosen, "cat") != 0 ? chosen : NULL;
}

/* The pager handles signals as usual. */
static _Noreturn void run(const char *command, int from, int to, int stop_fd)
{
    sigset_t none;

    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    signal(SIGPIPE, SIG_DFL);
    signal(SIGXFSZ, SIG_DFL);
    dup2(from, STDIN_FILENO);
    close(from);
    close(to);
    if (stop_fd >= 0) {
        close(stop_fd);
    }
    setenv("LESS", "FRSX", 0);
    execl("/bin/sh", "sh", "-c", command, (char *)NULL);
    _exit(127);
}

bool pager_start(struct pager *p, int stop_fd)
{
    const char *command = command_of();
    int ends[2];

    if (!isatty(STDOUT_FILENO)) {
        return true;
    }
    if (!command || pipe(ends)) {
        return false;
    }
    p->pid = fork();
    if (p->pid == 0) {
        run(command, ends[0], ends[1], stop_fd);
    }
    close(ends[0]);
    if (p->pid > 0) {
        dup2(ends[1], STDOUT_FILENO);
    }
    close(ends[1]);
    p->pid = p->pid > 0 ? p->pid : 0;
    return p->pid > 0;
}

void pager_end(struct pager *p)
{
    if (p->pid) {
        close(STDOUT_FILENO);
        while (waitpid(p->pid, NULL, 0) < 0 && errno == EINTR) {
        }
        p->pid = 0;
    }
}

/*
 * Returns the beginning of a line with @columns characters. Continuation bytes of UTF-8 are not
 * counted.
 */
static size_t cut_line(const char *line, size_t length, unsigned columns)
{
    unsigned n = 0;

    for (size_t i = 0; i < length; i++) {
        n += ((unsigned char)line[i] & 0xc0) != 0x80;
        if (n > columns) {
            return i;
        }
    }
    return length;
}

static size_t count_lines(const char *text)
{
    size_t n = 0;

    for (; (text = strchr(text, '\n')); text++) {
        n++;
    }
    return n;
}

void pager_first_screen(struct out *out)
{
    struct winsize size = {.ws_row = 24, .ws_col = 80};
    char number[FORMAT_SIZE];
    const char *line;
    size_t lines;
    char *copy;

    ioctl(STDOUT_FILENO, TIOCGWINSZ, &size);
    if (fflush(out->text) || !(copy = strndup(out->buf, out->size))) {
        return;
    }
    rewind(out->text);
    lines = count_lines(copy);
    line = copy;
    for (size_t room = size.ws_row > 3 ? size.ws_row - 2u : 2u; *line && (room || lines < 2);) {
        size_t length = strcspn(line, "\n");

        fwrite(line, 1, cut_line(line, length, size.ws_col ? size.ws_col : 80u), out->text);
        fputc('\n', out->text);
        line += length + (line[length] == '\n');
        lines -= lines > 0;
        room -= room > 0;
    }
    if (lines) {
        fprintf(out->text, "# %s more lines; less or $PAGER shows all, -o FILE writes all\n",
                format_grouped(number, lines));
    }
    free(copy);
}
