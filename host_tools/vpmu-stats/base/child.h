/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_CHILD_H
#define VPMU_STATS_CHILD_H

#include <sys/types.h>

#include "base/error.h"

/*
 * This program once more, as a process of its own: libvirt's calls wait as long as they like, and a
 * process can be ended where a call cannot. The child reads and writes a socket as its standard
 * input and output. It tells its error as the program does: a line on standard error, and the
 * exit code.
 */

/**
 * struct child - such a process
 * @fd: the socket's other end; -1 if another owner has taken it.
 * @errors: its standard error.
 */
struct child {
    pid_t pid;
    int fd;
    int errors;
};

/**
 * child_start() - starts it
 * @arguments: those of the program, a command first, NULL at the end.
 *
 * Return: 0, after which child_end() is needed; or -1.
 */
int child_start(struct child *c, const char *const *arguments, struct error *t);

/**
 * child_explain() - why the child closed the socket, which it does by ending
 * Return: 0 if all was well with it; or -1 with its error.
 */
int child_explain(struct child *c, struct error *t);

/** child_end() - ends it, whatever it does, and closes what is open */
void child_end(struct child *c);

#endif
