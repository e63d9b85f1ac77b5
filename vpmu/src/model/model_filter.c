/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/*
 * The line filter: which accesses change nothing. With FIFO, a hit in an L1 cache and an L1 TLB
 * changes nothing, except that a store makes a line dirty. A line may be in a slot if the line is
 * in the cache and its page is in the TLB, both in the current address space. For filter.store, the
 * line must also be dirty. With LRU, an access to the line that its set used last changes nothing,
 * so only such lines may be in a slot.
 */
#include "filter.h"

void vpmu_filter_clear_(uint64_t *slots, unsigned shift)
{
    for (uint64_t slot = 0; slot < VPMU_FILTER_SLOTS; slot++) {
        slots[slot] = vpmu_filter_empty_(slot << shift, shift);
    }
}

void vpmu_filter_init_(struct vpmu_model *m)
{
    vpmu_filter_clear_(m->head.filter.load, m->line_shift);
    vpmu_filter_clear_(m->head.filter.store, m->line_shift);
    vpmu_filter_clear_(m->head.filter.fetch, m->line_shift);
}

/* Removes the lines of one of the smallest pages that may be in the filter. */
static void drop_small(const struct vpmu_model *m, uint64_t *slots, uint64_t addr, uint64_t lines)
{
    uint64_t size = 1ull << m->line_shift;
    unsigned bit;

    VPMU_FOR_EACH_BIT (bit, lines) {
        uint64_t line = addr + bit * VPMU_PART_SIZE_;

        for (uint64_t offset = 0; offset < VPMU_PART_SIZE_; offset += size) {
            vpmu_filter_drop_line_(m->line_shift, slots, line + offset);
        }
    }
}

/* The same for a page that is larger than the filter: a bit stands for slots all over it. */
static void drop_large(const struct vpmu_model *m, uint64_t *slots, uint32_t id, uint64_t lines)
{
    const uint64_t size = 1ull << m->line_shift, end = VPMU_FILTER_SLOTS * size;
    const uint64_t addr = vpmu_page_addr_(m, id);
    const unsigned shift = vpmu_page_shift_(m, id);
    unsigned bit;

    VPMU_FOR_EACH_BIT (bit, lines) {
        for (uint64_t part = bit * VPMU_PART_SIZE_; part < end; part += VPMU_PAGE_SIZE) {
            for (uint64_t line = part; line < part + VPMU_PART_SIZE_; line += size) {
                uint64_t *slot = &slots[line >> m->line_shift];

                *slot = (*slot ^ addr) >> shift ? *slot : vpmu_filter_empty_(line, m->line_shift);
            }
        }
    }
}

static inline void drop(const struct vpmu_model *m, uint64_t *slots, uint32_t id, uint64_t bits)
{
    if (vpmu_page_shift_(m, id) == VPMU_PAGE_SHIFT) {
        drop_small(m, slots, vpmu_page_addr_(m, id), bits);
    } else {
        drop_large(m, slots, id, bits);
    }
}

void vpmu_filter_drop_any_page_(struct vpmu_model *m, enum vpmu_side_ side, struct vpmu_page_ *page)
{
    if (side == VPMU_FETCHES_) {
        drop(m, m->head.filter.fetch, page->id, page->reads);
    } else {
        drop(m, m->head.filter.load, page->id, page->reads);
        drop(m, m->head.filter.store, page->id, page->writes);
    }
    page->reads = 0;
    page->writes = 0;
}

/*
 * All lines in the filter belong to pages in the L1 TLBs, so only the lines of these pages are
 * searched.
 */
void vpmu_filter_clear_half_(struct vpmu_model *m, unsigned half)
{
    for (unsigned side = 0; side < VPMU_SIDES_; side++) {
        const struct vpmu_tlb_ *t = &m->tlb[side];

        for (uint32_t i = 0; i < (t->set_mask + 1u) * t->ways; i++) {
            struct vpmu_page_ *page = &t->pages[i];

            if ((page->reads | page->writes) && vpmu_half_(vpmu_page_addr_(m, page->id)) == half) {
                vpmu_filter_drop_page_(m, (enum vpmu_side_)side, page);
            }
        }
    }
}
