/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* The TLBs: one L1 TLB each for data and instructions, and the L2 TLB behind both. */
#include "model_shared.h"

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

static inline unsigned look_up_l2(struct vpmu_model *m, uint64_t *row, struct vpmu_key_ page,
                                  const struct side *side)
{
    const struct vpmu_assoc_ *l2 = &m->assoc[VPMU_L2_TLB_];

    if (vpmu_assoc_use_(l2, page)) {
        vpmu_stall_(m, row, side->stall, m->config.penalty_tlb2);
        return VPMU_MISSED_TLB;
    }
    vpmu_assoc_replace_(l2, page, 0);
    row[side->walk]++;
    vpmu_stall_(m, row, side->stall, m->config.penalty_walk);
    return VPMU_MISSED_TLB | VPMU_MISSED_L2_TLB;
}

/* Puts a page that is missing into an L1 TLB. Returns its way. */
static inline unsigned refill_tlb(struct vpmu_model *m, enum vpmu_assoc_index_ tlb, void *set,
                                  struct vpmu_key_ key)
{
    struct vpmu_assoc_ *a = &m->assoc[tlb];
    unsigned way = vpmu_assoc_next_(a, set);
    struct vpmu_entry_ victim = vpmu_assoc_put_(a, set, way, key, 0);

    if (victim.tag) {
        struct vpmu_hint_ *hint = &a->hints[(victim.tag >> VPMU_PAGE_SHIFT_) % VPMU_HINTS_];

        hint->pages--;
        hint->tag = vpmu_hint_has_(hint, victim.tag, victim.space) ? 0 : hint->tag;
        vpmu_filter_drop_page_(m, tlb, vpmu_tag_addr_(victim.tag), vpmu_pages_(a, set) + way);
    }
    a->hints[key.number % VPMU_HINTS_].pages++;
    return way;
}

/*
 * A page is certainly missing if no page selects its hint, or only one that is not the page. The
 * hint is known to be another page, unless the TLB is LRU.
 */
unsigned vpmu_tlb_search_(struct vpmu_model *m, uint64_t *row, enum vpmu_assoc_index_ tlb,
                          uint64_t addr, struct vpmu_page_ **page)
{
    const struct side *side = tlb == VPMU_L1I_TLB_ ? &fetch_side : &data_side;
    struct vpmu_assoc_ *a = &m->assoc[tlb];
    struct vpmu_key_ key = vpmu_translation_(addr, vpmu_space_(m, addr));
    struct vpmu_hint_ *hint = &a->hints[key.number % VPMU_HINTS_];
    void *set = vpmu_set_(a, key.number);
    unsigned way = a->ways;
    unsigned missed = 0;

    if (a->lru || hint->pages > (hint->tag != 0)) {
        way = vpmu_assoc_search_(a, set, key);
    }
    if (way >= a->ways) {
        row[side->refill]++;
        missed = look_up_l2(m, row, key, side);
        way = refill_tlb(m, tlb, set, key);
    } else if (a->lru) {
        vpmu_assoc_touch_(a, set, way);
    }
    hint->tag = key.tag;
    hint->space = key.space;
    hint->page = *page = vpmu_pages_(a, set) + way;
    return missed;
}

static const enum vpmu_assoc_index_ tlbs[] = {VPMU_L1I_TLB_, VPMU_L1D_TLB_, VPMU_L2_TLB_};

void vpmu_model_flush_tlb(struct vpmu_model *m)
{
    vpmu_lock_(m);
    vpmu_filter_clear_half_(m, 0);
    vpmu_filter_clear_half_(m, 1);
    for (size_t i = 0; i < sizeof(tlbs) / sizeof(tlbs[0]); i++) {
        vpmu_assoc_clear_(&m->assoc[tlbs[i]]);
    }
    vpmu_unlock_(m);
    m->head.fetch_line = VPMU_NO_LINE;
}

static void remove_way(struct vpmu_model *m, enum vpmu_assoc_index_ tlb, void *set, unsigned way)
{
    struct vpmu_assoc_ *a = &m->assoc[tlb];

    if (a->pages) {
        vpmu_filter_drop_page_(m, tlb, vpmu_tag_addr_(vpmu_tags_(a, set)[way]),
                               vpmu_pages_(a, set) + way);
    }
    vpmu_assoc_remove_(a, set, way);
}

static void remove_page(struct vpmu_model *m, enum vpmu_assoc_index_ tlb, uint64_t addr,
                        uint32_t space)
{
    const struct vpmu_assoc_ *a = &m->assoc[tlb];
    struct vpmu_key_ key = vpmu_translation_(addr, space);
    void *set = vpmu_set_(a, key.number);
    unsigned way = vpmu_assoc_search_(a, set, key);

    if (way < a->ways) {
        remove_way(m, tlb, set, way);
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

    for (uint64_t index = 0; index <= a->set_mask; index++) {
        void *set = vpmu_set_(a, index);

        for (unsigned number = a->ways; number-- > 0;) {
            unsigned way = vpmu_assoc_way_(a, set, number);
            uint64_t tag = vpmu_tags_(a, set)[way];

            if (tag && is_flushed(what, vpmu_tag_addr_(tag), vpmu_spaces_(a, set)[way])) {
                remove_way(m, tlb, set, way);
            }
        }
    }
}

void vpmu_model_flush(struct vpmu_model *m, const struct vpmu_flush *what)
{
    unsigned half = vpmu_half_(what->first);
    bool one =
        (what->first ^ what->last) >> VPMU_PAGE_SHIFT_ == 0 && what->mask[half] == UINT32_MAX;

    vpmu_lock_(m);
    for (size_t i = 0; i < sizeof(tlbs) / sizeof(tlbs[0]); i++) {
        if (one) {
            remove_page(m, tlbs[i], what->first, what->space[half]);
        } else {
            remove_pages(m, tlbs[i], what);
        }
    }
    vpmu_unlock_(m);
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
