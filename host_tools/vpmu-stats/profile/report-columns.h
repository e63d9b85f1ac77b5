/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_REPORT_COLUMNS_H
#define VPMU_STATS_REPORT_COLUMNS_H

#include "profile/sample-input.h"
#include "base/out.h"
#include "base/ranges.h"

/* The longest list of columns, also with some of them more than once. */
#define REPORT_MAX_COLUMNS 16u

/**
 * struct report_column - something to sum up by
 * @find: number of a sample's text in this column.
 * @branch: it is about a branch.
 */
struct report_column {
    const char *name;
    const char *title;
    int (*find)(struct sample_input *g, const struct input_sample *s, uint32_t *number,
                struct error *t);
    bool branch;
};

/**
 * struct sample_filter - which samples are shown; NULL: all. Texts are lists separated by commas
 * @cpus: empty: all.
 */
struct sample_filter {
    const char *comms;
    const char *pids;
    const char *tids;
    struct ranges cpus;
    const char *dsos;
    const char *symbols;
};

/**
 * struct report - @n columns that samples are summed up by; 0 at first
 * @branches: branches are summed up, not samples.
 * @has_dso: one of them is dso.
 * @has_line: one of them is srcline.
 * @has_kernel: functions of the kernel are known, so that those without a name are in modules.
 * @addresses: show the address of a sample without a function instead of its file.
 * @children: each row also has the samples of the functions that it calls.
 * @graph: print call trees.
 * @caller: a tree begins with the outermost caller and ends with the function of the sample.
 * @fractal: percentages are relative to the parent in the tree.
 * @threshold: the least percentage that a tree shows.
 * @limit: no more entries of a tree than these; 0: all.
 * @percent_limit: rows with a smaller share are not printed.
 */
struct report {
    const struct report_column *column[REPORT_MAX_COLUMNS];
    uint32_t n;
    bool branches;
    bool has_dso;
    bool has_line;
    bool has_kernel;
    bool addresses;
    struct sample_filter filter;
    bool children;
    bool graph;
    bool caller;
    bool fractal;
    double threshold;
    unsigned limit;
    double percent_limit;
};

/*
 * Parts of a frame in a key, after the columns: texts of the columns sym, dso and srcline. Without
 * that column, the last one is the same as the second.
 */
enum {
    REPORT_FRAME_SYMBOL,
    REPORT_FRAME_DSO,
    REPORT_FRAME_LINE,
    REPORT_FRAME_PARTS,
};

/* Of the text of a symbol, what is before its name: "[k] ". */
#define REPORT_LEVEL_SIZE 4

/**
 * report_choose() - takes a list of columns as perf's --sort has it, "comm,sym"; r->branches is set
 * Return: 0, or -1: ERROR_USAGE and which there are.
 */
int report_choose(struct report *r, const char *list, struct error *t);

/** report_has_chains() - are the frames of each sample part of its key? */
static inline bool report_has_chains(const struct report *r)
{
    return r->children || r->graph;
}

/**
 * report_key() - a sample_input_key; gather.opaque is the struct report
 *
 * With report_has_chains() the columns are followed by REPORT_FRAME_PARTS numbers for each frame,
 * innermost first.
 */
int report_key(struct sample_input *g, const struct input_sample *s, uint32_t *key, uint32_t *n,
               struct error *t);

/** report_frame_part() - which part of a frame stands in column @i, or -1: the sample's own text */
int report_frame_part(const struct report *r, uint32_t i);

/** report_is_symbol() - does column @i show functions? */
bool report_is_symbol(const struct report *r, uint32_t i);

/** report_is_inlined() - is frame @i of an entry an inlined function? */
bool report_is_inlined(const struct report *r, const struct profile *p,
                       const struct profile_entry *e, uint32_t i);

/** report_filter_keeps() - is a sample shown? */
bool report_filter_keeps(const struct sample_filter *f, struct sample_input *g,
                         const struct input_sample *s);

/** report_members() - adds what a row is summed up by to a record */
void report_members(const struct report *r, const struct profile *p, const struct profile_entry *e,
                    struct json_object *record);

#endif
