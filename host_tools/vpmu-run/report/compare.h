/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_RUN_COMPARE_H
#define VPMU_RUN_COMPARE_H

#include <stdbool.h>
#include <stdint.h>

/** compare_change() - by how many percent @now differs from @base */
double compare_change(uint64_t base, uint64_t now);

/**
 * compare_exceeds() - did a count grow beyond the limit?
 * @percent: not negative. Growth from 0 is beyond any limit.
 */
bool compare_exceeds(uint64_t base, uint64_t now, double percent);

#endif
