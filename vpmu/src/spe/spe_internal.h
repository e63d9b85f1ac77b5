/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#ifndef VPMU_SPE_INTERNAL_H
#define VPMU_SPE_INTERNAL_H

#include "vpmu/arm/spe.h"

/* Operation types: what PMSFCR_EL1 filters by. An atomic that returns a value is both. */
#define VPMU_SPE_LOADS_ 1
#define VPMU_SPE_STORES_ 2
#define VPMU_SPE_BRANCHES_ 4

/* The Operation Type packet of an instruction. */
struct vpmu_spe_op_ {
    uint8_t types;
    uint8_t class;
    uint8_t subclass;
    bool conditional; /* a branch that may not be taken */
};

struct vpmu_spe_op_ vpmu_spe_op_(const struct vpmu_spe *s, const struct vpmu_spe_sample *sample);

/* Whether PMSFCR_EL1 lets a sample of this instruction pass. */
bool vpmu_spe_passes_(const struct vpmu_spe *s, const struct vpmu_spe_sample *sample,
                      const struct vpmu_spe_op_ *op);

/* The events that filters know; other bits of PMSEVFR_EL1 and PMSNEVFR_EL1 are RES0. */
uint64_t vpmu_spe_event_mask_(const struct vpmu_spe_config *config);

/* The bits that a register keeps; 0 for one that is not in vpmu_spe.reg. */
uint64_t vpmu_spe_kept_(const struct vpmu_spe_config *config, unsigned reg);

/* The current exception level owns the buffer or is below its owner, in the same security state. */
bool vpmu_spe_owned_here_(const struct vpmu_spe *s);

#endif
