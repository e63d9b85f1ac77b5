/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How often the emulator has executed each instruction of the program. */
#ifndef VPMU_RUN_EXACT_H
#define VPMU_RUN_EXACT_H

#include "files/job.h"
#include "record/raw.h"

/* The numbers in samples of the events PERFDATA_CALLS and PERFDATA_CALLED. */
#define EXACT_CALLS (UINT64_MAX - 1)
#define EXACT_CALLED UINT64_MAX

/** struct exact_calls - the chains of samples of calls; the caller frees @site when these are */
struct exact_calls {
    uint64_t *site;
};

/**
 * exact_add() - adds a sample for each instruction of the program
 * @raw: the kernel's records, which say what the program has mapped.
 * @fd: the emulator's recording. Its content is not trusted.
 * @count: how many instructions the kernel has counted for the program.
 * @id: the number of the event in samples.
 * @calls: receives the chains of calls, if the recording has calls.
 *
 * The sum of the samples is @count. Instructions whose file is not known are one sample without an
 * address.
 */
int exact_add(struct raw *raw, const struct job *job, int fd, uint64_t count, uint64_t id,
              struct exact_calls *calls, struct failure *f);

#endif
