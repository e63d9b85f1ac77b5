/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_BRANCH_PROFILE_H
#define VPMU_STATS_BRANCH_PROFILE_H

#include <stdio.h>

#include "profile/sample-input.h"

/**
 * struct branch_profile - branches of one program, for tools that optimise it
 * @event: the event whose samples are used; NULL for the first.
 * @file: base name of the program's file; NULL if the recording has branches of one file only.
 * @image: the ELF file; NULL until branch_profile_choose() has found it.
 *
 * The caller sets @event and @file. All other fields are 0 at first.
 */
struct branch_profile {
    const char *event;
    const char *file;
    const char *image;
    uint64_t branches;
};

/**
 * branch_profile_sample() - a sample_input_each: add the branches of a sample, and the code between
 * each two of them, if their ELF files are known
 *
 * sink is the struct branch_profile. Fails if the recording leaves out kinds of branches.
 */
int branch_profile_sample(struct sample_input *g, const struct input_sample *s, struct error *t);

/**
 * branch_profile_choose() - find the program
 *
 * Return: 0, or -1: ERROR_USAGE if there are no branches in a known file, or if there are several
 * files and @b->file selects none of them.
 */
int branch_profile_choose(struct branch_profile *b, struct profile *p, struct error *t);

/**
 * branch_profile_bolt() - write the input of perf2bolt -pa
 *
 * "B from to count mispredicted" is a branch; an address outside of the program is 0. "F from to
 * count" is the code from the target of a branch to the next branch, "f from to count" the same
 * after a branch from another function.
 */
void branch_profile_bolt(const struct branch_profile *b, const struct profile *p, FILE *file);

/**
 * branch_profile_autofdo() - write the input of create_llvm_prof --profiler=text
 *
 * Addresses are offsets in the file.
 *
 * Return: 0, or -1: ERROR_USAGE if the ELF file cannot be read.
 */
int branch_profile_autofdo(const struct branch_profile *b, const struct profile *p, FILE *file,
                           struct error *t);

#endif
