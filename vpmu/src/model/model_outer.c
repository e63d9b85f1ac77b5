/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/*
 * What is behind the L1 caches: the L2 cache, the last-level cache, memory.
 *
 * A refill is a read or a write as what caused it is: a load or fetch, or a store, which is how
 * the Arm ARM (D14.12) tells memory-read from memory-write operations. A write-back is a write; it
 * fills a whole line, so nothing is read for it, and it is neither a refill nor a miss.
 */
#include "model_internal.h"

static const struct {
    enum vpmu_source l2;
    enum vpmu_source l2_refill;
    enum vpmu_source llc;
    enum vpmu_source llc_miss;
} sources[] = {
    {VPMU_SRC_L2D_CACHE_RD, VPMU_SRC_L2D_CACHE_REFILL_RD, VPMU_SRC_LL_CACHE_RD,
     VPMU_SRC_LL_CACHE_MISS_RD},
    {VPMU_SRC_L2D_CACHE_WR, VPMU_SRC_L2D_CACHE_REFILL_WR, VPMU_SRC_LL_CACHE_WR,
     VPMU_SRC_LL_CACHE_MISS_WR},
};

/*
 * A line enters the last-level cache. The one that leaves it goes to memory, of which nothing is
 * tallied: it does not matter which lines are dirty here.
 */
static void fill_llc(struct vpmu_model *m, uint64_t addr, uint32_t space)
{
    struct vpmu_entry_ victim;

    vpmu_assoc_replace_(&m->assoc[VPMU_LLC_], addr, space, &victim);
}

static void write_llc(struct vpmu_model *m, unsigned ctx, const struct vpmu_entry_ *line)
{
    uint64_t addr = vpmu_entry_addr_(line);

    if (!m->config.llc.size) {
        return;
    }
    vpmu_tally_(m, VPMU_SRC_LL_CACHE_WR, ctx, 1);
    if (!vpmu_assoc_find_(&m->assoc[VPMU_LLC_], addr, line->space)) {
        fill_llc(m, addr, line->space);
    }
}

/* A line enters the L2 cache; the dirty one that may leave it goes to the next level. */
static struct vpmu_entry_ *fill_l2(struct vpmu_model *m, unsigned ctx, uint64_t addr,
                                   uint32_t space)
{
    struct vpmu_entry_ victim;
    struct vpmu_entry_ *e = vpmu_assoc_replace_(&m->assoc[VPMU_L2_], addr, space, &victim);

    if (victim.dirty) {
        vpmu_tally_(m, VPMU_SRC_L2D_CACHE_WB, ctx, 1);
        write_llc(m, ctx, &victim);
    }
    return e;
}

void vpmu_outer_write_(struct vpmu_model *m, unsigned ctx, const struct vpmu_entry_ *line)
{
    uint64_t addr = vpmu_entry_addr_(line);
    struct vpmu_entry_ *e;

    if (!m->config.l2.size) {
        return;
    }
    vpmu_tally_(m, VPMU_SRC_L2D_CACHE_WR, ctx, 1);
    e = vpmu_assoc_find_(&m->assoc[VPMU_L2_], addr, line->space);
    if (!e) {
        e = fill_l2(m, ctx, addr, line->space);
    }
    e->dirty = 1;
}

static unsigned read_llc(struct vpmu_model *m, unsigned ctx, uint64_t addr, bool write)
{
    uint32_t space = vpmu_space_(m, addr);

    if (!m->config.llc.size) {
        return m->config.penalty_memory;
    }
    vpmu_tally_(m, sources[write].llc, ctx, 1);
    if (vpmu_assoc_find_(&m->assoc[VPMU_LLC_], addr, space)) {
        return m->config.penalty_llc;
    }
    vpmu_tally_(m, sources[write].llc_miss, ctx, 1);
    fill_llc(m, addr, space);
    return m->config.penalty_memory;
}

unsigned vpmu_outer_read_(struct vpmu_model *m, unsigned ctx, uint64_t addr, bool write)
{
    uint32_t space = vpmu_space_(m, addr);

    if (!m->config.l2.size) {
        return m->config.penalty_memory;
    }
    vpmu_tally_(m, sources[write].l2, ctx, 1);
    if (vpmu_assoc_find_(&m->assoc[VPMU_L2_], addr, space)) {
        return m->config.penalty_l2;
    }
    vpmu_tally_(m, sources[write].l2_refill, ctx, 1);
    fill_l2(m, ctx, addr, space);
    return read_llc(m, ctx, addr, write);
}
