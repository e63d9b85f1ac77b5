/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#ifndef VPMU_X86_INSN_H
#define VPMU_X86_INSN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vpmu/decls.h"
#include "vpmu/x86/sources.h"

VPMU_DECLS_BEGIN

/**
 * vpmu_insn_x86() - the sources that an instruction counts as
 * @insn: the bytes of the instruction, with all prefixes.
 * @len: the number of bytes, 1 to 15.
 * @long_mode: the instruction is 64-bit code.
 *
 * Loads and stores depend on the operands and are not part of the result. A REP instruction that is
 * interrupted counts once, when it has finished; the machine must subtract the tally until then.
 * The function depends only on its arguments.
 *
 * Return: a mask of VPMU_SRC_BIT(): VPMU_X86_SRC_INST, at most one of VPMU_X86_BRANCHES, and
 * VPMU_X86_SRC_BR_CALL for a near CALL.
 * Source: SDM volume 2, appendix A.
 */
vpmu_sources vpmu_insn_x86(const uint8_t *insn, size_t len, bool long_mode);

/**
 * vpmu_insn_x86_stall() - the cycles for which an instruction stalls those behind it
 * @insn: the bytes of the instruction, with all prefixes.
 * @len: the number of bytes, 1 to 15.
 * @long_mode: true if it is 64-bit code.
 *
 * Return: 0 to 40: the cycles beyond its issue slot. Divisions, square roots, multiplications and
 * floating-point arithmetic have some; misses and mispredictions are the models' (vpmu/model.h).
 */
unsigned vpmu_insn_x86_stall(const uint8_t *insn, size_t len, bool long_mode);

/**
 * vpmu_insn_x86_locked() - tell whether an instruction locks its access to memory
 * @insn: the bytes of the instruction, with all prefixes.
 * @len: the number of bytes, 1 to 15.
 * @long_mode: true if it is 64-bit code.
 *
 * Return: true if it has a LOCK prefix, or is an XCHG with memory.
 */
bool vpmu_insn_x86_locked(const uint8_t *insn, size_t len, bool long_mode);

/**
 * vpmu_insn_x86_modifies() - tell whether an instruction writes the operand in memory that it reads
 * @insn: the bytes of the instruction, with all prefixes.
 * @len: the number of bytes, 1 to 15.
 * @long_mode: true if it is 64-bit code.
 *
 * Only for an instruction that reads and writes memory.
 *
 * Return: false if what it writes is another operand, such as the stack.
 */
bool vpmu_insn_x86_modifies(const uint8_t *insn, size_t len, bool long_mode);

/* Kinds of instructions of x87, MMX, SSE and AVX, and of prefetches, are below this. */
#define VPMU_X86_FP_KINDS 128u

/**
 * vpmu_insn_x86_fp() - the kind of an instruction of x87, MMX, SSE or AVX, or of a prefetch
 * @insn: the bytes of the instruction, with all prefixes.
 * @len: the number of bytes, 1 to 15.
 * @long_mode: true if it is 64-bit code.
 *
 * Return: a number below VPMU_X86_FP_KINDS for vpmu_insn_x86_fp_tally(); 0 for any other
 *     instruction.
 */
unsigned vpmu_insn_x86_fp(const uint8_t *insn, size_t len, bool long_mode);

/* How much an instruction adds to a source, up to 16. */
struct vpmu_x86_tally {
    uint8_t source;
    uint8_t n;
};

/* To how many sources an instruction adds. */
#define VPMU_X86_TALLIES 5u

/**
 * vpmu_insn_x86_fp_tally() - what an instruction of a kind counts as
 * @kind: what vpmu_insn_x86_fp() has returned; any value.
 * @tally: is set: a source of VPMU_X86_FP or VPMU_X86_PREFETCHES, and by how much the instruction
 *     increases it.
 *
 * Return: the number of elements of @tally that are set.
 */
unsigned vpmu_insn_x86_fp_tally(unsigned kind, struct vpmu_x86_tally tally[VPMU_X86_TALLIES]);

VPMU_DECLS_END

#endif
