/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#ifndef VPMU_OBSERVER_H
#define VPMU_OBSERVER_H

#include <stdint.h>

#include "vpmu/errors.h"
#include "vpmu/pmu.h"

/*
 * Counters that the machine's owner has on a PE, and that software in the machine cannot see. There
 * may be any number, all counting all the time. They need a watch: vpmu/watch.h.
 */

/* Who runs. */
enum vpmu_world {
    VPMU_WORLD_NVHE,  /* a kernel at EL1 that is nobody's guest, or EL2 below it */
    VPMU_WORLD_VHE,   /* a kernel at EL2 and its EL0 */
    VPMU_WORLD_GUEST, /* EL1 and EL0 of a guest of either */
    VPMU_WORLD_COUNT,
};

/* In place of a counter's number: an observer counts always. */
#define VPMU_UNGATED 255u

/**
 * struct vpmu_observer - one such counter
 * @sources: what it counts: a mask of VPMU_SRC_BIT().
 * @ctx_mask: in which contexts, for each enum vpmu_world.
 * @gate: it counts only while the host's kernel has this counter of the PMU switched on, whether or
 *     not a hypervisor's switch holds it stopped; or VPMU_UNGATED.
 *
 * The rest is private. The caller owns the memory.
 */
struct vpmu_observer {
    uint64_t sources;
    uint16_t ctx_mask[VPMU_WORLD_COUNT];
    uint8_t gate;
    uint16_t mask; /* in which contexts it counts now */
    uint64_t value;
    uint64_t base;
    struct vpmu_observer *next;
};

/**
 * vpmu_observer_parse() - make an observer from an event as perf writes it
 * @config: of the PMU that it is for.
 * @text: EVENT or EVENT:MODIFIERS. EVENT is one of perf's generic names ("instructions",
 *     "L1-dcache-load-misses"), a name of the Arm ARM in any case ("l1d_cache_refill"), or r and a
 *     hexadecimal number. MODIFIERS: u EL0, k the kernel, h a hypervisor at EL2 below the kernel,
 *     and EL3; all if none of these is given. G guests only, H the host only; EL3 is the host's,
 *     whomever it interrupts.
 * @o: is filled in, ungated, on success.
 * @why: if not NULL and @text is refused, is set to a sentence that says why.
 *
 * Return: 0, or -VPMU_ERR_EVENT.
 * Source: perf-list(1), "EVENT MODIFIERS".
 */
int vpmu_observer_parse(const struct vpmu_config *config, const char *text, struct vpmu_observer *o,
                        const char **why);

/**
 * vpmu_observer_add() - let it count, from 0
 * @v: a PMU with a watch.
 * @o: must stay where it is until vpmu_observer_remove().
 *
 * What @o names and the machine does not have counts nothing: sources, contexts, a gate's counter.
 * Calls vpmu_ops.rearm.
 *
 * Return: 0, or -VPMU_ERR_WATCH if @v has no watch, or has @o already; nothing is changed then.
 */
int vpmu_observer_add(struct vpmu *v, struct vpmu_observer *o);

/* Undoes vpmu_observer_add(), if it was; its value can be read no more. */
void vpmu_observer_remove(struct vpmu *v, struct vpmu_observer *o);

/* What it has counted until now. */
uint64_t vpmu_observer_read(struct vpmu *v, const struct vpmu_observer *o);

#endif
