/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* Random steps drive SPE and a second implementation; all registers must agree after each. */
#include <stdio.h>

#include "chooser.h"
#include "fixture.h"
#include "naive_spe.h"

#define STEPS 1000
#define CPYFP 0x19000441

/* Both, and what was done to them last. */
struct pair {
    struct chooser chooser;
    struct vpmu_spe s;
    struct naive_spe n;
    unsigned kept;
    unsigned rejected;
    char what[80];
};

static const struct vpmu_spe_config configs[] = {
    {1, false, false, false, false, false, false, false},
    {1, true, true, false, false, true, false, false},
    {2, true, false, false, false, true, false, true},
    {2, true, true, false, true, false, false, true},
    {3, true, true, true, true, true, true, true},
    {3, true, true, false, true, true, false, true},
    {4, false, true, false, true, true, true, false},
    {5, true, true, true, true, true, true, true},
    {5, true, false, false, true, true, true, true},
};

/* Loads, stores, atomics, branches and others. */
static const uint32_t insns[] = {
    0xf9400020, 0xf9000020, 0xf8200041, 0xf820003f, 0xb8e00041, 0xc85ffc20, 0xc8027c20,
    0xc8dffc20, 0xc89ffc20, 0x3dc00020, 0x4c407020, 0x0d008020, 0xd9600020, 0xd9200820,
    CPYFP,      0x19c20401, 0xa400a020, 0xe400e020, 0x14000002, 0x94000002, 0x54000041,
    0x5400004e, 0xb4000040, 0xd65f03c0, 0xd61f0020, 0xd63f0020, 0xd69f03e0, 0x8b010000,
    0x1e222820, 0x4e228420, 0xd503201f, 0xd50b7420, 0x04a00000, 0x65808000,
};

static struct vpmu_spe_pe any_pe(struct pair *p)
{
    struct chooser *c = &p->chooser;
    const struct vpmu_spe_config *config = &p->n.config;
    struct vpmu_spe_pe pe = {.state = VPMU_SPE_NON_SECURE, .mdcr_el3 = 3ull << 12};

    do {
        pe.el = (uint8_t)choose_below(c, 4);
    } while ((pe.el == 2 && !config->has_el2) || (pe.el == 3 && !config->has_el3));
    if (config->has_el3 && choose_one_in(c, 3)) {
        pe.mdcr_el3 = choose_bits(c);
        pe.state = (uint8_t)choose_below(c, config->has_realm ? 3 : 2);
    }
    pe.mdcr_el2 = choose_one_in(c, 2) ? 3ull << 12 : choose_bits(c) & 0x7000;
    pe.secure_el2 = config->has_el2 && choose_one_in(c, 2);
    pe.el2_enabled = config->has_el2 && (pe.state != VPMU_SPE_SECURE || pe.secure_el2);
    pe.tge = config->has_el2 && choose_one_in(c, 4);
    pe.e2h = config->has_el2 && choose_one_in(c, 2);
    pe.aarch32 = choose_one_in(c, 8) ? (uint8_t)choose_below(c, 8) : 0;
    return pe;
}

static void do_move(struct pair *p)
{
    p->n.pe = any_pe(p);
    snprintf(p->what, sizeof(p->what), "move to EL%u", p->n.pe.el);
    vpmu_spe_move(&p->s, &p->n.pe);
}

static uint64_t any_value(struct pair *p, unsigned reg)
{
    struct chooser *c = &p->chooser;

    switch (reg) {
    case VPMU_PMSICR:
        return choose_one_in(c, 2) ? 0 : choose_below(c, 600);
    case VPMU_PMSIRR:
        return choose_below(c, 3) << 8 | choose_below(c, 2);
    case VPMU_PMBSR:
        return choose_one_in(c, 4) ? choose_bits(c) : 0;
    case VPMU_PMSEVFR:
    case VPMU_PMSNEVFR:
        return choose_one_in(c, 3) ? choose_bits(c) : 1ull << choose_below(c, 24);
    case VPMU_PMSLATFR:
        return choose_below(c, 60);
    case VPMU_PMBPTR:
        return choose_one_in(c, 2) ? 0xf00 + 64 * choose_below(c, 4) : choose_bits(c);
    case VPMU_PMBLIMITR:
        return choose_one_in(c, 2) ? choose_below(c, 2) << 12 | 1 : choose_bits(c) | 1;
    default:
        return choose_bits(c);
    }
}

static void do_write(struct pair *p)
{
    unsigned reg = (unsigned)choose_below(&p->chooser, VPMU_SPE_REG_COUNT + 1);
    uint64_t val = any_value(p, reg);
    bool exists = reg < VPMU_SPE_REG_COUNT && reg != VPMU_PMSIDR && reg != VPMU_PMBIDR &&
                  (reg != VPMU_PMSNEVFR || p->n.config.version >= 3);

    snprintf(p->what, sizeof(p->what), "write of register %u", reg);
    if (exists) {
        naive_spe_write(&p->n, reg, val);
    }
    expect_in(p->what, "result", exists ? 0 : (uint64_t)-VPMU_ERR_REG,
              (uint64_t)vpmu_spe_write(&p->s, reg, val));
}

static void do_advance(struct pair *p)
{
    uint64_t left = vpmu_spe_left(&p->s);
    uint64_t count = 1 + choose_below(&p->chooser, 700);
    bool sampled = false;
    bool early = false;

    count = choose_one_in(&p->chooser, 2) || count > left ? left : count;
    count = count > 70000 ? 3 : count;
    snprintf(p->what, sizeof(p->what), "%u instructions", (unsigned)count);
    for (uint64_t i = 0; i < count; i++) {
        early |= sampled;
        sampled = naive_spe_step(&p->n);
    }
    expect_in(p->what, "sampled early", 0, early);
    expect_in(p->what, "distance", left == count, sampled);
    expect_in(p->what, "sampled", sampled, vpmu_spe_advance(&p->s, count));
}

static struct vpmu_spe_sample any_sample(struct pair *p)
{
    struct chooser *c = &p->chooser;
    struct vpmu_spe_sample sample;

    vpmu_spe_start(&p->s, &sample);
    expect_in(p->what, "collects", naive_spe_collects(&p->n), sample.collects);
    expect_in(p->what, "clock", naive_spe_clock(&p->n), sample.clock);
    sample.pc = choose_bits(c);
    sample.target = choose_bits(c);
    sample.address = choose_bits(c);
    sample.physical = choose_bits(c);
    sample.time = choose_bits(c);
    sample.insn = insns[choose_below(c, COUNT_OF(insns))];
    sample.context[0] = (uint32_t)choose_bits(c);
    sample.context[1] = (uint32_t)choose_bits(c);
    sample.vector = (uint16_t)(128u << choose_below(c, 5));
    sample.memory = (uint8_t)choose_below(c, VPMU_DATA_LEVEL_COUNT);
    sample.translation = (uint8_t)choose_below(c, 4);
    sample.stall = (uint8_t)choose_below(c, 20);
    sample.flags = (uint8_t)choose_below(c, 256);
    sample.physical_state = (uint8_t)choose_below(c, 3);
    return sample;
}

static uint64_t address_of(uint64_t address, unsigned state, uint64_t el)
{
    static const uint64_t high[] = {0, 0x8000000000000000, 0x9000000000000000};

    return address % (1ull << 56) + high[state] + (el << 61);
}

/* Compares the packets with the sample that they are made of, by @s. */
static void check_packets(struct pair *p, const struct vpmu_spe *s, const struct vpmu_spe_sample *x,
                          const struct decoded *d)
{
    unsigned has = 1u << D_TOTAL | 1u << D_ISSUE | 1u << D_PC | 1u << D_CLASS | 1u << D_SUBCLASS |
                   1u << D_EVENTS;
    bool accessed = x->flags & VPMU_SPE_ACCESSED;
    bool physical = x->flags & VPMU_SPE_TRANSLATED && x->collects & VPMU_SPE_COLLECTS_PHYSICAL;
    bool loads = d->value[D_CLASS] == 1 && !(d->value[D_SUBCLASS] & 1);

    has |= x->collects & 1 ? 1u << D_CONTEXT1 : 0;
    has |= x->collects & 2 ? 1u << D_CONTEXT2 : 0;
    has |= accessed ? 1u << D_DATA | 1u << D_TRANSLATION : 0;
    has |= physical ? 1u << D_PHYSICAL : 0;
    has |= x->flags & VPMU_SPE_TAKEN ? 1u << D_TARGET : 0;
    has |= loads && x->memory != VPMU_DATA_UNKNOWN ? 1u << D_SOURCE : 0;
    has |= x->clock ? 1u << D_TIME : 0;
    expect_in(p->what, "packets", has, d->seen);
    expect_in(p->what, "PC", address_of(x->pc, x->state, x->el), d->value[D_PC]);
    expect_in(p->what, "target",
              x->flags & VPMU_SPE_TAKEN ? address_of(x->target, x->state, x->el) : 0,
              d->value[D_TARGET]);
    expect_in(p->what, "address", accessed ? x->address : 0, d->value[D_DATA]);
    expect_in(p->what, "physical", physical ? address_of(x->physical, x->physical_state, 0) : 0,
              d->value[D_PHYSICAL]);
    expect_in(p->what, "context 1", x->collects & 1 ? x->context[0] : 0, d->value[D_CONTEXT1]);
    expect_in(p->what, "context 2", x->collects & 2 ? x->context[1] : 0, d->value[D_CONTEXT2]);
    expect_in(p->what, "time", x->clock ? x->time : 0, d->value[D_TIME]);
    expect_in(p->what, "events", vpmu_spe_events(s, x), d->value[D_EVENTS]);
    expect_in(p->what, "total", vpmu_spe_latency_of(x).total, d->value[D_TOTAL]);
}

/* A sample, first without filters, which gives its packets, then with them. */
static void do_sample(struct pair *p)
{
    struct vpmu_spe open = p->s;
    struct vpmu_spe_sample sample = any_sample(p);
    struct vpmu_spe_record record;
    struct decoded d;
    bool discards = (p->n.reg[VPMU_PMBLIMITR] & 6) == 4;
    bool writes;

    snprintf(p->what, sizeof(p->what), "sample of %08x", sample.insn);
    vpmu_spe_write(&open, VPMU_PMBSR, 0);
    vpmu_spe_write(&open, VPMU_PMBLIMITR, 1);
    vpmu_spe_write(&open, VPMU_PMSFCR, p->n.reg[VPMU_PMSFCR] & 0x70000);
    expect_in(p->what, "unfiltered", 1, vpmu_spe_collect(&open, &sample, &record));
    decode_record(record.bytes, record.size, &d);
    sample.flags &= (uint8_t) ~(d.value[D_CLASS] == 1 ? 0x03 : d.value[D_CLASS] == 2 ? 0x1c : 0x1f);
    expect_in(p->what, "decodes", 1, d.ended && !d.bad && record.size == 64);
    check_packets(p, &open, &sample, &d);
    if (sample.insn == CPYFP) {
        /* The filter decides which access is recorded. */
        d.value[D_SUBCLASS] &= ~1ull;
        d.value[D_SUBCLASS] |= (p->n.reg[VPMU_PMSFCR] & 0x60002) != 0x20002;
        d.value[D_EVENTS] = vpmu_spe_events(&p->s, &sample);
    }

    writes = naive_spe_keeps(&p->n, &d);
    p->kept += writes;
    p->rejected += !writes;
    expect_in(p->what, "kept", writes, vpmu_spe_collect(&p->s, &sample, &record));
    writes =
        writes && !discards && p->n.reg[VPMU_PMBLIMITR] & 1 && !(p->n.reg[VPMU_PMBSR] & 0x20000);
    expect_in(p->what, "size", writes ? 64 : 0, record.size);
    if (record.size) {
        vpmu_spe_written(&p->s, record.size);
        naive_spe_written(&p->n);
    }
}

static void do_fault(struct pair *p)
{
    unsigned status = (unsigned)choose_below(&p->chooser, 64);
    uint64_t sr = p->n.reg[VPMU_PMBSR];

    snprintf(p->what, sizeof(p->what), "fault %u", status);
    vpmu_spe_fault(&p->s, VPMU_SPE_STAGE1_FAULT, status, status & 1);
    if (!(sr & 0x20000)) {
        p->n.reg[VPMU_PMBSR] = (sr & 0x90000) | 0x90020000 | status | (status & 1) << 18;
    }
}

static void compare(struct pair *p)
{
    unsigned levels = vpmu_spe_enabled(&p->s);

    for (unsigned el = 0; el < 4; el++) {
        expect_in(p->what, "enabled", naive_spe_enabled(&p->n, el), levels >> el & 1);
    }
    expect_in(p->what, "interrupt", p->n.reg[VPMU_PMBSR] >> 17 & 1, vpmu_spe_stopped(&p->s));
    expect_in(p->what, "freezes",
              (p->n.reg[VPMU_PMBLIMITR] & 0x21) == 0x21 && p->n.reg[VPMU_PMBSR] & 0x20000,
              vpmu_spe_freezes(&p->s));
    if (levels) {
        expect_in(p->what, "configured", 1, vpmu_spe_configured(&p->s));
    }
    for (unsigned reg = 0; reg <= VPMU_SPE_REG_COUNT; reg++) {
        uint64_t val;

        expect_in(p->what, "read access", naive_spe_access(&p->n, reg, false),
                  vpmu_spe_access(&p->s, reg, false));
        expect_in(p->what, "write access", naive_spe_access(&p->n, reg, true),
                  vpmu_spe_access(&p->s, reg, true));
        if (vpmu_spe_read(&p->s, reg, &val) == 0) {
            expect_in(p->what, vpmu_spe_reg_info(reg)->name, naive_spe_read(&p->n, reg), val);
        }
    }
}

START_TEST(agrees_with_a_second_implementation)
{
    static void (*const steps[])(struct pair *) = {do_move,    do_write,  do_write,  do_write,
                                                   do_advance, do_sample, do_sample, do_fault};

    for (size_t i = 0; i < COUNT_OF(configs); i++) {
        struct pair p = {.chooser.state = 0x59e + i};

        expect("init", 0, (uint64_t)vpmu_spe_init(&p.s, &configs[i], NULL));
        naive_spe_start(&p.n, &configs[i]);
        for (unsigned step = 0; step < STEPS; step++) {
            steps[choose_below(&p.chooser, COUNT_OF(steps))](&p);
            compare(&p);
        }
        ck_assert_uint_gt(p.kept, STEPS / 50);
        ck_assert_uint_gt(p.rejected, STEPS / 50);
    }
}
END_TEST

Suite *spe_random_suite(void)
{
    const TTest *const tests[] = {agrees_with_a_second_implementation};

    return suite_of("spe_random", tests, COUNT_OF(tests));
}
