/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* Random steps drive LBR and a second implementation; all MSRs must agree after each. */
#include <stdio.h>
#include <string.h>

#include "chooser.h"
#include "fixture.h"
#include "naive_lbr.h"

#define STEPS 700
#define ALL_MSRS 50 /* steps between two comparisons that include MSRs of other kinds */

/* Both, and what was done to them last. */
struct pair {
    struct chooser chooser;
    struct vpmu_lbr l;
    struct naive_lbr n;
    uint64_t now;
    unsigned recorded;
    char what[80];
};

static const struct vpmu_lbr_config configs[] = {
    {VPMU_LBR_LEGACY, 3, 16, 0, 48, 0, 0, 0x5002},
    {VPMU_LBR_LEGACY, 3, 8, 0, 48, VPMU_LBR_CALL_STACK, 0, 0},
    {VPMU_LBR_LEGACY, 4, 16, 0, 48, VPMU_LBR_CALL_STACK, 0, 0},
    {VPMU_LBR_LEGACY, 4, 16, 0, 57, VPMU_LBR_TSX | VPMU_LBR_STATUS, 0, 0x1000},
    {VPMU_LBR_LEGACY, 5, 32, 0, 48, VPMU_LBR_CALL_STACK | VPMU_LBR_STATUS, 0, 0x5000},
    {VPMU_LBR_LEGACY, 5, 32, 0, 57, 0, 0, 0},
    {VPMU_LBR_ARCH, 0x3f, 32, 0x0b, 57, VPMU_LBR_CALL_STACK | VPMU_LBR_STATUS, 0, 0x5000},
    {VPMU_LBR_ARCH, 0x3f, 64, 0xff, 48, VPMU_LBR_STATUS, 0, 1},
    {VPMU_LBR_AMD, 0x3f, 16, 0, 57, VPMU_LBR_STATUS, 0, 3},
    {VPMU_LBR_AMD, 0x3f, 5, 0, 48, 0, 0, 0},
};

static const uint8_t near_types[] = {0, 1, 2, 3, 5, 8};
static const uint8_t far_types[] = {VPMU_BRTYPE_SYSTEM_CALL, VPMU_BRTYPE_EXCEPTION_RETURN,
                                    VPMU_BRTYPE_IRQ, VPMU_BRTYPE_DATA_FAULT};

/* A canonical address, small, of a program or of a kernel. */
static uint64_t any_address(struct pair *p)
{
    uint64_t address = choose_bits(&p->chooser) >> (64 - (p->n.config.address_bits - 1));

    address >>= choose_below(&p->chooser, 2) * 30;
    return choose_one_in(&p->chooser, 3) ? ~address : address;
}

/* Time advances by nothing, little or much; sometimes nobody knows it. */
static uint64_t any_time(struct pair *p)
{
    struct chooser *c = &p->chooser;

    p->now += choose_bits(c) >> (choose_one_in(c, 8) ? 63 : 40 + choose_below(c, 24));
    return choose_one_in(c, 10) ? VPMU_BRANCH_NO_TIME : p->now;
}

static void do_branch(struct pair *p)
{
    struct chooser *c = &p->chooser;
    unsigned type = near_types[choose_below(c, COUNT_OF(near_types))];
    bool mispredicted = choose_one_in(c, 2);
    uint64_t from = any_address(p);
    uint64_t to = any_address(p);
    uint64_t now = any_time(p);
    bool recorded;

    snprintf(p->what, sizeof(p->what), "branch of type %u", type);
    recorded = naive_lbr_branch(&p->n, type, mispredicted, from, to, now);
    p->recorded += recorded;
    expect_in(p->what, "recorded", recorded,
              vpmu_lbr_branch(&p->l, type, mispredicted, from, to, now));
}

static void do_far(struct pair *p)
{
    struct chooser *c = &p->chooser;
    unsigned type = far_types[choose_below(c, COUNT_OF(far_types))];
    unsigned cpl = choose_one_in(c, 2) ? 0 : (unsigned)choose_below(c, 4);
    uint64_t from = any_address(p);
    uint64_t to = any_address(p);
    uint64_t now = any_time(p);
    bool recorded;

    snprintf(p->what, sizeof(p->what), "far branch of type %u to CPL %u", type, cpl);
    recorded = naive_lbr_far(&p->n, cpl, type, from, to, now);
    p->recorded += recorded;
    expect_in(p->what, "recorded", recorded, vpmu_lbr_far(&p->l, cpl, type, from, to, now));
}

static uint32_t any_msr(struct pair *p)
{
    static const uint32_t controls[] = {0x1d9,  0x1c8,      0x1c9,     0x14ce,
                                        0x14cf, 0xc000010e, 0xc000010f};
    static const uint32_t records[] = {0x680, 0x6c0, 0xdc0, 0x1200, 0x1500, 0x1600, 0xc0010300};
    struct chooser *c = &p->chooser;

    if (choose_one_in(c, 2)) {
        return controls[choose_below(c, COUNT_OF(controls))];
    }
    return records[choose_below(c, COUNT_OF(records))] + (uint32_t)choose_below(c, 66);
}

/* Values that have a chance to be accepted. */
static uint64_t any_value(struct pair *p, uint32_t msr)
{
    struct chooser *c = &p->chooser;

    switch (choose_below(c, 6)) {
    case 0:
        return choose_bits(c);
    case 1:
        return any_address(p) ^ choose_below(c, 8) << 61;
    case 2:
        return (choose_below(c, 16) << 60) | choose_below(c, 0x20000);
    case 3:
        return choose_below(c, 9) * 8;
    case 4:
        return choose_below(c, 0x400);
    default:
        return msr == 0x14ce ? (choose_bits(c) & 0x7f000f) | 1
                             : (choose_bits(c) & 0x24) | p->n.config.debugctl | 0x841;
    }
}

static void do_write(struct pair *p)
{
    uint32_t msr = any_msr(p);
    uint64_t val = any_value(p, msr);

    snprintf(p->what, sizeof(p->what), "MSR %x = %#llx", msr, (unsigned long long)val);
    expect_in(p->what, "access", naive_lbr_wrmsr(&p->n, msr, val), vpmu_lbr_wrmsr(&p->l, msr, val));
}

/* What Linux writes to record everything, or call stacks. */
static void do_enable(struct pair *p)
{
    static const struct {
        uint32_t msr;
        uint64_t val;
    } writes[][2] = {
        {{0x1c8, 0}, {0x1d9, 0x801}},          {{0x1d9, 0x800}, {0x14ce, 0x7f0007}},
        {{0xc000010e, 0}, {0xc000010f, 0x40}}, {{0x1c8, 0x3c4}, {0x1d9, 0x801}},
        {{0x1d9, 0x800}, {0x14ce, 0x38000f}},
    };
    bool stack = (p->n.config.features & VPMU_LBR_CALL_STACK) && choose_one_in(&p->chooser, 2);
    unsigned row = p->n.config.kind + (stack ? 3u : 0);

    snprintf(p->what, sizeof(p->what), "enable");
    for (unsigned i = 0; i < 2; i++) {
        uint32_t msr = writes[row][i].msr;
        uint64_t val = writes[row][i].val;

        expect_in(p->what, "access", naive_lbr_wrmsr(&p->n, msr, val),
                  vpmu_lbr_wrmsr(&p->l, msr, val));
    }
    naive_lbr_set_frozen(&p->n, false);
    vpmu_lbr_thaw(&p->l);
}

static void do_event(struct pair *p)
{
    bool was_on = naive_lbr_on(&p->n);

    snprintf(p->what, sizeof(p->what), "PMI, #DB, freeze or thaw");
    switch (choose_below(&p->chooser, 4)) {
    case 0:
        naive_lbr_pmi(&p->n);
        expect_in(p->what, "stopped", was_on && !naive_lbr_on(&p->n), vpmu_lbr_pmi(&p->l));
        break;
    case 1:
        naive_lbr_debug(&p->n);
        vpmu_lbr_debug(&p->l);
        break;
    case 2:
        naive_lbr_set_frozen(&p->n, true);
        vpmu_lbr_freeze(&p->l);
        break;
    default:
        naive_lbr_set_frozen(&p->n, false);
        vpmu_lbr_thaw(&p->l);
        break;
    }
}

/* Saved records continue in others. */
static void do_save(struct pair *p)
{
    uint8_t state[VPMU_LBR_STATE_SIZE];
    struct vpmu_lbr_config config = p->n.config;
    const char *why = "";

    snprintf(p->what, sizeof(p->what), "save and load");
    expect_in(p->what, "error", 0, (uint64_t)vpmu_lbr_save(&p->l, state, sizeof(state)));
    memset(&p->l, 0xff, sizeof(p->l));
    vpmu_lbr_init(&p->l, &config, NULL);
    vpmu_lbr_move(&p->l, p->n.cpl);
    expect_in(p->what, "error", 0, (uint64_t)vpmu_lbr_load(&p->l, state, sizeof(state), &why));
    ck_assert_str_eq(why, "");
}

static void do_move(struct pair *p)
{
    p->n.cpl = (unsigned)choose_below(&p->chooser, 4);
    snprintf(p->what, sizeof(p->what), "move to CPL %u", p->n.cpl);
    vpmu_lbr_move(&p->l, p->n.cpl);
}

/* A check that passes costs much more than the comparison. */
static void same(const struct pair *p, const char *name, uint64_t want, uint64_t got)
{
    if (want != got) {
        expect_in(p->what, name, want, got);
    }
}

static void compare_msrs(struct pair *p, uint32_t first, unsigned count)
{
    for (uint32_t msr = first; msr < first + count; msr++) {
        uint64_t want;
        uint64_t got;
        enum vpmu_x86_access wanted = naive_lbr_rdmsr(&p->n, msr, &want);

        if (vpmu_lbr_rdmsr(&p->l, msr, &got) != wanted || got != want) {
            ck_abort_msg("%s: MSR %x: expected %#llx got %#llx", p->what, msr,
                         (unsigned long long)want, (unsigned long long)got);
        }
    }
}

static void compare_all(struct pair *p, bool others)
{
    unsigned kind = p->n.config.kind;

    compare_msrs(p, 0x1c8, 0x12);
    if (others || kind == VPMU_LBR_LEGACY) {
        compare_msrs(p, 0x67f, 0x22);
        compare_msrs(p, 0x6bf, 0x22);
        compare_msrs(p, 0xdbf, 0x22);
    }
    if (others || kind == VPMU_LBR_ARCH) {
        compare_msrs(p, 0x11ff, 0x42);
        compare_msrs(p, 0x14cd, 4);
        compare_msrs(p, 0x14ff, 0x42);
        compare_msrs(p, 0x15ff, 0x42);
    }
    if (others || kind == VPMU_LBR_AMD) {
        compare_msrs(p, 0xc000010d, 4);
        compare_msrs(p, 0xc00102ff, 0x24);
    }
}

/* The MSR of a part of the nth latest record. */
static uint32_t msr_of(struct naive_lbr *n, unsigned nth, unsigned part)
{
    static const uint32_t legacy[] = {0x680, 0x6c0, 0xdc0}, arch[] = {0x1500, 0x1600, 0x1200};

    switch (n->config.kind) {
    case VPMU_LBR_LEGACY:
        return legacy[part] + (n->tos + n->depth - nth) % n->depth;
    case VPMU_LBR_ARCH:
        return arch[part] + nth;
    default:
        return part < 2 ? 0xc0010300 + 2 * nth + part : 0;
    }
}

/* The records of PEBS are those of the MSRs. */
static void compare_records(struct pair *p)
{
    for (unsigned nth = 0; nth < VPMU_BRANCH_RECORDS + 1; nth++) {
        uint64_t words[VPMU_LBR_RECORD_WORDS] = {1, 2, 3};

        vpmu_lbr_record(&p->l, nth, words);
        for (unsigned part = 0; part < VPMU_LBR_RECORD_WORDS; part++) {
            uint64_t want = 0;

            if (nth < p->n.depth) {
                naive_lbr_rdmsr(&p->n, msr_of(&p->n, nth, part), &want);
            }
            same(p, "record", want, words[part]);
        }
    }
}

static void compare(struct pair *p, bool others)
{
    unsigned groups = naive_lbr_records(&p->n, VPMU_BRTYPE_IRQ, p->n.cpl) ? 0x40 : 0;

    compare_all(p, others);
    if (others) {
        compare_records(p);
    }
    for (size_t i = 0; i < COUNT_OF(near_types); i++) {
        groups |= naive_lbr_records(&p->n, near_types[i], p->n.cpl) ? 1u << i : 0;
    }
    same(p, "groups", groups, vpmu_lbr_recorded(&p->l));
    same(p, "enabled", naive_lbr_on(&p->n), vpmu_lbr_enabled(&p->l));
    same(p, "frozen", p->n.frozen, vpmu_lbr_frozen(&p->l));
}

static void step(struct pair *p)
{
    static void (*const steps[])(struct pair *) = {
        do_branch, do_branch, do_branch, do_branch, do_branch, do_branch, do_far,
        do_far,    do_write,  do_write,  do_write,  do_event,  do_save,   do_move,
    };

    if (choose_one_in(&p->chooser, 25)) {
        do_enable(p);
        return;
    }
    steps[choose_below(&p->chooser, COUNT_OF(steps))](p);
}

START_TEST(agrees_with_a_second_implementation)
{
    for (size_t i = 0; i < COUNT_OF(configs); i++) {
        struct pair p = {.chooser.state = 0x1b4 + i, .now = 5};

        expect("init", 0, (uint64_t)vpmu_lbr_init(&p.l, &configs[i], NULL));
        naive_lbr_start(&p.n, &configs[i]);
        for (unsigned steps = 0; steps < STEPS; steps++) {
            step(&p);
            compare(&p, steps % ALL_MSRS == 0);
        }
        ck_assert_uint_gt(p.recorded, STEPS / 20);
    }
}
END_TEST

Suite *lbr_random_suite(void)
{
    const TTest *const tests[] = {agrees_with_a_second_implementation};

    return suite_of("lbr_random", tests, COUNT_OF(tests));
}
