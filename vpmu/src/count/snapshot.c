/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* A copy of the counting state, with totals of its own. */
#include <string.h>

#include "count_internal.h"

void vpmu_count_look_(struct vpmu_count *copy, uint64_t *totals, const struct vpmu_count *c,
                      const struct vpmu_now *now)
{
    memcpy(totals, c->totals.n, sizeof(*totals) * c->totals.contexts * c->totals.row);
    copy->totals.n = totals;
    vpmu_clocks_settle_(copy, now);
    copy->observers = NULL;
    copy->sampling = false;
}
