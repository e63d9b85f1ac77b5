/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#ifndef VPMU_REGS_H
#define VPMU_REGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vpmu/fields.h"
#include "vpmu/pmu.h"

/* Registers. PMEVCNTR<n> and PMEVTYPER<n> are families: add n, 0 to 30, to the first. */
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

/* Encodings: AArch64 op0 op1 CRn CRm op2; AArch32 MRC p15 opc1 CRn CRm opc2, MRRC p15 opc1 CRm. */
#define VPMU_ENC64(op0, op1, crn, crm, op2)                                                        \
    ((uint16_t)((op0) << 14 | (op1) << 11 | (crn) << 7 | (crm) << 3 | (op2)))
#define VPMU_ENC32(opc1, crn, crm, opc2)                                                           \
    ((uint16_t)(1 << 14 | (opc1) << 11 | (crn) << 7 | (crm) << 3 | (opc2)))
#define VPMU_ENC32_WIDE(opc1, crm) ((uint16_t)(2 << 14 | (opc1) << 11 | (crm) << 3))
/* In place of an encoding: the register has no view in that execution state. */
#define VPMU_ENC_NONE ((uint16_t)0)

/* What software may do to a register at all. */
enum vpmu_reg_dir {
    VPMU_RW,
    VPMU_RO,
    VPMU_WO,
};

/* Which rule lets EL0 in. The names are those of PMUSERENR's fields. */
enum vpmu_el0_rule {
    VPMU_EL0_NEVER,
    VPMU_EL0_EN,    /* EN, or UEN */
    VPMU_EL0_EN_ER, /* reads also by ER */
    VPMU_EL0_SELR,  /* reads and writes also by ER */
    VPMU_EL0_EN_CR, /* reads also by CR */
    VPMU_EL0_EN_SW, /* writes also by SW */
    VPMU_EL0_PMCR,  /* EN and not UEN */
    VPMU_EL0_ID,    /* EN or UEN, and not TID */
    VPMU_EL0_UEN,   /* UEN only */
    VPMU_EL0_RO,    /* always readable, never writable */
};

/**
 * struct vpmu_reg_info - one row of the table of registers
 * @name64: the architecture's name in AArch64, "PMEVCNTR<n>_EL0" for a family; NULL if none.
 * @name32: the same in AArch32.
 * @enc64: VPMU_ENC64() of it, or of member 0 of a family; VPMU_ENC_NONE.
 * @enc32: VPMU_ENC32() or VPMU_ENC32_WIDE() of it, or of member 0; VPMU_ENC_NONE.
 * @dir: enum vpmu_reg_dir.
 * @el0: enum vpmu_el0_rule.
 * @version: the first enum vpmu_version that has it.
 * @features: enum vpmu_pe_feature that it needs as well.
 * @enpm2: MDCR_EL3.EnPM2 == 0 traps it to EL3.
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

_Static_assert(sizeof(((struct vpmu_reg_info *)0)->features) ==
                   sizeof(((struct vpmu_config *)0)->features),
               "a register can need any feature");

/**
 * struct vpmu_pe - how the PE stands when it accesses a register
 * @el: its exception level, 0 to 3.
 * @aarch32: it is in AArch32 state: registers have their 32-bit views.
 * @el1_aarch32: EL1 is AArch32: PMUSERENR.UEN and TID are of no account.
 * @el2_enabled: EL2 is implemented and enabled in the current security state.
 * @tge: HCR_EL2.TGE is 1 and EL2 is enabled.
 * @el3_undef: an access that EL3 would trap is UNDEFINED instead (EDSCR.SDD, Debug state).
 * @f0_read_trapped: EL2's fine-grained traps would take a read of PMICFILTR_EL0 from here: bit F0
 *     of the bitmap registers reads as zero.
 * @f0_write_trapped: the same of a write, or of PMICNTR_EL0 for PMZR_EL0: bit F0 ignores writes.
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

/* What becomes of an access. */
enum vpmu_access {
    VPMU_ACCESS_OK,
    VPMU_ACCESS_UNDEFINED,
    VPMU_ACCESS_TRAP_EL1,
    VPMU_ACCESS_TRAP_EL2,
    VPMU_ACCESS_TRAP_EL3,
};

/**
 * vpmu_reg_info() - the row of a register
 * @reg: 0 to VPMU_REG_COUNT - 1.
 *
 * Return: the row (members of a family share theirs), or NULL out of range.
 */
const struct vpmu_reg_info *vpmu_reg_info(unsigned reg);

/**
 * vpmu_reg_find() - which register an instruction names
 * @enc: VPMU_ENC64() of an MRS or MSR; VPMU_ENC32() of an MRC or MCR; VPMU_ENC32_WIDE() of an MRRC
 *     or MCRR.
 * @aarch32: the last two.
 *
 * Return: enum vpmu_reg, or -VPMU_ERR_REG if no PMU has such a register.
 */
int vpmu_reg_find(uint16_t enc, bool aarch32);

/**
 * vpmu_reg_exists() - does this PMU have it, in this view?
 * @reg: any number.
 * @aarch32: the view.
 *
 * PMEVCNTR<n> and PMEVTYPER<n> exist for n below the number of counters.
 */
bool vpmu_reg_exists(const struct vpmu *v, unsigned reg, bool aarch32);

/**
 * vpmu_reg_access() - may software do this?
 * @reg: enum vpmu_reg.
 * @pe: who asks.
 * @write: a write; else a read.
 *
 * Order and targets are those of the architecture's accessor pseudocode, fine-grained traps
 * excepted: these are the machine's, between a trap to EL1 and the ones that MDCR_EL2 makes.
 * An event counter that is not implemented is UNDEFINED, one that HPMN keeps from EL0 and EL1
 * traps to EL2, as with FEAT_FGT; so do PMXEVCNTR and PMXEVTYPER when PMSELR selects it.
 */
enum vpmu_access vpmu_reg_access(const struct vpmu *v, unsigned reg, const struct vpmu_pe *pe,
                                 bool write);

/**
 * vpmu_reg_read() - read a register
 * @reg: enum vpmu_reg.
 * @pe: who reads: it decides the view and which bits read as zero. The access must have been
 *     allowed by vpmu_reg_access().
 * @val: is set to the value; the upper half is 0 in a 32-bit view.
 *
 * Return: 0, or -VPMU_ERR_REG if there is no such register or it is write-only; @val is then 0.
 */
int vpmu_reg_read(struct vpmu *v, unsigned reg, const struct vpmu_pe *pe, uint64_t *val);

/**
 * vpmu_reg_write() - write a register
 * @val: the value; the upper half is ignored in a 32-bit view.
 *
 * Other arguments as for vpmu_reg_read(). May call vpmu_ops.irq and vpmu_ops.rearm.
 *
 * Return: 0, or -VPMU_ERR_REG if there is no such register or it is read-only.
 */
int vpmu_reg_write(struct vpmu *v, unsigned reg, const struct vpmu_pe *pe, uint64_t val);

#endif
