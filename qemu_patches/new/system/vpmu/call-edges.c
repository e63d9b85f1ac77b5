/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Exact profiles: the calls of a CPU, from one place to another
 */

#include "qemu/osdep.h"
#include "call-edges.h"

#define EDGES_MAX (4 * 1024 * 1024)

static unsigned int hash_of(const CallEdges *e, uint32_t site, uint64_t target)
{
    uint64_t hash = (target ^ site * 0x9e3779b97f4a7c15ull) *
                    0xff51afd7ed558ccdull;

    return (hash >> 32) & (e->slots - 1);
}

/* Returns the slot of an edge, or the empty one where it belongs. */
static uint32_t *slot_of(const CallEdges *e, uint32_t site, uint64_t target)
{
    unsigned int at = hash_of(e, site, target);

    while (e->slot[at] && (e->edge[e->slot[at] - 1].site != site ||
                           e->edge[e->slot[at] - 1].target != target)) {
        at = (at + 1) & (e->slots - 1);
    }
    return &e->slot[at];
}

static void grow(CallEdges *e)
{
    e->slots = e->slots ? 2 * e->slots : 4096;
    g_free(e->slot);
    e->slot = g_new0(uint32_t, e->slots);
    e->room = e->slots / 2;
    e->edge = g_renew(VPMUCall, e->edge, e->room);
    e->spent = g_renew(uint64_t, e->spent, (size_t)e->room * e->events);
    for (unsigned int i = 0; i < e->n; i++) {
        *slot_of(e, e->edge[i].site, e->edge[i].target) = i + 1;
    }
}

/* Adds an edge, for which there is room. */
static void add(CallEdges *e, uint32_t site, uint64_t target)
{
    e->edge[e->n] = (VPMUCall) { .site = site, .target = target };
    memset(call_edge_spent(e, e->n), 0, e->events * sizeof(*e->spent));
    e->n++;
}

uint32_t call_edge_find(CallEdges *e, uint32_t site, uint64_t target)
{
    uint32_t *slot;

    if (e->n == e->room && e->n < EDGES_MAX) {
        grow(e);
    }
    slot = slot_of(e, site, target);
    if (!*slot) {
        if (e->n == EDGES_MAX) {
            e->full = true;
            return EDGE_FULL;
        }
        add(e, site, target);
        *slot = e->n;
    }
    return *slot - 1;
}

uint32_t call_edge_find_last(CallEdges *e, uint32_t site, uint64_t target)
{
    uint32_t edge = call_edge_find(e, site, target);
    uint32_t sites = MAX(e->sites, 4096);

    if (site >= e->sites) {
        while (sites <= site) {
            sites *= 2;
        }
        e->last = g_renew(uint32_t, e->last, sites);
        memset(e->last + e->sites, 0, (sites - e->sites) * sizeof(*e->last));
        e->sites = sites;
    }
    e->last[site] = edge + 1;
    return edge;
}

void call_edges_init(CallEdges *e, unsigned int events)
{
    *e = (CallEdges) { .events = events };
    grow(e);
    /* EDGE_FULL */
    add(e, 0, 0);
}

void call_edges_free(CallEdges *e)
{
    g_free(e->edge);
    g_free(e->spent);
    g_free(e->slot);
    g_free(e->last);
}
