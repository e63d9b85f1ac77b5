/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* Cache maintenance: instructions that take a line out of the caches, or write it back. */
#include "filter.h"
#include "model_shared.h"

/*
 * Makes the line clean in one cache, or removes it. Returns whether it was modified there.
 */
static bool maintain(struct vpmu_model *m, enum vpmu_assoc_index_ cache, struct vpmu_key_ line,
                     bool remove)
{
    struct vpmu_assoc_ *a = &m->assoc[cache];
    void *set = vpmu_set_(a, line.number);
    unsigned way = vpmu_assoc_search_(a, set, line);
    bool dirty;

    if (way >= a->ways) {
        return false;
    }
    dirty = vpmu_is_dirty_(vpmu_tags_(a, set)[way]);
    if (remove) {
        vpmu_assoc_remove_(a, set, way);
    } else {
        vpmu_tags_(a, set)[way] &= ~(uint64_t)VPMU_TAG_DIRTY_;
    }
    return dirty;
}

/* A line leaves L1D, or is no longer modified there. */
static void drop_from_filter(struct vpmu_model *m, uint64_t addr, bool remove)
{
    vpmu_filter_drop_line_(m, m->head.filter.store, addr);
    if (remove) {
        vpmu_filter_drop_line_(m, m->head.filter.load, addr);
    }
}

static void maintain_fetch(struct vpmu_model *m, struct vpmu_key_ line)
{
    uint64_t addr = vpmu_tag_addr_(line.tag);

    maintain(m, VPMU_L1I_, line, true);
    vpmu_filter_drop_line_(m, m->head.filter.fetch, addr);
    if (m->head.fetch_line == addr) {
        m->head.fetch_line = VPMU_NO_LINE;
    }
}

/* Each level writes to the next one. With @remove, no level keeps the line. */
static void maintain_data(struct vpmu_model *m, uint64_t *row, struct vpmu_key_ line,
                          enum vpmu_maintenance what)
{
    bool remove = what == VPMU_MAINTAIN_FLUSH || what == VPMU_MAINTAIN_DISCARD;
    bool write = what != VPMU_MAINTAIN_DISCARD;
    uint64_t addr = vpmu_tag_addr_(line.tag);
    unsigned peers = m->shared && remove ? vpmu_shared_snoop_(m, line, true) : 0;

    drop_from_filter(m, addr, remove);
    if (maintain(m, VPMU_L1D_, line, remove) && write) {
        row[VPMU_SRC_L1D_CACHE_WB]++;
        vpmu_outer_write_(m, row, addr, line.space);
    }
    if (what == VPMU_MAINTAIN_CLEAN_L1 || !m->config.l2.size) {
        return;
    }
    if (maintain(m, VPMU_L2_, line, remove) && write) {
        row[VPMU_SRC_L2D_CACHE_WB]++;
        vpmu_llc_write_(m, row, addr, line.space);
    }
    if (m->config.llc.size &&
        ((maintain(m, VPMU_LLC_, line, remove) || peers & VPMU_PEER_MODIFIED) && write)) {
        row[VPMU_SRC_BUS_ACCESS_WR]++;
    }
}

void vpmu_model_maintain(struct vpmu_model *m, unsigned ctx, uint64_t addr,
                         enum vpmu_maintenance what)
{
    struct vpmu_key_ line = vpmu_line_(m, addr, vpmu_space_(m, addr));

    vpmu_lock_(m);
    if (what == VPMU_MAINTAIN_FETCH) {
        maintain_fetch(m, line);
    } else {
        maintain_data(m, vpmu_row_(m, ctx), line, what);
    }
    vpmu_unlock_(m);
}

void vpmu_model_empty(struct vpmu_model *m, bool data)
{
    vpmu_lock_(m);
    for (unsigned cache = VPMU_L1I_; cache <= VPMU_LLC_; cache++) {
        if ((cache == VPMU_L1I_ || data) && m->assoc[cache].sets) {
            vpmu_assoc_clear_(&m->assoc[cache]);
        }
    }
    vpmu_filter_clear_(m->head.filter.fetch, m->line_shift);
    if (data) {
        vpmu_filter_clear_(m->head.filter.load, m->line_shift);
        vpmu_filter_clear_(m->head.filter.store, m->line_shift);
    }
    m->head.fetch_line = VPMU_NO_LINE;
    vpmu_unlock_(m);
}
