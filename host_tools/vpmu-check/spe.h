/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_CHECK_SPE_H
#define VPMU_CHECK_SPE_H

#include "check.h"

/**
 * struct spe_known - what each record must have
 * @pc: the address of the load.
 * @low, @size: the memory that it reads.
 */
struct spe_known {
    uint64_t pc;
    uint64_t low;
    size_t size;
};

/**
 * struct spe_records - what was found in a buffer
 * @good: records that have what is known.
 * @damaged: something that is no packet.
 */
struct spe_records {
    uint64_t good;
    uint64_t all;
    bool damaged;
};

struct spe_records spe_read(const uint8_t *bytes, size_t size, const struct spe_known *known);

/** check_spe() - the row of Arm's SPE. Return: false if the CPUs that run this have none. */
bool check_spe(const struct check *check);

#endif
