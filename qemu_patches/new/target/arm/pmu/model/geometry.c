/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the models of an Arm CPU's PMU are like if no property says so
 *
 * Caches are those that CLIDR and CCSIDR describe to the guest.  TLBs, the
 * caches that these registers do not describe and issue slots are those of the
 * CPU type's manual, where it gives them.
 */

#include "qemu/osdep.h"
#include "qemu/host-utils.h"
#include "cpu.h"
#include "internals.h"
#include "target/arm/pmu/compat.h"
#include "target/arm/pmu/private.h"

/* Of a core: members that are 0 are not in its manual. */
typedef struct Core {
    uint32_t part;
    struct vpmu_tlb_config l1i_tlb;
    struct vpmu_tlb_config l1d_tlb;
    struct vpmu_tlb_config l2_tlb;
    /* L2 is the last level: the core has no interface to an L3 cache. */
    bool l2_is_last;
    /* PMMIR_EL1.SLOTS.  perf's formulas contain the number. */
    uint8_t width;
} Core;

static const Core cores[] = {
    /* Cortex-A7: TRM DDI0464, 5.2 and 5.3 */
    { 0x41c07, { 10, 10 }, { 10, 10 }, { 256, 2 }, true, 0 },
    /* Cortex-A15: TRM, 5.1; loads and stores have a TLB of 32 entries each */
    { 0x41c0f, { 32, 32 }, { 32, 32 }, { 512, 4 }, false, 0 },
    /* Cortex-A53: TRM DDI0500, 5.2 */
    { 0x41d03, { 10, 10 }, { 10, 10 }, { 512, 4 }, true, 0 },
    /* Cortex-A35: TRM 100236, A6.2 */
    { 0x41d04, { 10, 10 }, { 10, 10 }, { 512, 2 }, true, 0 },
    /* Cortex-A55: TRM 100442, A5.2 */
    { 0x41d05, { 15, 15 }, { 16, 16 }, { 1024, 4 }, false, 0 },
    /* Cortex-A57: TRM DDI0488, 5.2.1 to 5.2.3 */
    { 0x41d07, { 48, 48 }, { 32, 32 }, { 1024, 4 }, true, 0 },
    /* Cortex-A72: TRM 100095, 5.2 */
    { 0x41d08, { 48, 48 }, { 32, 32 }, { 1024, 4 }, true, 0 },
    /* Cortex-A76: TRM 100798, A5.2 */
    { 0x41d0b, { 48, 48 }, { 48, 48 }, { 1280, 5 }, false, 0 },
    /* Neoverse N1: TRM 100616, A5.2 */
    { 0x41d0c, { 48, 48 }, { 48, 48 }, { 1280, 5 }, false, 0 },
    /* Neoverse V1: perf's metrics.json; TRM 101427 */
    { 0x41d40, { 0 }, { 0 }, { 0 }, false, 8 },
    /* Cortex-A710: the core of N2; TRM 101800 */
    { 0x41d47, { 0 }, { 0 }, { 0 }, false, 5 },
    /* Neoverse N2: perf before #slots; TRM 102099 */
    { 0x41d49, { 0 }, { 0 }, { 0 }, false, 5 },
    /*
     * A64FX: Microarchitecture Manual 1.8.1, table 8-1; L1 TLBs are FIFO, L2
     * TLBs LRU.  Instructions and data have an L2 TLB of this size each.
     */
    { 0x46001, { 16, 16 }, { 16, 16 }, { 1024, 4 }, true, 0 },
};

static const Core *find_core(uint64_t midr)
{
    uint32_t part = extract64(midr, 24, 8) << 12 | extract64(midr, 4, 12);

    for (unsigned int i = 0; i < ARRAY_SIZE(cores); i++) {
        if (cores[i].part == part) {
            return &cores[i];
        }
    }
    return NULL;
}

bool arm_vpmu_has_ccidx(ARMCPU *cpu)
{
    return arm_feature(&cpu->env, ARM_FEATURE_AARCH64)
           ? isar_feature_aa64_ccidx(&cpu->isar)
           : isar_feature_aa32_ccidx(&cpu->isar);
}

/*
 * Decodes CCSIDR_EL1.  Since FEAT_CCIDX, its fields are wider.  Returns no
 * cache if there can be none: QEMU's L2 of Cortex-A7 and -A15 has 2304 sets.
 */
static struct vpmu_cache_config decode(ARMCPU *cpu, uint64_t ccsidr)
{
    bool ccidx = arm_vpmu_has_ccidx(cpu);
    uint64_t line = 1ull << (extract64(ccsidr, 0, 3) + 4);
    uint64_t ways = extract64(ccsidr, 3, ccidx ? 21 : 10) + 1;
    uint64_t sets = extract64(ccsidr, ccidx ? 32 : 13, ccidx ? 24 : 15) + 1;

    if (!is_power_of_2(sets) || ways > UINT16_MAX ||
        sets * ways * line > UINT32_MAX) {
        return (struct vpmu_cache_config) { };
    }
    return (struct vpmu_cache_config) {
        .size = sets * ways * line, .ways = ways, .line = line,
    };
}

/* Returns the data or unified cache of a level, from 1; none: not described. */
static struct vpmu_cache_config data_cache(ARMCPU *cpu, unsigned int level)
{
    unsigned int ctype = extract64(arm_pmu_clidr(cpu), (level - 1) * 3, 3);

    return ctype >= ARM_VPMU_CTYPE_DATA
           ? decode(cpu, cpu->ccsidr[(level - 1) * 2])
           : (struct vpmu_cache_config) { };
}

/* All caches have lines of one size.  A last level is larger than L2. */
static void complete_outer(struct vpmu_model_config *model, bool l2_is_last)
{
    if (l2_is_last) {
        model->llc.size = 0;
    } else if (model->llc.size <= model->l2.size) {
        model->llc.size = model->l2.size * 4;
    }
    model->l2.line = model->l1d.line;
    model->llc.line = model->l1d.line;
}

void arm_vpmu_model_default(ARMCPU *cpu, struct vpmu_model_config *model)
{
    const Core *core = find_core(cpu->midr);
    unsigned int ctype = extract64(arm_pmu_clidr(cpu), 0, 3);
    struct vpmu_model_config told = vpmu_model_default;
    struct vpmu_cache_config l2 = data_cache(cpu, 2);
    struct vpmu_cache_config llc = data_cache(cpu, 3);

    if (ctype == ARM_VPMU_CTYPE_SEPARATE) {
        told.l1d = decode(cpu, cpu->ccsidr[0]);
        told.l1i = decode(cpu, cpu->ccsidr[1]);
    } else if (ctype == ARM_VPMU_CTYPE_UNIFIED) {
        told.l1d = told.l1i = decode(cpu, cpu->ccsidr[0]);
    }
    told.l2 = l2.size ? l2 : told.l2;
    told.llc = llc.size ? llc : told.llc;
    if (core && core->l2_tlb.entries) {
        told.l1i_tlb = core->l1i_tlb;
        told.l1d_tlb = core->l1d_tlb;
        told.l2_tlb = core->l2_tlb;
    }
    told.width = core && core->width ? core->width : told.width;
    complete_outer(&told, core && core->l2_is_last);
    *model = vpmu_model_check(&told, NULL) ? vpmu_model_default : told;
}
