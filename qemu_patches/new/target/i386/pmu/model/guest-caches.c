/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * CPUID describes the modelled caches to the guest (pmu-cache-told=on)
 *
 * QEMU encodes leaves 2, 4, 80000005H, 80000006H and 8000001DH from the
 * description that this file changes.  Its encoders assert what find_fault()
 * refuses.
 */

#include "qemu/osdep.h"
#include "cpu.h"
#include "target/i386/pmu/compat.h"
#include "target/i386/pmu/private.h"

/* What fields of CPUID 80000005H and 80000006H hold: KiB, KiB, 512 KiB. */
#define L1_MOST (0xffu << 10)
#define L2_MOST (0xffffu << 10)
#define LLC_MOST (0x3fffu << 19)

static uint32_t sets_of(const struct vpmu_cache_config *cache)
{
    return cache->size / cache->ways / cache->line;
}

static bool is_describable(const struct vpmu_cache_config *cache,
                           uint32_t unit, uint32_t most)
{
    return cache->size % unit == 0 && cache->size <= most &&
           cache->ways < sets_of(cache);
}

static const char *find_fault(const struct vpmu_model_config *model, bool amd)
{
    if (!model->l2.size) {
        return "CPUID cannot describe caches without 'pmu-cache-l2'";
    }
    if (amd && !model->llc.size) {
        return "CPUID of AMD's CPUs describes a last level: set "
               "'pmu-cache-llc'";
    }
    if (!is_describable(&model->l1i, 1 << 10, L1_MOST) ||
        !is_describable(&model->l1d, 1 << 10, L1_MOST)) {
        return "CPUID describes L1 caches of 1 to 255 KiB, with more sets than "
               "ways";
    }
    if (!is_describable(&model->l2, 1 << 10, L2_MOST)) {
        return "CPUID describes an L2 cache of 1 to 65535 KiB, with more sets "
               "than ways";
    }
    if (model->llc.size && !is_describable(&model->llc, 1 << 19, LLC_MOST)) {
        return "CPUID describes a last level of a multiple of 512 KiB, with "
               "more sets than ways";
    }
    return NULL;
}

/* All but the geometry stays as QEMU has it, such as who shares the cache. */
static CPUCacheInfo *describe(CPUCacheInfo *described,
                              const CPUCacheInfo *stock,
                              const struct vpmu_cache_config *cache)
{
    *described = *stock;
    described->size = cache->size;
    described->line_size = cache->line;
    described->associativity = cache->ways;
    described->sets = sets_of(cache);
    described->partitions = 1;
    described->lines_per_tag = 1;
    return described;
}

const char *x86_vpmu_describe_caches(X86CPU *cpu)
{
    X86PMUConfig *config = x86_pmu_config(cpu);
    const struct vpmu_model_config *model = &config->model;
    bool amd = cpu->vpmu->pmu.config.vendor == VPMU_X86_AMD;
    const CPUCaches *stock = x86_guest_caches(&cpu->env, amd);
    const char *why = find_fault(model, amd);
    CPUCacheInfo *described = config->described;
    CPUCaches caches;

    if (why) {
        return why;
    }
    if (!stock->l1d_cache || !stock->l1i_cache || !stock->l2_cache ||
        !stock->l3_cache) {
        return "CPUID of this CPU describes no caches";
    }
    caches.l1d_cache = describe(&described[0], stock->l1d_cache, &model->l1d);
    caches.l1i_cache = describe(&described[1], stock->l1i_cache, &model->l1i);
    caches.l2_cache = describe(&described[2], stock->l2_cache, &model->l2);
    caches.l3_cache = stock->l3_cache;
    cpu->enable_l3_cache = model->llc.size != 0;
    if (cpu->enable_l3_cache) {
        caches.l3_cache = describe(&described[3], stock->l3_cache,
                                   &model->llc);
    }
    x86_set_guest_caches(&cpu->env, &caches);
    return NULL;
}
