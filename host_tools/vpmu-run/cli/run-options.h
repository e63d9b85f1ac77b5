/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_RUN_RUN_OPTIONS_H
#define VPMU_RUN_RUN_OPTIONS_H

#include "machine/emulator.h"
#include "report/formats.h"
#include "files/job.h"

#define RUNS_MAX 1000u

/**
 * struct run_options - the command line
 * @memory: of the machine in MiB; 0: as much as the files need.
 */
struct run_options {
    struct job job;
    struct emulator emulator;
    const char *qemu, *kernel, *output;
    format_fn *format;
    unsigned memory, timeout, runs;
    bool live, vary;
};

/** run_options_parse() - parses it, or ends the process with a message */
void run_options_parse(struct run_options *o, int argc, char **argv);

#endif
