/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_STACKS_H
#define VPMU_STATS_STACKS_H

#include "profile/sample-input.h"

/**
 * struct stacks_options - what stacks look like
 * @worlds: they begin with who ran.
 * @addresses: what has no name is its address, in place of "[unknown]".
 */
struct stacks_options {
    bool worlds;
    bool addresses;
};

/* Parts of a stack's key: who ran, or "" without @worlds; its thread; functions, the outermost
 * first. */
enum {
    STACKS_WORLD,
    STACKS_COMM,
    STACKS_FIRST,
};

/* Behind the name of an inlined function. */
#define STACKS_INLINED " (inlined)"

/**
 * stacks_key() - a sample_input_key: the call chain of a sample, or where it is if it has none
 *
 * gather.opaque is the struct stacks_options. No part has a semicolon in it; in a thread's name
 * there is no blank either, as in the stacks that perf's and FlameGraph's scripts make.
 */
int stacks_key(struct sample_input *g, const struct input_sample *s, uint32_t *key, uint32_t *n,
               struct error *t);

/**
 * stacks_edge_key() - a sample_input_key for sample_input.branches: the functions that a branch
 * goes from and to, in place of a call chain
 */
int stacks_edge_key(struct sample_input *g, const struct input_sample *s, uint32_t *key,
                    uint32_t *n, struct error *t);

#endif
