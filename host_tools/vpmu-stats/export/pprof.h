/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_PPROF_H
#define VPMU_STATS_PPROF_H

#include <stdio.h>

#include "profile/profile.h"

/**
 * pprof_write() - write stacks as a gzipped profile.proto for pprof
 * @p: its keys are those of stacks_key(), with worlds. Worlds and threads become labels.
 *
 * Values are samples and the event. pprof shows the event by default.
 *
 * Return: 0, or -1 if there is no memory.
 */
int pprof_write(const struct profile *p, unsigned event, FILE *file, struct error *t);

#endif
