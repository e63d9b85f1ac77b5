/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The PMU's files are the same for all supported versions of QEMU.  This file
 * defines the new names of things that an older version calls differently.
 *
 * Include this file after cpu.h.
 */

#ifndef TARGET_ARM_PMU_COMPAT_H
#define TARGET_ARM_PMU_COMPAT_H

#if QEMU_VERSION_MAJOR < 11
#include "hw/boards.h"
#include "hw/irq.h"
#define singlestep_flags singlestep_enabled

/* Before QEMU 11, get_phys_addr() returns whether the translation fails. */
#define arm_pmu_get_phys_addr(...) (!get_phys_addr(__VA_ARGS__))

/* Before QEMU 11 there are no CPUs with GICv5's interface. */
#define GICV5_PPI_PMBIRQ 21
#define GICV5_PPI_PMUIRQ 23

static inline void gicv5_update_ppi_state(CPUARMState *env, int ppi, bool level)
{
}

static inline bool arm_pmu_has_gicv5(ARMCPU *cpu)
{
    return false;
}

#else

#include "cpu-features.h"
#include "hw/core/boards.h"
#include "hw/core/irq.h"

#define arm_pmu_get_phys_addr get_phys_addr

static inline bool arm_pmu_has_gicv5(ARMCPU *cpu)
{
    return cpu_isar_feature(aa64_gcie, cpu);
}

#endif

#if QEMU_VERSION_MAJOR == 10 && QEMU_VERSION_MINOR == 0

#include "exec/address-spaces.h"
#include "exec/exec-all.h"
#include "exec/memory.h"

/* In QEMU 10.0 each ID register is a member of ARMISARegisters. */
#define ARM_ISAR_ID_AA64DFR0 id_aa64dfr0
#define ARM_ISAR_ID_AA64DFR1 id_aa64dfr1
#define ARM_ISAR_ID_DFR0     id_dfr0

#define FIELD_EX64_IDREG(ISAR, REG, FIELD) \
    FIELD_EX64((ISAR)->ARM_ISAR_ ## REG, REG, FIELD)
#define FIELD_EX32_IDREG(ISAR, REG, FIELD) \
    FIELD_EX32((ISAR)->ARM_ISAR_ ## REG, REG, FIELD)
#define FIELD_DP64_IDREG(ISAR, REG, FIELD, VALUE) \
    ((ISAR)->ARM_ISAR_ ## REG = \
     FIELD_DP64((ISAR)->ARM_ISAR_ ## REG, REG, FIELD, VALUE))
#define FIELD_DP32_IDREG(ISAR, REG, FIELD, VALUE) \
    ((ISAR)->ARM_ISAR_ ## REG = \
     FIELD_DP32((ISAR)->ARM_ISAR_ ## REG, REG, FIELD, VALUE))

/* In QEMU 10.0 CLIDR is a member of ARMCPU. */
#define arm_pmu_clidr(CPU) ((CPU)->clidr)
#define arm_pmu_set_clidr(CPU, VALUE) ((CPU)->clidr = (VALUE))

/* In QEMU 10.0 the data of a class_init function is writable. */
typedef void ARMPMUClassData;

#else

#include "accel/tcg/probe.h"
#include "exec/target_page.h"
#include "exec/tlb-flags.h"
#include "system/address-spaces.h"
#include "system/memory.h"

#define arm_pmu_clidr(CPU) GET_IDREG(&(CPU)->isar, CLIDR)
#define arm_pmu_set_clidr(CPU, VALUE) SET_IDREG(&(CPU)->isar, CLIDR, VALUE)

typedef const void ARMPMUClassData;

#endif

#endif
