/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_CALLCHAIN_H
#define VPMU_STATS_CALLCHAIN_H

#include "profile/sample-input.h"

/**
 * struct callchain_frame - a frame of a sample's call chain
 * @mode: PERF_RECORD_MISC_KERNEL, _USER, ...
 * @address: where the sample is, or where the frame returns to.
 * @lookup: the address that belongs to the frame's function. It is one byte before a return
 * address, because a call that does not return can be the last instruction of its function.
 */
struct callchain_frame {
    unsigned mode;
    uint64_t address;
    uint64_t lookup;
};

/** struct callchain - the frames of a sample, innermost first. Private. */
struct callchain {
    const struct input_sample *s;
    uint64_t at;
    unsigned mode;
    bool is_return;
    bool any;
};

/** callchain_of() - the call chain of a sample; a sample without one has one frame: its address */
struct callchain callchain_of(const struct input_sample *s);

/** callchain_next() - the next frame; false after the last */
bool callchain_next(struct callchain *c, struct callchain_frame *frame);

#endif
