/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* The L1 caches: loads, stores and fetches. */
#include "filter.h"
#include "model_internal.h"

/* Looks up the page of an address in an L1 TLB. */
static inline struct vpmu_page_ *translate(struct vpmu_model *m, uint64_t *row,
                                           enum vpmu_assoc_index_ tlb, uint64_t addr,
                                           uint32_t space)
{
    struct vpmu_entry_ victim;
    struct vpmu_page_ *page;

    if (!vpmu_assoc_translate_(&m->assoc[tlb], addr, space, &page, &victim)) {
        vpmu_tlb_missed_(m, row, tlb, addr, page, &victim);
    }
    return page;
}

/* Brings a line into L1D, in place of another one. */
static inline struct vpmu_entry_ *refill_data(struct vpmu_model *m, uint64_t *row, uint64_t addr,
                                              uint32_t space, bool write)
{
    const struct vpmu_assoc_ *l1 = &m->assoc[VPMU_L1D_];
    struct vpmu_entry_ *e = vpmu_assoc_take_(l1, addr, space);
    struct vpmu_entry_ victim = *e;

    vpmu_assoc_fill_(l1, e, addr, space);
    row[VPMU_SRC_L1D_CACHE_REFILL_RD + write]++;
    if (vpmu_entry_used_(&victim)) {
        vpmu_filter_drop_line_(m, m->head.filter.load, vpmu_entry_addr_(&victim));
    }
    if (victim.dirty) {
        vpmu_filter_drop_line_(m, m->head.filter.store, vpmu_entry_addr_(&victim));
        row[VPMU_SRC_L1D_CACHE_WB]++;
        vpmu_outer_write_(m, row, vpmu_entry_addr_(&victim), victim.space);
    }
    vpmu_stall_(m, row, VPMU_SRC_STALL_BACKEND, vpmu_outer_read_(m, row, addr, space, write));
    return e;
}

/*
 * Accesses one line. This function and the next are not inlined, so that an access that hits the
 * line filter need not save registers. All that an access to a line in the L2 cache does is inlined
 * into this function.
 */
static __attribute__((noinline)) void access_line(struct vpmu_model *m, unsigned ctx, uint64_t addr,
                                                  bool write)
{
    uint64_t *row = vpmu_row_(m, ctx);
    uint32_t space = vpmu_space_(m, addr);
    struct vpmu_page_ *page = translate(m, row, VPMU_L1D_TLB_, addr, space);
    struct vpmu_entry_ *e = vpmu_assoc_use_(&m->assoc[VPMU_L1D_], addr, space);

    if (!e) {
        e = refill_data(m, row, addr, space, write);
    }
    e->dirty |= write;
    vpmu_filter_add_(m, m->head.filter.load, &page->reads, addr);
    if (e->dirty) {
        vpmu_filter_add_(m, m->head.filter.store, &page->writes, addr);
    }
}

/* A further line of the same page is translated again, which changes nothing. */
static __attribute__((noinline)) void access_lines(struct vpmu_model *m, unsigned ctx,
                                                   uint64_t addr, unsigned size, bool write)
{
    uint64_t line_size = 1ull << m->line_shift;
    uint64_t lines = ((addr & (line_size - 1)) + size - 1) >> m->line_shift;

    access_line(m, ctx, addr, write);
    for (; lines > 0; lines--) {
        addr = (addr & ~(line_size - 1)) + line_size;
        vpmu_row_(m, ctx)[VPMU_SRC_L1D_CACHE_RD + write]++;
        access_line(m, ctx, addr, write);
    }
}

void vpmu_model_data(struct vpmu_model *m, unsigned ctx, uint64_t addr, unsigned size, bool write)
{
    const uint64_t *slots = write ? m->head.filter.store : m->head.filter.load;

    if (size > 1 && (addr ^ (addr + size - 1)) >> m->line_shift) {
        access_lines(m, ctx, addr, size, write);
    } else if (!vpmu_filter_hit(slots, m->line_shift, addr, 1)) {
        access_line(m, ctx, addr, write);
    }
}

/* Brings a line into L1I, in place of another one. */
static inline void refill_instructions(struct vpmu_model *m, uint64_t *row, uint64_t addr,
                                       uint32_t space)
{
    const struct vpmu_assoc_ *l1 = &m->assoc[VPMU_L1I_];
    struct vpmu_entry_ *e = vpmu_assoc_take_(l1, addr, space);

    row[VPMU_SRC_L1I_CACHE_REFILL]++;
    if (vpmu_entry_used_(e)) {
        vpmu_filter_drop_line_(m, m->head.filter.fetch, vpmu_entry_addr_(e));
    }
    vpmu_assoc_fill_(l1, e, addr, space);
    vpmu_stall_(m, row, VPMU_SRC_STALL_FRONTEND, vpmu_outer_read_(m, row, addr, space, false));
}

/* Not inlined, for the same reason. */
static __attribute__((noinline)) void fetch_line(struct vpmu_model *m, uint64_t *row, uint64_t addr)
{
    uint32_t space = vpmu_space_(m, addr);
    struct vpmu_page_ *page = translate(m, row, VPMU_L1I_TLB_, addr, space);

    if (!vpmu_assoc_use_(&m->assoc[VPMU_L1I_], addr, space)) {
        refill_instructions(m, row, addr, space);
    }
    vpmu_filter_add_(m, m->head.filter.fetch, &page->reads, addr);
}

void vpmu_model_fetch(struct vpmu_model *m, unsigned ctx, uint64_t addr)
{
    uint64_t *row = vpmu_row_(m, ctx);

    row[VPMU_SRC_L1I_CACHE]++;
    m->head.fetch_line = addr >> m->line_shift << m->line_shift;
    if (!vpmu_filter_hit(m->head.filter.fetch, m->line_shift, addr, 1)) {
        fetch_line(m, row, addr);
    }
}
