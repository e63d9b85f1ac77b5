/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RUNTIME_LEVEL_H
#define RUNTIME_LEVEL_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/cpu.h"

enum level {
    EL0,
    EL1,
    EL2,
    EL3
};

/* The highest level, at which this image was started. Tests run there and call lower levels. */
extern enum level home;

/* The vector table of each level. */
extern const char *const *level_vectors;

bool has_el(enum level level);
bool has_aarch32(enum level level);

typedef uint64_t (*level_fn)(uint64_t arg);

/*
 * Calls fn at a level not above the present one, on the same stack, and returns its result.
 * Interrupts are masked there. At EL0, fn must not call the register accessors, which use what only
 * EL1 may.
 */
uint64_t call_at(enum level level, level_fn fn, uint64_t arg);

/* The same, but interrupts are not masked at that level. */
uint64_t call_at_with_irqs(enum level level, level_fn fn, uint64_t arg);

/*
 * Calls AArch32 code at EL1 (Supervisor mode; only from EL2) or EL0. regs are r0 to r3. The code
 * returns by HVC or SVC #CALL_RETURN with its result in r0. Bit 0 of pc means T32.
 */
uint64_t call_aarch32(enum level level, uint32_t pc, const uint32_t regs[4]);

/*
 * Calls fn, which may take exceptions of any kind. They are recorded, and the instruction that
 * caused one is skipped. If a call caused an Instruction Abort, the call returns.
 */
struct trap run_expecting_exception(enum level level, level_fn fn, uint64_t arg);

/* Sets the registers of all levels, the vectors and the hooks to the state in which tests start. */
void levels_reset(void);

/* Each CPU calls this once, at the level at which it was started. */
void levels_init(void);

/* Defined in level.S. */
uint64_t level_enter(const uint64_t regs[4], uint64_t pc, uint64_t spsr, uint64_t x20,
                     uint64_t x21);
void level_trampoline(void);
_Noreturn void level_return(uint64_t result);
void test_enter(void (*fn)(void));
_Noreturn void test_abort(void);

#endif
