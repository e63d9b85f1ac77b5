/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_PROGRAM_STACKS_H
#define VPMU_STATS_PROGRAM_STACKS_H

#include "record/kept-maps.h"
#include "unwind/unwind.h"
#include "vpmu/record.h"

/** struct program_stack - the stack of a vCPU's next sample, as the machine has sent it */
struct program_stack {
    bool valid;
    struct vpmu_record_stack record;
    unsigned char *bytes;
};

/**
 * struct program_stacks - finds call chains of programs in copies of their stacks; all 0 at first
 *
 * All fields are private.
 */
struct program_stacks {
    struct unwinder unwinder;
    struct guest_files *files;
    struct program_stack *stack;
    size_t cpus;
    uint64_t chain[VPMU_RECORD_CHAIN];
};

/**
 * program_stacks_begin() - prepare for stacks
 * @files: the guest's files, which the caller frees later.
 *
 * Return: 0, or -1 if there is no memory.
 */
int program_stacks_begin(struct program_stacks *p, size_t cpus, bool x86, struct guest_files *files,
                         struct error *t);

/** program_stacks_take() - keep the stack of a vCPU's next sample. Return: 0 or -1. */
int program_stacks_take(struct program_stacks *p, const struct vpmu_record_stack *record,
                        const unsigned char *bytes, struct error *t);

/**
 * program_stacks_top() - get the registers and the stack of a sample
 * @registers, @stack, @size: are set; valid until the vCPU's next stack.
 *
 * Return: false if it has none.
 */
bool program_stacks_top(const struct program_stacks *p, const struct vpmu_record_sample *from,
                        const unsigned char **registers, const unsigned char **stack, size_t *size);

/** program_stacks_mapped() - check whether an address is in code that the program has mapped */
bool program_stacks_mapped(const struct kept_maps *maps, uint64_t address);

/**
 * program_stacks_cut() - end a chain before the first address of no mapping of the program
 * @kernel: the chain begins in the kernel. No chain leads from a program into the kernel.
 *
 * Frame pointers of code that has none lead to such addresses. A program that the kernel replaces
 * by another one has no mappings.
 *
 * Return: the new length of the chain.
 */
size_t program_stacks_cut(const struct kept_maps *maps, bool kernel, const uint64_t *chain,
                          size_t depth);

/**
 * program_stacks_chain() - find the call chain of a sample
 * @from: the sample.
 * @maps: the mappings of its process.
 * @chain: the chain by frame pointers, innermost first; replaced.
 * @depth: its length; replaced.
 * @most: the most addresses that the chain may have.
 *
 * The part of @chain that is in the kernel is kept.
 *
 * Return: false if nothing was replaced.
 */
bool program_stacks_chain(struct program_stacks *p, const struct vpmu_record_sample *from,
                          const struct kept_maps *maps, const uint64_t **chain, size_t *depth,
                          size_t most);

void program_stacks_free(struct program_stacks *p);

#endif
