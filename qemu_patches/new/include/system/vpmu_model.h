/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A PMU's models: the properties of a CPU that say what they are like, and
 * whether a state without them may be saved
 */

#ifndef SYSTEM_VPMU_MODEL_H
#define SYSTEM_VPMU_MODEL_H

#include "hw/core/cpu.h"
#include "qapi/visitor.h"
#include "vpmu/model.h"

typedef struct VPMUModelProperty VPMUModelProperty;

/* All of them have an index, from 0 on; NULL: there are no more. */
const VPMUModelProperty *vpmu_model_property(unsigned int i);

const char *vpmu_model_property_name(const VPMUModelProperty *property);
const char *vpmu_model_property_type(const VPMUModelProperty *property);
const char *vpmu_model_property_description(const VPMUModelProperty *property);

/* Both return false, with @errp set, if that fails. */
bool vpmu_model_property_get(const VPMUModelProperty *property, Visitor *v,
                             const struct vpmu_model_config *model,
                             Error **errp);
bool vpmu_model_property_set(const VPMUModelProperty *property, Visitor *v,
                             struct vpmu_model_config *model, Error **errp);

/*
 * Models start cold in whoever loads a state.  Returns whether a CPU, whose
 * models may be @warm, may be saved; otherwise has reported why not.  QEMU 10.0
 * crashes if .pre_save of a VMSTATE_STRUCT fails, so ask in that of the CPU.
 */
bool vpmu_model_may_save(CPUState *cs, bool warm);

#endif
