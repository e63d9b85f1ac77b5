/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* The registers of IBS, and its two counters. */
#include "ibs_internal.h"

#define RANDOM_SEED 0xace1u
#define FETCH_RANDOM 0xfu
#define COUNT_RANDOM 0x7fu
#define TURNS 4u /* ops of a line of which one is sampled */

/* CPUID 8000_001BH of Naples, Rome and Milan. Genoa and Turin have more bits. */
#define ZEN_CAPS                                                                                   \
    (VPMU_IBS_CAP_VALID | VPMU_IBS_CAP_FETCH | VPMU_IBS_CAP_OP | VPMU_IBS_CAP_READ_WRITE_COUNT |   \
     VPMU_IBS_CAP_OP_COUNT | VPMU_IBS_CAP_BRANCH_TARGET | VPMU_IBS_CAP_OP_COUNT_EXT |              \
     VPMU_IBS_CAP_RIP_INVALID | VPMU_IBS_CAP_BRANCH_FUSE | VPMU_IBS_CAP_FETCH_EXT)

uint32_t vpmu_ibs_caps(unsigned family)
{
    switch (family) {
    case VPMU_X86_ZEN1:
    case VPMU_X86_ZEN2:
    case VPMU_X86_ZEN3:
        return ZEN_CAPS;
    case VPMU_X86_ZEN4:
        return ZEN_CAPS | VPMU_IBS_CAP_ZEN4;
    case VPMU_X86_ZEN5:
        return ZEN_CAPS | VPMU_IBS_CAP_ZEN4 | VPMU_IBS_CAP_LOAD_LATENCY | VPMU_IBS_CAP_PAGE_SIZE;
    default:
        return 0;
    }
}

void vpmu_ibs_reset(struct vpmu_ibs *s)
{
    *s = (struct vpmu_ibs){.family = s->family, .random = RANDOM_SEED};
    s->reg[VPMU_IBS_CTL] = VPMU_IBS_CTL_VALID_ | VPMU_IBS_LVT;
}

void vpmu_ibs_init(struct vpmu_ibs *s, unsigned family)
{
    s->family = family;
    vpmu_ibs_reset(s);
}

/*
 * Registers
 */

/* What a write does. */
enum write {
    STORES,
    IGNORED, /* PPR: "Read-only" */
    REFUSED, /* PPR: "Error-on-write" */
};

/*
 * A register: the bits that exist, and those that must be 0 when software writes it. Other bits are
 * ignored. The APM has no list of the bits of IBS_OP_DATA2, so none of them must be 0.
 */
struct row {
    uint64_t bits;
    uint64_t zero;
    enum write write;
};

/* The count is kept separately. Samples set bits 47:32, 58, 56:50, 61 and 60 of IBS_FETCH_CTL. */
static const struct row rows[VPMU_IBS_REGS] = {
    [VPMU_IBS_FETCH_CTL] = {0x07ffffff0000ffff, 0, STORES},
    [VPMU_IBS_FETCH_LINEAR] = {UINT64_MAX, 0, STORES},
    [VPMU_IBS_FETCH_PHYSICAL] = {0x000fffffffffffff, 0xfff0000000000000, STORES},
    [VPMU_IBS_OP_CTL] = {VPMU_IBS_OP_MAX_ | VPMU_IBS_OP_EN_ | VPMU_IBS_OP_VAL_ |
                             VPMU_IBS_OP_CNT_CTL_ | VPMU_IBS_OP_MAX_EXT_,
                         0xf8000000f8010000, STORES},
    [VPMU_IBS_OP_RIP] = {UINT64_MAX, 0, STORES},
    [VPMU_IBS_OP_DATA] = {0x000001fcffffffff, 0xfffffe0300000000, STORES},
    [VPMU_IBS_OP_DATA2] = {0x17, 0, STORES},
    [VPMU_IBS_OP_DATA3] = {0xfffffffffff7e1bf, 0x81e40, STORES},
    [VPMU_IBS_DC_LINEAR] = {UINT64_MAX, 0, STORES},
    [VPMU_IBS_DC_PHYSICAL] = {0x000fffffffffffff, 0xfff0000000000000, STORES},
    [VPMU_IBS_CTL] = {0x10f, 0, REFUSED},
    [VPMU_IBS_BRANCH_TARGET] = {UINT64_MAX, 0, STORES},
    [VPMU_IBS_FETCH_EXT] = {0xffff, 0, IGNORED},
};

/*
 * Bits of registers that only some generations have. Zen 3 has no CacheHitSt: Linux,
 * perf_ibs_cache_hit_st_valid().
 */
static const struct {
    uint8_t first;
    uint8_t last;
    uint8_t reg;
    uint64_t bits;
} extensions[] = {
    {VPMU_X86_ZEN4, VPMU_X86_ZEN5, VPMU_IBS_FETCH_CTL, 7ull << 59},
    {VPMU_X86_ZEN4, VPMU_X86_ZEN5, VPMU_IBS_OP_CTL, VPMU_IBS_OP_L3_MISS_ONLY_},
    {VPMU_X86_ZEN5, VPMU_X86_ZEN5, VPMU_IBS_OP_CTL, VPMU_IBS_OP_LATENCY_ | VPMU_IBS_OP_LATENCY_EN_},
    {VPMU_X86_ZEN1, VPMU_X86_ZEN2, VPMU_IBS_OP_DATA2, VPMU_IBS_CACHE_HIT_OWNED_},
    {VPMU_X86_ZEN4, VPMU_X86_ZEN5, VPMU_IBS_OP_DATA2, VPMU_IBS_CACHE_HIT_OWNED_ | 0xc0},
    {VPMU_X86_ZEN1, VPMU_X86_ZEN4, VPMU_IBS_OP_DATA3, VPMU_BIT(6) | VPMU_BIT(19)},
};

/* APM 13.3.2 has no bits 56 and 58 of IBS_FETCH_CTL. Before Zen 5, hardware does not keep them. */
static uint64_t read_only_bits(const struct vpmu_ibs *s, unsigned reg)
{
    return reg == VPMU_IBS_FETCH_CTL && s->family < VPMU_X86_ZEN5 ? VPMU_BIT(56) | VPMU_BIT(58) : 0;
}

uint64_t vpmu_ibs_bits_(const struct vpmu_ibs *s, unsigned reg)
{
    uint64_t bits = rows[reg].bits;

    for (size_t i = 0; i < sizeof(extensions) / sizeof(extensions[0]); i++) {
        if (extensions[i].reg == reg && s->family >= extensions[i].first &&
            s->family <= extensions[i].last) {
            bits |= extensions[i].bits;
        }
    }
    return bits;
}

enum vpmu_x86_access vpmu_ibs_rdmsr(const struct vpmu_ibs *s, uint32_t msr, uint64_t *val)
{
    uint32_t reg = msr - VPMU_IBS_FIRST_MSR;

    *val = 0;
    if (reg >= VPMU_IBS_REGS) {
        return VPMU_X86_UNKNOWN;
    }
    *val = s->reg[reg];
    if (reg == VPMU_IBS_OP_CTL) {
        *val |= (uint64_t)s->count[VPMU_IBS_OP] << VPMU_IBS_OP_COUNT_SHIFT_;
    } else if (reg == VPMU_IBS_FETCH_CTL) {
        *val |= (uint64_t)(s->count[VPMU_IBS_FETCH] >> 4) << VPMU_IBS_FETCH_COUNT_SHIFT_;
    }
    return VPMU_X86_OK;
}

/* A random number of up to 7 bits: a linear feedback shift register of 16 bits. */
static uint32_t next_random(struct vpmu_ibs *s, uint32_t mask)
{
    for (unsigned i = 0; i < 7; i++) {
        s->random = s->random >> 1 ^ (s->random & 1 ? 0xb400u : 0);
    }
    return s->random & mask;
}

/* The same without 0. */
static uint32_t next_nonzero(struct vpmu_ibs *s, uint32_t mask)
{
    uint32_t random;

    do {
        random = next_random(s, mask);
    } while (!random);
    return random;
}

static void set_fetch_count(struct vpmu_ibs *s, uint64_t val)
{
    uint64_t count = (val & VPMU_IBS_FETCH_COUNT_) >> VPMU_IBS_FETCH_COUNT_SHIFT_;

    s->count[VPMU_IBS_FETCH] = (uint32_t)count << 4;
    if (val & VPMU_IBS_FETCH_RAND_EN_) {
        s->count[VPMU_IBS_FETCH] |= next_random(s, FETCH_RANDOM);
    }
}

enum vpmu_x86_access vpmu_ibs_wrmsr(struct vpmu_ibs *s, uint32_t msr, uint64_t val)
{
    uint32_t reg = msr - VPMU_IBS_FIRST_MSR;
    uint64_t bits;

    if (reg >= VPMU_IBS_REGS) {
        return VPMU_X86_UNKNOWN;
    }
    bits = vpmu_ibs_bits_(s, reg);
    if (rows[reg].write == REFUSED || (val & rows[reg].zero & ~bits)) {
        return VPMU_X86_GP;
    }
    if (rows[reg].write == IGNORED) {
        return VPMU_X86_OK;
    }
    s->reg[reg] = val & bits & ~read_only_bits(s, reg);
    if (reg == VPMU_IBS_OP_CTL) {
        s->count[VPMU_IBS_OP] = (uint32_t)((val & VPMU_IBS_OP_COUNT_) >> VPMU_IBS_OP_COUNT_SHIFT_);
    } else if (reg == VPMU_IBS_FETCH_CTL) {
        set_fetch_count(s, val);
    }
    return VPMU_X86_OK;
}

/*
 * Counters
 */

bool vpmu_ibs_enabled(const struct vpmu_ibs *s, enum vpmu_ibs_unit unit)
{
    return unit == VPMU_IBS_OP ? s->reg[VPMU_IBS_OP_CTL] & VPMU_IBS_OP_EN_
                               : s->reg[VPMU_IBS_FETCH_CTL] & VPMU_IBS_FETCH_EN_;
}

/* The maximum count, whose lowest four bits are 0. */
static uint64_t max_count(const struct vpmu_ibs *s, enum vpmu_ibs_unit unit)
{
    uint64_t ctl = s->reg[VPMU_IBS_OP_CTL];

    return unit == VPMU_IBS_FETCH ? (s->reg[VPMU_IBS_FETCH_CTL] & VPMU_IBS_FETCH_MAX_) << 4
                                  : (ctl & VPMU_IBS_OP_MAX_) << 4 | (ctl & VPMU_IBS_OP_MAX_EXT_);
}

/* Tells whether the unit is looking for something to sample. */
static bool is_running(const struct vpmu_ibs *s, enum vpmu_ibs_unit unit)
{
    bool valid = unit == VPMU_IBS_OP ? s->reg[VPMU_IBS_OP_CTL] & VPMU_IBS_OP_VAL_
                                     : s->reg[VPMU_IBS_FETCH_CTL] & VPMU_IBS_FETCH_VAL_;

    return vpmu_ibs_enabled(s, unit) && !valid && max_count(s, unit);
}

static bool counts_ops(const struct vpmu_ibs *s)
{
    return s->reg[VPMU_IBS_OP_CTL] & VPMU_IBS_OP_CNT_CTL_;
}

static uint64_t left(const struct vpmu_ibs *s, enum vpmu_ibs_unit unit)
{
    uint64_t most = max_count(s, unit);

    return s->count[unit] < most ? most - s->count[unit] : 0;
}

unsigned vpmu_ibs_tags(const struct vpmu_ibs *s)
{
    if (!is_running(s, VPMU_IBS_OP) || left(s, VPMU_IBS_OP)) {
        return 0;
    }
    return counts_ops(s) ? 1 : 1 + s->turn;
}

enum vpmu_ibs_counted vpmu_ibs_counts(const struct vpmu_ibs *s, enum vpmu_ibs_unit unit)
{
    if (!is_running(s, unit)) {
        return VPMU_IBS_NOTHING;
    }
    if (unit == VPMU_IBS_FETCH) {
        return VPMU_IBS_FETCHES;
    }
    if (vpmu_ibs_tags(s)) {
        return VPMU_IBS_NOTHING;
    }
    return counts_ops(s) ? VPMU_IBS_OPS : VPMU_IBS_CYCLES;
}

/* The fetch after the interval is sampled. It is reported with the interval. */
uint64_t vpmu_ibs_left(const struct vpmu_ibs *s, enum vpmu_ibs_unit unit)
{
    if (vpmu_ibs_counts(s, unit) == VPMU_IBS_NOTHING) {
        return 0;
    }
    return left(s, unit) + (unit == VPMU_IBS_FETCH);
}

void vpmu_ibs_advance(struct vpmu_ibs *s, enum vpmu_ibs_unit unit, uint64_t n)
{
    uint64_t most = left(s, unit);

    if (vpmu_ibs_counts(s, unit) != VPMU_IBS_NOTHING) {
        s->count[unit] += (uint32_t)(n < most ? n : most);
    }
}

/* After an interval in cycles, the ops of a line of four take turns. */
static void next_turn(struct vpmu_ibs *s)
{
    if (!counts_ops(s)) {
        s->turn = (s->turn + 1) % TURNS;
    }
}

void vpmu_ibs_end_op_(struct vpmu_ibs *s)
{
    s->count[VPMU_IBS_OP] = next_nonzero(s, COUNT_RANDOM);
    next_turn(s);
}

void vpmu_ibs_op_aborted(struct vpmu_ibs *s)
{
    vpmu_ibs_end_op_(s);
}

void vpmu_ibs_restart_fetch_(struct vpmu_ibs *s)
{
    bool random = s->reg[VPMU_IBS_FETCH_CTL] & VPMU_IBS_FETCH_RAND_EN_;

    s->count[VPMU_IBS_FETCH] = random ? next_nonzero(s, FETCH_RANDOM) : 0;
}

bool vpmu_ibs_view(const struct vpmu_ibs *s, enum vpmu_ibs_unit unit, struct vpmu_ibs_view *view)
{
    bool is_op = unit == VPMU_IBS_OP;
    uint32_t msr = VPMU_IBS_FIRST_MSR + (is_op ? VPMU_IBS_OP_CTL : VPMU_IBS_FETCH_CTL);

    *view = (struct vpmu_ibs_view){
        .interval = max_count(s, unit),
        .count = s->count[is_op ? VPMU_IBS_OP : VPMU_IBS_FETCH],
        .counted = !is_op          ? VPMU_IBS_FETCHES
                   : counts_ops(s) ? VPMU_IBS_OPS
                                   : VPMU_IBS_CYCLES,
        .enabled = vpmu_ibs_enabled(s, unit),
        .counting = vpmu_ibs_counts(s, unit) != VPMU_IBS_NOTHING,
    };
    vpmu_ibs_rdmsr(s, msr, &view->control);
    view->valid = view->control & (is_op ? VPMU_IBS_OP_VAL_ : VPMU_IBS_FETCH_VAL_);
    return view->control;
}
