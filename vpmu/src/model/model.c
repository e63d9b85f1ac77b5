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

static enum vpmu_usual_ find_usual(const struct vpmu_model_config *config)
{
    static const struct {
        uint16_t l1d_ways;
        uint16_t l2_ways;
        enum vpmu_usual_ usual;
    } known[] = {
        {2, 16, VPMU_USUAL_2_16_}, {4, 8, VPMU_USUAL_4_8_},   {4, 16, VPMU_USUAL_4_16_},
        {8, 8, VPMU_USUAL_8_8_},   {8, 16, VPMU_USUAL_8_16_}, {12, 16, VPMU_USUAL_12_16_},
    };

    if (config->l1d.line != 1u << VPMU_USUAL_LINE_SHIFT_ || config->l2.size == 0 ||
        config->l1_policy != VPMU_POLICY_FIFO || config->cycles == VPMU_CYCLES_MODEL ||
        config->llc_shared) {
        return VPMU_UNUSUAL_;
    }
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        if (config->l1d.ways == known[i].l1d_ways && config->l2.ways == known[i].l2_ways) {
            return known[i].usual;
        }
    }
    return VPMU_UNUSUAL_;
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
    m->usual = find_usual(config);
    m->largest_shift = VPMU_PAGE_MAX_SHIFT;
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
