/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_FLAMEGRAPH_H
#define VPMU_STATS_FLAMEGRAPH_H

#include <stdbool.h>
#include <stdio.h>

#include "profile/profile.h"

/**
 * flamegraph_write() - write stacks as a flame graph: a single SVG file that zooms and searches
 * @p: its keys are those of stacks_key(), and it is sorted by key.
 * @by_samples: widths are numbers of samples; otherwise they are periods.
 * @least: frames with a smaller percentage of the total are left out. Invisible frames always are.
 *
 * Return: 0, or -1 if there is no memory.
 */
int flamegraph_write(const struct profile *p, unsigned event, bool by_samples, double least,
                     FILE *file, struct error *t);

#endif
