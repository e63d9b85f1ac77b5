/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_UNWIND_H
#define VPMU_STATS_UNWIND_H

#include <stddef.h>

#include "symbols/guest-files.h"
#include "unwind/frame-row.h"
#include "unwind/frame-rules.h"

/**
 * struct unwind_top - a program's registers and the top of its stack
 * @reg: the registers of VPMU_RECORD_REGS_ARM or VPMU_RECORD_REGS_X86, 8 bytes each; see
 *     vpmu/record.h. They need not be aligned.
 * @stack: the stack from the stack pointer up, @size bytes.
 * @code_mask: the bits of a return address that are the address.
 * @by_pointers: the first two callers by frame pointers, the innermost first; 0 for a missing one.
 */
struct unwind_top {
    const unsigned char *reg;
    const unsigned char *stack;
    size_t size;
    uint64_t code_mask;
    uint64_t by_pointers[2];
};

/**
 * unwind_place_fn - find the file that an address of the program is in
 * @number: receives the number in the unwinder's files.
 * @offset: receives the offset in the file.
 *
 * Return: false if no file is mapped at @address.
 */
typedef bool unwind_place_fn(void *opaque, uint64_t address, uint32_t *number, uint64_t *offset);

/**
 * struct unwinder - finds call chains without frame pointers, by the unwind tables of files
 * @x86: the programs are x86-64 ones, otherwise arm64 ones.
 * @files: the files.
 *
 * The caller sets these fields. The other fields are private and 0 at first.
 */
struct unwinder {
    bool x86;
    struct guest_files *files;
    struct frame_rules *rules;
    size_t n_rules;
    unsigned started;
    struct unwind_known *known;
};

/** unwind_pc() - get the address where the program is */
uint64_t unwind_pc(const struct unwinder *u, const struct unwind_top *top);

/**
 * unwind_chain() - find the return addresses of a program, the innermost first
 * @chain: receives at most @max words: addresses, and PERF_CONTEXT_USER before those that are not
 *     return addresses: where a signal interrupted the program, and where its handler returns to.
 *
 * Code without unwind tables is followed by frame pointers. Everything is checked: the registers,
 * the stack and the files can contain anything.
 *
 * Return: the number of words; -1 if the innermost function has no unwind table and, on x86-64,
 * no frame pointer either, or if there is no memory.
 */
int unwind_chain(struct unwinder *u, const struct unwind_top *top, unwind_place_fn *place,
                 void *opaque, uint64_t *chain, size_t max);

void unwind_free(struct unwinder *u);

#endif
