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
 * @fields: a mask of 1 << SCRIPT_COMM, ...
 * @nanoseconds: print times with 9 digits instead of 6.
 * @no_chains: print the address of a sample, not its call chain.
 * @max_stack: maximum number of frames of a chain; 0 for all.
 */
struct script_options {
    unsigned fields;
    bool nanoseconds;
    bool no_chains;
    unsigned max_stack;
    struct sample_filter filter;
};

/* The default fields of perf script. */
#define SCRIPT_DEFAULT                                                                             \
    (1u << SCRIPT_COMM | 1u << SCRIPT_TID | 1u << SCRIPT_CPU | 1u << SCRIPT_TIME |                 \
     1u << SCRIPT_PERIOD | 1u << SCRIPT_EVENT | 1u << SCRIPT_IP | 1u << SCRIPT_SYM |               \
     1u << SCRIPT_SYMOFF | 1u << SCRIPT_DSO)

/**
 * script_choose() - parse a list of fields: "comm,ip,sym", or with + or - before each to change the
 * default fields
 *
 * Return: 0, or -1: ERROR_USAGE with a list of all fields.
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
 * @out: receives the text; the caller sets kind, separator and text.
 * @line: @n printed samples.
 */
struct script {
    const struct script_options *o;
    struct out out;
    struct script_line *line;
    size_t n;
    size_t room;
};

/** script_sample() - a sample_input_each: print a sample. g->sink is the struct script. */
int script_sample(struct sample_input *g, const struct input_sample *s, struct error *t);

/**
 * script_write() - write all samples in the order of time, as perf does
 * @text: the output of script_sample().
 */
int script_write(struct script *c, const char *text, struct out *to, struct error *t);

void script_free(struct script *c);

#endif
