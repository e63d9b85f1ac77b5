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

unsigned vpmu_branch_group(unsigned type)
{
    switch (type) {
    case VPMU_BRTYPE_DIRECT:
        return VPMU_BRGROUP_DIRECT;
    case VPMU_BRTYPE_INDIRECT:
        return VPMU_BRGROUP_INDIRECT;
    case VPMU_BRTYPE_CALL:
        return VPMU_BRGROUP_CALL;
    case VPMU_BRTYPE_INDIRECT_CALL:
        return VPMU_BRGROUP_INDIRECT_CALL;
    case VPMU_BRTYPE_RETURN:
        return VPMU_BRGROUP_RETURN;
    case VPMU_BRTYPE_CONDITIONAL:
        return VPMU_BRGROUP_CONDITIONAL;
    default:
        return VPMU_BRGROUP_EXCEPTION;
    }
}

unsigned vpmu_branch_recorded(const struct vpmu_branch_ring *ring, unsigned level)
{
    return ring->frozen ? 0 : ring->groups[level];
}

/* Makes the place of the oldest record that of the newest one. */
static struct vpmu_branch *next_place(struct vpmu_branch_ring *ring)
{
    unsigned above = ring->newest ? ring->newest : ring->depth;

    ring->newest = (uint8_t)(above - 1);
    return &ring->record[ring->newest];
}

void vpmu_branch_insert(struct vpmu_branch_ring *ring, const struct vpmu_branch *branch)
{
    *next_place(ring) = *branch;
}

void vpmu_branch_add(struct vpmu_branch_ring *ring, const struct vpmu_branch *branch, uint64_t now)
{
    struct vpmu_branch *added = next_place(ring);
    uint8_t flags = branch->flags & (uint8_t)~VPMU_BRANCH_HAS_CYCLES;
    uint64_t cycles = 0;

    if (ring->timed && now != VPMU_BRANCH_NO_TIME) {
        cycles = now > ring->last ? now - ring->last : 0;
        flags |= VPMU_BRANCH_HAS_CYCLES;
    }
    /*
     * Member by member: a processor cannot copy the whole before the narrow stores of the caller
     * have reached the cache.
     */
    added->from = branch->from;
    added->to = branch->to;
    added->cycles = cycles < UINT32_MAX ? (uint32_t)cycles : UINT32_MAX;
    added->type = branch->type;
    added->level = branch->level;
    added->flags = flags;
    added->tag = branch->tag;
    ring->timed = now != VPMU_BRANCH_NO_TIME;
    ring->last = ring->timed ? now : 0;
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
