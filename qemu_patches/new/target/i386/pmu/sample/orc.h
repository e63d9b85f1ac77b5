/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Call chains of an x86-64 Linux kernel by its ORC tables
 */

#ifndef TARGET_I386_PMU_SAMPLE_ORC_H
#define TARGET_I386_PMU_SAMPLE_ORC_H

#include "system/vpmu_target.h"

/* The kernel's tables. */
typedef struct X86Orc X86Orc;

/* Offsets in struct pt_regs, in bytes, and __USER_CS. */
enum {
    X86_REGS_R15 = 0,
    X86_REGS_R13 = 2 * 8,
    X86_REGS_BP = 4 * 8,
    X86_REGS_BX = 5 * 8,
    X86_REGS_R10 = 7 * 8,
    X86_REGS_R8 = 9 * 8,
    X86_REGS_AX = 10 * 8,
    X86_REGS_CX = 11 * 8,
    X86_REGS_DX = 12 * 8,
    X86_REGS_SI = 13 * 8,
    X86_REGS_DI = 14 * 8,
    X86_REGS_IP = 16 * 8,
    X86_REGS_CS = 17 * 8,
    X86_REGS_FLAGS = 18 * 8,
    X86_REGS_SP = 19 * 8,
    X86_REGS_SS = 20 * 8,
};
#define X86_LINUX_USER_CS 0x33
#define X86_LINUX_USER_SS 0x2b

/*
 * The program that has entered the kernel.  @regs: the address of its registers
 * (pt_regs).  If they are not @full, only those that an interrupt pushes are
 * there, and the others are still in the CPU.  If @regs is 0, all of them are,
 * as SYSCALL leaves them, except for @sp.  @wide: it is 64-bit code.
 */
typedef struct X86Entered {
    bool known;
    bool full;
    bool wide;
    uint64_t pc;
    uint64_t sp;
    uint64_t bp;
    uint64_t regs;
} X86Entered;

/*
 * Returns the tables that the recording knows, and reads them if that was not
 * done yet; NULL if they are not known, and in a guest of SVM, which has a
 * kernel of its own.  Must not be called with a lock held.
 */
const X86Orc *x86_orc(CPUState *cs, const struct vpmu_record_sample *sample,
                      VPMURecord *r);

/*
 * Finds the call chain of the kernel that runs, and the program that has
 * entered it.  Returns the number of addresses in @chain, at most @frames.
 */
unsigned int x86_orc_unwind(CPUState *cs, const X86Orc *orc, uint64_t *chain,
                            unsigned int frames, X86Entered *program);

#endif
