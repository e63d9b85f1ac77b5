/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The guest reads about the modelled caches (pmu-cache-told=on)
 *
 * CLIDR, CCSIDR and CTR describe them, and so does the device tree of the virt
 * machine.  Linux takes levels and types from CLIDR, and sizes from the tree.
 */

#include "qemu/osdep.h"
#include <libfdt.h>
#include "cpu.h"
#include "cpu-features.h"
#include "internals.h"
#include "system/device_tree.h"
#include "system/tcg.h"
#include "target/arm/pmu/compat.h"
#include "target/arm/pmu/private.h"

/* CCSIDR_EL1.NumSets has 15 bits without FEAT_CCIDX, Arm ARM D24.2.26. */
#define MOST_SETS (1u << 15)

/* CCSIDR_EL1[31:28] before Armv8: read-allocate; the same and write-back. */
#define READ_ALLOCATE 2
#define WRITE_BACK 7

/* Fields of CLIDR_EL1, Arm ARM D24.2.27. */
#define CTYPES_LENGTH 21
#define LOUIS_SHIFT 21
#define LOC_SHIFT 24
#define LOUU_SHIFT 27
#define ICB_SHIFT 30
#define TTYPE_SHIFT 33
#define TTYPES_LENGTH 14

/* The smallest unit of the fields of CTR_EL0 is a word. */
#define LG_WORD 2

static uint32_t sets_of(const struct vpmu_cache_config *cache)
{
    return cache->size ? cache->size / cache->ways / cache->line : 0;
}

static bool is_describable(ARMCPU *cpu, const struct vpmu_cache_config *cache)
{
    return arm_vpmu_has_ccidx(cpu) || sets_of(cache) <= MOST_SETS;
}

static uint64_t encode(ARMCPU *cpu, const struct vpmu_cache_config *cache,
                       uint8_t flags)
{
    if (!cache->size) {
        return 0;
    }
    return make_ccsidr(arm_vpmu_has_ccidx(cpu) ? CCSIDR_FORMAT_CCIDX
                                               : CCSIDR_FORMAT_LEGACY,
                       cache->ways, cache->line, cache->size, flags);
}

static uint64_t limit_level(uint64_t clidr, unsigned int shift,
                            unsigned int levels)
{
    return deposit64(clidr, shift, 3, MIN(extract64(clidr, shift, 3), levels));
}

/*
 * The last cache is the level of coherency, and the boundary of inner caches if
 * the CPU has one.  If L1 has allocation tags, all levels have.
 */
static uint64_t describe_levels(uint64_t clidr, unsigned int levels)
{
    const unsigned int tags = extract64(clidr, TTYPE_SHIFT, 2);

    clidr = deposit64(clidr, 0, CTYPES_LENGTH, ARM_VPMU_CTYPE_SEPARATE);
    clidr = deposit64(clidr, TTYPE_SHIFT, TTYPES_LENGTH, tags);
    for (unsigned int above = 1; above < levels; above++) {
        clidr = deposit64(clidr, above * 3, 3, ARM_VPMU_CTYPE_UNIFIED);
        clidr = deposit64(clidr, TTYPE_SHIFT + above * 2, 2, tags);
    }
    clidr = deposit64(clidr, LOC_SHIFT, 3, levels);
    clidr = limit_level(clidr, LOUIS_SHIFT, levels);
    clidr = limit_level(clidr, LOUU_SHIFT, levels);
    return extract64(clidr, ICB_SHIFT, 3)
           ? deposit64(clidr, ICB_SHIFT, 3, levels) : clidr;
}

/*
 * A write-back can overwrite a line at least, CTR_EL0.CWG.  Where this field or
 * TMINLINE, the lines of allocation tags, is 0, it stays.
 */
static uint64_t describe_lines(uint64_t ctr, unsigned int line)
{
    const unsigned int lg_words = ctz32(line) - LG_WORD;
    const unsigned int cwg = FIELD_EX64(ctr, CTR_EL0, CWG);

    ctr = FIELD_DP64(ctr, CTR_EL0, IMINLINE, lg_words);
    ctr = FIELD_DP64(ctr, CTR_EL0, DMINLINE, lg_words);
    if (FIELD_EX64(ctr, CTR_EL0, TMINLINE)) {
        ctr = FIELD_DP64(ctr, CTR_EL0, TMINLINE, lg_words);
    }
    return FIELD_DP64(ctr, CTR_EL0, CWG, cwg ? MAX(cwg, lg_words) : 0);
}

const char *arm_vpmu_describe_caches(ARMCPU *cpu)
{
    const struct vpmu_model_config *model = cpu->pmu_config.model;
    const unsigned int levels = model->llc.size ? 3 : model->l2.size ? 2 : 1;
    const uint64_t clidr = describe_levels(arm_pmu_clidr(cpu), levels);

    if (!tcg_enabled()) {
        return "CCSIDR is the host's without TCG";
    }
    if (!is_describable(cpu, &model->l1i) ||
        !is_describable(cpu, &model->l1d) ||
        !is_describable(cpu, &model->l2) ||
        !is_describable(cpu, &model->llc)) {
        return "CCSIDR of this CPU describes caches of at most 32768 sets";
    }
    memset(cpu->ccsidr, 0, sizeof(cpu->ccsidr));
    cpu->ccsidr[0] = encode(cpu, &model->l1d, WRITE_BACK);
    cpu->ccsidr[1] = encode(cpu, &model->l1i, READ_ALLOCATE);
    cpu->ccsidr[2] = encode(cpu, &model->l2, WRITE_BACK);
    cpu->ccsidr[4] = encode(cpu, &model->llc, WRITE_BACK);
    arm_pmu_set_clidr(cpu, clidr);
    cpu->ctr = describe_lines(cpu->ctr, model->l1d.line);
    return NULL;
}

/* @prefix: "i-", "d-"; empty: a unified cache.  Devicetree Spec. 3.8. */
static void set_geometry(void *fdt, const char *node, const char *prefix,
                         const struct vpmu_cache_config *cache)
{
    g_autofree char *size = g_strdup_printf("%scache-size", prefix);
    g_autofree char *line = g_strdup_printf("%scache-line-size", prefix);
    g_autofree char *sets = g_strdup_printf("%scache-sets", prefix);

    qemu_fdt_setprop_cell(fdt, node, size, cache->size);
    qemu_fdt_setprop_cell(fdt, node, line, cache->line);
    qemu_fdt_setprop_cell(fdt, node, sets, sets_of(cache));
}

/* Adds a cache unless another CPU has added it, and connects @before to it. */
static void add_outer_cache(void *fdt, const char *node, unsigned int level,
                            const struct vpmu_cache_config *cache,
                            const char *before)
{
    if (fdt_path_offset(fdt, node) < 0) {
        qemu_fdt_add_subnode(fdt, node);
        qemu_fdt_setprop_string(fdt, node, "compatible", "cache");
        qemu_fdt_setprop_cell(fdt, node, "cache-level", level);
        qemu_fdt_setprop(fdt, node, "cache-unified", NULL, 0);
        set_geometry(fdt, node, "", cache);
        qemu_fdt_setprop_cell(fdt, node, "phandle",
                              qemu_fdt_alloc_phandle(fdt));
    }
    qemu_fdt_setprop_phandle(fdt, before, "next-level-cache", node);
}

void arm_pmu_add_cache_nodes(ARMCPU *cpu, void *fdt, const char *cpu_node)
{
    const struct vpmu_model_config *model = cpu->pmu_config.model;
    g_autofree char *l2 = g_strdup_printf("%s/l2-cache", cpu_node);
    g_autofree char *llc = NULL;

    if (!cpu->pmu_config.cache_told) {
        return;
    }
    set_geometry(fdt, cpu_node, "i-", &model->l1i);
    set_geometry(fdt, cpu_node, "d-", &model->l1d);
    if (model->l2.size) {
        add_outer_cache(fdt, l2, 2, &model->l2, cpu_node);
    }
    if (model->llc.size) {
        llc = model->llc_shared ? g_strdup("/cpus/l3-cache")
                                : g_strdup_printf("%s/l3-cache", l2);
        add_outer_cache(fdt, llc, 3, &model->llc, l2);
    }
}
