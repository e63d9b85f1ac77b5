/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_FOLDED_H
#define VPMU_STATS_FOLDED_H

#include <stdbool.h>
#include <stdio.h>

#include "profile/profile.h"

/**
 * folded_write() - write stacks in the format of flamegraph.pl: one line per stack, sorted
 * @p: its keys are those of stacks_key().
 * @by_samples: the weight is the number of samples; otherwise it is the period.
 *
 * Return: 0, or -1 if there is no memory.
 */
int folded_write(const struct profile *p, unsigned event, bool by_samples, FILE *file,
                 struct error *t);

#endif
