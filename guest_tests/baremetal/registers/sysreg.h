/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef REGISTERS_SYSREG_H
#define REGISTERS_SYSREG_H

#include <stdint.h>

/*
 * Access to AArch64 system registers by their names in the Arm ARM. The name is expanded first, so
 * that a macro can replace a register that the assembler does not know by its S<op0>_... form.
 */
#define SYSREG_STRING_(r) #r

#define read_sysreg(r)                                                                             \
    ({                                                                                             \
        uint64_t value_;                                                                           \
        __asm__ volatile("mrs %0, " SYSREG_STRING_(r) : "=r"(value_) : : "memory");                \
        value_;                                                                                    \
    })

#define write_sysreg(r, v)                                                                         \
    __asm__ volatile("msr " SYSREG_STRING_(r) ", %x0" : : "rZ"((uint64_t)(v)) : "memory")

static inline void isb(void)
{
    __asm__ volatile("isb" : : : "memory");
}

static inline void dsb(void)
{
    __asm__ volatile("dsb sy" : : : "memory");
}

/* Returns the Exception level. EL0 must not call it: CurrentEL is UNDEFINED there. */
static inline unsigned current_el(void)
{
    return (unsigned)(read_sysreg(CurrentEL) >> 2) & 3u;
}

/*
 * These change PSTATE.I only. The other masks stay set, because nothing here sends an FIQ or
 * SError.
 */
static inline void irq_enable(void)
{
    __asm__ volatile("msr daifclr, #2" : : : "memory");
}

static inline void irq_disable(void)
{
    __asm__ volatile("msr daifset, #2" : : : "memory");
}

#define BIT(n) (UINT64_C(1) << (n))
#define FIELD(value, shift, width) (((value) >> (shift)) & ((UINT64_C(1) << (width)) - 1))

/* ESR_ELx: the exception class, and the syndrome of the classes that the tests check. */
#define ESR_EC(esr) ((unsigned)FIELD(esr, 26, 6))
#define ESR_ISS(esr) FIELD(esr, 0, 25)
#define EC_UNKNOWN 0x00u
#define EC_WFX 0x01u
#define EC_CP15_32 0x03u
#define EC_CP15_64 0x04u
#define EC_FP_ACCESS 0x07u
#define EC_SVC32 0x11u
#define EC_HVC32 0x12u
#define EC_SVC64 0x15u
#define EC_HVC64 0x16u
#define EC_SMC64 0x17u
#define EC_SYSREG 0x18u
#define EC_IABORT_LOWER 0x20u
#define EC_IABORT_SAME 0x21u
#define EC_DABORT_LOWER 0x24u
#define EC_DABORT_SAME 0x25u
#define EC_BREAKPOINT_LOWER 0x30u
#define EC_BREAKPOINT_SAME 0x31u
#define EC_STEP_LOWER 0x32u
#define EC_WATCHPOINT_LOWER 0x34u
#define EC_WATCHPOINT_SAME 0x35u
#define EC_BRK64 0x3cu

/* ISS of EC_SYSREG: op0 [21:20], op2 [19:17], op1 [16:14], CRn [13:10], Rt [9:5], CRm [4:1]. */
#define ISS_SYSREG(op0, op1, crn, crm, op2, is_read)                                               \
    ((uint64_t)((op0) << 20 | (op2) << 17 | (op1) << 14 | (crn) << 10 | (crm) << 1 | (is_read)))
#define ISS_SYSREG_RT_MASK UINT64_C(0x3e0)

#define HFGITR_EL2 S3_4_C1_C1_6
#define HFGITR_EL2_SVC_EL0 BIT(52)
#define HFGITR_EL2_SVC_EL1 BIT(53)

#define HCRX_EL2 S3_4_C1_C2_2
#define HCRX_EL2_MSCEN BIT(11)

#define HCR_EL2_VM BIT(0)
#define HCR_EL2_FMO BIT(3)
#define HCR_EL2_IMO BIT(4)
#define HCR_EL2_TWI BIT(13)
#define HCR_EL2_TID3 BIT(18)
#define HCR_EL2_TSC BIT(19)
#define HCR_EL2_TVM BIT(26)
#define HCR_EL2_TGE BIT(27)
#define HCR_EL2_TDZ BIT(28)
#define HCR_EL2_RW BIT(31)
#define HCR_EL2_E2H BIT(34)
#define HCR_EL2_NV BIT(42)

#define SCR_EL3_NS BIT(0)
#define SCR_EL3_HCE BIT(8)
#define SCR_EL3_RW BIT(10)
#define SCR_EL3_EEL2 BIT(18)
#define SCR_EL3_NSE BIT(62)

#define SCTLR_EL1_M BIT(0)
#define SCTLR_EL1_A BIT(1)
#define SCTLR_EL1_C BIT(2)
#define SCTLR_EL1_UMA BIT(9)
#define SCTLR_EL1_I BIT(12)
#define SCTLR_EL1_DZE BIT(14)
#define SCTLR_EL1_UCT BIT(15)
#define SCTLR_EL1_NTWI BIT(16)
#define SCTLR_EL1_NTWE BIT(18)
#define SCTLR_EL1_SPAN BIT(23)
#define SCTLR_EL1_UCI BIT(26)
#define SCTLR_EL1_MSCEN BIT(33)

#endif
