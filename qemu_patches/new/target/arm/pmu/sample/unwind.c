/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Call chains of AArch64 code, by the frame records of the procedure call
 * standard (AAPCS64): the frame pointer is the address of a pair, the caller's
 * frame pointer and the return address.
 *
 * All of this belongs to the guest and is not trusted.
 */

#include "qemu/osdep.h"
#include "qemu/main-loop.h"
#include "cpu.h"
#include "internals.h"
#include "target/arm/pmu/private.h"
#include "sample.h"

/*
 * A caller's frame is at a higher address, except where a kernel has switched
 * from another stack: it has separate stacks for interrupts and overflows.
 * This limit also ends a loop of frames.
 */
#define STACKS 3

/* Returns the address without an authentication code or a tag. */
static uint64_t unwind_plain(CPUARMState *env, uint64_t addr)
{
    ARMVAParameters param = aa64_va_parameters(env, addr,
                                               arm_stage1_mmu_idx(env), false,
                                               false);
    uint64_t in = MAKE_64BIT_MASK(0, 64 - param.tsz);

    return extract64(addr, 55, 1) ? addr | ~in : addr & in;
}

/* A call chain under construction. */
typedef struct VPMUUnwind {
    CPUARMState *env;
    VPMUReader stack;
    uint64_t *chain;
    unsigned int n;
    unsigned int frames;
} VPMUUnwind;

static bool unwind_u64(VPMUUnwind *u, uint64_t addr, uint64_t *value)
{
    return vpmu_read_number(&u->stack, addr, 8, value);
}

/*
 * Adds the frames from @fp on.  Returns the address of the last frame record if
 * it is marked as such; otherwise 0.
 */
static uint64_t unwind_frames(VPMUUnwind *u, uint64_t fp)
{
    unsigned int stacks = 1;
    uint64_t last = 0;
    uint64_t next, from;

    while (u->n <= u->frames && fp && !(fp & 7)) {
        if (fp <= last && ++stacks > STACKS) {
            break;
        }
        if (!unwind_u64(u, fp, &next) || !unwind_u64(u, fp + 8, &from)) {
            break;
        }
        if (!from) {
            return next ? 0 : fp;
        }
        u->chain[u->n++] = unwind_plain(u->env, from);
        last = fp;
        fp = next;
    }
    return 0;
}

/*
 * Linux's entry copies ELR to X22, makes the frame record, and then saves X22
 * as the PC.  Until it has, the saved PC is that of an earlier entry.  Returns
 * whether X22 is the PC: no function of the kernel has a frame yet.
 */
static bool unwind_enters(CPUARMState *env, uint64_t frame)
{
    return frame == env->xregs[29] &&
        env->xregs[22] == env->elr_el[arm_current_el(env)];
}

/*
 * At its entry, Linux saves the registers of the code that entered it, and
 * makes a last frame record of zeroes among them.  If that code was AArch64
 * code at EL0, the chain continues there.  The CPU is at EL0 while its stack is
 * read, because the kernel may not be allowed to read a program's memory (PAN).
 * The BQL is held, because everything else that reads PSTATE holds it.
 */
static void unwind_program(VPMUUnwind *u, const VPMURecordEntry *entry,
                           uint64_t frame)
{
    uint64_t regs = frame - entry->frame;
    uint32_t was = u->env->pstate;
    uint64_t pc, fp, pstate;

    if (u->n > u->frames || !unwind_u64(u, regs + entry->pc, &pc) ||
        !unwind_u64(u, regs + entry->registers + 29 * 8, &fp) ||
        !unwind_u64(u, regs + entry->pstate, &pstate)) {
        return;
    }
    if (unwind_enters(u->env, frame)) {
        pc = u->env->xregs[22];
    }
    if (pstate & (PSTATE_M | PSTATE_nRW) || extract64(pc, 55, 1)) {
        return;
    }
    BQL_LOCK_GUARD();
    u->env->pstate = deposit32(was, 0, 4, 0);
    u->stack = (VPMUReader) {
        .cpu = u->stack.cpu, .big_endian = arm_cpu_data_is_big_endian(u->env),
    };
    u->chain[u->n++] = unwind_plain(u->env, pc);
    unwind_frames(u, fp);
    u->env->pstate = was;
}

unsigned int arm_vpmu_unwind(ARMCPU *cpu, const VPMURecordEntry *entry,
                             uint64_t *chain, unsigned int frames)
{
    CPUARMState *env = &cpu->env;
    VPMUUnwind u = {
        .env = env, .chain = chain, .frames = frames,
        .stack = {
            .cpu = CPU(cpu), .big_endian = arm_cpu_data_is_big_endian(env),
        },
    };
    uint64_t last;

    if (!is_a64(env)) {
        return arm_vpmu_unwind32(cpu, chain, frames);
    }
    RCU_READ_LOCK_GUARD();
    chain[u.n++] = unwind_plain(env, env->xregs[30]);
    last = unwind_frames(&u, env->xregs[29]);
    if (last && entry && arm_current_el(env)) {
        unwind_program(&u, entry, last);
    }
    return u.n;
}
