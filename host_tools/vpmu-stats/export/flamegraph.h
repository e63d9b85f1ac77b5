/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_FLAMEGRAPH_H
#define VPMU_STATS_FLAMEGRAPH_H

#include <stdbool.h>
#include <stdio.h>

#include "profile/profile.h"

/**
 * flamegraph_write() - stacks as a flame graph: an SVG that zooms and searches, in one file
 * @p: its keys are those of stacks_key(); sorted by key.
 * @by_samples: widths are samples, otherwise what they stand for.
 * @least: percent of all; frames that have less are left out. What cannot be seen is in any case.
 *
 * Return: 0, or -1 if there is no memory.
 */
int flamegraph_write(const struct profile *p, unsigned event, bool by_samples, double least,
                     FILE *file, struct error *t);

#endif
