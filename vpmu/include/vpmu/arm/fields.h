/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#ifndef VPMU_ARM_FIELDS_H
#define VPMU_ARM_FIELDS_H

/* The highest number of event counters: PMEVCNTR0 to PMEVCNTR30. */
#define VPMU_MAX_EVENT_COUNTERS 31

/* Counters are numbered like the bits of PMCNTENSET_EL0. */
#define VPMU_CYCLE_COUNTER 31u
#define VPMU_INST_COUNTER 32u

/*
 * Fields, by register. Sources: Arm ARM D24.5 (PM*), D24.3 (MDCR_EL2, MDCR_EL3).
 */
#define VPMU_PMCR_E (1ull << 0)
#define VPMU_PMCR_P (1ull << 1)
#define VPMU_PMCR_C (1ull << 2)
#define VPMU_PMCR_D (1ull << 3)
#define VPMU_PMCR_X (1ull << 4)
#define VPMU_PMCR_DP (1ull << 5)
#define VPMU_PMCR_LC (1ull << 6)
#define VPMU_PMCR_LP (1ull << 7)
#define VPMU_PMCR_FZO (1ull << 9)
#define VPMU_PMCR_N_SHIFT 11
#define VPMU_PMCR_N_MASK 0x1full
#define VPMU_PMCR_IDCODE_SHIFT 16
#define VPMU_PMCR_IMP_SHIFT 24
#define VPMU_PMCR_FZS (1ull << 32)

#define VPMU_TYPER_P (1ull << 31)
#define VPMU_TYPER_U (1ull << 30)
#define VPMU_TYPER_NSK (1ull << 29)
#define VPMU_TYPER_NSU (1ull << 28)
#define VPMU_TYPER_NSH (1ull << 27)
#define VPMU_TYPER_M (1ull << 26)
#define VPMU_TYPER_SH (1ull << 24)
#define VPMU_TYPER_RLK (1ull << 22)
#define VPMU_TYPER_RLU (1ull << 21)
#define VPMU_TYPER_RLH (1ull << 20)
#define VPMU_TYPER_EVENT 0xffffull
/* The width of evtCount before PMUv3p1. */
#define VPMU_TYPER_EVENT_V3 0x3ffull
/* Thresholds; event counters only. TLC exists in odd counters only. */
#define VPMU_TYPER_TH_SHIFT 32
#define VPMU_TYPER_TH_MASK 0xfffull
#define VPMU_TYPER_TLC_SHIFT 54
#define VPMU_TYPER_TLC (3ull << VPMU_TYPER_TLC_SHIFT)
#define VPMU_TYPER_TE (1ull << 60)
#define VPMU_TYPER_TC_SHIFT 61
#define VPMU_TYPER_TC (7ull << VPMU_TYPER_TC_SHIFT)

#define VPMU_USERENR_EN (1ull << 0)
#define VPMU_USERENR_SW (1ull << 1)
#define VPMU_USERENR_CR (1ull << 2)
#define VPMU_USERENR_ER (1ull << 3)
#define VPMU_USERENR_UEN (1ull << 4)
#define VPMU_USERENR_IR (1ull << 5)
#define VPMU_USERENR_TID (1ull << 6)

#define VPMU_PMMIR_SLOTS_SHIFT 0
#define VPMU_PMMIR_SLOTS_MASK 0xffull
#define VPMU_PMMIR_THWIDTH_SHIFT 20
#define VPMU_PMMIR_EDGE_SHIFT 24

#define VPMU_SELR_MASK 0x1full

#define VPMU_MDCR_EL2_HPMN 0x1full
#define VPMU_MDCR_EL2_TPMCR (1ull << 5)
#define VPMU_MDCR_EL2_TPM (1ull << 6)
#define VPMU_MDCR_EL2_HPME (1ull << 7)
#define VPMU_MDCR_EL2_HPMD (1ull << 17)
#define VPMU_MDCR_EL2_HCCD (1ull << 23)
#define VPMU_MDCR_EL2_HLP (1ull << 26)
#define VPMU_MDCR_EL2_HPMFZO (1ull << 29)
#define VPMU_MDCR_EL2_HPMFZS (1ull << 36)

#define VPMU_MDCR_EL3_TPM (1ull << 6)
#define VPMU_MDCR_EL3_ENPM2 (1ull << 7)
#define VPMU_MDCR_EL3_SPME (1ull << 17)
#define VPMU_MDCR_EL3_SCCD (1ull << 23)
#define VPMU_MDCR_EL3_MCCD (1ull << 34)
#define VPMU_MDCR_EL3_MPMX (1ull << 35)

#endif
