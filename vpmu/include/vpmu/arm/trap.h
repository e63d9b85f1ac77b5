/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#ifndef VPMU_ARM_TRAP_H
#define VPMU_ARM_TRAP_H

#include <stdbool.h>
#include <stdint.h>

#include "vpmu/arm/regs.h"
#include "vpmu/decls.h"

VPMU_DECLS_BEGIN

/*
 * A trapped access to a PMU register, decoded from the exception syndrome. For hypervisors that
 * trap their guests' accesses (MDCR_EL2.TPM), and for emulators that decode by syndrome.
 */

/* Exception classes, ESR_ELx[31:26] or HSR[31:26], of register accesses (Arm ARM D24.2.40). */
enum vpmu_trap_class {
    VPMU_TRAP_MCR = 0x03,  /* MCR or MRC of coprocessor 15 */
    VPMU_TRAP_MCRR = 0x04, /* MCRR or MRRC of coprocessor 15 */
    VPMU_TRAP_MSR = 0x18,  /* MSR, MRS or another system instruction in AArch64 */
};

/* The general-purpose registers that an access can name: X0 to X30. */
#define VPMU_TRAP_XREGS 31u

/**
 * struct vpmu_trap - a decoded access
 * @reg: enum vpmu_reg.
 * @rt: the general-purpose register, 0 to 31. 31 reads as zero and ignores writes.
 * @rt2: if @pair, the register for bits [63:32].
 * @aarch32: the instruction is an AArch32 instruction.
 * @write: MSR, MCR or MCRR; otherwise a read.
 * @pair: MRRC or MCRR: @rt holds bits [31:0].
 * @skipped: the condition of an AArch32 instruction fails. The access must not be performed, and no
 *     exception must be taken. A PE may trap such an instruction.
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

VPMU_STATIC_ASSERT(VPMU_REG_COUNT <= UINT8_MAX, "vpmu_trap.reg");

/**
 * vpmu_arm_trap_decode() - decode the access that caused an exception
 * @esr: ESR_EL1, ESR_EL2, ESR_EL3 or HSR, any value.
 * @spsr: the SPSR of the same exception: the flags and the IT state that decide an AArch32
 *     condition. Ignored for AArch64.
 * @trap: is filled in on success; unchanged otherwise.
 *
 * For machines whose general-purpose registers are not an array. Others call vpmu_arm_trap().
 *
 * Return: 0, or -VPMU_ERR_REG if the exception is of another class or concerns another register.
 * Source: Arm ARM D24.2.40, ISS encodings for exceptions from MSR, MRS, MCR, MRC, MCRR and MRRC.
 */
int vpmu_arm_trap_decode(uint64_t esr, uint64_t spsr, struct vpmu_trap *trap);

/**
 * vpmu_arm_trap() - perform a trapped access
 * @v: the PMU that the trapped software has. struct vpmu_arm_config describes the PE that this
 * software sees.
 * @pe: the state of that PE. @pe->aarch32 is ignored, because @esr contains it.
 * @esr: as for vpmu_arm_trap_decode().
 * @spsr: as for vpmu_arm_trap_decode().
 * @x: X0 to X30 of the PE, in their AArch64 view also for AArch32. A read that is allowed writes
 *     Rt, and an MRRC also Rt2. Nothing else is written.
 * @now: what the clocks show; NULL if no source is timed.
 * @access: is set to VPMU_ACCESS_OK if the access is done, and the PE continues after the
 *     instruction. Any other value: nothing has changed, and the PE takes that exception.
 *
 * Calls vpmu_arm_trap_decode() and vpmu_arm_reg_access(), then vpmu_arm_reg_read() or
 * vpmu_arm_reg_write(). The machine itself handles fine-grained traps. If it has them, it calls
 * vpmu_arm_trap_decode() and checks them in between.
 *
 * Return: a mask of enum vpmu_due, or -VPMU_ERR_REG as vpmu_arm_trap_decode(), with @access set to
 * VPMU_ACCESS_OK.
 * Source: as for vpmu_arm_trap_decode().
 */
int vpmu_arm_trap(struct vpmu_arm *v, const struct vpmu_pe *pe, uint64_t esr, uint64_t spsr,
                  uint64_t x[VPMU_TRAP_XREGS], const struct vpmu_now *now,
                  enum vpmu_access *access);

VPMU_DECLS_END

#endif
