/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* The second BRBE. Names are those of the Arm ARM's pseudocode. */
#include "naive_brbe.h"

static unsigned field(uint64_t value, unsigned high, unsigned low)
{
    return (unsigned)(value >> low & ((1ull << (high - low + 1)) - 1));
}

static bool branch_record_allowed(const struct naive_brbe *n, unsigned el)
{
    if (field(n->pe.aarch32, el, el)) {
        return false;
    }
    if (field(n->brbfcr, 7, 7)) {
        return false;
    }
    if (el == 3 && n->version >= 2) {
        return n->has_el3 && field(n->pe.mdcr_el3, 38, 38) != field(n->pe.mdcr_el3, 37, 37);
    }
    if (n->has_el3) {
        if (field(n->pe.mdcr_el3, 33, 32) == 0) {
            return false;
        }
        if (n->pe.secure && field(n->pe.mdcr_el3, 33, 32) == 1) {
            return false;
        }
    }
    switch (el) {
    case 2:
        return field(n->brbcr_el2, 1, 1);
    case 1:
        return field(n->brbcr_el1, 1, 1);
    case 0:
        return n->pe.el2_enabled && n->pe.tge ? field(n->brbcr_el2, 0, 0)
                                              : field(n->brbcr_el1, 0, 0);
    default:
        return false;
    }
}

static bool cycle_counting_enabled(const struct naive_brbe *n)
{
    return field(n->brbcr_el1, 3, 3) && (!n->has_el2 || field(n->brbcr_el2, 3, 3));
}

/*
 * The cycles until the next record are known only if every instruction between may be recorded, and
 * cycle counting is enabled all the time.
 */
static void note_region(struct naive_brbe *n)
{
    if (!branch_record_allowed(n, n->pe.el) || !cycle_counting_enabled(n)) {
        n->last_known = false;
    }
}

void naive_brbe_start(struct naive_brbe *n, const struct vpmu_brbe_config *config)
{
    *n = (struct naive_brbe){.version = config->version,
                             .records = config->records,
                             .has_el2 = config->has_el2,
                             .has_el3 = config->has_el3,
                             .pe.el = 1};
}

void naive_brbe_move(struct naive_brbe *n, const struct vpmu_brbe_pe *pe)
{
    n->pe = *pe;
    note_region(n);
}

static bool filter_branch_record(const struct naive_brbe *n, unsigned type)
{
    unsigned eni = field(n->brbfcr, 16, 16);

    switch (type) {
    case 0:
        return field(n->brbfcr, 17, 17) != eni;
    case 1:
        return field(n->brbfcr, 18, 18) != eni;
    case 2:
        return field(n->brbfcr, 21, 21) != eni;
    case 3:
        return field(n->brbfcr, 20, 20) != eni;
    case 5:
        return field(n->brbfcr, 19, 19) != eni;
    default:
        return field(n->brbfcr, 22, 22) != eni;
    }
}

static bool mispredict_allowed(const struct naive_brbe *n)
{
    return field(n->brbcr_el1, 4, 4) && (!n->has_el2 || field(n->brbcr_el2, 4, 4));
}

/* CCU and CC in their places. */
static uint64_t enc_cycle_count(struct naive_brbe *n, uint64_t now)
{
    bool known = n->last_known && now != UINT64_MAX && cycle_counting_enabled(n);
    uint64_t cc = now - n->last_cycle;
    uint64_t e = 1;

    n->last_known = now != UINT64_MAX && cycle_counting_enabled(n);
    n->last_cycle = now;
    if (!known) {
        return 1ull << 46;
    }
    if (cc < 256) {
        return cc << 32;
    }
    if (cc >= 1048576) {
        return 0x3fffull << 32;
    }
    while (cc >= 512) {
        e++;
        cc /= 2;
    }
    return e << 40 | (cc & 255) << 32;
}

static void update_buffer(struct naive_brbe *n, uint64_t inf, uint64_t src, uint64_t tgt)
{
    for (unsigned i = n->records - 1; i > 0; i--) {
        n->inf[i] = n->inf[i - 1];
        n->src[i] = n->src[i - 1];
        n->tgt[i] = n->tgt[i - 1];
    }
    n->inf[0] = inf;
    n->src[0] = src;
    n->tgt[0] = tgt;
}

bool naive_brbe_shows(const struct naive_brbe *n)
{
    return branch_record_allowed(n, n->pe.el);
}

bool naive_brbe_records(const struct naive_brbe *n, unsigned type)
{
    return branch_record_allowed(n, n->pe.el) && filter_branch_record(n, type);
}

/* Tries each state that a PE can be in with this MDCR_EL3, except that SBRBE permits all. */
bool naive_brbe_enabled(const struct naive_brbe *n)
{
    struct naive_brbe other = *n;

    other.pe = (struct vpmu_brbe_pe){.mdcr_el3 = n->pe.mdcr_el3 | 3ull << 32, .el2_enabled = true};
    for (unsigned el = 0; el < 5; el++) {
        other.pe.tge = el == 4;
        if (branch_record_allowed(&other, el % 4)) {
            return true;
        }
    }
    return false;
}

bool naive_brbe_branch(struct naive_brbe *n, unsigned type, bool mispredicted, uint64_t from,
                       uint64_t to, uint64_t now)
{
    uint64_t inf;

    if (!naive_brbe_records(n, type)) {
        return false;
    }
    inf = enc_cycle_count(n, now) | (uint64_t)type << 8 | (uint64_t)n->pe.el << 6 | 3;
    if (mispredicted && mispredict_allowed(n)) {
        inf |= 1 << 5;
    }
    update_buffer(n, inf, from, to);
    return true;
}

static bool record_crossing(struct naive_brbe *n, unsigned source_el, unsigned target_el,
                            unsigned type, uint64_t from, uint64_t to, uint64_t now)
{
    bool source_valid = branch_record_allowed(n, source_el);
    bool target_valid = branch_record_allowed(n, target_el);
    uint64_t inf;

    if (!source_valid && !target_valid) {
        return false;
    }
    inf = enc_cycle_count(n, now) | (uint64_t)type << 8;
    inf |= target_valid ? (uint64_t)target_el << 6 | 1 : 0;
    inf |= source_valid ? 2 : 0;
    update_buffer(n, inf, source_valid ? from : 0, target_valid ? to : 0);
    return true;
}

/* The bit of BRBCR of that exception level; at EL3, the bits of MDCR_EL3. */
static bool enabled_at(const struct naive_brbe *n, unsigned el, unsigned bit)
{
    switch (el) {
    case 3:
        return n->version >= 2 && n->has_el3 &&
               field(n->pe.mdcr_el3, 38, 38) != field(n->pe.mdcr_el3, 37, 37);
    case 2:
        return field(n->brbcr_el2, bit, bit);
    case 1:
        return field(n->brbcr_el1, bit, bit);
    default:
        return true;
    }
}

bool naive_brbe_exception(struct naive_brbe *n, const struct vpmu_brbe_pe *after, unsigned type,
                          uint64_t from, uint64_t to, uint64_t now)
{
    bool recorded = false;

    if (enabled_at(n, after->el, 23)) {
        recorded = record_crossing(n, n->pe.el, after->el, type, from, to, now);
    }
    naive_brbe_move(n, after);
    return recorded;
}

bool naive_brbe_return(struct naive_brbe *n, const struct vpmu_brbe_pe *after, uint64_t from,
                       uint64_t to, uint64_t now)
{
    unsigned source_el = n->pe.el;
    bool recorded = false;

    n->pe = *after;
    if (enabled_at(n, source_el, 22)) {
        recorded = record_crossing(n, source_el, after->el, 7, from, to, now);
    }
    note_region(n);
    return recorded;
}

bool naive_brbe_overflow(const struct naive_brbe *n, uint64_t ovs, unsigned hpmn)
{
    if (!branch_record_allowed(n, n->pe.el)) {
        return false;
    }
    for (unsigned m = 0; m < 31; m++) {
        bool hyp = n->has_el2 && m >= hpmn;

        if (field(ovs, m, m) && field(hyp ? n->brbcr_el2 : n->brbcr_el1, 8, 8)) {
            return true;
        }
    }
    return field(ovs, 32, 32) && field(n->brbcr_el1, 8, 8);
}

void naive_brbe_freeze(struct naive_brbe *n, uint64_t time)
{
    n->brbfcr |= 1 << 7;
    n->brbts = time;
    n->last_known = false;
}

static uint64_t read_record(const struct naive_brbe *n, const uint64_t *records, unsigned reg)
{
    unsigned index = field(n->brbfcr, 29, 28) * 32 + reg;

    return index < n->records ? records[index] : 0;
}

uint64_t naive_brbe_read(const struct naive_brbe *n, unsigned reg)
{
    switch (reg) {
    case VPMU_BRBCR_EL1:
        return n->pe.el == 2 && n->pe.e2h ? n->brbcr_el2 : n->brbcr_el1;
    case VPMU_BRBCR_EL12:
        return n->brbcr_el1;
    case VPMU_BRBCR_EL2:
        return n->brbcr_el2;
    case VPMU_BRBFCR:
        return n->brbfcr;
    case VPMU_BRBTS:
        return n->brbts;
    case VPMU_BRBINFINJ:
        return n->inj_inf;
    case VPMU_BRBSRCINJ:
        return n->inj_src;
    case VPMU_BRBTGTINJ:
        return n->inj_tgt;
    case VPMU_BRBIDR0:
        return 0x5000 + n->records;
    default:
        if (reg < VPMU_BRBSRC0) {
            return read_record(n, n->inf, reg - VPMU_BRBINF0);
        }
        return reg < VPMU_BRBTGT0 ? read_record(n, n->src, reg - VPMU_BRBSRC0)
                                  : read_record(n, n->tgt, reg - VPMU_BRBTGT0);
    }
}

/* Fields that are RES0 in this record are 0 in it, and an exponent beyond 20 bits is all ones. */
static void inject(struct naive_brbe *n)
{
    unsigned valid = field(n->inj_inf, 1, 0);
    uint64_t inf = n->inj_inf;

    if (valid == 0) {
        update_buffer(n, 0, 0, 0);
        return;
    }
    if (field(inf, 46, 46)) {
        inf &= ~(0x3fffull << 32);
    } else if (field(inf, 45, 40) > 12) {
        inf |= 0x3fffull << 32;
    }
    if (valid == 1 || field(inf, 13, 13)) {
        inf &= ~(1ull << 5);
    }
    if (valid == 2) {
        inf &= ~(3ull << 6);
    }
    update_buffer(n, inf, valid == 1 ? 0 : n->inj_src, valid == 2 ? 0 : n->inj_tgt);
}

static void invalidate(struct naive_brbe *n)
{
    for (unsigned i = 0; i < 64; i++) {
        n->inf[i] = n->src[i] = n->tgt[i] = 0;
    }
    n->last_known = false;
}

void naive_brbe_write(struct naive_brbe *n, unsigned reg, uint64_t val)
{
    const uint64_t brbcr = 0x00c0017b;

    switch (reg) {
    case VPMU_BRBCR_EL12:
        n->brbcr_el1 = val & brbcr;
        break;
    case VPMU_BRBCR_EL1:
        if (!(n->pe.el == 2 && n->pe.e2h)) {
            n->brbcr_el1 = val & brbcr;
            break;
        }
        /* fallthrough */
    case VPMU_BRBCR_EL2:
        n->brbcr_el2 = n->has_el2 ? val & brbcr : 0;
        break;
    case VPMU_BRBFCR:
        n->brbfcr = val & 0x307f0080;
        break;
    case VPMU_BRBTS:
        n->brbts = val;
        break;
    case VPMU_BRBINFINJ:
        n->inj_inf = val & 0x00007fff00003fe3;
        break;
    case VPMU_BRBSRCINJ:
        n->inj_src = val;
        break;
    case VPMU_BRBTGTINJ:
        n->inj_tgt = val;
        break;
    case VPMU_BRB_IALL:
        invalidate(n);
        break;
    case VPMU_BRB_INJ:
        inject(n);
        break;
    default:
        break;
    }
    note_region(n);
}

enum vpmu_access naive_brbe_access(const struct naive_brbe *n, unsigned reg, bool write)
{
    unsigned el = n->pe.el;
    unsigned sbrbe = field(n->pe.mdcr_el3, 33, 32);
    bool undefined = el == 0 || field(n->pe.aarch32, el, el);

    if (write ? reg == VPMU_BRBIDR0 || reg >= VPMU_BRBINF0
              : reg == VPMU_BRB_IALL || reg == VPMU_BRB_INJ) {
        undefined = true;
    }
    if (reg == VPMU_BRBCR_EL2 && el == 1) {
        undefined = true;
    }
    if (reg == VPMU_BRBCR_EL12 && (el == 1 || !n->has_el2 || !n->pe.e2h)) {
        undefined = true;
    }
    if (undefined) {
        return VPMU_ACCESS_UNDEFINED;
    }
    if (n->has_el3 && el < 3 && (n->pe.secure ? sbrbe != 3 : sbrbe == 0 || sbrbe == 2)) {
        return VPMU_ACCESS_TRAP_EL3;
    }
    return VPMU_ACCESS_OK;
}
