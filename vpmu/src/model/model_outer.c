/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/*
 * The levels behind the L1 caches: the L2 cache, the last-level cache and memory.
 *
 * A refill is a read or a write like the access that caused it: a load or fetch, or a store. This
 * is how Arm ARM D14.12 distinguishes memory-read and memory-write operations. A write-back is a
 * write. It fills a whole line, so nothing is read for it, and it is neither a refill nor a miss.
 * Accesses of a level are not tallied: they are the refills and the write-backs of the level
 * before.
 */
#include "model_shared.h"

/* The totals of writes follow those of reads. */
_Static_assert(VPMU_SRC_L1D_CACHE_WR == VPMU_SRC_L1D_CACHE_RD + 1 &&
                   VPMU_SRC_L1D_CACHE_REFILL_WR == VPMU_SRC_L1D_CACHE_REFILL_RD + 1 &&
                   VPMU_SRC_L2D_CACHE_REFILL_WR == VPMU_SRC_L2D_CACHE_REFILL_RD + 1 &&
                   VPMU_SRC_LL_CACHE_MISS_WR == VPMU_SRC_LL_CACHE_MISS_RD + 1,
               "a source of writes is that of reads + 1");

/*
 * The line as the last-level cache has it. A shared one has ids of its own. Ids of pages that it
 * has no line of any more are taken back when there are no others.
 */
static struct vpmu_line_ in_llc(const struct vpmu_model *m, struct vpmu_line_ line)
{
    return m->shared ? vpmu_shared_line_(m, line) : line;
}

/* Brings a line into the last-level cache. A dirty one that it replaces is written to memory. */
static inline void refill_llc(struct vpmu_model *m, uint64_t *row, uint32_t *set, uint32_t tag)
{
    row[VPMU_SRC_BUS_ACCESS_WR] +=
        vpmu_sets_insert_(&m->sets[VPMU_LLC_], set, tag) & VPMU_TAG_DIRTY_;
}

void vpmu_llc_write_(struct vpmu_model *m, uint64_t *row, struct vpmu_line_ line)
{
    const struct vpmu_sets_ *llc = &m->sets[VPMU_LLC_];
    uint32_t *set;
    unsigned found;

    if (!llc->tags) {
        row[VPMU_SRC_BUS_ACCESS_WR]++;
        return;
    }
    line = in_llc(m, line);
    set = vpmu_set_of_(m, llc, line);
    found = vpmu_sets_find_(llc, set, line.tag);
    if (found) {
        vpmu_sets_move_(llc, set, found - 1, line.tag | VPMU_TAG_DIRTY_);
    } else {
        refill_llc(m, row, set, line.tag | VPMU_TAG_DIRTY_);
    }
}

void vpmu_l2_write_back_(struct vpmu_model *m, uint64_t *row, uint32_t tag)
{
    row[VPMU_SRC_L2D_CACHE_WB_VICTIM]++;
    vpmu_llc_write_(m, row, vpmu_line_of_(m, tag));
}

void vpmu_outer_write_(struct vpmu_model *m, uint64_t *row, struct vpmu_line_ line)
{
    const struct vpmu_sets_ *l2 = &m->sets[VPMU_L2_];
    uint32_t *set;
    unsigned found;

    if (!l2->tags) {
        row[VPMU_SRC_BUS_ACCESS_WR]++;
        return;
    }
    set = vpmu_set_of_(m, l2, line);
    found = vpmu_sets_find_(l2, set, line.tag);
    if (found) {
        vpmu_sets_move_(l2, set, found - 1, line.tag | VPMU_TAG_DIRTY_);
    } else {
        vpmu_l2_refill_(m, row, l2, set, line.tag | VPMU_TAG_DIRTY_);
    }
}

unsigned vpmu_outer_own_(const struct vpmu_model *m, struct vpmu_line_ line)
{
    return m->shared && vpmu_shared_snoop_(m, line, true) ? VPMU_PEER_INVALIDATED : 0;
}

/*
 * Reads a line from a shared last-level cache, from another CPU or from memory. If another CPU had
 * modified it and keeps it, the last-level cache gets the dirty line.
 */
static unsigned read_shared(struct vpmu_model *m, uint64_t *row, struct vpmu_line_ line, bool write)
{
    const struct vpmu_sets_ *llc = &m->sets[VPMU_LLC_];
    unsigned peers = vpmu_shared_snoop_(m, line, write);
    uint32_t dirty = peers & VPMU_PEER_MODIFIED && !write ? VPMU_TAG_DIRTY_ : 0;
    struct vpmu_line_ there = in_llc(m, line);
    uint32_t *set = vpmu_set_of_(m, llc, there);
    unsigned found = vpmu_sets_find_(llc, set, there.tag);

    if (found) {
        vpmu_sets_move_(llc, set, found - 1, set[found - 1] | dirty);
        return peers;
    }
    refill_llc(m, row, set, there.tag | dirty);
    if (peers) {
        return peers & VPMU_PEER_MODIFIED ? peers : peers | VPMU_PEER_FORWARDED;
    }
    row[VPMU_SRC_LL_CACHE_MISS_RD + write]++;
    row[VPMU_SRC_BUS_ACCESS_RD]++;
    return VPMU_MISSED_LLC | VPMU_FROM_MEMORY;
}

unsigned vpmu_llc_read_(struct vpmu_model *m, uint64_t *row, struct vpmu_line_ line, bool write)
{
    const struct vpmu_sets_ *llc = &m->sets[VPMU_LLC_];
    unsigned missed = 0;

    if (m->shared) {
        return read_shared(m, row, line, write);
    }
    if (llc->tags) {
        uint32_t *set = vpmu_set_of_(m, llc, line);
        unsigned found = vpmu_sets_find_(llc, set, line.tag);

        if (found) {
            vpmu_sets_move_(llc, set, found - 1, set[found - 1]);
            return 0;
        }
        refill_llc(m, row, set, line.tag);
        row[VPMU_SRC_LL_CACHE_MISS_RD + write]++;
        missed = VPMU_MISSED_LLC;
    }
    row[VPMU_SRC_BUS_ACCESS_RD]++;
    return missed | VPMU_FROM_MEMORY;
}
