/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_RUN_RUN_ONCE_H
#define VPMU_RUN_RUN_ONCE_H

#include "cli/run-options.h"
#include "files/input.h"
#include "machine/supply.h"
#include "report/result.h"

/** run_prepare() - checks the options and finds the emulator and the kernel */
int run_prepare(struct run_options *o, struct failure *f);

/** run_files_max() - the most that the machine's files may need, in bytes */
uint64_t run_files_max(const struct run_options *o);

/** run_memory() - of the machine, in MiB, for an archive of @size bytes */
unsigned run_memory(const struct run_options *o, uint64_t size);

/** run_space() - how many bytes the archive may grow in the machine of that size */
uint64_t run_space(const struct run_options *o, uint64_t size);

/**
 * run_machine() - runs a machine. A state that does not work is thrown away, and made anew once.
 * @record, @supply, @text: see machine_run().
 */
int run_machine(struct emulator *e, const struct archive *archive, struct input *in, int record,
                struct supply *supply, char **text, struct failure *f);

/**
 * run_once() - runs the program in a machine
 * @record: a file in memory for what init writes to RUN_PORT_RECORD; -1 if nobody reads it.
 *
 * Return: 0, or -1 with an error. result_free() is needed after 0.
 */
int run_once(struct run_options *o, struct input *in, int record, struct result *r,
             struct failure *f);

#endif
