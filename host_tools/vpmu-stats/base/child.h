/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_CHILD_H
#define VPMU_STATS_CHILD_H

#include <sys/types.h>

#include "base/error.h"

/*
 * This program starts itself as a child process for calls to libvirt. Such a call can block for any
 * time and cannot be cancelled, but the process can be killed. The child's standard input and
 * output are a socket. The child reports an error like any command: a line on standard error, and
 * the exit code.
 */

/**
 * struct child - a child process that runs this program
 * @pid: its process ID; 0 after child_explain() has waited for its end.
 * @fd: our end of the socket; -1 if the descriptor has another owner, who closes it.
 * @errors: the read end of a non-blocking pipe, which is the child's standard error.
 */
struct child {
    pid_t pid;
    int fd;
    int errors;
};

/**
 * child_start() - start a child process
 * @c: is filled in.
 * @arguments: the arguments of the program: a command, up to 3 others, then NULL.
 * @t: is set if the child cannot be started.
 *
 * Return: 0, after which child_end() is needed; or -1 with ERROR_TALK.
 */
int child_start(struct child *c, const char *const *arguments, struct error *t);

/**
 * child_explain() - wait until the child ends, and report its error
 * @c: a child that has closed its end of the socket, which it does only by ending.
 * @t: is set to the child's error.
 *
 * Return: 0 if the child's exit code is 0; or -1. If the child left no message, or a signal ended
 * it, the error is ERROR_TALK.
 */
int child_explain(struct child *c, struct error *t);

/** child_end() - kill the child if it still runs, and close the descriptors */
void child_end(struct child *c);

#endif
