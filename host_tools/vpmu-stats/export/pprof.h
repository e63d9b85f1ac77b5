/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_PPROF_H
#define VPMU_STATS_PPROF_H

#include <stdio.h>

#include "profile/profile.h"

/**
 * pprof_write() - stacks as pprof reads them: a gzipped profile.proto
 * @p: its keys are those of stacks_key(), with worlds; these and threads become labels.
 *
 * Samples and the event are two types of values; the event is the one that is shown.
 *
 * Return: 0, or -1 if there is no memory.
 */
int pprof_write(const struct profile *p, unsigned event, FILE *file, struct error *t);

#endif
