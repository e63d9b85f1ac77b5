/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#ifndef VPMU_LANES_H
#define VPMU_LANES_H

#include "../bits.h"

/*
 * Rows of bytes that are searched eight at a time. Each word has eight lanes, the first lane in the
 * lowest byte. Lane @i of a row is in word @i / 8.
 */

#define VPMU_LANES_ 8u
#define VPMU_LANE_BITS_ 8u
#define VPMU_LANE_ONES_ 0x0101010101010101ull /* 1 in each lane */
#define VPMU_LANE_TOPS_ (VPMU_LANE_ONES_ << (VPMU_LANE_BITS_ - 1))

/* The number of words for @n lanes. */
static inline unsigned vpmu_lane_words_(unsigned n)
{
    return (n + VPMU_LANES_ - 1) / VPMU_LANES_;
}

/* The offset of a lane's byte from the start of its row. */
static inline unsigned vpmu_lane_byte_(unsigned i)
{
    return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? i : i ^ (VPMU_LANES_ - 1);
}

static inline uint8_t vpmu_lane_(const uint64_t *row, unsigned i)
{
    return ((const uint8_t *)row)[vpmu_lane_byte_(i)];
}

static inline void vpmu_set_lane_(uint64_t *row, unsigned i, uint8_t value)
{
    ((uint8_t *)row)[vpmu_lane_byte_(i)] = value;
}

/*
 * Sets the top bit of each lane that equals the same lane of @values, which are all equal. The
 * lowest bit set is correct. A higher one may be wrong if its lane differs by 1.
 */
static inline uint64_t vpmu_equal_lanes_(uint64_t word, uint64_t values)
{
    uint64_t x = word ^ values;

    return (x - VPMU_LANE_ONES_) & ~x & VPMU_LANE_TOPS_;
}

/* Returns a word with 1 in each lane that is below @value. */
static inline uint64_t vpmu_below_lanes_(uint64_t word, uint8_t value)
{
    uint64_t y = VPMU_LANE_ONES_ * value;
    uint64_t rest = (word | VPMU_LANE_TOPS_) - (y & ~VPMU_LANE_TOPS_);

    return ((~word & y) | (~(word ^ y) & ~rest)) >> (VPMU_LANE_BITS_ - 1) & VPMU_LANE_ONES_;
}

/* The same, if all lanes and @value are below 128. */
static inline uint64_t vpmu_small_below_(uint64_t word, uint8_t value)
{
    return ~(word + VPMU_LANE_ONES_ * (128u - value)) >> (VPMU_LANE_BITS_ - 1) & VPMU_LANE_ONES_;
}

/* The lane that contains the lowest bit set. */
static inline unsigned vpmu_lowest_lane_(uint64_t bits)
{
    return vpmu_lowest_bit_(bits) / VPMU_LANE_BITS_;
}

#endif
