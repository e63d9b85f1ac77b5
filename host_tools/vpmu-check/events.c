/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel's generic events, its cache events, and the events that a PMU lists in /sys: each by
 * the rule that fits what it means.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "judge.h"
#include "pmus.h"

enum rule {
    KNOWN,      /* a quantity that loops have */
    EXECUTED,   /* the same, of instructions that the CPU executes and drops, too */
    CYCLES,     /* as many for the same loop, whatever else the computer does */
    CLOCK,      /* as many in the same time */
    MISSES,     /* few in a page, at least some for each line of a large memory */
    FAR_MISSES, /* the same, unless a cache holds the large memory */
    REFERENCES, /* the same, of a level that only misses reach */
    MISTAKES,   /* few in a loop, half of a branch that is taken by chance */
    CODE,       /* few in a loop, some for each function that is called once */
    MORE        /* more for more turns; nothing else is known */
};

/**
 * struct event_rule - what an event means
 * @names: of the event, between commas: perf's, and those of PMUs in /sys.
 */
struct event_rule {
    const char *names;
    enum rule rule;
    enum quantity quantity;
    enum quantity other;
};

/* On Arm, older kernels map "branches" to PC_WRITE_RETIRED, newer ones only where BR_RETIRED does
 * not exist. L1-dcache-loads of Arm and AMD counts stores, too. */
static const struct event_rule rules[] = {
    {",instructions,inst_retired,", KNOWN, Q_INSTRUCTIONS, Q_NONE},
    {",branches,branch-instructions,", KNOWN, Q_BRANCHES, Q_TAKEN},
    {",br_retired,", KNOWN, Q_BRANCHES, Q_NONE},
    {",pc_write_retired,", KNOWN, Q_TAKEN, Q_NONE},
    {",br_immed_retired,", KNOWN, Q_DIRECT, Q_NONE},
    {",br_return_retired,", KNOWN, Q_RETURNS, Q_NONE},
    {",ld_retired,", KNOWN, Q_LOADS, Q_NONE},
    {",st_retired,", KNOWN, Q_STORES, Q_NONE},
    {",mem_access_rd,", EXECUTED, Q_LOADS, Q_NONE},
    {",mem_access_wr,", EXECUTED, Q_STORES, Q_NONE},
    {",mem_access,l1d_cache,", EXECUTED, Q_ACCESSES, Q_NONE},
    {",L1-dcache-loads,", EXECUTED, Q_LOADS, Q_ACCESSES},
    {",L1-dcache-stores,", EXECUTED, Q_STORES, Q_ACCESSES},
    {",cycles,cpu-cycles,cpu_cycles,", CYCLES, Q_NONE, Q_NONE},
    {",ref-cycles,cnt_cycles,", CLOCK, Q_NONE, Q_NONE},
    {",L1-dcache-load-misses,dTLB-load-misses,l1d_cache_refill,l1d_tlb_refill,", MISSES, Q_NONE,
     Q_NONE},
    {",cache-misses,LLC-load-misses,ll_cache_miss_rd,", FAR_MISSES, Q_NONE, Q_NONE},
    {",cache-references,LLC-loads,ll_cache_rd,l2d_cache,l2d_cache_refill,", REFERENCES, Q_NONE,
     Q_NONE},
    {",branch-misses,branch-load-misses,br_mis_pred,br_mis_pred_retired,", MISTAKES, Q_NONE,
     Q_NONE},
    {",L1-icache-load-misses,iTLB-load-misses,l1i_cache_refill,l1i_tlb_refill,", CODE, Q_NONE,
     Q_NONE},
};

static const struct event_rule otherwise = {"", MORE, Q_NONE, Q_NONE};

static const struct event_rule *rule_of(const char *name)
{
    char wanted[80];

    snprintf(wanted, sizeof(wanted), ",%s,", name);
    for (size_t i = 0; i < ARRAY_SIZE(rules); i++) {
        if (strstr(rules[i].names, wanted) != NULL) {
            return &rules[i];
        }
    }
    return &otherwise;
}

/* What an event of the vendor counts is not known. If nothing moves it, it may be right. */
static void judge_more(struct finding *f, int fd, const struct check *check)
{
    uint64_t sum = 0;

    for (unsigned i = 0; i < LOOPS && sum == 0; i++) {
        void *memory = i == LOOP_CHASE   ? check->arena.large
                       : i == LOOP_STORE ? check->arena.stores
                       : i == LOOP_CODE  ? check->arena.code
                                         : check->arena.lines;

        if (memory != NULL) {
            sum = counter_loop(fd, &loops[i], check->turns, memory).value;
        }
    }
    f->never = sum == 0;
    finding_is(f, COUNTS, sum == 0 ? "none of the loops causes it" : "what is right is not known");
}

/* PC_WRITE_RETIRED is Arm's. */
static enum quantity other_of(const struct event_rule *rule)
{
    const struct pmu *pmu = pmus_current();
    bool arm = pmu != NULL && strncmp(pmu->name, "arm", 3) == 0;

    return rule->other == Q_TAKEN && !arm ? Q_NONE : rule->other;
}

static void judge(struct finding *f, int fd, const struct check *check,
                  const struct event_rule *rule)
{
    switch (rule->rule) {
    case KNOWN:
        check_known(f, fd, check, rule->quantity, other_of(rule));
        break;
    case EXECUTED:
        check_known(f, fd, check, rule->quantity, other_of(rule));
        known_is_speculative(f, check);
        break;
    case CYCLES:
        judge_cycles(f, fd, check);
        break;
    case CLOCK:
        judge_clock(f, fd, check);
        break;
    case MISSES:
    case FAR_MISSES:
        judge_misses(f, fd, check, rule->rule == FAR_MISSES);
        break;
    case REFERENCES:
        judge_references(f, fd, check);
        break;
    case MISTAKES:
        judge_mistakes(f, fd, check);
        break;
    case CODE:
        judge_code(f, fd, check);
        break;
    case MORE:
        judge_more(f, fd, check);
        break;
    }
}

static void check_event(const struct check *check, const char *shown, const char *name,
                        struct perf_event_attr attr)
{
    struct finding *f = finding_add("events", shown);
    int fd = counter_open(&attr, -1);
    struct reading once;

    if (fd < 0) {
        finding_refused(f, -fd);
        return;
    }
    once = counter_loop(fd, &loops[LOOP_ADD], check->turns, check->arena.lines);
    if (!finding_is_busy(f, once)) {
        judge(f, fd, check, rule_of(name));
        finding_is_busy(f, counter_read(fd));
    }
    close(fd);
}

static const char *const generic[] = {
    [PERF_COUNT_HW_CPU_CYCLES] = "cycles",
    [PERF_COUNT_HW_INSTRUCTIONS] = "instructions",
    [PERF_COUNT_HW_CACHE_REFERENCES] = "cache-references",
    [PERF_COUNT_HW_CACHE_MISSES] = "cache-misses",
    [PERF_COUNT_HW_BRANCH_INSTRUCTIONS] = "branches",
    [PERF_COUNT_HW_BRANCH_MISSES] = "branch-misses",
    [PERF_COUNT_HW_BUS_CYCLES] = "bus-cycles",
    [PERF_COUNT_HW_STALLED_CYCLES_FRONTEND] = "stalled-cycles-frontend",
    [PERF_COUNT_HW_STALLED_CYCLES_BACKEND] = "stalled-cycles-backend",
    [PERF_COUNT_HW_REF_CPU_CYCLES] = "ref-cycles",
};

#define CACHE(cache, op, result)                                                                   \
    (PERF_COUNT_HW_CACHE_##cache | PERF_COUNT_HW_CACHE_OP_##op << 8 |                              \
     PERF_COUNT_HW_CACHE_RESULT_##result << 16)

static const struct {
    const char *name;
    uint64_t config;
} cache_events[] = {
    {"L1-dcache-loads", CACHE(L1D, READ, ACCESS)},
    {"L1-dcache-load-misses", CACHE(L1D, READ, MISS)},
    {"L1-dcache-stores", CACHE(L1D, WRITE, ACCESS)},
    {"L1-dcache-store-misses", CACHE(L1D, WRITE, MISS)},
    {"L1-icache-loads", CACHE(L1I, READ, ACCESS)},
    {"L1-icache-load-misses", CACHE(L1I, READ, MISS)},
    {"LLC-loads", CACHE(LL, READ, ACCESS)},
    {"LLC-load-misses", CACHE(LL, READ, MISS)},
    {"LLC-stores", CACHE(LL, WRITE, ACCESS)},
    {"LLC-store-misses", CACHE(LL, WRITE, MISS)},
    {"dTLB-loads", CACHE(DTLB, READ, ACCESS)},
    {"dTLB-load-misses", CACHE(DTLB, READ, MISS)},
    {"dTLB-stores", CACHE(DTLB, WRITE, ACCESS)},
    {"dTLB-store-misses", CACHE(DTLB, WRITE, MISS)},
    {"iTLB-loads", CACHE(ITLB, READ, ACCESS)},
    {"iTLB-load-misses", CACHE(ITLB, READ, MISS)},
    {"branch-loads", CACHE(BPU, READ, ACCESS)},
    {"branch-load-misses", CACHE(BPU, READ, MISS)},
    {"node-loads", CACHE(NODE, READ, ACCESS)},
    {"node-load-misses", CACHE(NODE, READ, MISS)},
};

static void check_listed(const struct pmu_event *event, void *opaque)
{
    const struct check *check = opaque;
    struct perf_event_attr attr = counter_attr(event->type, event->config, 0);
    char shown[64];

    attr.config1 = event->config1;
    snprintf(shown, sizeof(shown), "%.24s/%.36s/", event->pmu, event->name);
    check_event(check, shown, event->name, attr);
}

void check_events(const struct check *check)
{
    for (unsigned i = 0; i < ARRAY_SIZE(generic); i++) {
        check_event(check, generic[i], generic[i], counter_attr(PERF_TYPE_HARDWARE, i, 0));
    }
    for (unsigned i = 0; i < ARRAY_SIZE(cache_events); i++) {
        check_event(check, cache_events[i].name, cache_events[i].name,
                    counter_attr(PERF_TYPE_HW_CACHE, cache_events[i].config, 0));
    }
    pmus_each_event(check_listed, (void *)(uintptr_t)check);
}
