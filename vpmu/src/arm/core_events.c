/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/*
 * Events of Cortex-A8 and Cortex-A9. Both have PMUv1, which defines the numbers up to 0x12 only,
 * and give the others meanings of their own. Each row names its sources: "Linux" is
 * drivers/perf/arm_v7_pmu.c, with which a test compares the numbers, and "libpfm4" its
 * arm_cortex_a8_events.h and arm_cortex_a9_events.h, whose names these are. The latter follow the
 * tables of Arm's Technical Reference Manuals (DDI 0344; DDI 0388, section 11.4).
 *
 * Not counted are events of Jazelle and the preload engine, of buses and buffers, of coherence, and
 * parts of stalls that the modelled pipeline does not tell apart.
 */
#include "arm_internal.h"

#define BIT(source) VPMU_SRC_BIT(VPMU_SRC_##source)
#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

#define LAST_OF_PMUV1 0x12
#define STALLS (BIT(STALL_FRONTEND) | BIT(STALL_BACKEND))
#define L2D_ACCESSES (VPMU_SRCS_L2D_READS | VPMU_SRCS_L2D_WRITES)
#define L2D_REFILLS (BIT(L2D_CACHE_REFILL_RD) | BIT(L2D_CACHE_REFILL_WR))
#define INTERRUPTS (BIT(EXC_IRQ) | BIT(EXC_FIQ) | BIT(EXC_TRAP_IRQ) | BIT(EXC_TRAP_FIQ))

static const struct vpmu_arm_event cortex_a8[] = {
    /* Linux: ARMV7_A8_PERFCTR_L2_CACHE_ACCESS, libpfm4 */
    {0x0043, L2D_ACCESSES, "L2_ACCESS", "as L2D_CACHE"},
    /* Linux: ARMV7_A8_PERFCTR_L2_CACHE_REFILL, libpfm4 */
    {0x0044, L2D_REFILLS, "L2_CACHE_MISS", "as L2D_CACHE_REFILL"},
    /* Linux: ARMV7_A8_PERFCTR_L1_ICACHE_ACCESS, libpfm4 */
    {0x0050, BIT(L1I_CACHE), "L1_INST", "as L1I_CACHE"},
    /* libpfm4 */
    {0x0055, BIT(INST_RETIRED), "OP_EXECUTED", "as INST_RETIRED: an instruction is one operation"},
    /* Linux: ARMV7_A8_PERFCTR_STALL_ISIDE, libpfm4 */
    {0x0056, BIT(STALL_FRONTEND), "CYCLES_INST_STALL", "as STALL_FRONTEND"},
    /*
     * Linux: ARMV7_PERFCTR_CPU_CYCLES; libpfm4: CPU_CYCLES, which is 0x11's name here. Linux's
     * driver takes the cycle counter for it.
     */
    {0x00ff, BIT(CPU_CYCLES), "CYCLE_COUNT", "as CPU_CYCLES"},
};

static const struct vpmu_arm_event cortex_a9[] = {
    /* Linux: ARMV7_A9_PERFCTR_STALL_ICACHE, libpfm4 */
    {0x0060, BIT(STALL_FRONTEND), "ICACHE_DEP_STALL_CYCLES", "as STALL_FRONTEND"},
    /* libpfm4 */
    {0x0063, BIT(STREX_PASS), "STREX_EXECUTED_PASSED", "as STREX_PASS_SPEC"},
    /* libpfm4 */
    {0x0064, BIT(STREX_FAIL), "STREX_EXECUTED_FAILED", "as STREX_FAIL_SPEC"},
    /* libpfm4 */
    {0x0065, BIT(L1D_CACHE_WB_VICTIM), "DATA_EVICTION", "as L1D_CACHE_WB_VICTIM"},
    /* Linux: ARMV7_A9_PERFCTR_STALL_DISPATCH, libpfm4 */
    {0x0066, STALLS, "ISSUE_STAGE_NO_INST", "as STALL: a cycle that issues no instruction"},
    /* libpfm4 */
    {0x0067, BIT(STALL_FRONTEND), "ISSUE_STAGE_EMPTY", "as STALL_FRONTEND"},
    /* Linux: ARMV7_A9_PERFCTR_INSTR_CORE_RENAME, libpfm4 */
    {0x0068, BIT(INST_RETIRED), "INST_OUT_OF_RENAME_STAGE", "as INST_RETIRED"},
    /* libpfm4 */
    {0x006e, BIT(BR_RETURN), "PREDICTABLE_FUNCT_RETURNS", "as BR_RETURN_RETIRED"},
    /* libpfm4 */
    {0x0072, BIT(LD_RETIRED) | BIT(ST_RETIRED), "LD_ST_UNIT_EXECUTED_INST", "as MEM_ACCESS"},
    /* libpfm4 */
    {0x0073, BIT(VFP), "FP_EXECUTED_INST", "as VFP_SPEC"},
    /* libpfm4 */
    {0x0074, BIT(ASE), "NEON_EXECUTED_INST", "as ASE_SPEC"},
    /* libpfm4 */
    {0x008a, BIT(CPU_CYCLES), "INTGR_CLK_ENABLED_CYCLES", "as CPU_CYCLES"},
    /* libpfm4 */
    {0x0090, BIT(ISB), "ISB_INST", "as ISB_SPEC"},
    /* libpfm4 */
    {0x0091, BIT(DSB), "DSB_INST", "as DSB_SPEC"},
    /* libpfm4 */
    {0x0092, BIT(DMB), "DMB_INST", "as DMB_SPEC"},
    /* libpfm4 */
    {0x0093, INTERRUPTS, "EXT_INTERRUPTS", "an IRQ or FIQ that is taken"},
};

static const struct {
    const struct vpmu_arm_event *events;
    size_t count;
} own[VPMU_CORE_COUNT] = {
    [VPMU_CORE_CORTEX_A8] = {cortex_a8, COUNT_OF(cortex_a8)},
    [VPMU_CORE_CORTEX_A9] = {cortex_a9, COUNT_OF(cortex_a9)},
};

bool vpmu_event_is_own_(const struct vpmu_arm_config *config, const struct vpmu_arm_event *event)
{
    for (size_t i = 0; i < own[config->core].count; i++) {
        if (event == &own[config->core].events[i]) {
            return true;
        }
    }
    return false;
}

const struct vpmu_arm_event *vpmu_event_own_(const struct vpmu_arm_config *config, size_t i)
{
    return i < own[config->core].count ? &own[config->core].events[i] : NULL;
}

bool vpmu_event_is_reserved_(const struct vpmu_arm_config *config, uint16_t number)
{
    return own[config->core].count && number > LAST_OF_PMUV1;
}
