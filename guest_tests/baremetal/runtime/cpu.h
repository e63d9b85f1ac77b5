/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RUNTIME_CPU_H
#define RUNTIME_CPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/layout.h"

/* The state that an exception saves and that the return from it restores. */
struct frame {
    uint64_t x[31];
    uint64_t sp;
    uint64_t elr;
    uint64_t spsr;
    uint64_t esr;
    uint64_t far;
};

_Static_assert(offsetof(struct frame, sp) == FRAME_SP, "vectors.S");
_Static_assert(offsetof(struct frame, elr) == FRAME_ELR, "vectors.S");
_Static_assert(offsetof(struct frame, far) == FRAME_FAR, "vectors.S");
_Static_assert(sizeof(struct frame) == FRAME_SIZE, "vectors.S");

/* The expected exceptions: the first one, and their number. */
struct trap {
    uint64_t esr;
    uint64_t elr;
    uint64_t far;
    unsigned el;
    unsigned count;
};

/* A hook returns false if it does not handle the exception. */
typedef bool (*exception_hook)(struct frame *frame, unsigned el);

/* The data of a CPU, at the lowest address of its stack. */
struct cpu {
    uint64_t home_sp;
    uint64_t abort_sp;
    unsigned index;
    bool expecting;
    struct trap trap;
    exception_hook on_sync;
    exception_hook on_irq;
    exception_hook on_other;
};

_Static_assert(offsetof(struct cpu, home_sp) == CPU_HOME_SP, "level.S");
_Static_assert(offsetof(struct cpu, abort_sp) == CPU_ABORT_SP, "level.S");

/* Returns the data of this CPU. It works at every level, because all levels use the CPU's stack. */
static inline struct cpu *this_cpu(void)
{
    uintptr_t sp;

    __asm__("mov %0, sp" : "=r"(sp));
    return (struct cpu *)(sp & ~(uintptr_t)(STACK_SIZE - 1));
}

#endif
