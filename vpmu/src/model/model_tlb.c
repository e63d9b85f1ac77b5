/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* The TLBs: one L1 TLB each for data and instructions, and the L2 TLB behind both. */
#include "model_shared.h"

/* The events of an access that misses its L1 TLB. */
struct side {
    enum vpmu_source l2_hit;
    enum vpmu_source walk;
    enum vpmu_source stall;
};

static const struct side loads = {VPMU_SRC_DTLB_L2_HIT_RD, VPMU_SRC_DTLB_WALK_RD,
                                  VPMU_SRC_STALL_BACKEND};
static const struct side stores = {VPMU_SRC_DTLB_L2_HIT_WR, VPMU_SRC_DTLB_WALK_WR,
                                   VPMU_SRC_STALL_BACKEND};
static const struct side fetches = {VPMU_SRC_ITLB_L2_HIT, VPMU_SRC_ITLB_WALK,
                                    VPMU_SRC_STALL_FRONTEND};

static inline unsigned look_up_l2(struct vpmu_model *m, uint64_t *row, uint32_t id, uint64_t number,
                                  const struct side *side)
{
    const struct vpmu_sets_ *l2 = &m->sets[VPMU_L2_TLB_];
    uint32_t *set = vpmu_set_(l2, number);
    unsigned found = vpmu_sets_find_(l2, set, id << 1);

    if (found) {
        vpmu_sets_move_(l2, set, found - 1, id << 1);
        row[side->l2_hit]++;
        vpmu_stall_(m, row, side->stall, m->config.penalty_tlb2);
        return VPMU_MISSED_TLB;
    }
    vpmu_sets_insert_(l2, set, id << 1);
    row[side->walk]++;
    vpmu_stall_(m, row, side->stall, m->config.penalty_walk);
    return VPMU_MISSED_TLB | VPMU_MISSED_L2_TLB;
}

/* A page leaves its place in an L1 TLB. */
static inline void leave(struct vpmu_model *m, enum vpmu_side_ side, struct vpmu_page_ *page)
{
    struct vpmu_known_page_ *known = &m->pages.known[page->id];
    struct vpmu_hint_ *hint = &m->hints[side][known->number % VPMU_HINTS_];

    hint->tag = hint->page == page ? 0 : hint->tag;
    known->slot[side] = VPMU_NO_SLOT_;
}

/* Puts a page that is missing into an L1 TLB. Returns its place. */
static inline struct vpmu_page_ *refill_tlb(struct vpmu_model *m, enum vpmu_side_ side, uint32_t id,
                                            uint64_t number)
{
    struct vpmu_tlb_ *t = &m->tlb[side];
    unsigned set = (unsigned)number & t->set_mask;
    unsigned way = t->next[set];
    unsigned slot = set * t->ways + way;
    struct vpmu_page_ *page = &t->pages[slot];

    t->next[set] = (uint16_t)(way + 1 < t->ways ? way + 1 : 0);
    if (page->id) {
        leave(m, side, page);
        vpmu_filter_drop_page_(m, side, page);
    }
    page->id = id;
    m->pages.known[id].slot[side] = (uint16_t)slot;
    return page;
}

unsigned vpmu_tlb_search_(struct vpmu_model *m, uint64_t *row, enum vpmu_side_ side, uint64_t addr,
                          bool write, struct vpmu_page_ **page)
{
    const struct side *events = side == VPMU_FETCHES_ ? &fetches : write ? &stores : &loads;
    uint32_t space = vpmu_space_(m, addr);
    uint64_t number = addr >> VPMU_PAGE_SHIFT_;
    uint32_t id = vpmu_page_id_(m, addr, space);
    uint16_t slot = m->pages.known[id].slot[side];
    struct vpmu_hint_ *hint = &m->hints[side][number % VPMU_HINTS_];
    unsigned missed = 0;

    if (slot == VPMU_NO_SLOT_) {
        missed = look_up_l2(m, row, id, number, events);
        *page = refill_tlb(m, side, id, number);
    } else {
        *page = &m->tlb[side].pages[slot];
    }
    *hint = (struct vpmu_hint_){number + 1, *page, space};
    return missed;
}

/* No page is in an L1 TLB any more. */
static void clear_l1(struct vpmu_model *m, unsigned side)
{
    struct vpmu_tlb_ *t = &m->tlb[side];

    for (uint32_t i = 0; i < (t->set_mask + 1u) * t->ways; i++) {
        t->pages[i] = (struct vpmu_page_){0, 0, 0};
    }
    for (uint32_t set = 0; set <= t->set_mask; set++) {
        t->next[set] = 0;
    }
    for (size_t i = 0; i < VPMU_HINTS_; i++) {
        m->hints[side][i] = (struct vpmu_hint_){0, NULL, 0};
    }
}

void vpmu_tlb_clear_(struct vpmu_model *m)
{
    clear_l1(m, VPMU_FETCHES_);
    clear_l1(m, VPMU_DATA_);
    vpmu_sets_clear_(&m->sets[VPMU_L2_TLB_]);
}

/* Pages that are in an L1 TLB leave it, and the line filter. */
static void leave_all(struct vpmu_model *m, enum vpmu_side_ side)
{
    const struct vpmu_tlb_ *t = &m->tlb[side];

    for (uint32_t i = 0; i < (t->set_mask + 1u) * t->ways; i++) {
        if (t->pages[i].id) {
            leave(m, side, &t->pages[i]);
            vpmu_filter_drop_page_(m, side, &t->pages[i]);
        }
    }
}

void vpmu_model_flush_tlb(struct vpmu_model *m)
{
    vpmu_lock_(m);
    leave_all(m, VPMU_FETCHES_);
    leave_all(m, VPMU_DATA_);
    vpmu_tlb_clear_(m);
    vpmu_unlock_(m);
    m->head.fetch_line = VPMU_NO_LINE;
}

/*
 * Removes a page from an L1 TLB. The older ones of its set move up by one way, so that the way that
 * is replaced next becomes unused.
 */
static void remove_slot(struct vpmu_model *m, enum vpmu_side_ side, unsigned slot)
{
    const struct vpmu_tlb_ *t = &m->tlb[side];
    struct vpmu_page_ *set = &t->pages[slot - slot % t->ways];
    unsigned way = slot % t->ways, next = t->next[slot / t->ways];

    leave(m, side, &set[way]);
    vpmu_filter_drop_page_(m, side, &set[way]);
    while (way != next) {
        unsigned before = (way > 0 ? way : t->ways) - 1u;

        if (set[before].id) {
            leave(m, side, &set[before]);
            m->pages.known[set[before].id].slot[side] = (uint16_t)(&set[way] - t->pages);
        }
        set[way] = set[before];
        way = before;
    }
    set[way] = (struct vpmu_page_){0, 0, 0};
}

/* Removes a page, which has an id, from all TLBs. */
static void remove_page(struct vpmu_model *m, uint32_t id)
{
    const struct vpmu_known_page_ *known = &m->pages.known[id];
    const struct vpmu_sets_ *l2 = &m->sets[VPMU_L2_TLB_];
    uint32_t *set = vpmu_set_(l2, known->number);
    unsigned found = vpmu_sets_find_(l2, set, id << 1);

    for (unsigned side = 0; side < VPMU_SIDES_; side++) {
        if (known->slot[side] != VPMU_NO_SLOT_) {
            remove_slot(m, (enum vpmu_side_)side, known->slot[side]);
        }
    }
    if (found) {
        vpmu_sets_remove_(l2, set, found - 1);
    }
}

static bool is_flushed(const struct vpmu_flush *what, uint64_t addr, uint32_t space)
{
    unsigned half = vpmu_half_(addr);

    return addr >> VPMU_PAGE_SHIFT_ >= what->first >> VPMU_PAGE_SHIFT_ &&
           addr >> VPMU_PAGE_SHIFT_ <= what->last >> VPMU_PAGE_SHIFT_ &&
           ((space ^ what->space[half]) & what->mask[half]) == 0;
}

static bool has_flushed(const struct vpmu_model *m, const struct vpmu_flush *what, uint32_t id)
{
    return id && is_flushed(what, vpmu_page_addr_(m, id), m->pages.known[id].space);
}

/* Removing a page moves only pages of its set that have been checked already. */
static void remove_from_l1(struct vpmu_model *m, enum vpmu_side_ side,
                           const struct vpmu_flush *what)
{
    const struct vpmu_tlb_ *t = &m->tlb[side];

    for (uint32_t set = 0; set <= t->set_mask; set++) {
        for (unsigned i = 0; i < t->ways; i++) {
            unsigned slot = set * t->ways + (t->next[set] + i) % t->ways;

            if (has_flushed(m, what, t->pages[slot].id)) {
                remove_slot(m, side, slot);
            }
        }
    }
}

static void remove_from_l2(struct vpmu_model *m, const struct vpmu_flush *what)
{
    const struct vpmu_sets_ *l2 = &m->sets[VPMU_L2_TLB_];

    for (uint64_t index = 0; index <= l2->set_mask; index++) {
        uint32_t *set = vpmu_set_(l2, index);

        for (unsigned way = l2->ways; way-- > 0;) {
            if (has_flushed(m, what, set[way] >> 1)) {
                vpmu_sets_remove_(l2, set, way);
            }
        }
    }
}

static void remove_one(struct vpmu_model *m, uint64_t addr, uint32_t space)
{
    uint32_t id = vpmu_pages_find_(&m->pages, addr >> VPMU_PAGE_SHIFT_, space);

    if (id) {
        remove_page(m, id);
    }
}

void vpmu_model_flush(struct vpmu_model *m, const struct vpmu_flush *what)
{
    unsigned half = vpmu_half_(what->first);
    bool one =
        (what->first ^ what->last) >> VPMU_PAGE_SHIFT_ == 0 && what->mask[half] == UINT32_MAX;

    vpmu_lock_(m);
    if (one) {
        remove_one(m, what->first, what->space[half]);
    } else {
        remove_from_l1(m, VPMU_FETCHES_, what);
        remove_from_l1(m, VPMU_DATA_, what);
        remove_from_l2(m, what);
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
