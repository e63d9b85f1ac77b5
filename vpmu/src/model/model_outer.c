/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/*
 * The levels behind the L1 caches: the L2 cache, the last-level cache and memory.
 *
 * A refill is a read or a write like the access that caused it: a load or fetch, or a store. This
 * is how Arm ARM D14.12 distinguishes memory-read and memory-write operations. A write-back is a
 * write. It fills a whole line, so nothing is read for it, and it is neither a refill nor a miss.
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
 * Brings a line into the last-level cache if it is missing. A dirty line that it replaces is
 * written to memory.
 */
static bool access_llc(struct vpmu_model *m, unsigned ctx, uint64_t addr, uint32_t space,
                       struct vpmu_entry_ **e)
{
    struct vpmu_entry_ victim;

    if (vpmu_assoc_access_(&m->assoc[VPMU_LLC_], addr, space, e, &victim)) {
        return true;
    }
    vpmu_tally_(m, VPMU_SRC_BUS_ACCESS_WR, ctx, victim.dirty);
    return false;
}

static void write_llc(struct vpmu_model *m, unsigned ctx, const struct vpmu_entry_ *line)
{
    struct vpmu_entry_ *e;

    if (!m->config.llc.size) {
        vpmu_tally_(m, VPMU_SRC_BUS_ACCESS_WR, ctx, 1);
        return;
    }
    vpmu_tally_(m, VPMU_SRC_LL_CACHE_WR, ctx, 1);
    access_llc(m, ctx, vpmu_entry_addr_(line), line->space, &e);
    e->dirty = 1;
}

/*
 * Brings a line into the L2 cache if it is missing. A dirty line that it replaces is written back.
 */
static inline bool access_l2(struct vpmu_model *m, unsigned ctx, uint64_t addr, uint32_t space,
                             struct vpmu_entry_ **e)
{
    struct vpmu_entry_ victim;

    if (vpmu_assoc_access_(&m->assoc[VPMU_L2_], addr, space, e, &victim)) {
        return true;
    }
    if (victim.dirty) {
        vpmu_tally_(m, VPMU_SRC_L2D_CACHE_WB, ctx, 1);
        write_llc(m, ctx, &victim);
    }
    return false;
}

void vpmu_outer_write_(struct vpmu_model *m, unsigned ctx, const struct vpmu_entry_ *line)
{
    struct vpmu_entry_ *e;

    if (!m->config.l2.size) {
        vpmu_tally_(m, VPMU_SRC_BUS_ACCESS_WR, ctx, 1);
        return;
    }
    vpmu_tally_(m, VPMU_SRC_L2D_CACHE_WR, ctx, 1);
    access_l2(m, ctx, vpmu_entry_addr_(line), line->space, &e);
    e->dirty = 1;
}

static unsigned read_memory(struct vpmu_model *m, unsigned ctx)
{
    vpmu_tally_(m, VPMU_SRC_BUS_ACCESS_RD, ctx, 1);
    return m->config.penalty_memory;
}

static unsigned read_llc(struct vpmu_model *m, unsigned ctx, uint64_t addr, uint32_t space,
                         bool write)
{
    struct vpmu_entry_ *e;

    if (!m->config.llc.size) {
        return read_memory(m, ctx);
    }
    vpmu_tally_(m, sources[write].llc, ctx, 1);
    if (access_llc(m, ctx, addr, space, &e)) {
        return m->config.penalty_llc;
    }
    vpmu_tally_(m, sources[write].llc_miss, ctx, 1);
    return read_memory(m, ctx);
}

unsigned vpmu_outer_read_(struct vpmu_model *m, unsigned ctx, uint64_t addr, bool write)
{
    uint32_t space = vpmu_space_(m, addr);
    struct vpmu_entry_ *e;

    if (!m->config.l2.size) {
        return read_memory(m, ctx);
    }
    vpmu_tally_(m, sources[write].l2, ctx, 1);
    if (access_l2(m, ctx, addr, space, &e)) {
        return m->config.penalty_l2;
    }
    vpmu_tally_(m, sources[write].l2_refill, ctx, 1);
    return read_llc(m, ctx, addr, space, write);
}
