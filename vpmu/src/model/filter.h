/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#ifndef VPMU_FILTER_H
#define VPMU_FILTER_H

#include "../bits.h"
#include "model_internal.h"

/*
 * The functions of the line filter that accesses use. They are in this header so that they are
 * inlined; the others are in model_filter.c. The bits for the lines of a page are those of struct
 * vpmu_page_.
 */

/*
 * Removes a line from its slot. The slot then holds a line that belongs to another slot, half of
 * all slots away. No access that begins in a line of this slot ends in that line.
 */
static inline uint64_t vpmu_filter_empty_(uint64_t line, unsigned shift)
{
    return line ^ (uint64_t)VPMU_FILTER_SLOTS / 2 << shift;
}

/*
 * Adds the line of @addr, because an access to it would change nothing. @lines are the bits of its
 * page for @slots.
 */
static inline void vpmu_filter_add_(unsigned line_shift, uint64_t *slots, uint64_t *lines,
                                    uint64_t addr)
{
    uint64_t number = addr >> line_shift;
    uint64_t line = number << line_shift;

    slots[number % VPMU_FILTER_SLOTS] = line;
    *lines |= VPMU_BIT(line % VPMU_PAGE_SIZE / VPMU_PART_SIZE_);
}

/*
 * The line that begins at @addr has left a cache, in any address space. The function has no branch,
 * because a branch would be mispredicted often.
 */
static inline void vpmu_filter_drop_line_(unsigned line_shift, uint64_t *slots, uint64_t addr)
{
    uint64_t *slot = &slots[(addr >> line_shift) % VPMU_FILTER_SLOTS];

    *slot = *slot == addr ? vpmu_filter_empty_(addr, line_shift) : *slot;
}

/*
 * Removes lines, which have the size of a part, of one of the smallest pages. Their slots follow
 * each other.
 */
static inline void vpmu_filter_drop_lines_(uint64_t *slots, uint64_t addr, uint64_t lines)
{
    uint64_t *first = &slots[addr / VPMU_PART_SIZE_ % VPMU_FILTER_SLOTS];
    unsigned bit;

    VPMU_FOR_EACH_BIT (bit, lines) {
        uint64_t line = addr + bit * VPMU_PART_SIZE_;
        uint64_t empty = line ^ VPMU_FILTER_SLOTS / 2 * VPMU_PART_SIZE_;

        first[bit] = first[bit] == line ? empty : first[bit];
    }
}

/* A page leaves an L1 TLB, in any address space. */
static inline void vpmu_filter_drop_page_(struct vpmu_model *m, enum vpmu_side_ side,
                                          struct vpmu_page_ *page)
{
    if (1u << m->line_shift != VPMU_PART_SIZE_ ||
        vpmu_page_shift_(m, page->id) != VPMU_PAGE_SHIFT) {
        vpmu_filter_drop_any_page_(m, side, page);
        return;
    }
    if (side == VPMU_FETCHES_) {
        vpmu_filter_drop_lines_(m->head.filter.fetch, vpmu_page_addr_(m, page->id), page->reads);
    } else {
        vpmu_filter_drop_lines_(m->head.filter.load, vpmu_page_addr_(m, page->id), page->reads);
        vpmu_filter_drop_lines_(m->head.filter.store, vpmu_page_addr_(m, page->id), page->writes);
    }
    page->reads = 0;
    page->writes = 0;
}

/*
 * LRU only: a set of an L1 cache is about to use another line than the one that it used last, which
 * therefore leaves the filter, in any address space. @stores is NULL for instructions.
 */
static inline void vpmu_filter_drop_first_(const struct vpmu_model *m, const uint32_t *set,
                                           uint64_t *slots, uint64_t *stores)
{
    if (set[0]) {
        uint64_t addr = vpmu_line_of_(m, set[0]).addr;

        vpmu_filter_drop_line_(m->line_shift, slots, addr);
        if (stores) {
            vpmu_filter_drop_line_(m->line_shift, stores, addr);
        }
    }
}

#endif
