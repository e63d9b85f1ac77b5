/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Implementations of QMP commands for emulated PMUs
 */

#ifndef TARGET_ARM_VPMU_QMP_H
#define TARGET_ARM_VPMU_QMP_H

/*
 * Returns the name of the PMU property with index @i, of those that can be set
 * with this accelerator; NULL after the last one.  query-cpu-model-expansion
 * lists and accepts these.
 */
const char *arm_pmu_property_name(unsigned int i);

#endif
