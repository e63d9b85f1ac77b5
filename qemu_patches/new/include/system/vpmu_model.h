/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A PMU's models: the properties of a CPU that say what they are like, and
 * whether a state without them may be saved
 */

#ifndef SYSTEM_VPMU_MODEL_H
#define SYSTEM_VPMU_MODEL_H

#include "hw/core/cpu.h"
#include "qapi/qapi-types-vpmu.h"
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

/* A bit that only this property has. */
uint32_t vpmu_model_property_bit(const VPMUModelProperty *property);

/*
 * Gives @model the caches and TLBs of @defaults whose properties are not in
 * @set, a mask of vpmu_model_property_bit().
 */
void vpmu_model_complete(struct vpmu_model_config *model, uint32_t set,
                         const struct vpmu_model_config *defaults);

/* Returns the caches and TLBs, as query-vpmu has them. */
VPMUGeometryList *vpmu_model_geometry(const struct vpmu_model_config *model);

/*
 * Returns whether a CPU may be saved.  If not, it has reported why: a run is
 * recorded or replayed, and the CPU's models are @warm, but the CPU that loads
 * the state would have cold ones.  Call this in .pre_save of the CPU: QEMU 10.0
 * crashes if that of a VMSTATE_STRUCT fails.
 */
bool vpmu_model_may_save(CPUState *cs, bool warm);

#endif
