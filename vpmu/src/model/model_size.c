/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* The geometry of a model's caches and TLBs, and the memory that they need. */
#include "model_internal.h"

static struct vpmu_geometry_ cache_geometry(const struct vpmu_cache_config *cache)
{
    if (!cache->size) {
        return (struct vpmu_geometry_){0};
    }
    return (struct vpmu_geometry_){
        .sets = cache->size / ((uint32_t)cache->ways * cache->line),
        .ways = cache->ways,
        .shift = (uint8_t)__builtin_ctz(cache->line),
    };
}

static struct vpmu_geometry_ tlb_geometry(const struct vpmu_tlb_config *tlb)
{
    return (struct vpmu_geometry_){
        .sets = (uint32_t)tlb->entries / tlb->ways,
        .ways = tlb->ways,
        .shift = VPMU_PAGE_SHIFT_,
    };
}

void vpmu_find_geometries_(const struct vpmu_model_config *config,
                           struct vpmu_geometry_ geometry[VPMU_ASSOC_COUNT_])
{
    geometry[VPMU_L1I_] = cache_geometry(&config->l1i);
    geometry[VPMU_L1D_] = cache_geometry(&config->l1d);
    geometry[VPMU_L2_] = cache_geometry(&config->l2);
    geometry[VPMU_LLC_] =
        config->llc_shared ? (struct vpmu_geometry_){0} : cache_geometry(&config->llc);
    geometry[VPMU_L1I_TLB_] = tlb_geometry(&config->l1i_tlb);
    geometry[VPMU_L1D_TLB_] = tlb_geometry(&config->l1d_tlb);
    geometry[VPMU_L2_TLB_] = tlb_geometry(&config->l2_tlb);
    geometry[VPMU_L1I_TLB_].is_l1_tlb = true;
    geometry[VPMU_L1D_TLB_].is_l1_tlb = true;
}

uint64_t vpmu_set_size_(const struct vpmu_geometry_ *g)
{
    uint64_t way =
        sizeof(uint64_t) + sizeof(uint32_t) + (g->is_l1_tlb ? sizeof(struct vpmu_page_) : 0);
    uint64_t size = 2 * vpmu_lane_words_(g->ways) * sizeof(uint64_t) + g->ways * way;

    return (size + VPMU_SET_ALIGN_ - 1) & ~(uint64_t)(VPMU_SET_ALIGN_ - 1);
}

uint64_t vpmu_model_size_(const struct vpmu_model_config *config)
{
    struct vpmu_geometry_ geometry[VPMU_ASSOC_COUNT_];
    uint64_t size = vpmu_align_up_(sizeof(struct vpmu_model));

    vpmu_find_geometries_(config, geometry);
    for (unsigned i = 0; i < VPMU_ASSOC_COUNT_; i++) {
        size += vpmu_align_up_(geometry[i].sets * vpmu_set_size_(&geometry[i]));
    }
    return size;
}

struct vpmu_geometry_ vpmu_shared_geometry_(const struct vpmu_model_config *config)
{
    return config->llc_shared ? cache_geometry(&config->llc) : (struct vpmu_geometry_){0};
}

uint64_t vpmu_llc_size_(const struct vpmu_model_config *config)
{
    struct vpmu_geometry_ geometry = vpmu_shared_geometry_(config);

    return vpmu_align_up_(geometry.sets * vpmu_set_size_(&geometry));
}

unsigned char *vpmu_place_(struct vpmu_assoc_ *a, const struct vpmu_geometry_ *g,
                           unsigned char *mem)
{
    a->sets = mem;
    a->stride = (uint32_t)vpmu_set_size_(g);
    a->set_mask = g->sets - 1;
    a->ways = g->ways;
    a->words = (uint8_t)vpmu_lane_words_(g->ways);
    a->tags = (uint16_t)(2 * a->words * sizeof(uint64_t));
    if (g->is_l1_tlb) {
        a->pages = (uint16_t)(a->tags + a->ways * sizeof(uint64_t));
        a->spaces = (uint16_t)(a->pages + a->ways * sizeof(struct vpmu_page_));
    } else {
        a->spaces = (uint16_t)(a->tags + a->ways * sizeof(uint64_t));
    }
    a->shift = g->shift;
    vpmu_assoc_clear_(a);
    return mem + vpmu_align_up_((uint64_t)g->sets * a->stride);
}
