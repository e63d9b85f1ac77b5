/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#ifndef VPMU_PERF_EVENT_H
#define VPMU_PERF_EVENT_H

#include <stdint.h>

#include "vpmu/decls.h"

VPMU_DECLS_BEGIN

/**
 * vpmu_perf_event_parse() - parse an event in perf's syntax, for perf_event_open(2) of any host
 * @text: EVENT or EVENT:MODIFIERS. EVENT is one of perf's generic names ("instructions",
 *     "L1-dcache-load-misses"), whose numbers are the same on all architectures, or r and the
 *     hexadecimal number that the host's PMU gives the event ("r1c4").
 * @type: is set to perf_event_attr.type on success: PERF_TYPE_HARDWARE, PERF_TYPE_HW_CACHE or
 *     PERF_TYPE_RAW.
 * @config: is set to perf_event_attr.config on success. The host need not have the event.
 * @modifiers: is set on success to a mask of enum vpmu_modifier: the modifiers in @text, possibly
 *     none.
 * @why: is set to the reason if @text is refused; may be NULL.
 *
 * Return: 0, or -VPMU_ERR_EVENT.
 * Source: perf-list(1), "EVENT MODIFIERS"; Linux, include/uapi/linux/perf_event.h.
 */
int vpmu_perf_event_parse(const char *text, uint32_t *type, uint64_t *config, unsigned *modifiers,
                          const char **why);

VPMU_DECLS_END

#endif
