/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/*
 * The line filter: which accesses change nothing. With FIFO, a hit in an L1 cache and an L1 TLB
 * changes nothing, except that a store makes a line dirty. A line may be in a slot if the line is
 * in the cache and its page is in the TLB, both in the current address space. For filter.store, the
 * line must also be dirty.
 */
#include "filter.h"

static void clear(uint64_t *slots, unsigned shift)
{
    for (uint64_t slot = 0; slot < VPMU_FILTER_SLOTS; slot++) {
        slots[slot] = vpmu_filter_empty_(slot, shift);
    }
}

void vpmu_filter_init_(struct vpmu_model *m)
{
    clear(m->head.filter.load, m->line_shift);
    clear(m->head.filter.store, m->line_shift);
    clear(m->head.filter.fetch, m->line_shift);
}

/* Removes the lines of a page that may be in the filter. */
static void drop_lines(struct vpmu_model *m, uint64_t *slots, uint64_t addr, uint64_t lines)
{
    uint64_t part = VPMU_PART_SIZE_ >> m->line_shift; /* in lines; 0 if a line is larger */
    unsigned bit;

    VPMU_FOR_EACH_BIT (bit, lines) {
        uint64_t line = addr + bit * VPMU_PART_SIZE_;
        uint64_t n = 0;

        do {
            vpmu_filter_drop_line_(m, slots, line + (n << m->line_shift));
        } while (++n < part);
    }
}

void vpmu_filter_drop_page_(struct vpmu_model *m, enum vpmu_assoc_index_ tlb, uint64_t addr,
                            struct vpmu_page_ *page)
{
    if (tlb == VPMU_L1I_TLB_) {
        drop_lines(m, m->head.filter.fetch, addr, page->reads);
    } else {
        drop_lines(m, m->head.filter.load, addr, page->reads);
        drop_lines(m, m->head.filter.store, addr, page->writes);
    }
    *page = (struct vpmu_page_){0};
}

/*
 * All lines in the filter belong to pages in the L1 TLBs, so only the lines of these pages are
 * searched.
 */
static void drop_pages(struct vpmu_model *m, enum vpmu_assoc_index_ tlb, unsigned half)
{
    const struct vpmu_assoc_ *a = &m->assoc[tlb];

    for (uint64_t index = 0; index <= a->set_mask; index++) {
        unsigned char *set = vpmu_set_(a, index);
        const struct vpmu_entry_ *entries = (void *)(set + a->entries);
        struct vpmu_page_ *pages = (void *)(set + a->pages);

        for (unsigned way = 0; way < a->ways; way++) {
            uint64_t addr = vpmu_entry_addr_(&entries[way]);

            if ((pages[way].reads | pages[way].writes) && vpmu_half_(addr) == half) {
                vpmu_filter_drop_page_(m, tlb, addr, &pages[way]);
            }
        }
    }
}

void vpmu_filter_clear_half_(struct vpmu_model *m, unsigned half)
{
    drop_pages(m, VPMU_L1I_TLB_, half);
    drop_pages(m, VPMU_L1D_TLB_, half);
}
