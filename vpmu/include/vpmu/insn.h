/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#ifndef VPMU_INSN_H
#define VPMU_INSN_H

#include <stdint.h>

#include "vpmu/events.h"

/*
 * What an instruction counts as, decided from its encoding alone, so that a translator can add up
 * a block of instructions when it translates it. The functions of this header depend on nothing
 * but their argument, and may be called at any time from any thread.
 *
 * Encodings that are not allocated give some answer; the machine takes an exception instead of
 * executing them.
 *
 * Conditions. A32, T32 in an IT block, and T32 B<cond>: the answer is what the instruction counts
 * as if its condition passes. If it fails, only the sources in VPMU_INSN_COND_FAILED count.
 * A64 B.cond, BC.cond, CB<cond>, CBZ, CBNZ, TBZ, TBNZ and T32 CBZ, CBNZ: the answer is without
 * VPMU_SRC_PC_WRITE, which the machine adds if the branch is taken. A64 B.AL and B.NV are always
 * taken, and have it.
 */

/* What an instruction whose condition fails still counts as: a branch not taken is a branch. */
#define VPMU_INSN_COND_FAILED                                                                      \
    (VPMU_SRC_BIT(VPMU_SRC_INST_RETIRED) | VPMU_SRC_BIT(VPMU_SRC_BR_IMMED))

/**
 * vpmu_insn_a64() - the sources that an A64 instruction counts as
 * @insn: the instruction, any value.
 *
 * A system instruction or an exception return counts as what it is where it is executed; if it is
 * trapped, it is not executed, and counts as nothing.
 *
 * Return: a mask of VPMU_SRC_BIT(), within VPMU_SRC_INSNS; VPMU_SRC_INST_RETIRED is always set.
 * Source: Arm ARM C4.1 for encodings, D14.12 for what the events count.
 */
uint64_t vpmu_insn_a64(uint32_t insn);

/**
 * vpmu_insn_a32() - the sources that an A32 instruction counts as
 * @insn: the instruction, any value. Its condition is taken to pass.
 *
 * Return: as of vpmu_insn_a64(). Source: Arm ARM F4.1 and D14.12.
 */
uint64_t vpmu_insn_a32(uint32_t insn);

/**
 * vpmu_insn_t32() - the sources that a T32 instruction counts as
 * @insn: a 16-bit instruction, below 0xe800; or a 32-bit one, its first halfword in bits [31:16].
 *        Any other value is as good as an encoding not allocated. The condition, from an IT block
 *        or the instruction itself, is taken to pass.
 *
 * Return: as of vpmu_insn_a64(). Source: Arm ARM F3.1 and D14.12.
 */
uint64_t vpmu_insn_t32(uint32_t insn);

/**
 * vpmu_insn_a64_stall() - cycles for which an A64 instruction holds up those after it
 * @insn: as for vpmu_insn_a64().
 *
 * For a model of cycles, and this model's own definition: no particular CPU has these numbers.
 * Memory accesses and branches are 0; what they cost depends on caches and prediction.
 *
 * Return: cycles in addition to the instruction's own issue slot, 0 to 20.
 */
unsigned vpmu_insn_a64_stall(uint32_t insn);

/**
 * vpmu_insn_a32_stall() - cycles for which an A32 instruction holds up those after it
 * @insn: as for vpmu_insn_a32().
 *
 * Return: as of vpmu_insn_a64_stall().
 */
unsigned vpmu_insn_a32_stall(uint32_t insn);

/**
 * vpmu_insn_t32_stall() - cycles for which a T32 instruction holds up those after it
 * @insn: as for vpmu_insn_t32().
 *
 * Return: as of vpmu_insn_a64_stall().
 */
unsigned vpmu_insn_t32_stall(uint32_t insn);

#endif
