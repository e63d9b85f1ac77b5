/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#ifndef VPMU_X86_IBS_H
#define VPMU_X86_IBS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vpmu/decls.h"
#include "vpmu/x86/access.h"
#include "vpmu/x86/config.h"
#include "vpmu/x86/msr.h"

VPMU_DECLS_BEGIN

/*
 * AMD's instruction-based sampling (IBS): the registers of IBS Fetch and IBS Op, which op and fetch
 * is sampled, and what the registers then hold. It needs no struct vpmu_x86.
 *
 * An op is an instruction. A machine that executes instructions
 *
 * 1. asks vpmu_ibs_counts() and vpmu_ibs_left() after each call that changes the registers, and
 *    reports what has been counted to vpmu_ibs_advance() before it,
 * 2. when vpmu_ibs_tags() is not 0, executes as many instructions, the last one alone, and reports
 *    what that has done to vpmu_ibs_op_sampled(), or to vpmu_ibs_op_aborted() that it faulted,
 * 3. reports the fetch with which the count of fetches ended to vpmu_ibs_fetch_sampled(),
 * 4. delivers the interrupt of the APIC's extended LVT entry VPMU_IBS_LVT if one of these says so.
 *
 * When the count is the maximum, the next op or fetch is sampled; after cycles, one of the next
 * four ops, in turn. After a sample, the count begins at a random number of 1 to 127, which
 * software can read and write back or not; the rest of the interval is exact. After an op that a
 * filter dropped or that faulted, it begins there, too. IbsRandEn makes the lowest four bits of the
 * count of fetches random at each write; after a fetch that a filter dropped, they are 1 to 15.
 *
 * Choices: with a maximum count of 0, nothing is sampled. A count above the maximum ends at once.
 * Ops are not fused. IbsCompToRetCtr and IbsOpDcMissOpenMemReqs are 0. There is no op cache, so
 * each fetch misses it. An instruction that loads and stores has both bits set, and the address of
 * its load. Instructions that prefetch are no loads.
 *
 * Sources: APM volume 2, 13.3 (revision 3.43); for what it leaves to families, Linux,
 * arch/x86/include/asm/amd/ibs.h and arch/x86/events/amd/ibs.c. docs/memory-samples.md lists the
 * source of each rule, and the rules that are assumed.
 */

enum vpmu_ibs_unit {
    VPMU_IBS_FETCH,
    VPMU_IBS_OP,
    VPMU_IBS_UNITS,
};

/* Intervals of a unit are counted in these. */
enum vpmu_ibs_counted {
    VPMU_IBS_NOTHING,
    VPMU_IBS_CYCLES,
    VPMU_IBS_OPS,
    VPMU_IBS_FETCHES,
};

/* Bits of CPUID Fn8000_001B_EAX. */
#define VPMU_IBS_CAP_VALID (1u << 0)
#define VPMU_IBS_CAP_FETCH (1u << 1)
#define VPMU_IBS_CAP_OP (1u << 2)
#define VPMU_IBS_CAP_READ_WRITE_COUNT (1u << 3)
#define VPMU_IBS_CAP_OP_COUNT (1u << 4)
#define VPMU_IBS_CAP_BRANCH_TARGET (1u << 5)
#define VPMU_IBS_CAP_OP_COUNT_EXT (1u << 6)
#define VPMU_IBS_CAP_RIP_INVALID (1u << 7)
#define VPMU_IBS_CAP_BRANCH_FUSE (1u << 8)
#define VPMU_IBS_CAP_FETCH_EXT (1u << 9)
#define VPMU_IBS_CAP_ZEN4 (1u << 11)
#define VPMU_IBS_CAP_LOAD_LATENCY (1u << 12)
#define VPMU_IBS_CAP_PAGE_SIZE (1u << 19)

/* The registers, from MSRC001_1030 on. */
#define VPMU_IBS_FIRST_MSR 0xc0011030u
enum vpmu_ibs_reg {
    VPMU_IBS_FETCH_CTL,
    VPMU_IBS_FETCH_LINEAR,
    VPMU_IBS_FETCH_PHYSICAL,
    VPMU_IBS_OP_CTL,
    VPMU_IBS_OP_RIP,
    VPMU_IBS_OP_DATA,
    VPMU_IBS_OP_DATA2,
    VPMU_IBS_OP_DATA3,
    VPMU_IBS_DC_LINEAR,
    VPMU_IBS_DC_PHYSICAL,
    VPMU_IBS_CTL,
    VPMU_IBS_BRANCH_TARGET,
    VPMU_IBS_FETCH_EXT,
    VPMU_IBS_REGS,
};

/* The entry of the APIC's extended LVT that firmware has chosen (IBS_CTL), as AMD's firmware does.
 */
#define VPMU_IBS_LVT 0u

/**
 * struct vpmu_ibs - IBS of a processor. All fields are private; the caller owns the memory.
 */
struct vpmu_ibs {
    uint32_t family; /* enum vpmu_x86_family */
    uint32_t random;
    uint32_t turn; /* which of the next four ops is sampled after cycles */
    uint32_t count[VPMU_IBS_UNITS];
    uint64_t reg[VPMU_IBS_REGS];
};

/**
 * vpmu_ibs_caps() - what a family has
 * @family: enum vpmu_x86_family, any value.
 *
 * Return: CPUID Fn8000_001B_EAX; 0 if the family has no IBS or is not known.
 */
uint32_t vpmu_ibs_caps(unsigned family);

/**
 * vpmu_ibs_init() - build IBS, in the state after reset
 * @s: memory for it.
 * @family: one that vpmu_ibs_caps() knows.
 */
void vpmu_ibs_init(struct vpmu_ibs *s, unsigned family);

/**
 * vpmu_ibs_reset() - RESET
 * @s: the IBS.
 */
void vpmu_ibs_reset(struct vpmu_ibs *s);

/**
 * vpmu_ibs_rdmsr() - execute RDMSR
 * @s: the IBS.
 * @msr: any value.
 * @val: is set to the value; to 0 on an error.
 *
 * Return: VPMU_X86_UNKNOWN if IBS has no such register.
 */
enum vpmu_x86_access vpmu_ibs_rdmsr(const struct vpmu_ibs *s, uint32_t msr, uint64_t *val);

/**
 * vpmu_ibs_wrmsr() - execute WRMSR
 * @s: the IBS.
 * @msr: any value.
 * @val: the value.
 *
 * A write of a control register that enables its unit and clears its valid bit starts the count at
 * the value that was written.
 *
 * Return: VPMU_X86_GP for a register that is read-only, or a bit that must be 0; VPMU_X86_UNKNOWN
 * if IBS has no such register.
 */
enum vpmu_x86_access vpmu_ibs_wrmsr(struct vpmu_ibs *s, uint32_t msr, uint64_t val);

/**
 * vpmu_ibs_enabled() - tell whether software has enabled a unit
 * @s: the IBS.
 * @unit: which unit.
 *
 * Return: true if it has, whether or not the unit counts at present.
 */
bool vpmu_ibs_enabled(const struct vpmu_ibs *s, enum vpmu_ibs_unit unit);

/**
 * vpmu_ibs_counts() - what a unit counts now
 * @s: the IBS.
 * @unit: which unit.
 *
 * Return: nothing while its sample is valid, or while it tags an op.
 */
enum vpmu_ibs_counted vpmu_ibs_counts(const struct vpmu_ibs *s, enum vpmu_ibs_unit unit);

/**
 * vpmu_ibs_left() - how far the unit has to count
 * @s: the IBS.
 * @unit: which unit.
 *
 * Return: the number of events until an op is tagged, or up to the fetch that is sampled; 0 if the
 * unit counts nothing.
 */
uint64_t vpmu_ibs_left(const struct vpmu_ibs *s, enum vpmu_ibs_unit unit);

/**
 * vpmu_ibs_advance() - events have been counted
 * @s: the IBS.
 * @unit: which unit.
 * @n: at most vpmu_ibs_left(); what is above that is dropped.
 */
void vpmu_ibs_advance(struct vpmu_ibs *s, enum vpmu_ibs_unit unit, uint64_t n);

/**
 * vpmu_ibs_tags() - which instruction is to be sampled
 * @s: the IBS.
 *
 * Return: 1 to 4, for the next instruction and so on; 0 if the interval has not ended.
 */
unsigned vpmu_ibs_tags(const struct vpmu_ibs *s);

/**
 * struct vpmu_ibs_view - how software has programmed a unit
 * @control: its control register.
 * @counted: what it counts, or would count if it were running.
 * @interval: the maximum count.
 * @count: the current count.
 * @enabled: it is enabled.
 * @counting: it counts now.
 * @valid: software has not yet taken the last sample.
 */
struct vpmu_ibs_view {
    uint64_t control;
    uint64_t interval;
    uint64_t count;
    enum vpmu_ibs_counted counted;
    bool enabled;
    bool counting;
    bool valid;
};

/**
 * vpmu_ibs_view() - look at a unit from outside
 * @s: the IBS.
 * @unit: which unit.
 * @view: is filled in.
 *
 * Return: false if its control register is 0, as after reset.
 */
bool vpmu_ibs_view(const struct vpmu_ibs *s, enum vpmu_ibs_unit unit, struct vpmu_ibs_view *view);

/* The kind of branch that the sampled instruction is, and its outcome. */
#define VPMU_IBS_IS_BRANCH (1u << 0)
#define VPMU_IBS_IS_RETURN (1u << 1)
#define VPMU_IBS_IS_TAKEN (1u << 2)
#define VPMU_IBS_IS_MISPREDICTED (1u << 3)

/**
 * struct vpmu_ibs_op - what the sampled instruction has done
 * @rip: its linear address.
 * @rip_invalid: the address is that of a later instruction.
 * @branch: a mask of VPMU_IBS_IS_BRANCH and so on; 0: it is no branch.
 * @target: the address of the instruction that follows a branch, taken or not.
 * @accesses: its accesses to memory.
 */
struct vpmu_ibs_op {
    uint64_t rip;
    bool rip_invalid;
    uint8_t branch;
    uint64_t target;
    struct vpmu_x86_data_accesses accesses;
};

/**
 * vpmu_ibs_op_sampled() - the tagged instruction has been executed
 * @s: the IBS.
 * @op: what it has done.
 *
 * Return: true if the sample is kept, and the interrupt is due; false if a filter drops it, and the
 * count starts again.
 */
bool vpmu_ibs_op_sampled(struct vpmu_ibs *s, const struct vpmu_ibs_op *op);

/**
 * vpmu_ibs_op_aborted() - the tagged instruction raised a fault
 * @s: the IBS.
 *
 * There is no sample. The count starts again, from a random number of 1 to 127.
 */
void vpmu_ibs_op_aborted(struct vpmu_ibs *s);

/**
 * vpmu_ibs_fetch_sampled() - the fetch with which the count ended
 * @s: the IBS.
 * @fetch: the fetch: where the instruction was found, and how its address was translated.
 *
 * Return: as for vpmu_ibs_op_sampled().
 */
bool vpmu_ibs_fetch_sampled(struct vpmu_ibs *s, const struct vpmu_x86_data_access *fetch);

/* The size of a saved state in bytes. The layout is described in src/ibs/ibs_state.c. */
#define VPMU_IBS_STATE_SIZE 136

/**
 * vpmu_ibs_save() - save the state
 * @s: the IBS.
 * @buf: memory for the state.
 * @len: the size of @buf in bytes.
 *
 * Return: 0, or -VPMU_ERR_SPACE.
 */
int vpmu_ibs_save(const struct vpmu_ibs *s, void *buf, size_t len);

/**
 * vpmu_ibs_load() - load a saved state
 * @s: IBS of the same family.
 * @buf: the saved state. It is not trusted.
 * @len: the size of @buf in bytes.
 * @why: is set to the reason if the state is refused; may be NULL.
 *
 * Return: 0, or -VPMU_ERR_STATE with @s unchanged.
 */
int vpmu_ibs_load(struct vpmu_ibs *s, const void *buf, size_t len, const char **why);

VPMU_DECLS_END

#endif
