/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* Branch records for an observer outside of the machine. */
#include "vpmu/branch_observer.h"

#include "vpmu/errors.h"

int vpmu_branch_observer_init(struct vpmu_branch_observer *o,
                              const struct vpmu_branch_filter *filter, unsigned depth)
{
    unsigned groups = filter->groups & ~(unsigned)VPMU_BRGROUP_EXCEPTION;
    struct vpmu_branch_ring ring;

    if (vpmu_branch_init(&ring, depth)) {
        return -VPMU_ERR_CONFIG;
    }
    if (filter->exceptions || filter->returns) {
        groups |= VPMU_BRGROUP_EXCEPTION;
    }
    *o = (struct vpmu_branch_observer){.ring = ring, .filter = *filter};
    for (unsigned level = 0; level < VPMU_BRANCH_LEVELS; level++) {
        o->ring.groups[level] = filter->levels >> level & 1 ? (uint8_t)groups : 0;
    }
    return 0;
}

static void add(struct vpmu_branch_observer *o, const struct vpmu_branch *branch, uint64_t now)
{
    vpmu_branch_add(&o->ring, branch, o->filter.cycles ? now : VPMU_BRANCH_NO_TIME);
}

static bool kind_wanted(const struct vpmu_branch_observer *o, unsigned type)
{
    return type == VPMU_BRTYPE_EXCEPTION_RETURN ? o->filter.returns : o->filter.exceptions;
}

/* The PE enters a level that is recorded. */
static void arrive(struct vpmu_branch_observer *o, uint64_t at)
{
    if (o->resume != at) {
        vpmu_branch_clear(&o->ring);
    }
}

void vpmu_branch_observer_cross(struct vpmu_branch_observer *o, const struct vpmu_branch *branch,
                                unsigned source, uint64_t resume, uint64_t now)
{
    bool from = vpmu_branch_recorded(&o->ring, source);
    bool to = vpmu_branch_recorded(&o->ring, branch->level);
    struct vpmu_branch crossing = *branch;

    if (from && to && kind_wanted(o, branch->type)) {
        crossing.flags = VPMU_BRANCH_HAS_FROM | VPMU_BRANCH_HAS_TO;
        add(o, &crossing, now);
    } else if (from && !to) {
        o->resume = resume;
        vpmu_branch_interrupt(&o->ring);
    } else if (to && !from) {
        arrive(o, branch->to);
    }
}

void vpmu_branch_observer_enter(struct vpmu_branch_observer *o, uint64_t space)
{
    if (space != o->space) {
        o->space = space;
        vpmu_branch_clear(&o->ring);
    }
}

unsigned vpmu_branch_observer_copy(const struct vpmu_branch_observer *o, struct vpmu_branch *branch)
{
    unsigned n;

    for (n = 0; n < o->ring.depth; n++) {
        branch[n] = *vpmu_branch_get(&o->ring, n);
        if (!branch[n].flags) {
            break;
        }
    }
    return n;
}
