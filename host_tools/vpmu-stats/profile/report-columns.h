/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_REPORT_COLUMNS_H
#define VPMU_STATS_REPORT_COLUMNS_H

#include "profile/sample-input.h"
#include "base/out.h"
#include "base/ranges.h"

/* The most columns in a list. A column can occur more than once. */
#define REPORT_MAX_COLUMNS 16u

enum report_needs {
    REPORT_SAMPLES,
    REPORT_BRANCHES,
    REPORT_ACCESSES,
};

/**
 * struct report_column - a column of a report
 * @find: gets the number of a sample's text in this column.
 * @needs: what the column is about, besides samples.
 */
struct report_column {
    const char *name;
    const char *title;
    int (*find)(struct sample_input *g, const struct input_sample *s, uint32_t *number,
                struct error *t);
    enum report_needs needs;
};

/**
 * struct sample_filter - which samples to show. Each member is a list separated by commas; NULL
 * shows all.
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
 * struct report - the @n columns that samples are summed up by; all 0 at first
 * @branches: sum up branches, not samples.
 * @accesses: samples have accesses to memory.
 * @has_dso: one of the columns is dso.
 * @has_line: one of the columns is srcline.
 * @has_symbol: one of the columns is sym.
 * @sources: a key ends with the source file of the function: "" of one that has its name for itself
 *     in its file, "???" if it is not known.
 * @has_kernel: the kernel's functions are known, so addresses without a name are in modules.
 * @addresses: show the address of a sample without a function instead of its file.
 * @children: each row also has the samples of the functions that it calls.
 * @graph: print call trees.
 * @caller: a tree begins with the outermost caller and ends with the function of the sample.
 * @fractal: percentages are relative to the parent in the tree.
 * @threshold: the smallest percentage that a tree shows.
 * @limit: maximum number of entries of a tree; 0 for no limit.
 */
struct report {
    const struct report_column *column[REPORT_MAX_COLUMNS];
    uint32_t n;
    bool branches;
    bool accesses;
    bool has_dso;
    bool has_line;
    bool has_symbol;
    bool sources;
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
 * The parts of a frame in a key, after the columns: the texts of sym, dso and srcline. If the
 * report has no column srcline, the last one equals the second one.
 */
enum {
    REPORT_FRAME_SYMBOL,
    REPORT_FRAME_DSO,
    REPORT_FRAME_LINE,
    REPORT_FRAME_PARTS,
};

/* Length of the prefix of a symbol's text, such as "[k] ". */
#define REPORT_LEVEL_SIZE 4

/**
 * report_choose() - parse a list of columns in the syntax of perf's --sort, such as "comm,sym"
 *
 * The caller has set r->branches and r->accesses.
 *
 * Return: 0, or -1: ERROR_USAGE with a list of all columns.
 */
int report_choose(struct report *r, const char *list, struct error *t);

/** report_has_chains() - tell whether the frames of each sample are part of its key */
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

/** report_line_key() - the same as a sample_input_line. A line has no thread, CPU or address. */
int report_line_key(struct sample_input *g, const struct valgrind_line *line, uint32_t *key,
                    uint32_t *n, struct error *t);

/**
 * report_frame_part() - get which part of a frame column @i shows; -1: the text of the sample
 * itself
 */
int report_frame_part(const struct report *r, uint32_t i);

/** report_is_symbol() - tell whether column @i shows functions */
bool report_is_symbol(const struct report *r, uint32_t i);

/** report_is_inlined() - tell whether frame @i of an entry is an inlined function */
bool report_is_inlined(const struct report *r, const struct profile *p,
                       const struct profile_entry *e, uint32_t i);

/** report_filter_keeps() - tell whether a sample is shown */
bool report_filter_keeps(const struct sample_filter *f, struct sample_input *g,
                         const struct input_sample *s);

/** report_members() - add the columns of a row to a record */
void report_members(const struct report *r, const struct profile *p, const struct profile_entry *e,
                    struct json_object *record);

#endif
