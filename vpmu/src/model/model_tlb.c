/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* The TLBs: one L1 TLB each for data and instructions, and the L2 TLB behind both. */
#include "model_internal.h"

/* The events of the two L1 TLBs. */
struct side {
    enum vpmu_source refill;
    enum vpmu_source walk;
    enum vpmu_source stall;
};

static const struct side data_side = {VPMU_SRC_L1D_TLB_REFILL, VPMU_SRC_DTLB_WALK,
                                      VPMU_SRC_STALL_BACKEND};
static const struct side fetch_side = {VPMU_SRC_L1I_TLB_REFILL, VPMU_SRC_ITLB_WALK,
                                       VPMU_SRC_STALL_FRONTEND};

static void look_up_l2(struct vpmu_model *m, uint64_t *row, uint64_t addr, const struct side *side)
{
    const struct vpmu_assoc_ *l2 = &m->assoc[VPMU_L2_TLB_];
    uint32_t space = vpmu_space_(m, addr);

    row[VPMU_SRC_L2D_TLB]++;
    if (vpmu_assoc_use_(l2, addr, space)) {
        vpmu_stall_(m, row, side->stall, m->config.penalty_tlb2);
        return;
    }
    vpmu_assoc_fill_(l2, vpmu_assoc_take_(l2, addr, space), addr, space);
    row[VPMU_SRC_L2D_TLB_REFILL]++;
    row[side->walk]++;
    vpmu_stall_(m, row, side->stall, m->config.penalty_walk);
}

void vpmu_tlb_missed_(struct vpmu_model *m, uint64_t *row, enum vpmu_assoc_index_ tlb,
                      uint64_t addr, struct vpmu_page_ *page, const struct vpmu_entry_ *victim)
{
    const struct side *side = tlb == VPMU_L1I_TLB_ ? &fetch_side : &data_side;

    row[side->refill]++;
    look_up_l2(m, row, addr, side);
    vpmu_filter_drop_page_(m, tlb, vpmu_entry_addr_(victim), page);
}

static const enum vpmu_assoc_index_ tlbs[] = {VPMU_L1I_TLB_, VPMU_L1D_TLB_, VPMU_L2_TLB_};

void vpmu_model_flush_tlb(struct vpmu_model *m)
{
    vpmu_filter_clear_half_(m, 0);
    vpmu_filter_clear_half_(m, 1);
    for (size_t i = 0; i < sizeof(tlbs) / sizeof(tlbs[0]); i++) {
        vpmu_assoc_clear_(&m->assoc[tlbs[i]]);
    }
    m->head.fetch_line = VPMU_NO_LINE;
}

static void remove_entry(struct vpmu_model *m, enum vpmu_assoc_index_ tlb,
                         const struct vpmu_entry_ *e)
{
    struct vpmu_assoc_ *a = &m->assoc[tlb];

    if (a->pages) {
        vpmu_filter_drop_page_(m, tlb, vpmu_entry_addr_(e), vpmu_assoc_page_(a, e));
    }
    vpmu_assoc_remove_(a, e);
}

static void remove_page(struct vpmu_model *m, enum vpmu_assoc_index_ tlb, uint64_t addr,
                        uint32_t space)
{
    const struct vpmu_entry_ *e = vpmu_assoc_find_(&m->assoc[tlb], addr, space);

    if (e) {
        remove_entry(m, tlb, e);
    }
}

static bool is_flushed(const struct vpmu_flush *what, uint64_t addr, uint32_t space)
{
    unsigned half = vpmu_half_(addr);

    return addr >> VPMU_PAGE_SHIFT_ >= what->first >> VPMU_PAGE_SHIFT_ &&
           addr >> VPMU_PAGE_SHIFT_ <= what->last >> VPMU_PAGE_SHIFT_ &&
           ((space ^ what->space[half]) & what->mask[half]) == 0;
}

/* Removing an entry moves only entries of its set that have been checked already. */
static void remove_pages(struct vpmu_model *m, enum vpmu_assoc_index_ tlb,
                         const struct vpmu_flush *what)
{
    const struct vpmu_assoc_ *a = &m->assoc[tlb];

    for (uint64_t set = 0; set <= a->set_mask; set++) {
        for (unsigned number = a->ways; number-- > 0;) {
            const struct vpmu_entry_ *e = vpmu_assoc_entry_(a, set, number);

            if (vpmu_entry_used_(e) && is_flushed(what, vpmu_entry_addr_(e), e->space)) {
                remove_entry(m, tlb, e);
            }
        }
    }
}

void vpmu_model_flush(struct vpmu_model *m, const struct vpmu_flush *what)
{
    unsigned half = vpmu_half_(what->first);
    bool one =
        (what->first ^ what->last) >> VPMU_PAGE_SHIFT_ == 0 && what->mask[half] == UINT32_MAX;

    for (size_t i = 0; i < sizeof(tlbs) / sizeof(tlbs[0]); i++) {
        if (one) {
            remove_page(m, tlbs[i], what->first, what->space[half]);
        } else {
            remove_pages(m, tlbs[i], what);
        }
    }
    if (is_flushed(what, m->head.fetch_line, vpmu_space_(m, m->head.fetch_line))) {
        m->head.fetch_line = VPMU_NO_LINE;
    }
}

void vpmu_model_flush_page(struct vpmu_model *m, uint64_t addr)
{
    vpmu_model_flush(m, &(struct vpmu_flush){.first = addr,
                                             .last = addr,
                                             .space = {m->space[0], m->space[1]},
                                             .mask = {UINT32_MAX, UINT32_MAX}});
}
