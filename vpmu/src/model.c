/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* A model's configuration, memory and life. */
#include "model_internal.h"

const struct vpmu_model_config vpmu_model_default = {
    .l1i = {.size = 32 << 10, .ways = 4, .line = 64},
    .l1d = {.size = 32 << 10, .ways = 8, .line = 64},
    .l2 = {.size = 512 << 10, .ways = 8, .line = 64},
    .llc = {.size = 2 << 20, .ways = 16, .line = 64},
    .l1i_tlb = {.entries = 48, .ways = 48},
    .l1d_tlb = {.entries = 48, .ways = 48},
    .l2_tlb = {.entries = 1024, .ways = 4},
    .l1_policy = VPMU_POLICY_FIFO,
    .branch = VPMU_BRANCH_TAGE,
    .width = 1,
    .cycles = false,
    .penalty_l2 = 8,
    .penalty_llc = 30,
    .penalty_memory = 150,
    .penalty_tlb2 = 5,
    .penalty_walk = 40,
    .penalty_branch = 11,
};

/* What a cache or TLB is made of; no sets if there is none. */
struct geometry {
    uint32_t sets;
    uint16_t ways;
    uint8_t shift;
};

static uint64_t align_up(uint64_t n)
{
    return (n + VPMU_MODEL_ALIGN - 1) & ~(uint64_t)(VPMU_MODEL_ALIGN - 1);
}

static struct geometry cache_geometry(const struct vpmu_cache_config *cache)
{
    if (!cache->size) {
        return (struct geometry){0};
    }
    return (struct geometry){
        .sets = cache->size / ((uint32_t)cache->ways * cache->line),
        .ways = cache->ways,
        .shift = (uint8_t)__builtin_ctz(cache->line),
    };
}

static struct geometry tlb_geometry(const struct vpmu_tlb_config *tlb)
{
    return (struct geometry){
        .sets = (uint32_t)tlb->entries / tlb->ways,
        .ways = tlb->ways,
        .shift = VPMU_PAGE_SHIFT_,
    };
}

static void find_geometries(const struct vpmu_model_config *config,
                            struct geometry geometry[VPMU_ASSOC_COUNT_])
{
    geometry[VPMU_L1I_] = cache_geometry(&config->l1i);
    geometry[VPMU_L1D_] = cache_geometry(&config->l1d);
    geometry[VPMU_L2_] = cache_geometry(&config->l2);
    geometry[VPMU_LLC_] = cache_geometry(&config->llc);
    geometry[VPMU_L1I_TLB_] = tlb_geometry(&config->l1i_tlb);
    geometry[VPMU_L1D_TLB_] = tlb_geometry(&config->l1d_tlb);
    geometry[VPMU_L2_TLB_] = tlb_geometry(&config->l2_tlb);
}

static uint64_t entries_size(const struct geometry *g)
{
    return (uint64_t)g->sets * g->ways * sizeof(struct vpmu_entry_);
}

uint64_t vpmu_model_size_(const struct vpmu_model_config *config)
{
    struct geometry geometry[VPMU_ASSOC_COUNT_];
    uint64_t size = align_up(sizeof(struct vpmu_model));

    find_geometries(config, geometry);
    for (unsigned i = 0; i < VPMU_ASSOC_COUNT_; i++) {
        size += entries_size(&geometry[i]) + align_up(geometry[i].sets);
    }
    return size;
}

size_t vpmu_model_size(const struct vpmu_model_config *config)
{
    return vpmu_model_check(config, NULL) ? 0 : (size_t)vpmu_model_size_(config);
}

/* Takes the memory that @a needs from @mem on. Returns what is left. */
static unsigned char *place(struct vpmu_assoc_ *a, const struct geometry *g, unsigned char *mem)
{
    a->entries = (void *)mem;
    a->oldest = mem + entries_size(g);
    a->set_mask = g->sets - 1;
    a->ways = g->ways;
    a->shift = g->shift;
    vpmu_assoc_clear_(a);
    return a->oldest + align_up(g->sets);
}

static void place_all(struct vpmu_model *m)
{
    struct geometry geometry[VPMU_ASSOC_COUNT_];
    unsigned char *mem = (unsigned char *)m + align_up(sizeof(*m));
    bool l1_lru = m->config.l1_policy == VPMU_POLICY_LRU;

    find_geometries(&m->config, geometry);
    for (unsigned i = 0; i < VPMU_ASSOC_COUNT_; i++) {
        bool is_outer = i == VPMU_L2_ || i == VPMU_LLC_ || i == VPMU_L2_TLB_;

        m->assoc[i] = (struct vpmu_assoc_){.lru = is_outer || l1_lru};
        if (geometry[i].sets) {
            mem = place(&m->assoc[i], &geometry[i], mem);
        }
    }
}

struct vpmu_model *vpmu_model_init(void *mem, const struct vpmu_model_config *config,
                                   struct vpmu_totals *totals)
{
    struct vpmu_model *m = mem;

    if (vpmu_model_check(config, NULL)) {
        return NULL;
    }
    m->config = *config;
    m->totals = totals;
    m->space[0] = 0;
    m->space[1] = 0;
    m->line_shift = (unsigned)__builtin_ctz(config->l1d.line);
    place_all(m);
    vpmu_filter_init_(m);
    m->head.fetch_line = VPMU_NO_LINE;
    vpmu_predictors_init_(m);
    return m;
}

static void set_half(struct vpmu_model *m, unsigned half, uint32_t space)
{
    if (m->space[half] != space) {
        m->space[half] = space;
        vpmu_filter_clear_half_(m, half);
        m->head.fetch_line = VPMU_NO_LINE;
    }
}

void vpmu_model_set_space(struct vpmu_model *m, uint32_t low, uint32_t high)
{
    set_half(m, 0, low);
    set_half(m, 1, high);
}
