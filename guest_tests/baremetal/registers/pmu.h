/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef REGISTERS_PMU_H
#define REGISTERS_PMU_H

#include "registers/sysreg.h"

/*
 * Registers of the Performance Monitors (Arm ARM D24.5), by encodings that every assembler knows.
 */
#define PMMIR_EL1 S3_0_C9_C14_6
#define PMUACR_EL1 S3_0_C9_C14_4
#define PMICNTR_EL0 S3_3_C9_C4_0
#define PMICFILTR_EL0 S3_3_C9_C6_0
#define PMZR_EL0 S3_3_C9_C13_4

#define PMCR_E BIT(0)
#define PMCR_P BIT(1)
#define PMCR_C BIT(2)
#define PMCR_D BIT(3)
#define PMCR_X BIT(4)
#define PMCR_DP BIT(5)
#define PMCR_LC BIT(6)
#define PMCR_LP BIT(7)
#define PMCR_FZO BIT(9)
#define PMCR_N(pmcr) ((unsigned)FIELD(pmcr, 11, 5))

#define PMEVTYPER_P BIT(31)
#define PMEVTYPER_U BIT(30)
#define PMEVTYPER_NSK BIT(29)
#define PMEVTYPER_NSU BIT(28)
#define PMEVTYPER_NSH BIT(27)
#define PMEVTYPER_M BIT(26)
#define PMEVTYPER_MT BIT(25)
#define PMEVTYPER_SH BIT(24)
#define PMEVTYPER_RLK BIT(22)
#define PMEVTYPER_RLU BIT(21)
#define PMEVTYPER_RLH BIT(20)

#define PMUSERENR_EN BIT(0)
#define PMUSERENR_SW BIT(1)
#define PMUSERENR_CR BIT(2)
#define PMUSERENR_ER BIT(3)
#define PMUSERENR_UEN BIT(4)
#define PMUSERENR_IR BIT(5)
#define PMUSERENR_TID BIT(6)

#define MDCR_EL2_HPMN(n) ((uint64_t)(n))
#define MDCR_EL2_TPMCR BIT(5)
#define MDCR_EL2_TPM BIT(6)
#define MDCR_EL2_HPME BIT(7)
#define MDCR_EL2_TDE BIT(8)
#define MDCR_EL2_HPMD BIT(17)
#define MDCR_EL2_HCCD BIT(23)
#define MDCR_EL2_HLP BIT(26)
#define MDCR_EL2_HPMFZO BIT(29)

#define MDCR_EL3_TPM BIT(6)
#define MDCR_EL3_ENPM2 BIT(7)
#define MDCR_EL3_SPME BIT(17)
#define MDCR_EL3_SCCD BIT(23)
#define MDCR_EL3_MCCD BIT(34)
#define MDCR_EL3_MPMX BIT(35)

/* Common events (Arm ARM D14.12). */
#define EVENT_SW_INCR UINT64_C(0x00)
#define EVENT_L1D_CACHE UINT64_C(0x04)
#define EVENT_INST_RETIRED UINT64_C(0x08)
#define EVENT_CPU_CYCLES UINT64_C(0x11)
#define EVENT_CHAIN UINT64_C(0x1e)
#define EVENT_STALL_SLOT_BACKEND UINT64_C(0x3d)
#define EVENT_STALL_SLOT_FRONTEND UINT64_C(0x3e)
#define EVENT_STALL_SLOT UINT64_C(0x3f)
#define EVENT_L1D_CACHE_RD UINT64_C(0x40)

/* ID_AA64DFR0_EL1.PMUVer. */
#define PMUVER_V3 1u
#define PMUVER_V3P1 4u
#define PMUVER_V3P4 5u
#define PMUVER_V3P5 6u
#define PMUVER_V3P7 7u
#define PMUVER_V3P8 8u
#define PMUVER_V3P9 9u

/* The bit of the cycle counter in PMCNTENSET and similar registers, and its number in PMSELR. */
#define CYCLE_COUNTER 31u
#define PMU_MAX_COUNTERS 31u

/*
 * PMEVCNTR<n>_EL0 and PMEVTYPER<n>_EL0: the number is part of the instruction, so there is a macro.
 */
uint64_t read_pmevcntr(unsigned n);
void write_pmevcntr(unsigned n, uint64_t value);
uint64_t read_pmevtyper(unsigned n);
void write_pmevtyper(unsigned n, uint64_t value);

#endif
