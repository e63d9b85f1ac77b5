/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Taken branches that generated code stores, because a call for each would take
 * longer than most blocks do.  The target makes records of them before anything
 * else uses or changes the records.
 */

#ifndef TCG_VPMU_TAKEN_H
#define TCG_VPMU_TAKEN_H

typedef struct VPMUTaken {
    uint64_t from;
    uint64_t to;
    /* The cycles of its context, in slots, if the block tallies them */
    uint64_t slots;
    /* The target's description, and the context */
    uint32_t desc;
    uint32_t ctx;
} VPMUTaken;

/* A power of two, and twice as many as a CPU has records; see vpmu_lost(). */
#define VPMU_TAKEN_KEPT 128

/* The first field of what the CPU's "vpmu" points to */
typedef struct VPMUStored {
    /* Branches are stored, if the target decides that while code is running. */
    uint64_t on;
    /* The size of the branches that are stored, and of those overwritten */
    uint64_t size;
    VPMUTaken taken[VPMU_TAKEN_KEPT];
} VPMUStored;

/* Returns the number of stored branches, and of those overwritten. */
static inline uint64_t vpmu_stored(const VPMUStored *stored)
{
    return stored->size / sizeof(*stored->taken);
}

/*
 * Returns how many of @n branches to leave out, for @depth records.  The rest
 * are more than the records, as the first of these tells the cycles since the
 * branch before it.  They begin after whole rounds, so that the newest record
 * of a ring is at the right place.
 */
static inline uint64_t vpmu_lost(uint64_t n, unsigned int depth)
{
    return n > depth ? (n - depth - 1) / depth * depth : 0;
}

#endif
