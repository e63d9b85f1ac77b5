/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_FUNCTION_ROWS_H
#define VPMU_STATS_FUNCTION_ROWS_H

#include "base/out.h"
#include "top/live.h"

/** struct function_rows - how functions are printed: all 0 except @width is for a stream */
struct function_rows {
    int width; /* of the screen; 0: no limit */
    int dso;   /* width of the column of files */
};

/** function_rows_choose() - choose the widths of columns for a screen of @width characters */
struct function_rows function_rows_choose(const struct hot_functions *h, int width);

/* Each of these writes one line without a newline. */
void function_rows_title(const struct live *l, FILE *to);
void function_rows_head(const struct function_rows *r, FILE *to);
void function_rows_row(const struct function_rows *r, const struct hot_functions *h, size_t i,
                       FILE *to);

/** function_rows_print() - print a frame as lines of text or as records */
void function_rows_print(const struct live *l, size_t limit, struct out *out);

#endif
