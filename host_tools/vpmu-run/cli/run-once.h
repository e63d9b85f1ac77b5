/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_RUN_RUN_ONCE_H
#define VPMU_RUN_RUN_ONCE_H

#include "cli/run-options.h"
#include "files/input.h"
#include "report/result.h"

/** run_prepare() - checks the options and finds the emulator and the kernel */
int run_prepare(struct run_options *o, struct failure *f);

/** run_files_max() - the most that the machine's files may need, in bytes */
uint64_t run_files_max(const struct run_options *o);

/**
 * run_once() - runs the program in a machine
 * @record: a file in memory for what init writes to RUN_PORT_RECORD; -1 if nobody reads it.
 *
 * Return: 0, or -1 with an error. result_free() is needed after 0.
 */
int run_once(struct run_options *o, struct input *in, int record, struct result *r,
             struct failure *f);

#endif
