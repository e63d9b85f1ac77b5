/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_CHECK_JUDGE_H
#define VPMU_CHECK_JUDGE_H

#include "check.h"

/* Each judges the event of a descriptor by what its name means. */
void judge_cycles(struct finding *f, int fd, const struct check *check);
void judge_clock(struct finding *f, int fd, const struct check *check);
/** judge_misses() - @far: of a level behind the first, whose size may not be known */
void judge_misses(struct finding *f, int fd, const struct check *check, bool far);
void judge_references(struct finding *f, int fd, const struct check *check);
void judge_mistakes(struct finding *f, int fd, const struct check *check);
void judge_code(struct finding *f, int fd, const struct check *check);

/* A part in a thousand, of @of. */
static inline double per_mille(uint64_t part, uint64_t of)
{
    return of == 0 ? 0 : 1000.0 * (double)part / (double)of;
}

#endif
