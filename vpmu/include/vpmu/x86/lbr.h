/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#ifndef VPMU_X86_LBR_H
#define VPMU_X86_LBR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vpmu/branch.h"
#include "vpmu/decls.h"
#include "vpmu/x86/config.h"
#include "vpmu/x86/cpuid.h"
#include "vpmu/x86/msr.h"

VPMU_DECLS_BEGIN

/*
 * Last branch records (LBR) of x86: their MSRs, and what they record of the branches that the
 * machine reports. A struct vpmu_lbr is independent of a struct vpmu_x86: the machine connects the
 * two. It also owns IA32_DEBUGCTL.
 *
 * A machine that executes instructions
 *
 * 1. passes RDMSR and WRMSR to vpmu_lbr_rdmsr() and vpmu_lbr_wrmsr() if vpmu_x86_rdmsr() and
 *    vpmu_x86_wrmsr() do not know the MSR, and after a write to IA32_DEBUGCTL passes its value to
 *    vpmu_x86_set_controls(),
 * 2. asks vpmu_lbr_recorded() after each of these writes, after each PMI and after each change of
 *    CPL, and calls vpmu_lbr_branch() for each near branch of these groups that is taken,
 * 3. calls vpmu_lbr_far() for each far branch, interrupt and exception, while vpmu_lbr_enabled();
 *    otherwise vpmu_lbr_move() before the next other call is enough,
 * 4. calls vpmu_lbr_debug() when it generates a debug exception, which is not recorded,
 * 5. calls vpmu_lbr_pmi() for each PMI, before the next branch.
 *
 * Bit 58 of the global status (LBR_FRZ, LBRS_FROZEN) has the value of vpmu_lbr_frozen(). On Intel,
 * the machine copies it to the PMU with IA32_PERF_GLOBAL_STATUS_SET after a PMI, and calls
 * vpmu_lbr_thaw() when software has cleared it, vpmu_lbr_freeze() when software has set it. On AMD,
 * the machine adds the bit to PerfCntrGlobalStatus, and calls vpmu_lbr_thaw() when software writes
 * it to PerfCntrGlobalStatusClr.
 *
 * Types of branches: near branches have the types of enum vpmu_branch_type; LOOP and JCXZ are
 * conditional. Each type of the group VPMU_BRGROUP_EXCEPTION is a far branch: interrupts,
 * exceptions, SYSCALL and SYSRET, far jumps, calls and returns.
 *
 * Not modelled: IA32_DEBUGCTL's other functions, SMM, deep C-states, the last exception record, the
 * branch counters of architectural LBR, and XSAVES.
 *
 * Choices where manuals differ or are silent: the CPL at the target decides whether a branch is
 * recorded. In call-stack mode, returns remove the newest record, also if it is empty, and all that
 * is neither a near call nor a near return is not recorded. Reserved bits that are set raise #GP on
 * Intel, but the undefined bits of IA32_LBR_x_INFO are ignored. DEBUGCTL.LBR is 0 with
 * architectural LBR. Records beyond IA32_LBR_DEPTH raise #GP. AMD's records are valid and not
 * speculative. The cycles of a record are those since the record before; the first one after a
 * pause has none.
 *
 * Source: SDM volume 3B, "Last Branch, Interrupt, and Exception Recording" and "Last Branch
 * Records"; SDM volume 4, table 2-2; APM volume 2, 13.1; PPR of family 19h; Linux,
 * arch/x86/events/intel/lbr.c and arch/x86/events/amd/lbr.c, for what software relies on.
 */
enum vpmu_lbr_kind {
    VPMU_LBR_LEGACY, /* Intel: Nehalem to Icelake */
    VPMU_LBR_ARCH,   /* Intel: architectural LBR, CPUID.1CH */
    VPMU_LBR_AMD,    /* LbrExtV2, CPUID 8000_0022H */
};

/* Formats of Intel's legacy records, encoded as IA32_PERF_CAPABILITIES[5:0]. */
enum vpmu_lbr_format {
    VPMU_LBR_EIP_FLAGS = 3,  /* FROM[63] is MISPRED */
    VPMU_LBR_EIP_FLAGS2 = 4, /* FROM[62:61] are flags of transactions */
    VPMU_LBR_INFO = 5,       /* flags and cycles are in MSR_LBR_INFO_x */
    VPMU_LBR_NO_FORMAT = 0x3f,
};

enum vpmu_lbr_feature {
    /* Intel: call-stack mode. Legacy formats have it from Haswell on. */
    VPMU_LBR_CALL_STACK = 1 << 0,
    /*
     * A PMI sets bit 58 of the global status. Intel: performance monitoring version 4 and later;
     * earlier ones clear DEBUGCTL.LBR. AMD: CPUID 8000_0022H:EAX[2]; without it nothing freezes.
     */
    VPMU_LBR_STATUS = 1 << 1,
    /* VPMU_LBR_EIP_FLAGS2: transactions exist, and FROM[62:61] are no part of the address. */
    VPMU_LBR_TSX = 1 << 2,
    VPMU_LBR_ALL = (1 << 3) - 1,
};

/* IA32_DEBUGCTL. */
#define VPMU_LBR_DEBUGCTL_LBR (1ull << 0)
#define VPMU_LBR_DEBUGCTL_FREEZE (1ull << 11)
/* MSR_LBR_SELECT, and AMD's LBR_SELECT: a set bit suppresses. */
#define VPMU_LBR_SELECT_CPL_0 (1ull << 0)
#define VPMU_LBR_SELECT_CPL_ABOVE_0 (1ull << 1)
#define VPMU_LBR_SELECT_JCC (1ull << 2)
#define VPMU_LBR_SELECT_REL_CALL (1ull << 3)
#define VPMU_LBR_SELECT_IND_CALL (1ull << 4)
#define VPMU_LBR_SELECT_RET (1ull << 5)
#define VPMU_LBR_SELECT_IND_JMP (1ull << 6)
#define VPMU_LBR_SELECT_REL_JMP (1ull << 7)
#define VPMU_LBR_SELECT_FAR (1ull << 8)
#define VPMU_LBR_SELECT_CALL_STACK (1ull << 9) /* does not suppress */
/* IA32_LBR_CTL: a set bit selects. */
#define VPMU_LBR_CTL_ENABLE (1ull << 0)
#define VPMU_LBR_CTL_OS (1ull << 1)
#define VPMU_LBR_CTL_USR (1ull << 2)
#define VPMU_LBR_CTL_CALL_STACK (1ull << 3)
#define VPMU_LBR_CTL_JCC (1ull << 16)
#define VPMU_LBR_CTL_REL_JMP (1ull << 17)
#define VPMU_LBR_CTL_IND_JMP (1ull << 18)
#define VPMU_LBR_CTL_REL_CALL (1ull << 19)
#define VPMU_LBR_CTL_IND_CALL (1ull << 20)
#define VPMU_LBR_CTL_RET (1ull << 21)
#define VPMU_LBR_CTL_OTHER (1ull << 22)
/* AMD's DBG_EXTN_CFG. */
#define VPMU_LBR_EXTN_ENABLE (1ull << 6)
/* GLOBAL_STATUS: records are frozen. */
#define VPMU_LBR_STATUS_FROZEN (1ull << 58)

/**
 * struct vpmu_lbr_config - what records are built as; constant for their lifetime
 * @kind: enum vpmu_lbr_kind.
 * @format: VPMU_LBR_LEGACY: enum vpmu_lbr_format, 3 to 5; otherwise VPMU_LBR_NO_FORMAT.
 * @depth: the number of records, and the largest of @depths. Legacy: 8, 16 or 32; AMD: 1 to 63;
 *     architectural: a multiple of 8 up to 64.
 * @depths: architectural: CPUID.1CH:EAX[7:0]: bit n: IA32_LBR_DEPTH may be 8 * (n + 1); otherwise
 * 0.
 * @address_bits: 48 or 57: the width of linear addresses.
 * @features: a mask of enum vpmu_lbr_feature. Architectural LBR has VPMU_LBR_STATUS.
 * @zero: 0.
 * @debugctl: bits of IA32_DEBUGCTL that exist beside those of LBR, for example 12 and 14.
 */
struct vpmu_lbr_config {
    uint8_t kind;
    uint8_t format;
    uint8_t depth;
    uint8_t depths;
    uint8_t address_bits;
    uint8_t features;
    uint16_t zero;
    uint64_t debugctl;
};

/**
 * struct vpmu_lbr - last branch records; the caller owns it and does not access its members
 * @config: what they are built as.
 * @debugctl: IA32_DEBUGCTL.
 * @select: MSR_LBR_SELECT, AMD's LBR_SELECT, or IA32_LBR_CTL.
 * @extn: AMD's DBG_EXTN_CFG.
 * @cpl: the CPL as last reported.
 * @frozen: bit 58 of the global status.
 * @ring: the records. The tag of a record has the bits of its registers that the ring does not
 *     know. With a legacy format, record n of the MSRs is at (depth - n) modulo depth.
 */
struct vpmu_lbr {
    struct vpmu_lbr_config config;
    uint64_t debugctl;
    uint64_t select;
    uint64_t extn;
    uint8_t cpl;
    bool frozen;
    struct vpmu_branch_ring ring;
};

/**
 * vpmu_lbr_config_of() - the records that a family of CPU models has
 * @family: enum vpmu_x86_family.
 * @config: is set. @debugctl is 0. It has VPMU_LBR_TSX for no family.
 *
 * Return: 0, or -VPMU_ERR_CONFIG with @config unchanged if the family has no records that this
 *     library knows.
 */
int vpmu_lbr_config_of(enum vpmu_x86_family family, struct vpmu_lbr_config *config);

/**
 * vpmu_lbr_config_check() - tell whether records with this configuration can exist
 * @config: the configuration. Every field is checked.
 * @why: is set to the reason if the configuration is refused; may be NULL.
 *
 * Return: 0, or -VPMU_ERR_CONFIG.
 */
int vpmu_lbr_config_check(const struct vpmu_lbr_config *config, const char **why);

/**
 * vpmu_lbr_cpuid() - what a CPUID leaf says of records
 * @config: the configuration. vpmu_lbr_config_check() accepts it.
 * @leaf: 1CH (architectural LBR) or 8000_0022H (AMD).
 *
 * The machine combines AMD's leaf with that of vpmu_x86_cpuid() by OR. It sets CPUID.7.0:EDX[19]
 * itself.
 *
 * Return: the registers; all zero for any other leaf and for leaves of another kind.
 */
struct vpmu_x86_cpuid vpmu_lbr_cpuid(const struct vpmu_lbr_config *config, uint32_t leaf);

/**
 * vpmu_lbr_capabilities() - what IA32_PERF_CAPABILITIES says of records
 * @config: the configuration.
 *
 * Return: bits 5:0, which the machine combines with those of the PMU by OR; 0 for AMD.
 */
uint64_t vpmu_lbr_capabilities(const struct vpmu_lbr_config *config);

/**
 * vpmu_lbr_init() - make records in their state after power-up, at CPL 0
 * @l: memory for them.
 * @config: what they are built as.
 * @why: is set to the reason if @config cannot exist; may be NULL.
 *
 * Return: 0, or -VPMU_ERR_CONFIG with @l unchanged.
 */
int vpmu_lbr_init(struct vpmu_lbr *l, const struct vpmu_lbr_config *config, const char **why);

/**
 * vpmu_lbr_reset() - perform a RESET of the processor
 * @l: the records. All are cleared. IA32_LBR_DEPTH becomes the largest depth. What they know of the
 *     CPL stays.
 */
void vpmu_lbr_reset(struct vpmu_lbr *l);

/**
 * vpmu_lbr_move() - report the CPL
 * @l: the records.
 * @cpl: 0 to 3.
 *
 * Records nothing.
 */
void vpmu_lbr_move(struct vpmu_lbr *l, unsigned cpl);

/**
 * vpmu_lbr_recorded() - which branches are recorded at the present CPL
 * @l: the records.
 *
 * Return: a mask of enum vpmu_branch_group. VPMU_BRGROUP_EXCEPTION means that far branches that end
 *     at this CPL are recorded.
 */
unsigned vpmu_lbr_recorded(const struct vpmu_lbr *l);

/**
 * vpmu_lbr_enabled() - tell whether anything can be recorded at some CPL
 * @l: the records.
 *
 * Return: false if recording is switched off or frozen.
 */
bool vpmu_lbr_enabled(const struct vpmu_lbr *l);

/**
 * vpmu_lbr_counts_cycles() - tell whether records have cycles
 * @l: the records.
 *
 * While this is false, the @now of other functions is not used and may be VPMU_BRANCH_NO_TIME.
 *
 * Return: true if recording is enabled, and the kind and format have cycles.
 */
bool vpmu_lbr_counts_cycles(const struct vpmu_lbr *l);

/**
 * vpmu_lbr_branch() - a near branch was taken
 * @l: the records.
 * @type: enum vpmu_branch_type of a branch that is not far.
 * @mispredicted: the processor mispredicted it.
 * @from: the linear address of the instruction.
 * @to: the linear address of the next instruction.
 * @now: the cycles that the processor has executed, or VPMU_BRANCH_NO_TIME.
 *
 * Return: true if it was recorded, or removed a record in call-stack mode.
 */
bool vpmu_lbr_branch(struct vpmu_lbr *l, enum vpmu_branch_type type, bool mispredicted,
                     uint64_t from, uint64_t to, uint64_t now);

/**
 * vpmu_lbr_far() - a far branch, an interrupt or an exception was taken
 * @l: the records.
 * @cpl: the CPL after it, 0 to 3.
 * @type: enum vpmu_branch_type of the group VPMU_BRGROUP_EXCEPTION. It does not change what the
 *     registers show.
 * @from: the linear address of the instruction that was interrupted or that branches. If
 *     architectural LBR filters out the CPL before it, the record has all ones (SDM:
 *     Filtering Based on CPL).
 * @to: the linear address of the next instruction.
 * @now: as for vpmu_lbr_branch().
 *
 * Does vpmu_lbr_move() to @cpl as well.
 *
 * Return: true if it was recorded.
 */
bool vpmu_lbr_far(struct vpmu_lbr *l, unsigned cpl, enum vpmu_branch_type type, uint64_t from,
                  uint64_t to, uint64_t now);

/**
 * vpmu_lbr_debug() - the processor generates a debug exception
 * @l: the records.
 *
 * Clears DEBUGCTL.LBR with a legacy format; does nothing otherwise. Records nothing.
 *
 * Source: SDM volume 3B, "Monitoring Branches, Exceptions, and Interrupts".
 */
void vpmu_lbr_debug(struct vpmu_lbr *l);

/**
 * vpmu_lbr_pmi() - the PMU makes an interrupt
 * @l: the records.
 *
 * With DEBUGCTL.FREEZE_LBRS_ON_PMI recording stops: bit 58 of the global status becomes 1, or
 * DEBUGCTL.LBR becomes 0 without VPMU_LBR_STATUS.
 *
 * Return: true if recording stopped.
 * Source: SDM volume 3B, "Freezing LBR and Performance Counters on PMI" and "Streamlined
 *     Freeze_LBRs_On_PMI Operation".
 */
bool vpmu_lbr_pmi(struct vpmu_lbr *l);

/**
 * vpmu_lbr_frozen() - tell whether bit 58 of the global status is set
 * @l: the records.
 *
 * Return: always false without VPMU_LBR_STATUS.
 */
bool vpmu_lbr_frozen(const struct vpmu_lbr *l);

/**
 * vpmu_lbr_freeze() - bit 58 of the global status becomes 1
 * @l: the records. Without VPMU_LBR_STATUS nothing happens.
 */
void vpmu_lbr_freeze(struct vpmu_lbr *l);

/**
 * vpmu_lbr_thaw() - bit 58 of the global status becomes 0
 * @l: the records.
 */
void vpmu_lbr_thaw(struct vpmu_lbr *l);

/**
 * vpmu_lbr_rdmsr() - execute RDMSR
 * @l: the records.
 * @msr: the number of the MSR, any value.
 * @val: is set to the MSR's value; to 0 unless the result is VPMU_X86_OK.
 *
 * The caller has checked that CPL is 0.
 *
 * Return: VPMU_X86_OK; VPMU_X86_GP if the record lies beyond IA32_LBR_DEPTH; VPMU_X86_UNKNOWN if
 *     records of this kind and format have no such MSR.
 */
enum vpmu_x86_access vpmu_lbr_rdmsr(const struct vpmu_lbr *l, uint32_t msr, uint64_t *val);

/**
 * vpmu_lbr_wrmsr() - execute WRMSR
 * @l: the records.
 * @msr: the number of the MSR, any value.
 * @val: the value.
 *
 * The caller has checked that CPL is 0. A write of IA32_LBR_DEPTH clears all records.
 *
 * Return: as for vpmu_lbr_rdmsr(). VPMU_X86_GP with @l unchanged also if Intel's reserved bits are
 *     not 0, an address is not canonical, or IA32_LBR_DEPTH would get a depth that does not exist.
 *     AMD's reserved bits are ignored.
 */
enum vpmu_x86_access vpmu_lbr_wrmsr(struct vpmu_lbr *l, uint32_t msr, uint64_t val);

/* The registers of a record: FROM, TO, INFO. */
#define VPMU_LBR_RECORD_WORDS 3u

/**
 * vpmu_lbr_record() - a record as its MSRs have it
 * @l: the records.
 * @n: its age: 0 is the latest one. Any value.
 * @words: is set to FROM, TO and INFO; to 0 if there is no such record, INFO also if the format has
 *     none.
 *
 * PEBS records contain these words (SDM volume 3B, "Last Branch Record (LBR) Group").
 */
void vpmu_lbr_record(const struct vpmu_lbr *l, unsigned n, uint64_t words[VPMU_LBR_RECORD_WORDS]);

/* The size of saved records in bytes. The layout is described in src/branch/lbr_state.c. */
#define VPMU_LBR_STATE_SIZE 1604

/**
 * vpmu_lbr_save() - save MSRs and records
 * @l: the records.
 * @buf: memory for the state.
 * @len: the size of @buf in bytes, at least VPMU_LBR_STATE_SIZE.
 *
 * Return: 0, or -VPMU_ERR_SPACE.
 */
int vpmu_lbr_save(const struct vpmu_lbr *l, void *buf, size_t len);

/**
 * vpmu_lbr_load() - restore what vpmu_lbr_save() saved
 * @l: records with the same configuration. The CPL is not part of the state and stays.
 * @buf: the state; any content.
 * @len: its size in bytes.
 * @why: is set to the reason if the state is refused; may be NULL.
 *
 * Return: 0, or -VPMU_ERR_STATE with @l unchanged.
 */
int vpmu_lbr_load(struct vpmu_lbr *l, const void *buf, size_t len, const char **why);

VPMU_DECLS_END

#endif
