/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_HOST_COMMAND_H
#define VPMU_STATS_HOST_COMMAND_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/error.h"

/**
 * struct host_command - a program that runs on the host while something is measured
 * @pid: 0 if it does not run.
 * @watch: a descriptor for qmp.stop_fd: becomes readable when the program has ended or the user
 *     interrupts.
 * @status: the exit status; 128 plus the signal's number if a signal ended it; 0 if
 *     host_command_end() ended it.
 */
struct host_command {
    pid_t pid;
    int pidfd;
    int watch;
    int status;
};

/**
 * host_command_start() - start a program
 * @argv: the program, searched for in PATH, and its arguments; NULL at the end.
 * @stop_fd: becomes readable when the user interrupts.
 *
 * Return: 0, after which host_command_end() is needed; or -1: ERROR_USAGE if it cannot be run.
 */
int host_command_start(struct host_command *c, char *const *argv, int stop_fd, struct error *t);

/** host_command_ended() - tell whether the program has ended by itself */
bool host_command_ended(const struct host_command *c);

/** host_command_end() - end the program with SIGTERM unless it has ended, and wait for its end */
void host_command_end(struct host_command *c);

#endif
