/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_RUN_RECORDED_H
#define VPMU_RUN_RECORDED_H

#include "files/job.h"
#include "report/result.h"

/**
 * struct recorded - what a machine recorded
 * @job: what it ran.
 * @result: what init reported.
 * @fd: the file that init wrote to RUN_PORT_RECORD.
 * @exact: a file with the emulator's profile of the only event, instructions:u; or -1.
 * @cost: the @costs that the profile has beside it.
 * @calls: the profile and the file have calls.
 * @machine: e_machine; @cpus: their number.
 * @command: the command line of vpmu-run, @words of them.
 */
struct recorded {
    const struct job *job;
    const struct result *result;
    int fd, exact;
    bool calls;
    const char *const *cost;
    size_t costs;
    unsigned machine, cpus;
    char *const *command;
    int words;
};

/**
 * recorded_write() - writes it as perf record does
 * The file appears as a whole.
 * @samples: receives the number of samples of each event; EVENTS_MAX of them.
 * @lost: receives how many samples the kernel could not keep.
 * @bare: receives how many samples of programs lack the stack.
 */
int recorded_write(const struct recorded *r, const char *path, uint64_t *samples, uint64_t *lost,
                   uint64_t *bare, struct failure *f);

#endif
