/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The end of the time that a command may take. */
#ifndef VPMU_RUN_DEADLINE_H
#define VPMU_RUN_DEADLINE_H

#include "failure.h"

/**
 * deadline_set() - ends this process with FAILURE_TIMEOUT after a time, whatever it does then
 * @nanoseconds: from the start of the process. The machine ends with the process.
 */
int deadline_set(long long nanoseconds, struct failure *f);

#endif
