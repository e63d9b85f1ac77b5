/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#ifndef VPMU_FILTER_H
#define VPMU_FILTER_H

#include "../bits.h"
#include "model_internal.h"

/*
 * What accesses do with the line filter, so that it becomes part of them; all else is in
 * model_filter.c. Bits of lines of a page are those of struct vpmu_page_.
 */

/*
 * A line that leads to another slot, half of all slots away: no access that begins in this slot's
 * lines ends there.
 */
static inline uint64_t vpmu_filter_empty_(uint64_t slot, unsigned shift)
{
    return (slot + VPMU_FILTER_SLOTS / 2) % VPMU_FILTER_SLOTS << shift;
}

/* An access to the line of @addr would change nothing. @lines: of its page, those of @slots. */
static inline void vpmu_filter_add_(const struct vpmu_model *m, uint64_t *slots, uint64_t *lines,
                                    uint64_t addr)
{
    uint64_t number = addr >> m->line_shift;
    uint64_t line = number << m->line_shift;

    if (m->config.l1_policy == VPMU_POLICY_FIFO) {
        slots[number % VPMU_FILTER_SLOTS] = line;
        *lines |= VPMU_BIT(line % VPMU_PAGE_SIZE / VPMU_PART_SIZE_);
    }
}

/*
 * The line that begins at @addr has left a cache, in whatever address space. Without a branch,
 * which would be hard to foretell.
 */
static inline void vpmu_filter_drop_line_(const struct vpmu_model *m, uint64_t *slots,
                                          uint64_t addr)
{
    uint64_t slot = (addr >> m->line_shift) % VPMU_FILTER_SLOTS;

    slots[slot] = slots[slot] == addr ? vpmu_filter_empty_(slot, m->line_shift) : slots[slot];
}

#endif
