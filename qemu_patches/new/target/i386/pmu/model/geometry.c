/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The caches and TLBs that an x86 CPU's PMU models if no property sets them
 *
 * Caches are those that the guest reads: from CPUID.04H on Intel's CPUs, and
 * from CPUID 80000005H, 80000006H and 8000001DH on AMD's.  The TLBs of these
 * leaves cannot be modelled: 255 entries are no power of two.  TLBs are those
 * of the vendor's optimization guide.
 */

#include "qemu/osdep.h"
#include "qapi/error.h"
#include "cpu.h"
#include "target/i386/pmu/compat.h"
#include "target/i386/pmu/private.h"
#include "system/vpmu_model.h"
#include "system/vpmu_shared_cache.h"

/*
 * Intel: 64 and IA-32 Architectures Optimization Reference Manual, 248966.
 * AMD: Software Optimization Guide of the family; instructions and data share
 * the model's L2 TLB, which is the one for data.
 */
static const struct {
    struct vpmu_tlb_config l1i;
    struct vpmu_tlb_config l1d;
    struct vpmu_tlb_config l2;
} tlbs[VPMU_X86_FAMILY_COUNT] = {
    /* Intel, Nehalem: "Load and Store Operation Enhancements" */
    [VPMU_X86_NEHALEM] = { { 128, 4 }, { 64, 4 }, { 512, 4 } },
    [VPMU_X86_WESTMERE] = { { 128, 4 }, { 64, 4 }, { 512, 4 } },
    /* Intel, Sandy Bridge and Haswell: tables of "TLB Parameters" */
    [VPMU_X86_SANDYBRIDGE] = { { 128, 4 }, { 64, 4 }, { 512, 4 } },
    [VPMU_X86_IVYBRIDGE] = { { 128, 4 }, { 64, 4 }, { 512, 4 } },
    [VPMU_X86_HASWELL] = { { 128, 4 }, { 64, 4 }, { 1024, 8 } },
    /* Intel, Broadwell: "Memory subsystem" */
    [VPMU_X86_BROADWELL] = { { 128, 4 }, { 64, 4 }, { 1536, 6 } },
    /* Intel, Skylake: table "TLB Parameters of the Skylake Client" */
    [VPMU_X86_SKYLAKE] = { { 128, 8 }, { 64, 4 }, { 1536, 12 } },
    [VPMU_X86_SKYLAKEX] = { { 128, 8 }, { 64, 4 }, { 1536, 12 } },
    [VPMU_X86_CASCADELAKE] = { { 128, 8 }, { 64, 4 }, { 1536, 12 } },
    /* Intel, Ice Lake Client: table "TLB Parameters", loads */
    [VPMU_X86_ICELAKEX] = { { 128, 8 }, { 64, 4 }, { 2048, 16 } },
    /* Intel, Golden Cove: "Paging caches", loads */
    [VPMU_X86_SAPPHIRERAPIDS] = { { 256, 8 }, { 96, 6 }, { 2048, 16 } },
    /* AMD 55723, 2.7 */
    [VPMU_X86_ZEN1] = { { 64, 64 }, { 64, 64 }, { 1536, 12 } },
    /* AMD 56665, 2.7 */
    [VPMU_X86_ZEN3] = { { 64, 64 }, { 64, 64 }, { 2048, 16 } },
    /* AMD 57647, 2.7 */
    [VPMU_X86_ZEN4] = { { 64, 64 }, { 72, 72 }, { 3072, 24 } },
};

static struct vpmu_cache_config describe(const CPUCacheInfo *cache)
{
    return (struct vpmu_cache_config) {
        .size = cache->size,
        .ways = cache->associativity,
        .line = cache->line_size,
    };
}

static struct vpmu_model_config find_geometry(X86CPU *cpu)
{
    const struct vpmu_x86_config *config = &cpu->vpmu->pmu.config;
    const CPUCaches *caches = x86_guest_caches(&cpu->env, config->vendor ==
                                               VPMU_X86_AMD);
    struct vpmu_model_config told = vpmu_model_default;

    if (caches->l1d_cache && caches->l1i_cache && caches->l2_cache) {
        told.l1i = describe(caches->l1i_cache);
        told.l1d = describe(caches->l1d_cache);
        told.l2 = describe(caches->l2_cache);
        told.llc = caches->l3_cache && cpu->enable_l3_cache
            ? describe(caches->l3_cache) : (struct vpmu_cache_config) { };
    }
    if (tlbs[config->family].l2.entries) {
        told.l1i_tlb = tlbs[config->family].l1i;
        told.l1d_tlb = tlbs[config->family].l1d;
        told.l2_tlb = tlbs[config->family].l2;
    }
    return vpmu_model_check(&told, NULL) ? vpmu_model_default : told;
}

/* Returns why the models cannot have the given properties, or NULL. */
static const char *find_fault(const struct vpmu_model_config *model)
{
    const char *why = NULL;

    if (model->branch != VPMU_BRANCH_GSHARE &&
        model->branch != VPMU_BRANCH_BIMODAL) {
        return "'pmu-branch' can be gshare or bimodal on x86";
    }
    if (model->l1d.line != 1 << X86_PMU_LINE_SHIFT) {
        return "lines of its caches have 64 bytes";
    }
    vpmu_model_check(model, &why);
    return why;
}

bool x86_vpmu_realize_model(X86CPU *cpu, Error **errp)
{
    X86PMUConfig *config = x86_pmu_config(cpu);
    struct vpmu_model_config geometry;
    const char *why;

    if (!cpu->vpmu) {
        return true;
    }
    geometry = find_geometry(cpu);
    vpmu_model_complete(&config->model, config->set, &geometry);
    why = find_fault(&config->model);
    if (!why && config->cache_told) {
        why = x86_vpmu_describe_caches(cpu);
    }
    if (why) {
        error_setg(errp, "invalid configuration of the PMU's models, last set "
                   "by '%s': %s", config->by, why);
    } else if (vpmu_shared_cache_reserve(&config->model, errp)) {
        cpu->vpmu->reserved = true;
        return true;
    }
    x86_vpmu_unrealize(cpu);
    return false;
}
