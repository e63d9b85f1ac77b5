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

static int open_stdin(void)
{
    int fd = open(RUN_STDIN, O_RDONLY | O_CLOEXEC);

    return fd >= 0 ? fd : open("/dev/null", O_RDONLY | O_CLOEXEC);
}

/* The other ends of the pipes of struct child. */
struct ends {
    int in, out, err, go, failed;
};

/* redirect() - gives the process the input and output of the program */
static void redirect(const struct job *job, const struct ends *e)
{
    dup2(job->live ? e->in : open_stdin(), STDIN_FILENO);
    dup2(e->out, STDOUT_FILENO);
    dup2(job->joined ? e->out : e->err, STDERR_FILENO);
}

static void execute(const struct ends *e) __attribute__((noreturn));
static void execute(const struct ends *e)
{
    static struct job job;
    char byte;
    int error;

    /* Returns when init closes its end. The job is there then. */
    while (read(e->go, &byte, 1) < 0 && errno == EINTR) {
    }
    job_read(&job);
    redirect(&job, e);
    error = job.learn ? confine_self() : 0;
    error = error ? error : become(&job);
    if (!error) {
        execve(job.path, job.argv, job.envp);
        error = errno;
    }
    if (write(e->failed, &error, sizeof(error)) < 0) {
        _exit(126);
    }
    _exit(127);
}

/* Standard error of the program, as long as init does not know whether it is joined. */
static int error_end = -1;

void child_start(struct child *child)
{
    struct ends e;

    make_pipe(&e.in, &child->in);
    make_pipe(&child->out, &e.out);
    make_pipe(&child->err, &e.err);
    make_pipe(&e.go, &child->go);
    make_pipe(&child->failed, &e.failed);
    fcntl(e.out, F_SETPIPE_SZ, PIPE_SIZE);
    fcntl(e.err, F_SETPIPE_SZ, PIPE_SIZE);
    child->pid = fork();
    if (child->pid < 0) {
        guest_die("cannot fork: %s", strerror(errno));
    }
    if (child->pid == 0) {
        setsid();
        /* Only init has the other ends. */
        close(child->go);
        close(child->in);
        execute(&e);
    }
    error_end = e.err;
    close(e.in);
    close(e.out);
    close(e.go);
    close(e.failed);
}

void child_settle(const struct job *job, struct child *child)
{
    if (!job->live) {
        close(child->in);
        child->in = -1;
    }
    /* With joined output this end stays open, so that the program's end does not wake init for it.
     */
    if (!job->joined) {
        close(error_end);
    }
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
