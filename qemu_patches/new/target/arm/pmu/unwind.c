/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Call chains of AArch64 code, by the frame records of the procedure call
 * standard: the frame pointer leads to a pair, the caller's frame pointer and
 * the address that is returned to.
 *
 * All of that is the guest's, and may be anything.
 */

#include "qemu/osdep.h"
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

unsigned int arm_vpmu_unwind(ARMCPU *cpu, uint64_t *chain, unsigned int frames)
{
    CPUARMState *env = &cpu->env;
    VPMUPeek stack = { .cpu = CPU(cpu) };
    unsigned int stacks = 1;
    unsigned int n = 0;
    uint64_t fp = env->xregs[29];
    uint64_t last = 0;
    uint64_t next, from;

    if (!is_a64(env)) {
        return arm_vpmu_unwind32(cpu, chain, frames);
    }
    RCU_READ_LOCK_GUARD();
    chain[n++] = unwind_plain(env, env->xregs[30]);
    while (n <= frames && fp && !(fp & 7)) {
        if (fp <= last && ++stacks > STACKS) {
            break;
        }
        if (!arm_vpmu_peek_number(&stack, fp, 8, &next) ||
            !arm_vpmu_peek_number(&stack, fp + 8, 8, &from) || !from) {
            break;
        }
        chain[n++] = unwind_plain(env, from);
        last = fp;
        fp = next;
    }
    return n;
}
