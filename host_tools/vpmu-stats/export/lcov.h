/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_LCOV_H
#define VPMU_STATS_LCOV_H

#include <stdio.h>

#include "profile/sample-input.h"

/**
 * lcov_key() - a sample_input_key: by source line and instruction
 *
 * Code without a line has no key.
 */
int lcov_key(struct sample_input *g, const struct input_sample *s, uint32_t *key, uint32_t *n,
             struct error *t);

/**
 * lcov_write() - write how often each line of the source was executed, for genhtml
 * @p: an exact profile.
 * @debug_dir: see struct debug_dirs.
 *
 * A line has the count of its most frequent instruction; copies of the line in several functions
 * are added. Lines and functions of the same programs that were not executed have the count 0.
 *
 * Return: 0, or -1 with an error.
 */
int lcov_write(struct profile *p, unsigned event, const char *debug_dir, FILE *file,
               struct error *t);

#endif
