/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/*
 * random_shared [seed] [steps]: 2 to 8 CPUs that share a last-level cache get random accesses to
 * the same lines. Each CPU has two models of the library, one of which is called only for accesses
 * that the line filter does not contain, and the simple implementation. After each step, all totals
 * of all CPUs must be equal, and no line may be Modified in one CPU and present in another.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "random_config.h"
#include "simple_model.h"
#include "vpmu/shared_cache.h"

#define DEFAULT_STEPS 100000
#define STEPS_PER_MACHINE 2000
#define MODEL_SIZE (1 << 20)
#define SHARED_SIZE (4 << 20)

/* A CPU of the library. */
struct modelled {
    struct vpmu_model *model;
    struct vpmu_arm_totals totals;
    unsigned ctx;
};

/* A machine of the library. */
struct machine {
    bool filters; /* looks at the line filter first */
    bool locked;
    struct vpmu_shared *shared;
    struct modelled cpus[SIMPLE_MAX_CPUS];
};

struct random_run {
    struct chooser c;
    struct vpmu_model_config config;
    unsigned count;
    unsigned shift;
    uint64_t base;
    uint64_t range;
    uint64_t pc[SIMPLE_MAX_CPUS];
    struct machine machines[2];
    struct simple_group group;
    struct simple cpus[SIMPLE_MAX_CPUS];
    uint64_t hits;
    uint64_t invalidated;
};

static _Alignas(VPMU_MODEL_ALIGN) unsigned char memory[2][SIMPLE_MAX_CPUS][MODEL_SIZE];
static _Alignas(VPMU_MODEL_ALIGN) unsigned char shared_memory[2][SHARED_SIZE];

static void fail(const char *what)
{
    fprintf(stderr, "random_shared: disagree: %s\n", what);
    exit(1);
}

static void lock(void *opaque)
{
    struct machine *machine = opaque;

    if (machine->locked) {
        fail("the lock is taken twice");
    }
    machine->locked = true;
}

static void unlock(void *opaque)
{
    struct machine *machine = opaque;

    if (!machine->locked) {
        fail("the lock is released twice");
    }
    machine->locked = false;
}

static unsigned context(void *cpu)
{
    return ((struct modelled *)cpu)->ctx;
}

static const struct vpmu_shared_ops ops = {.lock = lock, .unlock = unlock, .context = context};

static void start_machine(struct random_run *r, unsigned n)
{
    struct machine *machine = &r->machines[n];

    memset(machine, 0, sizeof(*machine));
    machine->filters = n == 1;
    if (vpmu_model_size(&r->config) > MODEL_SIZE || vpmu_shared_size(&r->config) > SHARED_SIZE) {
        fail("models are larger than expected");
    }
    machine->shared = vpmu_shared_init(shared_memory[n], &r->config, &ops, machine);
    for (unsigned i = 0; i < r->count; i++) {
        struct modelled *cpu = &machine->cpus[i];

        cpu->model = vpmu_model_init(memory[n][i], &r->config, vpmu_arm_table(&cpu->totals));
        if (vpmu_shared_join(machine->shared, cpu->model, cpu)) {
            fail("a model cannot join");
        }
    }
}

static void start(struct random_run *r)
{
    struct chooser *c = &r->c;

    do {
        r->config = choose_model_config(c);
        r->config.llc_shared = true;
    } while (!r->config.llc.size);
    r->count = 2 + (unsigned)choose_below(c, SIMPLE_MAX_CPUS - 1);
    r->shift = (unsigned)__builtin_ctz(r->config.l1d.line);
    r->base = choose_one_in(c, 2) ? 0x400000 : 0xffff800080000000;
    r->range = 64ull << choose_below(c, 10);
    start_machine(r, 0);
    start_machine(r, 1);
    choose_page_size(c);
    simple_group_init(&r->group, &r->config);
    for (unsigned i = 0; i < r->count; i++) {
        simple_init(&r->cpus[i], &r->config);
        simple_join(&r->group, &r->cpus[i]);
        r->cpus[i].page_size = page_bytes_at;
        r->pc[i] = r->base;
    }
}

static void expect_peers(const struct simple *s, unsigned missed)
{
    const unsigned peers =
        VPMU_PEER_HAS | VPMU_PEER_MODIFIED | VPMU_PEER_FORWARDED | VPMU_PEER_INVALIDATED;

    if ((missed & peers) != s->peers) {
        fail("on what other CPUs have");
    }
}

static void data(struct random_run *r, const struct machine *machine, unsigned cpu, uint64_t addr,
                 unsigned size, bool write)
{
    const struct modelled *m = &machine->cpus[cpu];
    const struct vpmu_filter *f = &((struct vpmu_model_head *)(void *)m->model)->filter;

    if (machine->filters && vpmu_filter_hit(write ? f->store : f->load, r->shift, addr, size)) {
        r->hits++;
        expect_peers(&r->cpus[cpu], 0);
        return;
    }
    expect_peers(&r->cpus[cpu],
                 vpmu_model_data(m->model, m->ctx, addr, size, write, page_shift_at(addr)));
}

static void instruction(struct random_run *r, struct machine *machine, unsigned cpu, uint64_t addr)
{
    struct modelled *m = &machine->cpus[cpu];
    struct vpmu_model_head *head = (struct vpmu_model_head *)(void *)m->model;

    if (head->fetch_line != addr >> r->shift << r->shift) {
        expect_peers(&r->cpus[cpu], vpmu_model_fetch(m->model, m->ctx, addr, page_shift_at(addr)));
    }
}

static void step_data(struct random_run *r, unsigned cpu)
{
    struct chooser *c = &r->c;
    uint64_t addr = r->base + choose_below(c, r->range) * (choose_one_in(c, 4) ? 64 : 8);
    unsigned size = 1u << choose_below(c, choose_one_in(c, 8) ? 9 : 4);
    bool write = choose_one_in(c, 3);

    for (uint64_t times = 1 + choose_below(c, 2); times > 0; times--) {
        unsigned ctx = r->cpus[cpu].ctx;

        simple_data(&r->cpus[cpu], ctx, addr, size, write);
        for (unsigned n = 0; n < 2; n++) {
            uint64_t *row = r->machines[n].cpus[cpu].totals.n[ctx];

            row[write ? VPMU_SRC_L1D_CACHE_WR : VPMU_SRC_L1D_CACHE_RD]++;
            data(r, &r->machines[n], cpu, addr, size, write);
        }
    }
}

static void step_instructions(struct random_run *r, unsigned cpu)
{
    if (choose_one_in(&r->c, 3)) {
        r->pc[cpu] = r->base + choose_below(&r->c, r->range) * 4;
    }
    for (uint64_t times = choose_below(&r->c, 12); times > 0; times--) {
        simple_instruction(&r->cpus[cpu], r->cpus[cpu].ctx, r->pc[cpu]);
        instruction(r, &r->machines[0], cpu, r->pc[cpu]);
        instruction(r, &r->machines[1], cpu, r->pc[cpu]);
        r->pc[cpu] += 4;
    }
}

/* Another address space, another context, or a flush of the TLBs. */
static void step_change(struct random_run *r, unsigned cpu)
{
    uint32_t low = (uint32_t)choose_below(&r->c, 2);
    uint32_t high = choose_one_in(&r->c, 8);
    unsigned ctx = (unsigned)choose_below(&r->c, VPMU_CTX_COUNT);
    uint64_t what = choose_below(&r->c, 4);

    if (what == 0) {
        simple_set_space(&r->cpus[cpu], low, high);
    } else if (what == 1) {
        simple_flush_tlb(&r->cpus[cpu]);
    } else {
        r->cpus[cpu].ctx = ctx;
    }
    for (unsigned n = 0; n < 2; n++) {
        struct modelled *m = &r->machines[n].cpus[cpu];

        if (what == 0) {
            vpmu_model_set_space(m->model, low, high);
        } else if (what == 1) {
            vpmu_model_flush_tlb(m->model);
        } else {
            m->ctx = ctx;
        }
    }
}

static void check_total(const struct random_run *r, unsigned n, unsigned cpu, unsigned ctx,
                        unsigned source)
{
    uint64_t want = r->cpus[cpu].totals.n[ctx][source];
    uint64_t got = r->machines[n].cpus[cpu].totals.n[ctx][source];

    if (want != got) {
        fprintf(stderr, "CPU %u, source %u, context %u, %s: expected %" PRIu64 " got %" PRIu64 "\n",
                cpu, source, ctx, n ? "with the line filter" : "all calls", want, got);
        fail("on a total");
    }
}

static void check_totals(const struct random_run *r)
{
    for (unsigned cpu = 0; cpu < r->count; cpu++) {
        for (unsigned ctx = 0; ctx < VPMU_CTX_COUNT; ctx++) {
            for (unsigned source = 0; source < VPMU_SRC_COUNT; source++) {
                check_total(r, 0, cpu, ctx, source);
                check_total(r, 1, cpu, ctx, source);
            }
            if (!simple_levels_add_up(&r->cpus[cpu], ctx)) {
                fail("on the accesses of a level");
            }
        }
    }
}

static void check_line(const struct random_run *r, unsigned cpu, const struct simple_item *item)
{
    for (unsigned i = 0; i < r->count; i++) {
        if (i != cpu && simple_line_state(&r->cpus[i], item->number, item->space)) {
            fail("on a line that is Modified: another CPU has it");
        }
    }
}

/* A line that is Modified in one CPU is in no other. */
static void check_states(const struct random_run *r)
{
    for (unsigned i = 0; i < r->count; i++) {
        const struct simple_store *stores[] = {&r->cpus[i].l1d, &r->cpus[i].l2};

        for (unsigned n = 0; n < 2; n++) {
            for (uint64_t at = 0; at < stores[n]->sets * stores[n]->ways; at++) {
                if (stores[n]->items[at].present && stores[n]->items[at].dirty) {
                    check_line(r, i, &stores[n]->items[at]);
                }
            }
        }
    }
}

static void step(struct random_run *r)
{
    unsigned cpu = (unsigned)choose_below(&r->c, r->count);
    uint64_t what = choose_below(&r->c, 100);

    if (what < 3) {
        step_change(r, cpu);
    } else if (what < 25) {
        step_instructions(r, cpu);
    } else {
        step_data(r, cpu);
    }
    check_totals(r);
}

static void finish(struct random_run *r)
{
    check_states(r);
    for (unsigned i = 0; i < r->count; i++) {
        for (unsigned ctx = 0; ctx < VPMU_CTX_COUNT; ctx++) {
            r->invalidated += r->cpus[i].totals.n[ctx][VPMU_SRC_L1D_CACHE_INVAL];
        }
    }
}

int main(int argc, char **argv)
{
    static struct random_run run;
    uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 0) : choose_seed();
    uint64_t steps = argc > 2 ? strtoull(argv[2], NULL, 0) : DEFAULT_STEPS;

    printf("random_shared: seed %#" PRIx64 "\n", seed);
    fflush(stdout);
    run.c.state = seed;
    for (uint64_t i = 0; i < steps; i++) {
        if (i % STEPS_PER_MACHINE == 0) {
            start(&run);
        }
        step(&run);
        if (i % STEPS_PER_MACHINE == STEPS_PER_MACHINE - 1) {
            finish(&run);
        }
    }
    printf("random_shared: %" PRIu64 " steps agreed, the line filter spared %" PRIu64
           " calls, %" PRIu64 " lines were invalidated, seed %#" PRIx64 "\n",
           steps, run.hits, run.invalidated, seed);
    return 0;
}
