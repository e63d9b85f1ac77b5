/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Implementations of QMP commands for emulated PMUs, and functions they need
 */

#ifndef TARGET_ARM_VPMU_QMP_H
#define TARGET_ARM_VPMU_QMP_H

#include "qapi/qapi-types-vpmu.h"

void arm_vpmu_meter(bool enable, Error **errp);
VPMUInfoList *arm_vpmu_query(Error **errp);
VPMUEventList *arm_vpmu_query_events(Error **errp);
void arm_vpmu_describe(GString *text);

/* Returns the recorder (see vpmu_record.h), or NULL with an error. */
struct VPMURecorder;
const struct VPMURecorder *arm_vpmu_recorder(Error **errp);

/*
 * Returns the name of the PMU property with index @i, of those that can be set
 * with this accelerator; NULL after the last one.  query-cpu-model-expansion
 * lists and accepts these.
 */
const char *arm_pmu_property_name(unsigned int i);

#endif
