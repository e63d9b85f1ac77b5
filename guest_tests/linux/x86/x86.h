/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef X86_H
#define X86_H

#include <stdbool.h>
#include <stdint.h>

#include "command.h"

/* What is known of the programs; conditional branches are branches as well. */
enum x86_kind {
    X86_NO_KIND,
    X86_INSTRUCTIONS,
    X86_SLOTS, /* of pmu-cycles=issue, without stalls */
    X86_BRANCHES,
    X86_CONDITIONAL,
    X86_READS, /* instructions that read memory, elements of strings */
    X86_WRITES,
    X86_LINES_READ, /* the same, and one more for each further line */
    X86_LINES_WRITTEN,
    X86_MODIFIES,       /* instructions that read and write the same operand */
    X86_BOTH,           /* instructions that read and write memory, elements of strings */
    X86_PREFETCHES,     /* of data */
    X86_PREFETCHES_NTA, /* of these, those with the hint NTA, and PREFETCHW */
    X86_PREFETCHES_W,
};

/**
 * x86_known() - the events of a kind at CPL 3 in a whole run of one of our programs
 * @program: its name.
 * @kind: what is counted.
 * @n: its argument.
 */
uint64_t x86_known(const char *program, enum x86_kind kind, uint64_t n);

/* x86_is_model() - tells whether the name of the CPU model has this part. */
bool x86_is_model(const char *name);

/**
 * ibs_hold_start() - starts to record ops of a program that takes seconds, by IBS
 * @command: is filled in.
 */
bool ibs_hold_start(struct command *command);

/* ibs_hold_finish() - waits for its end, and checks the samples */
void ibs_hold_finish(struct command *command);

/**
 * x86_is_switch() - tells whether a line of perf script is about a task switch, not a sample
 * @starts: grows by one if the program is switched to. Then Linux starts its counters, and lets one
 *   with one event left count two (x86_perf_event_set_period()).
 */
bool x86_is_switch(const char *line, unsigned *starts);

#endif
