/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#ifndef VPMU_BRANCH_OBSERVER_H
#define VPMU_BRANCH_OBSERVER_H

#include "vpmu/branch.h"

VPMU_DECLS_BEGIN

/*
 * Branch records for an observer outside of the machine: a ring of its own, with a filter of its
 * own, that no register shows. It knows no architecture. Level 0 is user space, the levels above it
 * are the kernel and what is below the kernel.
 */

/**
 * struct vpmu_branch_filter - which branches an observer wants
 * @levels: a bit for each privilege level.
 * @groups: a mask of enum vpmu_branch_group without VPMU_BRGROUP_EXCEPTION.
 * @exceptions: exceptions, system calls and interrupts.
 * @returns: returns from them.
 * @mispredictions: whether each branch was predicted. This costs time.
 * @cycles: the cycles between records. This costs time.
 */
struct vpmu_branch_filter {
    uint8_t levels;
    uint8_t groups;
    bool exceptions;
    bool returns;
    bool mispredictions;
    bool cycles;
};

/* The words of a filter, for messages. */
#define VPMU_BRANCH_FILTER_WORDS                                                                   \
    "any, any_call, any_ret, call, ind_call, ind_jmp, cond, u, k, flags and cycles"

/**
 * vpmu_branch_filter_parse() - read a filter that is written as perf writes it
 * @filter: what @text means. Unchanged if the call fails.
 * @text: words with commas between them: any, any_call, any_ret, call, ind_call, ind_jmp, cond for
 *     kinds of branches (none of them: any); u, k for levels (none of them: both); flags, cycles
 *     for what else is recorded. no_flags, no_cycles and save_type change nothing.
 * @why: as in vpmu/errors.h.
 *
 * Return: 0, or -VPMU_ERR_ATTR if there is an unknown or an empty word.
 */
int vpmu_branch_filter_parse(struct vpmu_branch_filter *filter, const char *text, const char **why);

/**
 * struct vpmu_branch_observer - the newest branches that an observer wants
 * @ring: the records, and for each level what is recorded there.
 * @filter: what is wanted.
 * @space: the address space of the records.
 * @resume: where the PE left the levels that are recorded last.
 */
struct vpmu_branch_observer {
    struct vpmu_branch_ring ring;
    struct vpmu_branch_filter filter;
    uint64_t space;
    uint64_t resume;
};

/**
 * vpmu_branch_observer_init() - begin to observe
 * @o: memory for the observer.
 * @filter: what is wanted.
 * @depth: the number of records, 1 to VPMU_BRANCH_RECORDS.
 *
 * Return: 0, or -VPMU_ERR_CONFIG with @o unchanged.
 */
int vpmu_branch_observer_init(struct vpmu_branch_observer *o,
                              const struct vpmu_branch_filter *filter, unsigned depth);

/**
 * vpmu_branch_observer_taken() - record a branch that was taken, if it is wanted
 * @o: the observer.
 * @branch: the record: source, target, type, level, VPMU_BRANCH_MISPREDICTED.
 * @now: as in vpmu_branch_add(). It is ignored unless the filter has cycles.
 */
static inline void vpmu_branch_observer_taken(struct vpmu_branch_observer *o,
                                              const struct vpmu_branch *branch, uint64_t now)
{
    struct vpmu_branch taken = *branch;

    if (vpmu_branch_recorded(&o->ring, branch->level) & vpmu_branch_group(branch->type)) {
        taken.flags |= VPMU_BRANCH_HAS_FROM | VPMU_BRANCH_HAS_TO;
        taken.tag = 0;
        vpmu_branch_add(&o->ring, &taken, o->filter.cycles ? now : VPMU_BRANCH_NO_TIME);
    }
}

/**
 * vpmu_branch_observer_cross() - record an exception, or a return from one, if it is wanted
 * @o: the observer.
 * @branch: the record: the address of the exception, or that of the return; target, type and the
 *     level of the target.
 * @source: the level before.
 * @resume: the address where the exception returns to; not used for a return.
 * @now: as in vpmu_branch_observer_taken().
 *
 * A record is made only if both levels are wanted. If only the target's is and the PE does not
 * continue where it left the wanted levels, all records are dropped. So an interrupt is invisible
 * to an observer of user space, and two consecutive records always enclose code that was executed
 * without a gap.
 */
void vpmu_branch_observer_cross(struct vpmu_branch_observer *o, const struct vpmu_branch *branch,
                                unsigned source, uint64_t resume, uint64_t now);

/**
 * vpmu_branch_observer_enter() - the PE executes in an address space
 * @o: the observer.
 * @space: a number that is different for each address space. If it is another than in the last
 *     call, all records are dropped, because their addresses belong to the other one.
 */
void vpmu_branch_observer_enter(struct vpmu_branch_observer *o, uint64_t space);

/**
 * vpmu_branch_observer_copy() - get all records, the newest first
 * @o: the observer.
 * @branch: memory for VPMU_BRANCH_RECORDS records.
 *
 * Return: the number of records.
 */
unsigned vpmu_branch_observer_copy(const struct vpmu_branch_observer *o,
                                   struct vpmu_branch *branch);

VPMU_DECLS_END

#endif
