/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_CALLGRIND_H
#define VPMU_STATS_CALLGRIND_H

#include <stdio.h>

#include "profile/sample-input.h"

/**
 * struct callgrind - how to write a profile for the programs that read those of valgrind
 * @cachegrind: for cg_annotate; otherwise for callgrind_annotate and kcachegrind.
 * @instructions: there is a line for each instruction, with its address in the file, for the
 *     assembly code of kcachegrind; not with @cachegrind.
 * @command: the command line that was profiled; NULL if it is not known.
 */
struct callgrind {
    bool cachegrind, instructions;
    const char *command;
};

/**
 * callgrind_key() - a sample_input_key: by object, function, source line and, if wanted, address
 *
 * @g: its opaque value is a struct callgrind.
 *
 * A line belongs to the function of the symbol table, as with valgrind, also if another function
 * was inlined there. Without debug information, the line is 0.
 */
int callgrind_key(struct sample_input *g, const struct input_sample *s, uint32_t *key, uint32_t *n,
                  struct error *t);

/**
 * callgrind_write() - write one event of a profile
 * @p: is sorted by this function.
 *
 * Return: 0, or -1 with an error.
 */
int callgrind_write(const struct callgrind *c, struct profile *p, unsigned event, FILE *file,
                    struct error *t);

#endif
