/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_CALL_TREE_H
#define VPMU_STATS_CALL_TREE_H

#include <stdio.h>

#include "profile/profile.h"
#include "profile/report-columns.h"

/**
 * struct call_tree - the call chains of one row of a report, merged where they have the same
 * beginning
 * @period: of all chains. A chain is a path from the root. The root itself is no function.
 *
 * The other fields are private.
 */
struct call_tree {
    uint32_t text;
    uint64_t period;
    struct call_tree *child;
    struct call_tree *next;
};

/**
 * call_tree_of() - make the tree of a row
 * @row: its key has only the columns of @r.
 * @p: its entries have frames, see report_key().
 *
 * Return: the tree, which call_tree_free() frees; or NULL with an error.
 */
struct call_tree *call_tree_of(const struct report *r, const struct profile *p,
                               const struct profile_entry *row, struct error *t);

/** call_tree_print() - print the tree below its row, as perf report --stdio does */
void call_tree_print(const struct report *r, const struct profile *p, struct call_tree *tree,
                     uint64_t all, FILE *file);

void call_tree_free(struct call_tree *tree);

/** call_tree_row() - make the key of the row that frame @i of an entry belongs to */
void call_tree_row(const struct report *r, const struct profile_entry *e, uint32_t i,
                   uint32_t *key);

/**
 * call_tree_leaf() - get the first frame that is not an inlined function: the sample belongs to it
 */
uint32_t call_tree_leaf(const struct report *r, const struct profile *p,
                        const struct profile_entry *e);

/** call_tree_frames() - get the number of frames of an entry */
uint32_t call_tree_frames(const struct report *r, const struct profile_entry *e);

#endif
