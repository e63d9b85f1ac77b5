/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions that a target implements for commands that exist with any
 * accelerator
 */

#ifndef SYSTEM_VPMU_QMP_H
#define SYSTEM_VPMU_QMP_H

#include "hw/core/cpu.h"
#include "qapi/qapi-types-vpmu.h"

/* Fills in the page tables of the CPU's kernels, if they are known. */
void vpmu_cpu_tables(CPUState *cs, VPMUTables *tables);

/* Returns the recorder (see vpmu_record.h), or NULL with an error. */
struct VPMURecorder;
const struct VPMURecorder *vpmu_cpu_recorder(Error **errp);

#endif
