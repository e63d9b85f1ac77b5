/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The last-level cache that the models of all CPUs share (pmu-llc-shared=on)
 */

#ifndef SYSTEM_VPMU_SHARED_CACHE_H
#define SYSTEM_VPMU_SHARED_CACHE_H

#include "vpmu/shared_cache.h"

/*
 * Called when a CPU is realized: reserves a place for its model, if @config has
 * llc_shared.  Returns false, with @errp set, if the models of other CPUs have
 * another last-level cache, or if there are too many CPUs.  The BQL is held.
 */
bool vpmu_shared_cache_reserve(const struct vpmu_model_config *config,
                               Error **errp);

/* The opposite, when a CPU that has a place is finalized. */
void vpmu_shared_cache_release(const struct vpmu_model_config *config);

/*
 * Called for a model that was just initialized, if its configuration has
 * llc_shared.  @cpu is passed to @context, which returns the context in which
 * that CPU counts.  All CPUs of a machine need the same @context.
 */
void vpmu_shared_cache_join(struct vpmu_model *model, void *cpu,
                            unsigned int (*context)(void *cpu));

#endif
