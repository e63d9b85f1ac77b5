/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Cycles must be as many for the same loop; reference cycles must be as many in the same time. */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

#include "check.h"
#include "judge.h"

/* Tests have others. */
#ifndef CPUS
#define CPUS "/sys/devices/system/cpu"
#endif

enum {
    RUNS = 9,
    RUN_NS = 5000000 /* a run's least time: the calls that begin and end it take some, too */
};

/**
 * struct moment - the kernel's clock and the CPU's
 */
struct moment {
    uint64_t ns;
    uint64_t ticks;
};

/* Reads both at the same time, unless the computer is busy with something else each time. */
static struct moment read_clocks(void)
{
    struct moment now;
    uint64_t took = UINT64_MAX;

    for (unsigned i = 0; i < 100 && took > 2000; i++) {
        now.ns = now_ns();
        now.ticks = cpu_ticks();
        took = now_ns() - now.ns;
    }
    return now;
}

/**
 * struct spread - how far repetitions of one loop are apart, in thousandths
 * @counts: of what was counted, of the half in the middle; of all with --strict.
 * @rates: of what was counted in a nanosecond, of the half of the runs that is in the middle.
 * @rate: the median.
 * @fastest: of all runs: the one in which the kernel took least time.
 * @ticks: the CPU's clock in GHz, as the program reads it.
 * @turns: of a run.
 */
struct spread {
    double counts;
    double rates;
    double rate;
    double fastest;
    double least;
    double ticks;
    unsigned long turns;
};

/* The first run may fault pages in. Returns the turns of the others. */
static unsigned long choose_turns(int fd, const struct check *check, enum loop_number loop)
{
    unsigned long turns = 20 * check->turns;
    uint64_t ns = counter_loop(fd, &loops[loop], turns, check->arena.lines).running;
    unsigned long more = ns == 0 ? 0 : (unsigned long)(RUN_NS / ns);

    return turns * (more < 50 ? more + 1 : 50);
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/*
 * On hardware, another thread of the core makes some runs slower; in an emulator nothing may.
 *
 * The time is that for which the kernel says that it counted. Where a hypervisor takes the CPU away
 * between the counter and the time, the rate of that run is another, so a few runs say nothing.
 */
static struct spread measure_spread(int fd, const struct check *check, enum loop_number loop)
{
    double rates[RUNS], counts[RUNS], least, most;
    unsigned long turns = choose_turns(fd, check, loop);
    struct moment begin = read_clocks(), end;

    for (unsigned i = 0; i < RUNS; i++) {
        struct reading r = counter_loop(fd, &loops[loop], turns, check->arena.lines);

        rates[i] = r.running == 0 ? 0 : (double)r.value / (double)r.running;
        counts[i] = (double)r.value;
    }
    end = read_clocks();
    qsort(rates, RUNS, sizeof(rates[0]), compare_doubles);
    qsort(counts, RUNS, sizeof(counts[0]), compare_doubles);
    least = counts[check->strict ? 0 : RUNS / 4];
    most = counts[check->strict ? RUNS - 1 : 3 * RUNS / 4];
    return (struct spread){
        most == 0 ? 0 : 1000 * (most - least) / most,
        most == 0 ? 0 : 1000 * (rates[3 * RUNS / 4] - rates[RUNS / 4]) / rates[3 * RUNS / 4],
        rates[RUNS / 2],
        rates[RUNS - 1],
        least,
        (double)(end.ticks - begin.ticks) / (double)(end.ns - begin.ns),
        turns};
}

static bool has_rate(const struct spread *spread, double ghz)
{
    return spread->rates < 5 && spread->rate > 0.998 * ghz && spread->rate < 1.002 * ghz;
}

/* Some CPUs do run at 1 GHz, and the kernel knows it. */
static bool runs_at_1_ghz(void)
{
    char path[80];
    double khz = 0;
    FILE *file;

    snprintf(path, sizeof(path), CPUS "/cpu%d/cpufreq/scaling_cur_freq", sched_getcpu());
    file = fopen(path, "re");
    if (file != NULL) {
        if (fscanf(file, "%lf", &khz) != 1) {
            khz = 0;
        }
        fclose(file);
    }
    return khz > 950000 && khz < 1002000;
}

/**
 * enum likeness - what cycles are like
 * @LIKE_CLOCK: one for each nanosecond, as QEMU's are without -icount, or a rate that does not vary
 * as the counts do.
 * @LIKE_TICKS: as many as the CPU's clock has ticks: that clock, or a CPU at its frequency.
 */
enum likeness {
    LIKE_CYCLES,
    LIKE_CLOCK,
    LIKE_TICKS
};

/*
 * One for each nanosecond. On a busy host a guest's kernel takes some of the time, more in some
 * runs than in others. So the rates of a clock vary, too, but none is higher than the clock's. An
 * emulator may take as many nanoseconds for a loop as it counts cycles, but it counts the same ones
 * each time.
 */
static bool may_be_ns(const struct spread *spread)
{
    bool near = spread->counts > 0 && spread->fastest > 0.95 && spread->fastest < 1.002;

    return (has_rate(spread, 1) || near) && !runs_at_1_ghz();
}

static bool is_disturbed_clock(const struct spread *spread)
{
    return spread->counts > 20 && may_be_ns(spread);
}

/*
 * If cycles are a clock, the counts of a loop vary, and their rate does not. The counts may be the
 * same by accident. But two loops of different work do not both have the rate of a clock, unless
 * the CPU runs at that frequency.
 */
static enum likeness likeness_of(const struct spread *spread, int fd, const struct check *check)
{
    bool ns = may_be_ns(spread), ticks = has_rate(spread, spread->ticks);
    struct spread other;

    if ((spread->counts > 20 && spread->rates < spread->counts / 4) || is_disturbed_clock(spread)) {
        return LIKE_CLOCK;
    }
    if (!ns && !ticks) {
        return LIKE_CYCLES;
    }
    other = measure_spread(fd, check, LOOP_CALLS);
    if (ns && may_be_ns(&other)) {
        return LIKE_CLOCK;
    }
    return ticks && has_rate(&other, other.ticks) ? LIKE_TICKS : LIKE_CYCLES;
}

void judge_cycles(struct finding *f, int fd, const struct check *check)
{
    struct spread spread = measure_spread(fd, check, LOOP_ADD);
    enum likeness like = LIKE_CYCLES;

    if (spread.least != 0) {
        like = likeness_of(&spread, fd, check);
    }
    if (spread.least == 0) {
        finding_is(f, ZERO, "%s", "");
    } else if (like == LIKE_CLOCK) {
        f->clock_ghz = spread.rates < 5 ? spread.rate : spread.fastest;
        finding_is(f, BY_TIME, "it is a clock of %.3f GHz", f->clock_ghz);
    } else if (spread.counts > 20) {
        finding_is(f, BY_TIME, "the same loop varies by %.0f %%", spread.counts / 10);
    } else {
        f->may_be_clock = like == LIKE_TICKS;
        finding_is(f, IN_RANGE, "%.3f for an addition, the same within %.1f %%%s",
                   spread.least / (8.0 * (double)spread.turns), spread.counts / 10,
                   like == LIKE_TICKS ? "; as fast as the CPU's clock" : "");
    }
}

void judge_clock(struct finding *f, int fd, const struct check *check)
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
