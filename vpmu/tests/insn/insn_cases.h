/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#ifndef VPMU_TESTS_INSN_CASES_H
#define VPMU_TESTS_INSN_CASES_H

#include <stddef.h>
#include <stdint.h>

#include "vpmu/arm/events.h"

/*
 * An instruction, and what it counts as besides INST_RETIRED, written from the definitions of the
 * events. The encodings are the assembler's: insn_encodings compares them with the text, unless
 * that begins with "(", which is what no assembler of Debian 12 knows, the feature's name in it.
 */
struct insn_case {
    uint32_t insn;
    vpmu_sources sources;
    const char *text;
};

/*
 * An A64 instruction, and what it counts as in detail besides EFFECTIVE, which MOVPRFX lacks; then
 * its number of floating-point operations.
 */
struct detail_case {
    uint32_t insn;
    vpmu_sources sources;
    uint8_t ops;
    const char *text;
};

/* Not a detail: the instruction has a governing predicate. */
#define GOVERNED VPMU_SRC_BIT(VPMU_SRC_INST_RETIRED)

/*
 * An A64 instruction, the number of its governing predicate, and the size of the elements that it
 * governs, as log2 of bytes.
 */
struct predicate_case {
    uint32_t insn;
    uint8_t predicate;
    uint8_t element;
    const char *text;
};

#define INST 0
#define LD VPMU_SRC_BIT(VPMU_SRC_LD_RETIRED)
#define ST VPMU_SRC_BIT(VPMU_SRC_ST_RETIRED)
#define DP VPMU_SRC_BIT(VPMU_SRC_DP)
#define ASE VPMU_SRC_BIT(VPMU_SRC_ASE)
#define VFP VPMU_SRC_BIT(VPMU_SRC_VFP)
#define ISB VPMU_SRC_BIT(VPMU_SRC_ISB)
#define DSB VPMU_SRC_BIT(VPMU_SRC_DSB)
#define DMB VPMU_SRC_BIT(VPMU_SRC_DMB)
#define CID VPMU_SRC_BIT(VPMU_SRC_CID_WRITE)
#define TTBR VPMU_SRC_BIT(VPMU_SRC_TTBR_WRITE)
#define PC VPMU_SRC_BIT(VPMU_SRC_PC_WRITE)
#define BR VPMU_SRC_BIT(VPMU_SRC_BR_IMMED)
#define JUMP (BR | PC)
#define RETURN (VPMU_SRC_BIT(VPMU_SRC_BR_RETURN) | PC)
#define INDIRECT (VPMU_SRC_BIT(VPMU_SRC_BR_INDIRECT) | PC)
#define ERET (VPMU_SRC_BIT(VPMU_SRC_EXC_RETURN) | PC)

extern const struct insn_case insn_cases_a64[];
extern const size_t insn_cases_a64_count;
extern const struct insn_case insn_cases_a32[];
extern const size_t insn_cases_a32_count;
extern const struct insn_case insn_cases_t32[];
extern const size_t insn_cases_t32_count;
extern const struct detail_case insn_cases_detail[];
extern const size_t insn_cases_detail_count;
extern const struct predicate_case insn_cases_predicate[];
extern const size_t insn_cases_predicate_count;

#endif
