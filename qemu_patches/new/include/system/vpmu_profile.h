/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Exact profiles: an element of what vpmu_profile_read() returns
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

#endif
