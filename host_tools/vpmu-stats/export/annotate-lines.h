/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_ANNOTATE_LINES_H
#define VPMU_STATS_ANNOTATE_LINES_H

#include <time.h>

#include "base/out.h"
#include "profile/sample-input.h"

/**
 * struct annotate_lines - what to show
 * @symbols: names of @n functions. Without any, the @limit functions with the most of the first
 *     event are shown.
 * @inclusive: functions have their inclusive costs instead of their own.
 * @written: when the profile was written, to tell newer source files; 0 if that is not known.
 */
struct annotate_lines {
    const char *const *symbols;
    size_t n;
    size_t limit;
    bool inclusive;
    time_t written;
};

/** annotate_line_key() - a sample_input_line: by function and source line */
int annotate_line_key(struct sample_input *g, const struct valgrind_line *line, uint32_t *key,
                      uint32_t *n, struct error *t);

/** annotate_call_line() - a sample_input_call */
int annotate_call_line(struct sample_input *g, const struct valgrind_call *call, struct error *t);

/**
 * annotate_lines_print() - print functions, and then the source with what each line cost
 * @p: is sorted by this function.
 *
 * If the file has calls, functions have their inclusive cost: that of their lines and of what they
 * call, which includes calls of itself; these cost nothing in files of vpmu. callgrind_annotate
 * shows the same for files of callgrind, but where that is more than the total, calls of itself are
 * left out here. A function that others call while it has not returned costs what calls of it do,
 * if there are any. No cost is larger than the total. Functions are different ones if their source
 * files are. If the file does not say the name of a function, the functions without one have no
 * inclusive cost. Source files come in the order of what their lines cost, those that can be read
 * first.
 *
 * As JSON and CSV, there is one record for each function and source line.
 *
 * Return: 0, or -1: ERROR_USAGE if there is nothing to show, or inclusive costs are wanted of a
 * file without calls.
 */
int annotate_lines_print(const struct annotate_lines *a, struct profile *p, struct out *out,
                         struct error *t);

#endif
