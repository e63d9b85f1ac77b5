/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define SELF "/proc/self/exe"
#define MAX_ARGUMENTS 4

extern char **environ;

/* The child inherits only its socket and its pipe. All other descriptors are close-on-exec. */
static int spawn(struct child *c, const char *const *arguments, int input, int errors)
{
    /*
     * posix_spawn() takes pointers to non-const strings for historical reasons. It does not write
     * to them.
     */
    char *argv[MAX_ARGUMENTS + 2] = {(char *)"vpmu-stats"};
    posix_spawn_file_actions_t actions;
    int err = posix_spawn_file_actions_init(&actions);

    for (size_t i = 0; i < MAX_ARGUMENTS && arguments[i]; i++) {
        argv[i + 1] = (char *)arguments[i];
    }
    if (err) {
        return err;
    }
    err = posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
    err = err ? err : posix_spawn_file_actions_adddup2(&actions, input, STDOUT_FILENO);
    err = err ? err : posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO);
    err = err ? err : posix_spawn(&c->pid, SELF, &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    return err;
}

int child_start(struct child *c, const char *const *arguments, struct error *t)
{
    int ends[2];
    int errors[2];
    int err;

    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends)) {
        return error_set(t, ERROR_TALK, "cannot make a socket: %s", strerror(errno));
    }
    if (pipe2(errors, O_CLOEXEC | O_NONBLOCK)) {
        close(ends[0]);
        close(ends[1]);
        return error_set(t, ERROR_TALK, "cannot make a pipe: %s", strerror(errno));
    }
    *c = (struct child){.fd = ends[0], .errors = errors[0]};
    err = spawn(c, arguments, ends[1], errors[1]);
    close(ends[1]);
    close(errors[1]);
    if (err) {
        close(ends[0]);
        close(errors[0]);
        return error_set(t, ERROR_TALK, "cannot run " SELF ": %s", strerror(err));
    }
    return 0;
}

/* Read the line that the child wrote to standard error, without the program's name at its start. */
static void read_line(const struct child *c, char *line, size_t size)
{
    static const char who[] = "vpmu-stats: ";
    ssize_t n = read(c->errors, line, size - 1);
    size_t skip = sizeof(who) - 1;

    line[n > 0 ? n : 0] = '\0';
    line[strcspn(line, "\n")] = '\0';
    if (strncmp(line, who, skip) == 0) {
        memmove(line, line + skip, strlen(line + skip) + 1);
    }
}

int child_explain(struct child *c, struct error *t)
{
    char line[sizeof(t->text)];
    int status = 0;

    while (waitpid(c->pid, &status, 0) < 0 && errno == EINTR) {
    }
    c->pid = 0;
    if (WIFEXITED(status) && WEXITSTATUS(status) == ERROR_NONE) {
        return 0;
    }
    read_line(c, line, sizeof(line));
    if (!WIFEXITED(status) || !*line) {
        return error_set(t, ERROR_TALK, "the process that talks to libvirt ended with status %d",
                         status);
    }
    return error_set(t, (enum error_code)WEXITSTATUS(status), "%s", line);
}

void child_end(struct child *c)
{
    if (c->pid > 0) {
        kill(c->pid, SIGKILL);
        while (waitpid(c->pid, NULL, 0) < 0 && errno == EINTR) {
        }
    }
    if (c->fd >= 0) {
        close(c->fd);
    }
    close(c->errors);
}
