/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "hypervisor/owner.h"

#include <stddef.h>

#include "registers/pmu.h"

#define PMCR_BITS (PMCR_E | PMCR_D | PMCR_DP | PMCR_LC | PMCR_LP | PMCR_FZO)
#define TYPE_BITS                                                                                  \
    (PMEVTYPER_P | PMEVTYPER_U | PMEVTYPER_NSK | PMEVTYPER_NSU | PMEVTYPER_NSH | PMEVTYPER_M)

#define DEFINE_REGISTER(name, reg)                                                                 \
    static uint64_t read_##name(void)                                                              \
    {                                                                                              \
        return read_sysreg(reg);                                                                   \
    }                                                                                              \
    static void write_##name(uint64_t value, uint64_t bits)                                        \
    {                                                                                              \
        (void)bits;                                                                                \
        write_sysreg(reg, value);                                                                  \
    }

#define DEFINE_BITMAP(name, set, clr)                                                              \
    static uint64_t read_##name(void)                                                              \
    {                                                                                              \
        return read_sysreg(set);                                                                   \
    }                                                                                              \
    static void write_##name(uint64_t value, uint64_t bits)                                        \
    {                                                                                              \
        write_sysreg(clr, bits);                                                                   \
        write_sysreg(set, value);                                                                  \
    }

DEFINE_REGISTER(pmcr, pmcr_el0)
DEFINE_REGISTER(pmselr, pmselr_el0)
DEFINE_REGISTER(pmuserenr, pmuserenr_el0)
DEFINE_BITMAP(pmcnten, pmcntenset_el0, pmcntenclr_el0)
DEFINE_BITMAP(pminten, pmintenset_el1, pmintenclr_el1)
DEFINE_BITMAP(pmovs, pmovsset_el0, pmovsclr_el0)
DEFINE_REGISTER(pmccfiltr, pmccfiltr_el0)
DEFINE_REGISTER(pmccntr, pmccntr_el0)

enum kind {
    CONTROL, /* the bits that can be set */
    SELECT,  /* a counter's number */
    BITMAP,  /* a bit for each counter */
    FILTER,  /* of the cycle counter, which must not count */
    CYCLES,
};

static const struct {
    const char *name;
    enum kind kind;
    uint64_t bits;
    bool access; /* decides what EL0 may access */
    uint64_t (*read)(void);
    void (*write)(uint64_t value, uint64_t bits);
} singles[OWNER_SINGLES] = {
    {"PMCR", CONTROL, PMCR_BITS, false, read_pmcr, write_pmcr},
    {"PMUSERENR", CONTROL, 0xf, true, read_pmuserenr, write_pmuserenr},
    {"PMSELR", SELECT, 0, true, read_pmselr, write_pmselr},
    {"PMCNTEN", BITMAP, 0, false, read_pmcnten, write_pmcnten},
    {"PMINTEN", BITMAP, 0, false, read_pminten, write_pminten},
    {"PMOVS", BITMAP, 0, false, read_pmovs, write_pmovs},
    {"PMCCFILTR", FILTER, PMEVTYPER_U, false, read_pmccfiltr, write_pmccfiltr},
    {"PMCCNTR", CYCLES, ~UINT64_C(0), false, read_pmccntr, write_pmccntr},
};

/* Returns a number that resembles no other: the finaliser of SplitMix64. */
static uint64_t mix(uint64_t x)
{
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

static uint64_t pattern(const struct owner *o, uint64_t which, uint64_t bits)
{
    return mix(mix(o->seed * 1000 + o->round) + which) & bits;
}

/* Returns the largest number of the form 2^n - 1 below a limit. */
static uint64_t ones_below(uint64_t limit)
{
    uint64_t n = 0;

    while (2 * n + 1 < limit) {
        n = 2 * n + 1;
    }
    return n;
}

static bool has_single(const struct owner *o, unsigned i)
{
    return (o->cycles || singles[i].kind < FILTER) && !(o->access_lent && singles[i].access);
}

static uint64_t bits_of(const struct owner *o, unsigned i)
{
    uint64_t counters = (BIT(o->end) - BIT(o->first)) | (o->cycles ? BIT(CYCLE_COUNTER) : 0);

    switch (singles[i].kind) {
    case CONTROL:
        singles[i].write(singles[i].bits, 0);
        return singles[i].read() & singles[i].bits;
    case SELECT:
        return ones_below(o->any_selection ? BIT(5) : o->end);
    case BITMAP:
        return counters;
    default:
        return singles[i].bits;
    }
}

void owner_init(struct owner *o)
{
    for (unsigned i = 0; i < OWNER_SINGLES; i++) {
        o->bits[i] = bits_of(o, i);
    }
    if (o->first < o->end) {
        write_pmevtyper(o->first, TYPE_BITS);
        write_pmevcntr(o->first, ~UINT64_C(0));
        isb();
        o->type_bits = read_pmevtyper(o->first);
        o->value_bits = read_pmevcntr(o->first);
    }
    o->round = 0;
    o->bad = NULL;
}

static uint64_t single_value(const struct owner *o, unsigned i)
{
    uint64_t fixed = PMEVTYPER_P | (o->user_runs ? PMEVTYPER_U : 0);

    return pattern(o, i, o->bits[i]) | (singles[i].kind == FILTER ? fixed : 0);
}

/* All counters have different types and values. */
static uint64_t type_value(const struct owner *o, unsigned n)
{
    return pattern(o, 100 + n, o->type_bits);
}

static uint64_t counter_value(const struct owner *o, unsigned n)
{
    return pattern(o, 200 + n, o->value_bits);
}

void owner_write(struct owner *o)
{
    o->round++;
    for (unsigned n = o->first; n < o->end; n++) {
        write_pmevtyper(n, type_value(o, n));
        write_pmevcntr(n, counter_value(o, n));
    }
    for (unsigned i = 0; i < OWNER_SINGLES; i++) {
        if (has_single(o, i)) {
            singles[i].write(single_value(o, i), o->bits[i]);
        }
    }
    isb();
}

void owner_compare(struct owner *o, const char *name, unsigned index, uint64_t expected,
                   uint64_t got)
{
    if (expected != got && !o->bad) {
        o->bad = name;
        o->bad_index = index;
        o->expected = expected;
        o->got = got;
    }
}

void owner_check(struct owner *o)
{
    for (unsigned i = 0; i < OWNER_SINGLES; i++) {
        uint64_t expected = single_value(o, i);

        if (has_single(o, i)) {
            owner_compare(o, singles[i].name, i, expected,
                          singles[i].read() & (o->bits[i] | expected));
        }
    }
    for (unsigned n = o->first; n < o->end; n++) {
        owner_compare(o, "PMEVTYPER", n, type_value(o, n), read_pmevtyper(n));
        owner_compare(o, "PMEVCNTR", n, counter_value(o, n), read_pmevcntr(n));
    }
}
