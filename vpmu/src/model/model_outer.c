/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/*
 * The levels behind the L1 caches: the L2 cache, the last-level cache and memory.
 *
 * A refill is a read or a write like the access that caused it: a load or fetch, or a store. This
 * is how Arm ARM D14.12 distinguishes memory-read and memory-write operations. A write-back is a
 * write. It fills a whole line, so nothing is read for it, and it is neither a refill nor a miss.
 */
#include "model_internal.h"

/* The totals of writes follow those of reads. */
_Static_assert(VPMU_SRC_L1D_CACHE_WR == VPMU_SRC_L1D_CACHE_RD + 1 &&
                   VPMU_SRC_L1D_CACHE_REFILL_WR == VPMU_SRC_L1D_CACHE_REFILL_RD + 1 &&
                   VPMU_SRC_L2D_CACHE_WR == VPMU_SRC_L2D_CACHE_RD + 1 &&
                   VPMU_SRC_L2D_CACHE_REFILL_WR == VPMU_SRC_L2D_CACHE_REFILL_RD + 1 &&
                   VPMU_SRC_LL_CACHE_WR == VPMU_SRC_LL_CACHE_RD + 1 &&
                   VPMU_SRC_LL_CACHE_MISS_WR == VPMU_SRC_LL_CACHE_MISS_RD + 1,
               "a source of writes is that of reads + 1");

/* Replaces a line of the last-level cache. A dirty one is written to memory. */
static struct vpmu_entry_ *refill_llc(struct vpmu_model *m, uint64_t *row, uint64_t addr,
                                      uint32_t space)
{
    const struct vpmu_assoc_ *llc = &m->assoc[VPMU_LLC_];
    struct vpmu_entry_ *e = vpmu_assoc_take_(llc, addr, space);

    row[VPMU_SRC_BUS_ACCESS_WR] += e->dirty;
    vpmu_assoc_fill_(llc, e, addr, space);
    return e;
}

static void write_llc(struct vpmu_model *m, uint64_t *row, uint64_t addr, uint32_t space)
{
    struct vpmu_entry_ *e;

    if (!m->config.llc.size) {
        row[VPMU_SRC_BUS_ACCESS_WR]++;
        return;
    }
    row[VPMU_SRC_LL_CACHE_WR]++;
    e = vpmu_assoc_use_(&m->assoc[VPMU_LLC_], addr, space);
    if (!e) {
        e = refill_llc(m, row, addr, space);
    }
    e->dirty = 1;
}

/* Replaces a line of the L2 cache. A dirty one is written back. */
static struct vpmu_entry_ *refill_l2(struct vpmu_model *m, uint64_t *row, uint64_t addr,
                                     uint32_t space)
{
    const struct vpmu_assoc_ *l2 = &m->assoc[VPMU_L2_];
    struct vpmu_entry_ *e = vpmu_assoc_take_(l2, addr, space);
    struct vpmu_entry_ victim = *e;

    vpmu_assoc_fill_(l2, e, addr, space);
    if (victim.dirty) {
        row[VPMU_SRC_L2D_CACHE_WB]++;
        write_llc(m, row, vpmu_entry_addr_(&victim), victim.space);
    }
    return e;
}

void vpmu_outer_write_(struct vpmu_model *m, uint64_t *row, uint64_t addr, uint32_t space)
{
    struct vpmu_entry_ *e;

    if (!m->config.l2.size) {
        row[VPMU_SRC_BUS_ACCESS_WR]++;
        return;
    }
    row[VPMU_SRC_L2D_CACHE_WR]++;
    e = vpmu_assoc_use_(&m->assoc[VPMU_L2_], addr, space);
    if (!e) {
        e = refill_l2(m, row, addr, space);
    }
    e->dirty = 1;
}

static unsigned read_memory(const struct vpmu_model *m, uint64_t *row)
{
    row[VPMU_SRC_BUS_ACCESS_RD]++;
    return m->config.penalty_memory;
}

unsigned vpmu_outer_miss_(struct vpmu_model *m, uint64_t *row, uint64_t addr, uint32_t space,
                          bool write)
{
    if (!m->config.l2.size) {
        return read_memory(m, row);
    }
    refill_l2(m, row, addr, space);
    row[VPMU_SRC_L2D_CACHE_REFILL_RD + write]++;
    if (!m->config.llc.size) {
        return read_memory(m, row);
    }
    row[VPMU_SRC_LL_CACHE_RD + write]++;
    if (vpmu_assoc_use_(&m->assoc[VPMU_LLC_], addr, space)) {
        return m->config.penalty_llc;
    }
    refill_llc(m, row, addr, space);
    row[VPMU_SRC_LL_CACHE_MISS_RD + write]++;
    return read_memory(m, row);
}
