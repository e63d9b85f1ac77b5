/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* Set-associative storage for any number of ways, and the removal of entries. */
#include "sets.h"

unsigned vpmu_sets_find_any_(const struct vpmu_sets_ *s, const uint32_t *set, uint32_t tag)
{
    for (unsigned way = 0; way < s->ways; way++) {
        if ((set[way] & ~VPMU_TAG_DIRTY_) == tag) {
            return way + 1;
        }
    }
    return 0;
}

void vpmu_sets_move_any_(uint32_t *set, unsigned way, uint32_t tag)
{
    for (; way > 0; way--) {
        set[way] = set[way - 1];
    }
    set[0] = tag;
}

void vpmu_sets_remove_(const struct vpmu_sets_ *s, uint32_t *set, unsigned way)
{
    for (; way + 1u < s->ways; way++) {
        set[way] = set[way + 1];
    }
    set[way] = 0;
}

void vpmu_sets_clear_(const struct vpmu_sets_ *s)
{
    for (size_t i = 0; s->tags && i < ((size_t)s->set_mask + 1) * s->stride; i++) {
        s->tags[i] = 0;
    }
}
