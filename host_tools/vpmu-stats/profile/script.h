/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_SCRIPT_H
#define VPMU_STATS_SCRIPT_H

#include "profile/report-columns.h"

/* Fields of a sample, with perf's names, in the order in which they are printed. */
enum script_field {
    SCRIPT_COMM,
    SCRIPT_PID,
    SCRIPT_TID,
    SCRIPT_CPU,
    SCRIPT_TIME,
    SCRIPT_PERIOD,
    SCRIPT_EVENT,
    SCRIPT_WEIGHT,
    SCRIPT_IP,
    SCRIPT_SYM,
    SCRIPT_SYMOFF,
    SCRIPT_DSO,
    SCRIPT_CGROUP,
    SCRIPT_FIELDS,
};

/**
 * struct script_options - how samples are printed
 * @fields: bits, 1 << SCRIPT_COMM, ...
 * @nanoseconds: print times with 9 digits instead of 6.
 * @no_chains: print the address of a sample, not its call chain.
 * @max_stack: no more frames of a chain than these; 0: all.
 */
struct script_options {
    unsigned fields;
    bool nanoseconds;
    bool no_chains;
    unsigned max_stack;
    struct sample_filter filter;
};

/* What perf script prints if nothing else is chosen. */
#define SCRIPT_DEFAULT                                                                             \
    (1u << SCRIPT_COMM | 1u << SCRIPT_TID | 1u << SCRIPT_CPU | 1u << SCRIPT_TIME |                 \
     1u << SCRIPT_PERIOD | 1u << SCRIPT_EVENT | 1u << SCRIPT_IP | 1u << SCRIPT_SYM |               \
     1u << SCRIPT_SYMOFF | 1u << SCRIPT_DSO)

/**
 * script_choose() - takes a list of fields, "comm,ip,sym"; with + or - before each: from the
 * default Return: 0, or -1: ERROR_USAGE and which there are.
 */
int script_choose(unsigned *fields, const char *list, struct error *t);

/** struct script_line - a printed sample: @size bytes at @at */
struct script_line {
    uint64_t time;
    size_t at;
    size_t size;
};

/**
 * struct script - printed samples, in the order of the file
 * @out: gets the text; its kind, separator and text are set by the caller.
 * @line: @n of them.
 */
struct script {
    const struct script_options *o;
    struct out out;
    struct script_line *line;
    size_t n;
    size_t room;
};

/** script_sample() - a sample_input_each: prints a sample. g->sink is the struct script. */
int script_sample(struct sample_input *g, const struct input_sample *s, struct error *t);

/**
 * script_write() - writes all samples in the order of time, as perf does
 * @text: what script_sample() has printed.
 */
int script_write(struct script *c, const char *text, struct out *to, struct error *t);

void script_free(struct script *c);

#endif
