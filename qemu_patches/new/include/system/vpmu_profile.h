/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Exact profiles: elements of what vpmu_profile_read() and
 * vpmu_profile_read_calls() return
 */

#ifndef SYSTEM_VPMU_PROFILE_H
#define SYSTEM_VPMU_PROFILE_H

#include "vpmu/record.h"

/* Where an instruction is, and what it is. */
typedef struct VPMUProfiled {
    struct vpmu_record_code code;
    /* Its address, and who runs there; @weight is how often. */
    struct vpmu_record_sample sample;
} VPMUProfiled;

/* A call or a jump, and where it is; @weight is how often. */
typedef struct VPMUProfiledCall {
    struct vpmu_record_call call;
    struct vpmu_record_sample sample;
} VPMUProfiledCall;

#endif
