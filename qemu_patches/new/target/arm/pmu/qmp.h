/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What QMP commands do where QEMU emulates the PMU, and what they ask
 */

#ifndef TARGET_ARM_VPMU_QMP_H
#define TARGET_ARM_VPMU_QMP_H

#include "qapi/qapi-types-vpmu.h"

void arm_vpmu_meter(bool enable, Error **errp);
VPMUInfoList *arm_vpmu_query(Error **errp);
void arm_vpmu_describe(GString *text);

/* Who takes samples; see vpmu_record.h.  NULL if nobody does, and why. */
struct VPMURecorder;
const struct VPMURecorder *arm_vpmu_recorder(Error **errp);

/*
 * What query-cpu-model-expansion tells of the PMU, and takes: the properties
 * that can be set with this accelerator; NULL behind the last one.
 */
const char *arm_pmu_property_name(unsigned int i);

#endif
