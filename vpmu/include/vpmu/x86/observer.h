/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#ifndef VPMU_X86_OBSERVER_H
#define VPMU_X86_OBSERVER_H

#include <stdint.h>

#include "vpmu/decls.h"
#include "vpmu/x86/pmu.h"

VPMU_DECLS_BEGIN

/**
 * vpmu_x86_observer_parse() - make an observer from an event in perf's syntax
 * @config: the configuration of the PMU that will have the observer.
 * @text: EVENT or EVENT:MODIFIERS. EVENT is one of perf's generic names ("instructions"), the name
 *     of one of this vendor's events in the manual, in upper or lower case, or r and the
 *     hexadecimal number of an event as in PERFEVTSEL ("r1c4"). MODIFIERS select levels: u CPL 1 to
 *     3, k CPL 0 and SMM, both if none is given; h alone selects nothing. G selects guests of SVM
 *     only, H the host only.
 * @o: is filled in on success, without a gate and without a period.
 * @why: is set to the reason if @text is refused; may be NULL.
 *
 * Return: 0, or -VPMU_ERR_EVENT.
 * Source: perf-list(1), "EVENT MODIFIERS".
 */
int vpmu_x86_observer_parse(const struct vpmu_x86_config *config, const char *text,
                            struct vpmu_observer *o, const char **why);

/**
 * vpmu_x86_observer_add() - start an observer from 0
 * @o: the observer. It must stay at its address until vpmu_x86_observer_remove().
 * @now: what the clocks show; NULL if no source is timed.
 *
 * Sources and contexts that the machine does not have count nothing.
 *
 * Return: a mask of enum vpmu_due; -VPMU_ERR_WATCH if @v already has @o; -VPMU_ERR_EVENT if the
 * period is above VPMU_PERIOD_MAX. Nothing changes on an error.
 */
int vpmu_x86_observer_add(struct vpmu_x86 *v, struct vpmu_observer *o, const struct vpmu_now *now);

/**
 * vpmu_x86_observer_remove() - stop an observer
 * @o: the observer. It need not have been added.
 * @now: what the clocks show; NULL if no source is timed.
 * @count: is set to the final count, which cannot be read later; to 0 on an error.
 *
 * Samples that have not been fetched are dropped. To get the last one, call vpmu_x86_sample()
 * before.
 *
 * Return: a mask of enum vpmu_due, or -VPMU_ERR_WATCH if @v does not have @o.
 */
int vpmu_x86_observer_remove(struct vpmu_x86 *v, struct vpmu_observer *o,
                             const struct vpmu_now *now, uint64_t *count);

/**
 * vpmu_x86_observer_read() - the current count of an observer
 * @v: the PMU that the observer was added to.
 * @o: the observer.
 * @now: what the clocks show; NULL if @o counts no timed source.
 *
 * Return: the number of events since vpmu_x86_observer_add().
 */
uint64_t vpmu_x86_observer_read(struct vpmu_x86 *v, const struct vpmu_observer *o,
                                const struct vpmu_now *now);

VPMU_DECLS_END

#endif
