/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_CALLCHAIN_H
#define VPMU_STATS_CALLCHAIN_H

#include "profile/sample-input.h"

/**
 * struct callchain_frame - a frame of a sample's call chain
 * @mode: PERF_RECORD_MISC_KERNEL, _USER, ...
 * @address: the address of the sample, or the return address of the frame.
 * @lookup: the address to look up the frame's function. It is one byte before a return address,
 *     because a call that does not return can be the last instruction of its function.
 * @place: what is at @lookup.
 */
struct callchain_frame {
    unsigned mode;
    uint64_t address;
    uint64_t lookup;
    struct input_place place;
};

/** struct callchain - the frames of a sample, innermost first. Private. */
struct callchain {
    const struct sample_input *g;
    const struct input_sample *s;
    uint64_t at;
    unsigned mode;
    bool is_return;
    bool any;
};

/** callchain_of() - get the call chain of a sample. Without one, its address is the only frame. */
struct callchain callchain_of(const struct sample_input *g, const struct input_sample *s);

/** callchain_next() - get the next frame. Return: false after the last one. */
bool callchain_next(struct callchain *c, struct callchain_frame *frame);

#endif
