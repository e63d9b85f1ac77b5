/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_GUEST_H
#define VPMU_STATS_GUEST_H

#include "machine/machine.h"

/**
 * struct guest_use - what a guest does with the event counters of a vCPU, from look to look
 * @counters: that it has.
 * @enabled: of these, now.
 * @uncounted: of those enabled, set to an event that the machine does not count.
 * @looks: at which a counter was enabled that had been so at the look before.
 * @changed: of these looks, those at which such a counter had another event or filter than before.
 *
 * A kernel that shares counters between events moves them every few milliseconds, so that most
 * looks find others than before; one that does not leaves an event where it is for as long as it
 * counts.
 *
 * The rest is private; all of it is 0 before the first look.
 */
struct guest_use {
    unsigned counters;
    unsigned enabled;
    unsigned uncounted;
    uint64_t looks;
    uint64_t changed;
    uint32_t on; /* at the last look, by number */
    uint64_t type[MACHINE_CYCLE_COUNTER];
};

/** guest_look() - takes what @p is now */
void guest_look(struct guest_use *u, const struct pmu *p);

#endif
