/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#ifndef VPMU_ARM_BRBE_H
#define VPMU_ARM_BRBE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vpmu/arm/regs.h"
#include "vpmu/branch.h"
#include "vpmu/decls.h"

VPMU_DECLS_BEGIN

/*
 * The Branch Record Buffer Extension, FEAT_BRBE and FEAT_BRBEv1p1: its registers, and what they
 * record of the branches that the machine reports. It needs no struct vpmu_arm; the machine passes
 * PMOVSCLR_EL0 to vpmu_brbe_overflow().
 *
 * A machine that executes instructions
 *
 * 1. asks vpmu_brbe_recorded() after vpmu_brbe_write(), vpmu_brbe_move() and what moves the PE, and
 *    calls vpmu_brbe_branch() for each branch of these groups that is taken,
 * 2. calls vpmu_brbe_exception() and vpmu_brbe_return() for each exception and exception return,
 *    while vpmu_brbe_enabled(); otherwise vpmu_brbe_move() before the next other call is enough,
 * 3. calls vpmu_brbe_overflow() whenever an overflow flag was set, and sets
 *    vpmu_controls.brbe_freezers to vpmu_brbe_freezers(), so that flags are set in time.
 *
 * Not modelled: transactions (T and LASTFAILED are RES0), FEAT_PMUv3_SS (FZPSS is RES0), traps by
 * FEAT_FGT, which the machine checks, and the event BRB_FILTRATE.
 *
 * Choices: registers reset to 0. ISB is no branch. INJ leaves its registers unchanged. TS of 00 in
 * BRBCR_EL1 is the virtual counter. Without EL2, BRBCR_EL1.FZP enables the freeze. The first record
 * after IALL, a region where nothing is recorded, or CC being 0 has no cycles.
 *
 * Source: Arm ARM D18, and D24.4 for the registers.
 */

/* Versions, encoded as ID_AA64DFR0_EL1.BRBE. */
enum vpmu_brbe_version {
    VPMU_BRBE_V1 = 1,
    VPMU_BRBE_V1P1 = 2,
};

/* BRBCR_EL1 and BRBCR_EL2 have the same fields. */
#define VPMU_BRBCR_E0BRE (1ull << 0)
#define VPMU_BRBCR_EXBRE (1ull << 1)
#define VPMU_BRBCR_CC (1ull << 3)
#define VPMU_BRBCR_MPRED (1ull << 4)
#define VPMU_BRBCR_TS_SHIFT 5
#define VPMU_BRBCR_TS (3ull << VPMU_BRBCR_TS_SHIFT)
#define VPMU_BRBCR_FZP (1ull << 8)
#define VPMU_BRBCR_ERTN (1ull << 22)
#define VPMU_BRBCR_EXCEPTION (1ull << 23)

#define VPMU_BRBFCR_PAUSED (1ull << 7)
#define VPMU_BRBFCR_ENI (1ull << 16)
#define VPMU_BRBFCR_DIRECT (1ull << 17)
#define VPMU_BRBFCR_INDIRECT (1ull << 18)
#define VPMU_BRBFCR_RTN (1ull << 19)
#define VPMU_BRBFCR_INDCALL (1ull << 20)
#define VPMU_BRBFCR_DIRCALL (1ull << 21)
#define VPMU_BRBFCR_CONDDIR (1ull << 22)
#define VPMU_BRBFCR_BANK_SHIFT 28
#define VPMU_BRBFCR_BANK (3ull << VPMU_BRBFCR_BANK_SHIFT)

/* BRBINF<n>_EL1 and BRBINFINJ_EL1. */
#define VPMU_BRBINF_TARGET (1ull << 0)
#define VPMU_BRBINF_SOURCE (1ull << 1)
#define VPMU_BRBINF_MPRED (1ull << 5)
#define VPMU_BRBINF_EL_SHIFT 6
#define VPMU_BRBINF_EL (3ull << VPMU_BRBINF_EL_SHIFT)
#define VPMU_BRBINF_TYPE_SHIFT 8
#define VPMU_BRBINF_TYPE (0x3full << VPMU_BRBINF_TYPE_SHIFT)
#define VPMU_BRBINF_CC_SHIFT 32
#define VPMU_BRBINF_CC (0x3fffull << VPMU_BRBINF_CC_SHIFT)
#define VPMU_BRBINF_CCU (1ull << 46)

#define VPMU_BRBIDR0_CC_20_BITS (5ull << 12)

/* MDCR_EL3. */
#define VPMU_MDCR_EL3_SBRBE_SHIFT 32
#define VPMU_MDCR_EL3_SBRBE (3ull << VPMU_MDCR_EL3_SBRBE_SHIFT)
#define VPMU_MDCR_EL3_E3BREW (1ull << 37)
#define VPMU_MDCR_EL3_E3BREC (1ull << 38)

/* Records in a bank, which BRBFCR_EL1.BANK selects. */
#define VPMU_BRBE_BANK 32

/* Registers and instructions. BRBINF<n>, BRBSRC<n> and BRBTGT<n> are families: add n, 0 to 31. */
enum vpmu_brbe_reg {
    VPMU_BRBCR_EL1,
    VPMU_BRBCR_EL2,
    VPMU_BRBCR_EL12,
    VPMU_BRBFCR,
    VPMU_BRBTS,
    VPMU_BRBINFINJ,
    VPMU_BRBSRCINJ,
    VPMU_BRBTGTINJ,
    VPMU_BRBIDR0,
    VPMU_BRB_IALL,
    VPMU_BRB_INJ,
    VPMU_BRBINF0,
    VPMU_BRBSRC0 = VPMU_BRBINF0 + VPMU_BRBE_BANK,
    VPMU_BRBTGT0 = VPMU_BRBSRC0 + VPMU_BRBE_BANK,
    VPMU_BRBE_REG_COUNT = VPMU_BRBTGT0 + VPMU_BRBE_BANK,
};

/**
 * struct vpmu_brbe_config - what a BRBE is built as; constant for its lifetime
 * @version: enum vpmu_brbe_version.
 * @records: 8, 16, 32 or 64.
 * @has_el2: EL2 is implemented.
 * @has_el3: EL3 is implemented.
 */
struct vpmu_brbe_config {
    uint8_t version;
    uint8_t records;
    bool has_el2;
    bool has_el3;
};

/**
 * struct vpmu_brbe_pe - the state of the PE on which recording depends
 * @mdcr_el3: MDCR_EL3; ignored without EL3.
 * @el: the exception level, 0 to 3.
 * @aarch32: bit n: exception level n uses AArch32.
 * @secure: the PE is in Secure state.
 * @el2_enabled: EL2 is implemented and enabled in the current security state.
 * @tge: HCR_EL2.TGE.
 * @e2h: HCR_EL2.E2H.
 */
struct vpmu_brbe_pe {
    uint64_t mdcr_el3;
    uint8_t el;
    uint8_t aarch32;
    bool secure;
    bool el2_enabled;
    bool tge;
    bool e2h;
};

/**
 * struct vpmu_brbe - a branch record buffer; the caller owns it and does not access its members
 * @config: what it is built as.
 * @pe: the PE's state as last reported.
 * @cr: BRBCR_EL1 and BRBCR_EL2.
 * @fcr: BRBFCR_EL1.
 * @ts: BRBTS_EL1.
 * @inf_inj: BRBINFINJ_EL1.
 * @src_inj: BRBSRCINJ_EL1.
 * @tgt_inj: BRBTGTINJ_EL1.
 * @ring: the records.
 */
struct vpmu_brbe {
    struct vpmu_brbe_config config;
    struct vpmu_brbe_pe pe;
    uint64_t cr[2];
    uint64_t fcr;
    uint64_t ts;
    uint64_t inf_inj;
    uint64_t src_inj;
    uint64_t tgt_inj;
    struct vpmu_branch_ring ring;
};

/* Which counter BRBTS_EL1 shows. */
enum vpmu_brbe_clock {
    VPMU_BRBE_VIRTUAL,        /* CNTVCT_EL0 */
    VPMU_BRBE_GUEST_PHYSICAL, /* CNTPCT_EL0, less CNTPOFF_EL2 if that is valid */
    VPMU_BRBE_PHYSICAL,       /* CNTPCT_EL0 without an offset */
};

/**
 * struct vpmu_brbe_reg_info - one row of the table of registers and instructions
 * @name: the architecture's name, "BRBINF<n>_EL1" for a family.
 * @enc: VPMU_ENC64() of the register, or of member 0 of a family. An instruction has op0 1.
 * @dir: enum vpmu_reg_dir. An instruction is write-only.
 */
struct vpmu_brbe_reg_info {
    const char *name;
    uint16_t enc;
    uint8_t dir;
};

/**
 * vpmu_brbe_init() - make a branch record buffer in its reset state
 * @b: memory for it.
 * @config: what it is built as.
 * @why: is set to the reason if @config cannot exist; may be NULL.
 *
 * The PE is in Non-secure EL1 in AArch64, and everything else of its state is 0.
 *
 * Return: 0, or -VPMU_ERR_CONFIG with @b unchanged.
 */
int vpmu_brbe_init(struct vpmu_brbe *b, const struct vpmu_brbe_config *config, const char **why);

/**
 * vpmu_brbe_reset() - reset registers and records
 * @b: the buffer. What it knows of the PE stays.
 */
void vpmu_brbe_reset(struct vpmu_brbe *b);

/**
 * vpmu_brbe_move() - report the state of the PE
 * @b: the buffer.
 * @pe: the state.
 *
 * Records nothing.
 */
void vpmu_brbe_move(struct vpmu_brbe *b, const struct vpmu_brbe_pe *pe);

/**
 * vpmu_brbe_recorded() - which branches are recorded in the present state
 * @b: the buffer.
 *
 * Return: a mask of enum vpmu_branch_group. VPMU_BRGROUP_EXCEPTION means that records of exceptions
 *     and exception returns show this side; 0 means that nothing is recorded here.
 * Source: Arm ARM D18.3, BranchRecordAllowed() and FilterBranchRecord().
 */
unsigned vpmu_brbe_recorded(const struct vpmu_brbe *b);

/**
 * vpmu_brbe_enabled() - tell whether the registers let anything be recorded
 * @b: the buffer.
 *
 * While this is false, a machine need not report branches, exceptions and exception returns.
 *
 * Return: false if nothing is recorded in any state of the PE, until the next vpmu_brbe_write(), or
 *     vpmu_brbe_move() with another MDCR_EL3.
 */
bool vpmu_brbe_enabled(const struct vpmu_brbe *b);

/**
 * vpmu_brbe_counts_cycles() - tell whether records have cycles
 * @b: the buffer.
 *
 * While this is false, the @now of other functions is not used and may be VPMU_BRANCH_NO_TIME.
 *
 * Return: true if BRBCR_EL1.CC is set, and also BRBCR_EL2.CC if there is EL2.
 */
bool vpmu_brbe_counts_cycles(const struct vpmu_brbe *b);

/**
 * vpmu_brbe_branch() - a branch instruction was taken
 * @b: the buffer.
 * @type: enum vpmu_branch_type of a branch instruction that is no exception return.
 * @mispredicted: the PE mispredicted it.
 * @from: the address of the instruction.
 * @to: the address of the next instruction.
 * @now: the cycles that the PE has executed, or VPMU_BRANCH_NO_TIME.
 *
 * Return: true if it was recorded.
 * Source: Arm ARM, BRBEBranch().
 */
bool vpmu_brbe_branch(struct vpmu_brbe *b, enum vpmu_branch_type type, bool mispredicted,
                      uint64_t from, uint64_t to, uint64_t now);

/**
 * vpmu_brbe_exception() - the PE takes an exception
 * @b: the buffer, which knows the state that the exception is taken from.
 * @after: the state of the PE after it. The target exception level is @after->el.
 * @type: enum vpmu_branch_type; vpmu_brbe_exception_type() for a synchronous exception.
 * @from: the preferred return address.
 * @to: the address of the vector.
 * @now: as for vpmu_brbe_branch().
 *
 * Does vpmu_brbe_move() to @after as well.
 *
 * Return: true if it was recorded.
 * Source: Arm ARM, BRBEException().
 */
bool vpmu_brbe_exception(struct vpmu_brbe *b, const struct vpmu_brbe_pe *after,
                         enum vpmu_branch_type type, uint64_t from, uint64_t to, uint64_t now);

/**
 * vpmu_brbe_return() - the PE executes an exception return
 * @b: the buffer, which knows the state before.
 * @after: the state of the PE after it.
 * @from: the address of the instruction.
 * @to: the address of the next instruction.
 * @now: as for vpmu_brbe_branch().
 *
 * Does vpmu_brbe_move() to @after as well.
 *
 * Return: true if it was recorded.
 * Source: Arm ARM, BRBEExceptionReturn().
 */
bool vpmu_brbe_return(struct vpmu_brbe *b, const struct vpmu_brbe_pe *after, uint64_t from,
                      uint64_t to, uint64_t now);

/**
 * vpmu_brbe_exception_type() - the type of a synchronous exception or an SError
 * @syndrome: ESR_ELx.
 * @source_el: where it is taken from.
 * @target_el: where it is taken to.
 * @tge: HCR_EL2.TGE is 1 and EL2 is enabled.
 *
 * An SVC or SMC that traps, instead of going where it goes by itself, is VPMU_BRTYPE_TRAP.
 *
 * Return: enum vpmu_branch_type.
 * Source: Arm ARM, BRBEException().
 */
enum vpmu_branch_type vpmu_brbe_exception_type(uint64_t syndrome, unsigned source_el,
                                               unsigned target_el, bool tge);

/**
 * vpmu_brbe_predicts() - tell whether records say what was mispredicted
 * @b: the buffer.
 *
 * While this is false, the @mispredicted of vpmu_brbe_branch() is not used.
 *
 * Return: true if BRBCR_EL1.MPRED is set, and also BRBCR_EL2.MPRED if there is EL2.
 */
bool vpmu_brbe_predicts(const struct vpmu_brbe *b);

/**
 * vpmu_brbe_levels() - where branches are recorded
 * @b: the buffer.
 *
 * Return: a mask of exception levels, 1 << n for level n. They are those of the present security
 *     state; 0 while the buffer is frozen.
 */
unsigned vpmu_brbe_levels(const struct vpmu_brbe *b);

/**
 * vpmu_brbe_freezers() - the counters whose overflow freezes the buffer
 * @b: the buffer.
 * @hpmn: as for vpmu_brbe_overflow().
 *
 * Return: a mask of counters; 0 while vpmu_brbe_enabled() is false.
 */
uint64_t vpmu_brbe_freezers(const struct vpmu_brbe *b, unsigned hpmn);

/**
 * vpmu_brbe_overflow() - tell whether overflow flags freeze the buffer now
 * @b: the buffer.
 * @ovs: PMOVSCLR_EL0.
 * @hpmn: the counters below this number are not reserved for EL2; ignored without EL2.
 *
 * PMCCNTR_EL0 never freezes; PMICNTR_EL0 does as the counters below @hpmn.
 *
 * Return: true if the machine must call vpmu_brbe_freeze().
 * Source: Arm ARM, ShouldBRBEFreeze(); BRBCR_EL1.FZP, BRBCR_EL2.FZP.
 */
bool vpmu_brbe_overflow(const struct vpmu_brbe *b, uint64_t ovs, unsigned hpmn);

/**
 * vpmu_brbe_clock() - which counter gives the time of a freeze
 * @b: the buffer.
 *
 * Return: enum vpmu_brbe_clock. A machine without FEAT_ECV has no CNTPOFF_EL2.
 */
enum vpmu_brbe_clock vpmu_brbe_clock(const struct vpmu_brbe *b);

/**
 * vpmu_brbe_freeze() - stop recording: BRBFCR_EL1.PAUSED becomes 1
 * @b: the buffer.
 * @time: the value of the counter that vpmu_brbe_clock() names, for BRBTS_EL1.
 */
void vpmu_brbe_freeze(struct vpmu_brbe *b, uint64_t time);

/**
 * vpmu_brbe_reg_info() - look up the row of a register
 * @reg: enum vpmu_brbe_reg, any value.
 *
 * Return: the row, which all members of a family share; NULL if @reg is not below
 *     VPMU_BRBE_REG_COUNT.
 */
const struct vpmu_brbe_reg_info *vpmu_brbe_reg_info(unsigned reg);

/**
 * vpmu_brbe_reg_encoding() - the encoding of a register
 * @reg: enum vpmu_brbe_reg, below VPMU_BRBE_REG_COUNT.
 *
 * Return: VPMU_ENC64(), also of members of families.
 */
uint16_t vpmu_brbe_reg_encoding(unsigned reg);

/**
 * vpmu_brbe_access() - tell whether an access is allowed, and which exception it causes otherwise
 * @b: the buffer. The access is made in the state that was last reported.
 * @reg: enum vpmu_brbe_reg, any value.
 * @write: the access is a write or the instruction; otherwise a read.
 *
 * Does not check fine-grained traps, which come before the traps to EL3, nor FEAT_NV.
 *
 * Return: VPMU_ACCESS_OK if the access is allowed, otherwise the exception.
 * Source: Arm ARM D24.4, the accessibility pseudocode of each register; MDCR_EL3.SBRBE.
 */
enum vpmu_access vpmu_brbe_access(const struct vpmu_brbe *b, unsigned reg, bool write);

/**
 * vpmu_brbe_read() - read a register
 * @b: the buffer.
 * @reg: enum vpmu_brbe_reg, any value. BRBCR_EL1 is BRBCR_EL2 at EL2 with E2H.
 * @val: is set to the value; to 0 on an error.
 *
 * Return: 0, or -VPMU_ERR_REG if the register does not exist or is write-only.
 */
int vpmu_brbe_read(const struct vpmu_brbe *b, unsigned reg, uint64_t *val);

/**
 * vpmu_brbe_write() - write a register, or execute BRB IALL or BRB INJ
 * @b: the buffer.
 * @reg: enum vpmu_brbe_reg, any value, as for vpmu_brbe_read().
 * @val: the value; ignored for an instruction.
 *
 * Return: 0, or -VPMU_ERR_REG if the register does not exist or is read-only.
 */
int vpmu_brbe_write(struct vpmu_brbe *b, unsigned reg, uint64_t val);

/* The size of a saved buffer in bytes. The layout is described in src/branch/brbe_state.c. */
#define VPMU_BRBE_STATE_SIZE 1628

/**
 * vpmu_brbe_save() - save registers and records
 * @b: the buffer.
 * @buf: memory for the state.
 * @len: the size of @buf in bytes, at least VPMU_BRBE_STATE_SIZE.
 *
 * Return: 0, or -VPMU_ERR_SPACE with @buf unchanged.
 */
int vpmu_brbe_save(const struct vpmu_brbe *b, void *buf, size_t len);

/**
 * vpmu_brbe_load() - load a saved buffer
 * @b: a buffer with the configuration of the saved one. What it knows of the PE stays; the caller
 *     has reported the PE's state, or the cycles until the next record may be lost.
 * @buf: the saved state. It is not trusted.
 * @len: the size of @buf in bytes.
 * @why: is set to the reason if the state is refused; may be NULL.
 *
 * Return: 0, or -VPMU_ERR_STATE with @b unchanged.
 */
int vpmu_brbe_load(struct vpmu_brbe *b, const void *buf, size_t len, const char **why);

VPMU_DECLS_END

#endif
