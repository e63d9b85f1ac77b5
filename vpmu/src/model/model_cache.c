/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* The L1 caches: loads, stores and fetches. */
#include "filter.h"
#include "model_shared.h"

/* Looks up the page of an address in an L1 TLB. Adds what it misses to @missed. */
static inline struct vpmu_page_ *translate(struct vpmu_model *m, uint64_t *row,
                                           enum vpmu_assoc_index_ tlb, uint64_t addr,
                                           uint32_t space, unsigned *missed)
{
    struct vpmu_key_ key = vpmu_translation_(addr, space);
    struct vpmu_hint_ *hint = &m->hints[tlb - VPMU_L1I_TLB_][key.number % VPMU_HINTS_];
    struct vpmu_page_ *page = hint->page;

    if (m->assoc[tlb].lru || !vpmu_hint_has_(hint, key.tag, space)) {
        *missed |= vpmu_tlb_search_(m, row, tlb, addr, &page);
    }
    return page;
}

/* Brings a line into L1D, in place of another one. */
static __attribute__((noinline)) unsigned refill_any(struct vpmu_model *m, uint64_t *row,
                                                     uint64_t number, uint32_t space, bool write)
{
    struct vpmu_key_ line = vpmu_line_(m, number << m->line_shift, space);
    struct vpmu_entry_ victim =
        vpmu_assoc_replace_(&m->assoc[VPMU_L1D_], line, write ? VPMU_TAG_DIRTY_ : 0);
    uint64_t addr = vpmu_tag_addr_(victim.tag);
    unsigned missed;

    row[VPMU_SRC_L1D_CACHE_REFILL_RD + write]++;
    if (victim.tag) {
        vpmu_filter_drop_line_(m, m->head.filter.load, addr);
    }
    if (vpmu_is_dirty_(victim.tag)) {
        vpmu_filter_drop_line_(m, m->head.filter.store, addr);
        row[VPMU_SRC_L1D_CACHE_WB]++;
        vpmu_outer_write_(m, row, addr, victim.space);
    }
    missed = vpmu_outer_read_(m, row, line, write);
    vpmu_stall_missed_(m, row, VPMU_SRC_STALL_BACKEND, missed);
    return missed;
}

/* Accesses one line. Returns enum vpmu_missed. */
static inline unsigned access_any(struct vpmu_model *m, uint64_t *row, uint64_t addr, bool write)
{
    uint32_t space = vpmu_space_(m, addr);
    struct vpmu_key_ line = vpmu_line_(m, addr, space);
    unsigned missed = 0;
    struct vpmu_page_ *page = translate(m, row, VPMU_L1D_TLB_, addr, space, &missed);
    uint64_t *tag = vpmu_assoc_use_(&m->assoc[VPMU_L1D_], line);
    bool dirty = write;

    if (tag) {
        if (write && !vpmu_is_dirty_(*tag)) {
            missed |= vpmu_outer_own_(m, line);
        }
        *tag |= write ? VPMU_TAG_DIRTY_ : 0;
        dirty = vpmu_is_dirty_(*tag);
    } else {
        missed |= refill_any(m, row, line.number, space, write);
    }
    vpmu_filter_add_(m, m->head.filter.load, &page->reads, addr);
    if (dirty) {
        vpmu_filter_add_(m, m->head.filter.store, &page->writes, addr);
    }
    return missed;
}

static __attribute__((noinline)) unsigned access_locked(struct vpmu_model *m, uint64_t *row,
                                                        uint64_t addr, bool write)
{
    unsigned missed;

    vpmu_lock_(m);
    missed = access_any(m, row, addr, write);
    vpmu_unlock_(m);
    return missed;
}

/*
 * The usual path is for the usual geometry, whose numbers are constants here: lines of 64 bytes in
 * sets of 8 ways, FIFO in L1, LRU in L2, a private last level. It does the same as access_any(),
 * and leaves to refill_any() what happens rarely: the access, or the write-back of the line that it
 * replaces, misses L2.
 */
#define USUAL_WAYS 8u
#define USUAL_LINE_SHIFT 6u

struct usual_set {
    uint64_t sketches;
    uint64_t ranks;
    uint64_t tags[USUAL_WAYS];
    uint32_t spaces[USUAL_WAYS];
    uint64_t unused[2];
};

void vpmu_cache_init_(struct vpmu_model *m)
{
    const struct vpmu_assoc_ *l1 = &m->assoc[VPMU_L1D_];
    const struct vpmu_assoc_ *l2 = &m->assoc[VPMU_L2_];

    m->usual = l1->ways == USUAL_WAYS && l2->ways == USUAL_WAYS &&
               m->line_shift == USUAL_LINE_SHIFT && !l1->lru && !m->config.llc_shared;
    _Static_assert(sizeof(struct usual_set) % VPMU_SET_ALIGN_ == 0, "sets follow each other");
}

static inline struct usual_set *usual_set(const struct vpmu_assoc_ *a, uint64_t number)
{
    return (struct usual_set *)(void *)a->sets + (number & a->set_mask);
}

/* Returns the way of a line, or USUAL_WAYS. */
static inline unsigned usual_search(const struct usual_set *set, struct vpmu_key_ line)
{
    uint64_t found = vpmu_equal_lanes_(set->sketches, line.lanes);

    for (; found; found &= found - 1) {
        unsigned way = vpmu_lowest_lane_(found);

        if ((set->tags[way] & ~(uint64_t)VPMU_TAG_DIRTY_) == line.tag &&
            set->spaces[way] == line.space) {
            return way;
        }
    }
    return USUAL_WAYS;
}

static inline void usual_touch(struct usual_set *set, unsigned way)
{
    unsigned shift = way * VPMU_LANE_BITS_;
    uint64_t ranks = set->ranks;

    set->ranks =
        (ranks + vpmu_small_below_(ranks, (uint8_t)(ranks >> shift))) & ~(0xffull << shift);
}

/* Adds a line to the line filter. */
static inline void usual_add(struct vpmu_model *m, struct vpmu_page_ *page, struct vpmu_key_ line,
                             bool dirty)
{
    uint64_t bit = VPMU_BIT(line.number % 64);
    uint64_t slot = line.number % VPMU_FILTER_SLOTS;

    m->head.filter.load[slot] = line.tag - VPMU_TAG_USED_;
    page->reads |= bit;
    if (dirty) {
        m->head.filter.store[slot] = line.tag - VPMU_TAG_USED_;
        page->writes |= bit;
    }
}

/* Writes a dirty line of L1 to L2. Returns false if L2 does not have it, and has changed nothing.
 */
static inline bool usual_write(struct vpmu_model *m, uint64_t *row, uint64_t tag, uint32_t space)
{
    uint64_t addr = vpmu_tag_addr_(tag);
    struct vpmu_key_ line = vpmu_key_(addr, USUAL_LINE_SHIFT, space);
    struct usual_set *l2 = usual_set(&m->assoc[VPMU_L2_], line.number);
    unsigned way = usual_search(l2, line);

    if (way == USUAL_WAYS) {
        return false;
    }
    l2->tags[way] |= VPMU_TAG_DIRTY_;
    usual_touch(l2, way);
    vpmu_filter_drop_line_(m, m->head.filter.store, addr);
    row[VPMU_SRC_L1D_CACHE_WB]++;
    row[VPMU_SRC_L2D_CACHE_WR]++;
    return true;
}

/* Brings a line from L2 into L1. Returns 0 if refill_any() must do it. */
static inline __attribute__((always_inline)) unsigned
usual_refill(struct vpmu_model *m, uint64_t *row, struct usual_set *l1, struct vpmu_key_ line,
             bool write)
{
    struct usual_set *l2 = usual_set(&m->assoc[VPMU_L2_], line.number);
    unsigned found = usual_search(l2, line);
    unsigned way = (unsigned)l1->ranks;
    uint64_t victim = l1->tags[way];

    if (found == USUAL_WAYS ||
        (vpmu_is_dirty_(victim) && !usual_write(m, row, victim, l1->spaces[way]))) {
        return 0;
    }
    usual_touch(l2, found);
    l1->ranks = (way + 1) % USUAL_WAYS;
    l1->tags[way] = line.tag | (write ? VPMU_TAG_DIRTY_ : 0);
    l1->spaces[way] = line.space;
    vpmu_set_lane_(&l1->sketches, way, (uint8_t)line.lanes);
    if (victim) {
        vpmu_filter_drop_line_(m, m->head.filter.load, vpmu_tag_addr_(victim));
    }
    row[VPMU_SRC_L1D_CACHE_REFILL_RD + write]++;
    row[VPMU_SRC_L2D_CACHE_RD + write]++;
    vpmu_stall_missed_(m, row, VPMU_SRC_STALL_BACKEND, VPMU_MISSED_L1);
    return VPMU_MISSED_L1;
}

/* The page has been looked up. */
static inline __attribute__((always_inline)) unsigned
usual_access(struct vpmu_model *m, uint64_t *row, uint64_t addr, bool write,
             struct vpmu_page_ *page, uint32_t space)
{
    struct vpmu_key_ line = vpmu_key_(addr, USUAL_LINE_SHIFT, space);
    struct usual_set *l1 = usual_set(&m->assoc[VPMU_L1D_], line.number);
    unsigned way = usual_search(l1, line);
    unsigned missed = 0;

    if (way != USUAL_WAYS) {
        l1->tags[way] |= write ? VPMU_TAG_DIRTY_ : 0;
        write = vpmu_is_dirty_(l1->tags[way]);
    } else {
        missed = usual_refill(m, row, l1, line, write);
        if (!missed) {
            missed = refill_any(m, row, line.number, space, write);
        }
    }
    usual_add(m, page, line, write);
    return missed;
}

/* The hint of the page is wrong. */
static __attribute__((noinline)) unsigned access_translated(struct vpmu_model *m, uint64_t *row,
                                                            uint64_t addr, bool write)
{
    struct vpmu_page_ *page;
    unsigned missed = vpmu_tlb_search_(m, row, VPMU_L1D_TLB_, addr, &page);

    return missed | usual_access(m, row, addr, write, page, vpmu_space_(m, addr));
}

unsigned vpmu_model_line(struct vpmu_model *m, unsigned ctx, uint64_t addr, bool write)
{
    uint64_t *row = vpmu_row_(m, ctx);
    uint32_t space = vpmu_space_(m, addr);
    uint64_t page = addr >> VPMU_PAGE_SHIFT_;
    struct vpmu_hint_ *hint = &m->hints[VPMU_L1D_TLB_ - VPMU_L1I_TLB_][page % VPMU_HINTS_];

    if (!m->usual) {
        return access_locked(m, row, addr, write);
    }
    if (!vpmu_hint_has_(hint, page << VPMU_PAGE_SHIFT_ | VPMU_TAG_USED_, space)) {
        return access_translated(m, row, addr, write);
    }
    return usual_access(m, row, addr, write, hint->page, space);
}

/* A further line of the same page is translated again, which changes nothing. */
static __attribute__((noinline)) unsigned access_lines(struct vpmu_model *m, unsigned ctx,
                                                       uint64_t addr, unsigned size, bool write)
{
    uint64_t line_size = 1ull << m->line_shift;
    uint64_t lines = ((addr & (line_size - 1)) + size - 1) >> m->line_shift;
    unsigned missed = vpmu_model_line(m, ctx, addr, write);

    for (; lines > 0; lines--) {
        addr = (addr & ~(line_size - 1)) + line_size;
        vpmu_row_(m, ctx)[VPMU_SRC_L1D_CACHE_RD + write]++;
        missed |= vpmu_model_line(m, ctx, addr, write);
    }
    return missed;
}

unsigned vpmu_model_data(struct vpmu_model *m, unsigned ctx, uint64_t addr, unsigned size,
                         bool write)
{
    const uint64_t *slots = write ? m->head.filter.store : m->head.filter.load;

    if (size > 1 && (addr ^ (addr + size - 1)) >> m->line_shift) {
        return access_lines(m, ctx, addr, size, write);
    }
    return vpmu_filter_hit(slots, m->line_shift, addr, 1) ? 0
                                                          : vpmu_model_line(m, ctx, addr, write);
}

/* Brings a line into L1I, in place of another one. */
static inline unsigned refill_instructions(struct vpmu_model *m, uint64_t *row,
                                           struct vpmu_key_ line)
{
    struct vpmu_entry_ victim = vpmu_assoc_replace_(&m->assoc[VPMU_L1I_], line, 0);
    unsigned missed;

    row[VPMU_SRC_L1I_CACHE_REFILL]++;
    if (victim.tag) {
        vpmu_filter_drop_line_(m, m->head.filter.fetch, vpmu_tag_addr_(victim.tag));
    }
    missed = vpmu_outer_read_(m, row, line, false);
    vpmu_stall_missed_(m, row, VPMU_SRC_STALL_FRONTEND, missed);
    return missed;
}

/* Not inlined, so that a fetch that hits the line filter need not save registers. */
static __attribute__((noinline)) unsigned fetch_line(struct vpmu_model *m, uint64_t *row,
                                                     uint64_t addr)
{
    uint32_t space = vpmu_space_(m, addr);
    struct vpmu_key_ line = vpmu_line_(m, addr, space);
    unsigned missed = 0;
    struct vpmu_page_ *page;

    vpmu_lock_(m);
    page = translate(m, row, VPMU_L1I_TLB_, addr, space, &missed);
    if (!vpmu_assoc_use_(&m->assoc[VPMU_L1I_], line)) {
        missed |= refill_instructions(m, row, line);
    }
    vpmu_filter_add_(m, m->head.filter.fetch, &page->reads, addr);
    vpmu_unlock_(m);
    return missed;
}

unsigned vpmu_model_fetch(struct vpmu_model *m, unsigned ctx, uint64_t addr)
{
    uint64_t *row = vpmu_row_(m, ctx);

    row[VPMU_SRC_L1I_CACHE]++;
    m->head.fetch_line = addr >> m->line_shift << m->line_shift;
    return vpmu_filter_hit(m->head.filter.fetch, m->line_shift, addr, 1) ? 0
                                                                         : fetch_line(m, row, addr);
}
