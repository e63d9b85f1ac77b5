/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_FRAME_ROW_H
#define VPMU_STATS_FRAME_ROW_H

#include <stdbool.h>
#include <stdint.h>

/*
 * The registers of a frame, by their numbers in DWARF: X0 to X30 and SP of arm64, or RAX to R15 and
 * the return address of x86-64.
 */
#define FRAME_REGISTERS 32u

/* The most operations of all expressions of a row. The longest that compilers make has 9. */
#define FRAME_OPS 96u

/** struct frame_op - an operation of a DWARF expression, and its operands */
struct frame_op {
    uint64_t number;
    uint64_t second;
    uint8_t atom;
};

/* The place of the caller's value of a register. */
enum frame_rule_kind {
    FRAME_RULE_SAME,      /* the register of this frame */
    FRAME_RULE_UNDEFINED, /* not known */
    FRAME_RULE_MEMORY,    /* in memory at the result of an expression */
    FRAME_RULE_VALUE,     /* the result of an expression */
};

/** struct frame_rule - a rule; its expression has @n operations, from frame_row.op[@first] on */
struct frame_rule {
    uint8_t kind;
    uint8_t first;
    uint8_t n;
};

/**
 * struct frame_row - how to find the caller's registers at an address of a file
 * @found: the file has such rules.
 * @signal: the frame is one that calls a signal handler: its caller was interrupted.
 * @return_register: the register that has the return address.
 * @cfa: the canonical frame address: FRAME_RULE_VALUE, or FRAME_RULE_UNDEFINED.
 * @reg: the registers.
 */
struct frame_row {
    bool found;
    bool signal;
    uint8_t return_register;
    struct frame_rule cfa;
    struct frame_rule reg[FRAME_REGISTERS];
    struct frame_op op[FRAME_OPS];
};

#endif
