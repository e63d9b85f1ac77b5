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

    if (!vpmu_shared_size(config)) {
        return NULL;
    }
    s->ops = *ops;
    s->opaque = opaque;
    s->config = config->llc;
    s->count = 0;
    vpmu_llc_place_(&s->llc, &s->pages, config, (unsigned char *)s + vpmu_align_up_(sizeof(*s)));
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
        m->sets[VPMU_LLC_] = s->llc;
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
    vpmu_sets_clear_(&s->llc);
    s->ops.unlock(s->opaque);
}

/* Marks the pages of which the shared cache has lines. */
static void mark_pages(struct vpmu_shared *s)
{
    for (size_t i = 0; i < ((size_t)s->llc.set_mask + 1) * s->llc.stride; i++) {
        vpmu_pages_mark_(&s->pages, s->llc.tags[i] >> VPMU_ID_SHIFT_);
    }
}

struct vpmu_line_ vpmu_shared_line_(const struct vpmu_model *m, struct vpmu_line_ line)
{
    const struct vpmu_known_page_ *page = &m->pages.known[line.tag >> VPMU_ID_SHIFT_];
    struct vpmu_shared *s = m->shared;
    uint32_t id = vpmu_pages_find_(&s->pages, page->number, page->space);

    if (!id) {
        if (vpmu_pages_full_(&s->pages)) {
            vpmu_pages_unmark_(&s->pages);
            mark_pages(s);
            vpmu_pages_collect_(&s->pages);
        }
        id = vpmu_pages_add_(&s->pages, page->number, page->space);
    }
    return vpmu_line_(m->line_shift, line.addr, id);
}

/*
 * Another CPU needs a line that this cache may have. Removes it if the other CPU writes, else makes
 * it clean. Returns what this cache had.
 */
static unsigned yield(const struct vpmu_model *m, const struct vpmu_sets_ *c,
                      struct vpmu_line_ line, bool write)
{
    uint32_t *set, dirty;
    unsigned found;

    if (!c->tags) {
        return 0;
    }
    set = vpmu_set_of_(m, c, line);
    found = vpmu_sets_find_(c, set, line.tag);
    if (!found) {
        return 0;
    }
    dirty = set[found - 1] & VPMU_TAG_DIRTY_;
    if (write) {
        vpmu_sets_remove_(c, set, found - 1);
    } else {
        set[found - 1] = line.tag;
    }
    return dirty ? VPMU_PEER_HAS | VPMU_PEER_MODIFIED : VPMU_PEER_HAS;
}

/* The same for the private caches of a CPU, which tallies the lines that it loses. */
static unsigned snoop(struct vpmu_model *m, struct vpmu_line_ line, bool write)
{
    unsigned l1 = yield(m, &m->sets[VPMU_L1D_], line, write);
    unsigned l2 = yield(m, &m->sets[VPMU_L2_], line, write);

    if (l1 & VPMU_PEER_MODIFIED || (l1 && write)) {
        vpmu_filter_drop_line_(m->line_shift, m->head.filter.store, line.addr);
    }
    if (l1 && write) {
        vpmu_filter_drop_line_(m->line_shift, m->head.filter.load, line.addr);
    }
    if (write && (l1 | l2)) {
        uint64_t *row = vpmu_row_(m, m->shared->ops.context(m->cpu));

        row[VPMU_SRC_L1D_CACHE_INVAL] += l1 != 0;
        row[VPMU_SRC_L2D_CACHE_INVAL] += l2 != 0;
    }
    return l1 | l2;
}

unsigned vpmu_shared_snoop_(const struct vpmu_model *m, struct vpmu_line_ line, bool write)
{
    const struct vpmu_known_page_ *page = &m->pages.known[line.tag >> VPMU_ID_SHIFT_];
    const struct vpmu_shared *s = m->shared;
    unsigned found = 0;

    for (unsigned i = 0; i < s->count; i++) {
        struct vpmu_model *peer = s->models[i];
        uint32_t id = peer == m ? 0 : vpmu_pages_find_(&peer->pages, page->number, page->space);

        if (id) {
            found |= snoop(peer, vpmu_line_(peer->line_shift, line.addr, id), write);
        }
    }
    return found;
}
