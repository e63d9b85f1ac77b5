/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* What exceptions count as: Arm ARM D14.1.5, table D14-1. */
#include "vpmu/arm/events.h"

#define EC(syndrome) ((unsigned)((syndrome) >> 26) & 0x3f)

/* The rows of the table by their events. */
enum kind {
    OTHER,
    SVC,
    HVC,
    SMC,
    PABORT,
    DABORT,
    GPC,
    GCS,
};

/* EC 0x00 to 0x3f. Those that are not here are OTHER. */
static const uint8_t kinds[64] = {
    [0x11] = SVC,    [0x12] = HVC,    [0x13] = SMC,    [0x15] = SVC,    [0x16] = HVC,
    [0x17] = SMC,    [0x1e] = GPC,    [0x20] = PABORT, [0x21] = PABORT, [0x22] = PABORT,
    [0x24] = DABORT, [0x25] = DABORT, [0x26] = DABORT, [0x2d] = GCS,    [0x2f] = DABORT,
    [0x30] = PABORT, [0x31] = PABORT, [0x32] = PABORT, [0x33] = PABORT, [0x34] = DABORT,
    [0x35] = DABORT, [0x38] = PABORT, [0x3a] = PABORT, [0x3c] = PABORT,
};

/* Sources of exceptions that are taken locally, and of others. */
static const uint8_t sources[][2] = {
    [OTHER] = {VPMU_SRC_EXC_UNDEF, VPMU_SRC_EXC_TRAP_OTHER},
    [SVC] = {VPMU_SRC_EXC_SVC, VPMU_SRC_EXC_TRAP_OTHER},
    [HVC] = {VPMU_SRC_EXC_HVC, VPMU_SRC_EXC_HVC},
    [SMC] = {VPMU_SRC_EXC_SMC, VPMU_SRC_EXC_SMC},
    [PABORT] = {VPMU_SRC_EXC_PABORT, VPMU_SRC_EXC_TRAP_PABORT},
    [DABORT] = {VPMU_SRC_EXC_DABORT, VPMU_SRC_EXC_TRAP_DABORT},
};

unsigned vpmu_arm_exception_source(uint64_t syndrome, unsigned el, bool local)
{
    unsigned kind = kinds[EC(syndrome)];

    if (kind == SMC && el != 3) {
        /* A trap of SMC, whose exception is not taken to EL3. */
        kind = OTHER;
    } else if (kind == GPC) {
        /* ISS.InD */
        kind = syndrome >> 20 & 1 ? PABORT : DABORT;
    } else if (kind == GCS) {
        /* ISS.ExType: 0 is a GCS Data Check exception. */
        kind = syndrome >> 20 & 15 ? OTHER : DABORT;
    }
    return sources[kind][local ? 0 : 1];
}
