/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_STACKS_H
#define VPMU_STATS_STACKS_H

#include "profile/sample-input.h"

/**
 * struct stacks_options - what stacks contain
 * @worlds: they begin with the host or guest that ran.
 * @addresses: an unknown function is its address instead of "[unknown]".
 * @program: stands for the threads of all samples; NULL if each has its own. An exact profile does
 *     not know which process has executed the code that several share.
 */
struct stacks_options {
    bool worlds;
    bool addresses;
    const char *program;
};

/*
 * The parts of a stack's key: the host or guest that ran, or "" without @worlds; the thread; the
 * functions, outermost first.
 */
enum {
    STACKS_WORLD,
    STACKS_COMM,
    STACKS_FIRST,
};

/* The suffix of an inlined function's name. */
#define STACKS_INLINED " (inlined)"

/**
 * stacks_key() - a sample_input_key: the call chain of a sample, or its function if it has none
 *
 * gather.opaque is the struct stacks_options. No part contains a semicolon, and the name of a
 * thread contains no blank, as in the stacks of perf's and FlameGraph's scripts.
 */
int stacks_key(struct sample_input *g, const struct input_sample *s, uint32_t *key, uint32_t *n,
               struct error *t);

/**
 * stacks_edge_key() - a sample_input_key for sample_input.branches: the functions that a branch
 * goes from and to, instead of a call chain
 */
int stacks_edge_key(struct sample_input *g, const struct input_sample *s, uint32_t *key,
                    uint32_t *n, struct error *t);

#endif
