/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Call chains of AArch64 code, by the frame records of the procedure call
 * standard: the frame pointer leads to a pair, the caller's frame pointer and
 * the address that is returned to.
 *
 * All of that is the guest's, and may be anything.
 */

#include "qemu/osdep.h"
#include "qemu/main-loop.h"
#include "cpu.h"
#include "internals.h"
#include "private.h"
#include "sample.h"

/*
 * A caller's frame lies above; but kernels have stacks for interrupts and
 * overflows, which they come to from another one.
 */
#define STACKS 3

/* Without an authentication code, or a tag. */
static uint64_t unwind_plain(CPUARMState *env, uint64_t addr)
{
    ARMVAParameters param = aa64_va_parameters(env, addr,
                                               arm_stage1_mmu_idx(env), false,
                                               false);
    uint64_t in = MAKE_64BIT_MASK(0, 64 - param.tsz);

    return extract64(addr, 55, 1) ? addr | ~in : addr & in;
}

/* A chain that grows, and who looks. */
typedef struct VPMUUnwind {
    CPUARMState *env;
    VPMUPeek stack;
    uint64_t *chain;
    unsigned int n;
    unsigned int frames;
} VPMUUnwind;

static bool unwind_u64(VPMUUnwind *u, uint64_t addr, uint64_t *value)
{
    return arm_vpmu_peek_number(&u->stack, addr, 8, value);
}

/* From a frame on.  Returns the one that is the last, and says so; or 0. */
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
 * Where Linux is entered it makes a last frame, of zeroes, among the registers
 * that it keeps of who has entered.  If that was AArch64 code at EL0, the chain
 * goes on there.  The CPU is at EL0 for that long, since a program's memory is
 * not the kernel's to read (PAN); with the BQL, which everybody else has who
 * looks at that.
 */
static void unwind_program(VPMUUnwind *u, const VPMURecordEntry *entry,
                           uint64_t frame)
{
    uint64_t regs = frame - entry->frame;
    uint32_t was = u->env->pstate;
    uint64_t pc, fp, pstate;

    if (u->n > u->frames || !unwind_u64(u, regs + entry->pc, &pc) ||
        !unwind_u64(u, regs + entry->registers + 29 * 8, &fp) ||
        !unwind_u64(u, regs + entry->pstate, &pstate) ||
        pstate & (PSTATE_M | PSTATE_nRW) || extract64(pc, 55, 1)) {
        return;
    }
    BQL_LOCK_GUARD();
    u->env->pstate = deposit32(was, 0, 4, 0);
    u->stack = (VPMUPeek) { .cpu = u->stack.cpu };
    u->chain[u->n++] = unwind_plain(u->env, pc);
    unwind_frames(u, fp);
    u->env->pstate = was;
}

unsigned int arm_vpmu_unwind(ARMCPU *cpu, const VPMURecordEntry *entry,
                             uint64_t *chain, unsigned int frames)
{
    CPUARMState *env = &cpu->env;
    VPMUUnwind u = {
        .env = env, .stack.cpu = CPU(cpu), .chain = chain, .frames = frames,
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
