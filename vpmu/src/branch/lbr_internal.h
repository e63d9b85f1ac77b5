/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#ifndef VPMU_LBR_INTERNAL_H
#define VPMU_LBR_INTERNAL_H

#include "vpmu/x86/lbr.h"

/* Registers of a record. */
enum vpmu_lbr_part_ {
    VPMU_LBR_FROM_,
    VPMU_LBR_TO_,
    VPMU_LBR_INFO_,
};

static inline bool vpmu_lbr_is_legacy_(const struct vpmu_lbr_config *config)
{
    return config->kind == VPMU_LBR_LEGACY;
}

/* Tells whether records have the register INFO, which has their cycles. */
static inline bool vpmu_lbr_has_info_(const struct vpmu_lbr_config *config)
{
    return config->kind == VPMU_LBR_ARCH || config->format == VPMU_LBR_INFO;
}

/* The bits that registers keep. */
uint64_t vpmu_lbr_debugctl_kept_(const struct vpmu_lbr_config *config);
uint64_t vpmu_lbr_select_kept_(const struct vpmu_lbr_config *config);
uint64_t vpmu_lbr_extn_kept_(const struct vpmu_lbr_config *config);
/* Tells whether IA32_LBR_DEPTH can be that; other kinds have one depth. */
bool vpmu_lbr_depth_exists_(const struct vpmu_lbr_config *config, uint64_t depth);

/* An address as a record has it: sign-extended. */
uint64_t vpmu_lbr_address_(const struct vpmu_lbr_config *config, uint64_t address);
/* The tag of a branch that the processor records. */
uint8_t vpmu_lbr_tag_(const struct vpmu_lbr_config *config, unsigned type);
/* A register of a record, and its change; false if the value is refused. */
uint64_t vpmu_lbr_part_read_(const struct vpmu_lbr_config *config, const struct vpmu_branch *branch,
                             enum vpmu_lbr_part_ part);
bool vpmu_lbr_part_write_(const struct vpmu_lbr_config *config, struct vpmu_branch *branch,
                          enum vpmu_lbr_part_ part, uint64_t val);
/* Tells whether registers of this kind and format can have such a record. */
bool vpmu_lbr_record_possible_(const struct vpmu_lbr_config *config,
                               const struct vpmu_branch *branch);

/* Gives the ring the filters that follow from registers. */
void vpmu_lbr_update_(struct vpmu_lbr *l);

/* The index in the ring of record n of the MSRs, which is below the depth, and TOS. */
unsigned vpmu_lbr_index_(const struct vpmu_lbr *l, unsigned n);
unsigned vpmu_lbr_tos_(const struct vpmu_lbr *l);

#endif
