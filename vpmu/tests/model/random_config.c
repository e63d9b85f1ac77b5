/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* Random configurations of models. */
#include "random_config.h"

static uint16_t choose_penalty(struct chooser *c)
{
    return (uint16_t)choose_below(c, 300);
}

/* Mostly few ways, which are searched by other code than many ways. */
static uint16_t choose_ways(struct chooser *c, unsigned most)
{
    return (uint16_t)(1 + choose_below(c, choose_one_in(c, 4) ? most : 8));
}

static struct vpmu_cache_config choose_cache(struct chooser *c, uint16_t line, unsigned max_sets)
{
    struct vpmu_cache_config cache = {.ways = choose_ways(c, 64), .line = line};

    cache.size = (uint32_t)cache.ways * line << choose_below(c, max_sets);
    return cache;
}

/* Changes the ways and keeps the sets. */
static void set_ways(struct vpmu_cache_config *cache, uint16_t ways)
{
    cache->size = cache->size / cache->ways * ways;
    cache->ways = ways;
}

static struct vpmu_tlb_config choose_tlb(struct chooser *c)
{
    struct vpmu_tlb_config tlb = {.ways = choose_ways(c, 256)};

    tlb.entries = (uint16_t)(tlb.ways << choose_below(c, 4));
    return tlb;
}

/* The mixture of pages; only the last size is used if the others have no share. */
static struct {
    uint64_t seed;
    unsigned shares[5]; /* of a size, one in so many parts of an address space; 0: none */
    unsigned last;
} pages = {.last = 12};

static const unsigned shifts[] = {39, 30, 21, 16, 14};

void choose_pages(struct chooser *c)
{
    pages.seed = choose_bits(c);
    for (unsigned i = 0; i < 5; i++) {
        pages.shares[i] = (unsigned)choose_below(c, 5);
    }
    pages.last = 12;
}

void choose_page_size(struct chooser *c)
{
    static const unsigned sizes[] = {12, 12, 14, 16, 20, 21, 30};

    for (unsigned i = 0; i < 5; i++) {
        pages.shares[i] = 0;
    }
    pages.last = sizes[choose_below(c, 7)];
}

unsigned page_shift_at(uint64_t addr)
{
    for (unsigned i = 0; i < 5; i++) {
        struct chooser part = {.state = pages.seed ^ (addr >> shifts[i]) * 41 ^ i};

        if (pages.shares[i] && choose_below(&part, pages.shares[i]) == 0) {
            return shifts[i];
        }
    }
    return pages.last;
}

uint64_t page_bytes_at(uint64_t addr)
{
    return 1ull << page_shift_at(addr);
}

/* Makes it one of the configurations for which accesses have code of their own. */
static void make_usual(struct chooser *c, struct vpmu_model_config *config)
{
    static const uint16_t ways[][2] = {{2, 16}, {4, 8}, {4, 16}, {8, 8}, {8, 16}, {12, 16}};
    const uint16_t *chosen = ways[choose_below(c, sizeof(ways) / sizeof(ways[0]))];

    set_ways(&config->l1d, chosen[0]);
    set_ways(&config->l2, chosen[1]);
    config->l1_policy = VPMU_POLICY_FIFO;
    config->cycles = VPMU_CYCLES_ISSUE;
}

struct vpmu_model_config choose_model_config(struct chooser *c)
{
    static const uint16_t lines[] = {16, 32, 64, 64, 64, 128, 256};
    bool usual = choose_one_in(c, 3);
    uint16_t line = usual ? 64 : lines[choose_below(c, sizeof(lines) / sizeof(lines[0]))];
    struct vpmu_model_config config = vpmu_model_default;

    if (!choose_one_in(c, 8)) {
        config.l1i = choose_cache(c, line, 5);
        config.l1d = choose_cache(c, line, 5);
        config.l2 = choose_cache(c, line, 7);
        config.llc = choose_cache(c, line, 9);
        config.l1i_tlb = choose_tlb(c);
        config.l1d_tlb = choose_tlb(c);
        config.l2_tlb = choose_tlb(c);
    }
    if (choose_one_in(c, 4)) {
        config.llc.size = 0;
        config.l2.size *= usual || choose_one_in(c, 2);
    }
    config.l1_policy = choose_one_in(c, 4) ? VPMU_POLICY_LRU : VPMU_POLICY_FIFO;
    config.branch = (uint8_t)choose_below(c, VPMU_BRANCH_STATIC + 1);
    config.width = (uint8_t)(1 + choose_below(c, 8));
    config.cycles = (uint8_t)choose_below(c, VPMU_CYCLES_MODEL + 1);
    config.penalty_l2 = choose_penalty(c);
    config.penalty_llc = choose_penalty(c);
    config.penalty_memory = choose_penalty(c);
    config.penalty_tlb2 = choose_penalty(c);
    config.penalty_walk = choose_penalty(c);
    config.penalty_branch = choose_penalty(c);
    config.branch_backend = choose_one_in(c, 2) ? 0 : choose_penalty(c);
    if (usual) {
        make_usual(c, &config);
    }
    return config;
}
