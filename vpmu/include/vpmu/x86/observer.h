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
 * @v: the PMU.
 * @o: the observer. It must stay at its address until vpmu_x86_observer_remove().
 *
 * Sources and contexts that the machine does not have count nothing. Calls vpmu_ops.rearm.
 *
 * Return: 0; -VPMU_ERR_WATCH if @v already has @o; -VPMU_ERR_EVENT if the period is above
 * VPMU_PERIOD_MAX or @o->sample is missing. Nothing changes on an error.
 */
int vpmu_x86_observer_add(struct vpmu_x86 *v, struct vpmu_observer *o);

/**
 * vpmu_x86_observer_remove() - stop an observer
 * @v: the PMU.
 * @o: the observer. It need not have been added.
 *
 * If the current period has ended, the sample is delivered first. Calls vpmu_ops.rearm.
 *
 * Return: the final count, which cannot be read later; 0 if @v does not have @o.
 */
uint64_t vpmu_x86_observer_remove(struct vpmu_x86 *v, struct vpmu_observer *o);

/**
 * vpmu_x86_observer_read() - the current count of an observer
 * @v: the PMU that the observer was added to.
 * @o: the observer.
 *
 * Calls no vpmu_ops but clock.
 *
 * Return: the number of events since vpmu_x86_observer_add().
 */
uint64_t vpmu_x86_observer_read(struct vpmu_x86 *v, const struct vpmu_observer *o);

VPMU_DECLS_END

#endif
