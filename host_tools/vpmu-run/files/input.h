/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_RUN_INPUT_H
#define VPMU_RUN_INPUT_H

#include <stdbool.h>
#include <stdint.h>

#include "failure.h"

/**
 * struct input - the program's standard input
 * @fd: a file with all of it; -1 if there is none or it is @live.
 * @live: it comes while the program runs.
 * @kind: for reports: "none", "file", which is read before the program starts, "terminal", or
 *     "live".
 * @passed: something reached the program at a moment that depends on this computer, so that its
 *     counts may not repeat: input, the end of a terminal's input, a signal, or the end of what
 *     reads its output.
 */
struct input {
    int fd;
    bool live, passed;
    const char *kind;
};

/**
 * input_open() - decides where the input comes from, and reads a pipe to its end
 * @limit: a pipe may bring so many bytes.
 * @live: pass on a pipe while the program runs, too.
 */
int input_open(struct input *in, uint64_t limit, bool live, struct failure *f);
void input_close(struct input *in);

#endif
