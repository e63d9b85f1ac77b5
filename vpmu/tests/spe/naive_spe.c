/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* The second SPE. Names are those of the Arm ARM's pseudocode. */
#include "naive_spe.h"

static uint64_t field(uint64_t value, unsigned high, unsigned low)
{
    return value >> low & ((2ull << (high - low)) - 1);
}

void naive_spe_start(struct naive_spe *n, const struct vpmu_spe_config *config)
{
    *n = (struct naive_spe){.config = *config, .pe = {.el = 1, .state = 1}, .random = 0x5bd1e995};
}

/* State of the owner: 0 Secure, 1 Non-secure, 2 Realm. */
static unsigned owning_ss(const struct naive_spe *n)
{
    unsigned ns = (unsigned)field(n->pe.mdcr_el3, 13, 13);
    unsigned nse = (unsigned)field(n->pe.mdcr_el3, 11, 11);

    if (!n->config.has_el3) {
        return 1;
    }
    if (ns == 0) {
        return 0;
    }
    return n->config.has_realm && nse ? 2 : 1;
}

static unsigned owning_el(const struct naive_spe *n)
{
    if (!n->config.has_el2) {
        return 1;
    }
    if (owning_ss(n) == 0 && !n->pe.secure_el2) {
        return 1;
    }
    return field(n->pe.mdcr_el2, 13, 12) == 0 ? 2 : 1;
}

bool naive_spe_buffer_enabled(const struct naive_spe *n)
{
    if (field(n->reg[VPMU_PMBLIMITR], 0, 0) == 0 || field(n->reg[VPMU_PMBSR], 17, 17) == 1) {
        return false;
    }
    return owning_ss(n) == n->pe.state && !field(n->pe.aarch32, owning_el(n), owning_el(n));
}

static bool in_tge(const struct naive_spe *n)
{
    return n->pe.el2_enabled && n->pe.tge;
}

bool naive_spe_enabled(const struct naive_spe *n, unsigned el)
{
    if (el == 3 || !naive_spe_buffer_enabled(n) || field(n->pe.aarch32, el, el)) {
        return false;
    }
    if (owning_el(n) < el || (in_tge(n) && owning_el(n) == 1)) {
        return false;
    }
    switch (el) {
    case 2:
        return field(n->reg[VPMU_PMSCR_EL2], 1, 1);
    case 1:
        return field(n->reg[VPMU_PMSCR_EL1], 1, 1);
    default:
        return field(n->reg[in_tge(n) ? VPMU_PMSCR_EL2 : VPMU_PMSCR_EL1], 0, 0);
    }
}

static uint32_t random_after(uint32_t x)
{
    x = x ^ (x << 13);
    x = x ^ (x >> 17);
    x = x ^ (x << 5);
    return x;
}

bool naive_spe_step(struct naive_spe *n)
{
    uint64_t *count = &n->reg[VPMU_PMSICR];

    if (*count > 0) {
        *count -= 1;
        return *count == 0;
    }
    if (field(n->reg[VPMU_PMSIRR], 31, 8) > 0) {
        n->random = random_after(n->random);
        *count = field(n->reg[VPMU_PMSIRR], 31, 8) * 256;
        if (field(n->reg[VPMU_PMSIRR], 0, 0)) {
            *count += n->random % 256;
        }
    }
    return false;
}

unsigned naive_spe_collects(const struct naive_spe *n)
{
    unsigned collects = 0;
    bool owner_el2 = n->config.has_el2 && (owning_ss(n) != 0 || n->pe.secure_el2);
    bool pa1 = field(n->reg[VPMU_PMSCR_EL1], 4, 4);
    bool pa2 = field(n->reg[VPMU_PMSCR_EL2], 4, 4);

    if (n->pe.el != 2 && n->pe.el != 3 && !in_tge(n) && field(n->reg[VPMU_PMSCR_EL1], 3, 3)) {
        collects |= 1;
    }
    if (n->pe.el2_enabled && field(n->reg[VPMU_PMSCR_EL2], 3, 3)) {
        collects |= 2;
    }
    if (owner_el2 ? pa2 && (owning_el(n) == 2 || pa1) : pa1) {
        collects |= 4;
    }
    return collects;
}

unsigned naive_spe_clock(const struct naive_spe *n)
{
    uint64_t cr1 = n->reg[VPMU_PMSCR_EL1];
    uint64_t cr2 = n->reg[VPMU_PMSCR_EL2];
    uint64_t pct1 = field(cr1, 7, 6);
    uint64_t pct2 = field(cr2, 7, 6);
    bool in_host =
        n->pe.el2_enabled && n->pe.e2h && (n->pe.el == 2 || (n->pe.el == 0 && n->pe.tge));
    unsigned zero = in_host ? VPMU_SPE_PHYSICAL : VPMU_SPE_VIRTUAL;

    if (!field(owning_el(n) == 2 ? cr2 : cr1, 5, 5)) {
        return VPMU_SPE_NO_TIME;
    }
    if (n->pe.el2_enabled && (pct2 == 0 || pct2 == 2)) {
        return zero;
    }
    if (n->pe.el2_enabled && pct2 == 1 && owning_el(n) == 2) {
        return VPMU_SPE_PHYSICAL;
    }
    if (n->pe.el2_enabled && pct2 == 3) {
        return owning_el(n) == 1 && (pct1 == 0 || pct1 == 2) ? zero : VPMU_SPE_OFFSET_PHYSICAL;
    }
    return pct1 == 3 ? VPMU_SPE_OFFSET_PHYSICAL : pct1 == 1 ? VPMU_SPE_PHYSICAL : zero;
}

static bool is_load(const struct decoded *d)
{
    return d->value[D_CLASS] == 1 && !(d->value[D_SUBCLASS] & 1);
}

static bool is_store(const struct decoded *d)
{
    bool atomic = (d->value[D_SUBCLASS] & 0xe6) == 0x06;

    return d->value[D_CLASS] == 1 && (d->value[D_SUBCLASS] & 1 || atomic);
}

bool naive_spe_keeps(const struct naive_spe *n, const struct decoded *d)
{
    uint64_t fcr = n->reg[VPMU_PMSFCR];
    bool by_type = (field(fcr, 16, 16) && d->value[D_CLASS] == 2) ||
                   (field(fcr, 17, 17) && is_load(d)) || (field(fcr, 18, 18) && is_store(d));

    if (field(fcr, 1, 1) && field(fcr, 18, 16) != 0 && !by_type) {
        return false;
    }
    if (field(fcr, 2, 2) && d->value[D_TOTAL] < n->reg[VPMU_PMSLATFR]) {
        return false;
    }
    for (unsigned bit = 0; bit < 64; bit++) {
        bool event = field(d->value[D_EVENTS], bit, bit);

        if (field(fcr, 0, 0) && field(n->reg[VPMU_PMSEVFR], bit, bit) && !event) {
            return false;
        }
        if (field(fcr, 3, 3) && field(n->reg[VPMU_PMSNEVFR], bit, bit) && event) {
            return false;
        }
    }
    return true;
}

void naive_spe_written(struct naive_spe *n)
{
    uint64_t limit = n->reg[VPMU_PMBLIMITR] & ~0xfffull;

    n->reg[VPMU_PMBPTR] += 64;
    if (limit == 0 || n->reg[VPMU_PMBPTR] > limit - 64) {
        n->reg[VPMU_PMBSR] = (n->reg[VPMU_PMBSR] & 0x90000) | 0x20001;
    }
}

/*
 * Registers
 */

static uint64_t event_mask(const struct naive_spe *n)
{
    static const uint64_t masks[] = {0, 0x3be, 0xbbe, 0xbfe, 0xbfe, 0xf80ffe};
    uint64_t mask = masks[n->config.version];

    return n->config.has_sve && n->config.version >= 2 ? mask | 0x60000 : mask;
}

static unsigned redirected(const struct naive_spe *n, unsigned reg)
{
    if (reg == VPMU_PMSCR_EL12) {
        return VPMU_PMSCR_EL1;
    }
    return reg == VPMU_PMSCR_EL1 && n->pe.el == 2 && n->pe.e2h ? VPMU_PMSCR_EL2 : reg;
}

uint64_t naive_spe_read(const struct naive_spe *n, unsigned reg)
{
    static const uint64_t pmsidr[] = {0, 0x2601f, 0x2601f, 0x2605f, 0x2605f, 0x202605f};

    if (reg == VPMU_PMSIDR) {
        return pmsidr[n->config.version];
    }
    if (reg == VPMU_PMBIDR) {
        bool higher = owning_el(n) > n->pe.el || owning_ss(n) != n->pe.state;

        return 6u + (higher && n->pe.el != 3 ? 16u : 0) + (n->config.updates ? 32u : 0);
    }
    return n->reg[redirected(n, reg)];
}

void naive_spe_write(struct naive_spe *n, unsigned reg, uint64_t val)
{
    uint64_t cr = n->config.has_ecv ? 0xfb : 0x7b;
    bool v1p2 = n->config.version >= 3;
    uint64_t keep[VPMU_SPE_REG_COUNT] = {
        [VPMU_PMSCR_EL1] = cr,
        [VPMU_PMSCR_EL2] = n->config.has_el2 ? cr : 0,
        [VPMU_PMSNEVFR] = event_mask(n),
        [VPMU_PMSICR] = 0xffffffff,
        [VPMU_PMSIRR] = 0xffffff01,
        [VPMU_PMSFCR] = v1p2 ? 0x7000f : 0x70007,
        [VPMU_PMSEVFR] = event_mask(n),
        [VPMU_PMSLATFR] = 0xfff,
        [VPMU_PMBLIMITR] = ~0xfffull + (v1p2 ? 7 : 1) + (n->config.freezes ? 32 : 0),
        [VPMU_PMBPTR] = ~0x3full,
        [VPMU_PMBSR] = 0xfc0fffff,
    };

    reg = redirected(n, reg);
    n->reg[reg] = val & keep[reg];
}

enum vpmu_access naive_spe_access(const struct naive_spe *n, unsigned reg, bool write)
{
    bool buffer = reg == VPMU_PMBLIMITR || reg == VPMU_PMBPTR || reg == VPMU_PMBSR;

    if (reg >= VPMU_SPE_REG_COUNT || n->pe.el == 0 || field(n->pe.aarch32, n->pe.el, n->pe.el) ||
        (write && (reg == VPMU_PMSIDR || reg == VPMU_PMBIDR)) ||
        (reg == VPMU_PMSNEVFR && n->config.version < 3)) {
        return VPMU_ACCESS_UNDEFINED;
    }
    if ((reg == VPMU_PMSCR_EL2 && n->pe.el == 1) ||
        (reg == VPMU_PMSCR_EL12 && (n->pe.el == 1 || !n->pe.e2h || !n->config.has_el2))) {
        return VPMU_ACCESS_UNDEFINED;
    }
    if (reg == VPMU_PMBIDR) {
        return VPMU_ACCESS_OK;
    }
    if (n->pe.el == 1 && n->pe.el2_enabled) {
        if (buffer ? field(n->pe.mdcr_el2, 12, 12) == 0 : field(n->pe.mdcr_el2, 14, 14) == 1) {
            return VPMU_ACCESS_TRAP_EL2;
        }
    }
    if (n->pe.el != 3 && n->config.has_el3 &&
        (field(n->pe.mdcr_el3, 12, 12) == 0 || owning_ss(n) != n->pe.state)) {
        return VPMU_ACCESS_TRAP_EL3;
    }
    if (n->pe.el != 3 && n->config.has_el3 && reg == VPMU_PMSNEVFR &&
        field(n->pe.mdcr_el3, 36, 36) == 0) {
        return VPMU_ACCESS_TRAP_EL3;
    }
    return VPMU_ACCESS_OK;
}

/*
 * Packets
 */

static int meaning(unsigned header)
{
    switch (header) {
    case 0x64:
        return D_CONTEXT1;
    case 0x65:
        return D_CONTEXT2;
    case 0x98:
        return D_TOTAL;
    case 0x99:
        return D_ISSUE;
    case 0x9a:
        return D_TRANSLATION;
    case 0xb0:
        return D_PC;
    case 0xb1:
        return D_TARGET;
    case 0xb2:
        return D_DATA;
    case 0xb3:
        return D_PHYSICAL;
    case 0x43:
        return D_SOURCE;
    case 0x48:
    case 0x49:
    case 0x4a:
        return D_SUBCLASS;
    case 0x62:
        return D_EVENTS;
    case 0x71:
        return D_TIME;
    default:
        return -1;
    }
}

void decode_record(const uint8_t *bytes, unsigned size, struct decoded *d)
{
    unsigned at = 0;

    *d = (struct decoded){0};
    while (at < size) {
        unsigned header = bytes[at++];
        unsigned length = 1u << field(header, 5, 4);
        int what = meaning(header);

        if (d->ended || header == 0x01) {
            d->bad |= d->ended && header != 0;
            d->ended = true;
            continue;
        }
        if (what < 0 || at + length > size || d->seen & 1u << what) {
            d->bad = true;
            return;
        }
        d->seen |= 1u << what;
        for (unsigned i = 0; i < length; i++) {
            d->value[what] |= (uint64_t)bytes[at++] << 8 * i;
        }
        if (what == D_SUBCLASS) {
            d->seen |= 1u << D_CLASS;
            d->value[D_CLASS] = header & 3;
        }
        d->ended = what == D_TIME;
    }
}
