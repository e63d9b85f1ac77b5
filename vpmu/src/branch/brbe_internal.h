/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#ifndef VPMU_BRBE_INTERNAL_H
#define VPMU_BRBE_INTERNAL_H

#include "vpmu/arm/brbe.h"

/* The bits that registers keep. All others are RES0. */
#define VPMU_BRBCR_KEPT_                                                                           \
    (VPMU_BRBCR_E0BRE | VPMU_BRBCR_EXBRE | VPMU_BRBCR_CC | VPMU_BRBCR_MPRED | VPMU_BRBCR_TS |      \
     VPMU_BRBCR_FZP | VPMU_BRBCR_ERTN | VPMU_BRBCR_EXCEPTION)
#define VPMU_BRBFCR_FILTERS_                                                                       \
    (VPMU_BRBFCR_DIRECT | VPMU_BRBFCR_INDIRECT | VPMU_BRBFCR_RTN | VPMU_BRBFCR_INDCALL |           \
     VPMU_BRBFCR_DIRCALL | VPMU_BRBFCR_CONDDIR)
#define VPMU_BRBFCR_KEPT_                                                                          \
    (VPMU_BRBFCR_PAUSED | VPMU_BRBFCR_ENI | VPMU_BRBFCR_FILTERS_ | VPMU_BRBFCR_BANK)
#define VPMU_BRBINF_KEPT_                                                                          \
    (VPMU_BRBINF_TARGET | VPMU_BRBINF_SOURCE | VPMU_BRBINF_MPRED | VPMU_BRBINF_EL |                \
     VPMU_BRBINF_TYPE | VPMU_BRBINF_CC | VPMU_BRBINF_CCU)

/* Gives the ring the filters that follow from registers and from the state of the PE. */
void vpmu_brbe_update_(struct vpmu_brbe *b);

/* BRBINF<n>_EL1 of a record, and the record that BRB INJ makes of its three registers. */
uint64_t vpmu_brbe_inf_(const struct vpmu_branch *branch);
struct vpmu_branch vpmu_brbe_injected_(uint64_t inf, uint64_t src, uint64_t tgt);

#endif
