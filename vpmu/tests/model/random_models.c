/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/*
 * random_models [seed] [steps]: three models get the same random accesses. The first is called for
 * each access, the second only for accesses that the line filter does not contain, and the third is
 * the simple implementation. After each step, all totals must be equal. At the end, the first two
 * must have equal memory.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../src/model/model_internal.h"
#include "chooser.h"
#include "random_config.h"
#include "simple_model.h"

#define DEFAULT_STEPS 200000
#define STEPS_PER_MODEL 4000
#define MEMORY_SIZE (2 << 20)
#define CTX 4
/* Enough branches that TAGE's entries age. */
#define BRANCHES 280000

/* A model of the library, with its caller. */
struct modelled {
    bool filters; /* checks the line filter first */
    struct vpmu_model *model;
    struct vpmu_arm_totals totals;
    uint64_t calls;
    uint64_t hits;
};

struct random_run {
    struct chooser *c;
    struct vpmu_model_config config;
    struct modelled all;
    struct modelled some;
    struct simple simple;
    uint64_t base;  /* the base of most addresses */
    uint64_t range; /* the range of the offsets */
    uint64_t pc;
};

static _Alignas(VPMU_MODEL_ALIGN) unsigned char memory[2][MEMORY_SIZE];

static void modelled_start(struct modelled *t, const struct vpmu_model_config *config,
                           unsigned char *mem, bool filters)
{
    memset(t, 0, sizeof(*t));
    t->filters = filters;
    if (vpmu_model_size(config) > MEMORY_SIZE) {
        abort();
    }
    memset(mem, 0xa5, MEMORY_SIZE);
    t->model = vpmu_model_init(mem, config, vpmu_arm_table(&t->totals));
    if (!t->model) {
        abort();
    }
}

static struct vpmu_model_head *head_of(struct modelled *t)
{
    return (struct vpmu_model_head *)(void *)t->model;
}

static void life_start(struct random_run *l, const struct vpmu_model_config *config)
{
    /* The ends of the address space and of its halves, and typical addresses of programs. */
    static const uint64_t bases[] = {0, 0x400000, 0 - 0x8000ull, 0x7fffffffffc000,
                                     0xffff800080000000};

    l->config = *config;
    l->base = bases[choose_below(l->c, sizeof(bases) / sizeof(bases[0]))];
    l->range = 256ull << choose_below(l->c, 13);
    l->pc = l->base;
    modelled_start(&l->all, config, memory[0], false);
    modelled_start(&l->some, config, memory[1], true);
    simple_init(&l->simple, config);
    choose_pages(l->c);
    l->simple.page_size = page_bytes_at;
}

/* What enum vpmu_missed must be if the totals were @before. */
static unsigned missed_since(const struct modelled *t, const uint64_t *before)
{
    static const struct {
        enum vpmu_source source;
        unsigned missed;
    } misses[] = {
        {VPMU_SRC_DTLB_L2_HIT_RD, VPMU_MISSED_TLB},
        {VPMU_SRC_DTLB_L2_HIT_WR, VPMU_MISSED_TLB},
        {VPMU_SRC_ITLB_L2_HIT, VPMU_MISSED_TLB},
        {VPMU_SRC_DTLB_WALK_RD, VPMU_MISSED_TLB | VPMU_MISSED_L2_TLB},
        {VPMU_SRC_DTLB_WALK_WR, VPMU_MISSED_TLB | VPMU_MISSED_L2_TLB},
        {VPMU_SRC_ITLB_WALK, VPMU_MISSED_TLB | VPMU_MISSED_L2_TLB},
        {VPMU_SRC_L1D_CACHE_REFILL_RD, VPMU_MISSED_L1},
        {VPMU_SRC_L1D_CACHE_REFILL_WR, VPMU_MISSED_L1},
        {VPMU_SRC_L1I_CACHE_REFILL, VPMU_MISSED_L1},
        {VPMU_SRC_L2D_CACHE_REFILL_RD, VPMU_MISSED_L2},
        {VPMU_SRC_L2D_CACHE_REFILL_WR, VPMU_MISSED_L2},
        {VPMU_SRC_LL_CACHE_MISS_RD, VPMU_MISSED_LLC},
        {VPMU_SRC_LL_CACHE_MISS_WR, VPMU_MISSED_LLC},
        {VPMU_SRC_BUS_ACCESS_RD, VPMU_FROM_MEMORY},
    };
    unsigned missed = 0;

    for (size_t i = 0; i < sizeof(misses) / sizeof(misses[0]); i++) {
        if (t->totals.n[CTX][misses[i].source] != before[misses[i].source]) {
            missed |= misses[i].missed;
        }
    }
    return missed;
}

static void expect_missed(const struct modelled *t, const uint64_t *before, unsigned missed)
{
    unsigned expected = missed_since(t, before);

    if (missed != expected) {
        fprintf(stderr, "random_models: missed: expected 0x%x got 0x%x\n", expected, missed);
        exit(1);
    }
}

/* Calls the model. A caller that has looked at the line filter uses the function for one line. */
static unsigned call_data(struct modelled *t, unsigned shift, uint64_t addr, unsigned size,
                          bool write)
{
    bool is_line = size <= 1 || (addr ^ (addr + size - 1)) >> shift == 0;

    t->calls++;
    return t->filters && is_line
               ? vpmu_model_line(t->model, CTX, addr, write, page_shift_at(addr))
               : vpmu_model_data(t->model, CTX, addr, size, write, page_shift_at(addr));
}

/* The caller's part of a load or store to pages of one size. */
static void access_pages(struct modelled *t, unsigned shift, uint64_t addr, unsigned size,
                         bool write)
{
    struct vpmu_filter *f = &head_of(t)->filter;
    uint64_t before[VPMU_SRC_COUNT];

    t->totals.n[CTX][write ? VPMU_SRC_L1D_CACHE_WR : VPMU_SRC_L1D_CACHE_RD]++;
    if (t->filters && size > 0 && size <= 4096 &&
        vpmu_filter_hit(write ? f->store : f->load, shift, addr, size)) {
        t->hits++;
        return;
    }
    memcpy(before, t->totals.n[CTX], sizeof(before));
    expect_missed(t, before, call_data(t, shift, addr, size, write));
}

/* The caller's part of a load or store, which calls the model for each part with other pages. */
static void modelled_data(struct modelled *t, unsigned shift, uint64_t addr, unsigned size,
                          bool write)
{
    uint64_t start = addr;

    for (uint64_t at = addr + 1; at - addr < size; at++) {
        if (at % 4096 == 0 && page_shift_at(at) != page_shift_at(start)) {
            access_pages(t, shift, start, (unsigned)(at - start), write);
            start = at;
        }
    }
    access_pages(t, shift, start, size - (unsigned)(start - addr), write);
}

static void modelled_instruction(struct modelled *t, unsigned shift, uint64_t addr)
{
    struct vpmu_model_head *head = head_of(t);
    uint64_t line = addr >> shift << shift;
    uint64_t before[VPMU_SRC_COUNT];

    if (line == head->fetch_line) {
        return;
    }
    if (t->filters && vpmu_filter_hit(head->filter.fetch, shift, addr, 1)) {
        t->totals.n[CTX][VPMU_SRC_L1I_CACHE]++;
        head->fetch_line = line;
        t->hits++;
        return;
    }
    t->calls++;
    memcpy(before, t->totals.n[CTX], sizeof(before));
    expect_missed(t, before, vpmu_model_fetch(t->model, CTX, addr, page_shift_at(addr)));
}

static uint64_t choose_addr(struct random_run *l)
{
    if (choose_one_in(l->c, 64)) {
        return choose_bits(l->c);
    }
    return l->base + choose_below(l->c, l->range) * (choose_one_in(l->c, 4) ? 64 : 1);
}

static void step_data(struct random_run *l)
{
    unsigned shift = (unsigned)__builtin_ctz(l->config.l1d.line);
    uint64_t addr = choose_addr(l);
    unsigned size = 1u << choose_below(l->c, 5);
    bool write = choose_one_in(l->c, 3);

    if (choose_one_in(l->c, 50)) {
        size = (unsigned)choose_below(l->c, choose_one_in(l->c, 4) ? 20000 : 300);
    }
    /* The access is often repeated, because the line filter contains only repeated accesses. */
    for (uint64_t times = 1 + choose_below(l->c, 3); times > 0; times--) {
        modelled_data(&l->all, shift, addr, size, write);
        modelled_data(&l->some, shift, addr, size, write);
        simple_data(&l->simple, CTX, addr, size, write);
        addr += size;
    }
}

static void step_instructions(struct random_run *l)
{
    unsigned shift = (unsigned)__builtin_ctz(l->config.l1d.line);

    if (choose_one_in(l->c, 3)) {
        l->pc = choose_addr(l) & ~1ull;
    }
    for (uint64_t times = choose_below(l->c, 12); times > 0; times--) {
        modelled_instruction(&l->all, shift, l->pc);
        modelled_instruction(&l->some, shift, l->pc);
        simple_instruction(&l->simple, CTX, l->pc);
        l->pc += 4;
    }
}

/* Does what generated code may do itself instead of calling vpmu_model_branch(). */
static bool branch_itself(struct vpmu_model *m, unsigned branch_model, uint64_t pc, uint64_t target,
                          uint64_t next, enum vpmu_branch_kind kind, bool taken)
{
    struct vpmu_predictor *p = ((struct vpmu_model_head *)m)->predictor[pc >> 55 & 1];
    bool wrong = false;

    if (p == NULL || (kind == VPMU_BRANCH_CONDITIONAL && branch_model == VPMU_BRANCH_TAGE)) {
        return vpmu_model_branch(m, CTX, pc, target, next, kind, taken);
    }
    if (kind == VPMU_BRANCH_CONDITIONAL) {
        wrong = taken != (branch_model == VPMU_BRANCH_GSHARE ? vpmu_predictor_gshare(p, pc, taken)
                          : branch_model == VPMU_BRANCH_BIMODAL
                              ? vpmu_predictor_count(p, vpmu_predictor_number(pc), taken)
                              : target <= pc);
    } else if (taken) {
        if (kind == VPMU_BRANCH_INDIRECT || kind == VPMU_BRANCH_INDIRECT_CALL) {
            wrong = !vpmu_predictor_indirect(p, pc, target);
        } else if (kind == VPMU_BRANCH_RETURN) {
            wrong = vpmu_predictor_return(p) != target;
        }
        if (kind == VPMU_BRANCH_CALL || kind == VPMU_BRANCH_INDIRECT_CALL) {
            vpmu_predictor_call(p, next);
        }
    }
    if (wrong) {
        vpmu_model_mispredicted(m, CTX);
    }
    return wrong;
}

/* Returns true if all three models agree. */
static bool step_branch(struct random_run *l)
{
    enum vpmu_branch_kind kind = (enum vpmu_branch_kind)choose_below(l->c, 6);
    uint64_t pc = l->base + choose_below(l->c, 40) * 2 * (choose_one_in(l->c, 4) ? 512 : 1);
    uint64_t target = l->base + choose_below(l->c, 4) * 40;
    uint64_t next = pc + (choose_one_in(l->c, 3) ? 2 : 4);
    bool taken = choose_below(l->c, 40) * 2 > (pc & 0x7f) || !choose_one_in(l->c, 6);
    bool missed;

    if (choose_one_in(l->c, 8)) {
        pc ^= 1ull << 55;
    }
    if (kind == VPMU_BRANCH_RETURN && !choose_one_in(l->c, 4)) {
        simple_return(&l->simple, pc, &target);
    }
    missed = simple_branch(&l->simple, CTX, pc, target, next, kind, taken);
    return vpmu_model_branch(l->all.model, CTX, pc, target, next, kind, taken) == missed &&
           branch_itself(l->some.model, l->config.branch, pc, target, next, kind, taken) == missed;
}

/* Flushes a few pages, half of the addresses or all, in one space, in some or in all. */
static void step_flush_some(struct random_run *l)
{
    static const uint32_t masks[] = {UINT32_MAX, 1, 2, 0};
    uint64_t first = choose_one_in(l->c, 4) ? l->pc : choose_addr(l);
    struct vpmu_flush what = {
        .first = first,
        .last = first + choose_below(l->c, 3) * choose_below(l->c, 20) * 1000,
        .space = {(uint32_t)choose_below(l->c, 6), (uint32_t)choose_below(l->c, 2)},
        .mask = {masks[choose_below(l->c, 4)], masks[choose_below(l->c, 4)]},
    };

    if (what.last < first || choose_one_in(l->c, 3)) {
        what.first = choose_one_in(l->c, 2) ? 0 : 1ull << 55;
        what.last = choose_one_in(l->c, 2) ? UINT64_MAX : what.first | ((1ull << 55) - 1);
    }
    vpmu_model_flush(l->all.model, &what);
    vpmu_model_flush(l->some.model, &what);
    simple_flush(&l->simple, &what);
}

static void set_largest_page(struct random_run *l, unsigned shift)
{
    vpmu_model_set_largest_page(l->all.model, shift);
    vpmu_model_set_largest_page(l->some.model, shift);
    l->simple.largest_page = 1ull << (shift < 12 ? 12 : shift > 48 ? 48 : shift);
}

static void step_flush(struct random_run *l)
{
    uint64_t addr = choose_one_in(l->c, 4) ? l->pc : choose_addr(l);

    if (choose_one_in(l->c, 2)) {
        step_flush_some(l);
        return;
    }
    if (choose_one_in(l->c, 4)) {
        vpmu_model_flush_tlb(l->all.model);
        vpmu_model_flush_tlb(l->some.model);
        simple_flush_tlb(&l->simple);
        choose_pages(l->c);
        set_largest_page(l, choose_one_in(l->c, 2) ? (unsigned)choose_below(l->c, 64) : 48);
        return;
    }
    vpmu_model_flush_page(l->all.model, addr);
    vpmu_model_flush_page(l->some.model, addr);
    simple_flush_page(&l->simple, addr);
}

/* Mostly selects one of few spaces, so that spaces become current again. */
static void step_space(struct random_run *l)
{
    uint32_t low = (uint32_t)choose_below(l->c, choose_one_in(l->c, 2) ? 2 : 6);
    uint32_t high = (uint32_t)choose_below(l->c, 2);

    vpmu_model_set_space(l->all.model, low, high);
    vpmu_model_set_space(l->some.model, low, high);
    simple_set_space(&l->simple, low, high);
}

static bool same_totals(const struct random_run *l)
{
    for (unsigned source = 0; source < VPMU_SRC_COUNT; source++) {
        uint64_t want = l->simple.totals.n[CTX][source];
        uint64_t all = l->all.totals.n[CTX][source];
        uint64_t some = l->some.totals.n[CTX][source];

        if (want != all || want != some) {
            fprintf(stderr,
                    "random_models: source %u: disagree: expected %" PRIu64 " got %" PRIu64
                    ", with the line filter %" PRIu64 "\n",
                    source, want, all, some);
            return false;
        }
    }
    if (!simple_levels_add_up(&l->simple, CTX)) {
        fprintf(stderr,
                "random_models: accesses of a level disagree with refills and write-backs\n");
        return false;
    }
    return true;
}

/*
 * Compares caches, TLBs, the last fetch and predictors. Hints are not compared, because they only
 * say where to search first. The line filter is not compared, because a store that it avoids would
 * have put its line back into filter.load.
 */
static bool same_memory(const struct random_run *l)
{
    const struct vpmu_model *a = l->all.model;
    const struct vpmu_model *b = l->some.model;
    size_t size = vpmu_model_size(&l->config);

    if (a->head.fetch_line == b->head.fetch_line &&
        memcmp(a->predictors, b->predictors, sizeof(a->predictors)) == 0 &&
        memcmp(memory[0] + sizeof(*a), memory[1] + sizeof(*b), size - sizeof(*a)) == 0) {
        return true;
    }
    fprintf(stderr, "random_models: disagree: with the line filter, memory is another\n");
    return false;
}

static bool life_step(struct random_run *l)
{
    uint64_t what = choose_below(l->c, 100);

    if (what == 0) {
        step_space(l);
    } else if (what < 4) {
        step_flush(l);
    } else if (what < 50) {
        step_data(l);
    } else if (what < 75) {
        step_instructions(l);
    } else if (!step_branch(l)) {
        fprintf(stderr, "random_models: disagree: on a branch\n");
        return false;
    }
    return same_totals(l);
}

/* Executes many branches on one predictor, some with random and some with repeated outcomes. */
static bool run_branches(struct random_run *l)
{
    struct vpmu_model_config config = vpmu_model_default;

    life_start(l, &config);
    for (unsigned i = 0; i < BRANCHES; i++) {
        uint64_t which = choose_below(l->c, 4);
        uint64_t pc = l->base + 4 * (which + (i >> 14) * 5);
        bool taken = which == 0 ? choose_one_in(l->c, 2) : i % (which * 7) < 5;

        if (vpmu_model_branch(l->all.model, CTX, pc, pc, pc + 4, VPMU_BRANCH_CONDITIONAL, taken) !=
            simple_branch(&l->simple, CTX, pc, pc, pc + 4, VPMU_BRANCH_CONDITIONAL, taken)) {
            fprintf(stderr, "random_models: disagree: on branch %u\n", i);
            return false;
        }
    }
    return true;
}

static bool run_lives(struct random_run *l, uint64_t steps, uint64_t *calls, uint64_t *hits)
{
    for (uint64_t step = 0; step < steps; step++) {
        if (step % STEPS_PER_MODEL == 0) {
            struct vpmu_model_config config = choose_model_config(l->c);

            life_start(l, &config);
        }
        if (!life_step(l) || (step % STEPS_PER_MODEL == STEPS_PER_MODEL - 1 && !same_memory(l))) {
            fprintf(stderr, "random_models: step %" PRIu64 "\n", step);
            return false;
        }
        if (step % STEPS_PER_MODEL == STEPS_PER_MODEL - 1) {
            *calls += l->some.calls;
            *hits += l->some.hits;
        }
    }
    return true;
}

int main(int argc, char **argv)
{
    static struct random_run life;
    uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 0) : choose_seed();
    uint64_t steps = argc > 2 ? strtoull(argv[2], NULL, 0) : DEFAULT_STEPS;
    struct chooser c = {.state = seed};
    uint64_t calls = 0;
    uint64_t hits = 0;

    printf("random_models: seed %#" PRIx64 "\n", seed);
    fflush(stdout);
    life.c = &c;
    if (!run_branches(&life) || !run_lives(&life, steps, &calls, &hits)) {
        fprintf(stderr, "random_models: disagreement with seed %#" PRIx64 "\n", seed);
        return 1;
    }
    printf("random_models: %" PRIu64 " steps agreed, the line filter spared %" PRIu64 " of %" PRIu64
           " calls, seed %#" PRIx64 "\n",
           steps, hits, hits + calls, seed);
    return 0;
}
