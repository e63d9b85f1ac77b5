/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How often the emulator has executed each instruction of the program. */
#ifndef VPMU_RUN_EXACT_H
#define VPMU_RUN_EXACT_H

#include "files/job.h"
#include "record/raw.h"

/*
 * The number in samples of the first event beside instructions. With calls, PERFDATA_CALLS and
 * PERFDATA_CALLED are the first two; costs follow, then what calls cost of each of them.
 */
#define EXACT_OTHER (UINT64_MAX - 255)

/**
 * struct exact_profile - what the emulator has recorded
 * @fd: the emulator's recording. Its content is not trusted.
 * @count: how many instructions the kernel has counted for the program.
 * @id: the number of the event of instructions in samples.
 * @calls: the profile has calls.
 * @cost: the @costs that it has.
 */
struct exact_profile {
    const struct job *job;
    int fd;
    uint64_t count, id;
    bool calls;
    const char *const *cost;
    size_t costs;
};

/** struct exact_calls - the chains of samples of calls; the caller frees @chain when these are */
struct exact_calls {
    uint64_t (*chain)[2];
};

/**
 * exact_add() - adds a sample for each instruction of the program, and for its costs
 * @raw: the kernel's records, which say what the program has mapped.
 * @calls: receives the chains of calls, if the recording has calls.
 *
 * The sum of the samples is p->count. Instructions whose file is not known are one sample without
 * an address; their costs are not in a sample.
 */
int exact_add(struct raw *raw, const struct exact_profile *p, struct exact_calls *calls,
              struct failure *f);

#endif
