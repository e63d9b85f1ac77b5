/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a target does for commands that are there with any accelerator
 */

#ifndef SYSTEM_VPMU_QMP_H
#define SYSTEM_VPMU_QMP_H

#include "hw/core/cpu.h"
#include "qapi/qapi-types-vpmu.h"

/* Where the CPU's kernels have their page tables, if that is known. */
void vpmu_cpu_tables(CPUState *cs, VPMUTables *tables);

/* Who takes samples; see vpmu_record.h.  NULL if nobody does, and why. */
struct VPMURecorder;
const struct VPMURecorder *vpmu_cpu_recorder(Error **errp);

#endif
