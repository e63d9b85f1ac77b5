/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_HOT_FUNCTIONS_H
#define VPMU_STATS_HOT_FUNCTIONS_H

#include "profile/annotate.h"
#include "profile/report-columns.h"

/**
 * struct hot_function - a function and its share of the samples
 * @dso, @symbol: as in the columns of report. @symbol begins with "[k] " in a kernel.
 * @samples, @period: the sums of its samples, of which older ones count less.
 * @first, @n: its entries of the profile.
 */
struct hot_function {
    const char *dso;
    const char *symbol;
    double samples;
    uint64_t period;
    size_t first;
    size_t n;
};

/**
 * struct hot_functions - the functions that a machine runs; all 0 at first
 * @columns: dso and sym.
 * @row: @n functions, the one with the largest period first.
 * @period: sum of the periods.
 * @kernel: the part of @period in kernels.
 * @unknown: the part of @period in no known function.
 * @fresh, @lost: samples of the last frame, and how many were lost.
 *
 * The other fields are private.
 */
struct hot_functions {
    struct report columns;
    struct hot_function *row;
    size_t n;
    uint64_t period;
    uint64_t kernel;
    uint64_t unknown;
    uint64_t fresh;
    uint64_t lost;
    struct profile profile;
};

/** hot_functions_init() - prepare. Return: 0 or -1. */
int hot_functions_init(struct hot_functions *h, struct error *t);

/** hot_functions_key() - a sample_input_key whose opaque is hot_functions.columns */
int hot_functions_key(struct sample_input *g, const struct input_sample *s, uint32_t *key,
                      uint32_t *n, struct error *t);

/**
 * hot_functions_take() - add the samples of a frame
 * @fresh: the result of sample_input_read() with hot_functions_key(). The function takes ownership
 *     of its contents, and it becomes all 0.
 * @zero: discard all earlier samples. Otherwise each frame multiplies them by 7/8, as perf top
 *     does.
 *
 * Return: 0, or -1 if there is no memory.
 */
int hot_functions_take(struct hot_functions *h, struct profile *fresh, bool zero, struct error *t);

/** hot_functions_find() - find a function by its texts. Return: its index, or h->n. */
size_t hot_functions_find(const struct hot_functions *h, const char *dso, const char *symbol);

/**
 * hot_functions_annotate() - print the instructions of function @i and their shares
 *
 * Return: 0, or -1 with an error, for example if the function's file is not known.
 */
int hot_functions_annotate(const struct hot_functions *h, size_t i, FILE *to, struct error *t);

void hot_functions_free(struct hot_functions *h);

#endif
