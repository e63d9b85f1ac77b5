/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* The L1 caches: loads, stores and fetches. */
#include "filter.h"
#include "model_internal.h"

static const struct {
    enum vpmu_source access;
    enum vpmu_source refill;
} sources[] = {
    {VPMU_SRC_L1D_CACHE_RD, VPMU_SRC_L1D_CACHE_REFILL_RD},
    {VPMU_SRC_L1D_CACHE_WR, VPMU_SRC_L1D_CACHE_REFILL_WR},
};

/* The line of @addr has replaced another line in L1D. */
static void refill_data(struct vpmu_model *m, unsigned ctx, uint64_t addr, bool write,
                        const struct vpmu_entry_ *victim)
{
    vpmu_tally_(m, sources[write].refill, ctx, 1);
    if (vpmu_entry_used_(victim)) {
        vpmu_filter_drop_line_(m, m->head.filter.load, vpmu_entry_addr_(victim));
    }
    if (victim->dirty) {
        vpmu_filter_drop_line_(m, m->head.filter.store, vpmu_entry_addr_(victim));
        vpmu_tally_(m, VPMU_SRC_L1D_CACHE_WB, ctx, 1);
        vpmu_outer_write_(m, ctx, victim);
    }
    vpmu_stall_(m, VPMU_SRC_STALL_BACKEND, ctx, vpmu_outer_read_(m, ctx, addr, write));
}

/* Looks up the page of an address in an L1 TLB. */
static inline struct vpmu_page_ *translate(struct vpmu_model *m, enum vpmu_assoc_index_ tlb,
                                           unsigned ctx, uint64_t addr)
{
    struct vpmu_entry_ victim;
    struct vpmu_page_ *page;

    if (!vpmu_assoc_translate_(&m->assoc[tlb], addr, vpmu_space_(m, addr), &page, &victim)) {
        vpmu_tlb_missed_(m, tlb, ctx, addr, page, &victim);
    }
    return page;
}

/* Accesses one line of @page. */
static inline void access_line(struct vpmu_model *m, unsigned ctx, struct vpmu_page_ *page,
                               uint64_t addr, bool write)
{
    struct vpmu_entry_ victim;
    struct vpmu_entry_ *e;

    if (!vpmu_assoc_access_(&m->assoc[VPMU_L1D_], addr, vpmu_space_(m, addr), &e, &victim)) {
        refill_data(m, ctx, addr, write, &victim);
    }
    e->dirty |= write;
    vpmu_filter_add_(m, m->head.filter.load, &page->reads, addr);
    if (e->dirty) {
        vpmu_filter_add_(m, m->head.filter.store, &page->writes, addr);
    }
}

/*
 * This function and the next are not inlined, so that an access that hits the line filter need not
 * save registers.
 */
static __attribute__((noinline)) void access_one(struct vpmu_model *m, unsigned ctx, uint64_t addr,
                                                 bool write)
{
    if (m->config.l2.size) {
        vpmu_assoc_prefetch_(&m->assoc[VPMU_L2_], addr);
    }
    access_line(m, ctx, translate(m, VPMU_L1D_TLB_, ctx, addr), addr, write);
}

static __attribute__((noinline)) void access_lines(struct vpmu_model *m, unsigned ctx,
                                                   uint64_t addr, unsigned size, bool write)
{
    uint64_t line_size = 1ull << m->line_shift;
    uint64_t lines = ((addr & (line_size - 1)) + size - 1) >> m->line_shift;
    struct vpmu_page_ *page = translate(m, VPMU_L1D_TLB_, ctx, addr);

    access_line(m, ctx, page, addr, write);
    for (; lines > 0; lines--) {
        addr = (addr & ~(line_size - 1)) + line_size;
        vpmu_tally_(m, sources[write].access, ctx, 1);
        if (addr % VPMU_PAGE_SIZE == 0) {
            page = translate(m, VPMU_L1D_TLB_, ctx, addr);
        }
        access_line(m, ctx, page, addr, write);
    }
}

void vpmu_model_data(struct vpmu_model *m, unsigned ctx, uint64_t addr, unsigned size, bool write)
{
    const uint64_t *slots = write ? m->head.filter.store : m->head.filter.load;

    if (size > 1 && (addr ^ (addr + size - 1)) >> m->line_shift) {
        access_lines(m, ctx, addr, size, write);
    } else if (!vpmu_filter_hit(slots, m->line_shift, addr, 1)) {
        access_one(m, ctx, addr, write);
    }
}

static void refill_instructions(struct vpmu_model *m, unsigned ctx, uint64_t addr,
                                const struct vpmu_entry_ *victim)
{
    vpmu_tally_(m, VPMU_SRC_L1I_CACHE_REFILL, ctx, 1);
    if (vpmu_entry_used_(victim)) {
        vpmu_filter_drop_line_(m, m->head.filter.fetch, vpmu_entry_addr_(victim));
    }
    vpmu_stall_(m, VPMU_SRC_STALL_FRONTEND, ctx, vpmu_outer_read_(m, ctx, addr, false));
}

/* Not inlined, for the same reason. */
static __attribute__((noinline)) void fetch_line(struct vpmu_model *m, unsigned ctx, uint64_t addr)
{
    struct vpmu_page_ *page = translate(m, VPMU_L1I_TLB_, ctx, addr);
    struct vpmu_entry_ victim;
    struct vpmu_entry_ *e;

    if (!vpmu_assoc_access_(&m->assoc[VPMU_L1I_], addr, vpmu_space_(m, addr), &e, &victim)) {
        refill_instructions(m, ctx, addr, &victim);
    }
    vpmu_filter_add_(m, m->head.filter.fetch, &page->reads, addr);
}

void vpmu_model_fetch(struct vpmu_model *m, unsigned ctx, uint64_t addr)
{
    vpmu_tally_(m, VPMU_SRC_L1I_CACHE, ctx, 1);
    m->head.fetch_line = addr >> m->line_shift << m->line_shift;
    if (vpmu_filter_hit(m->head.filter.fetch, m->line_shift, addr, 1)) {
        return;
    }
    fetch_line(m, ctx, addr);
}
