/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* The ring of branch records. */
#include "vpmu/branch.h"

#include <stddef.h>

#include "vpmu/errors.h"

int vpmu_branch_init(struct vpmu_branch_ring *ring, unsigned depth)
{
    if (depth < 1 || depth > VPMU_BRANCH_RECORDS) {
        return -VPMU_ERR_CONFIG;
    }
    *ring = (struct vpmu_branch_ring){.depth = (uint8_t)depth};
    return 0;
}

void vpmu_branch_clear(struct vpmu_branch_ring *ring)
{
    for (unsigned n = 0; n < VPMU_BRANCH_RECORDS; n++) {
        ring->record[n] = (struct vpmu_branch){0};
    }
    ring->newest = 0;
    vpmu_branch_interrupt(ring);
}

void vpmu_branch_insert(struct vpmu_branch_ring *ring, const struct vpmu_branch *branch)
{
    *vpmu_branch_place_(ring) = *branch;
}

void vpmu_branch_interrupt(struct vpmu_branch_ring *ring)
{
    ring->timed = false;
    ring->last = 0;
}

void vpmu_branch_remove(struct vpmu_branch_ring *ring)
{
    ring->record[ring->newest] = (struct vpmu_branch){0};
    ring->newest = ring->newest + 1 < ring->depth ? (uint8_t)(ring->newest + 1) : 0;
}

const struct vpmu_branch *vpmu_branch_get(const struct vpmu_branch_ring *ring, unsigned n)
{
    unsigned at = ring->newest + n;

    if (n >= ring->depth) {
        return NULL;
    }
    return &ring->record[at < ring->depth ? at : at - ring->depth];
}

bool vpmu_branch_consistent(const struct vpmu_branch *branch)
{
    const struct vpmu_branch *b = branch;
    bool from = b->flags & VPMU_BRANCH_HAS_FROM;
    bool to = b->flags & VPMU_BRANCH_HAS_TO;

    if (b->type >= VPMU_BRTYPE_COUNT || b->level >= VPMU_BRANCH_LEVELS || b->tag ||
        (b->flags & ~VPMU_BRANCH_FLAGS)) {
        return false;
    }
    if (!from && !to) {
        return !(b->from | b->to | b->cycles | b->type | b->level | b->flags);
    }
    return (from || (!b->from && !(b->flags & VPMU_BRANCH_MISPREDICTED))) &&
           (to || (!b->to && !b->level)) && (b->flags & VPMU_BRANCH_HAS_CYCLES || !b->cycles);
}
