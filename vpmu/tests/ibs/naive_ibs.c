/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* The second IBS. Names are those of the manual. */
#include "naive_ibs.h"

enum {
    FETCH_CTL,
    FETCH_LIN_AD,
    FETCH_PHYS_AD,
    OP_CTL,
    OP_RIP,
    OP_DATA,
    OP_DATA2,
    OP_DATA3,
    DC_LIN_AD,
    DC_PHYS_AD,
    CTL,
    BR_TARGET,
    EXTD_CTL
};

/* The effect of writing reserved bits. */
enum reserved {
    MBZ, /* must be 0: #GP */
    RAZ, /* ignored */
};

/* Bits high:low of a register exist from one generation on, up to another. */
struct field {
    uint8_t reg, high, low, from, to;
};

static const struct field fields[] = {
    {FETCH_CTL, 58, 0, 1, 5},  {FETCH_CTL, 59, 59, 4, 5},   {FETCH_CTL, 60, 60, 4, 5},
    {FETCH_CTL, 61, 61, 4, 5}, {FETCH_LIN_AD, 63, 0, 1, 5}, {FETCH_PHYS_AD, 51, 0, 1, 5},
    {OP_CTL, 15, 0, 1, 5},     {OP_CTL, 16, 16, 4, 5},      {OP_CTL, 26, 17, 1, 5},
    {OP_CTL, 58, 32, 1, 5},    {OP_CTL, 63, 59, 5, 5},      {OP_RIP, 63, 0, 1, 5},
    {OP_DATA, 31, 0, 1, 5},    {OP_DATA, 40, 34, 1, 5},     {OP_DATA2, 2, 0, 1, 5},
    {OP_DATA2, 4, 4, 1, 5},    {OP_DATA2, 5, 5, 1, 2},      {OP_DATA2, 7, 5, 4, 5},
    {OP_DATA3, 5, 0, 1, 5},    {OP_DATA3, 6, 6, 1, 4},      {OP_DATA3, 8, 7, 1, 5},
    {OP_DATA3, 18, 13, 1, 5},  {OP_DATA3, 19, 19, 1, 4},    {OP_DATA3, 63, 20, 1, 5},
    {DC_LIN_AD, 63, 0, 1, 5},  {DC_PHYS_AD, 51, 0, 1, 5},   {BR_TARGET, 63, 0, 1, 5},
};

static uint64_t get(uint64_t value, unsigned high, unsigned low)
{
    return value << (63 - high) >> (63 - high + low);
}

static uint64_t put(unsigned low, uint64_t value)
{
    return value << low;
}

static bool exists(const struct naive_ibs *n, unsigned reg, unsigned bit)
{
    for (unsigned i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
        const struct field *f = &fields[i];

        if (f->reg == reg && bit <= f->high && bit >= f->low && n->zen >= f->from &&
            n->zen <= f->to) {
            return true;
        }
    }
    return false;
}

static enum reserved reserved(unsigned reg)
{
    return reg == FETCH_CTL || reg == OP_DATA2 ? RAZ : MBZ;
}

void naive_ibs_start(struct naive_ibs *n, unsigned zen)
{
    *n = (struct naive_ibs){.zen = zen, .reg = {[CTL] = 0x100}};
}

enum vpmu_x86_access naive_ibs_wrmsr(struct naive_ibs *n, unsigned reg, uint64_t val)
{
    if (reg == CTL) {
        return VPMU_X86_GP; /* PPR: Error-on-write */
    }
    if (reg == EXTD_CTL) {
        return VPMU_X86_OK; /* PPR: Read-only */
    }
    for (unsigned bit = 0; bit < 64; bit++) {
        if (get(val, bit, bit) && !exists(n, reg, bit)) {
            if (reserved(reg) == MBZ) {
                return VPMU_X86_GP;
            }
            val &= ~put(bit, 1);
        }
    }
    n->reg[reg] = val;
    if (reg == FETCH_CTL) {
        /* Samples set them, software does not. */
        n->reg[reg] &= n->zen < 5 ? ~(put(56, 1) | put(58, 1)) : UINT64_MAX;
        n->fetch_low = 0;
    }
    return VPMU_X86_OK;
}

static uint64_t op_max(const struct naive_ibs *n)
{
    return put(20, get(n->reg[OP_CTL], 26, 20)) + put(4, get(n->reg[OP_CTL], 15, 0));
}

static uint64_t fetch_max(const struct naive_ibs *n)
{
    return put(4, get(n->reg[FETCH_CTL], 15, 0));
}

static uint64_t op_count(const struct naive_ibs *n)
{
    return get(n->reg[OP_CTL], 58, 32);
}

static uint64_t fetch_count(const struct naive_ibs *n)
{
    return put(4, get(n->reg[FETCH_CTL], 31, 16)) + n->fetch_low;
}

static void set_op_count(struct naive_ibs *n, uint64_t count)
{
    n->reg[OP_CTL] = (n->reg[OP_CTL] & ~put(32, 0x7ffffff)) | put(32, count);
}

static void set_fetch_count(struct naive_ibs *n, uint64_t count)
{
    n->reg[FETCH_CTL] = (n->reg[FETCH_CTL] & ~put(16, 0xffff)) | put(16, count >> 4);
    n->fetch_low = count & 15;
}

static uint64_t left(bool on, uint64_t count, uint64_t most)
{
    if (!on || most == 0) {
        return UINT64_MAX;
    }
    return count < most ? most - count : 0;
}

uint64_t naive_ibs_op_left(const struct naive_ibs *n)
{
    bool on = get(n->reg[OP_CTL], 17, 17) && !get(n->reg[OP_CTL], 18, 18);

    return left(on, op_count(n), op_max(n));
}

uint64_t naive_ibs_fetch_left(const struct naive_ibs *n)
{
    bool on = get(n->reg[FETCH_CTL], 48, 48) && !get(n->reg[FETCH_CTL], 49, 49);

    return left(on, fetch_count(n), fetch_max(n));
}

void naive_ibs_count_op(struct naive_ibs *n, uint64_t events)
{
    set_op_count(n, op_count(n) + events);
}

void naive_ibs_count_fetch(struct naive_ibs *n, uint64_t fetches)
{
    set_fetch_count(n, fetch_count(n) + fetches);
}

static bool missed_l3(unsigned level)
{
    return level == VPMU_DATA_DRAM || level == VPMU_DATA_UNCACHED;
}

static uint64_t op_data(const struct vpmu_ibs_op *op, const struct vpmu_x86_data_access *access)
{
    uint64_t cycles = 1 + vpmu_data_latency(access->level) +
                      vpmu_translation_latency(access->translated) +
                      (op->branch & VPMU_IBS_IS_MISPREDICTED ? 15 : 0);

    return put(16, cycles) | put(34, !!(op->branch & VPMU_IBS_IS_RETURN)) |
           put(35, !!(op->branch & VPMU_IBS_IS_TAKEN)) |
           put(36, !!(op->branch & VPMU_IBS_IS_MISPREDICTED)) |
           put(37, !!(op->branch & VPMU_IBS_IS_BRANCH)) | put(38, op->rip_invalid);
}

static uint64_t op_data2(const struct naive_ibs *n, unsigned level)
{
    switch (level) {
    case VPMU_DATA_LLC:
    case VPMU_DATA_SHARED:
        return put(5, n->zen != 3) | (n->zen >= 4 ? 1 : 2);
    case VPMU_DATA_PEER:
        return n->zen >= 4 ? 1 : 2;
    case VPMU_DATA_DRAM:
        return 3;
    case VPMU_DATA_UNCACHED:
        return 7;
    default:
        return 0;
    }
}

static uint64_t translation(const struct naive_ibs *n, const struct vpmu_x86_data_access *access)
{
    bool walked = access->translated == VPMU_TLB_WALK;
    bool second = access->translated == VPMU_TLB_L2;
    bool first = !walked && !second;
    uint64_t missed = put(2, !first) | put(3, walked);

    if (n->zen >= 5) {
        return missed | put(4, access->page);
    }
    return missed | put(4, first && access->page == 1) | put(5, first && access->page == 2) |
           put(6, second && access->page == 1) | put(19, second && access->page == 2);
}

static uint64_t op_data3(const struct naive_ibs *n, const struct vpmu_ibs_op *op,
                         const struct vpmu_x86_data_access *access)
{
    static const uint8_t widths[] = {
        [1] = 1, [2] = 2, [4] = 3, [8] = 4, [16] = 5, [32] = 6, [64] = 7};
    bool load = op->accesses.load.level != VPMU_DATA_UNKNOWN;
    bool store = op->accesses.store.level != VPMU_DATA_UNKNOWN;
    bool miss = access->level != VPMU_DATA_L1;
    uint64_t bytes = n->zen <= 2 ? 32 : 64;
    uint64_t first = access->address / bytes;
    uint64_t last = (access->address + access->size - 1) / bytes;

    if (!load && !store) {
        return 0;
    }
    return put(0, load) | put(1, store) | translation(n, access) | put(7, miss) |
           put(8, access->size && first != last) | put(14, access->level == VPMU_DATA_UNCACHED) |
           put(15, op->accesses.locked) | put(17, 1) | put(18, access->physical_valid) |
           put(20, miss && access->level != VPMU_DATA_L2) |
           put(22, access->size <= 64 ? widths[access->size] : 0) |
           put(32, load && miss ? vpmu_data_latency(access->level) : 0) |
           put(48, vpmu_translation_latency(access->translated));
}

static bool keeps_op(const struct naive_ibs *n, const struct vpmu_ibs_op *op,
                     const struct vpmu_x86_data_access *access)
{
    uint64_t ctl = n->reg[OP_CTL];
    const struct vpmu_x86_data_access *load = &op->accesses.load;

    if (get(ctl, 16, 16) && !missed_l3(access->level)) {
        return false;
    }
    if (get(ctl, 63, 63)) {
        return load->level != VPMU_DATA_UNKNOWN && load->level != VPMU_DATA_L1 &&
               vpmu_data_latency(load->level) > 128 * (get(ctl, 62, 59) + 1);
    }
    return true;
}

static void take_turn(struct naive_ibs *n)
{
    if (!get(n->reg[OP_CTL], 19, 19)) {
        n->turn = (n->turn + 1) % 4;
    }
}

void naive_ibs_abort(struct naive_ibs *n)
{
    take_turn(n);
}

bool naive_ibs_op(struct naive_ibs *n, const struct vpmu_ibs_op *op)
{
    bool load = op->accesses.load.level != VPMU_DATA_UNKNOWN;
    const struct vpmu_x86_data_access *access = load ? &op->accesses.load : &op->accesses.store;
    bool accesses = access->level != VPMU_DATA_UNKNOWN;

    take_turn(n);
    if (!keeps_op(n, op, access)) {
        return false;
    }
    n->reg[OP_CTL] |= put(18, 1);
    n->reg[OP_RIP] = op->rip;
    n->reg[OP_DATA] = op_data(op, access);
    n->reg[OP_DATA2] = load ? op_data2(n, access->level) : 0;
    n->reg[OP_DATA3] = op_data3(n, op, access);
    n->reg[DC_LIN_AD] = accesses ? access->address : 0;
    n->reg[DC_PHYS_AD] = accesses ? access->physical : 0;
    n->reg[BR_TARGET] = op->branch & VPMU_IBS_IS_BRANCH ? op->target : 0;
    return true;
}

/* Table of APM, and of erratum 1347: 0 is 4 KiB, 1 is 16 KiB, 2 is 2 MiB, 3 is 1 GiB. */
static uint64_t page_size(const struct naive_ibs *n, const struct vpmu_x86_data_access *fetch)
{
    bool shifted = n->zen == 3 && fetch->page != VPMU_X86_PAGE_4K;

    return fetch->physical_valid ? put(52, 1) | put(53, fetch->page + shifted) : 0;
}

bool naive_ibs_fetch(struct naive_ibs *n, const struct vpmu_x86_data_access *fetch)
{
    uint64_t *ctl = &n->reg[FETCH_CTL];
    bool walked = fetch->translated == VPMU_TLB_WALK;
    bool miss = fetch->level != VPMU_DATA_L1;
    uint64_t cycles = vpmu_data_latency(fetch->level) + vpmu_translation_latency(fetch->translated);

    if (get(*ctl, 59, 59) && !missed_l3(fetch->level)) {
        return false;
    }
    *ctl &= put(0, 0xffffffff) | put(48, 1) | put(57, 1) | put(59, 1);
    *ctl |= put(32, cycles) | put(49, 1) | put(50, 1) | put(51, miss) | page_size(n, fetch) |
            put(55, walked || fetch->translated == VPMU_TLB_L2) | put(56, walked) |
            put(58, miss && fetch->level != VPMU_DATA_L2);
    if (n->zen >= 4) {
        *ctl |= put(60, 1) | put(61, missed_l3(fetch->level));
    }
    n->reg[FETCH_LIN_AD] = fetch->address;
    n->reg[FETCH_PHYS_AD] = fetch->physical;
    n->reg[EXTD_CTL] = vpmu_translation_latency(fetch->translated);
    return true;
}

bool naive_ibs_adopt_op(struct naive_ibs *n, uint64_t count)
{
    set_op_count(n, count);
    return count >= 1 && count <= 127;
}

bool naive_ibs_adopt_fetch(struct naive_ibs *n, uint64_t count)
{
    bool random = get(n->reg[FETCH_CTL], 57, 57);

    set_fetch_count(n, count);
    return random ? count >= 1 && count <= 15 : count == 0;
}
