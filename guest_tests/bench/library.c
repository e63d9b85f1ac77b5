/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * library: prints the nanoseconds per call of the library on this machine, one line for each kind
 * of call: the number, then the call. The fastest of several trials counts.
 *
 * library --libcache: prints the geometry of the library's default cache model, as options of
 * QEMU's plugin libcache.
 */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "vpmu/arm/insn.h"
#include "vpmu/model.h"
#include "vpmu/arm/pmu.h"
#include "vpmu/arm/regs.h"
#include "vpmu/shared_cache.h"

enum {
    TRIALS = 7,
    TRIAL_NS = 10000000,
    LINE = 64,
    EL0 = 0,
    EL1 = 1
};

/* One PMU, one model, and the machine that they belong to. */
struct machine {
    struct vpmu_arm pmu;
    struct vpmu_arm_totals totals;
    struct vpmu_model *model;
    struct vpmu_model *other; /* shares the last level with model */
    struct vpmu_now clock;
    uint64_t sum; /* of all return values, so that no call is left out */
};

struct call {
    const char *what;
    void (*prepare)(struct machine *m);
    void (*repeat)(struct machine *m, unsigned long n);
};

static const struct vpmu_pe at_el1 = {.el = 1};

/* The events of six counters. */
static const uint16_t events[] = {0x08, 0x21, 0x06, 0x07, 0x09, 0x0e};

/* Time passes between two calls that need it. */
static const struct vpmu_now *now(struct machine *m)
{
    m->clock.ticks[0] += 10;
    return &m->clock;
}

static unsigned context(unsigned el)
{
    return vpmu_arm_ctx(el, VPMU_NONSECURE);
}

static void write_reg(struct machine *m, unsigned reg, uint64_t value)
{
    if (vpmu_arm_reg_write(&m->pmu, reg, &at_el1, value, now(m)) < 0) {
        fprintf(stderr, "library: no register %u\n", reg);
        exit(1);
    }
}

/* A PMU like that of QEMU's `max`, with nothing counting. */
static void prepare_idle(struct machine *m)
{
    const struct vpmu_arm_config config = {
        .version = VPMU_V3P5,
        .counters = 6,
        .features = VPMU_HAS_EL2 | VPMU_HAS_EL3,
        .sources = VPMU_SRC_ALL,
        .timed = VPMU_SRC_BIT(VPMU_SRC_CPU_CYCLES),
        .cycle_units = 1,
    };
    const char *why;

    memset(&m->totals, 0, sizeof(m->totals));
    if (vpmu_arm_init(&m->pmu, &config, &m->totals, now(m), &why) != 0) {
        fprintf(stderr, "library: %s\n", why);
        exit(1);
    }
    write_reg(m, VPMU_PMCR, VPMU_PMCR_E | VPMU_PMCR_LC);
}

static void prepare_events(struct machine *m, unsigned count)
{
    prepare_idle(m);
    for (unsigned i = 0; i < count; i++) {
        write_reg(m, VPMU_PMEVTYPER0 + i, events[i]);
    }
    write_reg(m, VPMU_PMINTENSET, (1u << count) - 1);
    write_reg(m, VPMU_PMCNTENSET, (1u << count) - 1);
}

static void prepare_one(struct machine *m)
{
    prepare_events(m, 1);
}

static void prepare_six(struct machine *m)
{
    prepare_events(m, sizeof(events) / sizeof(events[0]));
}

/* Cycles of a pipeline, with one counter that has a threshold. */
static void prepare_threshold(struct machine *m)
{
    const struct vpmu_arm_config config = {
        .version = VPMU_V3P8,
        .counters = 6,
        .features = VPMU_HAS_EL2 | VPMU_HAS_EL3,
        .sources = VPMU_SRC_ALL,
        .cycle_units = 1,
        .threshold_width = 12,
    };
    const char *why;

    memset(&m->totals, 0, sizeof(m->totals));
    if (vpmu_arm_init(&m->pmu, &config, &m->totals, now(m), &why) != 0) {
        fprintf(stderr, "library: %s\n", why);
        exit(1);
    }
    write_reg(m, VPMU_PMEVTYPER0, 0x13 | 1ull << VPMU_TYPER_TH_SHIFT | 4ull << VPMU_TYPER_TC_SHIFT);
    write_reg(m, VPMU_PMCNTENSET, 1);
    write_reg(m, VPMU_PMCR, VPMU_PMCR_E);
}

/* This PMU has no timed source. */
static void repeat_cycle(struct machine *m, unsigned long n)
{
    while (n-- > 0) {
        m->totals.n[context(EL1)][VPMU_SRC_INST_RETIRED]++;
        m->totals.n[context(EL1)][VPMU_SRC_CPU_CYCLES]++;
        m->totals.n[context(EL1)][VPMU_SRC_LD_RETIRED]++;
        vpmu_arm_step(&m->pmu, NULL);
    }
}

/* The same where the cycle has no event. */
static void repeat_plain_cycle(struct machine *m, unsigned long n)
{
    while (n-- > 0) {
        m->totals.n[context(EL1)][VPMU_SRC_INST_RETIRED]++;
        m->totals.n[context(EL1)][VPMU_SRC_CPU_CYCLES]++;
        vpmu_arm_step(&m->pmu, NULL);
    }
}

/* Cycles of EL0 only: at each change of level the count so far must be known. */
static void prepare_cycles(struct machine *m)
{
    prepare_idle(m);
    write_reg(m, VPMU_PMCCFILTR, VPMU_TYPER_P);
    write_reg(m, VPMU_PMCNTENSET, 1u << VPMU_CYCLE_COUNTER);
}

static void repeat_settle(struct machine *m, unsigned long n)
{
    while (n-- > 0) {
        m->totals.n[context(EL1)][VPMU_SRC_INST_RETIRED] += 10;
        vpmu_arm_settle(&m->pmu, vpmu_arm_needs_time(&m->pmu) ? now(m) : NULL);
    }
}

static inline void enter(struct machine *m, unsigned ctx)
{
    if (vpmu_arm_leaving_needs_time(&m->pmu, ctx)) {
        vpmu_arm_set_context(&m->pmu, ctx, now(m));
    } else {
        vpmu_arm_set_context(&m->pmu, ctx, NULL);
    }
}

/* n is even: each two changes lead back to the same level. */
static void repeat_context(struct machine *m, unsigned long n)
{
    for (; n > 0; n -= 2) {
        enter(m, context(EL0));
        enter(m, context(EL1));
        /* As in an emulator, the host cannot predict the next change. */
        __asm__ volatile("" ::: "memory");
    }
}

static void repeat_headroom(struct machine *m, unsigned long n)
{
    while (n-- > 0) {
        m->sum += vpmu_arm_headroom(&m->pmu, VPMU_SRC_INSNS, context(EL1));
    }
}

static void repeat_armed(struct machine *m, unsigned long n)
{
    while (n-- > 0) {
        m->sum += (uint64_t)vpmu_arm_armed(&m->pmu, context(EL1));
    }
}

static void repeat_read(struct machine *m, unsigned reg, unsigned long n)
{
    uint64_t value;

    while (n-- > 0) {
        vpmu_arm_reg_read(&m->pmu, reg, &at_el1, &value,
                          vpmu_arm_needs_time(&m->pmu) ? now(m) : NULL);
        m->sum += value;
    }
}

static void repeat_read_cycles(struct machine *m, unsigned long n)
{
    repeat_read(m, VPMU_PMCCNTR, n);
}

static void repeat_read_event(struct machine *m, unsigned long n)
{
    repeat_read(m, VPMU_PMEVCNTR0, n);
}

static void repeat_enable(struct machine *m, unsigned long n)
{
    while (n-- > 0) {
        vpmu_arm_reg_write(&m->pmu, VPMU_PMCNTENSET, &at_el1, 0x3f, now(m));
    }
}

static void repeat_access(struct machine *m, unsigned long n)
{
    while (n-- > 0) {
        m->sum += (uint64_t)vpmu_arm_reg_access(&m->pmu, VPMU_PMEVCNTR0, &at_el1, false);
    }
}

/* Instructions of all kinds. */
static void repeat_insn(struct machine *m, unsigned long n)
{
    uint32_t insn = 1;

    while (n-- > 0) {
        m->sum += (uint64_t)vpmu_insn_a64(insn);
        insn = insn * 1664525 + 1013904223;
    }
}

static void *memory_of(size_t size)
{
    void *memory = aligned_alloc(VPMU_MODEL_ALIGN, (size + VPMU_MODEL_ALIGN - 1) /
                                                       VPMU_MODEL_ALIGN * VPMU_MODEL_ALIGN);

    if (memory == NULL) {
        fprintf(stderr, "library: no memory\n");
        exit(1);
    }
    return memory;
}

static void prepare_model(struct machine *m)
{
    const struct vpmu_model_config *config = &vpmu_model_default;
    static void *memory;

    if (memory == NULL) {
        memory = memory_of(vpmu_model_size(config));
    }
    memset(&m->totals, 0, sizeof(m->totals));
    m->model = vpmu_model_init(memory, config, vpmu_arm_table(&m->totals));
}

static void do_nothing(void *opaque)
{
    (void)opaque;
}

static unsigned always_el0(void *cpu)
{
    (void)cpu;
    return context(EL0);
}

/* Two CPUs that share the last level. The lock is free: one thread calls both. */
static void prepare_shared(struct machine *m)
{
    static const struct vpmu_shared_ops callbacks = {do_nothing, do_nothing, always_el0};
    static struct vpmu_arm_totals totals;
    static void *memory[3];
    struct vpmu_model_config config = vpmu_model_default;
    struct vpmu_shared *shared;

    config.llc_shared = true;
    if (memory[0] == NULL) {
        memory[0] = memory_of(vpmu_shared_size(&config));
        memory[1] = memory_of(vpmu_model_size(&config));
        memory[2] = memory_of(vpmu_model_size(&config));
    }
    memset(&m->totals, 0, sizeof(m->totals));
    shared = vpmu_shared_init(memory[0], &config, &callbacks, NULL);
    m->model = vpmu_model_init(memory[1], &config, vpmu_arm_table(&m->totals));
    m->other = vpmu_model_init(memory[2], &config, vpmu_arm_table(&totals));
    if (vpmu_shared_join(shared, m->model, NULL) || vpmu_shared_join(shared, m->other, NULL)) {
        fprintf(stderr, "library: no shared cache\n");
        exit(1);
    }
}

/* The two CPUs store to one line in turns. */
static void repeat_taken(struct machine *m, unsigned long n)
{
    for (unsigned long i = 0; i < n; i++) {
        vpmu_model_data(i % 2 ? m->other : m->model, context(EL0), 0, 8, true, VPMU_PAGE_SHIFT);
    }
}

/* Loads, one from each of this many lines, again and again. */
static void repeat_loads(struct machine *m, unsigned long n, unsigned long lines)
{
    for (unsigned long i = 0; i < n; i++) {
        vpmu_model_data(m->model, context(EL0), i % lines * LINE, 8, false, VPMU_PAGE_SHIFT);
    }
}

static void repeat_filtered(struct machine *m, unsigned long n)
{
    const struct vpmu_filter *filter = &((const struct vpmu_model_head *)m->model)->filter;

    vpmu_model_data(m->model, context(EL0), 0, 8, false, VPMU_PAGE_SHIFT);
    while (n-- > 0) {
        m->sum += vpmu_filter_hit(filter->load, 6, n % 8 * 8, 8);
        __asm__ volatile("" ::: "memory");
    }
}

static void repeat_l1_hit(struct machine *m, unsigned long n)
{
    repeat_loads(m, n, 128);
}

static void repeat_l2_hit(struct machine *m, unsigned long n)
{
    repeat_loads(m, n, 4096);
}

static void repeat_miss(struct machine *m, unsigned long n)
{
    repeat_loads(m, n, 1ul << 20);
}

static void repeat_fetch(struct machine *m, unsigned long n)
{
    for (unsigned long i = 0; i < n; i++) {
        vpmu_model_fetch(m->model, context(EL0), i % 128 * LINE, VPMU_PAGE_SHIFT);
    }
}

/* A loop of 16 iterations. */
static void repeat_branch(struct machine *m, unsigned long n)
{
    for (unsigned long i = 0; i < n; i++) {
        m->sum += vpmu_model_branch(m->model, context(EL0), 0x1000, 0x0f00, 0x1004,
                                    VPMU_BRANCH_CONDITIONAL, i % 16 != 15);
    }
}

static const struct call calls[] = {
    {"vpmu_arm_settle, nothing counts", prepare_idle, repeat_settle},
    {"vpmu_arm_settle, 1 counter", prepare_one, repeat_settle},
    {"vpmu_arm_settle, 6 counters", prepare_six, repeat_settle},
    {"vpmu_arm_step, 1 threshold", prepare_threshold, repeat_cycle},
    {"vpmu_arm_step, 1 threshold, no event", prepare_threshold, repeat_plain_cycle},
    {"vpmu_arm_set_context, 6 counters", prepare_six, repeat_context},
    {"vpmu_arm_set_context, cycles of EL0 only", prepare_cycles, repeat_context},
    {"vpmu_arm_armed, 6 counters", prepare_six, repeat_armed},
    {"vpmu_arm_headroom, 1 counter", prepare_one, repeat_headroom},
    {"vpmu_arm_headroom, 6 counters", prepare_six, repeat_headroom},
    {"vpmu_arm_reg_access PMEVCNTR0", prepare_six, repeat_access},
    {"vpmu_arm_reg_read PMCCNTR", prepare_cycles, repeat_read_cycles},
    {"vpmu_arm_reg_read PMEVCNTR0, 1 counter", prepare_one, repeat_read_event},
    {"vpmu_arm_reg_read PMEVCNTR0, 6 counters", prepare_six, repeat_read_event},
    {"vpmu_arm_reg_write PMCNTENSET, 6 counters", prepare_six, repeat_enable},
    {"vpmu_insn_a64", prepare_idle, repeat_insn},
    {"vpmu_filter_hit", prepare_model, repeat_filtered},
    {"vpmu_model_data, hits L1", prepare_model, repeat_l1_hit},
    {"vpmu_model_data, hits L2", prepare_model, repeat_l2_hit},
    {"vpmu_model_data, hits nothing", prepare_model, repeat_miss},
    {"vpmu_model_data, hits L2, shared", prepare_shared, repeat_l2_hit},
    {"vpmu_model_data, hits nothing, shared", prepare_shared, repeat_miss},
    {"vpmu_model_data, taken from the other CPU", prepare_shared, repeat_taken},
    {"vpmu_model_fetch, hits L1", prepare_model, repeat_fetch},
    {"vpmu_model_branch, a loop", prepare_model, repeat_branch},
};

static uint64_t now_ns(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static uint64_t time_of(const struct call *call, struct machine *m, unsigned long n)
{
    uint64_t since = now_ns();

    call->repeat(m, n);
    return now_ns() - since;
}

/* Returns the nanoseconds per call: enough calls to be timed, and the best of several trials. */
static double measure(const struct call *call, struct machine *m)
{
    unsigned long n = 1024;
    uint64_t least = UINT64_MAX;

    call->prepare(m);
    while (time_of(call, m, n) < TRIAL_NS) {
        n *= 2;
    }
    for (int trial = 0; trial < TRIALS; trial++) {
        uint64_t ns = time_of(call, m, n);

        least = ns < least ? ns : least;
    }
    return (double)least / (double)n;
}

static void print_cache(const char *name, const struct vpmu_cache_config *cache)
{
    printf("%scachesize=%u,%sassoc=%u,%sblksize=%u,", name, cache->size, name, cache->ways, name,
           cache->line);
}

int main(int argc, char **argv)
{
    static struct machine machine;

    if (argc == 2 && strcmp(argv[1], "--libcache") == 0) {
        print_cache("i", &vpmu_model_default.l1i);
        print_cache("d", &vpmu_model_default.l1d);
        print_cache("l2", &vpmu_model_default.l2);
        printf("l2=on\n");
        return 0;
    }
    if (argc != 1) {
        fprintf(stderr, "usage: library [--libcache]\n");
        return 2;
    }
    for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
        printf("%.2f %s\n", measure(&calls[i], &machine), calls[i].what);
        fflush(stdout);
    }
    return machine.sum == 1; /* never true, but the compiler does not know */
}
