/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#ifndef VPMU_ARM_OBSERVER_H
#define VPMU_ARM_OBSERVER_H

#include <stdint.h>

#include "vpmu/decls.h"
#include "vpmu/errors.h"
#include "vpmu/arm/pmu.h"

VPMU_DECLS_BEGIN

/*
 * Observers: counters that belong to the machine's owner and that software in the machine cannot
 * see. A PE can have any number of them, and all count all the time. They need a watch: see
 * vpmu/arm/watch.h.
 */

/* Who runs. */
enum vpmu_world {
    VPMU_WORLD_NVHE,  /* a host's kernel at EL1 with its EL0, or the hypervisor at EL2 below it */
    VPMU_WORLD_VHE,   /* a host's kernel at EL2 with its EL0 */
    VPMU_WORLD_GUEST, /* EL1 and EL0 of a guest */
};

VPMU_STATIC_ASSERT((unsigned)VPMU_WORLD_GUEST + 1 == VPMU_WORLD_COUNT,
                   "there is room for the worlds");

/**
 * vpmu_arm_event_parse() - parse an event in perf's syntax, independent of a PMU
 * @text: as for vpmu_arm_observer_parse().
 * @number: is set to the event's number on success. A raw number (r and hexadecimal digits) need
 *     not be an event that this library knows.
 * @modifiers: is set on success to a mask of enum vpmu_modifier: the modifiers in @text, possibly
 *     none.
 * @why: is set to the reason if @text is refused; may be NULL.
 *
 * Return: 0, or -VPMU_ERR_EVENT.
 * Source: perf-list(1), "EVENT MODIFIERS".
 */
int vpmu_arm_event_parse(const char *text, uint16_t *number, unsigned *modifiers, const char **why);

/**
 * vpmu_arm_observer_parse() - make an observer from an event in perf's syntax
 * @config: the configuration of the PMU that will have the observer.
 * @text: EVENT or EVENT:MODIFIERS. EVENT is one of perf's generic names ("instructions",
 *     "L1-dcache-load-misses"), a name from the Arm ARM in upper or lower case
 *     ("l1d_cache_refill"), or r and a hexadecimal number. MODIFIERS select exception levels: u
 *     EL0, k the kernel, h a hypervisor at EL2 below the kernel, and EL3; all of them if none is
 *     given. G selects guests only, H the host only. EL3 belongs to the host, also when it
 *     interrupts a guest. On a PE without AArch64, k selects EL3, too, where a Secure kernel runs.
 *     Cortex-A8 and Cortex-A9 have numbers and names of their own: vpmu_arm_event_at().
 * @o: is filled in on success, without a gate and without a period.
 * @why: is set to the reason if @text is refused; may be NULL.
 *
 * Return: 0, or -VPMU_ERR_EVENT.
 * Source: perf-list(1), "EVENT MODIFIERS".
 */
int vpmu_arm_observer_parse(const struct vpmu_arm_config *config, const char *text,
                            struct vpmu_observer *o, const char **why);

/**
 * vpmu_arm_observer_add() - start an observer from 0
 * @v: a PMU with a watch.
 * @o: the observer. It must stay at its address until vpmu_arm_observer_remove().
 * @now: what the clocks show; NULL if no source is timed.
 *
 * Sources, contexts and a gate's counter that the machine does not have count nothing.
 *
 * Return: a mask of enum vpmu_due; -VPMU_ERR_WATCH if @v has no watch or already has @o;
 * -VPMU_ERR_EVENT if the period is above VPMU_PERIOD_MAX. Nothing changes on an error.
 */
int vpmu_arm_observer_add(struct vpmu_arm *v, struct vpmu_observer *o, const struct vpmu_now *now);

/**
 * vpmu_arm_observer_remove() - stop an observer
 * @o: the observer. It need not have been added.
 * @now: what the clocks show; NULL if no source is timed.
 * @count: is set to the final count, which cannot be read later; to 0 on an error.
 *
 * Samples that have not been fetched are dropped. To get the last one, call vpmu_arm_sample()
 * before.
 *
 * Return: a mask of enum vpmu_due, or -VPMU_ERR_WATCH if @v does not have @o.
 */
int vpmu_arm_observer_remove(struct vpmu_arm *v, struct vpmu_observer *o,
                             const struct vpmu_now *now, uint64_t *count);

/**
 * vpmu_arm_sample() - find the samples that are due, without settling counters
 * @now: what the clocks show; NULL unless vpmu_arm_needs_time().
 *
 * For a machine that is about to leave the place where samples are due, for example to take an
 * exception. Costs a comparison unless an observer has a period.
 *
 * Return: a mask of enum vpmu_due.
 */
int vpmu_arm_sample(struct vpmu_arm *v, const struct vpmu_now *now);

/**
 * vpmu_arm_observer_read() - the current count of an observer
 * @v: the PMU that the observer was added to.
 * @o: the observer.
 * @now: what the clocks show; NULL if @o counts no timed source.
 *
 * Return: the number of events since vpmu_arm_observer_add().
 */
uint64_t vpmu_arm_observer_read(struct vpmu_arm *v, const struct vpmu_observer *o,
                                const struct vpmu_now *now);

VPMU_DECLS_END

#endif
