/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Targets without AArch64 have no SVE
 */

#include "qemu/osdep.h"
#include "cpu.h"
#include "tcg/vpmu-helpers.h"

uint64_t HELPER(pmu_predicate)(CPUARMState *env, uint32_t desc)
{
    g_assert_not_reached();
}
