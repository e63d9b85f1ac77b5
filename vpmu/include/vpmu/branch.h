/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#ifndef VPMU_BRANCH_H
#define VPMU_BRANCH_H

#include <stdbool.h>
#include <stdint.h>

#include "vpmu/decls.h"

VPMU_DECLS_BEGIN

/*
 * Branch records: a ring that keeps the newest branches that a PE took, with filters by kind and by
 * privilege level, and a freeze. It knows no architecture. Registers such as those of Arm's BRBE
 * (vpmu/arm/brbe.h) and x86's LBR (vpmu/x86/lbr.h) set its filters and show its records.
 *
 * The functions for each taken branch are inline: calls would take longer than all else they do.
 */

/* The largest ring. */
#define VPMU_BRANCH_RECORDS 64
/* Privilege levels: exception levels on Arm, CPLs on x86. */
#define VPMU_BRANCH_LEVELS 4

/*
 * What a branch is. The numbers are those of BRBINF<n>_EL1.TYPE, because no other architecture
 * distinguishes more kinds.
 */
enum vpmu_branch_type {
    VPMU_BRTYPE_DIRECT = 0x00,
    VPMU_BRTYPE_INDIRECT = 0x01,
    VPMU_BRTYPE_CALL = 0x02,
    VPMU_BRTYPE_INDIRECT_CALL = 0x03,
    VPMU_BRTYPE_RETURN = 0x05,
    VPMU_BRTYPE_EXCEPTION_RETURN = 0x07,
    VPMU_BRTYPE_CONDITIONAL = 0x08,
    VPMU_BRTYPE_DEBUG_HALT = 0x21,
    VPMU_BRTYPE_SYSTEM_CALL = 0x22,
    VPMU_BRTYPE_TRAP = 0x23,
    VPMU_BRTYPE_SERROR = 0x24,
    VPMU_BRTYPE_INSN_DEBUG = 0x26,
    VPMU_BRTYPE_DATA_DEBUG = 0x27,
    VPMU_BRTYPE_ALIGNMENT = 0x2a,
    VPMU_BRTYPE_INSN_FAULT = 0x2b,
    VPMU_BRTYPE_DATA_FAULT = 0x2c,
    VPMU_BRTYPE_IRQ = 0x2e,
    VPMU_BRTYPE_FIQ = 0x2f,
    VPMU_BRTYPE_DEBUG_EXIT = 0x39,
    VPMU_BRTYPE_COUNT = 0x40,
};

/* Groups of types, which filters select. */
enum vpmu_branch_group {
    VPMU_BRGROUP_DIRECT = 1 << 0,
    VPMU_BRGROUP_INDIRECT = 1 << 1,
    VPMU_BRGROUP_CALL = 1 << 2,
    VPMU_BRGROUP_INDIRECT_CALL = 1 << 3,
    VPMU_BRGROUP_RETURN = 1 << 4,
    VPMU_BRGROUP_CONDITIONAL = 1 << 5,
    /* Everything that changes the level: exceptions and returns from them. */
    VPMU_BRGROUP_EXCEPTION = 1 << 6,
    VPMU_BRGROUP_ALL = (1 << 7) - 1,
};

/* What is known about a branch. */
enum vpmu_branch_flag {
    VPMU_BRANCH_HAS_FROM = 1 << 0,
    VPMU_BRANCH_HAS_TO = 1 << 1,
    VPMU_BRANCH_HAS_CYCLES = 1 << 2,
    VPMU_BRANCH_MISPREDICTED = 1 << 3,
    VPMU_BRANCH_FLAGS = (1 << 4) - 1,
};

/**
 * struct vpmu_branch - the record of one branch
 * @from: the address of the branch, or the preferred return address of an exception; 0 without
 *     VPMU_BRANCH_HAS_FROM.
 * @to: where execution continued; 0 without VPMU_BRANCH_HAS_TO.
 * @cycles: cycles since the record before; 0 without VPMU_BRANCH_HAS_CYCLES.
 * @type: enum vpmu_branch_type.
 * @level: the privilege level at @to; 0 without VPMU_BRANCH_HAS_TO.
 * @flags: a mask of enum vpmu_branch_flag. A record that has neither @from nor @to is empty, and
 *     all its members are 0.
 * @tag: bits of registers that the ring does not know; 0 unless the registers have such bits.
 */
struct vpmu_branch {
    uint64_t from;
    uint64_t to;
    uint32_t cycles;
    uint8_t type;
    uint8_t level;
    uint8_t flags;
    uint8_t tag;
};

VPMU_STATIC_ASSERT(sizeof(struct vpmu_branch) == 24, "machines may write records themselves");

/* The time of a branch if no cycles are counted. */
#define VPMU_BRANCH_NO_TIME UINT64_MAX

/**
 * struct vpmu_branch_ring - the newest branches
 * @record: the records. Record n is at (newest + n) modulo depth.
 * @last: the time of the newest record that was added with a time.
 * @groups: for each level, a mask of enum vpmu_branch_group that is recorded there.
 * @depth: the number of records, 1 to VPMU_BRANCH_RECORDS.
 * @newest: the index of the newest record.
 * @frozen: nothing is recorded.
 * @timed: the next record can tell the cycles since @last.
 */
struct vpmu_branch_ring {
    struct vpmu_branch record[VPMU_BRANCH_RECORDS];
    uint64_t last;
    uint8_t groups[VPMU_BRANCH_LEVELS];
    uint8_t depth;
    uint8_t newest;
    bool frozen;
    bool timed;
};

/**
 * vpmu_branch_init() - make an empty ring that records nothing
 * @ring: memory for the ring.
 * @depth: the number of records, 1 to VPMU_BRANCH_RECORDS.
 *
 * Return: 0, or -VPMU_ERR_CONFIG with @ring unchanged.
 */
int vpmu_branch_init(struct vpmu_branch_ring *ring, unsigned depth);

/**
 * vpmu_branch_clear() - make all records empty
 * @ring: the ring. Its filters and its freeze stay.
 */
void vpmu_branch_clear(struct vpmu_branch_ring *ring);

/**
 * vpmu_branch_group() - the group of a type
 * @type: enum vpmu_branch_type, any value below VPMU_BRTYPE_COUNT.
 *
 * Return: one bit of enum vpmu_branch_group.
 */
static inline unsigned vpmu_branch_group(unsigned type)
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

/**
 * vpmu_branch_recorded() - which branches a ring records
 * @ring: the ring.
 * @level: where the branch executes, below VPMU_BRANCH_LEVELS.
 *
 * A machine generates code that records for these groups only.
 *
 * Return: a mask of enum vpmu_branch_group; 0 while the ring is frozen.
 */
static inline unsigned vpmu_branch_recorded(const struct vpmu_branch_ring *ring, unsigned level)
{
    return ring->frozen ? 0 : ring->groups[level];
}

/* Makes the place of the oldest record that of the newest one. */
static inline struct vpmu_branch *vpmu_branch_place_(struct vpmu_branch_ring *ring)
{
    unsigned above = ring->newest ? ring->newest : ring->depth;

    ring->newest = (uint8_t)(above - 1);
    return &ring->record[ring->newest];
}

/**
 * vpmu_branch_insert() - make a record the newest one
 * @ring: the ring. Filters and freeze do not apply.
 * @branch: the record.
 *
 * The oldest record is lost. Nothing else in the ring changes.
 */
void vpmu_branch_insert(struct vpmu_branch_ring *ring, const struct vpmu_branch *branch);

/**
 * vpmu_branch_add() - record a branch that was taken now
 * @ring: the ring. The caller has asked vpmu_branch_recorded().
 * @branch: the record. @cycles and VPMU_BRANCH_HAS_CYCLES are ignored.
 * @now: the cycles that the PE has executed so far, or VPMU_BRANCH_NO_TIME.
 *
 * The record has cycles if this one and the one before have a time, and vpmu_branch_interrupt() was
 * not called between the two. A time that is before the last one counts as no cycles.
 */
static inline void vpmu_branch_add(struct vpmu_branch_ring *ring, const struct vpmu_branch *branch,
                                   uint64_t now)
{
    struct vpmu_branch *added = vpmu_branch_place_(ring);
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

/**
 * vpmu_branch_interrupt() - the PE executes where nothing is recorded
 * @ring: the ring.
 *
 * The cycles until the next record are unknown.
 */
void vpmu_branch_interrupt(struct vpmu_branch_ring *ring);

/**
 * vpmu_branch_remove() - remove the newest record
 * @ring: the ring.
 *
 * The record before it becomes the newest one, and an empty one the oldest. The time of the newest
 * record stays. An empty record is removed as well.
 */
void vpmu_branch_remove(struct vpmu_branch_ring *ring);

/**
 * vpmu_branch_get() - look at a record
 * @ring: the ring.
 * @n: 0 for the newest, any value.
 *
 * Return: the record, valid until the ring changes; NULL if @n is not below the depth.
 */
const struct vpmu_branch *vpmu_branch_get(const struct vpmu_branch_ring *ring, unsigned n);

/**
 * vpmu_branch_consistent() - tell whether a record can exist
 * @branch: a record from anywhere.
 *
 * Return: true if each member fits to the flags, as struct vpmu_branch says, and the tag is 0.
 */
bool vpmu_branch_consistent(const struct vpmu_branch *branch);

VPMU_DECLS_END

#endif
