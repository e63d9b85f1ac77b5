/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#ifndef VPMU_ARM_SPE_H
#define VPMU_ARM_SPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vpmu/arm/regs.h"
#include "vpmu/decls.h"
#include "vpmu/latency.h"

VPMU_DECLS_BEGIN

/*
 * The Statistical Profiling Extension, FEAT_SPE to FEAT_SPEv1p4: its registers, the counter that
 * selects the instructions to sample, filters, and records. It needs no struct vpmu_arm.
 *
 * An operation is an instruction that is executed. One that faults or traps is not counted. A
 * machine that executes instructions
 *
 * 1. asks vpmu_spe_enabled() and vpmu_spe_left() after vpmu_spe_write(), vpmu_spe_move() and
 *    vpmu_spe_advance(), and reports instructions to vpmu_spe_advance() before any other call,
 * 2. calls vpmu_spe_start() before it executes the instruction that is to be sampled, and fills the
 *    sample with what that instruction does,
 * 3. calls vpmu_spe_collect() after it, writes the record at vpmu_spe_pointer() with the
 * translation of vpmu_spe_owner(), and tells vpmu_spe_written() the result,
 * 4. sets the level of PMBIRQ to vpmu_spe_stopped().
 *
 * If the PE has a PMU with events of SPE (samples of struct vpmu_arm_config), the machine reports
 * what vpmu_spe_collect() returns to vpmu_arm_sample_taken(), and the contexts where instructions
 * are counted in spe_contexts of struct vpmu_arm_controls.
 *
 * Not modelled: FEAT_SPE_ERnd, FEAT_SPE_PBT, FEAT_SPE_FDS, FEAT_SPE_EFT, FEAT_SPE_EXC, and traps by
 * FEAT_FGT, which the machine checks. A sample never collides with another.
 *
 * Choices: registers reset to 0. A record has 64 bytes at most, and the buffer has the alignment of
 * 64 bytes, so a record never crosses a page. An INTERVAL of 0 takes no samples. Filters that are
 * enabled without a condition reject nothing. A copy (CPY*) is recorded by its load if only loads
 * pass PMSFCR_EL1, otherwise by its store. Conditional instructions are branches only. FEAT_SPE_CRR
 * is implemented from FEAT_SPEv1p4 on.
 *
 * Source: Arm ARM D17, D24.7 for the registers, and its pseudocode: SPEToCollectSample() and
 * others.
 */

/* Versions, encoded as ID_AA64DFR0_EL1.PMSVer. */
enum vpmu_spe_version {
    VPMU_SPE_V1P0 = 1,
    VPMU_SPE_V1P1,
    VPMU_SPE_V1P2,
    VPMU_SPE_V1P3,
    VPMU_SPE_V1P4,
};

/* PMSCR_EL1 and PMSCR_EL2 have the same fields. */
#define VPMU_PMSCR_E0SPE (1ull << 0)
#define VPMU_PMSCR_EXSPE (1ull << 1)
#define VPMU_PMSCR_CX (1ull << 3)
#define VPMU_PMSCR_PA (1ull << 4)
#define VPMU_PMSCR_TS (1ull << 5)
#define VPMU_PMSCR_PCT_SHIFT 6
#define VPMU_PMSCR_PCT (3ull << VPMU_PMSCR_PCT_SHIFT)

#define VPMU_PMSIRR_RND (1ull << 0)
#define VPMU_PMSIRR_INTERVAL 0xffffff00ull

#define VPMU_PMSFCR_FE (1ull << 0)
#define VPMU_PMSFCR_FT (1ull << 1)
#define VPMU_PMSFCR_FL (1ull << 2)
#define VPMU_PMSFCR_FNE (1ull << 3)
#define VPMU_PMSFCR_B (1ull << 16)
#define VPMU_PMSFCR_LD (1ull << 17)
#define VPMU_PMSFCR_ST (1ull << 18)

#define VPMU_PMSLATFR_MINLAT 0xfffull

#define VPMU_PMSIDR_FE (1ull << 0)
#define VPMU_PMSIDR_FT (1ull << 1)
#define VPMU_PMSIDR_FL (1ull << 2)
#define VPMU_PMSIDR_ARCH_INST (1ull << 3)
#define VPMU_PMSIDR_LDS (1ull << 4)
#define VPMU_PMSIDR_FNE (1ull << 6)
#define VPMU_PMSIDR_MAX_SIZE_SHIFT 12
#define VPMU_PMSIDR_COUNT_SIZE_12 (2ull << 16)
#define VPMU_PMSIDR_CRR (1ull << 25)

#define VPMU_PMBLIMITR_E (1ull << 0)
#define VPMU_PMBLIMITR_FM_SHIFT 1
#define VPMU_PMBLIMITR_FM (3ull << VPMU_PMBLIMITR_FM_SHIFT)
#define VPMU_PMBLIMITR_FM_DISCARD (2ull << VPMU_PMBLIMITR_FM_SHIFT)
#define VPMU_PMBLIMITR_PMFZ (1ull << 5)
#define VPMU_PMBLIMITR_LIMIT (~0xfffull)

#define VPMU_PMBSR_MSS 0xffffull
#define VPMU_PMBSR_FULL 1ull
#define VPMU_PMBSR_COLL (1ull << 16)
#define VPMU_PMBSR_S (1ull << 17)
#define VPMU_PMBSR_EA (1ull << 18)
#define VPMU_PMBSR_DL (1ull << 19)
#define VPMU_PMBSR_EC_SHIFT 26
#define VPMU_PMBSR_EC (0x3full << VPMU_PMBSR_EC_SHIFT)

/* Values of PMBSR_EL1.EC. */
enum vpmu_spe_cause {
    VPMU_SPE_OTHER_EVENT = 0,
    VPMU_SPE_GRANULE_FAULT = 0x1e,
    VPMU_SPE_STAGE1_FAULT = 0x24,
    VPMU_SPE_STAGE2_FAULT = 0x25,
};

#define VPMU_PMBIDR_P (1ull << 4)
#define VPMU_PMBIDR_F (1ull << 5)

/* MDCR_EL2 and MDCR_EL3. */
#define VPMU_MDCR_EL2_E2PB_SHIFT 12
#define VPMU_MDCR_EL2_E2PB (3ull << VPMU_MDCR_EL2_E2PB_SHIFT)
#define VPMU_MDCR_EL2_E2PB_OPEN (1ull << VPMU_MDCR_EL2_E2PB_SHIFT)
#define VPMU_MDCR_EL2_TPMS (1ull << 14)
#define VPMU_MDCR_EL3_NSPBE (1ull << 11)
#define VPMU_MDCR_EL3_NSPB_OPEN (1ull << 12)
#define VPMU_MDCR_EL3_NSPB_NS (1ull << 13)
#define VPMU_MDCR_EL3_ENPMSN (1ull << 36)

/* Bits of the Events packet, PMSEVFR_EL1 and PMSNEVFR_EL1. */
#define VPMU_SPE_EV_RETIRED (1ull << 1)
#define VPMU_SPE_EV_L1D_ACCESS (1ull << 2)
#define VPMU_SPE_EV_L1D_REFILL (1ull << 3)
#define VPMU_SPE_EV_TLB_ACCESS (1ull << 4)
#define VPMU_SPE_EV_TLB_WALK (1ull << 5)
#define VPMU_SPE_EV_NOT_TAKEN (1ull << 6)
#define VPMU_SPE_EV_MISPREDICTED (1ull << 7)
#define VPMU_SPE_EV_LLC_ACCESS (1ull << 8)
#define VPMU_SPE_EV_LLC_MISS (1ull << 9)
#define VPMU_SPE_EV_MISALIGNED (1ull << 11)
#define VPMU_SPE_EV_PREDICATE_NOT_FULL (1ull << 17)
#define VPMU_SPE_EV_PREDICATE_EMPTY (1ull << 18)
#define VPMU_SPE_EV_L2D_ACCESS (1ull << 19)
#define VPMU_SPE_EV_L2D_MISS (1ull << 20)

/* The largest record, and the alignment of the buffer, in bytes. */
#define VPMU_SPE_RECORD_SHIFT 6
#define VPMU_SPE_RECORD_SIZE (1u << VPMU_SPE_RECORD_SHIFT)

/* Registers. */
enum vpmu_spe_reg {
    VPMU_PMSCR_EL1,
    VPMU_PMSCR_EL2,
    VPMU_PMSCR_EL12,
    VPMU_PMSNEVFR,
    VPMU_PMSICR,
    VPMU_PMSIRR,
    VPMU_PMSFCR,
    VPMU_PMSEVFR,
    VPMU_PMSLATFR,
    VPMU_PMSIDR,
    VPMU_PMBLIMITR,
    VPMU_PMBPTR,
    VPMU_PMBSR,
    VPMU_PMBIDR,
    VPMU_SPE_REG_COUNT,
};

/* Security states. */
enum vpmu_spe_state {
    VPMU_SPE_SECURE,
    VPMU_SPE_NON_SECURE,
    VPMU_SPE_REALM,
};

/**
 * struct vpmu_spe_config - what an SPE is built as; constant for its lifetime
 * @version: enum vpmu_spe_version.
 * @has_el2: EL2 is implemented.
 * @has_el3: EL3 is implemented.
 * @has_realm: FEAT_RME is implemented; needs @has_el2 and @has_el3.
 * @has_ecv: FEAT_ECV is implemented, so PMSCR_EL1.PCT has two bits.
 * @has_sve: FEAT_SVE is implemented.
 * @freezes: the PMU implements PMCR_EL0.FZS; needs VPMU_SPE_V1P2.
 * @updates: translation updates the access flag and the dirty state (FEAT_HAFDBS).
 */
struct vpmu_spe_config {
    uint8_t version;
    bool has_el2;
    bool has_el3;
    bool has_realm;
    bool has_ecv;
    bool has_sve;
    bool freezes;
    bool updates;
};

/**
 * struct vpmu_spe_pe - the state of the PE on which sampling depends
 * @mdcr_el2: MDCR_EL2; ignored without EL2.
 * @mdcr_el3: MDCR_EL3; ignored without EL3.
 * @el: the exception level, 0 to 3.
 * @aarch32: bit n: exception level n uses AArch32.
 * @state: enum vpmu_spe_state of the exception levels below EL3.
 * @el2_enabled: EL2 is implemented and enabled in the current security state.
 * @secure_el2: EL2 is enabled in Secure state.
 * @tge: HCR_EL2.TGE.
 * @e2h: HCR_EL2.E2H.
 */
struct vpmu_spe_pe {
    uint64_t mdcr_el2;
    uint64_t mdcr_el3;
    uint8_t el;
    uint8_t aarch32;
    uint8_t state;
    bool el2_enabled;
    bool secure_el2;
    bool tge;
    bool e2h;
};

/**
 * struct vpmu_spe - an SPE; the caller owns it and does not access its members
 * @config: what it is built as.
 * @pe: the PE's state as last reported.
 * @cr: PMSCR_EL1 and PMSCR_EL2.
 * @reg: the other registers, by enum vpmu_spe_reg.
 * @random: the state of the generator of jitter; never 0.
 */
struct vpmu_spe {
    struct vpmu_spe_config config;
    struct vpmu_spe_pe pe;
    uint64_t cr[2];
    uint64_t reg[VPMU_SPE_REG_COUNT];
    uint32_t random;
};

/* Flags of a sample: what the instruction did. */
#define VPMU_SPE_TAKEN 0x01         /* it is a branch, and was taken to @target */
#define VPMU_SPE_MISPREDICTED 0x02  /* it is a branch, and was mispredicted */
#define VPMU_SPE_MISALIGNED 0x04    /* an access was not aligned to its size */
#define VPMU_SPE_ACCESSED 0x08      /* @address is valid */
#define VPMU_SPE_TRANSLATED 0x10    /* @physical is valid */
#define VPMU_SPE_LAST_LEVEL_L2 0x20 /* there is no LLC: the second level is the last */
#define VPMU_SPE_PARTIAL 0x40       /* some elements of its governing predicate are inactive */
#define VPMU_SPE_EMPTY 0x80         /* all of them are; without VPMU_SPE_PARTIAL */

/* Clocks of timestamps. */
enum vpmu_spe_clock {
    VPMU_SPE_NO_TIME,
    VPMU_SPE_VIRTUAL,         /* CNTVCT_EL0 */
    VPMU_SPE_PHYSICAL,        /* CNTPCT_EL0 without an offset */
    VPMU_SPE_OFFSET_PHYSICAL, /* CNTPCT_EL0 less CNTPOFF_EL2 */
};

/**
 * struct vpmu_spe_sample - an instruction that is sampled
 * @pc: its address.
 * @target: the target of a branch that was taken.
 * @address: the virtual address of its first access, with the tag.
 * @physical: the physical address of that access.
 * @time: the time of @clock.
 * @insn: the A64 instruction.
 * @context: CONTEXTIDR_EL1 and CONTEXTIDR_EL2.
 * @vector: the length of an SVE vector in bits; used for SVE instructions only.
 * @memory: enum vpmu_data_level.
 * @translation: enum vpmu_translated.
 * @stall: cycles that the instruction takes besides 1 and its access.
 * @flags: VPMU_SPE_TAKEN and others.
 * @physical_state: enum vpmu_spe_state of @physical.
 * @el: the exception level; set by vpmu_spe_start().
 * @state: enum vpmu_spe_state; set by vpmu_spe_start().
 * @collects: which of @context and @physical go to the record; set by vpmu_spe_start().
 * @clock: enum vpmu_spe_clock; set by vpmu_spe_start().
 */
struct vpmu_spe_sample {
    uint64_t pc;
    uint64_t target;
    uint64_t address;
    uint64_t physical;
    uint64_t time;
    uint32_t insn;
    uint32_t context[2];
    uint16_t vector;
    uint8_t memory;
    uint8_t translation;
    uint8_t stall;
    uint8_t flags;
    uint8_t physical_state;
    uint8_t el;
    uint8_t state;
    uint8_t collects;
    uint8_t clock;
};

/* What a record contains besides what it always does. */
#define VPMU_SPE_COLLECTS_CONTEXT1 0x01
#define VPMU_SPE_COLLECTS_CONTEXT2 0x02
#define VPMU_SPE_COLLECTS_PHYSICAL 0x04

/**
 * struct vpmu_spe_latency - latencies of an instruction, in cycles
 * @total: from its start to its end.
 * @issue: from its start to its execution.
 * @translation: of its address.
 */
struct vpmu_spe_latency {
    uint16_t total;
    uint16_t issue;
    uint16_t translation;
};

/* Who owns the buffer: its addresses are translated as those of this exception level. */
struct vpmu_spe_owner {
    uint8_t el;
    uint8_t state;
};

/* What is to be written, which vpmu_spe_collect() returns. */
struct vpmu_spe_record {
    uint8_t size; /* bytes; 0: nothing is written */
    uint8_t bytes[VPMU_SPE_RECORD_SIZE];
};

/**
 * struct vpmu_spe_reg_info - one row of the table of registers
 * @name: the architecture's name.
 * @enc: VPMU_ENC64().
 * @dir: enum vpmu_reg_dir.
 */
struct vpmu_spe_reg_info {
    const char *name;
    uint16_t enc;
    uint8_t dir;
};

/**
 * vpmu_spe_init() - make an SPE in its reset state
 * @s: memory for it.
 * @config: what it is built as.
 * @why: is set to the reason if @config cannot exist; may be NULL.
 *
 * The PE is in Non-secure EL1 in AArch64, and everything else of its state is 0.
 *
 * Return: 0, or -VPMU_ERR_CONFIG with @s unchanged.
 */
int vpmu_spe_init(struct vpmu_spe *s, const struct vpmu_spe_config *config, const char **why);

/**
 * vpmu_spe_reset() - reset the registers
 * @s: the SPE. What it knows of the PE, and the generator of jitter, stay.
 */
void vpmu_spe_reset(struct vpmu_spe *s);

/**
 * vpmu_spe_move() - report the state of the PE
 * @s: the SPE.
 * @pe: the state.
 */
void vpmu_spe_move(struct vpmu_spe *s, const struct vpmu_spe_pe *pe);

/**
 * vpmu_spe_enabled() - where instructions are counted and sampled
 * @s: the SPE.
 *
 * Return: a mask of exception levels, 1 << n for level n. They are those of the present security
 *     state; a level that uses AArch32 is not included.
 * Source: Arm ARM, StatisticalProfilingEnabled().
 */
unsigned vpmu_spe_enabled(const struct vpmu_spe *s);

/**
 * vpmu_spe_configured() - tell whether the registers let anything be sampled
 * @s: the SPE.
 *
 * Return: false if nothing is sampled in any state of the PE, until the next vpmu_spe_write().
 */
bool vpmu_spe_configured(const struct vpmu_spe *s);

/**
 * vpmu_spe_left() - the distance of the next sample
 * @s: the SPE.
 *
 * Return: the number of instructions up to the one that is sampled, which is the last of them; at
 *     least 1. UINT64_MAX if none is sampled.
 * Source: Arm ARM, SPEToCollectSample().
 */
uint64_t vpmu_spe_left(const struct vpmu_spe *s);

/**
 * vpmu_spe_advance() - count instructions
 * @s: the SPE.
 * @count: instructions that were executed where vpmu_spe_enabled() has the exception level; not
 *     more than vpmu_spe_left().
 *
 * Return: true if the last of them is the one to be sampled.
 */
bool vpmu_spe_advance(struct vpmu_spe *s, uint64_t count);

/**
 * vpmu_spe_start() - prepare a sample, before its instruction is executed
 * @s: the SPE.
 * @sample: all members that the machine fills are cleared.
 */
void vpmu_spe_start(const struct vpmu_spe *s, struct vpmu_spe_sample *sample);

/**
 * vpmu_spe_copy_loads() - tell which access of a copy (CPY*) is recorded
 * @s: the SPE.
 *
 * Return: true for the load, false for the store.
 */
bool vpmu_spe_copy_loads(const struct vpmu_spe *s);

/**
 * vpmu_spe_events() - the events of a sample
 * @s: the SPE.
 * @sample: the sample.
 *
 * Return: the payload of the Events packet.
 */
uint64_t vpmu_spe_events(const struct vpmu_spe *s, const struct vpmu_spe_sample *sample);

/**
 * vpmu_spe_latency_of() - the latencies of a sample
 * @sample: the sample.
 *
 * Return: the latencies; each is at most 4095.
 */
struct vpmu_spe_latency vpmu_spe_latency_of(const struct vpmu_spe_sample *sample);

/**
 * vpmu_spe_collect() - complete a sample
 * @s: the SPE.
 * @sample: what the instruction did.
 * @record: is set to the record that the machine has to write. It is empty if a filter rejects the
 *     sample, if samples are discarded, or if the buffer is not enabled.
 *
 * Flags of @sample that do not fit the kind of its instruction are ignored, except those of a
 * predicate.
 *
 * Return: true if no filter rejects the sample.
 * Source: Arm ARM, SPECompleteSample(), SPEConstructRecord().
 */
bool vpmu_spe_collect(const struct vpmu_spe *s, const struct vpmu_spe_sample *sample,
                      struct vpmu_spe_record *record);

/**
 * vpmu_spe_pointer() - where the next record is written
 * @s: the SPE.
 *
 * Return: PMBPTR_EL1, a virtual address, a multiple of VPMU_SPE_RECORD_SIZE.
 */
uint64_t vpmu_spe_pointer(const struct vpmu_spe *s);

/**
 * vpmu_spe_owner() - how vpmu_spe_pointer() is translated
 * @s: the SPE.
 *
 * Return: EL1 or EL2, and its security state.
 * Source: Arm ARM, ProfilingBufferOwner().
 */
struct vpmu_spe_owner vpmu_spe_owner(const struct vpmu_spe *s);

/**
 * vpmu_spe_written() - a record was written
 * @s: the SPE.
 * @size: the size of the record.
 *
 * Stops if the buffer has no room for another record.
 */
void vpmu_spe_written(struct vpmu_spe *s, unsigned size);

/**
 * vpmu_spe_fault() - a record could not be written, and is lost
 * @s: the SPE.
 * @cause: enum vpmu_spe_cause.
 * @status: the fault status code, as in ESR_ELx.DFSC.
 * @external: it is an external abort.
 *
 * Stops, unless it had stopped already. No part of the record is in the buffer.
 */
void vpmu_spe_fault(struct vpmu_spe *s, enum vpmu_spe_cause cause, unsigned status, bool external);

/**
 * vpmu_spe_stopped() - the level of the interrupt PMBIRQ
 * @s: the SPE.
 *
 * Return: PMBSR_EL1.S.
 */
bool vpmu_spe_stopped(const struct vpmu_spe *s);

/**
 * vpmu_spe_freezes() - the value for vpmu_controls.spe_stopped
 * @s: the SPE.
 *
 * Return: true if PMBLIMITR_EL1.E, PMBLIMITR_EL1.PMFZ and PMBSR_EL1.S are set.
 */
bool vpmu_spe_freezes(const struct vpmu_spe *s);

/**
 * vpmu_spe_reg_info() - look up the row of a register
 * @reg: enum vpmu_spe_reg, any value.
 *
 * Return: the row; NULL if @reg is not below VPMU_SPE_REG_COUNT.
 */
const struct vpmu_spe_reg_info *vpmu_spe_reg_info(unsigned reg);

/**
 * vpmu_spe_has_reg() - tell whether a register exists
 * @s: the SPE.
 * @reg: enum vpmu_spe_reg, any value.
 *
 * Return: true if this version has it.
 */
bool vpmu_spe_has_reg(const struct vpmu_spe *s, unsigned reg);

/**
 * vpmu_spe_access() - tell whether an access is allowed, and which exception it causes otherwise
 * @s: the SPE. The access is made in the state that was last reported.
 * @reg: enum vpmu_spe_reg, any value.
 * @write: the access is a write; otherwise a read.
 *
 * Does not check fine-grained traps, which come before all other traps, nor FEAT_NV.
 *
 * Return: VPMU_ACCESS_OK if the access is allowed, otherwise the exception.
 * Source: Arm ARM D24.7, the accessibility pseudocode of each register.
 */
enum vpmu_access vpmu_spe_access(const struct vpmu_spe *s, unsigned reg, bool write);

/**
 * vpmu_spe_read() - read a register
 * @s: the SPE.
 * @reg: enum vpmu_spe_reg, any value. PMSCR_EL1 is PMSCR_EL2 at EL2 with E2H.
 * @val: is set to the value; to 0 on an error.
 *
 * Return: 0, or -VPMU_ERR_REG if the register does not exist.
 */
int vpmu_spe_read(const struct vpmu_spe *s, unsigned reg, uint64_t *val);

/**
 * vpmu_spe_write() - write a register
 * @s: the SPE.
 * @reg: enum vpmu_spe_reg, any value, as for vpmu_spe_read().
 * @val: the value.
 *
 * Return: 0, or -VPMU_ERR_REG if the register does not exist or is read-only.
 */
int vpmu_spe_write(struct vpmu_spe *s, unsigned reg, uint64_t val);

/* The size of a saved SPE in bytes. The layout is described in src/spe/spe_state.c. */
#define VPMU_SPE_STATE_SIZE 120

/**
 * vpmu_spe_save() - save the registers and the generator of jitter
 * @s: the SPE.
 * @buf: memory for the state.
 * @len: the size of @buf in bytes, at least VPMU_SPE_STATE_SIZE.
 *
 * Return: 0, or -VPMU_ERR_SPACE with @buf unchanged.
 */
int vpmu_spe_save(const struct vpmu_spe *s, void *buf, size_t len);

/**
 * vpmu_spe_load() - load a saved SPE
 * @s: an SPE with the configuration of the saved one. What it knows of the PE stays.
 * @buf: the saved state. It is not trusted.
 * @len: the size of @buf in bytes.
 * @why: is set to the reason if the state is refused; may be NULL.
 *
 * Return: 0, or -VPMU_ERR_STATE with @s unchanged.
 */
int vpmu_spe_load(struct vpmu_spe *s, const void *buf, size_t len, const char **why);

VPMU_DECLS_END

#endif
