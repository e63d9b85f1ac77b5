/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_PERFFEATURES_H
#define VPMU_STATS_PERFFEATURES_H

#include "perfdata/perfdata.h"

/* Number of words in the bit mask of features. */
#define PERFFEATURES_WORDS 4

/**
 * perffeatures_put() - write what describes the recording at the end of a file
 * @at: where: a table of positions, then their contents.
 * @mask: gets the bits of the features.
 */
void perffeatures_put(struct perfdata *p, uint64_t at, uint64_t mask[PERFFEATURES_WORDS]);

/** perffeatures_put_records() - the same in records, at the beginning of a pipe */
void perffeatures_put_records(struct perfdata *p);

#endif
