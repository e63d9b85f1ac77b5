/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#ifndef VPMU_ARM_SOURCES_H
#define VPMU_ARM_SOURCES_H

#include "vpmu/decls.h"
#include "vpmu/sources.h"

VPMU_DECLS_BEGIN

/* The sources that only Arm has. The others are those of enum vpmu_source. */
enum vpmu_arm_source {
    /*
     * With VPMU_SRC_INST_RETIRED, _LD_RETIRED and _ST_RETIRED, what vpmu_insn_a64(),
     * vpmu_insn_a32() and vpmu_insn_t32() return. The machine can tally a block of instructions at
     * once.
     */
    VPMU_SRC_DP = VPMU_SRC_INSN_OWN, /* integer data processing */
    VPMU_SRC_ASE,                    /* Advanced SIMD data processing */
    VPMU_SRC_VFP,                    /* scalar floating point */
    VPMU_SRC_BR_IMMED,
    VPMU_SRC_BR_RETURN,
    VPMU_SRC_BR_INDIRECT, /* neither immediate nor a return */
    VPMU_SRC_ISB,
    VPMU_SRC_DSB,
    VPMU_SRC_DMB,
    VPMU_SRC_CID_WRITE,
    VPMU_SRC_TTBR_WRITE,
    VPMU_SRC_EXC_RETURN,
    VPMU_SRC_PC_WRITE, /* a taken branch; the machine adds it for conditional ones */
    VPMU_SRC_INSN_END,

    /* A load or store is unaligned. */
    VPMU_SRC_UNALIGNED = VPMU_SRC_INSN_END,

    /* Exceptions, in the context from which they are taken. */
    VPMU_SRC_EXC_UNDEF = VPMU_SRC_OWN,
    VPMU_SRC_EXC_SVC,
    VPMU_SRC_EXC_PABORT,
    VPMU_SRC_EXC_DABORT,
    VPMU_SRC_EXC_IRQ,
    VPMU_SRC_EXC_FIQ,
    VPMU_SRC_EXC_SMC,
    VPMU_SRC_EXC_HVC,
    VPMU_SRC_EXC_TRAP_PABORT,
    VPMU_SRC_EXC_TRAP_DABORT,
    VPMU_SRC_EXC_TRAP_OTHER,
    VPMU_SRC_EXC_TRAP_IRQ,
    VPMU_SRC_EXC_TRAP_FIQ,
    VPMU_SRC_COUNT,
};

VPMU_STATIC_ASSERT((int)VPMU_SRC_UNALIGNED < (int)VPMU_SRC_CPU_CYCLES, "numbers of instructions");
VPMU_STATIC_ASSERT((int)VPMU_SRC_COUNT <= (int)VPMU_SRC_LIMIT, "sources fit in a mask");

/* All sources of Arm. */
#define VPMU_SRC_ALL (VPMU_SRC_BIT(VPMU_SRC_COUNT) - 1)
/* The sources that an instruction's encoding shows. */
#define VPMU_SRC_INSNS (VPMU_SRC_BIT(VPMU_SRC_INSN_END) - 1)
#define VPMU_SRCS_EXCEPTIONS VPMU_SRC_FROM_TO(VPMU_SRC_EXC_UNDEF, VPMU_SRC_EXC_TRAP_FIQ)

/**
 * vpmu_source_name() - the name of a source
 * @source: enum vpmu_source or enum vpmu_arm_source, any value.
 *
 * Return: a constant: the name of the enumerator in lower case, such as "inst-retired"; NULL if Arm
 * has no such source.
 */
const char *vpmu_source_name(unsigned source);

VPMU_DECLS_END

#endif
