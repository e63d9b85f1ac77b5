/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* The L1 caches: loads, stores and fetches. */
#include "model_internal.h"

static const struct {
    enum vpmu_source access;
    enum vpmu_source refill;
} sources[] = {
    {VPMU_SRC_L1D_CACHE_RD, VPMU_SRC_L1D_CACHE_REFILL_RD},
    {VPMU_SRC_L1D_CACHE_WR, VPMU_SRC_L1D_CACHE_REFILL_WR},
};

static struct vpmu_entry_ *refill_data(struct vpmu_model *m, unsigned ctx, uint64_t addr,
                                       bool write)
{
    struct vpmu_entry_ victim;
    struct vpmu_entry_ *e =
        vpmu_assoc_replace_(&m->assoc[VPMU_L1D_], addr, vpmu_space_(m, addr), &victim);

    vpmu_tally_(m, sources[write].refill, ctx, 1);
    if (vpmu_entry_used_(&victim)) {
        vpmu_filter_drop_line_(m, m->head.filter.load, vpmu_entry_addr_(&victim));
        vpmu_filter_drop_line_(m, m->head.filter.store, vpmu_entry_addr_(&victim));
    }
    if (victim.dirty) {
        vpmu_tally_(m, VPMU_SRC_L1D_CACHE_WB, ctx, 1);
        vpmu_outer_write_(m, ctx, &victim);
    }
    vpmu_stall_(m, VPMU_SRC_STALL_BACKEND, ctx, vpmu_outer_read_(m, ctx, addr, write));
    return e;
}

/* The access to one line of @page, which has been looked up. */
static void access_line(struct vpmu_model *m, unsigned ctx, struct vpmu_entry_ *page, uint64_t addr,
                        bool write)
{
    struct vpmu_entry_ *e = vpmu_assoc_find_(&m->assoc[VPMU_L1D_], addr, vpmu_space_(m, addr));

    if (!e) {
        e = refill_data(m, ctx, addr, write);
    }
    e->dirty |= write;
    vpmu_filter_add_(m, m->head.filter.load, page, addr);
    if (e->dirty) {
        vpmu_filter_add_(m, m->head.filter.store, page, addr);
    }
}

/* Not inline, so that an access that hits the line filter saves no registers. */
static __attribute__((noinline)) void access_lines(struct vpmu_model *m, unsigned ctx,
                                                   uint64_t addr, unsigned size, bool write)
{
    uint64_t line_size = 1ull << m->line_shift;
    uint64_t lines = ((addr & (line_size - 1)) + (size ? size - 1 : 0)) >> m->line_shift;
    struct vpmu_entry_ *page = vpmu_tlb_data_(m, ctx, addr);

    access_line(m, ctx, page, addr, write);
    for (; lines > 0; lines--) {
        addr = (addr & ~(line_size - 1)) + line_size;
        vpmu_tally_(m, sources[write].access, ctx, 1);
        if (addr % VPMU_PAGE_SIZE == 0) {
            page = vpmu_tlb_data_(m, ctx, addr);
        }
        access_line(m, ctx, page, addr, write);
    }
}

void vpmu_model_data(struct vpmu_model *m, unsigned ctx, uint64_t addr, unsigned size, bool write)
{
    const uint64_t *slots = write ? m->head.filter.store : m->head.filter.load;

    if (size <= VPMU_PAGE_SIZE && vpmu_filter_hit(slots, m->line_shift, addr, size)) {
        return;
    }
    access_lines(m, ctx, addr, size, write);
}

static void refill_instructions(struct vpmu_model *m, unsigned ctx, uint64_t addr)
{
    struct vpmu_entry_ victim;

    vpmu_assoc_replace_(&m->assoc[VPMU_L1I_], addr, vpmu_space_(m, addr), &victim);
    vpmu_tally_(m, VPMU_SRC_L1I_CACHE_REFILL, ctx, 1);
    if (vpmu_entry_used_(&victim)) {
        vpmu_filter_drop_line_(m, m->head.filter.fetch, vpmu_entry_addr_(&victim));
    }
    vpmu_stall_(m, VPMU_SRC_STALL_FRONTEND, ctx, vpmu_outer_read_(m, ctx, addr, false));
}

/* Not inline either. */
static __attribute__((noinline)) void fetch_line(struct vpmu_model *m, unsigned ctx, uint64_t addr)
{
    struct vpmu_entry_ *page = vpmu_tlb_fetch_(m, ctx, addr);

    if (!vpmu_assoc_find_(&m->assoc[VPMU_L1I_], addr, vpmu_space_(m, addr))) {
        refill_instructions(m, ctx, addr);
    }
    vpmu_filter_add_(m, m->head.filter.fetch, page, addr);
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
