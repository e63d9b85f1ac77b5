/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel's generic events, its cache events, and the events that a PMU lists in /sys: each by
 * the rule that fits what it means.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "pmus.h"

enum rule {
    KNOWN,      /* a quantity that loops have */
    CYCLES,     /* as many for the same loop, whatever else the computer does */
    CLOCK,      /* as many in the same time */
    MISSES,     /* few in a page, at least some for each line of a large memory */
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
    {",ld_retired,mem_access_rd,", KNOWN, Q_LOADS, Q_NONE},
    {",st_retired,mem_access_wr,", KNOWN, Q_STORES, Q_NONE},
    {",mem_access,l1d_cache,", KNOWN, Q_ACCESSES, Q_NONE},
    {",L1-dcache-loads,", KNOWN, Q_LOADS, Q_ACCESSES},
    {",L1-dcache-stores,", KNOWN, Q_STORES, Q_ACCESSES},
    {",cycles,cpu-cycles,cpu_cycles,", CYCLES, Q_NONE, Q_NONE},
    {",ref-cycles,cnt_cycles,", CLOCK, Q_NONE, Q_NONE},
    {",cache-misses,L1-dcache-load-misses,LLC-load-misses,dTLB-load-misses,l1d_cache_refill,"
     "l1d_tlb_refill,ll_cache_miss_rd,",
     MISSES, Q_NONE, Q_NONE},
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

static uint64_t count(int fd, const struct check *check, enum loop_number loop, void *memory)
{
    return counter_loop(fd, &loops[loop], check->turns, memory).value;
}

/* A part in a thousand, of @of. */
static double per_mille(uint64_t part, uint64_t of)
{
    return of == 0 ? 0 : 1000.0 * (double)part / (double)of;
}

enum {
    RUNS = 9
};

/**
 * struct spread - how far repetitions of one loop are apart, in thousandths
 * @counts: of what was counted.
 * @rates: of what was counted in a nanosecond, of the half of the runs that is in the middle.
 * @rate: the median.
 */
struct spread {
    double counts;
    double rates;
    double rate;
    uint64_t least;
};

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/*
 * The time is that for which the kernel says that it counted. Where a hypervisor takes the CPU away
 * between the counter and the time, the rate of that run is another, so a few runs say nothing.
 */
static struct spread measure_spread(int fd, const struct check *check, enum loop_number loop)
{
    uint64_t least = UINT64_MAX, most = 0;
    double rates[RUNS];

    /* The first run may fault pages in. */
    counter_loop(fd, &loops[loop], 20 * check->turns, check->arena.lines);
    for (unsigned i = 0; i < RUNS; i++) {
        struct reading r = counter_loop(fd, &loops[loop], 20 * check->turns, check->arena.lines);

        rates[i] = r.running == 0 ? 0 : (double)r.value / (double)r.running;
        least = r.value < least ? r.value : least;
        most = r.value > most ? r.value : most;
    }
    qsort(rates, RUNS, sizeof(rates[0]), compare_doubles);
    return (struct spread){
        per_mille(most - least, most),
        most == 0 ? 0 : 1000 * (rates[3 * RUNS / 4] - rates[RUNS / 4]) / rates[3 * RUNS / 4],
        rates[RUNS / 2], least};
}

/* One for each nanosecond, as QEMU's cycles are without -icount. */
static bool is_nanoseconds(const struct spread *spread)
{
    return spread->rates < 5 && spread->rate > 0.998 && spread->rate < 1.002;
}

/*
 * Of a clock, the counts of a loop vary, and their rate does not. By accident they may not vary.
 * But a program does not take a nanosecond for each cycle of two loops that are different work,
 * unless the CPU runs at 1 GHz.
 */
static bool is_clock(const struct spread *spread, int fd, const struct check *check)
{
    struct spread other;

    if (spread->counts > 20 && spread->rates < spread->counts / 4) {
        return true;
    }
    if (!is_nanoseconds(spread)) {
        return false;
    }
    other = measure_spread(fd, check, LOOP_CALLS);
    return is_nanoseconds(&other);
}

static void judge_cycles(struct finding *f, int fd, const struct check *check)
{
    struct spread spread = measure_spread(fd, check, LOOP_ADD);

    if (spread.least == 0) {
        finding_is(f, ZERO, "%s", "");
    } else if (is_clock(&spread, fd, check)) {
        f->clock_ghz = spread.rate;
        finding_is(f, BY_TIME, "it is a clock of %.3f GHz", spread.rate);
    } else if (spread.counts > 20) {
        finding_is(f, BY_TIME, "the same loop varies by %.0f %%", spread.counts / 10);
    } else {
        finding_is(f, IN_RANGE, "%.3f for an addition, the same within %.1f %%",
                   (double)spread.least / (160.0 * (double)check->turns), spread.counts / 10);
    }
}

static void judge_clock(struct finding *f, int fd, const struct check *check)
{
    struct spread spread = measure_spread(fd, check, LOOP_ADD);

    if (spread.least == 0) {
        finding_is(f, ZERO, "%s", "");
    } else if (spread.rates > 50) {
        finding_is(f, COUNTS, "not at a constant rate: its rates differ by %.0f %%",
                   spread.rates / 10);
    } else {
        finding_is(f, IN_RANGE, "%.3f GHz", spread.rate);
    }
}

/* Few where none need be, and between @least and @most thousandths of @of where they must be. */
static void judge_range(struct finding *f, uint64_t few, uint64_t many, uint64_t of, double least,
                        double most)
{
    double low = per_mille(few, of), high = per_mille(many, of);

    if (few == 0 && many == 0) {
        finding_is(f, ZERO, "%s", "");
    } else if (few == many) {
        finding_is(f, CONSTANT, "%llu in both loops", (unsigned long long)few);
    } else if (low > 100 || high < least || high > most) {
        finding_count(f, many, of);
        finding_is(f, OFF, "%.3f a turn where none need be, %.3f where it must be more", low / 1000,
                   high / 1000);
    } else {
        finding_is(f, IN_RANGE, "%.3f a turn, %.3f where none need be", high / 1000, low / 1000);
    }
}

/* Counts loads of lines that the caches have. */
static uint64_t count_hits(int fd, const struct check *check)
{
    count(fd, check, LOOP_CHASE, check->arena.small);
    return count(fd, check, LOOP_CHASE, check->arena.small);
}

/* Counts loads of lines that were not loaded for long: each time those that follow in the cycle. */
static uint64_t count_misses(int fd, const struct check *check)
{
    static void *next;
    void *line = next != NULL ? next : check->arena.large;
    uint64_t counted = count(fd, check, LOOP_CHASE, line);

    for (unsigned long i = 0; i < check->turns; i++) {
        line = *(void **)line;
    }
    next = line;
    return counted;
}

static void judge_misses(struct finding *f, int fd, const struct check *check)
{
    judge_range(f, count_hits(fd, check), count_misses(fd, check), check->turns, 100, 4000);
}

/* Arm's cache-references are those of L1D, so that every load is one. */
static void judge_references(struct finding *f, int fd, const struct check *check)
{
    uint64_t hits = count_hits(fd, check), misses = count_misses(fd, check);

    if (hits >= check->turns && hits < 2 * check->turns && misses >= check->turns) {
        finding_is(f, IN_RANGE, "%.3f a load: all loads", per_mille(misses, check->turns) / 1000);
    } else {
        judge_range(f, hits, misses, check->turns, 100, 12000);
    }
}

static void judge_mistakes(struct finding *f, int fd, const struct check *check)
{
    count(fd, check, LOOP_ADD, check->arena.lines);
    judge_range(f, count(fd, check, LOOP_ADD, check->arena.lines),
                count(fd, check, LOOP_RANDOM, check->arena.lines), check->turns, 250, 800);
}

static void judge_code(struct finding *f, int fd, const struct check *check)
{
    if (check->arena.code == NULL) {
        finding_is(f, DENIED, "no memory may be both written and executed");
        return;
    }
    count(fd, check, LOOP_ADD, check->arena.lines);
    judge_range(f, count(fd, check, LOOP_ADD, check->arena.lines),
                count(fd, check, LOOP_CODE, check->arena.code), check->turns, 100, 4000);
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
            sum = count(fd, check, (enum loop_number)i, memory);
        }
    }
    f->never = sum == 0;
    finding_is(f, COUNTS, sum == 0 ? "none of the loops causes it" : "what is right is not known");
}

/* PC_WRITE_RETIRED is Arm's. */
static enum quantity other_of(const struct event_rule *rule)
{
    const char *pmu = pmus_first();

    return rule->other == Q_TAKEN && (pmu == NULL || strncmp(pmu, "arm", 3) != 0) ? Q_NONE
                                                                                  : rule->other;
}

static void judge(struct finding *f, int fd, const struct check *check,
                  const struct event_rule *rule)
{
    switch (rule->rule) {
    case KNOWN:
        check_known(f, fd, check, rule->quantity, other_of(rule));
        break;
    case CYCLES:
        judge_cycles(f, fd, check);
        break;
    case CLOCK:
        judge_clock(f, fd, check);
        break;
    case MISSES:
        judge_misses(f, fd, check);
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
