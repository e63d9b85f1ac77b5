/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_DISTANCE_H
#define VPMU_STATS_DISTANCE_H

/**
 * text_distance() - count the characters to change, insert, remove or swap to turn @a into @b
 *
 * Upper and lower case are equal, and so are '_', '-' and '.'. Only the first 63 characters are
 * compared.
 */
unsigned text_distance(const char *a, const char *b);

#endif
