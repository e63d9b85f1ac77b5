/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How SVE instructions count for the PMU, by their governing predicates
 */

#include "qemu/osdep.h"
#include "cpu.h"
#include "internals.h"
#include "tcg/vpmu-helpers.h"

/*
 * Returns the source of an instruction with this governing predicate, relative
 * to ARM_PMU_SVE_PRED_EMPTY.
 */
uint64_t HELPER(pmu_predicate)(CPUARMState *env, uint32_t desc)
{
    const uint64_t *bits =
        env->vfp.pregs[FIELD_EX32(desc, PMUPRED, REGISTER)].p;
    unsigned int element = FIELD_EX32(desc, PMUPRED, ELEMENT);
    unsigned int length = FIELD_EX32(desc, PMUPRED, LENGTH);
    uint64_t active = 0, inactive = 0;

    for (unsigned int i = 0; i < length; i += 64) {
        uint64_t mask = pred_esz_masks[element] &
                        MAKE_64BIT_MASK(0, MIN(length - i, 64));

        active |= mask & bits[i / 64];
        inactive |= mask & ~bits[i / 64];
    }
    return (active ? inactive ? ARM_PMU_SVE_PRED_PARTIAL
                              : ARM_PMU_SVE_PRED_FULL
                   : ARM_PMU_SVE_PRED_EMPTY) - ARM_PMU_SVE_PRED_EMPTY;
}
