/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_CALL_TREE_H
#define VPMU_STATS_CALL_TREE_H

#include <stdio.h>

#include "profile/profile.h"
#include "profile/report-columns.h"

/**
 * struct call_tree - call chains of one row of a report, merged where they begin alike
 * @period: of all chains. A chain is a path from the root, which is no function itself.
 *
 * The rest is private.
 */
struct call_tree {
    uint32_t text;
    uint64_t period;
    struct call_tree *child;
    struct call_tree *next;
};

/**
 * call_tree_of() - the tree of a row
 * @row: its key has the columns of @r only.
 * @p: its entries have frames, see report_key().
 *
 * Return: the tree, for call_tree_free(), or NULL with an error.
 */
struct call_tree *call_tree_of(const struct report *r, const struct profile *p,
                               const struct profile_entry *row, struct error *t);

/** call_tree_print() - prints it below its row, as perf report --stdio does */
void call_tree_print(const struct report *r, const struct profile *p, struct call_tree *tree,
                     uint64_t all, FILE *file);

void call_tree_free(struct call_tree *tree);

/** call_tree_row() - makes the key of the row that frame @i of an entry belongs to */
void call_tree_row(const struct report *r, const struct profile_entry *e, uint32_t i,
                   uint32_t *key);

/** call_tree_leaf() - the first frame that is not an inlined function: the sample is in it */
uint32_t call_tree_leaf(const struct report *r, const struct profile *p,
                        const struct profile_entry *e);

/** call_tree_frames() - how many frames an entry has */
uint32_t call_tree_frames(const struct report *r, const struct profile_entry *e);

#endif
