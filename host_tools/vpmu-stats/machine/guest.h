/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_GUEST_H
#define VPMU_STATS_GUEST_H

#include "machine/machine.h"

/**
 * struct guest_use - how a guest uses the event counters of a vCPU, as seen at several times
 * @counters: the number of event counters.
 * @enabled: how many of them are enabled now.
 * @uncounted: how many of these are set to an event that the machine does not count.
 * @looks: the number of calls of guest_look() at which a counter was enabled that was also enabled
 *     at the call before.
 * @changed: at how many of these @looks such a counter had another event or filter than before.
 *
 * A kernel that multiplexes events moves them between counters every few milliseconds, so most
 * looks find a change. Without multiplexing, an event stays on a counter for as long as it counts.
 *
 * The other members are private. All members are 0 before the first call.
 */
struct guest_use {
    unsigned counters;
    unsigned enabled;
    unsigned uncounted;
    uint64_t looks;
    uint64_t changed;
    uint32_t on; /* bit n: counter n was enabled at the last call */
    uint64_t type[MACHINE_CYCLE_COUNTER];
};

/** guest_look() - update @u with the current state of a PMU */
void guest_look(struct guest_use *u, const struct pmu *p);

#endif
