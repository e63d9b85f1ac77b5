/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "runtime.h"

/*
 * What handlers do. An instruction that was refused is skipped: the program has said where the next
 * one begins. After a page has been mapped because it was touched, the instruction is executed
 * again. An interrupt is the PMU's.
 */

#define VECTOR_DEBUG 1
#define VECTOR_BREAKPOINT 3
#define VECTOR_OVERFLOW 4
#define VECTOR_DOUBLE 8
#define VECTOR_PAGE 14
#define EXCEPTIONS 32

#define DR6_POINTS 0xfu
#define DR6_STEP BIT(14)
/* After this many breakpoints and watchpoints they are switched off. */
#define MOST_POINTS 6

/* RAX at a SYSCALL: where to continue, and how to get there. */
#define CALL_TO_KERNEL BIT(0)
#define CALL_SYSRET BIT(1)

#define LONGEST_INSN 15

/* Reads first: anything else would be counted and recorded, too. */
static void end_program(const struct frame *frame, uint64_t why)
{
    lbr_record();
    pmu_record();
    pmu_stop();
    write_special(dr7, 0);
    result->ended = why;
    for (unsigned i = 0; i < 16; i++) {
        result->regs[i] = i == RSP ? frame->rsp : frame->regs[i];
    }
    result->rip = frame->rip;
    result->cs = frame->cs;
    result->rflags = frame->rflags;
}

static bool is_in_runtime(uint64_t rip)
{
    return rip >= TEXT_BASE && rip < PLAYGROUND_BASE;
}

static bool is_in_program(uint64_t rip)
{
    return rip >= program->entry && rip < program->entry + program->size;
}

static bool is_kernel(const struct frame *frame)
{
    return (frame->cs & 3) == 0;
}

static bool is_64_bit(const struct frame *frame)
{
    return frame->cs == KERNEL_CS || frame->cs == USER_CS;
}

static void go_to(struct frame *frame, bool kernel)
{
    if (is_64_bit(frame)) {
        frame->cs = kernel ? KERNEL_CS : USER_CS;
    } else {
        frame->cs = kernel ? KERNEL_CS32 : USER_CS32;
    }
    frame->ss = kernel ? KERNEL_SS : USER_SS;
}

static void resume(struct frame *frame)
{
    if (is_64_bit(frame)) {
        frame->rip = frame->regs[RESUME_REG];
    } else {
        frame->rip = *(const uint32_t *)(PLAYGROUND_BASE + RESUME_OFFSET);
    }
}

static bool starts_at(uint64_t offset)
{
    const uint8_t *starts = (const uint8_t *)program->starts;

    return offset >= program->size || (starts[offset / 8] >> offset % 8 & 1);
}

static void skip(struct frame *frame)
{
    uint64_t offset = frame->rip - program->entry;

    if (!is_in_program(frame->rip)) {
        resume(frame);
        return;
    }
    for (unsigned i = 0; i < LONGEST_INSN; i++) {
        if (starts_at(++offset)) {
            break;
        }
    }
    frame->rip = program->entry + offset;
}

static void debug(struct frame *frame, uint64_t dr6)
{
    if (is_in_runtime(frame->rip)) {
        /* SYSENTER does not clear TF. */
        frame->rflags &= ~RFLAGS_TF;
        return;
    }
    if ((dr6 & DR6_STEP) && ++result->steps >= program->steps) {
        frame->rflags &= ~RFLAGS_TF;
    }
    if (dr6 & DR6_POINTS) {
        frame->rflags |= RFLAGS_RF;
        if (++result->points >= MOST_POINTS) {
            write_special(dr7, 0);
        }
    }
}

static uint64_t take_dr6(void)
{
    uint64_t dr6 = read_special(dr6);

    write_special(dr6, 0xffff0ff0);
    return dr6;
}

static void page_fault(struct frame *frame)
{
    if (!memory_map(read_special(cr2))) {
        skip(frame);
    }
}

static void exception(struct frame *frame, uint64_t what)
{
    switch (frame->vector) {
    case VECTOR_DEBUG:
        debug(frame, what);
        break;
    case VECTOR_BREAKPOINT:
    case VECTOR_OVERFLOW:
        break;
    case VECTOR_PAGE:
        page_fault(frame);
        break;
    default:
        skip(frame);
        break;
    }
}

static uint64_t service(struct frame *frame)
{
    switch (frame->vector) {
    case VECTOR_CPL:
        go_to(frame, !is_kernel(frame));
        break;
    case VECTOR_UNMAP:
        memory_unmap();
        break;
    case VECTOR_INTERRUPTS:
        frame->rflags ^= RFLAGS_IF;
        break;
    case VECTOR_END:
        end_program(frame, ENDED_ITSELF);
        return AFTER_END;
    default:
        break;
    }
    return AFTER_IRET;
}

/* SYSENTER saves neither where it comes from, nor RSP, nor RFLAGS. */
static void after_sysenter(struct frame *frame)
{
    frame->cs = program->cs;
    frame->rsp = PLAYGROUND_BASE + STACK_OFFSET;
    frame->rflags = 2 | RFLAGS_IF;
    resume(frame);
}

static uint64_t system_call(struct frame *frame)
{
    if (frame->vector == ENTRY_SYSENTER) {
        after_sysenter(frame);
    }
    if (frame->vector == ENTRY_SYSCALL && (frame->regs[RAX] & CALL_SYSRET)) {
        return AFTER_SYSRET;
    }
    go_to(frame, frame->regs[RAX] & CALL_TO_KERNEL);
    return AFTER_IRET;
}

static void interrupt(struct frame *frame)
{
    uint64_t overflows = pmu_answer(frame->vector == VECTOR_PMI);

    log_sample(frame->vector, frame->rip, frame->rflags | frame->cs << 32, overflows);
}

/* An exception that the runtime's own instructions should not cause. */
static bool is_broken(const struct frame *frame)
{
    return frame->vector == VECTOR_DOUBLE ||
           (is_in_runtime(frame->rip) && frame->vector < EXCEPTIONS &&
            frame->vector != VECTOR_DEBUG);
}

/* Returns AFTER_*. */
uint64_t exception_entry(struct frame *frame)
{
    uint64_t what = frame->vector == VECTOR_PAGE ? read_special(cr2) : 0;

    /* QEMU clears RF at the end of a block, so an INT n in that block saves it. */
    frame->rflags &= ~RFLAGS_RF;
    if (frame->vector == VECTOR_NMI || frame->vector == VECTOR_PMI) {
        interrupt(frame);
        return AFTER_IRET;
    }
    if (frame->vector == VECTOR_DEBUG) {
        what = take_dr6();
    }
    if (is_broken(frame)) {
        result->misplaced = frame->rip;
        end_program(frame, ENDED_BROKEN);
        return AFTER_END;
    }
    if (!log_exception(frame->vector | frame->error << 32, frame->rip,
                       frame->rflags | frame->cs << 32, what)) {
        end_program(frame, ENDED_LIMIT);
        return AFTER_END;
    }
    if (frame->vector >= ENTRY_SYSCALL) {
        return system_call(frame);
    }
    if (frame->vector >= EXCEPTIONS) {
        return service(frame);
    }
    exception(frame, what);
    return AFTER_IRET;
}
