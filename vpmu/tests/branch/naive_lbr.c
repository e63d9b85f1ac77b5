/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* The second LBR. Names are those of the manuals. */
#include "naive_lbr.h"

static bool bit(uint64_t value, unsigned n)
{
    return value >> n & 1;
}

static bool has(const struct naive_lbr *n, unsigned feature)
{
    return n->config.features & feature;
}

static bool is(const struct naive_lbr *n, unsigned kind)
{
    return n->config.kind == kind;
}

static bool has_info(const struct naive_lbr *n)
{
    return is(n, VPMU_LBR_ARCH) || n->config.format == 5;
}

void naive_lbr_start(struct naive_lbr *n, const struct vpmu_lbr_config *config)
{
    *n = (struct naive_lbr){.config = *config, .depth = config->depth};
}

bool naive_lbr_on(const struct naive_lbr *n)
{
    if (n->frozen) {
        return false;
    }
    return is(n, VPMU_LBR_LEGACY) ? bit(n->debugctl, 0)
           : is(n, VPMU_LBR_ARCH) ? bit(n->select, 0)
                                  : bit(n->extn, 6);
}

static bool call_stack(const struct naive_lbr *n)
{
    return !is(n, VPMU_LBR_AMD) && bit(n->select, is(n, VPMU_LBR_ARCH) ? 3 : 9);
}

/* The bit of a type: of LBR_SELECT, or of IA32_LBR_CTL. */
static unsigned filter_bit(unsigned type, bool arch)
{
    switch (type) {
    case 8:
        return arch ? 16 : 2;
    case 0:
        return arch ? 17 : 7;
    case 1:
        return arch ? 18 : 6;
    case 2:
        return arch ? 19 : 3;
    case 3:
        return arch ? 20 : 4;
    case 5:
        return arch ? 21 : 5;
    default:
        return arch ? 22 : 8;
    }
}

bool naive_lbr_records(const struct naive_lbr *n, unsigned type, unsigned cpl)
{
    bool arch = is(n, VPMU_LBR_ARCH);

    if (!naive_lbr_on(n)) {
        return false;
    }
    if (bit(n->select, filter_bit(type, arch)) != arch) {
        return false;
    }
    if (call_stack(n) && type != 2 && type != 3 && type != 5) {
        return false;
    }
    return arch ? bit(n->select, cpl == 0 ? 1 : 2) : !bit(n->select, cpl == 0 ? 0 : 1);
}

static void shift_up(uint64_t *msrs, unsigned depth, uint64_t newest)
{
    for (unsigned i = depth - 1; i > 0; i--) {
        msrs[i] = msrs[i - 1];
    }
    msrs[0] = newest;
}

static void shift_down(uint64_t *msrs, unsigned depth)
{
    for (unsigned i = 0; i + 1 < depth; i++) {
        msrs[i] = msrs[i + 1];
    }
    msrs[depth - 1] = 0;
}

/* The cycles since the last record, at most FFFFH, with CYC_CNT_VALID at bit 60. */
static uint64_t elapsed(struct naive_lbr *n, uint64_t now)
{
    uint64_t cycles = now - n->last_cycle;
    bool known = n->last_known && now != UINT64_MAX;

    n->last_known = now != UINT64_MAX;
    n->last_cycle = now;
    if (!known) {
        return 0;
    }
    return 1ull << 60 | (cycles > 0xffff ? 0xffff : cycles);
}

static uint64_t type_code(unsigned type)
{
    static const uint8_t codes[] = {2, 1, 4, 3, 99, 5, 99, 99, 0};

    return type < 9 && codes[type] != 99 ? codes[type] : 8;
}

static void record(struct naive_lbr *n, unsigned type, bool mispredicted, uint64_t from,
                   uint64_t to, uint64_t now)
{
    uint64_t mis = mispredicted ? 1ull << 63 : 0;
    uint64_t cycles = elapsed(n, now);

    if (is(n, VPMU_LBR_ARCH)) {
        shift_up(n->from, n->depth, from);
        shift_up(n->to, n->depth, to);
        shift_up(n->info, n->depth, mis | cycles | type_code(type) << 56);
    } else if (is(n, VPMU_LBR_AMD)) {
        shift_up(n->from, n->depth, (from & ~(1ull << 63)) | mis);
        shift_up(n->to, n->depth, (to & ~(7ull << 61)) | 1ull << 63);
    } else {
        n->tos = (n->tos + 1) % n->depth;
        n->to[n->tos] = to;
        if (n->config.format == 5) {
            n->from[n->tos] = from;
            n->info[n->tos] = mis | (cycles & 0xffff);
        } else if (n->config.format == 4) {
            n->from[n->tos] = (from & ~(7ull << 61)) | mis;
        } else {
            n->from[n->tos] = (from & ~(1ull << 63)) | mis;
        }
    }
}

static void pop(struct naive_lbr *n)
{
    if (is(n, VPMU_LBR_ARCH)) {
        shift_down(n->from, n->depth);
        shift_down(n->to, n->depth);
        shift_down(n->info, n->depth);
        return;
    }
    n->from[n->tos] = n->to[n->tos] = n->info[n->tos] = 0;
    n->tos = (n->tos + n->depth - 1) % n->depth;
}

bool naive_lbr_branch(struct naive_lbr *n, unsigned type, bool mispredicted, uint64_t from,
                      uint64_t to, uint64_t now)
{
    if (!naive_lbr_records(n, type, n->cpl)) {
        return false;
    }
    if (call_stack(n) && type == 5) {
        pop(n);
    } else {
        record(n, type, mispredicted, from, to, now);
    }
    return true;
}

bool naive_lbr_far(struct naive_lbr *n, unsigned cpl, unsigned type, uint64_t from, uint64_t to,
                   uint64_t now)
{
    /* SDM, Filtering Based on CPL: no address of a CPL that is filtered out. */
    bool hidden = is(n, VPMU_LBR_ARCH) && !bit(n->select, n->cpl == 0 ? 1 : 2);

    n->cpl = cpl;
    if (!naive_lbr_records(n, type, cpl)) {
        return false;
    }
    from = hidden ? UINT64_MAX : from;
    record(n, type, false, from, to, now);
    return true;
}

/* The cycles of the first record after a pause are not known. */
static void note_pause(struct naive_lbr *n)
{
    if (!naive_lbr_on(n)) {
        n->last_known = false;
    }
}

void naive_lbr_debug(struct naive_lbr *n)
{
    if (is(n, VPMU_LBR_LEGACY)) {
        n->debugctl &= ~1ull;
    }
    note_pause(n);
}

void naive_lbr_pmi(struct naive_lbr *n)
{
    if (bit(n->debugctl, 11)) {
        if (has(n, VPMU_LBR_STATUS)) {
            n->frozen = true;
        } else {
            n->debugctl &= ~1ull;
        }
    }
    note_pause(n);
}

void naive_lbr_set_frozen(struct naive_lbr *n, bool frozen)
{
    n->frozen = frozen && has(n, VPMU_LBR_STATUS);
    note_pause(n);
}

/* Finds the array and element of a register. Return: NULL if the MSR is no register of a record. */
static uint64_t *find(struct naive_lbr *n, uint32_t msr, unsigned *index)
{
    static const uint32_t legacy[] = {0x680, 0x6c0, 0xdc0};
    static const uint32_t arch[] = {0x1500, 0x1600, 0x1200};
    uint64_t *arrays[] = {n->from, n->to, n->info};

    for (unsigned i = 0; i < (has_info(n) ? 3u : 2u); i++) {
        uint32_t first = is(n, VPMU_LBR_LEGACY) ? legacy[i] : arch[i];

        if (!is(n, VPMU_LBR_AMD) && msr >= first && msr < first + n->config.depth) {
            *index = msr - first;
            return arrays[i];
        }
    }
    if (is(n, VPMU_LBR_AMD) && msr >= 0xc0010300 && msr < 0xc0010300 + 2u * n->config.depth) {
        *index = (msr - 0xc0010300) / 2;
        return arrays[msr % 2];
    }
    return 0;
}

static uint64_t *find_control(struct naive_lbr *n, uint32_t msr)
{
    switch (msr) {
    case 0x1d9:
        return &n->debugctl;
    case 0x1c8:
        return is(n, VPMU_LBR_LEGACY) ? &n->select : 0;
    case 0x14ce:
        return is(n, VPMU_LBR_ARCH) ? &n->select : 0;
    case 0xc000010e:
        return is(n, VPMU_LBR_AMD) ? &n->select : 0;
    case 0xc000010f:
        return is(n, VPMU_LBR_AMD) ? &n->extn : 0;
    default:
        return 0;
    }
}

enum vpmu_x86_access naive_lbr_rdmsr(struct naive_lbr *n, uint32_t msr, uint64_t *val)
{
    uint64_t *control = find_control(n, msr);
    unsigned index = 0;
    const uint64_t *array = find(n, msr, &index);

    *val = 0;
    if (control) {
        *val = *control;
        return VPMU_X86_OK;
    }
    if (is(n, VPMU_LBR_LEGACY) && msr == 0x1c9) {
        *val = n->tos;
        return VPMU_X86_OK;
    }
    if (is(n, VPMU_LBR_ARCH) && msr == 0x14cf) {
        *val = n->depth;
        return VPMU_X86_OK;
    }
    if (!array) {
        return VPMU_X86_UNKNOWN;
    }
    if (index >= n->depth) {
        return VPMU_X86_GP;
    }
    *val = array[index];
    return VPMU_X86_OK;
}

/* The bits that can be written. */
static uint64_t writable(const struct naive_lbr *n, uint32_t msr)
{
    uint64_t freeze = !is(n, VPMU_LBR_AMD) || has(n, VPMU_LBR_STATUS) ? 1 << 11 : 0;

    switch (msr) {
    case 0x1d9:
        if (is(n, VPMU_LBR_ARCH)) {
            return (n->config.debugctl | freeze) & ~1ull;
        }
        return n->config.debugctl | freeze | is(n, VPMU_LBR_LEGACY);
    case 0x14ce:
        return has(n, VPMU_LBR_CALL_STACK) ? 0x7f000f : 0x7f0007;
    case 0xc000010f:
        return 0x40;
    default:
        return has(n, VPMU_LBR_CALL_STACK) ? 0x3ff : 0x1ff;
    }
}

/* Tells whether bits @high down to the highest one of an address are all the same. */
static bool canonical(const struct naive_lbr *n, uint64_t val, unsigned high)
{
    for (unsigned i = n->config.address_bits; i <= high; i++) {
        if (bit(val, i) != bit(val, n->config.address_bits - 1u)) {
            return false;
        }
    }
    return true;
}

static uint64_t amd_value(uint64_t val, bool to)
{
    uint64_t flags = to ? 3ull << 62 : 1ull << 63;
    uint64_t extension = bit(val, 57) ? (to ? 7ull << 58 : 31ull << 58) : 0;

    return (val & flags) | extension | (val & 0x03ffffffffffffff);
}

static bool intel_accepts(const struct naive_lbr *n, const uint64_t *array, uint64_t val)
{
    if (array == n->info) {
        return is(n, VPMU_LBR_ARCH) || !(val & 0x1fffffffffff0000);
    }
    if (array == n->from && n->config.format == 4) {
        return canonical(n, val, has(n, VPMU_LBR_TSX) ? 60 : 62);
    }
    return canonical(n, val, array == n->from && n->config.format == 3 ? 62 : 63);
}

static enum vpmu_x86_access write_record(struct naive_lbr *n, uint64_t *array, unsigned index,
                                         uint64_t val)
{
    if (index >= n->depth) {
        return VPMU_X86_GP;
    }
    if (is(n, VPMU_LBR_AMD)) {
        array[index] = amd_value(val, array == n->to);
        return VPMU_X86_OK;
    }
    if (!intel_accepts(n, array, val)) {
        return VPMU_X86_GP;
    }
    if (array == n->info && is(n, VPMU_LBR_ARCH)) {
        val &= bit(val, 60) ? 0xff0000000000ffff : 0xff00000000000000;
    }
    array[index] = val;
    return VPMU_X86_OK;
}

static enum vpmu_x86_access write_depth(struct naive_lbr *n, uint64_t val)
{
    if (val == 0 || val % 8 != 0 || val > 64 || !bit(n->config.depths, (unsigned)val / 8 - 1)) {
        return VPMU_X86_GP;
    }
    for (unsigned i = 0; i < 64; i++) {
        n->from[i] = n->to[i] = n->info[i] = 0;
    }
    n->depth = (unsigned)val;
    n->last_known = false;
    return VPMU_X86_OK;
}

enum vpmu_x86_access naive_lbr_wrmsr(struct naive_lbr *n, uint32_t msr, uint64_t val)
{
    uint64_t *control = find_control(n, msr);
    unsigned index = 0;
    uint64_t *array = find(n, msr, &index);

    if (control) {
        uint64_t ignored = is(n, VPMU_LBR_AMD) ? UINT64_MAX : msr == 0x1d9 && is(n, VPMU_LBR_ARCH);

        if (val & ~writable(n, msr) & ~ignored) {
            return VPMU_X86_GP;
        }
        *control = val & writable(n, msr);
        note_pause(n);
        return VPMU_X86_OK;
    }
    if (is(n, VPMU_LBR_LEGACY) && msr == 0x1c9) {
        if (val >= n->depth) {
            return VPMU_X86_GP;
        }
        n->tos = (unsigned)val;
        return VPMU_X86_OK;
    }
    if (is(n, VPMU_LBR_ARCH) && msr == 0x14cf) {
        return write_depth(n, val);
    }
    return array ? write_record(n, array, index, val) : VPMU_X86_UNKNOWN;
}
