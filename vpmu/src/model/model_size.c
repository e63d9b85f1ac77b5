/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* The memory of a model's caches and TLBs. */
#include "model_internal.h"

/* The number of sets and ways of a cache or TLB; 0 sets if it does not exist. */
struct geometry {
    uint32_t sets;
    uint16_t ways;
};

static struct geometry cache_geometry(const struct vpmu_cache_config *cache)
{
    return cache->size
               ? (struct geometry){cache->size / ((uint32_t)cache->ways * cache->line), cache->ways}
               : (struct geometry){0, 0};
}

static struct geometry tlb_geometry(const struct vpmu_tlb_config *tlb)
{
    return (struct geometry){(uint32_t)tlb->entries / tlb->ways, tlb->ways};
}

/* The geometries of private sets, in the order of enum vpmu_sets_index_. */
static void find_geometries(const struct vpmu_model_config *config,
                            struct geometry geometry[VPMU_SETS_COUNT_])
{
    geometry[VPMU_L1I_] = cache_geometry(&config->l1i);
    geometry[VPMU_L1D_] = cache_geometry(&config->l1d);
    geometry[VPMU_L2_] = cache_geometry(&config->l2);
    geometry[VPMU_LLC_] =
        config->llc_shared ? (struct geometry){0, 0} : cache_geometry(&config->llc);
    geometry[VPMU_L2_TLB_] = tlb_geometry(&config->l2_tlb);
}

static uint64_t sets_size(struct geometry g)
{
    return vpmu_align_up_((uint64_t)g.sets * vpmu_stride_(g.ways) * sizeof(uint32_t));
}

static uint64_t tlb_size(struct geometry g)
{
    return vpmu_align_up_((uint64_t)g.sets * g.ways * sizeof(struct vpmu_page_)) +
           vpmu_align_up_((uint64_t)g.sets * sizeof(uint16_t));
}

/* At most so many things refer to a page: the lines of the caches, and the entries of the TLBs. */
static uint64_t most_references(const struct vpmu_model_config *config)
{
    struct geometry geometry[VPMU_SETS_COUNT_];
    uint64_t most = (uint64_t)config->l1i_tlb.entries + config->l1d_tlb.entries;

    find_geometries(config, geometry);
    for (unsigned i = 0; i < VPMU_SETS_COUNT_; i++) {
        most += (uint64_t)geometry[i].sets * geometry[i].ways;
    }
    return most;
}

uint64_t vpmu_model_size_(const struct vpmu_model_config *config)
{
    struct geometry geometry[VPMU_SETS_COUNT_];
    uint64_t size = vpmu_align_up_(sizeof(struct vpmu_model)) +
                    tlb_size(tlb_geometry(&config->l1i_tlb)) +
                    tlb_size(tlb_geometry(&config->l1d_tlb)) +
                    vpmu_align_up_(vpmu_pages_size_(most_references(config)));

    find_geometries(config, geometry);
    for (unsigned i = 0; i < VPMU_SETS_COUNT_; i++) {
        size += sets_size(geometry[i]);
    }
    return size;
}

static uint64_t shared_lines(const struct vpmu_model_config *config)
{
    return config->llc.size / config->llc.line;
}

uint64_t vpmu_llc_size_(const struct vpmu_model_config *config)
{
    return config->llc_shared ? sets_size(cache_geometry(&config->llc)) +
                                    vpmu_align_up_(vpmu_pages_size_(shared_lines(config)))
                              : 0;
}

static unsigned char *place_sets(struct vpmu_sets_ *s, struct geometry g, bool lru,
                                 unsigned char *mem)
{
    *s = (struct vpmu_sets_){
        .tags = g.sets ? (uint32_t *)(void *)mem : NULL,
        .set_mask = g.sets - 1,
        .ways = g.ways,
        .stride = vpmu_stride_(g.ways),
        .lru = lru,
    };
    vpmu_sets_clear_(s);
    return mem + sets_size(g);
}

static unsigned char *place_tlb(struct vpmu_tlb_ *t, struct geometry g, unsigned char *mem)
{
    *t = (struct vpmu_tlb_){
        .pages = (struct vpmu_page_ *)(void *)mem,
        .next = (uint16_t *)(void *)(mem + vpmu_align_up_((uint64_t)g.sets * g.ways *
                                                          sizeof(struct vpmu_page_))),
        .set_mask = (uint16_t)(g.sets - 1),
        .ways = g.ways,
    };
    return mem + tlb_size(g);
}

void vpmu_model_place_(struct vpmu_model *m)
{
    bool l1_lru = m->config.l1_policy == VPMU_POLICY_LRU;
    unsigned char *mem = (unsigned char *)m + vpmu_align_up_(sizeof(*m));
    struct geometry geometry[VPMU_SETS_COUNT_];

    find_geometries(&m->config, geometry);
    for (unsigned i = 0; i < VPMU_SETS_COUNT_; i++) {
        mem = place_sets(&m->sets[i], geometry[i], i > VPMU_L1D_ || l1_lru, mem);
    }
    mem = place_tlb(&m->tlb[VPMU_FETCHES_], tlb_geometry(&m->config.l1i_tlb), mem);
    mem = place_tlb(&m->tlb[VPMU_DATA_], tlb_geometry(&m->config.l1d_tlb), mem);
    vpmu_pages_init_(&m->pages, most_references(&m->config), mem);
    vpmu_tlb_clear_(m);
}

void vpmu_llc_place_(struct vpmu_sets_ *llc, struct vpmu_pages_ *pages,
                     const struct vpmu_model_config *config, unsigned char *mem)
{
    mem = place_sets(llc, cache_geometry(&config->llc), true, mem);
    vpmu_pages_init_(pages, shared_lines(config), mem);
}
