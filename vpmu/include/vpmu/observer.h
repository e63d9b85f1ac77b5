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
    VPMU_WORLD_NVHE,  /* a kernel at EL1 that is no guest, or EL2 below it */
    VPMU_WORLD_VHE,   /* a kernel at EL2 and its EL0 */
    VPMU_WORLD_GUEST, /* EL1 and EL0 of a guest of either */
};

_Static_assert((unsigned)VPMU_WORLD_GUEST + 1 == VPMU_WORLD_COUNT, "there is room for the worlds");

/**
 * vpmu_event_parse() - read an event as perf writes it, whatever PMU is to count it
 * @text: as for vpmu_observer_parse().
 * @number: is set to the event's number, on success. r and a number need not be an event that this
 *     library knows.
 * @modifiers: is set to a mask of enum vpmu_modifier: those that were given, so perhaps 0.
 * @why: if not NULL and @text is refused, is set to a sentence that says why.
 *
 * Return: 0, or -VPMU_ERR_EVENT.
 */
int vpmu_event_parse(const char *text, uint16_t *number, unsigned *modifiers, const char **why);

/**
 * vpmu_observer_parse() - make an observer from an event as perf writes it
 * @config: of the PMU that it is for.
 * @text: EVENT or EVENT:MODIFIERS. EVENT is one of perf's generic names ("instructions",
 *     "L1-dcache-load-misses"), a name of the Arm ARM in any case ("l1d_cache_refill"), or r and a
 *     hexadecimal number. MODIFIERS: u EL0, k the kernel, h a hypervisor at EL2 below the kernel,
 *     and EL3; all if none of these is given. G guests only, H the host only; EL3 is the host's,
 *     also when it interrupts a guest.
 * @o: is filled in, ungated and without a period, on success.
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
 * Return: 0, or -VPMU_ERR_WATCH if @v has no watch, or has @o already, or -VPMU_ERR_EVENT if its
 * period is too long, or nothing takes the samples; nothing is changed then.
 */
int vpmu_observer_add(struct vpmu *v, struct vpmu_observer *o);

/**
 * vpmu_observer_remove() - undo vpmu_observer_add(), if it was
 *
 * A period that is over is told of first. Calls vpmu_ops.rearm.
 *
 * Return: what it has counted in all, which can be read no more; 0 if @v does not have it.
 */
uint64_t vpmu_observer_remove(struct vpmu *v, struct vpmu_observer *o);

/**
 * vpmu_sample() - let samples come that are due; the rest of vpmu_settle() can wait
 *
 * For a machine that is about to leave where they are due, by taking an exception, say. Costs a
 * comparison unless an observer has a period.
 */
void vpmu_sample(struct vpmu *v);

/**
 * struct vpmu_frequency - what it takes to have samples come at a rate
 * @hz: samples a second, 1 to VPMU_FREQUENCY_MAX.
 * @last: when the last one came, in nanoseconds.
 */
struct vpmu_frequency {
    uint32_t hz;
    uint64_t last;
};

#define VPMU_FREQUENCY_MAX 1000000u

/**
 * vpmu_frequency_next() - the next period of an observer that is to have samples at a rate
 * @f: @f->last is set to @now.
 * @period: the one that has ended; the first one is 1.
 * @count: what has been counted since the last sample.
 * @now: nanoseconds of any clock that does not go back.
 *
 * It goes an eighth of the way, as perf_adjust_period() of Linux does, and at most to eight times
 * what it was, so that one odd sample does no harm. If more than eight samples' time has passed,
 * and 8 ms, the PE was idle or did something else: that says little about what comes, and the
 * period is halved.
 *
 * Return: 1 to VPMU_PERIOD_MAX.
 */
uint64_t vpmu_frequency_next(struct vpmu_frequency *f, uint64_t period, uint64_t count,
                             uint64_t now);

/* What it has counted until now. */
uint64_t vpmu_observer_read(struct vpmu *v, const struct vpmu_observer *o);

#endif
