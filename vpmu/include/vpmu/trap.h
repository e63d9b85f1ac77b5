/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#ifndef VPMU_TRAP_H
#define VPMU_TRAP_H

#include <stdbool.h>
#include <stdint.h>

#include "vpmu/regs.h"

/*
 * An access to a PMU register that was trapped, as the exception syndrome has it: for hypervisors
 * that trap their guests' accesses (MDCR_EL2.TPM), and for emulators that decode by the syndrome.
 */

/* Exception classes, ESR_ELx[31:26] or HSR[31:26], of accesses to registers (Arm ARM D24.2.40). */
enum vpmu_trap_class {
    VPMU_TRAP_MCR = 0x03,  /* MCR or MRC of coprocessor 15 */
    VPMU_TRAP_MCRR = 0x04, /* MCRR or MRRC of coprocessor 15 */
    VPMU_TRAP_MSR = 0x18,  /* MSR, MRS or another system instruction in AArch64 */
};

/* General-purpose registers that an access can name: X0 to X30. */
#define VPMU_TRAP_XREGS 31u

/**
 * struct vpmu_trap - a trapped access, taken apart
 * @reg: enum vpmu_reg.
 * @rt: the general-purpose register, 0 to 31; 31 reads as zero and takes no value.
 * @rt2: the one for bits [63:32], where @pair.
 * @aarch32: the instruction is one of AArch32.
 * @write: MSR, MCR or MCRR; else a read.
 * @pair: MRRC or MCRR: @rt has bits [31:0].
 * @skipped: the condition of an AArch32 instruction fails: nothing is to be done, and no exception
 *     to be taken. A PE may trap such an instruction.
 */
struct vpmu_trap {
    uint8_t reg;
    uint8_t rt;
    uint8_t rt2;
    bool aarch32;
    bool write;
    bool pair;
    bool skipped;
};

_Static_assert(VPMU_REG_COUNT <= UINT8_MAX, "vpmu_trap.reg");

/**
 * vpmu_trap_decode() - which access an exception is about
 * @esr: ESR_EL1, ESR_EL2, ESR_EL3 or HSR, any value.
 * @spsr: SPSR of the same exception: the flags and the IT state that decide an AArch32 condition.
 *     Ignored for AArch64.
 * @trap: is filled in on success, and left alone otherwise.
 *
 * For machines whose general-purpose registers are not an array; others call vpmu_trap().
 *
 * Context: any; touches nothing else.
 * Return: 0, or -VPMU_ERR_REG if it is another exception, or about another register.
 * Source: Arm ARM D24.2.40, ISS encodings for exceptions from MSR, MRS, MCR, MRC, MCRR and MRRC.
 */
int vpmu_trap_decode(uint64_t esr, uint64_t spsr, struct vpmu_trap *trap);

/**
 * vpmu_trap() - do what a trapped instruction was to do
 * @v: the PMU that the software under the trap is to see: struct vpmu_config says what its PE has.
 * @pe: how that PE stands. @pe->aarch32 is ignored: @esr says it.
 * @esr: as for vpmu_trap_decode().
 * @spsr: as for vpmu_trap_decode().
 * @x: X0 to X30 of the PE (of AArch32, in their AArch64 view). A read that is allowed writes Rt,
 *     and Rt2 of an MRRC; nothing else is written.
 *
 * vpmu_reg_find(), vpmu_reg_access(), then vpmu_reg_read() or vpmu_reg_write(), which may call
 * vpmu_ops.irq and vpmu_ops.rearm. Fine-grained traps are the machine's: if there are any, take
 * vpmu_trap_decode() and look at them between.
 *
 * Return: enum vpmu_access. VPMU_ACCESS_OK: it is done, go on behind the instruction. Any other:
 * nothing was changed, the PE takes that exception. -VPMU_ERR_REG: not an access to a PMU register,
 * and not ours.
 */
int vpmu_trap(struct vpmu *v, const struct vpmu_pe *pe, uint64_t esr, uint64_t spsr,
              uint64_t x[VPMU_TRAP_XREGS]);

#endif
