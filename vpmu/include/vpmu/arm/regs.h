/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#ifndef VPMU_ARM_REGS_H
#define VPMU_ARM_REGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vpmu/arm/fields.h"
#include "vpmu/arm/pmu.h"
#include "vpmu/decls.h"

VPMU_DECLS_BEGIN

/* Registers. PMEVCNTR<n> and PMEVTYPER<n> are families: add n, 0 to 30, to the first member. */
enum vpmu_reg {
    VPMU_PMCR,
    VPMU_PMCNTENSET,
    VPMU_PMCNTENCLR,
    VPMU_PMOVSCLR, /* PMOVSR in AArch32 */
    VPMU_PMOVSSET,
    VPMU_PMSWINC,
    VPMU_PMSELR,
    VPMU_PMXEVTYPER,
    VPMU_PMXEVCNTR,
    VPMU_PMCCNTR,
    VPMU_PMCCNTR_WIDE, /* AArch32 only: the MRRC and MCRR form, 64 bits */
    VPMU_PMCCFILTR,
    VPMU_PMCEID0,
    VPMU_PMCEID1,
    VPMU_PMCEID2, /* AArch32 only: PMCEID0_EL0[63:32] */
    VPMU_PMCEID3, /* AArch32 only: PMCEID1_EL0[63:32] */
    VPMU_PMUSERENR,
    VPMU_PMINTENSET,
    VPMU_PMINTENCLR,
    VPMU_PMMIR,
    VPMU_PMUACR,
    VPMU_PMICNTR,
    VPMU_PMICFILTR,
    VPMU_PMZR,
    VPMU_PMEVCNTR0,
    VPMU_PMEVTYPER0 = VPMU_PMEVCNTR0 + VPMU_MAX_EVENT_COUNTERS,
    VPMU_REG_COUNT = VPMU_PMEVTYPER0 + VPMU_MAX_EVENT_COUNTERS,
};

/*
 * Encodings: AArch64 op0 op1 CRn CRm op2; AArch32 MRC p15 opc1 CRn CRm opc2 and MRRC p15 opc1 CRm.
 */
#define VPMU_ENC64(op0, op1, crn, crm, op2)                                                        \
    ((uint16_t)((op0) << 14 | (op1) << 11 | (crn) << 7 | (crm) << 3 | (op2)))
#define VPMU_ENC32(opc1, crn, crm, opc2)                                                           \
    ((uint16_t)(1 << 14 | (opc1) << 11 | (crn) << 7 | (crm) << 3 | (opc2)))
#define VPMU_ENC32_WIDE(opc1, crm) ((uint16_t)(2 << 14 | (opc1) << 11 | (crm) << 3))
/* The encoding of a register that does not exist in that execution state. */
#define VPMU_ENC_NONE ((uint16_t)0)

/* Which accesses a register allows at all. */
enum vpmu_reg_dir {
    VPMU_RW,
    VPMU_RO,
    VPMU_WO,
};

/* Which rule allows access from EL0. The names are those of PMUSERENR's fields. */
enum vpmu_el0_rule {
    VPMU_EL0_NEVER,
    VPMU_EL0_EN,    /* if EN or UEN */
    VPMU_EL0_EN_ER, /* if EN or UEN; reads also if ER */
    VPMU_EL0_SELR,  /* if EN or UEN; reads and writes also if ER */
    VPMU_EL0_EN_CR, /* if EN or UEN; reads also if CR */
    VPMU_EL0_EN_SW, /* if EN or UEN; writes also if SW */
    VPMU_EL0_PMCR,  /* if EN and not UEN */
    VPMU_EL0_ID,    /* if EN or UEN, and not TID */
    VPMU_EL0_UEN,   /* if UEN */
    VPMU_EL0_RO,    /* always readable, never writable */
};

/**
 * struct vpmu_reg_info - one row of the table of registers
 * @name64: the architecture's name in AArch64, "PMEVCNTR<n>_EL0" for a family; NULL if it has none.
 * @name32: the name in AArch32; NULL if it has none.
 * @enc64: VPMU_ENC64() of the register, or of member 0 of a family; or VPMU_ENC_NONE.
 * @enc32: VPMU_ENC32() or VPMU_ENC32_WIDE() of the register or member 0; or VPMU_ENC_NONE.
 * @dir: enum vpmu_reg_dir.
 * @el0: enum vpmu_el0_rule.
 * @version: the lowest enum vpmu_version that has the register.
 * @features: the enum vpmu_pe_feature bits that the register needs as well.
 * @enpm2: MDCR_EL3.EnPM2 == 0 traps accesses to EL3.
 */
struct vpmu_reg_info {
    const char *name64;
    const char *name32;
    uint16_t enc64;
    uint16_t enc32;
    uint8_t dir;
    uint8_t el0;
    uint8_t version;
    uint16_t features;
    bool enpm2;
};

VPMU_STATIC_ASSERT(sizeof(((struct vpmu_reg_info *)0)->features) ==
                       sizeof(((struct vpmu_arm_config *)0)->features),
                   "a register can need any feature");

/**
 * struct vpmu_pe - the state of the PE that accesses a register
 * @el: its exception level, 0 to 3.
 * @aarch32: it is in AArch32 state, so registers have their 32-bit views.
 * @el1_aarch32: EL1 is AArch32, so PMUSERENR.UEN is ignored.
 * @el2_enabled: EL2 is implemented and enabled in the current security state.
 * @tge: HCR_EL2.TGE is 1 and EL2 is enabled.
 * @el3_undef: an access that would trap to EL3 is UNDEFINED instead (EDSCR.SDD, Debug state).
 * @f0_read_trapped: EL2's fine-grained traps would trap a read of PMICFILTR_EL0 from here, so bit
 *     F0 of the bitmap registers reads as zero.
 * @f0_write_trapped: they would trap a write of PMICFILTR_EL0, or of PMICNTR_EL0 for PMZR_EL0, so
 *     bit F0 ignores writes.
 */
struct vpmu_pe {
    uint8_t el;
    bool aarch32;
    bool el1_aarch32;
    bool el2_enabled;
    bool tge;
    bool el3_undef;
    bool f0_read_trapped;
    bool f0_write_trapped;
};

/* The result of an access. */
enum vpmu_access {
    VPMU_ACCESS_OK,
    VPMU_ACCESS_UNDEFINED,
    VPMU_ACCESS_TRAP_EL1,
    VPMU_ACCESS_TRAP_EL2,
    VPMU_ACCESS_TRAP_EL3,
};

/**
 * vpmu_arm_reg_info() - look up the row of a register
 * @reg: enum vpmu_reg, any value.
 *
 * Return: the row, which all members of a family share; NULL if @reg is not below VPMU_REG_COUNT.
 */
const struct vpmu_reg_info *vpmu_arm_reg_info(unsigned reg);

/**
 * vpmu_arm_reg_find() - look up a register by its encoding
 * @enc: VPMU_ENC64() of an MRS or MSR; VPMU_ENC32() of an MRC or MCR; VPMU_ENC32_WIDE() of an MRRC
 *     or MCRR.
 * @aarch32: @enc is an AArch32 encoding.
 *
 * Return: enum vpmu_reg, or -VPMU_ERR_REG if no PMU has such a register.
 * Source: Arm ARM D24.5 and G8.4.
 */
int vpmu_arm_reg_find(uint16_t enc, bool aarch32);

/**
 * vpmu_arm_reg_exists() - tell whether this PMU has a register in an execution state
 * @reg: enum vpmu_reg, any value.
 * @aarch32: the execution state is AArch32.
 *
 * PMEVCNTR<n> and PMEVTYPER<n> exist for n below the number of event counters.
 *
 * Return: true if the register exists.
 */
bool vpmu_arm_reg_exists(const struct vpmu_arm *v, unsigned reg, bool aarch32);

/**
 * vpmu_arm_reg_access() - tell whether an access is allowed, else which exception it causes
 * @reg: enum vpmu_reg, any value.
 * @pe: the PE that makes the access.
 * @write: the access is a write; otherwise a read.
 *
 * Checks have the order and the targets of the architecture's accessor pseudocode, without
 * fine-grained traps. The machine checks those itself, between a trap to EL1 and the traps of
 * MDCR_EL2. An event counter that is not implemented is UNDEFINED. One that HPMN reserves for EL2
 * traps to EL2 from EL0 and EL1, as with FEAT_FGT; so do PMXEVCNTR and PMXEVTYPER if PMSELR selects
 * such a counter.
 *
 * Return: VPMU_ACCESS_OK if the access is allowed, otherwise the exception.
 * Source: Arm ARM D24.5, the accessibility pseudocode of each register.
 */
enum vpmu_access vpmu_arm_reg_access(const struct vpmu_arm *v, unsigned reg,
                                     const struct vpmu_pe *pe, bool write);

/**
 * vpmu_arm_reg_read() - read a register
 * @reg: enum vpmu_reg, any value.
 * @pe: the PE that reads. It decides the view and which bits read as zero. The caller has checked
 *     the access with vpmu_arm_reg_access().
 * @val: is set to the value, with a zero upper half in a 32-bit view; to 0 on an error.
 * @now: what the clocks show; NULL unless vpmu_arm_needs_time().
 *
 * Settles what the register shows first.
 *
 * Return: a mask of enum vpmu_due, or -VPMU_ERR_REG if the register does not exist or is
 * write-only. Source: Arm ARM D24.5.
 */
int vpmu_arm_reg_read(struct vpmu_arm *v, unsigned reg, const struct vpmu_pe *pe, uint64_t *val,
                      const struct vpmu_now *now);

/**
 * vpmu_arm_reg_write() - write a register
 * @reg: enum vpmu_reg, any value.
 * @pe: the PE that writes, as for vpmu_arm_reg_read().
 * @val: the value. The upper half is ignored in a 32-bit view.
 * @now: what the clocks show; NULL if no source is timed.
 *
 * What has been counted so far is settled before the write, and samples that are due are found.
 *
 * Return: a mask of enum vpmu_due, or -VPMU_ERR_REG if the register does not exist or is read-only.
 * Source: Arm ARM D24.5.
 */
int vpmu_arm_reg_write(struct vpmu_arm *v, unsigned reg, const struct vpmu_pe *pe, uint64_t val,
                       const struct vpmu_now *now);

VPMU_DECLS_END

#endif
