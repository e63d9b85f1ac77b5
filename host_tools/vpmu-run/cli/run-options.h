/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_RUN_RUN_OPTIONS_H
#define VPMU_RUN_RUN_OPTIONS_H

#include "machine/emulator.h"
#include "report/formats.h"
#include "files/job.h"
#include "files/learned.h"

#define RUNS_MAX 1000u

/**
 * struct run_options - the command line
 * @memory: of the machine in MiB; 0: as much as the files need.
 * @learned: the files that the program looks for, which learn() finds out.
 * @files: a list of them that the user named; NULL for the one in the cache.
 * @unfetched: why the files of --out have not come back, though the command has run.
 * @contents: what the files of this computer contained that the machine had; for the report.
 * @environment: the variables that the program had; for the report.
 * @date: the machine's at the start of the last run, in seconds since 1970.
 * @timeout: in nanoseconds; 0: none.
 * @default_output: the user has not named @output.
 */
struct run_options {
    struct job job;
    struct emulator emulator;
    struct learned learned;
    const char *qemu, *kernel, *cpu, *output, *files;
    const char *outs[RUN_OUTS_MAX];
    size_t n_outs;
    struct failure unfetched;
    struct json_object *contents, *environment;
    format_fn *format;
    unsigned memory, runs;
    uint32_t date;
    long long timeout;
    bool live, vary, no_learn, locked, list_files, default_output;
};

struct argp;
struct argp_state;

/** run_options_shared - options of all commands that run a program; the input is a run_options */
extern const struct argp run_options_shared;

/** run_options_init() - the options without a command line */
void run_options_init(struct run_options *o);

/** run_options_event() - adds events, or ends the process with a message */
void run_options_event(struct run_options *o, struct argp_state *state, const char *list);

/** run_options_number() - reads a number, or ends the process with a message */
unsigned long long run_options_number(struct argp_state *state, const char *text,
                                      const char *option, unsigned long long low,
                                      unsigned long long high);

/**
 * run_options_take_value() - is the word after an option its value?
 * @word: an option, such as "-e" or "--event". "--event=LIST" and "-eLIST" contain the value.
 */
bool run_options_take_value(const char *word);

/** run_options_parse() - parses it, or ends the process with a message */
void run_options_parse(struct run_options *o, int argc, char **argv);

#endif
