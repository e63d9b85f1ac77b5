/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#ifndef VPMU_IBS_INTERNAL_H
#define VPMU_IBS_INTERNAL_H

#include "../bits.h"
#include "vpmu/x86/ibs.h"

/* IBS_FETCH_CTL. The count is in bits 31:16, without its lowest four bits. */
#define VPMU_IBS_FETCH_MAX_ 0xffffull
#define VPMU_IBS_FETCH_COUNT_ (0xffffull << 16)
#define VPMU_IBS_FETCH_COUNT_SHIFT_ 16
#define VPMU_IBS_FETCH_LATENCY_SHIFT_ 32
#define VPMU_IBS_FETCH_EN_ VPMU_BIT(48)
#define VPMU_IBS_FETCH_VAL_ VPMU_BIT(49)
#define VPMU_IBS_FETCH_RAND_EN_ VPMU_BIT(57)
#define VPMU_IBS_FETCH_L3_MISS_ONLY_ VPMU_BIT(59)
/* The bits that samples do not change. */
#define VPMU_IBS_FETCH_CHOSEN_                                                                     \
    (VPMU_IBS_FETCH_MAX_ | VPMU_IBS_FETCH_EN_ | VPMU_IBS_FETCH_RAND_EN_ |                          \
     VPMU_IBS_FETCH_L3_MISS_ONLY_)

/* IBS_OP_CTL. */
#define VPMU_IBS_OP_MAX_ 0xffffull
#define VPMU_IBS_OP_L3_MISS_ONLY_ VPMU_BIT(16)
#define VPMU_IBS_OP_EN_ VPMU_BIT(17)
#define VPMU_IBS_OP_VAL_ VPMU_BIT(18)
#define VPMU_IBS_OP_CNT_CTL_ VPMU_BIT(19)
#define VPMU_IBS_OP_MAX_EXT_ (0x7full << 20)
#define VPMU_IBS_OP_COUNT_ (0x7ffffffull << 32)
#define VPMU_IBS_OP_COUNT_SHIFT_ 32
#define VPMU_IBS_OP_LATENCY_ (0xfull << 59)
#define VPMU_IBS_OP_LATENCY_SHIFT_ 59
#define VPMU_IBS_OP_LATENCY_EN_ VPMU_BIT(63)

/* IBS_OP_DATA2: the line was not in the state Modified. */
#define VPMU_IBS_CACHE_HIT_OWNED_ VPMU_BIT(5)

#define VPMU_IBS_CTL_VALID_ VPMU_BIT(8)

/* The bits of a register that exist. */
uint64_t vpmu_ibs_bits_(const struct vpmu_ibs *s, unsigned reg);

/* An op has been sampled or dropped: the next count of ops or cycles begins at a random number. */
void vpmu_ibs_end_op_(struct vpmu_ibs *s);

/* A filter has dropped a sample: the unit counts again, from a random number. */
void vpmu_ibs_restart_fetch_(struct vpmu_ibs *s);

#endif
