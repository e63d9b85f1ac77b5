/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Accesses to memory that helpers of generated code make themselves
 */

#include "qemu/osdep.h"
#include "cpu.h"
#include "internals.h"
#include "target/arm/pmu/compat.h"
#include "target/arm/pmu/private.h"

void arm_vpmu_accessed(CPUARMState *env, uint64_t addr, unsigned int size,
                       bool write, int mmu_idx)
{
    uint32_t desc = FIELD_DP32(0, PMUDATA, MIDX, mmu_idx);
    uint64_t end = addr + size - 1;
    ARMVPMUAccess access, last;

    desc = FIELD_DP32(desc, PMUDATA, WRITE, write);
    if (!arm_vpmu_look_up(env, addr, desc, &access) || !access.cacheable) {
        return;
    }
    if (!((addr ^ end) & TARGET_PAGE_MASK) ||
        !arm_vpmu_look_up(env, end, desc, &last)) {
        last = access;
    }
    if (unlikely(env->pmu.sampled)) {
        arm_vpmu_sampled_access(env, addr, desc);
    }
    arm_vpmu_feed(env, addr, size, write, (ARMVPMUPages) {
        .first = access.lg_page_size, .last = last.lg_page_size,
    });
}

void arm_vpmu_lines(CPUARMState *env, uint64_t addr, uint64_t size,
                    bool write, int mmu_idx, ARMPMUPart part)
{
    uint64_t line = 1ull << env->pmu.line_shift;
    uint64_t first = addr, end = addr;

    switch (part) {
    case ARM_PMU_FORWARDS:
        first = ROUND_UP(addr, line);
        end = addr + size;
        break;
    case ARM_PMU_BACKWARDS:
        first = addr - size + 1;
        end = ROUND_DOWN(addr + 1, line);
        break;
    case ARM_PMU_START:
        end = addr + (size && addr % line);
        break;
    case ARM_PMU_START_BACKWARDS:
        end = addr + (size && (addr + 1) % line);
        break;
    }
    if ((int64_t)(end - first) > 0) {
        arm_vpmu_accessed(env, first, end - first, write, mmu_idx);
    }
}
