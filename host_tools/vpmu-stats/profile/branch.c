/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "profile/branch.h"

/* This bit is set in addresses of a Linux kernel and clear in those of programs. */
#define KERNELS (1ull << 55)

struct input_branch branch_of(const struct input_sample *s, uint64_t i)
{
    struct perf_branch_entry entry;

    memcpy(&entry, s->s->branches + i * sizeof(entry), sizeof(entry));
    return (struct input_branch){.from = entry.from,
                                 .to = entry.to,
                                 .mispredicted = entry.mispred,
                                 .predicted = entry.predicted,
                                 .cycles = entry.cycles};
}

unsigned branch_mode(const struct input_sample *s, uint64_t address)
{
    if (address & KERNELS) {
        return PERF_RECORD_MISC_KERNEL;
    }
    return s->mode == PERF_RECORD_MISC_KERNEL && s->s->ip & KERNELS ? PERF_RECORD_MISC_USER
                                                                    : s->mode;
}
