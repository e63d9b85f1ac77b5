/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#ifndef VPMU_BITS_H
#define VPMU_BITS_H

#include <stdbool.h>
#include <stdint.h>

#define VPMU_BIT(n) (1ull << (n))
#define VPMU_LOW32 0xffffffffull

/* For every set bit of mask, lowest first. */
#define VPMU_FOR_EACH_BIT(bit, mask)                                                               \
    for (uint64_t left_ = (mask); left_ != 0 && ((bit) = vpmu_lowest_bit_(left_), true);           \
         left_ &= left_ - 1)

static inline unsigned vpmu_lowest_bit_(uint64_t mask)
{
    return (unsigned)__builtin_ctzll(mask);
}

/* A mask of the bits below n. */
static inline uint64_t vpmu_below_(unsigned n)
{
    return VPMU_BIT(n) - 1;
}

#endif
