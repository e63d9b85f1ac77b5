/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* The contents of registers after a sample, and the filters that drop samples. */
#include "ibs_internal.h"

/* IBS_FETCH_CTL. */
#define FETCH_COMPLETE VPMU_BIT(50)
#define FETCH_IC_MISS VPMU_BIT(51)
#define FETCH_PHYSICAL_VALID VPMU_BIT(52)
#define FETCH_PAGE_SHIFT 53
#define FETCH_L1_TLB_MISS VPMU_BIT(55)
#define FETCH_L2_TLB_MISS VPMU_BIT(56)
#define FETCH_L2_MISS VPMU_BIT(58)
#define FETCH_OC_MISS VPMU_BIT(60) /* this and the next from Zen 4 on */
#define FETCH_L3_MISS VPMU_BIT(61)

/* IBS_OP_DATA. */
#define OP_TAG_TO_RET_SHIFT 16
#define OP_RETURN VPMU_BIT(34)
#define OP_TAKEN VPMU_BIT(35)
#define OP_MISPREDICTED VPMU_BIT(36)
#define OP_BRANCH VPMU_BIT(37)
#define OP_RIP_INVALID VPMU_BIT(38)

/* IBS_OP_DATA2. Zen 4 has more sources of data, with other numbers. */
#define OLD_SOURCE_CACHE 2 /* the local L3, or an L1 or L2 of the same complex */
#define NEW_SOURCE_CACHE 1
#define SOURCE_DRAM 3
#define SOURCE_IO 7

/* IBS_OP_DATA3. */
#define DC_LOAD VPMU_BIT(0)
#define DC_STORE VPMU_BIT(1)
#define DC_L1_TLB_MISS VPMU_BIT(2)
#define DC_L2_TLB_MISS VPMU_BIT(3)
#define DC_PAGE_SHIFT 4 /* from Zen 5 on; before, these are the next four */
#define DC_L1_TLB_HIT_2M VPMU_BIT(4)
#define DC_L1_TLB_HIT_1G VPMU_BIT(5)
#define DC_L2_TLB_HIT_2M VPMU_BIT(6)
#define DC_MISS VPMU_BIT(7)
#define DC_MISALIGNED VPMU_BIT(8)
#define DC_UNCACHED VPMU_BIT(14)
#define DC_LOCKED VPMU_BIT(15)
#define DC_LINEAR_VALID VPMU_BIT(17)
#define DC_PHYSICAL_VALID VPMU_BIT(18)
#define DC_L2_TLB_HIT_1G VPMU_BIT(19)
#define DC_L2_MISS VPMU_BIT(20)
#define DC_WIDTH_SHIFT 22
#define DC_LATENCY_SHIFT 32
#define DC_TLB_LATENCY_SHIFT 48

#define LARGEST_ACCESS 64
#define PHYSICAL_MASK 0x000fffffffffffffull

static bool misses_l1(const struct vpmu_x86_data_access *access)
{
    return access->level != VPMU_DATA_L1;
}

static bool misses_l2(const struct vpmu_x86_data_access *access)
{
    return misses_l1(access) && access->level != VPMU_DATA_L2;
}

static bool misses_l3(const struct vpmu_x86_data_access *access)
{
    return access->level == VPMU_DATA_DRAM || access->level == VPMU_DATA_UNCACHED;
}

static bool exists(const struct vpmu_x86_data_access *access)
{
    return access->level != VPMU_DATA_UNKNOWN;
}

/*
 * Ops
 */

/* An instruction that loads and stores is sampled with its load. */
static const struct vpmu_x86_data_access *access_of(const struct vpmu_ibs_op *op)
{
    return exists(&op->accesses.load) ? &op->accesses.load : &op->accesses.store;
}

static uint64_t op_data(const struct vpmu_ibs_op *op)
{
    static const uint64_t bits[] = {OP_BRANCH, OP_RETURN, OP_TAKEN, OP_MISPREDICTED};
    const struct vpmu_x86_data_access *access = access_of(op);
    uint64_t latency = vpmu_access_latency(access->level, access->translated);
    uint64_t data = op->rip_invalid ? OP_RIP_INVALID : 0;
    unsigned bit;

    VPMU_FOR_EACH_BIT (bit, op->branch & vpmu_below_(sizeof(bits) / sizeof(bits[0]))) {
        data |= bits[bit];
    }
    latency += op->branch & VPMU_IBS_IS_MISPREDICTED ? VPMU_LATENCY_MISPREDICTED : 0;
    return data | latency << OP_TAG_TO_RET_SHIFT;
}

/* The source of a load that missed L2. Linux takes any line but an Owned one for HITM. */
static uint64_t op_data2(const struct vpmu_ibs *s, const struct vpmu_x86_data_access *load)
{
    uint64_t cache = s->family >= VPMU_X86_ZEN4 ? NEW_SOURCE_CACHE : OLD_SOURCE_CACHE;
    uint64_t owned = VPMU_IBS_CACHE_HIT_OWNED_ & vpmu_ibs_bits_(s, VPMU_IBS_OP_DATA2);

    switch (load->level) {
    case VPMU_DATA_LLC:
    case VPMU_DATA_SHARED:
        return cache | owned;
    case VPMU_DATA_PEER:
        return cache;
    case VPMU_DATA_DRAM:
        return SOURCE_DRAM;
    case VPMU_DATA_UNCACHED:
        return SOURCE_IO;
    default:
        return 0;
    }
}

static uint64_t translation_bits(const struct vpmu_ibs *s,
                                 const struct vpmu_x86_data_access *access)
{
    bool l1 = access->translated != VPMU_TLB_L2 && access->translated != VPMU_TLB_WALK;

    if (s->family >= VPMU_X86_ZEN5) {
        return (l1 ? 0 : DC_L1_TLB_MISS) |
               (access->translated == VPMU_TLB_WALK ? DC_L2_TLB_MISS : 0) |
               (uint64_t)(access->page & 3) << DC_PAGE_SHIFT;
    }
    if (access->translated == VPMU_TLB_WALK) {
        return DC_L1_TLB_MISS | DC_L2_TLB_MISS;
    }
    switch (access->page) {
    case VPMU_X86_PAGE_2M:
        return l1 ? DC_L1_TLB_HIT_2M : DC_L1_TLB_MISS | DC_L2_TLB_HIT_2M;
    case VPMU_X86_PAGE_1G:
        return l1 ? DC_L1_TLB_HIT_1G : DC_L1_TLB_MISS | DC_L2_TLB_HIT_1G;
    default:
        return l1 ? 0 : DC_L1_TLB_MISS;
    }
}

/* IbsDcMisAcc: PPR of family 17h: the access crosses a boundary of 256 bits. */
static bool is_misaligned(const struct vpmu_ibs *s, const struct vpmu_x86_data_access *access)
{
    unsigned boundary = s->family <= VPMU_X86_ZEN2 ? 32 : 64;

    return access->address % boundary + access->size > boundary;
}

/* IbsOpMemWidth: 1 for a byte, 2 for 2 bytes, and so on; 0 for any other size. */
static uint64_t width_code(unsigned size)
{
    bool is_power = size && !(size & (size - 1)) && size <= LARGEST_ACCESS;

    return is_power ? vpmu_lowest_bit_(size) + 1u : 0;
}

static uint64_t op_data3(const struct vpmu_ibs *s, const struct vpmu_ibs_op *op)
{
    const struct vpmu_x86_data_access *access = access_of(op);
    bool loads = exists(&op->accesses.load);
    uint64_t data = (loads ? DC_LOAD : 0) | (exists(&op->accesses.store) ? DC_STORE : 0);

    if (!exists(access)) {
        return 0;
    }
    data |= DC_LINEAR_VALID | translation_bits(s, access);
    data |= access->physical_valid ? DC_PHYSICAL_VALID : 0;
    data |= misses_l1(access) ? DC_MISS : 0;
    data |= misses_l2(access) ? DC_L2_MISS : 0;
    data |= access->level == VPMU_DATA_UNCACHED ? DC_UNCACHED : 0;
    data |= op->accesses.locked ? DC_LOCKED : 0;
    data |= is_misaligned(s, access) ? DC_MISALIGNED : 0;
    data |= width_code(access->size) << DC_WIDTH_SHIFT;
    if (loads && misses_l1(access)) {
        data |= (uint64_t)vpmu_data_latency(access->level) << DC_LATENCY_SHIFT;
    }
    return data | (uint64_t)vpmu_translation_latency(access->translated) << DC_TLB_LATENCY_SHIFT;
}

/* The filters: only misses of L3; only loads of more than a multiple of 128 cycles. */
static bool op_passes(const struct vpmu_ibs *s, const struct vpmu_ibs_op *op)
{
    uint64_t ctl = s->reg[VPMU_IBS_OP_CTL];
    const struct vpmu_x86_data_access *load = &op->accesses.load;
    uint64_t threshold = ((ctl & VPMU_IBS_OP_LATENCY_) >> VPMU_IBS_OP_LATENCY_SHIFT_) + 1;

    if ((ctl & VPMU_IBS_OP_L3_MISS_ONLY_) && !misses_l3(access_of(op))) {
        return false;
    }
    return !(ctl & VPMU_IBS_OP_LATENCY_EN_) ||
           (misses_l1(load) && vpmu_data_latency(load->level) > threshold * 128);
}

bool vpmu_ibs_op_sampled(struct vpmu_ibs *s, const struct vpmu_ibs_op *op)
{
    const struct vpmu_x86_data_access *access = access_of(op);

    vpmu_ibs_end_op_(s);
    if (!op_passes(s, op)) {
        return false;
    }
    s->reg[VPMU_IBS_OP_CTL] |= VPMU_IBS_OP_VAL_;
    s->reg[VPMU_IBS_OP_RIP] = op->rip;
    s->reg[VPMU_IBS_OP_DATA] = op_data(op);
    s->reg[VPMU_IBS_OP_DATA2] = op_data2(s, &op->accesses.load);
    s->reg[VPMU_IBS_OP_DATA3] = op_data3(s, op);
    s->reg[VPMU_IBS_DC_LINEAR] = exists(access) ? access->address : 0;
    s->reg[VPMU_IBS_DC_PHYSICAL] = exists(access) ? access->physical & PHYSICAL_MASK : 0;
    s->reg[VPMU_IBS_BRANCH_TARGET] = op->branch & VPMU_IBS_IS_BRANCH ? op->target : 0;
    return true;
}

/*
 * Fetches
 */

/* IbsL1TlbPgSz. Zen 3 has another code (erratum 1347). */
static uint64_t fetch_page(const struct vpmu_ibs *s, const struct vpmu_x86_data_access *fetch)
{
    static const uint8_t zen3[] = {
        [VPMU_X86_PAGE_4K] = 0, [VPMU_X86_PAGE_2M] = 2, [VPMU_X86_PAGE_1G] = 3};

    return s->family == VPMU_X86_ZEN3 && fetch->page < sizeof(zen3) ? zen3[fetch->page]
                                                                    : fetch->page & 3;
}

static uint64_t fetch_bits(const struct vpmu_ibs *s, const struct vpmu_x86_data_access *fetch)
{
    uint64_t latency =
        vpmu_data_latency(fetch->level) + vpmu_translation_latency(fetch->translated);
    uint64_t bits = FETCH_COMPLETE | latency << VPMU_IBS_FETCH_LATENCY_SHIFT_;

    if (fetch->physical_valid) {
        bits |= FETCH_PHYSICAL_VALID | fetch_page(s, fetch) << FETCH_PAGE_SHIFT;
    }
    bits |= misses_l1(fetch) ? FETCH_IC_MISS : 0;
    bits |= misses_l2(fetch) ? FETCH_L2_MISS : 0;
    bits |= fetch->translated == VPMU_TLB_L2 || fetch->translated == VPMU_TLB_WALK
                ? FETCH_L1_TLB_MISS
                : 0;
    bits |= fetch->translated == VPMU_TLB_WALK ? FETCH_L2_TLB_MISS : 0;
    if (s->family >= VPMU_X86_ZEN4) {
        bits |= FETCH_OC_MISS | (misses_l3(fetch) ? FETCH_L3_MISS : 0);
    }
    return bits;
}

bool vpmu_ibs_fetch_sampled(struct vpmu_ibs *s, const struct vpmu_x86_data_access *fetch)
{
    uint64_t *ctl = &s->reg[VPMU_IBS_FETCH_CTL];

    if ((*ctl & VPMU_IBS_FETCH_L3_MISS_ONLY_) && !misses_l3(fetch)) {
        vpmu_ibs_restart_fetch_(s);
        return false;
    }
    /* IbsFetchCnt stays at the maximum, where Linux reads how many fetches there were. */
    *ctl &= VPMU_IBS_FETCH_CHOSEN_;
    *ctl |= VPMU_IBS_FETCH_VAL_ | fetch_bits(s, fetch);
    s->reg[VPMU_IBS_FETCH_LINEAR] = fetch->address;
    s->reg[VPMU_IBS_FETCH_PHYSICAL] = fetch->physical & PHYSICAL_MASK;
    s->reg[VPMU_IBS_FETCH_EXT] = vpmu_translation_latency(fetch->translated);
    return true;
}
