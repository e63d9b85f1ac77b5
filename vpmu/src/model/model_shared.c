/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/*
 * A last-level cache that several models share, and the coherence of their private caches. The
 * functions for accesses are called with the lock held.
 */
#include "vpmu/shared_cache.h"

#include "filter.h"
#include "model_shared.h"

static bool same_cache(const struct vpmu_cache_config *a, const struct vpmu_cache_config *b)
{
    return a->size == b->size && a->ways == b->ways && a->line == b->line;
}

size_t vpmu_shared_size(const struct vpmu_model_config *config)
{
    if (vpmu_model_check(config, NULL) || !config->llc_shared) {
        return 0;
    }
    return (size_t)(vpmu_align_up_(sizeof(struct vpmu_shared)) + vpmu_llc_size_(config));
}

struct vpmu_shared *vpmu_shared_init(void *mem, const struct vpmu_model_config *config,
                                     const struct vpmu_shared_ops *ops, void *opaque)
{
    struct vpmu_shared *s = mem;
    struct vpmu_geometry_ geometry;

    if (!vpmu_shared_size(config)) {
        return NULL;
    }
    s->ops = *ops;
    s->opaque = opaque;
    s->config = config->llc;
    s->count = 0;
    s->llc = (struct vpmu_assoc_){.lru = true};
    geometry = vpmu_shared_geometry_(config);
    vpmu_place_(&s->llc, &geometry, (unsigned char *)s + vpmu_align_up_(sizeof(*s)));
    return s;
}

bool vpmu_shared_fits(const struct vpmu_shared *s, const struct vpmu_model_config *config)
{
    return config->llc_shared && same_cache(&config->llc, &s->config);
}

int vpmu_shared_join(struct vpmu_shared *s, struct vpmu_model *m, void *cpu)
{
    bool joins;

    s->ops.lock(s->opaque);
    joins = vpmu_shared_fits(s, &m->config) && s->count < VPMU_SHARED_MAX_MODELS;
    if (joins) {
        s->models[s->count++] = m;
        m->shared = s;
        m->cpu = cpu;
        m->assoc[VPMU_LLC_] = s->llc;
    }
    s->ops.unlock(s->opaque);
    return joins ? 0 : -VPMU_ERR_CONFIG;
}

void vpmu_shared_leave(struct vpmu_model *m)
{
    struct vpmu_shared *s = m->shared;
    unsigned i = 0;

    if (!s) {
        return;
    }
    s->ops.lock(s->opaque);
    while (s->models[i] != m) {
        i++;
    }
    s->models[i] = s->models[--s->count];
    m->shared = NULL;
    /* When a state is loaded, models leave and join again one by one. */
    vpmu_assoc_clear_(&s->llc);
    s->ops.unlock(s->opaque);
}

/*
 * Another CPU needs a line that this cache may have. Removes it if the other CPU writes, else makes
 * it clean. Returns what this cache had.
 */
static unsigned yield(struct vpmu_assoc_ *a, struct vpmu_key_ line, bool write)
{
    void *set = vpmu_set_(a, line.number);
    unsigned way = vpmu_assoc_search_(a, set, line);
    bool dirty;

    if (way >= a->ways) {
        return 0;
    }
    dirty = vpmu_is_dirty_(vpmu_tags_(a, set)[way]);
    if (write) {
        vpmu_assoc_remove_(a, set, way);
    } else {
        vpmu_tags_(a, set)[way] &= ~(uint64_t)VPMU_TAG_DIRTY_;
    }
    return dirty ? VPMU_PEER_HAS | VPMU_PEER_MODIFIED : VPMU_PEER_HAS;
}

/* The same for the private caches of a CPU, which tallies the lines that it loses. */
static unsigned snoop(struct vpmu_model *m, struct vpmu_key_ line, bool write)
{
    unsigned l1 = yield(&m->assoc[VPMU_L1D_], line, write);
    unsigned l2 = yield(&m->assoc[VPMU_L2_], line, write);

    if (l1 & VPMU_PEER_MODIFIED || (l1 && write)) {
        vpmu_filter_drop_line_(m, m->head.filter.store, vpmu_tag_addr_(line.tag));
    }
    if (l1 && write) {
        vpmu_filter_drop_line_(m, m->head.filter.load, vpmu_tag_addr_(line.tag));
    }
    if (write && (l1 | l2)) {
        uint64_t *row = vpmu_row_(m, m->shared->ops.context(m->cpu));

        row[VPMU_SRC_L1D_CACHE_INVAL] += l1 != 0;
        row[VPMU_SRC_L2D_CACHE_INVAL] += l2 != 0;
    }
    return l1 | l2;
}

unsigned vpmu_shared_snoop_(const struct vpmu_model *m, struct vpmu_key_ line, bool write)
{
    const struct vpmu_shared *s = m->shared;
    unsigned found = 0;

    for (unsigned i = 0; i < s->count; i++) {
        found |= s->models[i] == m ? 0 : snoop(s->models[i], line, write);
    }
    return found;
}
