/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#ifndef VPMU_LATENCY_H
#define VPMU_LATENCY_H

#include <stdint.h>

#include "vpmu/decls.h"

VPMU_DECLS_BEGIN

/*
 * Latencies of accesses in memory samples: Arm's SPE and x86's PEBS. They are this library's own
 * definition, and constant. They do not depend on the penalties of vpmu/model.h.
 */

/* Where an access found its data. */
enum vpmu_data_level {
    VPMU_DATA_UNKNOWN, /* no access was made, or nothing is known */
    VPMU_DATA_L1,
    VPMU_DATA_L2,
    VPMU_DATA_LLC,
    VPMU_DATA_DRAM,
    VPMU_DATA_UNCACHED, /* a device, or memory that is not cacheable */
    VPMU_DATA_SHARED,   /* the last-level cache; another CPU's L1 or L2 had it, not modified */
    VPMU_DATA_PEER,     /* L1 or L2 of another CPU, which had modified it */
    VPMU_DATA_LEVEL_COUNT,
};

/* How an access was translated. */
enum vpmu_translated {
    VPMU_TLB_UNKNOWN,
    VPMU_TLB_L1,
    VPMU_TLB_L2,
    VPMU_TLB_WALK,
    VPMU_TRANSLATED_COUNT,
};

/* Cycles. */
#define VPMU_LATENCY_ISSUE 1
#define VPMU_LATENCY_L1 4
#define VPMU_LATENCY_L2 12
#define VPMU_LATENCY_LLC 40
#define VPMU_LATENCY_PEER 60
#define VPMU_LATENCY_DRAM 150
#define VPMU_LATENCY_TLB_L2 4
#define VPMU_LATENCY_TLB_WALK 30
#define VPMU_LATENCY_MISPREDICTED 15

/**
 * vpmu_data_latency() - the latency of data
 * @level: enum vpmu_data_level.
 *
 * Return: cycles; 0 if @level is unknown.
 */
static inline unsigned vpmu_data_latency(unsigned level)
{
    /* In the order of enum vpmu_data_level. C++ has no designated initializers for arrays. */
    static const uint8_t cycles[VPMU_DATA_LEVEL_COUNT] = {0,
                                                          VPMU_LATENCY_L1,
                                                          VPMU_LATENCY_L2,
                                                          VPMU_LATENCY_LLC,
                                                          VPMU_LATENCY_DRAM,
                                                          VPMU_LATENCY_DRAM,
                                                          VPMU_LATENCY_LLC,
                                                          VPMU_LATENCY_PEER};

    return level < VPMU_DATA_LEVEL_COUNT ? cycles[level] : 0;
}

/**
 * vpmu_translation_latency() - the latency of a translation
 * @how: enum vpmu_translated.
 *
 * Return: cycles; 0 if @how is unknown.
 */
static inline unsigned vpmu_translation_latency(unsigned how)
{
    static const uint8_t cycles[VPMU_TRANSLATED_COUNT] = {0, 0, VPMU_LATENCY_TLB_L2,
                                                          VPMU_LATENCY_TLB_WALK};

    return how < VPMU_TRANSLATED_COUNT ? cycles[how] : 0;
}

/**
 * vpmu_access_latency() - the latency of an instruction that makes an access
 * @level: enum vpmu_data_level.
 * @how: enum vpmu_translated.
 *
 * Return: cycles from its issue to its data.
 */
static inline unsigned vpmu_access_latency(unsigned level, unsigned how)
{
    return VPMU_LATENCY_ISSUE + vpmu_data_latency(level) + vpmu_translation_latency(how);
}

VPMU_DECLS_END

#endif
