/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_ANNOTATE_H
#define VPMU_STATS_ANNOTATE_H

#include "profile/sample-input.h"
#include "base/out.h"

/**
 * struct annotate - which instructions to show
 * @symbols: names of @n functions. Without any, the @limit functions with the most samples of each
 *     event are shown.
 * @limit: 1 or more.
 * @objdump: the disassembler; NULL for libcapstone.
 * @source: print source lines. @objdump finds them itself; otherwise libdw does.
 */
struct annotate {
    const char *const *symbols;
    size_t n;
    size_t limit;
    const char *objdump;
    bool source;
};

/* The most parts of a key that annotate_key() makes. */
#define ANNOTATE_KEYS 5u

/** annotate_key() - a sample_input_key: by function and instruction */
int annotate_key(struct sample_input *g, const struct input_sample *s, uint32_t *key, uint32_t *n,
                 struct error *t);

/**
 * annotate_print() - print functions, one instruction per line or record
 * @p: is sorted by this function.
 *
 * Return: 0, or -1: ERROR_USAGE if there is nothing to show, or no disassembler.
 */
int annotate_print(const struct annotate *a, struct profile *p, struct out *out, struct error *t);

#endif
