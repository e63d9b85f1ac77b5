/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#ifndef VPMU_MODEL_SHARED_H
#define VPMU_MODEL_SHARED_H

#include "model_internal.h"
#include "vpmu/shared_cache.h"

/* Parts of the models that share a last-level cache; the functions are in model_shared.c. */

struct vpmu_shared {
    struct vpmu_shared_ops ops;
    void *opaque;
    struct vpmu_cache_config config;
    struct vpmu_sets_ llc;    /* the models have copies, which refer to the same sets */
    struct vpmu_pages_ pages; /* of which @llc has lines */
    unsigned count;
    struct vpmu_model *models[VPMU_SHARED_MAX_MODELS];
};

/*
 * Asks all other CPUs for a line. A write removes the line from their private caches; a read makes
 * it clean there. Returns VPMU_PEER_HAS and VPMU_PEER_MODIFIED of enum vpmu_missed.
 */
unsigned vpmu_shared_snoop_(const struct vpmu_model *m, struct vpmu_line_ line, bool write);

/*
 * A line of a private cache as the shared cache has it, which gives its page an id if it has none.
 */
struct vpmu_line_ vpmu_shared_line_(const struct vpmu_model *m, struct vpmu_line_ line);

static inline void vpmu_lock_(const struct vpmu_model *m)
{
    if (m->shared) {
        m->shared->ops.lock(m->shared->opaque);
    }
}

static inline void vpmu_unlock_(const struct vpmu_model *m)
{
    if (m->shared) {
        m->shared->ops.unlock(m->shared->opaque);
    }
}

#endif
