/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * DWARF expressions of unwind tables (DWARF 5, 2.5 and 6.4). They have no loops, because branches
 * are not supported, so that the time is limited.
 */
#include "unwind/frame-expression.h"

#include <dwarf.h>
#include <string.h>

#define DEPTH 16u

struct machine {
    const struct frame *frame;
    uint64_t stack[DEPTH];
    unsigned n;
};

bool frame_read(const struct frame *frame, uint64_t address, uint64_t *value)
{
    uint64_t at = address - frame->stack_at;

    if (frame->stack_size < sizeof(*value) || at > frame->stack_size - sizeof(*value)) {
        return false;
    }
    memcpy(value, frame->stack + at, sizeof(*value));
    return true;
}

static bool push(struct machine *m, uint64_t value)
{
    if (m->n == DEPTH) {
        return false;
    }
    m->stack[m->n++] = value;
    return true;
}

static bool push_register(struct machine *m, uint64_t number, uint64_t offset)
{
    return number < FRAME_REGISTERS && m->frame->known >> number & 1 &&
           push(m, m->frame->reg[number] + offset);
}

/* The operations that replace two values by one. */
static bool combine(struct machine *m, uint8_t atom)
{
    uint64_t b, *a;

    if (m->n < 2) {
        return false;
    }
    b = m->stack[--m->n];
    a = &m->stack[m->n - 1];
    switch (atom) {
    case DW_OP_plus:
        *a += b;
        return true;
    case DW_OP_minus:
        *a -= b;
        return true;
    case DW_OP_mul:
        *a *= b;
        return true;
    case DW_OP_and:
        *a &= b;
        return true;
    case DW_OP_or:
        *a |= b;
        return true;
    case DW_OP_shl:
        *a = b < 64 ? *a << b : 0;
        return true;
    case DW_OP_shr:
        *a = b < 64 ? *a >> b : 0;
        return true;
    case DW_OP_ge:
        *a = (int64_t)*a >= (int64_t)b;
        return true;
    case DW_OP_gt:
        *a = (int64_t)*a > (int64_t)b;
        return true;
    case DW_OP_le:
        *a = (int64_t)*a <= (int64_t)b;
        return true;
    case DW_OP_lt:
        *a = (int64_t)*a < (int64_t)b;
        return true;
    case DW_OP_eq:
        *a = *a == b;
        return true;
    case DW_OP_ne:
        *a = *a != b;
        return true;
    default:
        return false;
    }
}

static bool step(struct machine *m, const struct frame_op *op)
{
    if (op->atom >= DW_OP_lit0 && op->atom <= DW_OP_lit31) {
        return push(m, op->atom - DW_OP_lit0);
    }
    if (op->atom >= DW_OP_breg0 && op->atom <= DW_OP_breg31) {
        return push_register(m, op->atom - DW_OP_breg0, op->number);
    }
    if (op->atom >= DW_OP_reg0 && op->atom <= DW_OP_reg31) {
        return push_register(m, op->atom - DW_OP_reg0, 0);
    }
    switch (op->atom) {
    case DW_OP_call_frame_cfa:
        return push(m, m->frame->cfa);
    case DW_OP_bregx:
        return push_register(m, op->number, op->second);
    case DW_OP_regx:
        return push_register(m, op->number, 0);
    case DW_OP_const1u:
    case DW_OP_const1s:
    case DW_OP_const2u:
    case DW_OP_const2s:
    case DW_OP_const4u:
    case DW_OP_const4s:
    case DW_OP_const8u:
    case DW_OP_const8s:
    case DW_OP_constu:
    case DW_OP_consts:
        return push(m, op->number);
    case DW_OP_dup:
        return m->n > 0 && push(m, m->stack[m->n - 1]);
    case DW_OP_plus_uconst:
        m->stack[m->n ? m->n - 1 : 0] += op->number;
        return m->n > 0;
    case DW_OP_deref:
        return m->n > 0 && frame_read(m->frame, m->stack[m->n - 1], &m->stack[m->n - 1]);
    default:
        return combine(m, op->atom);
    }
}

bool frame_expression(const struct frame *frame, const struct frame_op *op, size_t n,
                      uint64_t *value)
{
    struct machine m = {.frame = frame};

    for (size_t i = 0; i < n; i++) {
        if (!step(&m, &op[i])) {
            return false;
        }
    }
    *value = m.n ? m.stack[m.n - 1] : 0;
    return m.n > 0;
}
