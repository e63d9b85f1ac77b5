/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#ifndef VPMU_X86_PEBS_H
#define VPMU_X86_PEBS_H

#include <stdbool.h>
#include <stdint.h>

#include "vpmu/decls.h"
#include "vpmu/x86/pmu.h"

VPMU_DECLS_BEGIN

/**
 * vpmu_x86_pebs_armed() - the counters that make a PEBS record when they overflow
 * @v: the PMU.
 *
 * The machine stops at such an overflow (vpmu_x86_headroom()). Overflows whose records have not
 * been written yet are in @v->regs.due.
 *
 * Return: a mask with a bit for each counter, by its number.
 * Source: SDM volume 3B, "Processor Event Based Sampling (PEBS)".
 */
uint64_t vpmu_x86_pebs_armed(const struct vpmu_x86 *v);

/**
 * vpmu_x86_pebs_done() - the machine has written PEBS records, or could not
 * @v: the PMU.
 * @counters: a mask of counters whose overflows were in @v->regs.due.
 * @reload: if not NULL, the new value of each counter, indexed by its number. Bits above the
 *     counter's width are dropped, and counts since the overflow are lost. If NULL, the counters
 *     continue.
 * @full: the buffer has reached its threshold. This sets OvfBuf and causes a PMI.
 *
 * Source: SDM volume 3B, "Processor Event Based Sampling (PEBS)".
 */
void vpmu_x86_pebs_done(struct vpmu_x86 *v, uint64_t counters, const uint64_t *reload, bool full);

VPMU_DECLS_END

#endif
