/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/*
 * The line filter: which accesses change nothing. Under FIFO a hit in an L1 cache and L1 TLB
 * changes nothing, except that a store makes a line dirty. A line may be in a slot if it and its
 * page are there, for filter.store also if it is dirty, in the address space that it is in now.
 */
#include "model_internal.h"

/*
 * A line that leads to another slot, half of all slots away: no access that begins in this slot's
 * lines ends there.
 */
static uint64_t empty(uint64_t slot, unsigned shift)
{
    return (slot + VPMU_FILTER_SLOTS / 2) % VPMU_FILTER_SLOTS << shift;
}

static void clear(uint64_t *slots, unsigned shift)
{
    for (uint64_t slot = 0; slot < VPMU_FILTER_SLOTS; slot++) {
        slots[slot] = empty(slot, shift);
    }
}

void vpmu_filter_init_(struct vpmu_model *m)
{
    clear(m->head.filter.load, m->line_shift);
    clear(m->head.filter.store, m->line_shift);
    clear(m->head.filter.fetch, m->line_shift);
}

void vpmu_filter_add_(struct vpmu_model *m, uint64_t *slots, struct vpmu_entry_ *page,
                      uint64_t addr)
{
    uint64_t number = addr >> m->line_shift;
    uint64_t line = number << m->line_shift;

    if (m->config.l1_policy == VPMU_POLICY_FIFO) {
        slots[number % VPMU_FILTER_SLOTS] = line;
        page->parts |= 1u << line % VPMU_PAGE_SIZE / VPMU_PART_SIZE_;
    }
}

void vpmu_filter_drop_line_(struct vpmu_model *m, uint64_t *slots, uint64_t addr)
{
    uint64_t slot = (addr >> m->line_shift) % VPMU_FILTER_SLOTS;

    slots[slot] = slots[slot] == addr ? empty(slot, m->line_shift) : slots[slot];
}

/* Drops all lines of the page that may be there. */
static void drop_parts(struct vpmu_model *m, uint64_t *slots, const struct vpmu_entry_ *page)
{
    uint64_t addr = vpmu_entry_addr_(page);
    uint64_t size = VPMU_PART_SIZE_ >> m->line_shift; /* in slots; 0: a line is longer */

    for (uint32_t parts = page->parts; parts != 0; parts &= parts - 1) {
        uint64_t part = addr + (uint64_t)__builtin_ctz(parts) * VPMU_PART_SIZE_;
        uint64_t first = (part >> m->line_shift) % VPMU_FILTER_SLOTS;

        for (uint64_t slot = first; slot < first + (size ? size : 1); slot++) {
            bool drop = (slots[slot] ^ addr) < VPMU_PAGE_SIZE;

            /* Without a branch, which would be hard to foretell. */
            slots[slot] = drop ? empty(slot, m->line_shift) : slots[slot];
        }
    }
}

void vpmu_filter_drop_page_(struct vpmu_model *m, enum vpmu_assoc_index_ tlb,
                            struct vpmu_entry_ *page)
{
    if (tlb == VPMU_L1I_TLB_) {
        drop_parts(m, m->head.filter.fetch, page);
    } else {
        drop_parts(m, m->head.filter.load, page);
        drop_parts(m, m->head.filter.store, page);
    }
    page->parts = 0;
}

/* What is in the line filter is of pages in the L1 TLBs, so these say where to look. */
static void drop_pages(struct vpmu_model *m, enum vpmu_assoc_index_ tlb, unsigned half)
{
    struct vpmu_assoc_ *a = &m->assoc[tlb];
    size_t entries = ((size_t)a->set_mask + 1) * a->ways;

    for (size_t i = 0; i < entries; i++) {
        struct vpmu_entry_ *page = &a->entries[i];

        if (page->parts != 0 && vpmu_half_(vpmu_entry_addr_(page)) == half) {
            vpmu_filter_drop_page_(m, tlb, page);
        }
    }
}

void vpmu_filter_clear_half_(struct vpmu_model *m, unsigned half)
{
    drop_pages(m, VPMU_L1I_TLB_, half);
    drop_pages(m, VPMU_L1D_TLB_, half);
}
