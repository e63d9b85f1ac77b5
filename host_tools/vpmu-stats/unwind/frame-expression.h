/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_FRAME_EXPRESSION_H
#define VPMU_STATS_FRAME_EXPRESSION_H

#include <stddef.h>

#include "unwind/frame-row.h"

/**
 * struct frame - the registers of a function, and the copied part of the stack
 * @reg: the registers.
 * @known: a mask of those that are known.
 * @cfa: the canonical frame address.
 * @stack: the copy.
 * @stack_at: its address.
 * @stack_size: its size in bytes.
 */
struct frame {
    uint64_t reg[FRAME_REGISTERS];
    uint64_t known;
    uint64_t cfa;
    const unsigned char *stack;
    uint64_t stack_at;
    size_t stack_size;
};

/** frame_read() - read 8 bytes of the stack. Return: false if they are not in the copy. */
bool frame_read(const struct frame *frame, uint64_t address, uint64_t *value);

/**
 * frame_expression() - evaluate a DWARF expression
 *
 * Return: false if it needs a register or memory that is not known, or if it has an operation that
 * unwind tables of compilers do not have.
 */
bool frame_expression(const struct frame *frame, const struct frame_op *op, size_t n,
                      uint64_t *value);

#endif
