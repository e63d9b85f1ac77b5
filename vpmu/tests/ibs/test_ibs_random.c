/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* Random steps drive IBS and a second implementation; all must agree after each. */
#include <stdio.h>
#include <string.h>

#include "chooser.h"
#include "fixture.h"
#include "naive_ibs.h"

#define STEPS 20000

/* Both, and what was done to them last. */
struct pair {
    struct chooser chooser;
    struct vpmu_ibs l;
    struct naive_ibs n;
    unsigned kept;
    char what[80];
};

/* A check that passes costs much more than the comparison. */
static void same(const struct pair *p, const char *name, uint64_t want, uint64_t got)
{
    if (want != got) {
        expect_in(p->what, name, want, got);
    }
}

static uint64_t read_library(const struct pair *p, unsigned reg)
{
    uint64_t val;

    vpmu_ibs_rdmsr(&p->l, VPMU_IBS_FIRST_MSR + reg, &val);
    return val;
}

/* The count of fetches, of which registers do not show the lowest four bits. */
static uint64_t library_fetches(const struct pair *p)
{
    return p->l.count[VPMU_IBS_FETCH];
}

/* Small intervals of both units, so that most end; sometimes any bits, or one. */
static uint64_t any_value(struct pair *p, unsigned reg)
{
    struct chooser *c = &p->chooser;
    uint64_t val = choose_bits(c);

    switch (choose_below(c, 8)) {
    case 0:
        return val;
    case 1:
        return 1ull << choose_below(c, 64);
    case 2:
        return val >> choose_below(c, 64);
    default:
        break;
    }
    if (reg == VPMU_IBS_OP_CTL) {
        return (val & (15 | 1ull << 19 | 0x7full << 32)) | 1ull << 17 |
               (p->n.zen >= 4 && choose_one_in(c, 4) ? 1ull << 16 : 0) |
               (p->n.zen >= 5 && choose_one_in(c, 4) ? 1ull << 63 : 0);
    }
    return (val & (15 | 1ull << 57 | 3ull << 16)) | 1ull << 48 |
           (choose_one_in(c, 4) ? 1ull << 59 : 0);
}

static void do_write(struct pair *p)
{
    static const uint8_t controls[] = {VPMU_IBS_FETCH_CTL, VPMU_IBS_OP_CTL};
    struct chooser *c = &p->chooser;
    unsigned reg = choose_one_in(c, 3) ? (unsigned)choose_below(c, VPMU_IBS_REGS)
                                       : controls[choose_below(c, 2)];
    uint64_t val = any_value(p, reg);
    enum vpmu_x86_access want = naive_ibs_wrmsr(&p->n, reg, val);

    snprintf(p->what, sizeof(p->what), "write %#llx to register %u", (unsigned long long)val, reg);
    same(p, "access", want, vpmu_ibs_wrmsr(&p->l, VPMU_IBS_FIRST_MSR + reg, val));
    if (reg == VPMU_IBS_FETCH_CTL && want == VPMU_X86_OK) {
        uint64_t base = (val >> 16 & 0xffff) << 4;
        uint64_t count = library_fetches(p);

        /* Its lowest four bits are random with IbsRandEn. */
        same(p, "bits 19:4", base, count & ~15ull);
        same(p, "bits 3:0", val >> 57 & 1 ? count & 15 : 0, count & 15);
        naive_ibs_count_fetch(&p->n, count & 15);
    }
}

static struct vpmu_x86_data_access any_access(struct chooser *c)
{
    static const uint8_t sizes[] = {0, 1, 2, 4, 8, 10, 16, 32, 64};

    return (struct vpmu_x86_data_access){
        .address = choose_bits(c) >> 16,
        .physical = choose_bits(c) >> 12,
        .size = sizes[choose_below(c, COUNT_OF(sizes))],
        .page = (uint8_t)choose_below(c, 3),
        .level = (uint8_t)choose_below(c, VPMU_DATA_LEVEL_COUNT),
        .translated = (uint8_t)choose_below(c, VPMU_TRANSLATED_COUNT),
        .physical_valid = !choose_one_in(c, 8),
    };
}

static void sample_op(struct pair *p)
{
    struct chooser *c = &p->chooser;
    struct vpmu_ibs_op op = {
        .rip = choose_bits(c),
        .rip_invalid = choose_one_in(c, 9),
        .branch = (uint8_t)(choose_one_in(c, 2) ? choose_below(c, 16) | VPMU_IBS_IS_BRANCH : 0),
        .target = choose_bits(c),
    };
    bool kept = false;

    if (choose_one_in(c, 2)) {
        op.accesses.load = any_access(c);
    }
    if (choose_one_in(c, 2)) {
        op.accesses.store = any_access(c);
    }
    op.accesses.locked = choose_one_in(c, 4);
    snprintf(p->what, sizeof(p->what), "sample of an op");
    if (choose_one_in(c, 8)) {
        naive_ibs_abort(&p->n);
        vpmu_ibs_op_aborted(&p->l);
    } else {
        kept = naive_ibs_op(&p->n, &op);
        same(p, "kept", kept, vpmu_ibs_op_sampled(&p->l, &op));
    }
    p->kept += kept;
    same(p, "random count", true, naive_ibs_adopt_op(&p->n, p->l.count[VPMU_IBS_OP]));
}

static void sample_fetch(struct pair *p)
{
    struct vpmu_x86_data_access fetch = any_access(&p->chooser);
    bool kept = naive_ibs_fetch(&p->n, &fetch);

    snprintf(p->what, sizeof(p->what), "sample of a fetch");
    same(p, "kept", kept, vpmu_ibs_fetch_sampled(&p->l, &fetch));
    p->kept += kept;
    if (!kept) {
        same(p, "random count", true, naive_ibs_adopt_fetch(&p->n, library_fetches(p)));
    }
}

/* Some of what is left is counted, or all of it; then there is a sample. */
static void do_op(struct pair *p)
{
    uint64_t left = naive_ibs_op_left(&p->n);
    uint64_t n = left;

    if (left == UINT64_MAX) {
        return;
    }
    if (left && choose_one_in(&p->chooser, 3)) {
        n = choose_below(&p->chooser, left);
    }
    snprintf(p->what, sizeof(p->what), "count %llu of %llu", (unsigned long long)n,
             (unsigned long long)left);
    vpmu_ibs_advance(&p->l, VPMU_IBS_OP, n);
    naive_ibs_count_op(&p->n, n);
    if (n == left) {
        sample_op(p);
    }
}

static void do_fetch(struct pair *p)
{
    uint64_t left = naive_ibs_fetch_left(&p->n);
    uint64_t n = left;

    if (left == UINT64_MAX) {
        return;
    }
    if (left && choose_one_in(&p->chooser, 3)) {
        n = choose_below(&p->chooser, left);
    }
    snprintf(p->what, sizeof(p->what), "fetch %llu of %llu", (unsigned long long)n,
             (unsigned long long)left);
    /* The one that is sampled is reported, too. */
    vpmu_ibs_advance(&p->l, VPMU_IBS_FETCH, n + (n == left));
    naive_ibs_count_fetch(&p->n, n);
    if (n == left) {
        sample_fetch(p);
    }
}

static void do_save(struct pair *p)
{
    uint8_t state[VPMU_IBS_STATE_SIZE];
    const char *why = "";
    struct vpmu_ibs other = p->l;

    snprintf(p->what, sizeof(p->what), "save and load");
    same(p, "error", 0, (uint64_t)vpmu_ibs_save(&p->l, state, sizeof(state)));
    vpmu_ibs_reset(&other);
    same(p, "error", 0, (uint64_t)vpmu_ibs_load(&other, state, sizeof(state), &why));
    p->l = other;
}

static void compare(const struct pair *p)
{
    uint64_t op = naive_ibs_op_left(&p->n);
    uint64_t fetch = naive_ibs_fetch_left(&p->n);
    bool counts_ops = p->n.reg[VPMU_IBS_OP_CTL] >> 19 & 1;
    char name[32];

    for (unsigned reg = 0; reg < VPMU_IBS_REGS; reg++) {
        snprintf(name, sizeof(name), "register %u", reg);
        same(p, name, p->n.reg[reg], read_library(p, reg));
    }
    same(p, "left of ops", op == UINT64_MAX ? 0 : op, vpmu_ibs_left(&p->l, VPMU_IBS_OP));
    same(p, "left of fetches", fetch == UINT64_MAX ? 0 : fetch + 1,
         vpmu_ibs_left(&p->l, VPMU_IBS_FETCH));
    same(p, "tags", op ? 0 : counts_ops ? 1 : 1 + p->n.turn, vpmu_ibs_tags(&p->l));
    same(p, "counts",
         op == UINT64_MAX || op == 0 ? VPMU_IBS_NOTHING
         : counts_ops                ? VPMU_IBS_OPS
                                     : VPMU_IBS_CYCLES,
         vpmu_ibs_counts(&p->l, VPMU_IBS_OP));
}

START_TEST(agrees_with_a_second_implementation)
{
    static void (*const steps[])(struct pair *) = {do_write, do_write, do_op,
                                                   do_op,    do_fetch, do_save};
    static const uint8_t families[] = {VPMU_X86_ZEN1, VPMU_X86_ZEN2, VPMU_X86_ZEN3, VPMU_X86_ZEN4,
                                       VPMU_X86_ZEN5};

    for (unsigned zen = 1; zen <= COUNT_OF(families); zen++) {
        struct pair p = {.chooser.state = 0x1b5 + zen};

        vpmu_ibs_init(&p.l, families[zen - 1]);
        naive_ibs_start(&p.n, zen);
        for (unsigned i = 0; i < STEPS; i++) {
            steps[choose_below(&p.chooser, COUNT_OF(steps))](&p);
            compare(&p);
        }
        ck_assert_uint_gt(p.kept, STEPS / 20);
    }
}
END_TEST

Suite *ibs_random_suite(void)
{
    const TTest *const tests[] = {agrees_with_a_second_implementation};

    return suite_of("ibs_random", tests, COUNT_OF(tests));
}
