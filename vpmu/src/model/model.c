/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* Makes a model: its configuration and its memory. */
#include "model_shared.h"

const struct vpmu_model_config vpmu_model_default = {
    .l1i = {.size = 32 << 10, .ways = 4, .line = 64},
    .l1d = {.size = 32 << 10, .ways = 8, .line = 64},
    .l2 = {.size = 512 << 10, .ways = 8, .line = 64},
    .llc = {.size = 2 << 20, .ways = 16, .line = 64},
    .l1i_tlb = {.entries = 48, .ways = 48},
    .l1d_tlb = {.entries = 48, .ways = 48},
    .l2_tlb = {.entries = 1024, .ways = 4},
    .l1_policy = VPMU_POLICY_FIFO,
    .branch = VPMU_BRANCH_GSHARE,
    .width = 1,
    .cycles = VPMU_CYCLES_ISSUE,
    .penalty_l2 = 8,
    .penalty_llc = 30,
    .penalty_memory = 150,
    .penalty_tlb2 = 5,
    .penalty_walk = 40,
    .penalty_branch = 11,
};

size_t vpmu_model_size(const struct vpmu_model_config *config)
{
    return vpmu_model_check(config, NULL) ? 0 : (size_t)vpmu_model_size_(config);
}

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

uint32_t vpmu_page_id_(struct vpmu_model *m, uint64_t addr, uint32_t space)
{
    uint64_t number = addr >> VPMU_PAGE_SHIFT_;
    uint32_t id = vpmu_pages_find_(&m->pages, number, space);

    if (id) {
        return id;
    }
    if (vpmu_pages_full_(&m->pages)) {
        vpmu_pages_unmark_(&m->pages);
        mark_pages(m);
        vpmu_pages_collect_(&m->pages);
    }
    return vpmu_pages_add_(&m->pages, number, space);
}

struct vpmu_model *vpmu_model_init(void *mem, const struct vpmu_model_config *config,
                                   struct vpmu_table totals)
{
    struct vpmu_model *m = mem;

    if (vpmu_model_check(config, NULL)) {
        return NULL;
    }
    m->config = *config;
    m->totals = totals;
    m->shared = NULL;
    m->space[0] = 0;
    m->space[1] = 0;
    m->line_shift = (unsigned)__builtin_ctz(config->l1d.line);
    m->line_mask = ~(uint64_t)(config->l1d.line - 1u);
    vpmu_model_place_(m);
    vpmu_filter_init_(m);
    m->head.fetch_line = VPMU_NO_LINE;
    vpmu_predictors_init_(m);
    return m;
}

static void set_half(struct vpmu_model *m, unsigned half, uint32_t space)
{
    if (m->space[half] != space) {
        m->space[half] = space;
        vpmu_predictors_move_(m, half);
        vpmu_filter_clear_half_(m, half);
        m->head.fetch_line = VPMU_NO_LINE;
    }
}

void vpmu_model_set_space(struct vpmu_model *m, uint32_t low, uint32_t high)
{
    vpmu_lock_(m);
    set_half(m, 0, low);
    set_half(m, 1, high);
    vpmu_unlock_(m);
}
