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

/*
 * A call chain under construction.
 * @entry: where the kernel saves registers; NULL in a program, and if it is not
 *     known.
 */
typedef struct VPMUUnwind {
    CPUARMState *env;
    const VPMURecordEntry *entry;
    VPMUReader stack;
    uint64_t *chain;
    unsigned int n;
    unsigned int frames;
} VPMUUnwind;

static bool unwind_u64(VPMUUnwind *u, uint64_t addr, uint64_t *value)
{
    return vpmu_read_number(&u->stack, addr, 8, value);
}

static void unwind_put(VPMUUnwind *u, uint64_t word)
{
    if (u->n <= u->frames) {
        u->chain[u->n++] = word;
    }
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
 * Before Linux 6.13, the frame record of an exception that interrupts the
 * kernel has the PC for a return address.
 */
static bool unwind_interrupted(VPMUUnwind *u, uint64_t fp, uint64_t from)
{
    uint64_t pc;

    return u->entry && unwind_u64(u, fp - u->entry->frame + u->entry->pc,
                                  &pc) &&
           (pc == from || unwind_enters(u->env, fp));
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
        if (unwind_interrupted(u, fp, from)) {
            unwind_put(u, VPMU_RECORD_INTERRUPTED);
        }
        unwind_put(u, unwind_plain(u->env, from));
        last = fp;
        fp = next;
    }
    return 0;
}

/*
 * Linux 6.13 and later also make a record of zeroes when an exception
 * interrupts the kernel.  The type behind the record is then
 * FRAME_META_TYPE_PT_REGS of arch/arm64/include/asm/stacktrace/frame.h.  Such
 * exceptions nest: a fault in a system call, and an interrupt in the fault.
 * More than a few are a loop.
 */
#define META_KERNEL 2
#define EXCEPTIONS 8

/*
 * Adds the frames from @fp on, and the functions that exceptions interrupted.
 * Returns the same as unwind_frames().
 */
static uint64_t unwind_kernel(VPMUUnwind *u, uint64_t fp)
{
    const VPMURecordEntry *entry = u->entry;

    for (unsigned int i = 0; i < EXCEPTIONS; i++) {
        uint64_t last = unwind_frames(u, fp);
        uint64_t regs = last - (entry ? entry->frame : 0);
        uint64_t type, pc;

        if (!last || !entry || !entry->has_meta ||
            !unwind_u64(u, last + entry->meta, &type) || type != META_KERNEL) {
            return last;
        }
        if (u->n > u->frames || !unwind_u64(u, regs + entry->pc, &pc) ||
            !unwind_u64(u, regs + entry->registers + 29 * 8, &fp)) {
            return 0;
        }
        if (unwind_enters(u->env, last)) {
            pc = u->env->xregs[22];
        }
        unwind_put(u, VPMU_RECORD_INTERRUPTED);
        unwind_put(u, unwind_plain(u->env, pc));
    }
    return 0;
}

/*
 * At its entry, Linux saves the registers of the code that entered it, and
 * makes a last frame record of zeroes among them.  If that code was AArch64
 * code at EL0, the chain continues there.  The CPU is at EL0 while its stack is
 * read, because the kernel may not be allowed to read a program's memory (PAN).
 * The BQL is held, because everything else that reads PSTATE holds it.
 */
static void unwind_program(VPMUUnwind *u, uint64_t frame)
{
    const VPMURecordEntry *entry = u->entry;
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
    u->entry = NULL;
    unwind_put(u, unwind_plain(u->env, pc));
    unwind_frames(u, fp);
    u->env->pstate = was;
}

/* The bits of a program's return address that have no authentication code. */
static uint64_t unwind_mask(CPUARMState *env)
{
    ARMVAParameters param = aa64_va_parameters(env, 0, ARMMMUIdx_E10_0, false,
                                               false);

    return MAKE_64BIT_MASK(0, 64 - param.tsz);
}

/*
 * Reads the registers that a program had when it entered the kernel.  Returns
 * false if they are not where Linux saves them.
 */
static bool unwind_saved(CPUARMState *env, const VPMURecordEntry *entry,
                         uint64_t *reg)
{
    uint64_t chain[VPMU_RECORD_CHAIN];
    VPMUUnwind u = {
        .env = env, .entry = entry, .chain = chain,
        .frames = VPMU_RECORD_CHAIN - 1,
        .stack = {
            .cpu = env_cpu(env), .big_endian = arm_cpu_data_is_big_endian(env),
        },
    };
    uint64_t frame = unwind_kernel(&u, env->xregs[29]);
    uint64_t regs = frame - (entry ? entry->frame : 0);
    uint64_t pstate;

    if (!frame || !entry || !unwind_u64(&u, regs + entry->pc, &reg[32]) ||
        !unwind_u64(&u, regs + entry->pstate, &pstate)) {
        return false;
    }
    /* SP follows the general registers. */
    for (unsigned int i = 0; i < 32; i++) {
        if (!unwind_u64(&u, regs + entry->registers + i * 8, &reg[i])) {
            return false;
        }
    }
    if (unwind_enters(env, frame)) {
        reg[32] = env->xregs[22];
    }
    return !((pstate & (PSTATE_M | PSTATE_nRW)) || extract64(reg[32], 55, 1));
}

uint64_t arm_vpmu_registers(ARMCPU *cpu,
                            const struct vpmu_record_sample *sample,
                            const VPMURecordEntry *entry, VPMUStack *stack)
{
    CPUARMState *env = &cpu->env;
    unsigned int el = arm_current_el(env);

    if (!is_a64(env) || el > 2) {
        return 0;
    }
    RCU_READ_LOCK_GUARD();
    if (el == 0) {
        memcpy(stack->reg, env->xregs, 31 * sizeof(stack->reg[0]));
        stack->reg[31] = env->xregs[31];
        stack->reg[32] = sample->pc;
    } else if (!unwind_saved(env, entry, stack->reg)) {
        return 0;
    }
    stack->record.registers = VPMU_RECORD_REGS;
    stack->record.code_mask = unwind_mask(env);
    return stack->reg[31];
}

unsigned int arm_vpmu_unwind(ARMCPU *cpu, const VPMURecordEntry *entry,
                             uint64_t *chain, unsigned int frames)
{
    CPUARMState *env = &cpu->env;
    VPMUUnwind u = {
        .env = env, .entry = arm_current_el(env) ? entry : NULL,
        .chain = chain, .frames = frames,
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
    last = unwind_kernel(&u, env->xregs[29]);
    if (last && u.entry) {
        unwind_program(&u, last);
    }
    return u.n;
}
