/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Exact profiles: the calls of a CPU, from one place to another
 */

#ifndef SYSTEM_VPMU_CALL_EDGES_H
#define SYSTEM_VPMU_CALL_EDGES_H

#include "tcg/vpmu-calls.h"

/* The edge that counts if there is no room for another.  Nobody reads it. */
#define EDGE_FULL 0

/*
 * The @n edges, of which each is a site and a target.  @slot: a hash table of
 * their numbers plus 1.  @last: of each of @sites, the edge that was used last,
 * plus 1: most calls are to the same function again.  @spent: of each edge,
 * @events sums.  @full: there was no room for an edge.
 */
typedef struct CallEdges {
    VPMUCall *edge;
    uint64_t *spent;
    unsigned int events;
    unsigned int n;
    unsigned int room;
    uint32_t *slot;
    unsigned int slots;
    uint32_t *last;
    uint32_t sites;
    bool full;
} CallEdges;

void call_edges_init(CallEdges *e, unsigned int events);
void call_edges_free(CallEdges *e);

/* Return the number of an edge, or EDGE_FULL.  The second one notes @last. */
uint32_t call_edge_find(CallEdges *e, uint32_t site, uint64_t target);
uint32_t call_edge_find_last(CallEdges *e, uint32_t site, uint64_t target);

static inline uint64_t *call_edge_spent(const CallEdges *e, uint32_t edge)
{
    return e->spent + (size_t)edge * e->events;
}

static inline uint32_t call_edge_of(CallEdges *e, uint32_t site,
                                    uint64_t target)
{
    uint32_t last = site < e->sites ? e->last[site] : 0;

    return last && e->edge[last - 1].target == target
           ? last - 1 : call_edge_find_last(e, site, target);
}

#endif
