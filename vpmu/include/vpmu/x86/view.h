/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#ifndef VPMU_X86_VIEW_H
#define VPMU_X86_VIEW_H

#include <stdbool.h>
#include <stdint.h>

#include "vpmu/decls.h"
#include "vpmu/x86/events.h"
#include "vpmu/x86/pmu.h"

VPMU_DECLS_BEGIN

/**
 * struct vpmu_x86_counter - the setting and the count of a counter
 * @event: the event that the counter counts; NULL if this PMU does not count what is selected, or
 *     if it is a sum of several rows: see vpmu_x86_event_parts().
 * @number: the number of the selected event, as in struct vpmu_x86_event.
 * @select: PERFEVTSEL; for a fixed counter, its field of FIXED_CTR_CTRL.
 * @value: the counter's value as of the last vpmu_x86_settle().
 * @overflows: the number of overflows since vpmu_x86_init().
 * @enabled: the counter is enabled by its own register and, if it exists, by GLOBAL_CTRL.
 * @counting: the counter counts in at least one context, all conditions considered.
 * @overflowed: the counter's bit of GLOBAL_STATUS is set.
 * @interrupts: an overflow of the counter causes a PMI.
 */
struct vpmu_x86_counter {
    const struct vpmu_x86_event *event;
    uint64_t number;
    uint64_t select;
    uint64_t value;
    uint64_t overflows;
    bool enabled;
    bool counting;
    bool overflowed;
    bool interrupts;
};

/**
 * vpmu_x86_view() - look at a counter without changing it
 * @v: the PMU. Call vpmu_x86_settle() first for current values.
 * @idx: the counter: 0 and up for general counters, VPMU_X86_FIXED and up for fixed ones. Any
 *     value.
 * @view: is filled in if the counter exists.
 *
 * Return: true if the counter exists and has been set up or has counted.
 */
bool vpmu_x86_view(const struct vpmu_x86 *v, unsigned idx, struct vpmu_x86_counter *view);

VPMU_DECLS_END

#endif
