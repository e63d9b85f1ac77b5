/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs a machine and passes its input and output through. */
#ifndef VPMU_RUN_MACHINE_H
#define VPMU_RUN_MACHINE_H

#include "files/input.h"
#include "machine/emulator.h"
#include "machine/supply.h"

/**
 * struct machine_files - descriptors
 * @files: the archive.
 * @state: that the machine continues from.
 * @record: a file in memory for what init writes to RUN_PORT_RECORD; -1 if nobody reads it.
 * @supply: of a run that learns: its output is thrown away, and each signal ends it; or NULL.
 */
struct machine_files {
    int files, state, record;
    struct supply *supply;
};

/* The machine ended before the program started: its state may be damaged. */
#define MACHINE_NOT_STARTED (-2)

/**
 * machine_run() - runs the machine until init has reported the result
 * @fds: they stay open.
 * @in: if it is live, the standard input goes to the program as it comes.
 * @result: what init reported, to be freed.
 *
 * Signals that end programs are passed on to the program. The machine is gone at the return, and it
 * ends if this process is killed.
 *
 * Return: 0, or MACHINE_NOT_STARTED or -1 with an error: 128 and the signal that ended it early,
 * for example.
 */
int machine_run(const struct emulator *e, const struct machine_files *fds, struct input *in,
                char **result, struct failure *f);

#endif
