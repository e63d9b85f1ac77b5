/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#ifndef VPMU_ARM_INSN_H
#define VPMU_ARM_INSN_H

#include <stdbool.h>
#include <stdint.h>

#include "vpmu/arm/events.h"
#include "vpmu/decls.h"

VPMU_DECLS_BEGIN

/*
 * What an instruction counts as, decided from its encoding alone, so that a translator can add up a
 * block of instructions at translation time. The functions depend only on their arguments, and any
 * number of threads may call them at the same time.
 *
 * An encoding that is not allocated gives an unspecified result; the machine takes an exception
 * instead of executing it.
 *
 * Conditions. For A32, for T32 in an IT block and for T32 B<cond>, the result assumes that the
 * condition passes. If it fails, only what vpmu_insn_cond_failed() returns counts. For A64 B.cond,
 * BC.cond, CB<cond>, CBZ, CBNZ, TBZ and TBNZ and for T32 CBZ and CBNZ, the result does not include
 * VPMU_SRC_PC_WRITE; the machine adds it if the branch is taken. A64 B.AL and B.NV are always
 * taken, and their result includes it.
 */

/**
 * vpmu_insn_cond_failed() - the sources that an instruction counts as if its condition fails
 * @sources: what vpmu_insn_a32() or vpmu_insn_t32() returned.
 *
 * A branch that is not taken is still a branch. Returns are then VPMU_SRC_BR_INDIRECT, because
 * some events of returns count only those that are executed. What vpmu_insn_a32_detail() returns
 * counts as well, except VPMU_SRC_LDREX.
 *
 * Return: a mask of VPMU_SRC_BIT(), within VPMU_SRC_INSNS and VPMU_SRCS_SKIPPED.
 * Source: Arm ARM D14.1.1 and D14.3, BR_RETIRED, PC_WRITE_SPEC and LDREX_SPEC.
 */
vpmu_sources vpmu_insn_cond_failed(vpmu_sources sources);

/**
 * vpmu_insn_a64() - the sources that an A64 instruction counts as
 * @insn: the instruction, any value.
 *
 * The result for a system instruction or an exception return applies when the instruction is
 * executed. If it is trapped, it is not executed and counts as nothing.
 *
 * Return: a mask of VPMU_SRC_BIT(), within VPMU_SRC_INSNS. VPMU_SRC_INST_RETIRED is always set.
 * Source: Arm ARM C4.1 for encodings, D14.12 for what the events count.
 */
vpmu_sources vpmu_insn_a64(uint32_t insn);

/**
 * vpmu_insn_a32() - the sources that an A32 instruction counts as
 * @insn: the instruction, any value. Its condition is assumed to pass.
 *
 * Return: as for vpmu_insn_a64().
 * Source: Arm ARM F4.1 for encodings, D14.12 for what the events count.
 */
vpmu_sources vpmu_insn_a32(uint32_t insn);

/**
 * vpmu_insn_t32() - the sources that a T32 instruction counts as
 * @insn: a 16-bit instruction, below 0xe800; or a 32-bit instruction with its first halfword in
 *     bits [31:16]. Any other value is treated as an encoding that is not allocated. The condition,
 *     from an IT block or the instruction itself, is assumed to pass.
 *
 * Return: as for vpmu_insn_a64().
 * Source: Arm ARM F3.1 for encodings, D14.12 for what the events count.
 */
vpmu_sources vpmu_insn_t32(uint32_t insn);

/* The most operations of a source of VPMU_SRCS_OPS that an instruction counts as. */
#define VPMU_MAX_OPS 32u

/**
 * struct vpmu_insn_detail - what an instruction counts as in detail
 * @sources: a mask of VPMU_SRC_BIT(), within VPMU_SRCS_DETAIL; at most one of VPMU_SRCS_OPS. Each
 *     counts once, except that of VPMU_SRCS_OPS.
 * @ops: by how much that one counts, 1 to VPMU_MAX_OPS; 0 if there is none.
 * @predicated: an SVE instruction has a governing predicate. It counts in addition as one of
 *     VPMU_SRC_SVE_PRED_EMPTY, _FULL and _PARTIAL, which depends on the predicate's value before
 * the instruction.
 * @predicate: if so, the number of that predicate register, 0 to 15.
 * @element: if so, the size of the elements that it governs, as log2 of bytes, 0 to 4.
 */
struct vpmu_insn_detail {
    vpmu_sources sources;
    uint8_t ops;
    bool predicated;
    uint8_t predicate;
    uint8_t element;
};

/**
 * vpmu_insn_a64_detail() - what an A64 instruction counts as in detail
 * @insn: the instruction, any value.
 *
 * These are the sources that few events need; vpmu_insn_a64() returns the others.
 *
 * Return: see struct vpmu_insn_detail. VPMU_SRC_EFFECTIVE is set for all but MOVPRFX.
 * Source: Arm ARM C4.1 for encodings; D14.12, and the A64FX PMU Events document, for what the
 * events count.
 */
struct vpmu_insn_detail vpmu_insn_a64_detail(uint32_t insn);

/**
 * vpmu_insn_a32_detail() - what an A32 instruction counts as in detail
 * @insn: as for vpmu_insn_a32(). If its condition fails, only VPMU_SRC_EFFECTIVE counts.
 *
 * Only EFFECTIVE, LDREX, RC_LD, RC_ST, PRF_BASE and CRYPTO are known for A32.
 *
 * Return: see struct vpmu_insn_detail.
 * Source: Arm ARM F4.1.
 */
struct vpmu_insn_detail vpmu_insn_a32_detail(uint32_t insn);

/**
 * vpmu_insn_t32_detail() - what a T32 instruction counts as in detail
 * @insn: as for vpmu_insn_t32(). If its condition fails, only VPMU_SRC_EFFECTIVE counts.
 *
 * Return: as for vpmu_insn_a32_detail().
 * Source: Arm ARM F3.1.
 */
struct vpmu_insn_detail vpmu_insn_t32_detail(uint32_t insn);

/**
 * vpmu_insn_a64_stall() - cycles for which an A64 instruction delays the instructions after it
 * @insn: as for vpmu_insn_a64().
 *
 * This is the definition of this library's cycle model; the numbers are not those of a particular
 * CPU. Memory accesses and branches give 0, because their cost depends on caches and prediction.
 *
 * Return: cycles in addition to the instruction's own issue slot, 0 to 20.
 */
unsigned vpmu_insn_a64_stall(uint32_t insn);

/**
 * vpmu_insn_a32_stall() - cycles for which an A32 instruction delays the instructions after it
 * @insn: as for vpmu_insn_a32().
 *
 * Return: as for vpmu_insn_a64_stall().
 */
unsigned vpmu_insn_a32_stall(uint32_t insn);

/**
 * vpmu_insn_t32_stall() - cycles for which a T32 instruction delays the instructions after it
 * @insn: as for vpmu_insn_t32().
 *
 * Return: as for vpmu_insn_a64_stall().
 */
unsigned vpmu_insn_t32_stall(uint32_t insn);

VPMU_DECLS_END

#endif
