/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* Checks whether a model with a configuration can exist. */
#include "../refuse.h"
#include "model_internal.h"

#define MAX_CACHE_WAYS 64
#define MAX_TLB_WAYS 256
#define MIN_LINE 16
#define MAX_LINE 256
#define MAX_WIDTH 8

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

static bool is_power_of_two(uint32_t n)
{
    return n != 0 && (n & (n - 1)) == 0;
}

/* Error texts for one cache. */
struct cache_faults {
    const char *line;
    const char *ways;
    const char *sets;
};

#define CACHE_FAULTS(name)                                                                         \
    {                                                                                              \
        "the " name "'s line is of a wrong size; it can be 16, 32, 64, 128 or 256 bytes",          \
            "the " name " has a wrong number of ways; there can be 1 to 64",                       \
            "the " name "'s size / ways / line, its number of sets, is no power of two; for "      \
            "instance 32 KiB of 8 ways and 64-byte lines have 64 sets"                             \
    }

static const char *find_fault_in_cache(const struct vpmu_cache_config *cache,
                                       const struct cache_faults *faults)
{
    uint32_t way_size = (uint32_t)cache->ways * cache->line;

    if (!cache->size) {
        return NULL;
    }
    if (!is_power_of_two(cache->line) || cache->line < MIN_LINE || cache->line > MAX_LINE) {
        return faults->line;
    }
    if (cache->ways < 1 || cache->ways > MAX_CACHE_WAYS) {
        return faults->ways;
    }
    if (cache->size % way_size || !is_power_of_two(cache->size / way_size)) {
        return faults->sets;
    }
    return NULL;
}

static bool lines_differ(const struct vpmu_model_config *config)
{
    uint16_t line = config->l1d.line;

    return config->l1i.line != line || (config->l2.size && config->l2.line != line) ||
           (config->llc.size && config->llc.line != line);
}

static const char *find_fault_in_caches(const struct vpmu_model_config *config)
{
    static const struct cache_faults faults[] = {
        CACHE_FAULTS("L1 instruction cache"),
        CACHE_FAULTS("L1 data cache"),
        CACHE_FAULTS("L2 cache"),
        CACHE_FAULTS("last-level cache"),
    };
    const struct vpmu_cache_config *caches[] = {&config->l1i, &config->l1d, &config->l2,
                                                &config->llc};

    if (!config->l1i.size || !config->l1d.size) {
        return "an L1 cache is missing; only the L2 and last-level caches can be absent";
    }
    if (config->llc.size && !config->l2.size) {
        return "a last-level cache needs an L2 cache; leave out both, or only the last-level one";
    }
    if (config->llc_shared && !config->llc.size) {
        return "there is no last-level cache that could be shared";
    }
    for (size_t i = 0; i < COUNT_OF(caches); i++) {
        const char *fault = find_fault_in_cache(caches[i], &faults[i]);

        if (fault) {
            return fault;
        }
    }
    return NULL;
}

/* Error texts for one TLB. */
struct tlb_faults {
    const char *ways;
    const char *sets;
};

#define TLB_FAULTS(name)                                                                           \
    {                                                                                              \
        "the " name " has a wrong number of ways; there can be 1 to 256",                          \
            "the " name "'s entries / ways, its number of sets, is no power of two; for instance " \
            "1024 entries in 4 ways are 256 sets"                                                  \
    }

static const char *find_fault_in_tlbs(const struct vpmu_model_config *config)
{
    static const struct tlb_faults faults[] = {
        TLB_FAULTS("L1 instruction TLB"),
        TLB_FAULTS("L1 data TLB"),
        TLB_FAULTS("L2 TLB"),
    };
    const struct vpmu_tlb_config *tlbs[] = {&config->l1i_tlb, &config->l1d_tlb, &config->l2_tlb};

    for (size_t i = 0; i < COUNT_OF(tlbs); i++) {
        if (tlbs[i]->ways < 1 || tlbs[i]->ways > MAX_TLB_WAYS) {
            return faults[i].ways;
        }
        if (tlbs[i]->entries % tlbs[i]->ways ||
            !is_power_of_two((uint32_t)tlbs[i]->entries / tlbs[i]->ways)) {
            return faults[i].sets;
        }
    }
    return NULL;
}

static const char *find_fault(const struct vpmu_model_config *config)
{
    const char *fault = find_fault_in_caches(config);

    if (!fault) {
        fault = find_fault_in_tlbs(config);
    }
    if (fault) {
        return fault;
    }
    if (lines_differ(config)) {
        return "the caches' lines differ in size; all must be of the same size";
    }
    if (config->l1_policy > VPMU_POLICY_LRU) {
        return "the L1 caches' replacement policy is unknown; there are FIFO (0) and LRU (1)";
    }
    if (config->branch > VPMU_BRANCH_STATIC) {
        return "the branch predictor is unknown; there are tage, gshare, bimodal and static";
    }
    if (config->cycles > VPMU_CYCLES_MODEL) {
        return "the source of cycles is unknown; there are clock, 0, issue, 1, and model, 2";
    }
    if (config->width < 1 || config->width > MAX_WIDTH) {
        return "a cycle has a wrong number of issue slots; there can be 1 to 8";
    }
    if (vpmu_model_size_(config) + vpmu_llc_size_(config) > VPMU_MODEL_MAX_SIZE) {
        return "the caches have too many lines to model; each takes about 30 bytes of 128 MiB";
    }
    return NULL;
}

int vpmu_model_check(const struct vpmu_model_config *config, const char **why)
{
    return vpmu_refuse_(find_fault(config), VPMU_ERR_CONFIG, why);
}
