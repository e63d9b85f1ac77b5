/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The properties of a CPU that say what a PMU's models are like
 */

#ifndef SYSTEM_VPMU_MODEL_H
#define SYSTEM_VPMU_MODEL_H

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

#endif
