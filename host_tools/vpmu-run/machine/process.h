/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_RUN_PROCESS_H
#define VPMU_RUN_PROCESS_H

#include <signal.h>
#include <sys/types.h>

#include "machine/emulator.h"

/**
 * struct process - a running emulator
 * @pid: -1 if there is none.
 * @errors: a file with what the emulator itself prints.
 */
struct process {
    pid_t pid;
    int errors;
};

/** process_file() - a file in memory that an emulator inherits. Return: a descriptor, or -1. */
int process_file(const char *name, struct failure *f);

/**
 * process_start() - starts an emulator, which ends with this process
 * @mask: its signal mask; NULL for that of this process.
 *
 * Return: 0, or -1. process_stop() is needed either way.
 */
int process_start(struct process *p, const struct emulator *e, const struct emulator_fds *fds,
                  const sigset_t *mask, struct failure *f);

/** process_stop() - ends the emulator */
void process_stop(struct process *p);

/** process_explain() - says why the machine has no result. @console: what its kernel printed. */
int process_explain(const struct process *p, int console, struct failure *f);

#endif
