/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* The pages of a model: ids, which are used again when nothing refers to a page. */
#include "model_shared.h"

/* Marks the pages that caches and TLBs refer to. */
static void mark_pages(struct vpmu_model *m)
{
    for (unsigned i = 0; i < VPMU_SETS_COUNT_; i++) {
        bool is_shared = i == VPMU_LLC_ && m->shared;
        const struct vpmu_sets_ *s = &m->sets[i];
        size_t tags = s->tags && !is_shared ? ((size_t)s->set_mask + 1) * s->stride : 0;

        for (size_t n = 0; n < tags; n++) {
            uint32_t tag = s->tags[n];

            vpmu_pages_mark_(&m->pages, i == VPMU_L2_TLB_ ? tag >> 1 : tag >> VPMU_ID_SHIFT_);
        }
    }
    for (unsigned side = 0; side < VPMU_SIDES_; side++) {
        const struct vpmu_tlb_ *t = &m->tlb[side];

        for (uint32_t i = 0; i < (t->set_mask + 1u) * t->ways; i++) {
            vpmu_pages_mark_(&m->pages, t->pages[i].id);
        }
    }
}

void vpmu_tlb_clear_hints_(struct vpmu_model *m)
{
    for (unsigned side = 0; side < VPMU_SIDES_; side++) {
        for (size_t i = 0; i < VPMU_HINTS_; i++) {
            m->hints[side][i] = (struct vpmu_hint_){0, NULL, 0, 0};
        }
    }
}

uint32_t vpmu_page_id_(struct vpmu_model *m, uint64_t number, uint32_t space)
{
    uint32_t id = vpmu_pages_find_(&m->pages, number, space);

    if (id) {
        return id;
    }
    if (vpmu_pages_full_(&m->pages)) {
        vpmu_pages_unmark_(&m->pages);
        mark_pages(m);
        vpmu_pages_collect_(&m->pages);
        vpmu_tlb_clear_hints_(m);
    }
    return vpmu_pages_add_(&m->pages, number, space);
}
