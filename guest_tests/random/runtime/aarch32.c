/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "runtime.h"

/* vectors32.S has four tables, each with a handler of 16 bytes for each kind of exception. */
#define TABLE_BYTES 512u
#define TABLES 4u
#define HANDLERS 64u
#define HANDLER_BYTES 16u

enum handler {
    HANDLER_UND = 1,
    HANDLER_SVC,
    HANDLER_PABT,
    HANDLER_DABT,
    HANDLER_IRQ,
    HANDLER_FIQ
};

#define PSTATE_T BIT(5)
#define PSTATE_IL BIT(20)
#define PSTATE_NRW BIT(4)
#define IT_BITS (BIT(25) | BIT(26) | UINT64_C(0x3f) << 10)

bool is_aarch32(uint64_t spsr)
{
    return (spsr & PSTATE_NRW) != 0;
}

bool vectors32_contain(uint64_t address)
{
    return address >= (uintptr_t)vectors32 && address < (uintptr_t)vectors32 + TABLE_BYTES * TABLES;
}

/* The table that a program requests. */
uint64_t vectors32_table(void)
{
    unsigned table = (highest == 3 ? 0u : 2u) + ((program->flags & FLAG_RFE) != 0 ? 1u : 0u);

    return (uintptr_t)vectors32 + table * TABLE_BYTES;
}

static void advance_it(uint64_t *spsr)
{
    uint64_t it = FIELD(*spsr, 10, 6) << 2 | FIELD(*spsr, 25, 2);

    it = (it & 7) == 0 ? 0 : (it & 0xe0) | (it << 1 & 0x1f);
    *spsr = (*spsr & ~IT_BITS) | (it >> 2) << 10 | (it & 3) << 25;
}

static unsigned length(uint64_t pc, uint64_t spsr)
{
    if (!(spsr & PSTATE_T)) {
        return 4;
    }
    return *(const uint16_t *)(pc & ~UINT64_C(1)) >> 11 >= 0x1d ? 4 : 2;
}

/* Continues after the instruction. */
void skip32(uint64_t *pc, uint64_t *spsr)
{
    *pc += length(*pc, *spsr);
    advance_it(spsr);
}

/* After a jump to an invalid address it continues where the program has said before. */
static void resume(uint64_t *pc, uint64_t *spsr, uint64_t to)
{
    *pc = to & ~UINT64_C(1);
    *spsr = (*spsr & ~(PSTATE_T | IT_BITS)) | ((to & 1) != 0 ? PSTATE_T : 0);
}

/* SVC #0x80 + n returns to mode n of these. It is the only way out of User mode. */
static uint64_t svc_spsr(uint64_t imm, uint64_t spsr)
{
    static const uint8_t modes[] = {0x10, 0x13, 0x1f, 0x12, 0x17, 0x1b, 0x11, 0x10};

    if ((imm & 0xc0) != 0x80) {
        return spsr;
    }
    return (spsr & ~UINT64_C(0xff)) | (spsr & PSTATE_T) | modes[imm & 7] | (imm & 0x38) << 3;
}

static uint64_t svc_imm(uint64_t after, uint64_t spsr)
{
    if (spsr & PSTATE_T) {
        return *(const uint16_t *)(after - 2) & 0xff;
    }
    return *(const uint32_t *)(after - 4) & 0xff;
}

/*
 * What RFE loads, for each handler: the address, and PSTATE there. An FIQ may come between others.
 */
static uint32_t return_state[HANDLER_FIQ + 1][2];

/* Where AArch64 holds LR and SP of the mode in which a handler runs. */
static const struct {
    uint8_t lr;
    uint8_t sp;
} banked[] = {
    [HANDLER_UND] = {22, 23},  [HANDLER_SVC] = {18, 19}, [HANDLER_PABT] = {20, 21},
    [HANDLER_DABT] = {20, 21}, [HANDLER_IRQ] = {16, 17}, [HANDLER_FIQ] = {30, 29},
};

/* The handler continues with these values in LR and SP. */
static void give_back(unsigned handler, uint64_t *lr, uint64_t *sp, uint64_t pc, uint64_t spsr)
{
    *lr = (uint32_t)pc;
    *sp = (uint32_t)spsr;
    if (program->flags & FLAG_RFE) {
        return_state[handler][0] = (uint32_t)pc;
        return_state[handler][1] = (uint32_t)spsr;
        *sp = (uintptr_t)return_state[handler];
    }
}

static void end32(struct frame *frame, unsigned level, uint64_t pc, uint64_t spsr, uint64_t why)
{
    frame->elr = pc;
    frame->spsr = spsr;
    end_program(frame, level, why);
}

/* Returns how far LR is behind the instruction, or behind the next one after SVC. */
static uint64_t behind(unsigned handler, uint64_t spsr)
{
    switch (handler) {
    case HANDLER_UND:
        return spsr & PSTATE_T ? 2 : 4;
    case HANDLER_PABT:
    case HANDLER_IRQ:
    case HANDLER_FIQ:
        return 4;
    case HANDLER_DABT:
        return 8;
    default:
        return 0;
    }
}

/*
 * A handler of EL1 in AArch32 has asked where to return to. This runs at the highest level, or at
 * EL2 if that traps SMC.
 */
void answer32(struct frame *frame, unsigned level)
{
    unsigned handler =
        (unsigned)((frame->elr - (uintptr_t)vectors32) % TABLE_BYTES - HANDLERS) / HANDLER_BYTES;
    uint64_t *lr = &frame->x[banked[handler].lr];
    uint64_t *sp = &frame->x[banked[handler].sp];
    uint64_t spsr = (uint32_t)*sp;
    uint64_t pc = (uint32_t)(*lr - behind(handler, spsr));
    bool interrupted = handler == HANDLER_IRQ || handler == HANDLER_FIQ;
    uint64_t overflows = interrupted ? ask(level, SERVICE_INTERRUPT) : 0;
    uint64_t imm;

    if (!log_add(handler << 8 | 0x10, pc, spsr, read_sysreg(esr_el1) ^ overflows << 32)) {
        end32(frame, level, pc, spsr, ENDED_LIMIT);
        return;
    }
    switch (handler) {
    case HANDLER_SVC:
        imm = svc_imm(pc, spsr);
        if (imm == CALL_END) {
            end32(frame, level, pc, spsr, ENDED_ITSELF);
            return;
        }
        spsr = svc_spsr(imm, spsr);
        break;
    case HANDLER_UND:
        if (spsr & PSTATE_IL) {
            spsr &= ~PSTATE_IL;
            break;
        }
        skip32(&pc, &spsr);
        break;
    case HANDLER_DABT:
        skip32(&pc, &spsr);
        break;
    case HANDLER_PABT:
        resume(&pc, &spsr, frame->x[RESUME_REG32]);
        break;
    default:
        break;
    }
    give_back(handler, lr, sp, pc, spsr);
    frame->elr = (frame->elr & ~(uint64_t)(HANDLER_BYTES - 1)) + 8;
}
