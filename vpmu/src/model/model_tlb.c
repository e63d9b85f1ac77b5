/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* The TLBs: one L1 TLB each for data and instructions, and the L2 TLB behind both. */
#include "filter.h"
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

static VPMU_INLINE_ unsigned look_up_l2(struct vpmu_model *m, uint64_t *row, uint32_t id,
                                        uint64_t number, const struct side *side)
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

static inline void drop_hint(struct vpmu_hint_ *hint, const struct vpmu_page_ *page)
{
    hint->tag = hint->page == page ? 0 : hint->tag;
}

/* A page that is larger than the smallest one may have many hints. */
static void drop_hints(struct vpmu_model *m, enum vpmu_side_ side, struct vpmu_page_ *page)
{
    unsigned group;

    VPMU_FOR_EACH_BIT (group, page->hints) {
        for (unsigned i = 0; i < VPMU_HINT_GROUP_; i++) {
            drop_hint(&m->hints[side][group * VPMU_HINT_GROUP_ + i], page);
        }
    }
    page->hints = 0;
}

/* A page leaves its place in an L1 TLB. */
static inline void leave(struct vpmu_model *m, enum vpmu_side_ side, struct vpmu_page_ *page)
{
    struct vpmu_known_page_ *known = &m->pages.known[page->id];

    if (page->hints) {
        drop_hints(m, side, page);
    } else {
        drop_hint(&m->hints[side][known->number % VPMU_HINTS_], page);
    }
    known->slot[side] = VPMU_NO_SLOT_;
}

/* Puts a page that is missing into an L1 TLB. Returns its place. */
static VPMU_INLINE_ struct vpmu_page_ *refill_tlb(struct vpmu_model *m, enum vpmu_side_ side,
                                                  uint32_t id, uint64_t number, unsigned shift)
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
    m->page_shifts |= VPMU_BIT(shift);
    m->pages.known[id].slot[side] = (uint16_t)slot;
    return page;
}

static inline unsigned nearest_shift(unsigned shift, unsigned largest)
{
    return shift < VPMU_PAGE_SHIFT ? VPMU_PAGE_SHIFT : shift > largest ? largest : shift;
}

void vpmu_model_set_largest_page(struct vpmu_model *m, unsigned page)
{
    m->largest_shift = nearest_shift(page, VPMU_PAGE_MAX_SHIFT);
}

static VPMU_INLINE_ unsigned search(struct vpmu_model *m, uint64_t *row, enum vpmu_side_ side,
                                    uint64_t addr, unsigned shift, bool write)
{
    const struct side *events = side == VPMU_FETCHES_ ? &fetches : write ? &stores : &loads;
    const uint64_t smallest = addr >> VPMU_PAGE_SHIFT;
    const uint32_t space = vpmu_space_(m, addr);
    const unsigned fitting = nearest_shift(shift, m->largest_shift);
    const uint64_t number = vpmu_page_number_(addr, fitting);
    const uint32_t entry = vpmu_page_id_(m, number, space);
    const uint16_t slot = m->pages.known[entry].slot[side];
    struct vpmu_page_ *page;
    unsigned missed = 0;
    uint32_t id;

    if (slot == VPMU_NO_SLOT_) {
        missed = look_up_l2(m, row, entry, number, events);
        page = refill_tlb(m, side, entry, number, fitting);
    } else {
        page = &m->tlb[side].pages[slot];
    }
    /* Now a TLB refers to the entry, so it keeps its id if others are collected. */
    id = entry;
    if (number != smallest) {
        id = vpmu_page_id_(m, smallest, space);
        page->hints |= VPMU_BIT(smallest % VPMU_HINTS_ / VPMU_HINT_GROUP_);
    }
    *vpmu_hint_(m, side, addr) = (struct vpmu_hint_){smallest + 1, page, space, id};
    return missed;
}

/* Each side has code of its own, which is shorter. */
unsigned vpmu_tlb_search_(struct vpmu_model *m, uint64_t *row, enum vpmu_side_ side, uint64_t addr,
                          unsigned shift, bool write)
{
    return side == VPMU_DATA_ ? search(m, row, VPMU_DATA_, addr, shift, write)
                              : search(m, row, VPMU_FETCHES_, addr, shift, false);
}

/* No page is in an L1 TLB any more. */
static void clear_l1(struct vpmu_model *m, unsigned side)
{
    struct vpmu_tlb_ *t = &m->tlb[side];

    for (uint32_t i = 0; i < (t->set_mask + 1u) * t->ways; i++) {
        t->pages[i] = (struct vpmu_page_){0, 0, 0, 0};
    }
    for (uint32_t set = 0; set <= t->set_mask; set++) {
        t->next[set] = 0;
    }
}

void vpmu_tlb_clear_(struct vpmu_model *m)
{
    clear_l1(m, VPMU_FETCHES_);
    clear_l1(m, VPMU_DATA_);
    vpmu_tlb_clear_hints_(m);
    vpmu_sets_clear_(&m->sets[VPMU_L2_TLB_]);
    m->page_shifts = 0;
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
    set[way] = (struct vpmu_page_){0, 0, 0, 0};
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

static bool has_flushed(const struct vpmu_model *m, const struct vpmu_flush *what, uint32_t id)
{
    unsigned shift, half;
    uint64_t addr;

    if (!id) {
        return false;
    }
    shift = vpmu_page_shift_(m, id);
    addr = vpmu_page_addr_(m, id);
    half = vpmu_half_(addr);
    return addr >> shift >= what->first >> shift && addr >> shift <= what->last >> shift &&
           ((m->pages.known[id].space ^ what->space[half]) & what->mask[half]) == 0;
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

/* The pages of any size that have an address: the id of one; 0: a TLB has none of this size. */
static uint32_t page_with(const struct vpmu_model *m, uint64_t addr, uint32_t space, unsigned shift)
{
    return vpmu_pages_find_(&m->pages, vpmu_page_number_(addr, shift), space);
}

static void remove_one(struct vpmu_model *m, uint64_t addr, uint32_t space)
{
    unsigned shift;

    VPMU_FOR_EACH_BIT (shift, m->page_shifts) {
        uint32_t id = page_with(m, addr, space, shift);

        if (id) {
            remove_page(m, id);
        }
    }
}

/* The L1 instruction TLB has the page of the last fetch, unless it has been removed since. */
static bool has_fetched_page(const struct vpmu_model *m)
{
    const uint64_t addr = m->head.fetch_line;
    unsigned shift;

    VPMU_FOR_EACH_BIT (shift, m->page_shifts) {
        uint32_t id = page_with(m, addr, vpmu_space_(m, addr), shift);

        if (id && m->pages.known[id].slot[VPMU_FETCHES_] != VPMU_NO_SLOT_) {
            return true;
        }
    }
    return false;
}

void vpmu_model_flush(struct vpmu_model *m, const struct vpmu_flush *what)
{
    unsigned half = vpmu_half_(what->first);
    bool one = (what->first ^ what->last) >> VPMU_PAGE_SHIFT == 0 && what->mask[half] == UINT32_MAX;

    vpmu_lock_(m);
    if (one) {
        remove_one(m, what->first, what->space[half]);
    } else {
        remove_from_l1(m, VPMU_FETCHES_, what);
        remove_from_l1(m, VPMU_DATA_, what);
        remove_from_l2(m, what);
    }
    vpmu_unlock_(m);
    if (!has_fetched_page(m)) {
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
