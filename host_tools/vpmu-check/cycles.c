/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Cycles must be as many for the same loop; reference cycles must be as many in the same time. */
#include <stdlib.h>

#include "check.h"
#include "judge.h"

enum {
    RUNS = 9
};

/**
 * struct spread - how far repetitions of one loop are apart, in thousandths
 * @counts: of what was counted, of the half in the middle; of all with --strict.
 * @rates: of what was counted in a nanosecond, of the half of the runs that is in the middle.
 * @rate: the median.
 */
struct spread {
    double counts;
    double rates;
    double rate;
    double least;
};

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

    /* The first run may fault pages in. */
    counter_loop(fd, &loops[loop], 20 * check->turns, check->arena.lines);
    for (unsigned i = 0; i < RUNS; i++) {
        struct reading r = counter_loop(fd, &loops[loop], 20 * check->turns, check->arena.lines);

        rates[i] = r.running == 0 ? 0 : (double)r.value / (double)r.running;
        counts[i] = (double)r.value;
    }
    qsort(rates, RUNS, sizeof(rates[0]), compare_doubles);
    qsort(counts, RUNS, sizeof(counts[0]), compare_doubles);
    least = counts[check->strict ? 0 : RUNS / 4];
    most = counts[check->strict ? RUNS - 1 : 3 * RUNS / 4];
    return (struct spread){
        most == 0 ? 0 : 1000 * (most - least) / most,
        most == 0 ? 0 : 1000 * (rates[3 * RUNS / 4] - rates[RUNS / 4]) / rates[3 * RUNS / 4],
        rates[RUNS / 2], least};
}

/* One for each nanosecond, as QEMU's cycles are without -icount. */
static bool is_nanoseconds(const struct spread *spread)
{
    return spread->rates < 5 && spread->rate > 0.998 && spread->rate < 1.002;
}

/*
 * If cycles are a clock, the counts of a loop vary, and their rate does not. The counts may be the
 * same by accident. But two loops of different work do not both take a nanosecond for each cycle,
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

void judge_cycles(struct finding *f, int fd, const struct check *check)
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
                   spread.least / (160.0 * (double)check->turns), spread.counts / 10);
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
