/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "registers/sysreg.h"
#include "runtime/level.h"
#include "runtime/report.h"

void exception_entry(struct frame *frame, unsigned el, unsigned kind);

static bool is_call_class(unsigned ec)
{
    return ec == EC_SVC64 || ec == EC_HVC64 || ec == EC_SMC64 || ec == EC_SVC32 || ec == EC_HVC32;
}

static bool is_call(uint64_t esr, uint64_t immediate)
{
    return is_call_class(ESR_EC(esr)) && (esr & 0xffff) == immediate;
}

/* Below home: asks the next higher level to finish what this level cannot do. */
static _Noreturn void pass_up(unsigned el, uint64_t immediate, uint64_t result)
{
    register uint64_t x0 __asm__("x0") = result;

    if (el == EL1 && home == EL2) {
        if (immediate == CALL_RETURN) {
            __asm__ volatile("hvc %1" : : "r"(x0), "i"(CALL_RETURN));
        }
        __asm__ volatile("hvc %1" : : "r"(x0), "i"(CALL_ABORT));
    }
    if (immediate == CALL_RETURN) {
        __asm__ volatile("smc %1" : : "r"(x0), "i"(CALL_RETURN));
    }
    __asm__ volatile("smc %1" : : "r"(x0), "i"(CALL_ABORT));
    __builtin_unreachable();
}

static void finish_call(unsigned el, uint64_t result)
{
    if (el == home) {
        level_return(result);
    }
    pass_up(el, CALL_RETURN, result);
}

static _Noreturn void give_up(unsigned el)
{
    if (el == home) {
        test_abort();
    }
    pass_up(el, CALL_ABORT, 0);
}

/*
 * The preferred return address of a call is the next instruction; of all others, the instruction
 * itself.
 */
static void skip(struct frame *frame)
{
    unsigned ec = ESR_EC(frame->esr);

    if (ec == EC_IABORT_LOWER || ec == EC_IABORT_SAME) {
        frame->elr = frame->x[30];
    } else if (!is_call_class(ec)) {
        /*
         * ESR.IL is not always reliable for 16-bit T32 instructions, but no test skips one of
         * these.
         */
        frame->elr += 4;
    }
}

static void record(struct trap *trap, const struct frame *frame, unsigned el)
{
    if (trap->count++ == 0) {
        trap->esr = frame->esr;
        trap->elr = frame->elr;
        trap->far = frame->far;
        trap->el = el;
    }
}

static void handle_sync(struct frame *frame, unsigned el)
{
    struct cpu *cpu = this_cpu();

    if (is_call(frame->esr, CALL_RETURN)) {
        finish_call(el, frame->x[0]);
    }
    if (is_call(frame->esr, CALL_ABORT)) {
        give_up(el);
    }
    if (cpu->on_sync && cpu->on_sync(frame, el)) {
        return;
    }
    if (cpu->expecting) {
        record(&cpu->trap, frame, el);
        skip(frame);
        return;
    }
    report_unexpected("exception", el, frame);
    give_up(el);
}

void exception_entry(struct frame *frame, unsigned el, unsigned kind)
{
    struct cpu *cpu = this_cpu();

    if (kind == KIND_SYNC) {
        handle_sync(frame, el);
        return;
    }
    if (kind == KIND_IRQ && cpu->on_irq && cpu->on_irq(frame, el)) {
        return;
    }
    if (kind == KIND_OTHER && cpu->on_other && cpu->on_other(frame, el)) {
        return;
    }
    report_unexpected(kind == KIND_IRQ ? "interrupt" : "FIQ or SError", el, frame);
    give_up(el);
}
