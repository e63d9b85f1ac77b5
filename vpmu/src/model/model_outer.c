/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/*
 * The levels behind the L1 caches: the L2 cache, the last-level cache and memory.
 *
 * A refill is a read or a write like the access that caused it: a load or fetch, or a store. This
 * is how Arm ARM D14.12 distinguishes memory-read and memory-write operations. A write-back is a
 * write. It fills a whole line, so nothing is read for it, and it is neither a refill nor a miss.
 */
#include "model_shared.h"

/* The totals of writes follow those of reads. */
_Static_assert(VPMU_SRC_L1D_CACHE_WR == VPMU_SRC_L1D_CACHE_RD + 1 &&
                   VPMU_SRC_L1D_CACHE_REFILL_WR == VPMU_SRC_L1D_CACHE_REFILL_RD + 1 &&
                   VPMU_SRC_L2D_CACHE_WR == VPMU_SRC_L2D_CACHE_RD + 1 &&
                   VPMU_SRC_L2D_CACHE_REFILL_WR == VPMU_SRC_L2D_CACHE_REFILL_RD + 1 &&
                   VPMU_SRC_LL_CACHE_WR == VPMU_SRC_LL_CACHE_RD + 1 &&
                   VPMU_SRC_LL_CACHE_MISS_WR == VPMU_SRC_LL_CACHE_MISS_RD + 1,
               "a source of writes is that of reads + 1");

/* Brings a line into the last-level cache. A dirty one that it replaces is written to memory. */
static inline void refill_llc(struct vpmu_model *m, uint64_t *row, struct vpmu_key_ line,
                              uint64_t dirty)
{
    struct vpmu_entry_ victim = vpmu_assoc_replace_(&m->assoc[VPMU_LLC_], line, dirty);

    row[VPMU_SRC_BUS_ACCESS_WR] += vpmu_is_dirty_(victim.tag);
}

void vpmu_llc_write_(struct vpmu_model *m, uint64_t *row, uint64_t addr, uint32_t space)
{
    struct vpmu_key_ line = vpmu_line_(m, addr, space);
    uint64_t *tag;

    if (!m->config.llc.size) {
        row[VPMU_SRC_BUS_ACCESS_WR]++;
        return;
    }
    row[VPMU_SRC_LL_CACHE_WR]++;
    tag = vpmu_assoc_use_(&m->assoc[VPMU_LLC_], line);
    if (tag) {
        *tag |= VPMU_TAG_DIRTY_;
    } else {
        refill_llc(m, row, line, VPMU_TAG_DIRTY_);
    }
}

/* Brings a line into the L2 cache. A dirty one that it replaces is written back. */
static inline void refill_l2(struct vpmu_model *m, uint64_t *row, struct vpmu_key_ line,
                             uint64_t dirty)
{
    struct vpmu_entry_ victim = vpmu_assoc_replace_(&m->assoc[VPMU_L2_], line, dirty);

    if (vpmu_is_dirty_(victim.tag)) {
        row[VPMU_SRC_L2D_CACHE_WB]++;
        vpmu_llc_write_(m, row, vpmu_tag_addr_(victim.tag), victim.space);
    }
}

void vpmu_outer_write_(struct vpmu_model *m, uint64_t *row, uint64_t addr, uint32_t space)
{
    struct vpmu_key_ line = vpmu_line_(m, addr, space);
    uint64_t *tag;

    if (!m->config.l2.size) {
        row[VPMU_SRC_BUS_ACCESS_WR]++;
        return;
    }
    row[VPMU_SRC_L2D_CACHE_WR]++;
    tag = vpmu_assoc_use_(&m->assoc[VPMU_L2_], line);
    if (tag) {
        *tag |= VPMU_TAG_DIRTY_;
    } else {
        refill_l2(m, row, line, VPMU_TAG_DIRTY_);
    }
}

unsigned vpmu_outer_own_(const struct vpmu_model *m, struct vpmu_key_ line)
{
    return m->shared && vpmu_shared_snoop_(m, line, true) ? VPMU_PEER_INVALIDATED : 0;
}

/*
 * Reads a line from a shared last-level cache, from another CPU or from memory. If another CPU had
 * modified it and keeps it, the last-level cache gets the dirty line.
 */
static unsigned read_shared(struct vpmu_model *m, uint64_t *row, struct vpmu_key_ line, bool write)
{
    unsigned peers = vpmu_shared_snoop_(m, line, write);
    uint64_t dirty = peers & VPMU_PEER_MODIFIED && !write ? VPMU_TAG_DIRTY_ : 0;
    uint64_t *tag = vpmu_assoc_use_(&m->assoc[VPMU_LLC_], line);

    row[VPMU_SRC_LL_CACHE_RD + write]++;
    if (tag) {
        *tag |= dirty;
        return peers;
    }
    refill_llc(m, row, line, dirty);
    if (peers) {
        return peers & VPMU_PEER_MODIFIED ? peers : peers | VPMU_PEER_FORWARDED;
    }
    row[VPMU_SRC_LL_CACHE_MISS_RD + write]++;
    row[VPMU_SRC_BUS_ACCESS_RD]++;
    return VPMU_MISSED_LLC | VPMU_FROM_MEMORY;
}

unsigned vpmu_outer_miss_(struct vpmu_model *m, uint64_t *row, uint64_t addr, uint32_t space,
                          bool write)
{
    struct vpmu_key_ line = vpmu_line_(m, addr, space);
    unsigned missed = 0;

    if (m->config.l2.size) {
        refill_l2(m, row, line, 0);
        row[VPMU_SRC_L2D_CACHE_REFILL_RD + write]++;
        missed |= VPMU_MISSED_L2;
    }
    if (m->shared) {
        return missed | read_shared(m, row, line, write);
    }
    if (m->config.llc.size) {
        row[VPMU_SRC_LL_CACHE_RD + write]++;
        if (vpmu_assoc_use_(&m->assoc[VPMU_LLC_], line)) {
            return missed;
        }
        refill_llc(m, row, line, 0);
        row[VPMU_SRC_LL_CACHE_MISS_RD + write]++;
        missed |= VPMU_MISSED_LLC;
    }
    row[VPMU_SRC_BUS_ACCESS_RD]++;
    return missed | VPMU_FROM_MEMORY;
}
