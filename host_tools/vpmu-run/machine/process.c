/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/process.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

int process_file(const char *name, struct failure *f)
{
    int fd = memfd_create(name, 0);

    if (fd < 0) {
        failure_set(f, FAILURE_RUN, "cannot create a file in memory: %s", strerror(errno));
    }
    return fd;
}

static void become(const struct process *p, const struct emulator *e,
                   const struct emulator_fds *fds, pid_t parent, const sigset_t *mask)
    __attribute__((noreturn));
static void become(const struct process *p, const struct emulator *e,
                   const struct emulator_fds *fds, pid_t parent, const sigset_t *mask)
{
    int null = open("/dev/null", O_RDWR);

    /* Nothing is left if vpmu-run is killed. It may have been killed already. */
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) {
        _exit(FAILURE_RUN);
    }
    /* Pages of 2 MiB would make a small machine a quarter larger, and not faster. */
    prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
    /* Ctrl-C is for the program, not for the emulator. */
    setpgid(0, 0);
    if (mask) {
        sigprocmask(SIG_SETMASK, mask, NULL);
    }
    dup2(null, STDIN_FILENO);
    dup2(null, STDOUT_FILENO);
    dup2(p->errors, STDERR_FILENO);
    emulator_execute(e, fds);
    dprintf(STDERR_FILENO, "%s: %s\n", e->qemu, strerror(errno));
    _exit(FAILURE_RUN);
}

int process_start(struct process *p, const struct emulator *e, const struct emulator_fds *fds,
                  const sigset_t *mask, struct failure *f)
{
    pid_t parent = getpid();

    p->pid = -1;
    p->errors = process_file("vpmu-run-errors", f);
    if (p->errors < 0) {
        return -1;
    }
    p->pid = fork();
    if (p->pid < 0) {
        return failure_set(f, FAILURE_RUN, "cannot fork: %s", strerror(errno));
    }
    if (p->pid == 0) {
        become(p, e, fds, parent, mask);
    }
    return 0;
}

void process_stop(struct process *p)
{
    if (p->pid > 0) {
        kill(p->pid, SIGKILL);
        while (waitpid(p->pid, NULL, 0) < 0 && errno == EINTR) {
        }
        p->pid = -1;
    }
    if (p->errors >= 0) {
        close(p->errors);
        p->errors = -1;
    }
}

/* read_end() - the end of what a file contains, without space after it */
static void read_end(int fd, char *text, size_t size)
{
    struct stat st;
    ssize_t n = -1;

    if (fstat(fd, &st) == 0) {
        off_t room = (off_t)size - 1;

        n = pread(fd, text, size - 1, st.st_size > room ? st.st_size - room : 0);
    }
    text[n < 0 ? 0 : n] = '\0';
    for (n = (ssize_t)strlen(text); n > 0 && strchr("\r\n \t", text[n - 1]); n--) {
        text[n - 1] = '\0';
    }
}

int process_explain(const struct process *p, int console, struct failure *f)
{
    static const char by_init[] = "vpmu-run: error ";
    char text[2048], *line;

    read_end(p->errors, text, sizeof(text));
    if (!text[0]) {
        read_end(console, text, sizeof(text));
        line = strstr(text, by_init);
        if (line) {
            line[strcspn(line, "\r\n")] = '\0';
            return failure_set(f, FAILURE_RUN, "in the machine: %s", line + strlen(by_init));
        }
    }
    line = strrchr(text, '\n');
    return failure_set(f, FAILURE_RUN, "the machine ended without a result%s%s",
                       text[0] ? ": " : "", line ? line + 1 : text);
}
