/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* Random steps drive BRBE and a second implementation; all registers must agree after each. */
#include <stdio.h>
#include <string.h>

#include "chooser.h"
#include "fixture.h"
#include "naive_brbe.h"

#define STEPS 2000
#define HPMN 3

/* Both, and what was done to them last. */
struct pair {
    struct chooser chooser;
    struct vpmu_brbe b;
    struct naive_brbe n;
    uint64_t now;
    unsigned recorded;
    char what[80];
};

static const struct vpmu_brbe_config configs[] = {
    {VPMU_BRBE_V1, 8, false, false},    {VPMU_BRBE_V1, 16, true, false},
    {VPMU_BRBE_V1, 32, false, true},    {VPMU_BRBE_V1, 64, true, true},
    {VPMU_BRBE_V1P1, 8, true, true},    {VPMU_BRBE_V1P1, 64, true, true},
    {VPMU_BRBE_V1P1, 16, false, false}, {VPMU_BRBE_V1P1, 32, true, true},
};

static const uint8_t branch_types[] = {0, 1, 2, 3, 5, 8};

static struct vpmu_brbe_pe any_pe(struct pair *p)
{
    struct chooser *c = &p->chooser;
    struct vpmu_brbe_pe pe = {.mdcr_el3 = 3ull << VPMU_MDCR_EL3_SBRBE_SHIFT};

    do {
        pe.el = (uint8_t)choose_below(c, 4);
    } while ((pe.el == 2 && !p->n.has_el2) || (pe.el == 3 && !p->n.has_el3));
    if (p->n.has_el3 && choose_one_in(c, 3)) {
        pe.mdcr_el3 = choose_bits(c);
    }
    pe.secure = p->n.has_el3 && choose_one_in(c, 3);
    pe.el2_enabled = p->n.has_el2 && !choose_one_in(c, 4);
    pe.tge = p->n.has_el2 && choose_one_in(c, 3);
    pe.e2h = p->n.has_el2 && choose_one_in(c, 2);
    pe.aarch32 = choose_one_in(c, 8) ? (uint8_t)choose_below(c, 8) : 0;
    return pe;
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
    unsigned type = branch_types[choose_below(c, COUNT_OF(branch_types))];
    bool mispredicted = choose_one_in(c, 2);
    uint64_t from = choose_bits(c);
    uint64_t to = choose_bits(c);
    uint64_t now = any_time(p);
    bool recorded;

    snprintf(p->what, sizeof(p->what), "branch of type %u", type);
    recorded = naive_brbe_branch(&p->n, type, mispredicted, from, to, now);
    p->recorded += recorded;
    expect_in(p->what, "recorded", recorded,
              vpmu_brbe_branch(&p->b, type, mispredicted, from, to, now));
}

static void do_exception(struct pair *p)
{
    struct chooser *c = &p->chooser;
    struct vpmu_brbe_pe after = any_pe(p);
    unsigned type = 0x21 + (unsigned)choose_below(c, 15);
    uint64_t from = choose_bits(c);
    uint64_t to = choose_bits(c);
    uint64_t now = any_time(p);
    bool recorded;

    after.el = after.el ? after.el : 1;
    snprintf(p->what, sizeof(p->what), "exception of type %u to EL%u", type, after.el);
    recorded = naive_brbe_exception(&p->n, &after, type, from, to, now);
    p->recorded += recorded;
    expect_in(p->what, "recorded", recorded,
              vpmu_brbe_exception(&p->b, &after, type, from, to, now));
}

static void do_return(struct pair *p)
{
    struct vpmu_brbe_pe after = any_pe(p);
    uint64_t from = choose_bits(&p->chooser);
    uint64_t to = choose_bits(&p->chooser);
    uint64_t now = any_time(p);
    bool recorded;

    snprintf(p->what, sizeof(p->what), "return from EL%u to EL%u", p->n.pe.el, after.el);
    recorded = naive_brbe_return(&p->n, &after, from, to, now);
    p->recorded += recorded;
    expect_in(p->what, "recorded", recorded, vpmu_brbe_return(&p->b, &after, from, to, now));
}

static void do_write(struct pair *p)
{
    struct chooser *c = &p->chooser;
    unsigned reg = (unsigned)choose_below(c, VPMU_BRBINF0);
    uint64_t val = choose_bits(c);

    if (reg == VPMU_BRBIDR0) {
        return;
    }
    if (reg == VPMU_BRBFCR && !choose_one_in(c, 4)) {
        val &= ~VPMU_BRBFCR_PAUSED;
    }
    if (reg == VPMU_BRB_IALL && !choose_one_in(c, 20)) {
        reg = VPMU_BRBCR_EL1;
    }
    if (reg <= VPMU_BRBCR_EL12 && choose_one_in(c, 2)) {
        val |= VPMU_BRBCR_EXBRE | VPMU_BRBCR_E0BRE | VPMU_BRBCR_CC;
    }
    snprintf(p->what, sizeof(p->what), "%s = %#llx", vpmu_brbe_reg_info(reg)->name,
             (unsigned long long)val);
    naive_brbe_write(&p->n, reg, val);
    expect_in(p->what, "error", 0, (uint64_t)vpmu_brbe_write(&p->b, reg, val));
}

static void do_overflow(struct pair *p)
{
    uint64_t ovs = BIT(choose_below(&p->chooser, 33));
    bool freeze = naive_brbe_overflow(&p->n, ovs, HPMN);

    snprintf(p->what, sizeof(p->what), "overflow %#llx", (unsigned long long)ovs);
    expect_in(p->what, "freeze", freeze, vpmu_brbe_overflow(&p->b, ovs, HPMN));
    if (freeze) {
        expect_in(p->what, "freezers", ovs, ovs & vpmu_brbe_freezers(&p->b, HPMN));
    }
    if (freeze) {
        naive_brbe_freeze(&p->n, p->now);
        vpmu_brbe_freeze(&p->b, p->now);
    }
}

/* A saved buffer continues in another one. */
static void do_save(struct pair *p)
{
    uint8_t state[VPMU_BRBE_STATE_SIZE];
    struct vpmu_brbe_pe pe = p->n.pe;
    struct vpmu_brbe_config config = p->b.config;
    const char *why = "";

    snprintf(p->what, sizeof(p->what), "save and load");
    expect_in(p->what, "error", 0, (uint64_t)vpmu_brbe_save(&p->b, state, sizeof(state)));
    memset(&p->b, 0xff, sizeof(p->b));
    vpmu_brbe_init(&p->b, &config, NULL);
    vpmu_brbe_move(&p->b, &pe);
    expect_in(p->what, "error", 0, (uint64_t)vpmu_brbe_load(&p->b, state, sizeof(state), &why));
    ck_assert_str_eq(why, "");
}

static void do_move(struct pair *p)
{
    struct vpmu_brbe_pe pe = any_pe(p);

    snprintf(p->what, sizeof(p->what), "move to EL%u", pe.el);
    naive_brbe_move(&p->n, &pe);
    vpmu_brbe_move(&p->b, &pe);
}

/* A check that passes costs much more than the comparison. */
static void same(const struct pair *p, const char *name, uint64_t want, uint64_t got)
{
    if (want != got) {
        expect_in(p->what, name, want, got);
    }
}

static void compare(struct pair *p)
{
    unsigned groups = naive_brbe_shows(&p->n) ? VPMU_BRGROUP_EXCEPTION : 0;

    for (unsigned reg = 0; reg < VPMU_BRBE_REG_COUNT; reg++) {
        const char *name = vpmu_brbe_reg_info(reg)->name;
        uint64_t val;

        for (unsigned writes = 0; writes < 2; writes++) {
            same(p, name, naive_brbe_access(&p->n, reg, writes),
                 vpmu_brbe_access(&p->b, reg, writes));
        }
        if (reg != VPMU_BRB_IALL && reg != VPMU_BRB_INJ) {
            same(p, name, 0, (uint64_t)vpmu_brbe_read(&p->b, reg, &val));
            same(p, name, naive_brbe_read(&p->n, reg), val);
        }
    }
    for (size_t i = 0; i < COUNT_OF(branch_types); i++) {
        groups |= naive_brbe_records(&p->n, branch_types[i]) ? 1u << i : 0;
    }
    same(p, "groups", groups, vpmu_brbe_recorded(&p->b));
    same(p, "enabled", naive_brbe_enabled(&p->n), vpmu_brbe_enabled(&p->b));
    same(p, "level", naive_brbe_shows(&p->n), vpmu_brbe_levels(&p->b) >> p->n.pe.el & 1);
}

static void step(struct pair *p)
{
    static void (*const steps[])(struct pair *) = {
        do_branch, do_branch, do_branch, do_branch,   do_branch, do_exception,
        do_return, do_write,  do_write,  do_overflow, do_save,   do_move,
    };

    steps[choose_below(&p->chooser, COUNT_OF(steps))](p);
}

START_TEST(agrees_with_a_second_implementation)
{
    for (size_t i = 0; i < COUNT_OF(configs); i++) {
        struct pair p = {.chooser.state = 0xb4be + i, .now = 5};
        struct vpmu_brbe_pe pe;

        expect("init", 0, (uint64_t)vpmu_brbe_init(&p.b, &configs[i], NULL));
        naive_brbe_start(&p.n, &configs[i]);
        pe = any_pe(&p);
        naive_brbe_move(&p.n, &pe);
        vpmu_brbe_move(&p.b, &pe);
        for (unsigned steps = 0; steps < STEPS; steps++) {
            step(&p);
            compare(&p);
        }
        ck_assert_uint_gt(p.recorded, STEPS / 50);
    }
}
END_TEST

Suite *brbe_random_suite(void)
{
    const TTest *const tests[] = {agrees_with_a_second_implementation};

    return suite_of("brbe_random", tests, COUNT_OF(tests));
}
