/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* Cache maintenance: instructions that take a line out of the caches, or write it back. */
#include "filter.h"
#include "model_shared.h"

/*
 * Makes the line clean in one cache, or removes it. Returns whether it was modified there.
 */
static bool maintain(const struct vpmu_model *m, const struct vpmu_sets_ *c, struct vpmu_line_ line,
                     bool remove)
{
    uint32_t *set = vpmu_set_of_(m, c, line);
    unsigned found = vpmu_sets_find_(c, set, line.tag);
    bool dirty;

    if (!found) {
        return false;
    }
    dirty = set[found - 1] & VPMU_TAG_DIRTY_;
    if (remove) {
        vpmu_sets_remove_(c, set, found - 1);
    } else {
        set[found - 1] = line.tag;
    }
    return dirty;
}

/* A line leaves L1D, or is no longer modified there. */
static void drop_from_filter(struct vpmu_model *m, uint64_t addr, bool remove)
{
    vpmu_filter_drop_line_(m->line_shift, m->head.filter.store, addr);
    if (remove) {
        vpmu_filter_drop_line_(m->line_shift, m->head.filter.load, addr);
    }
}

static void maintain_fetch(struct vpmu_model *m, struct vpmu_line_ line)
{
    uint64_t addr = line.addr;

    maintain(m, &m->sets[VPMU_L1I_], line, true);
    vpmu_filter_drop_line_(m->line_shift, m->head.filter.fetch, addr);
    if (m->head.fetch_line == addr) {
        m->head.fetch_line = VPMU_NO_LINE;
    }
}

/* The last-level cache, which may have the line even if no private cache knows its page. */
static bool maintain_llc(struct vpmu_model *m, struct vpmu_line_ line, bool remove)
{
    return maintain(m, &m->sets[VPMU_LLC_], m->shared ? vpmu_shared_line_(m, line) : line, remove);
}

/* Each level writes to the next one. With @remove, no level keeps the line. */
static void maintain_data(struct vpmu_model *m, uint64_t *row, struct vpmu_line_ line,
                          enum vpmu_maintenance what)
{
    bool remove = what == VPMU_MAINTAIN_FLUSH || what == VPMU_MAINTAIN_DISCARD;
    bool write = what != VPMU_MAINTAIN_DISCARD;
    unsigned peers = m->shared && remove ? vpmu_shared_snoop_(m, line, true) : 0;

    drop_from_filter(m, line.addr, remove);
    if (maintain(m, &m->sets[VPMU_L1D_], line, remove) && write) {
        row[VPMU_SRC_L1D_CACHE_WB_CLEAN]++;
        vpmu_outer_write_(m, row, line);
    }
    if (what == VPMU_MAINTAIN_CLEAN_L1 || !m->sets[VPMU_L2_].tags) {
        return;
    }
    if (maintain(m, &m->sets[VPMU_L2_], line, remove) && write) {
        row[VPMU_SRC_L2D_CACHE_WB_CLEAN]++;
        vpmu_llc_write_(m, row, line);
    }
    if (m->sets[VPMU_LLC_].tags &&
        ((maintain_llc(m, line, remove) || peers & VPMU_PEER_MODIFIED) && write)) {
        row[VPMU_SRC_BUS_ACCESS_WR]++;
    }
}

void vpmu_model_maintain(struct vpmu_model *m, unsigned ctx, uint64_t addr,
                         enum vpmu_maintenance what)
{
    struct vpmu_line_ line;

    vpmu_lock_(m);
    line = vpmu_line_(m->line_shift, addr,
                      vpmu_page_id_(m, addr >> VPMU_PAGE_SHIFT, vpmu_space_(m, addr)));
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
        if (cache == VPMU_L1I_ || data) {
            vpmu_sets_clear_(&m->sets[cache]);
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
