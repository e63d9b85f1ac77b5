/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* The L1 caches: loads, stores and fetches. */
#include "filter.h"
#include "model_shared.h"

/* Is the page of this hint the one that is looked up? */
static inline bool is_hinted(const struct vpmu_hint_ *hint, uint64_t addr, uint32_t space)
{
    return hint->tag == (addr >> VPMU_PAGE_SHIFT) + 1 && hint->space == space;
}

/* L1D is about to replace a line, which leaves the line filter and may be written back. */
static VPMU_INLINE_ void evict(struct vpmu_model *m, uint64_t *row, uint32_t victim,
                               unsigned line_shift)
{
    struct vpmu_line_ line = vpmu_line_of_(m, victim);
    uint64_t addr = line.addr;

    vpmu_filter_drop_line_(line_shift, m->head.filter.load, addr);
    if (victim & VPMU_TAG_DIRTY_) {
        vpmu_filter_drop_line_(line_shift, m->head.filter.store, addr);
        row[VPMU_SRC_L1D_CACHE_WB_VICTIM]++;
        vpmu_outer_write_(m, row, line);
    }
}

/* Brings a line into L1D, in place of another one. */
static VPMU_INLINE_ unsigned refill(struct vpmu_model *m, uint64_t *row,
                                    const struct vpmu_sets_ *l1, uint32_t *set,
                                    struct vpmu_line_ line, bool write, struct vpmu_shape_ shape)
{
    uint32_t victim;
    unsigned missed;

    if (!vpmu_is_usual_(shape) && l1->lru) {
        vpmu_filter_drop_first_(m, set, m->head.filter.load, m->head.filter.store);
    }
    victim = vpmu_sets_insert_(l1, set, line.tag | write);
    row[VPMU_SRC_L1D_CACHE_REFILL_RD + write]++;
    if (victim) {
        evict(m, row, victim, shape.line_shift);
    }
    missed = vpmu_outer_read_(m, row, line, write, shape);
    if (!vpmu_is_usual_(shape)) {
        vpmu_stall_missed_(m, row, VPMU_SRC_STALL_BACKEND, missed);
    }
    return missed;
}

/* Adds a line to the line filter, and to the lines of its page. */
static inline void add(struct vpmu_model *m, uint64_t addr, struct vpmu_page_ *page, bool dirty,
                       unsigned line_shift)
{
    vpmu_filter_add_(line_shift, m->head.filter.load, &page->reads, addr);
    if (dirty) {
        vpmu_filter_add_(line_shift, m->head.filter.store, &page->writes, addr);
    }
}

/* Accesses a line whose page has been looked up: @hint is right. Returns enum vpmu_missed. */
static VPMU_INLINE_ unsigned access_line(struct vpmu_model *m, uint64_t *row, uint64_t addr,
                                         bool write, const struct vpmu_hint_ *hint,
                                         struct vpmu_shape_ shape)
{
    const struct vpmu_sets_ l1 = vpmu_shaped_(&m->sets[VPMU_L1D_], shape.l1d_ways);
    struct vpmu_page_ *page = hint->page;
    struct vpmu_line_ line = vpmu_line_(shape.line_shift, addr, hint->id);
    uint32_t *set = vpmu_set_(&l1, addr >> shape.line_shift);
    unsigned found = vpmu_sets_find_(&l1, set, line.tag);
    unsigned missed = 0;
    uint32_t tag;

    if (!found) {
        missed = refill(m, row, &l1, set, line, write, shape);
        add(m, addr, page, write, shape.line_shift);
        return missed;
    }
    tag = set[found - 1];
    if (!vpmu_is_usual_(shape) && write && m->shared && !(tag & VPMU_TAG_DIRTY_)) {
        missed = vpmu_outer_own_(m, line);
    }
    tag |= write;
    if (!vpmu_is_usual_(shape) && l1.lru && found != 1) {
        vpmu_filter_drop_first_(m, set, m->head.filter.load, m->head.filter.store);
        vpmu_sets_move_(&l1, set, found - 1, tag);
    } else {
        set[found - 1] = tag;
    }
    add(m, addr, page, tag & VPMU_TAG_DIRTY_, shape.line_shift);
    return missed;
}

/* The same with the code for the model's caches. */
typedef unsigned access_function(struct vpmu_model *m, uint64_t *row, uint64_t addr, bool write,
                                 const struct vpmu_hint_ *hint);

static unsigned access_unusual(struct vpmu_model *m, uint64_t *row, uint64_t addr, bool write,
                               const struct vpmu_hint_ *hint)
{
    return access_line(m, row, addr, write, hint, vpmu_shape_(m));
}

#define DEFINE_ACCESS(l1d_ways, l2_ways)                                                           \
    static unsigned access_##l1d_ways##_##l2_ways(struct vpmu_model *m, uint64_t *row,             \
                                                  uint64_t addr, bool write,                       \
                                                  const struct vpmu_hint_ *hint)                   \
    {                                                                                              \
        return access_line(m, row, addr, write, hint,                                              \
                           (struct vpmu_shape_){VPMU_USUAL_LINE_SHIFT_, l1d_ways, l2_ways});       \
    }

DEFINE_ACCESS(2, 16)
DEFINE_ACCESS(4, 8)
DEFINE_ACCESS(4, 16)
DEFINE_ACCESS(8, 8)
DEFINE_ACCESS(8, 16)
DEFINE_ACCESS(12, 16)

static access_function *const access_hinted[] = {
    [VPMU_UNUSUAL_] = access_unusual,   [VPMU_USUAL_2_16_] = access_2_16,
    [VPMU_USUAL_4_8_] = access_4_8,     [VPMU_USUAL_4_16_] = access_4_16,
    [VPMU_USUAL_8_8_] = access_8_8,     [VPMU_USUAL_8_16_] = access_8_16,
    [VPMU_USUAL_12_16_] = access_12_16,
};

/* The hint of the page may be wrong. */
static __attribute__((noinline)) unsigned access_any(struct vpmu_model *m, uint64_t *row,
                                                     uint64_t addr, bool write, unsigned shift)
{
    unsigned missed = vpmu_tlb_search_(m, row, VPMU_DATA_, addr, shift, write);

    return missed | access_hinted[m->usual](m, row, addr, write, vpmu_hint_(m, VPMU_DATA_, addr));
}

static __attribute__((noinline)) unsigned access_locked(struct vpmu_model *m, uint64_t *row,
                                                        uint64_t addr, bool write, unsigned shift)
{
    unsigned missed;

    vpmu_lock_(m);
    missed = access_any(m, row, addr, write, shift);
    vpmu_unlock_(m);
    return missed;
}

unsigned vpmu_model_line(struct vpmu_model *m, unsigned ctx, uint64_t addr, bool write,
                         unsigned page)
{
    uint64_t *row = vpmu_row_(m, ctx);
    const struct vpmu_hint_ *hint = vpmu_hint_(m, VPMU_DATA_, addr);

    if (m->shared) {
        return access_locked(m, row, addr, write, page);
    }
    if (!is_hinted(hint, addr, vpmu_space_(m, addr))) {
        return access_any(m, row, addr, write, page);
    }
    return access_hinted[m->usual](m, row, addr, write, hint);
}

/* A further line of the same page is translated again, which changes nothing. */
static __attribute__((noinline)) unsigned access_lines(struct vpmu_model *m, unsigned ctx,
                                                       uint64_t addr, unsigned size, bool write,
                                                       unsigned page)
{
    uint64_t line_size = 1ull << m->line_shift;
    uint64_t lines = ((addr & (line_size - 1)) + size - 1) >> m->line_shift;
    unsigned missed = vpmu_model_line(m, ctx, addr, write, page);

    for (; lines > 0; lines--) {
        addr = (addr & ~(line_size - 1)) + line_size;
        vpmu_row_(m, ctx)[VPMU_SRC_L1D_CACHE_RD + write]++;
        missed |= vpmu_model_line(m, ctx, addr, write, page);
    }
    return missed;
}

unsigned vpmu_model_data(struct vpmu_model *m, unsigned ctx, uint64_t addr, unsigned size,
                         bool write, unsigned page)
{
    const uint64_t *slots = write ? m->head.filter.store : m->head.filter.load;

    if (size > 1 && (addr ^ (addr + size - 1)) >> m->line_shift) {
        return access_lines(m, ctx, addr, size, write, page);
    }
    return vpmu_filter_hit(slots, m->line_shift, addr, 1)
               ? 0
               : vpmu_model_line(m, ctx, addr, write, page);
}

/* Brings a line into L1I, in place of another one. */
static inline unsigned refill_instructions(struct vpmu_model *m, uint64_t *row, uint32_t *set,
                                           struct vpmu_line_ line)
{
    uint32_t victim = vpmu_sets_insert_(&m->sets[VPMU_L1I_], set, line.tag);
    unsigned missed;

    row[VPMU_SRC_L1I_CACHE_REFILL]++;
    if (victim) {
        vpmu_filter_drop_line_(m->line_shift, m->head.filter.fetch, vpmu_line_of_(m, victim).addr);
    }
    missed = vpmu_outer_read_(m, row, line, false, vpmu_shape_(m));
    vpmu_stall_missed_(m, row, VPMU_SRC_STALL_FRONTEND, missed);
    return missed;
}

/* The page has been looked up: @hint is right. */
static inline unsigned fetch_from(struct vpmu_model *m, uint64_t *row, uint64_t addr,
                                  const struct vpmu_hint_ *hint)
{
    const struct vpmu_sets_ *l1 = &m->sets[VPMU_L1I_];
    struct vpmu_line_ line = vpmu_line_(m->line_shift, addr, hint->id);
    uint32_t *set = vpmu_set_of_(m, l1, line);
    unsigned found = vpmu_sets_find_(l1, set, line.tag);
    unsigned missed = 0;

    if (found != 1 && l1->lru) {
        vpmu_filter_drop_first_(m, set, m->head.filter.fetch, NULL);
    }
    if (found) {
        vpmu_sets_use_(l1, set, found - 1, line.tag);
    } else {
        missed = refill_instructions(m, row, set, line);
    }
    vpmu_filter_add_(m->line_shift, m->head.filter.fetch, &hint->page->reads, addr);
    return missed;
}

/* Not inlined, so that a fetch that hits the line filter need not save registers. */
static __attribute__((noinline)) unsigned fetch_line(struct vpmu_model *m, uint64_t *row,
                                                     uint64_t addr, unsigned shift)
{
    const struct vpmu_hint_ *hint = vpmu_hint_(m, VPMU_FETCHES_, addr);
    unsigned missed = 0;

    vpmu_lock_(m);
    if (!is_hinted(hint, addr, vpmu_space_(m, addr))) {
        missed = vpmu_tlb_search_(m, row, VPMU_FETCHES_, addr, shift, false);
    }
    missed |= fetch_from(m, row, addr, hint);
    vpmu_unlock_(m);
    return missed;
}

unsigned vpmu_model_fetch(struct vpmu_model *m, unsigned ctx, uint64_t addr, unsigned page)
{
    uint64_t *row = vpmu_row_(m, ctx);

    row[VPMU_SRC_L1I_CACHE]++;
    m->head.fetch_line = addr >> m->line_shift << m->line_shift;
    return vpmu_filter_hit(m->head.filter.fetch, m->line_shift, addr, 1)
               ? 0
               : fetch_line(m, row, addr, page);
}
