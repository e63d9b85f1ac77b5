/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_RUN_LEARN_H
#define VPMU_RUN_LEARN_H

#include "cli/run-options.h"
#include "files/input.h"

/**
 * learn() - finds out which files the program looks for, so that the machine has them
 * The program runs once, and each file that it looks for and that this computer has is supplied
 * meanwhile. The machine is deterministic: if nothing has changed since, this run is left out.
 * @o: job.learned is set.
 */
int learn(struct run_options *o, const struct input *in, struct failure *f);

#endif
