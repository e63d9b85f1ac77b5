/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Starts the program: its input and output, its user and its directory. */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "guest.h"

/* The program writes so much, at least, before it has to wait for init. */
#define PIPE_SIZE (1 << 20)

static void make_pipe(int *read_end, int *write_end)
{
    int fd[2];

    if (pipe2(fd, O_CLOEXEC) != 0) {
        guest_die("cannot make a pipe: %s", strerror(errno));
    }
    *read_end = fd[0];
    *write_end = fd[1];
}

/* become() - takes the user and the directory. Return: 0 or errno. */
static int become(const struct job *job)
{
    if (setgroups(job->n_groups, job->groups) != 0 ||
        setresgid(job->gid, job->gid, job->gid) != 0 ||
        setresuid(job->uid, job->uid, job->uid) != 0 || chdir(job->cwd) != 0) {
        return errno;
    }
    return 0;
}

static void execute(const struct job *job, int go, int failed) __attribute__((noreturn));
static void execute(const struct job *job, int go, int failed)
{
    char byte;
    int error = job->learn ? 0 : become(job);

    /* Returns when init closes its end. */
    while (read(go, &byte, 1) < 0 && errno == EINTR) {
    }
    if (job->learn) {
        error = confine_self();
        error = error ? error : become(job);
    }
    if (!error) {
        execve(job->path, job->argv, job->envp);
        error = errno;
    }
    if (write(failed, &error, sizeof(error)) < 0) {
        _exit(126);
    }
    _exit(127);
}

static int open_stdin(void)
{
    int fd = open(RUN_STDIN, O_RDONLY | O_CLOEXEC);

    return fd >= 0 ? fd : open("/dev/null", O_RDONLY | O_CLOEXEC);
}

void child_start(const struct job *job, struct child *child)
{
    int in, out, err, go, failed;

    child->in = -1;
    if (job->live) {
        make_pipe(&in, &child->in);
    } else {
        in = open_stdin();
    }
    make_pipe(&child->out, &out);
    make_pipe(&child->err, &err);
    make_pipe(&go, &child->go);
    make_pipe(&child->failed, &failed);
    fcntl(out, F_SETPIPE_SZ, PIPE_SIZE);
    fcntl(err, F_SETPIPE_SZ, PIPE_SIZE);
    child->pid = fork();
    if (child->pid < 0) {
        guest_die("cannot fork: %s", strerror(errno));
    }
    if (child->pid == 0) {
        setsid();
        close(child->go);
        dup2(in, STDIN_FILENO);
        dup2(out, STDOUT_FILENO);
        dup2(job->joined ? out : err, STDERR_FILENO);
        execute(job, go, failed);
    }
    close(in);
    close(out);
    /* With joined output this end stays open, so that the program's end does not wake init for it.
     */
    if (!job->joined) {
        close(err);
    }
    close(go);
    close(failed);
}

void child_leave(const struct child *child)
{
    const int fds[] = {child->go, child->failed, child->in, child->out, child->err};

    for (size_t i = 0; i < sizeof(fds) / sizeof(fds[0]); i++) {
        if (fds[i] >= 0) {
            close(fds[i]);
        }
    }
}

int child_go(struct child *child)
{
    int error = 0;

    close(child->go);
    /* The end comes when execve() closes the other end. */
    if (read(child->failed, &error, sizeof(error)) != (ssize_t)sizeof(error)) {
        error = 0;
    }
    close(child->failed);
    if (error) {
        waitpid(child->pid, NULL, 0);
    }
    return error;
}
